"""Cases of struct-extract-eval that nobody recorded: other keywords in a schema, other documents, other options.

What we give for one, a refused schema aside, is what is worked out of it; and what cannot be worked out is refused.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conformance.rules import worked_out
from tests.conformance.systems import Unread, answer, case_of
from tests.conformance.test_drawn import VALUES, changed, lines, put
from tests.conformance.values import walk
from tests.conformance.verdicts import same_answer, why_not_covered

SYSTEM: Final = "struct_extract_eval"
TEXT: Final = {"type": "string", "x-eval-compare": "exact"}
NUMBER: Final = {"type": "number", "x-eval-compare": "numeric"}
ITEM: Final = {"type": "object", "properties": {"id": TEXT, "a": NUMBER}}
OTHER: Final = {"type": "object", "properties": {"a": TEXT, "b": TEXT}}
KEYWORDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "x-eval-compare": (
        "exact", "numeric", "normalized", {"exact": None}, {"numeric": {"tolerance": {"rel": 0.1, "abs": 2}}},
        {"oneof": {"values": ["a", 1, None]}}, {"fuzzy": {"at_least": 0.5}},
    ),
    "x-eval-skip": (True, False),
    "x-eval-align": (
        {"match_by": "hungarian"}, {"match_by": "any_order"}, {"match_by": "key_field", "key": "id"}, {"ordered": True},
        {"match_by": "hungarian", "threshold": 0.5}, {"ordered": True, "match_by": "hungarian"},
    ),
    "x-eval-transform": (
        ["strip", "lowercase"], [{"round_digits": {"digits": 1}}], [{"type_convert": {"to": "float"}}], [{"type_convert": {"to": "str"}}],
    ),
    "type": ("string", "number", "object", "array", "null", ["string", "number"], ["integer", "number"], ["string", "null"]),
    "properties": ({"a": TEXT}, {"a.b": True, "c": False}, {"anyOf": NUMBER}, {"a": {"$ref": "#/$defs/M"}}),
    "additionalProperties": (TEXT, {"type": "number"}, {"title": "x"}, {}, True, False),
    "items": (TEXT, ITEM, {}, {"$ref": "#/$defs/N"}),
    "enum": (["a", "b"], [1, 2.5], [None, True], [None]),
    "const": (1, None),
    "required": (["a"], ["b"]),
    "anyOf": (
        [TEXT, ITEM], [ITEM, OTHER], [{"type": "string"}, {"type": "null", "title": "n"}], [{"minimum": 1}, {"maximum": 2}],
        [{"$ref": "#/$defs/M"}, {"type": "null"}], [{"allOf": [{"type": "string"}]}, {"type": "null"}],
    ),
    "oneOf": ([{"type": "string"}, {"type": "number"}], [{"$ref": "#/$defs/M"}, TEXT]),
    "allOf": ([TEXT, {"pattern": "x"}], [{"$ref": "#/$defs/M"}, {"properties": {"v": {"title": "V"}, "w": NUMBER}, "required": ["w"]}]),
    "$ref": ("#", "#/$defs/M", "#/$defs/N", "#/$defs/none", "#/properties/a"),
}  # fmt: skip
"""What a place of a schema may say."""
DEFINED: Final = {
    "M": {"type": "object", "properties": {"v": TEXT}},
    "N": {"type": "object", "properties": {"v": NUMBER, "kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}}},
}
INNER: Final = ("properties", "anyOf", "oneOf", "allOf")
ABSENT: Final[tuple[Any, ...]] = (
    [{"reclassify_nulls": {"absent_values": [None, "", 0]}}], [{"reclassify_nulls": {"both_absent_skip": False}}],
    [{"reclassify_nulls": {"absent_values": [None, []]}}, {"propagate_batch_errors": {}}],
)  # fmt: skip
OPTIONS: Final = ({}, {"strict_types": True}, {"warn_missing": False}, {"id_field": "id"})


@cache
def evaluations() -> list[dict[str, Any]]:
    return [line for line in lines(SYSTEM) if line["fn"] == "evaluate" and line["gold"] and "error" not in line]


@cache
def schemas() -> list[Any]:
    found = [line.get("schema", line.get("args", {}).get("schema")) for line in lines(SYSTEM)]
    return [schema for schema in found if isinstance(schema, dict)]


def places(schema: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every place of a schema that says something of a value."""
    for place, one in walk(schema):
        inner = not place or place[-1] in ("items", "additionalProperties") or place[-2:-1] in [(key,) for key in INNER]
        if inner and isinstance(one, dict):
            yield place, one


def another(schema: Any, draw: st.DrawFn, most: int = 3) -> Any:
    """The schema with other keywords at some places, or without one that was there."""
    if draw(st.booleans()):
        schema = {**schema, "$defs": {**DEFINED, **schema.get("$defs", {})}}
    for _ in range(draw(st.integers(0, most))):
        place, one = draw(st.sampled_from(list(places(schema))))
        key = draw(st.sampled_from(list(KEYWORDS)))
        without = {name: value for name, value in one.items() if name != key}
        taken = key in one and draw(st.booleans())
        schema = put(schema, place, without if taken else {**without, key: draw(st.sampled_from(KEYWORDS[key]))})
    return schema


def others(documents: list[Any], draw: st.DrawFn) -> list[Any]:
    """The documents, changed at some places."""
    documents = copy.deepcopy(documents)
    for _ in range(draw(st.integers(0, 2))):
        number = draw(st.integers(0, len(documents) - 1))
        documents[number] = changed(documents[number], draw)
    return documents


def evaluation(draw: st.DrawFn) -> dict[str, Any]:
    line = copy.deepcopy(draw(st.sampled_from(evaluations())))
    line |= {"schema": another(line["schema"], draw, 2), "gold": others(line["gold"], draw)}
    line |= {"extracted": others(line["extracted"], draw)}
    return {**line, "post_process": draw(st.sampled_from((line["post_process"], *ABSENT)))}


def of_schema(draw: st.DrawFn) -> dict[str, Any]:
    return {"schema": another(draw(st.sampled_from(schemas())), draw)}


def of_values(draw: st.DrawFn) -> dict[str, Any]:
    line = draw(st.sampled_from(evaluations()))
    return {
        "values": others(line["gold"] + line["extracted"], draw) + draw(st.lists(st.sampled_from(VALUES), max_size=2))
    }


def of_documents(draw: st.DrawFn) -> dict[str, Any]:
    line = draw(st.sampled_from(evaluations()))
    schema = another(line["schema"], draw, 1)
    return {"schema": schema, "gold": others(line["gold"], draw), "options": draw(st.sampled_from(OPTIONS))}


ARGUMENTS: Final[Mapping[str, Callable[[st.DrawFn], dict[str, Any]]]] = {
    "infer_schema": of_values,
    "infer_annotate": of_values,
    "annotate_xeval": of_schema,
    "resolve_schema_references": of_schema,
    "resolve_annotate_parse": of_schema,
    "parse_eval_schema": of_schema,
    "validate_gold": of_documents,
}


@st.composite
def drawn(draw: st.DrawFn, function: str) -> dict[str, Any]:
    """A line near a recorded one."""
    if function == "evaluate":
        return evaluation(draw)
    return {"case": "drawn", "fn": function, "args": ARGUMENTS[function](draw), "expected": {}}


@pytest.mark.parametrize("function", ["evaluate", *ARGUMENTS])
@given(data=st.data())
def test_an_answer_to_a_drawn_case_is_the_one_that_is_worked_out(function: str, data: st.DataObject) -> None:
    case = case_of(SYSTEM, json.dumps(data.draw(drawn(function))), "drawn")
    assume(not isinstance(case, Unread))
    ours, wanted = answer(case), worked_out(case)
    if ours.blame == "config":  # more is wrong with a schema than is asked there
        assert function.startswith(("evaluate", "parse", "resolve_", "validate"))
    else:
        assert wanted is not None
        assert same_answer(ours, wanted), f"{wanted}, and not {ours} {ours.why}"


def test_an_answer_to_a_recorded_case_is_the_one_that_is_worked_out() -> None:
    """To one with which we agree, too."""
    for line in lines(SYSTEM):
        case = case_of(SYSTEM, json.dumps(line), "here")
        if why_not_covered(case) is None and (ours := answer(case)).blame != "config":
            wanted = worked_out(case)
            assert wanted is None or same_answer(ours, wanted), f"{case.id}: {wanted}, and not {ours}"
