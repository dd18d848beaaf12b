"""What counts as absent is as good as missing: one absent value in place of another, or in place of a missing one, changes no figure."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from evaluators.model.rows import FIELD_STATUSES, FieldStatus, Result
from evaluators.scoring.evaluators._evaluator import Evaluator
from tests.laws.schemas import Plan, Wishes, plans, settings_of, values
from tests.laws.structures import changed, evaluator

ABSENT: list[Any] = [None, "", [], {}, ["n/a"], {"nothing": True}]
SAID: list[dict[str, Any]] = [
    {"absent_values": ABSENT},
    {"nulls": "absent", "absent_values": ABSENT[1:]},
    {"post_process": [{"reclassify_nulls": {"absent_values": ABSENT}}]},
    {"nulls": "absent", "post_process": [{"reclassify_nulls": {"absent_values": ABSENT[1:]}}]},
]
"""The ways in which a suite says so."""
GONE = object()
NOTHING = st.sampled_from(ABSENT).map(copy.deepcopy)
WHOLE = Plan("value")
"""A place that is looked at as a whole: what is within a value that is compared as one is no place of its own."""
NOT_COUNTED = {FieldStatus.SKIPPED: FieldStatus.NOT_MEASURED}


@st.composite
def twice(draw: st.DrawFn, plan: Plan, document: Any, of_key: bool = False, root: bool = True) -> tuple[Any, Any]:
    """Two documents that differ in what stands for nothing; a key may be gone where one has nothing."""
    if document is GONE or (not root and draw(st.integers(0, 5)) == 0):
        nothing = NOTHING | st.just(GONE) if of_key else NOTHING
        return draw(nothing), draw(nothing)
    if plan.kind == "object" and isinstance(document, dict):
        places = {**plan.keys, **{key: plan.others for key in document if plan.others and key not in plan.keys}}
        at_once = sorted(plan.keys)[:2] if len(plan.keys) > 1 else []  # a compound may compare them as one value
        both = {
            key: draw(twice(WHOLE if key in at_once else inner, document.get(key, GONE), of_key=True, root=False))
            for key, inner in places.items()
            if inner is not None
        }
        more = {key: value for key, value in document.items() if key not in both}
        one, other = ({key: pair[side] for key, pair in both.items() if pair[side] is not GONE} for side in (0, 1))
        found = {**one, **more}, {**other, **more}
        return found if {} not in found else (document, document)  # an empty object is absent itself
    if plan.kind == "array" and isinstance(document, list) and plan.items is not None:
        items = [draw(twice(plan.items, item, root=False)) for item in document]
        return [one for one, _ in items], [other for _, other in items]
    return document, document


@st.composite
def scored(draw: st.DrawFn) -> tuple[Evaluator, tuple[Any, Any], tuple[Any, Any]]:
    """An evaluator, and two pairs of documents that differ in what stands for nothing."""
    wishes = Wishes(changing=False, two_sided=False)
    plan = draw(plans(wishes))
    settings = draw(settings_of(plan, wishes)) | draw(st.sampled_from(SAID))
    fields = settings.get("fields")
    if fields is not None and draw(st.booleans()):
        path, line = draw(st.sampled_from([*fields.items()]))
        fields[path] = {**(line if isinstance(line, dict) else {"compare": line}), "required": True}
        if "compare" not in fields[path] or line == "skip":
            fields[path] = line
    expected = draw(values(plan))
    output = draw(values(plan) if draw(st.booleans()) else changed(expected))
    return evaluator("schema_match", settings), draw(twice(plan, expected)), draw(twice(plan, output))


def figures(found: Result) -> object:
    """All that is counted of a row. Absent on both sides is not measured, or left out where it was said so."""
    metrics = tuple(Fraction(num, den) if den else None for num, den in found.metrics)
    statuses = [NOT_COUNTED.get(one, one) for one in map(FIELD_STATUSES.__getitem__, found.statuses)]
    return found.status, found.passed, found.score, found.counts, metrics, statuses, found.values


@given(scored())
def test_what_stands_for_nothing_changes_no_figure(drawn: tuple[Evaluator, tuple[Any, Any], tuple[Any, Any]]) -> None:
    one, (expected, other_expected), (output, other_output) = drawn
    event(f"different documents {expected != other_expected or output != other_output}")
    check = one.compile()
    found = check(expected, output)
    assert figures(found) == figures(check(other_expected, other_output))
    explained = one.explain(expected, output)
    assert (explained.status, explained.score, explained.passed) == (found.status, found.score, found.passed)
