"""The documents of a plan are those that reading one cell gives, for every kind that can be wanted."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import CellError
from evaluators.model.limits import DEPTH
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import NO_EXPECTED, expected_document, output_document, want_like
from evaluators.scoring.plan import cells
from evaluators.scoring.values.json_choice import LENIENT, PICKS, Search, Want

WANTS: tuple[Want, ...] = ("object", "array", "container", "any")
scalars = st.sampled_from(["", "x", "{}", "é", 0, 1, 1.0, True, False, None])
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
wrapped = st.sampled_from(
    [
        "{}",
        " {}\n",
        "\ufeff{}",
        "see {} end",
        "```json\n{}\n```",
        "[1] {}",
        "{}, ]",
        "{{x {}",
        "{},",
        "'{}'",
        "{} {}",
        "<think>{}</think> {}",
        '{"a": 0} {}',
        "{} [1]",
    ]
).flatmap(lambda frame: documents.map(lambda document: frame.replace("{}", json.dumps(document))))
rows = st.tuples(
    wrapped | documents | st.sampled_from([MISSING, NO_EXPECTED, "", "  ", '{"a": 1', "[" * (DEPTH + 1), '"\\ud800"']),
    documents.map(json.dumps) | documents | st.sampled_from([MISSING, "", "{x", NO_EXPECTED]),
)
searches = st.builds(Search, st.booleans(), st.sampled_from(PICKS), st.frozensets(st.sampled_from("abc")))
tables = st.lists(rows, min_size=1, max_size=6)


@given(tables, searches, st.booleans())
def test_documents_of_a_column_are_those_of_its_cells(table: list[tuple[Any, Any]], search: Search, twins: bool) -> None:
    if twins:
        table += [(expected, expected) for _, expected in table]
    outputs, expected_cells = [output for output, _ in table], [expected for _, expected in table]
    expected = cells.expected_documents(expected_cells)
    assert alike(expected, [expected_document(cell) for cell in expected_cells])
    plain = cells.whole_outputs(outputs, search)
    beside = cells.whole_outputs_beside(outputs, expected_cells, expected, search)
    likes = cells.outputs_like(beside, expected)
    kinds: list[Want] = ["any" if isinstance(document, CellError) else want_like(document) for document in expected]
    for want in WANTS:
        for prefer in WANTS:
            wanted = [output_document(cell, want, search, prefer) for cell in outputs]
            assert alike(cells.outputs_of_kind(plain, want, prefer), wanted)
        wanted = [output_document(cell, want, search, kind) for cell, kind in zip(outputs, kinds, strict=True)]
        assert alike(cells.outputs_of_kind_beside(beside, expected, want), wanted)
    for kind, cell, found in zip(kinds, outputs, likes, strict=True):
        assert alike([found], [output_document(cell, kind, search, kind)])


def alike(found: list[Any], wanted: list[Any]) -> bool:
    """Equal as JSON values are, faults included: repr tells true from 1, and 1.0 may stand for 1."""
    return [plain(value) for value in found] == [plain(value) for value in wanted]


def plain(value: Any) -> str:
    if isinstance(value, CellError):
        return repr((value.issue.code, value.issue.blame))  # a JSON value and its text are worded differently
    if value is MISSING:
        return repr(value)
    return json.dumps(whole_numbers(value), sort_keys=True)


def whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: whole_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [whole_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.parametrize("frame", ["{}", "\n{} ", "see {} end", "```json\n{}\n```"])
def test_an_output_that_equals_the_expected_document_becomes_that_object(frame: str) -> None:
    text = '{"a": [1, true], "b": null}'
    documents = cells.expected_documents([text])
    whole = cells.whole_outputs_beside([frame.replace("{}", text)], [text], documents, LENIENT)
    assert cells.outputs_like(whole, documents)[0] is documents[0]
    assert cells.outputs_of_kind_beside(whole, documents, "object")[0] is documents[0]


@pytest.mark.parametrize("text", ['{"a": true}', 'see {"a": true}'])
def test_true_in_the_output_does_not_become_the_expected_one(text: str) -> None:
    documents = cells.expected_documents(['{"a": 1}'])
    whole = cells.whole_outputs_beside([text], ['{"a": 1}'], documents, LENIENT)
    found = cells.outputs_like(whole, documents)[0]
    assert found is not documents[0]
    assert found == copy.deepcopy(documents[0])
    assert found["a"] is True
