"""Numbers in text: what is written is what is read, under the declared marks only."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.numbers import Parse, decimal_mark, exact_number, exact_reader, reader

EVERYWHERE = Parse(thousands=",", currency=True, percent=True)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_of_json_is_read_as_itself(number: float) -> None:
    found = reader(Parse())(str(number))
    assert found == number
    assert found is not None
    assert exact_number(found) == exact_number(number)


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
        assert exact_number(found) == number


AMOUNTS = (
    "{sign}{number}", "{sign}€{number}", "€{sign}{number}", "€ {sign}{number}", "{sign}{number} EUR", "{sign} US$ {number}",
    "{sign}R$ {number}", "{sign}{number} kr.", "Rs.{sign}{number}", "{sign}{number}zł", "{sign}${number} USD", "EUR{sign}{number}",
)  # fmt: skip
NEGATIVE = ("({amount})", "-{amount}", "{amount}-", "\u2212{amount}", "\u2013{amount}", "{amount} -")
WIDE = {narrow: narrow + 0xFEE0 for narrow in (*range(0x30, 0x3A), *map(ord, "+-.,$()"))}


@given(
    cents=st.integers(0, 10**14),
    marks=st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", "."), ("", "."), ("", ",")]),
    places=st.integers(0, 4),
    amount=st.sampled_from(AMOUNTS),
    negative=st.sampled_from([None, "inside", *NEGATIVE]),
    wide=st.booleans(),
)
def test_an_amount_is_read_as_it_was_written(
    cents: int, marks: tuple[str, str], places: int, amount: str, negative: str | None, wide: bool
) -> None:
    thousands, decimal = marks
    whole, rest = divmod(cents, 10**places)
    number = f"{whole:,}".replace(",", thousands) + (f"{decimal}{rest:0{places}}" if places else "")
    text = amount.format(number=number, sign="-" if negative == "inside" else "")
    text = text if negative in (None, "inside") else str(negative).format(amount=text)
    text = text.translate(WIDE) if wide and thousands != "'" else text
    parse = Parse.model_validate({"thousands": thousands or None, "decimal": decimal, "currency": True})
    assert exact_reader(parse)(text) == Fraction(cents, 10**places) * (1 if negative is None else -1)


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


def test_an_integer_and_the_float_that_equals_it_are_written_apart() -> None:
    number = int(1e23)
    assert number == 1e23
    assert (exact_number(1e23), exact_number(number)) == (10**23, number)


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1,5", "x"], ","),
        (["1.5", "12"], "."),
        (["1.2", "1,5", "2.0"], ","),
        (["1.234", "2,5"], ","),
        (["1,234", "2.5"], "."),
        (["1,234"], ","),
        (["0.125", "1,234"], "."),
        (["1.234.567,80"], ","),
        (["1,234,567.80"], "."),
        (["12", "text", "1,2,3", "01.02.2026", ""], None),
    ],
)
def test_the_mark_before_decimals_is_told_by_numbers(texts: list[str], mark: str | None) -> None:
    assert decimal_mark(texts) == mark


@given(
    numbers=st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=1, max_size=8),
    mark=st.sampled_from([".", ","]),
    beside=st.lists(st.sampled_from(["12", "x", "01.02.2026", "1,2,3"]), max_size=4),
)
def test_any_decimals_tell_their_mark(numbers: list[Decimal], mark: str, beside: list[str]) -> None:
    assert decimal_mark([*beside, *(str(one).replace(".", mark) for one in numbers)]) == mark
