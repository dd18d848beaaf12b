"""Documents whose values are reshaped before they are compared score as the documents that they stand for."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators import load
from evaluators.scoring.fields.lines import read_fields
from evaluators.scoring.fields.reshaping import reshapings_of
from evaluators.scoring.values.equality import json_equal

ARGUMENTS = st.fixed_dictionaries(
    {}, optional={"city": st.sampled_from(["Oslo", "Rome"]), "days": st.lists(st.integers(0, 2), max_size=2)}
)
DOCUMENTS = st.lists(st.fixed_dictionaries({"name": st.sampled_from("fg"), "args": ARGUMENTS}), max_size=3)
INSIDE = {"[*].name": "exact", "[*].args.city": "exact", "[*].args.days": {"align": "any_order"}}
WAYS = st.sampled_from(["plain", "json", "wrapped", "both"])


def written(calls: list[Any], ways: list[str]) -> list[Any]:
    """The calls with their arguments as a text, in a list of one, or as a list of one in a text."""
    forms = {
        "plain": lambda one: one,
        "json": json.dumps,
        "wrapped": lambda one: [one],
        "both": lambda one: json.dumps([one]),
    }
    return [{**call, "args": forms[way](call["args"])} for call, way in zip(calls, ways, strict=False)]


@given(
    DOCUMENTS, DOCUMENTS, st.lists(WAYS, min_size=6, max_size=6), st.sampled_from(["any_order", "hungarian", "ordered"])
)
def test_a_reshaped_document_scores_as_what_it_stands_for(
    expected: Any, output: Any, ways: list[str], align: str
) -> None:
    plain = {"$": {"align": align}, **INSIDE}
    reshaped = {**plain, "[*].args": {"transforms": ["json", "unwrap"]}}
    scores = []
    for fields, row in (
        (plain, {"expected": expected, "output": output}),
        (reshaped, {"expected": written(expected, ways[:3]), "output": written(output, ways[3:])}),
    ):
        lines = [
            {"schema_match": {"name": "s", "fields": fields}},
            {"json_multi_field_match": {"name": "l", "fields": fields}},
        ]
        found = load({"evaluators": lines}).evaluate(row)
        scores.append({
            name: (found[name].score, [(one.path, one.status.word, one.expected, one.actual) for one in found[name].fields])
            for name in ("s", "l")
        })  # fmt: skip
    assert scores[0] == scores[1]


VALUES = st.recursive(
    st.none() | st.integers(0, 2) | st.sampled_from(["", "a,b", "[1]", '{"b": "x, y"}', "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "a.b"]), inner, max_size=3),
    max_leaves=8,
)
LINES = read_fields({
    "a": {"transforms": ["unwrap"]}, "a.b": {"align": "any_order", "transforms": [{"split": {"at": ","}}]},
    "[*].a": {"transforms": ["unwrap"]}, "[*].a.b": "exact", "[0].b": {"align": "any_order", "transforms": ["json"]},
})  # fmt: skip


@given(VALUES)
def test_a_document_is_reshaped_on_a_copy_and_once(document: Any) -> None:
    before, how = json.dumps(document), reshapings_of(LINES)
    found, said = how.of_output(document)
    assert json.dumps(document) == before
    again, _ = how.of_output(found)
    assert json_equal(again, found)
    if json_equal(found, document) and not said:
        assert found is document
