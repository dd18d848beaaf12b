"""The trace of a row: rows that differ alike have the same one, and rows that differ otherwise have another."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from typing import Any

import pytest

from evaluators.fields.rules import Partial
from evaluators.fields.trace.looks import Looks
from evaluators.fields.trace.record_type import Unalike
from evaluators.fields.trace.tracer import NOT_ALIKE, Tracer
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import Status
from evaluators.values.paths import ANY

BASE: dict[str, Any] = {
    "n": 1, "s": "a", "f": True, "u": 3, "o": {"k": 1, "m": "x"}, "no": {"k": 1}, "l": ["x", "y"], "nl": [1, 2],
    "rows": [{"a": 1, "b": "p"}, {"a": 2, "b": "q"}], "mixed": 1,
}  # fmt: skip
NULLS = {"u": None, "no": None, "nl": [1, None], "opt": "z", "oo": {"k": 1}, "mixed": True}
Row = tuple[Any, Any]


def with_(**changes: Any) -> dict[str, Any]:
    return {**deepcopy(BASE), **changes}


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in BASE.items() if name != key}


LEARNED = [BASE, with_(**NULLS)]
ALIKE: dict[str, list[Row]] = {
    "equal": [(BASE, BASE), (with_(n=5, s="b"), with_(n=5, s="b")), (BASE, with_(n=1.0)), (BASE, dict(reversed(BASE.items())))],
    "n differs": [(BASE, with_(n=2)), (BASE, with_(n="1")), (BASE, with_(n=True)), (with_(n=7), with_(n=8))],
    "n is missing": [(BASE, without("n"))],
    "s differs": [(BASE, with_(s="b")), (BASE, with_(s=None))],
    "n and s differ": [(BASE, with_(n=2, s="b"))],
    "f differs": [(BASE, with_(f=1)), (BASE, with_(f=False))],
    "mixed differs": [(BASE, with_(mixed=True)), (BASE, with_(mixed=2)), (with_(mixed=True), with_(mixed=1))],
    "u differs": [(BASE, with_(u=None)), (BASE, with_(u=4))],
    "u is null": [(with_(u=None), with_(u=None))],
    "u is null and differs": [(with_(u=None), with_(u=3))],
    "something else": [(BASE, with_(z=1)), (BASE, with_(z="long"))],
    "another thing": [(BASE, with_(y=1))],
    "an empty list else": [(BASE, with_(z=[]))],
    "a list of one else": [(BASE, with_(z=[7])), (BASE, with_(z=["t"]))],
    "an object else": [(BASE, with_(z={"q": 1}))],
    "another object else": [(BASE, with_(z={"r": 1}))],
    "o.k differs": [(BASE, with_(o={"k": 2, "m": "x"}))],
    "o.m differs": [(BASE, with_(o={"k": 1, "m": "y"}))],
    "o.m is missing": [(BASE, with_(o={"k": 1}))],
    "o is missing": [(BASE, without("o"))],
    "o has more": [(BASE, with_(o={"k": 1, "m": "x", "z": 0}))],
    "no is null": [(with_(no=None), with_(no=None))],
    "no is null and differs": [(with_(no=None), with_(no=5))],
    "no is missing": [(BASE, without("no"))],
    "the first of l differs": [(BASE, with_(l=["z", "y"]))],
    "the second of l differs": [(BASE, with_(l=["x", "z"])), (BASE, with_(l=["x", 5]))],
    "l is shorter": [(BASE, with_(l=["x"]))],
    "l is empty": [(BASE, with_(l=[]))],
    "l is longer": [(BASE, with_(l=["x", "y", "z"])), (BASE, with_(l=["x", "y", 5]))],
    "l is longer by a list": [(BASE, with_(l=["x", "y", ["z"]]))],
    "l is missing": [(BASE, without("l"))],
    "l has one": [(with_(l=["x"]), with_(l=["x"])), (with_(l=["q"]), with_(l=["q"]))],
    "l has one that differs": [(with_(l=["x"]), with_(l=["q"]))],
    "the second of nl is null": [(with_(nl=[1, None]), with_(nl=[1, None]))],
    "the first of nl is null": [(with_(nl=[None, 2]), with_(nl=[None, 2]))],
    "the second of nl is null and differs": [(with_(nl=[1, None]), with_(nl=[1, 2]))],
    "the second of nl is null and is missing": [(with_(nl=[1, None]), with_(nl=[1]))],
    "the a of the first row differs": [(BASE, with_(rows=[{"a": 9, "b": "p"}, {"a": 2, "b": "q"}]))],
    "the a of the second row differs": [(BASE, with_(rows=[{"a": 1, "b": "p"}, {"a": 9, "b": "q"}]))],
    "the second row is missing": [(BASE, with_(rows=[{"a": 1, "b": "p"}]))],
    "a row too many": [(BASE, with_(rows=[*BASE["rows"], {"a": 3}]))],
    "opt is there": [(with_(opt="z"), with_(opt="z"))],
    "opt is only in the output": [(BASE, with_(opt="z"))],
    "opt is missing": [(with_(opt="z"), BASE)],
    "opt differs": [(with_(opt="z"), with_(opt="y"))],
    "oo is there": [(with_(oo={"k": 1}), with_(oo={"k": 1}))],
    "oo is missing": [(with_(oo={"k": 1}), BASE)],
    "oo.k differs": [(with_(oo={"k": 1}), with_(oo={"k": 2}))],
}  # fmt: skip
UNALIKE: dict[str, Row] = {
    "a list where an object stands": (BASE, with_(o=[1])),
    "an object where a list stands": (BASE, with_(l={"x": 1})),
    "a plain value where a list stands": (BASE, with_(l=1)),
    "an object where a plain value stands": (BASE, with_(n={"k": 1})),
    "a plain value among objects": (BASE, with_(rows=[{"a": 1, "b": "p"}, 5])),
    "a key with a dot": (BASE, with_(**{"a.b": 1})),
    "more inside what only the output has": (BASE, with_(z={"q": [1]})),
    "a list in the list that only the output has": (BASE, with_(z=[[1]])),
    "too many items": (with_(l=["x"] * 64), with_(l=["x"] * 64)),
    "an expected key that was not learned": (with_(new=1), BASE),
    "an expected value of another kind": (with_(n="x"), BASE),
}


def trace_of(tracer: Tracer, expected: Any, output: Any, compare: Callable[..., None] | None = None) -> tuple[int, ...]:
    tracer.trace.clear()
    record = tracer.read(json.dumps(expected))
    if compare is None:
        tracer.walk(record, output, tracer.top)
    else:
        compare(record, tracer.top)
    return tuple(tracer.trace)


def test_rows_have_the_same_trace_where_they_differ_alike() -> None:
    tracer = Tracer(LEARNED, [Looks()])
    found = {name: {trace_of(tracer, *row) for row in rows} for name, rows in ALIKE.items()}
    assert {name: len(traces) for name, traces in found.items()} == dict.fromkeys(ALIKE, 1)
    for one, other in combinations(found, 2):
        assert found[one] != found[other], (one, other)


@pytest.mark.parametrize("name", UNALIKE)
def test_a_row_of_another_shape_has_no_trace(name: str) -> None:
    tracer = Tracer(LEARNED, [Looks()])
    with pytest.raises(NOT_ALIKE):
        trace_of(tracer, *UNALIKE[name])


def test_a_document_against_itself_has_the_trace_of_its_shape() -> None:
    tracer = Tracer(LEARNED, [Looks()])
    for (expected, _), *_ in ALIKE.values():
        assert trace_of(tracer, expected, expected) == trace_of(tracer, expected, None, tracer.shape)


def test_texts_that_are_the_same_in_another_case_differ_otherwise() -> None:
    tracer = Tracer([{"s": "a", "l": ["x"]}], [Looks(texts=(str.lower,))])
    base = {"s": "a", "l": ["x"]}
    case, other, number = (trace_of(tracer, base, {**base, "s": value}) for value in ("A", "b", 1))
    assert len({case, other, number, trace_of(tracer, base, base)}) == 4
    assert case == trace_of(tracer, {**base, "s": "b"}, {**base, "s": "B"})
    assert trace_of(tracer, base, {**base, "l": ["X"]}) != trace_of(tracer, base, {**base, "l": ["y"]})


def near(ours: Any, theirs: Any) -> Any:
    if ours == 13:
        raise RowProblem(Issue("no", Blame.ENVIRONMENT, "nobody answers"))
    if ours == 12:
        return Partial(Status.MISMATCH, 1, 2)
    return Status.MATCH if abs(ours - theirs) < 1 else Status.MISMATCH


def test_a_rule_is_asked_at_its_place() -> None:
    looks = Looks(rules={("n",): near, ("l", 0): near})
    tracer = Tracer([{"n": 1, "m": 1, "l": [1.0, 2]}], [looks])
    base = {"n": 1, "m": 1, "l": [1, 2]}

    def trace(**changes: Any) -> tuple[int, ...]:
        return trace_of(tracer, base, {**base, **changes})

    assert trace(n=1.5) == trace(n=0.5) != trace(n=3) == trace(n=4)
    assert trace(m=1.5) == trace(m=3)
    assert trace(l=[1.5, 2]) != trace(l=[3, 2])
    assert trace(l=[1, 2.5]) == trace(l=[1, 9])
    for odd in (12, 13):
        with pytest.raises(Unalike):
            trace_of(tracer, {**base, "n": odd}, base)


def test_expected_values_that_cannot_be_read_have_no_trace() -> None:
    wrong = Issue("odd", Blame.TESTSET, "odd")
    looks = Looks(readable={("n",): lambda value: wrong if value == 3 else None})
    tracer = Tracer([{"n": 1}], [looks])
    assert trace_of(tracer, {"n": 2}, {"n": 2}) == trace_of(tracer, {"n": 1}, {"n": 1})
    for compare in (None, tracer.shape):
        with pytest.raises(Unalike):
            trace_of(tracer, {"n": 3}, {"n": 3}, compare)


@pytest.mark.parametrize(
    ("documents", "looks"),
    [
        ([], Looks()),
        ([[1]], Looks()),
        ([{"a": 1}, [1]], Looks()),
        ([{"a": {"b": 1}}], Looks(rules={("a",): near})),
        ([{"a": [1]}], Looks(rules={("a",): near})),
        ([{"a": [{"b": 1}]}], Looks(rules={("a", 0): near})),
        ([{"a": [1]}], Looks(readable={("a", ANY): lambda value: None})),
    ],
)
def test_documents_without_a_type_have_no_traces(documents: list[Any], looks: Looks) -> None:
    with pytest.raises(NOT_ALIKE):
        Tracer(documents, [looks])


def test_an_index_in_an_object_is_a_key() -> None:
    tracer = Tracer([{"a": {"0": 1}}], [Looks(rules={("a", 0): near})])
    assert trace_of(tracer, {"a": {"0": 1}}, {"a": {"0": 1.5}}) != trace_of(tracer, {"a": {"0": 1}}, {"a": {"0": 3}})
