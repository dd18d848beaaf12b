"""Random schemas in both dialects and as `fields:`, with documents that more or less fit them.

A *plan* is the shape that all three spell: what is looked into, and what is compared as one value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from evaluators.model.rows import Result
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.values.paths import ANY, Path
from tests.laws.structures import SCALARS, changed, evaluator

KEYS = ("a", "b", "c", "A", "a.b")
TYPES = ("string", "number", "integer", "boolean")
OF_TYPE: dict[str, list[Any]] = {
    "string": ["", "1", "30", "Ab", "ab", "áb", "x y", "2024-01-31"],
    "number": [0, 1, 1.0, 2, 1.05, -3.5],
    "integer": [0, 1, 2, 30],
    "boolean": [True, False],
}
XEVAL: list[Any] = [
    "exact",
    "exact",
    {"numeric": {"tolerance": {"abs": 0.1}}},
    {"normalized": {"case": "ignore"}},
    {"fuzzy": {"at_least": 0.5, "partial": True}},
    "date",
    {"numeric": {"parse": True}},
]
PRESETS: dict[str, list[Any]] = {
    "string": ["string_exact", "string_case_insensitive", "string_fuzzy"],
    "number": ["number_exact", "number_tolerance"],
    "integer": ["integer_exact", "number_tolerance"],
    "boolean": ["boolean_exact"],
}
TRANSFORMS: list[Any] = [["strip"], ["lowercase"], [{"round_digits": {"digits": 1}}], [{"type_convert": {"to": "float"}}]]
CHANGES_RESULTS: list[dict[str, Any]] = [
    {"nulls": "absent"},
    {"absent_values": [None, ""]},
    {"post_process": ["propagate_batch_errors"]},
]
SCORES = ("f1", "precision", "recall", "mean_score", "overall_score", "field_score", "overall_pass_rate")


@dataclass(frozen=True)
class Plan:
    """One place of a shape."""

    kind: str
    type: str = "string"
    keys: dict[str, Plan] = field(default_factory=dict)
    others: Plan | None = None
    items: Plan | None = None
    branches: tuple[Plan, ...] = ()
    skip: bool = False


@dataclass(frozen=True)
class Wishes:
    """What a law can do with."""

    choices: bool = True
    """Branches, which an edit may turn to another one."""
    aligned: bool = True
    """Lists whose items are paired."""
    changing: bool = True
    """Settings that change results after they were compared."""
    two_sided: bool = True
    """Only comparators for which equal values match."""


ANYTHING = Wishes(two_sided=False)


@st.composite
def plans(draw: st.DrawFn, wishes: Wishes, depth: int = 3, root: bool = True) -> Plan:
    kinds = ["object", "object", "array"] if root else ["leaf", "leaf", "object", "array"] if depth else ["leaf"]
    if wishes.choices and depth and not root and draw(st.integers(0, 9)) == 0:
        branches = draw(st.lists(plans(wishes, depth - 1, False), min_size=2, max_size=2))
        return Plan("choice", branches=tuple(branches))
    skip = not root and draw(st.integers(0, 13)) == 0
    kind = draw(st.sampled_from(kinds))
    if kind == "leaf":
        return Plan("leaf", draw(st.sampled_from(TYPES)), skip=skip)
    if kind == "array":
        return Plan("array", items=draw(plans(wishes, depth - 1, False)), skip=skip)
    names = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique=True))
    keys = {name: draw(plans(wishes, depth - 1, False)) for name in names}
    others = draw(plans(wishes, 0, False)) if draw(st.integers(0, 7)) == 0 else None
    return Plan("object", keys=keys, others=others, skip=skip)


@st.composite
def xeval(draw: st.DrawFn, plan: Plan, wishes: Wishes) -> dict[str, Any]:
    """The plan as an x-eval schema."""
    found: dict[str, Any] = {"x-eval-skip": True} if plan.skip else {}
    if plan.kind == "choice":
        return {"anyOf": [draw(xeval(branch, wishes)) for branch in plan.branches]}
    if plan.kind == "object":
        properties = {key: draw(xeval(inner, wishes)) for key, inner in plan.keys.items()}
        found |= {"type": "object", "properties": properties}
        if plan.others is not None:
            found["additionalProperties"] = draw(xeval(plan.others, wishes))
        if len(properties) > 1 and draw(st.integers(0, 7)) == 0:
            found["x-eval-compare"] = {"compound": {"fields": sorted(properties)[:2], "compare": "exact"}}
        return found
    if plan.kind == "array" and plan.items is not None:
        found |= {"type": "array", "items": draw(xeval(plan.items, wishes))}
        if wishes.aligned:
            how = draw(st.sampled_from(["ordered", "any_order", "hungarian"]))
            found["x-eval-align"] = {"match_by": how}
            if plan.items.kind == "object" and draw(st.integers(0, 2)) == 0:
                found["x-eval-align"] = {"match_by": "key_field", "key": next(iter(plan.items.keys))}
        return found
    found |= {"type": plan.type, "x-eval-compare": draw(st.sampled_from(XEVAL))}
    if not wishes.two_sided and draw(st.integers(0, 7)) == 0:
        found["x-eval-compare"] = {"regex": {"pattern": "^[a-z]+$"}}
    if draw(st.integers(0, 5)) == 0:
        found["x-eval-transform"] = draw(st.sampled_from(TRANSFORMS))
    return found


@st.composite
def evaluation_config(draw: st.DrawFn, plan: Plan, wishes: Wishes) -> dict[str, Any]:
    """The plan as an evaluation_config schema."""
    if plan.kind == "choice":
        return {"anyOf": [draw(evaluation_config(branch, wishes)) for branch in plan.branches]}
    found: dict[str, Any] = {"evaluation_config": "skip"} if plan.skip else {}
    if plan.kind == "object":
        found |= {"type": "object", "properties": {}}
        for key, inner in plan.keys.items():
            found["properties"][key] = draw(evaluation_config(inner, wishes))
        if plan.others is not None:
            found["additionalProperties"] = draw(evaluation_config(plan.others, wishes))
        return found
    if plan.kind == "array" and plan.items is not None:
        return {**found, "type": "array", "items": draw(evaluation_config(plan.items, wishes))}
    presets = PRESETS[plan.type]
    config: Any = draw(st.sampled_from(presets))
    if draw(st.integers(0, 3)) == 0:
        chosen = draw(st.lists(st.sampled_from(presets), min_size=1, max_size=2, unique=True))
        weights = draw(st.lists(st.sampled_from([0.5, 1, 0.1]), min_size=2, max_size=2))
        metrics = [{"metric_id": word, "weight": weight} for word, weight in zip(chosen, weights, strict=False)]
        config = {"metrics": metrics, "aggregation_weight": draw(st.sampled_from([1, 2, 0.25]))}
    return {"type": plan.type, "evaluation_config": config} | found


@st.composite
def listed(draw: st.DrawFn, plan: Plan, wishes: Wishes, path: tuple[Any, ...] = ()) -> dict[str, Any]:
    """The plan as `fields:`."""
    name = Path(path).canonical or "$"
    if plan.kind == "choice":
        return draw(listed(plan.branches[0], wishes, path))
    if plan.skip:
        return {name: "skip"}
    if plan.kind == "object":
        return {
            key: line
            for step, inner in plan.keys.items()
            for key, line in draw(listed(inner, wishes, (*path, step))).items()
        }
    if plan.kind == "array" and plan.items is not None:
        found: dict[str, Any] = {}
        if wishes.aligned and draw(st.booleans()):
            found[name] = {"align": draw(st.sampled_from(["any_order", "hungarian", {"key_field": {"key": "a"}}]))}
        below = draw(listed(plan.items, wishes, (*path, ANY)))
        return below if found and "skip" in below.values() and len(below) == 1 else found | below
    line: dict[str, Any] = {"compare": draw(st.sampled_from(XEVAL))}
    if draw(st.integers(0, 5)) == 0:
        line["weight"] = draw(st.sampled_from([0.5, 2, 0]))
    if draw(st.integers(0, 7)) == 0:
        line["transforms"] = draw(st.sampled_from(TRANSFORMS))
    return {name: line}


@st.composite
def values(draw: st.DrawFn, plan: Plan) -> Any:
    """A document that mostly has the shape of a plan."""
    odd = draw(st.integers(0, 24))
    if odd == 0:
        return draw(SCALARS | st.sampled_from([{}, [], {"a": 1}, [1, [2]], {"q": {"r": [1, {}]}}, [{"a": 1}]]))
    if plan.kind == "choice":
        return draw(values(draw(st.sampled_from(plan.branches))))
    if plan.kind == "array" and plan.items is not None:
        return draw(st.lists(values(plan.items), max_size=3))
    if plan.kind == "leaf":
        return draw(st.sampled_from([*OF_TYPE[plan.type], None]))
    found = {key: draw(values(inner)) for key, inner in plan.keys.items() if draw(st.integers(0, 6))}
    if odd < 4:
        found[draw(st.sampled_from(["q", "w"]))] = draw(st.sampled_from([1, "z", {}, {"e": 1}, [{"e": 1}, 2]]))
    return found


def counts(line: Any) -> bool:
    """Whether a line says how something is compared, and that it weighs something."""
    return isinstance(line, dict) and "compare" in line and line.get("weight") != 0


@st.composite
def settings_of(draw: st.DrawFn, plan: Plan, wishes: Wishes = ANYTHING) -> dict[str, Any]:
    """The settings of a `schema_match` that scores documents of a plan."""
    ways = ["x-eval", "fields", "evaluation_config"] if wishes.aligned else ["x-eval", "fields"]
    way = draw(st.sampled_from(ways))
    found: dict[str, Any] = {}
    if way == "fields":
        lines = draw(listed(plan, wishes))
        found["fields"] = lines if any(map(counts, lines.values())) else {list(lines)[-1]: "exact"}
    else:
        found["schema"] = draw((xeval if way == "x-eval" else evaluation_config)(plan, wishes))
        found["dialect"] = way
    if draw(st.integers(0, 2)) == 0:
        found["score"] = draw(st.sampled_from(SCORES))
    if draw(st.booleans()):
        found["extra_items"] = draw(st.sampled_from(["ignore", "penalize"]))
    if wishes.changing and draw(st.integers(0, 7)) == 0:
        found |= draw(st.sampled_from(CHANGES_RESULTS))
    return found


@dataclass(frozen=True)
class Drawn:
    """A `schema_match` with an expected document and an output."""

    one: Evaluator
    plan: Plan
    expected: Any
    output: Any


@st.composite
def drawn(draw: st.DrawFn, wishes: Wishes = ANYTHING) -> Drawn:
    """A schema, a document that mostly fits it, and an output: the same, almost the same, or another one."""
    plan = draw(plans(wishes))
    one = evaluator("schema_match", draw(settings_of(plan, wishes)))
    expected = draw(values(plan))
    kind = draw(st.integers(0, 5))
    output = expected if kind == 0 else draw(values(plan)) if kind == 1 else draw(changed(expected))
    return Drawn(one, plan, expected, output)


def exact(found: Result) -> object:
    """A verdict with its fractions reduced, and its problem as a code."""
    figures = tuple(Fraction(num, den) if den else None for num, den in found.metrics)
    value = Fraction(found.num, found.den) if found.den else None
    code = found.issue.code if found.issue else None
    return found.status, found.passed, value, found.statuses, found.counts, figures, code


def tallied(check: Any) -> object:
    """What a check counted by path, its credits added up."""
    totals: dict[tuple[str, str], Fraction] = {}
    for (path, kind, den), count in check.details().items():
        totals[path, kind] = totals.get((path, kind), Fraction(0)) + Fraction(count, den)
    return check.counts(), {key: count for key, count in totals.items() if count}
