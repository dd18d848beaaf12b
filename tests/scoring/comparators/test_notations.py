"""Several notations of `numeric`: the first that fits the expected text holds for both sides, and what two of them read is doubted."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.settings import build
from evaluators.scoring.comparators.numeric import Numeric
from evaluators.scoring.values.numbers import Parse, exact_reader

NOTATIONS = [
    {"thousands": ","},
    {"thousands": ".", "decimal": ","},
    {"thousands": " ", "decimal": ","},
    {"thousands": "'"},
    {"decimal": ","},
    {"currency": True},
    {"percent": True, "decimal": ","},
]
SOME = st.lists(st.sampled_from(NOTATIONS), min_size=1, max_size=4, unique_by=str)
NUMBERS = st.decimals(-(10**7), 10**7, places=3)


def written(number: Decimal, notation: dict[str, object]) -> str:
    thousands, decimal = str(notation.get("thousands", "")), str(notation.get("decimal", "."))
    whole, _, rest = f"{number:,}".partition(".")
    return f"{whole.replace(',', thousands)}{decimal}{rest}"


@given(NUMBERS, NUMBERS, SOME, st.data())
def test_two_texts_in_one_notation_are_right_where_they_are_one_number(
    expected: Decimal, actual: Decimal, notations: list[dict[str, object]], data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from(notations))
    numeric = build(Numeric, {"parse": notations})
    one, other = written(expected, chosen), written(actual, chosen)
    if numeric.doubt(one) is None and numeric.doubt(other) is None:
        assert numeric.readable(one) is True
        assert numeric.compare(one, one)
        fits = next(each for each in notations if exact_reader(Parse.model_validate(each))(one) is not None)
        if fits == chosen:
            assert numeric.compare(one, other) is (expected == actual)


@given(NUMBERS, SOME, st.data())
def test_a_text_is_doubted_exactly_where_two_notations_differ(
    number: Decimal, notations: list[dict[str, object]], data: st.DataObject
) -> None:
    text = written(number, data.draw(st.sampled_from(NOTATIONS)))
    numbers = {exact_reader(Parse.model_validate(one))(text) for one in notations} - {None}
    assert (build(Numeric, {"parse": notations}).doubt(text) is not None) is (len(numbers) > 1)


@given(NUMBERS, NUMBERS, st.decimals(0, 1000, places=3))
def test_a_difference_is_allowed_from_both_sides(one: Decimal, other: Decimal, most: Decimal) -> None:
    compare = build(Numeric, {"parse": True, "tolerance": {"abs": float(most)}}).compare
    assert compare(str(one), str(other)) is compare(str(other), str(one)) is (abs(one - other) <= most)


@given(NUMBERS, st.sampled_from(NOTATIONS))
def test_one_notation_in_a_list_is_that_notation(number: Decimal, notation: dict[str, object]) -> None:
    text = written(number, notation)
    listed, alone = build(Numeric, {"parse": [notation]}), build(Numeric, {"parse": notation})
    assert listed.compare(text, str(number)) is alone.compare(text, str(number))
    assert listed.readable(text) == alone.readable(text)
