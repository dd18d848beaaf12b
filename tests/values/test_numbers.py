"""Numbers in text: what is written is what is read, under the declared marks only."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.values.numbers import Parse, exact_reader, reader, written

EVERYWHERE = Parse(thousands=",", currency=True, percent=True)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_of_json_is_read_as_itself(number: float) -> None:
    found = reader(Parse())(str(number))
    assert found == number
    assert found is not None
    assert written(found) == written(number)


@given(st.integers(-(10**15), 10**15), st.integers(0, 99))
def test_marks_are_set_aside(whole: int, cents: int) -> None:
    number = Fraction(f"{whole}.{cents:02}")
    sign = "-" if whole < 0 else ""
    english, german = f"{abs(whole):,}.{cents:02}", f"{abs(whole):,}".replace(",", ".") + f",{cents:02}"
    for parse, text in (
        (Parse(thousands=",", currency=True), f"{sign}${english}"),
        (Parse(thousands=".", decimal=",", currency=("EUR",)), f"{sign}{german} EUR"),
    ):
        found = reader(parse)(text)
        assert found is not None
        assert written(found) == number


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


@given(st.text(), st.sampled_from([Parse(), EVERYWHERE, Parse(thousands=" ", decimal=",")]))
def test_any_text_is_read_or_is_not_a_number(text: str, choice: Parse) -> None:

    assert isinstance(reader(choice)(text), int | float | Fraction | None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("25e2", Fraction(2500)), ("1.5e1", Fraction(15)), ("-300e-2", Fraction(-3)),
        ("1,234.50", Fraction(2469, 2)), ("-0.25", Fraction(-1, 4)), ("19", Fraction(19)), ("7.09e1", Fraction(709, 10)),
        ("$0.02", Fraction(1, 50)), ("-$1.5", Fraction(-3, 2)), (".5", Fraction(1, 2)), ("90", Fraction(90)), ("one", None),
    ],
)  # fmt: skip
def test_a_number_is_read_to_the_last_digit(text: str, number: Fraction | None) -> None:
    assert exact_reader(Parse(thousands=",", currency=True))(text) == number
