"""Numbers in text: what is written is what is read, under the declared marks only."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.values.numbers import Parse, reader, written

EVERYWHERE = Parse(thousands=",", currency=True, percent=True)


@settings(max_examples=150)
@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_of_json_is_read_as_itself(number: float) -> None:
    found = reader(Parse())(str(number))
    assert found == number
    assert found is not None
    assert written(found) == written(number)


@settings(max_examples=100)
@given(st.integers(-(10**15), 10**15), st.integers(0, 99))
def test_marks_are_set_aside(whole: int, cents: int) -> None:
    number = float(f"{whole}.{cents:02}") if cents else whole
    sign = "-" if whole < 0 else ""
    english, german = f"{abs(whole):,}.{cents:02}", f"{abs(whole):,}".replace(",", ".") + f",{cents:02}"
    assert reader(Parse(thousands=",", currency=True))(f"{sign}${english}") == number
    assert reader(Parse(thousands=".", decimal=",", currency=("EUR",)))(f"{sign}{german} EUR") == number


@pytest.mark.parametrize(
    "text", ["", " ", "-", "+-1", "--1", "$", "$$1", "1,00", "1,0000", ",100", "1..2", "٣", "1e", "0x1"]
)
def test_what_does_not_fit_is_not_a_number(text: str) -> None:
    assert reader(EVERYWHERE)(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,20,000", 120000), (".5", 0.5), ("-.5", -0.5), ("5%", 0.05), ("-5 %", -0.05), ("USD 5", 5), ("5€", 5), ("+5", 5)],
)
def test_what_fits_is_read(text: str, number: float) -> None:
    assert reader(EVERYWHERE)(text) == number


@settings(max_examples=100)
@given(st.text(), st.sampled_from([Parse(), EVERYWHERE, Parse(thousands=" ", decimal=",")]))
def test_any_text_is_read_or_is_not_a_number(text: str, choice: Parse) -> None:

    assert isinstance(reader(choice)(text), int | float | None)
