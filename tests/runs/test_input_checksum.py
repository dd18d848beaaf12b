"""The checksum of what a row gives beside the output."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.api.loading import load
from evaluators.model.rows import JSON, MISSING
from evaluators.runs.ids import checksums, output_columns
from evaluators.scoring.values.json_text import compact, to_text


def test_rows_that_give_the_same_have_the_same_checksum() -> None:
    one, other, third = checksums([["a", "a", "b"], [{"x": 1}, {"x": 1}, {"x": 1}]], 3)
    assert one == other != third


def test_cells_do_not_run_into_each_other() -> None:
    assert checksums([["ab"], ["c"]], 1) != checksums([["a"], ["bc"]], 1)


def test_a_value_and_the_text_that_says_it_are_the_same() -> None:
    for cells in ([1, "1"], [1.5, "1.5"], [True, "true"], ["Oslo", "Oslo"], [None, "", MISSING]):
        assert len(set(checksums([cells], len(cells)))) == 1
    assert len(set(checksums([["", "0", "false", "null", " ", "1", "1.0"]], 7))) == 7


@pytest.mark.parametrize(
    "value",
    [
        {"city": "Oslo", "year": 2020}, {"a": {"b": [1, 2, {"c": None}]}}, [1, 2, 3], ["a", "b"], {}, [],
        {"name": "Zoë", "said": 'a "word", and\nmore'}, {"price": 12.5, "big": 10.0, "small": 1e-07}, {"a,b": "c: d"},
    ],
)  # fmt: skip
def test_a_document_is_the_same_however_it_is_written(value: JSON) -> None:
    cells = [
        value, json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=2),
        json.dumps(value, separators=(",", ":")), json.dumps(value, separators=(",", ":"), ensure_ascii=False),
    ]  # fmt: skip
    assert len(set(checksums([cells], len(cells)))) == 1


def test_zeros_at_the_end_of_a_decimal_change_nothing() -> None:
    one, other = checksums([['{"price": 12.50, "tax": 0.10}', {"price": 12.5, "tax": 0.1}]], 2)
    assert one == other


def test_what_is_said_inside_a_text_counts_to_the_letter() -> None:
    cells = ['{"city": "NewYork"}', '{"city": "New York"}', '{"city": "New  York"}', '{"city":"new york"}']
    assert len(set(checksums([cells], 4))) == 4
    assert len(set(checksums([["{not JSON", "{not  JSON", "[1, 2", "[1,2"]], 4))) == 4


def test_every_column_of_an_output_is_known() -> None:
    suite = load({"evaluators": ["exact_match", {"length": {"max": 3, "output": "draft"}}]})
    assert output_columns(suite.lines, {"output": "answer", "expected": "label"}) == {"answer", "draft"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_that_is_written_in_another_way_has_the_checksum_of_its_value(value: JSON) -> None:
    texts = [to_text([value]), compact([value]).decode("utf-8", "surrogatepass"), json.dumps([value], indent=1)]
    assert len(set(checksums([[[value], *texts]], 4))) == 1
