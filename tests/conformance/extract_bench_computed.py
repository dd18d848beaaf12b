"""What we say of an extract-bench case, worked out a second time: short and slow, and apart from the fields package.

Strategy: the schema is read as it is met, place by place, together with both documents. Every unit gives results; lists
are paired by trying every pairing. Then the entries are added up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import isfinite
from typing import Any, Final

from evaluators.model import MISSING
from tests.conformance.cases import Answer, Case
from tests.conformance.extract_bench import OVERALL, PASS_RATE
from tests.conformance.values import equal, kind, leaves

MATCH, MISMATCH, OMISSION, HALLUCINATION = "match", "mismatch", "omission", "hallucination"
COUNTED, WHOLE, OUTSIDE = "counted", "whole", "outside"
JUDGED: Final = ("string_semantic", "string_llm")
PLAIN: Final = ("exact", "string_exact", "boolean_exact", *JUDGED)
PARAMS: Final[Mapping[str, Mapping[str, str]]] = {
    "string_fuzzy": {"threshold": "share", "case_sensitive": "flag"},
    "number_tolerance": {"tolerance": "amount", "parse": "flag"},
    "number_exact": {"parse": "flag"},
    "integer_exact": {"parse": "flag"},
    **{name: {} for name in ("exact", "string_exact", "boolean_exact", "string_case_insensitive", "string_url")},
}
BY_TYPE: Final = {"string": "string_semantic", "number": "number_tolerance", "integer": "integer_exact"}
LOOKED_INTO: Final = ("object", "array")


INSIDE: Final = {"object": ("properties", "additionalProperties"), "array": ("items",)}


class Refused(Exception):
    """The schema is a config problem."""


@dataclass(frozen=True)
class Found:
    """One result. What stands inside a list is no entry; the list itself is one, and weighs as many expected items as are measured."""

    path: str
    metric: str
    status: str
    score: Fraction
    weight: Fraction = Fraction(1)
    items: int = 1
    entry: bool = True


@dataclass(frozen=True)
class Metric:
    name: str
    params: Mapping[str, Any]
    weight: Fraction


def computed(case: Case) -> Answer:
    """The answer of a tree of nodes made from the case's schema."""
    root = case.settings["schema"]
    if isinstance(root, dict) and "type" not in root:
        root = root.get("schema_definition", root)
    try:
        check(root, root)
        results = list(look(root, root, case.expected, case.output, "$", Fraction(1)))
    except Refused as refused:
        return Answer(blame="config", why=str(refused))
    found = [one for one in results if one.entry]
    places = Counter(one.path for one in found)
    fields = {one.path if places[one.path] == 1 else f"{one.path} {one.metric}": float(one.score) for one in found}
    bare = _of_nothing({one.status for one in _measured(results)})
    overall = _mean([(one.score, one.weight * one.items) for one in found], bare)
    rate = sum(map(_passed, found)) / len(found) if found else bare
    flat = _mean([(one.score, one.weight) for one in found], bare)
    return Answer(flat, fields={**fields, OVERALL: overall, PASS_RATE: rate})


def _of_nothing(statuses: set[str]) -> float | None:
    """A total that has nothing to divide by: none where nothing is measured, 0 where anything is wrong, else 1."""
    return float(statuses == {MATCH}) if statuses else None


def _passed(one: Found) -> bool:
    return one.score == 1 if one.status == WHOLE else one.status == MATCH


def _mean(weighted: list[tuple[Fraction, Fraction]], bare: float | None) -> float | None:
    whole = sum(weight for _, weight in weighted)
    return float(sum(score * weight for score, weight in weighted) / whole) if whole else bare


# The schema


def full(root: Any, schema: Any, seen: int = 0) -> dict[str, Any]:
    """The schema with its reference filled in; what stands beside it wins."""
    if "$ref" not in schema:
        return dict(schema)
    target = root
    for step in str(schema["$ref"]).removeprefix("#").split("/")[1:]:
        if not isinstance(target, dict) or step not in target:
            raise Refused(f"{schema['$ref']} leads nowhere")
        target = target[step]
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    if seen > 20:
        raise Refused("a reference to itself")
    return {**full(root, target, seen + 1), **beside}


def check(root: Any, schema: Any, seen: tuple[str, ...] = ()) -> None:
    """Raises Refused when something in the schema cannot be used."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        if schema["$ref"] in seen:
            return
        seen = (*seen, schema["$ref"])
    schema = full(root, schema)
    if any(name not in (*BY_TYPE, "boolean", "null", *LOOKED_INTO) for name in types(schema)):
        raise Refused("no type")
    words = asked(schema)
    if words is not None and words[0] == ():
        return
    if words is not None and words[0] and words[0][0].name != "array_llm":
        several = branches(root, schema)
        schema = several[0] if len(several) == 1 else schema
        shape = _shape(schema) if len(several) < 2 else ""
        schema = {key: schema.get(key) for key in INSIDE.get(shape, ())}
    for inner in _inside(schema):
        check(root, inner, seen)


def _inside(schema: Mapping[str, Any]) -> Iterator[Any]:
    yield from _declared(schema).values()
    yield from (schema.get("items"), schema.get("additionalProperties"))
    listed = schema.get("anyOf") or schema.get("oneOf") or ()
    yield from (one for one in listed if isinstance(one, dict) and one.get("type") != "null")


def _declared(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of keys: `true` is one of anything, and with false no value belongs there."""
    properties = schema.get("properties")
    found = properties if isinstance(properties, dict) else {}
    if any(not isinstance(one, (dict, bool)) for one in found.values()):
        raise Refused("no schema")
    return {key: {} if one is True else one for key, one in found.items() if one is not False}


def types(schema: Mapping[str, Any]) -> list[str]:
    declared = schema.get("type", [])
    return declared if isinstance(declared, list) else [declared]


def asked(schema: Mapping[str, Any]) -> tuple[tuple[Metric, ...] | None, Fraction] | None:
    """The metrics that a schema names and its weight; no metrics skip it. None where it says nothing."""
    config = schema.get("evaluation_config")
    if config is None:
        return None
    if config == "skip" or config == {}:
        return (), Fraction(1)
    if isinstance(config, str):
        return (_metric({"metric_id": config}),), Fraction(1)
    if not isinstance(config, dict) or not config.keys() <= {"metrics", "aggregation_weight"}:
        raise Refused("evaluation_config")
    weight = _weight(config.get("aggregation_weight", 1))
    if "metrics" not in config:
        return None, weight
    found = tuple(_metric(one) for one in config["metrics"])
    if len({one.name for one in found}) < len(found):
        raise Refused("a metric twice")
    return found, weight


def _metric(one: Any) -> Metric:
    if not isinstance(one, dict) or not one.keys() <= {"metric_id", "params", "weight"}:
        raise Refused("a metric")
    name, params = str(one.get("metric_id")), one.get("params") or {}
    if name not in PARAMS and name not in (*JUDGED, "array_llm"):
        raise Refused(f"no metric {name}")
    if not usable_params(name, params):
        raise Refused(f"params of {name}")
    return Metric(name, params, _weight(one.get("weight", 1)))


def usable_params(name: str, params: Any) -> bool:
    """The metric has these parameters, and can use their values."""
    known = PARAMS.get(name)
    if known is None:
        return True
    return isinstance(params, dict) and all(key in known and _usable(known[key], value) for key, value in params.items())


def _usable(form: str, value: Any) -> bool:
    if form == "flag":
        return isinstance(value, bool)
    return kind(value) == "number" and 0 <= value < (float("inf") if form == "amount" else 1.0000001)


def _weight(value: Any) -> Fraction:
    if value is None:
        return Fraction(1)
    if kind(value) != "number" or value < 0:
        raise Refused("weight")
    return Fraction(str(value))


def branches(root: Any, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a value may be besides null, when that is several things, each as a schema of its own."""
    listed = schema.get("anyOf") or schema.get("oneOf")
    own = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "evaluation_config")}
    if listed:
        found = [{**own, **full(root, one)} for one in listed]
    elif isinstance(schema.get("type"), list):
        found = [{**own, "type": name} for name in schema["type"]]
    else:
        return []
    return [one for one in found if one.get("type") != "null"]


def way(root: Any, schema: dict[str, Any]) -> tuple[str, dict[str, Any], tuple[Metric, ...]]:
    """How a place is compared: skip, unit, object, array or choice; with the schema that says so."""
    words = asked(schema)
    metrics = words[0] if words else None
    if metrics == ():
        return "skip", schema, ()
    several = branches(root, schema)
    if len(several) == 1:
        only = {**several[0], **({"evaluation_config": schema["evaluation_config"]} if words else {})}
        return way(root, {**only, "nullable": True})
    shape = _shape(schema)
    if metrics and not (metrics[0].name == "array_llm" and (shape == "array" or several)):
        return "unit", schema, tuple(_named(one, schema, metrics) for one in metrics)
    if several:
        if metrics:
            several = [{**one, "evaluation_config": "array_llm"} if _shape(one) == "array" else one for one in several]
        ways = [way(root, one) for one in several]
        first = ways[0][2]
        if ways[0][0] == "unit" and len(first) == 1 and all(one[0] == "unit" and one[2] == first for one in ways):
            return "unit", schema, first
        return "choice", {**schema, "branches": several}, ()
    if shape in LOOKED_INTO:
        return shape, schema, ()
    name = BY_TYPE.get(next(iter(types(schema)), ""), "exact")
    return "unit", schema, (Metric(name, {}, Fraction(1)),)


def _shape(schema: Mapping[str, Any]) -> str:
    names = [name for name in types(schema) if name != "null"]
    if len(names) == 1:
        return names[0]
    if not names and ("properties" in schema or isinstance(schema.get("additionalProperties"), dict)):
        return "object"
    return "array" if not names and "items" in schema else ""


def _named(one: Metric, schema: Mapping[str, Any], metrics: tuple[Metric, ...]) -> Metric:
    address = len(metrics) == 1 and one.name == "string_exact" and schema.get("format") in ("uri", "url", "iri")
    return Metric("string_url", {}, one.weight) if address else one


# The documents


def look(
    root: Any, schema: Any, ours: Any, theirs: Any, path: str, weight: Fraction, beside: Sequence[Any] = ()
) -> Iterator[Found]:
    """The results of a place, with those below it.

    `beside`: in an item without a partner, what the expected items of the list have there.
    """
    if ours is MISSING and theirs is MISSING:
        return
    schema = full(root, schema)
    how, schema, metrics = way(root, schema)
    words = asked(schema)
    weight *= words[1] if words else 1
    if how == "skip":
        return
    if how == "unit":
        text = not _all_types(root, schema) or "string" in _all_types(root, schema)
        for metric in metrics:
            yield _unit(metric, text, ours, theirs, path, weight * metric.weight)
    elif how == "choice":
        yield from _best(root, schema, ours, theirs, path, weight, beside)
    else:
        results = list(_container(root, schema, how, ours, theirs, path, weight, beside))
        yield from _as_one(results, ours, theirs, path, weight) if how == "array" else results


def _all_types(root: Any, schema: Mapping[str, Any]) -> set[str]:
    several = branches(root, schema)
    return {name for one in several for name in _all_types(root, one)} if several else set(types(schema)) - {"null"}


def _unit(metric: Metric, text: bool, ours: Any, theirs: Any, path: str, weight: Fraction) -> Found:
    status, score = OMISSION if theirs is MISSING else HALLUCINATION if ours is MISSING else "", Fraction(0)
    if not status:
        score, passed = (Fraction(1), True) if equal(ours, theirs) else compared(metric, text, ours, theirs)
        status = MATCH if passed else MISMATCH
    return Found(path, metric.name, status, score, weight)


def _container(
    root: Any,
    schema: Mapping[str, Any],
    how: str,
    ours: Any,
    theirs: Any,
    path: str,
    weight: Fraction,
    beside: Sequence[Any],
) -> Iterator[Found]:
    def own(status: str) -> Found:
        return Found(path, "", status, Fraction(int(status == MATCH)), weight)

    declared = dict if how == "object" else list
    is_full = [isinstance(side, declared) and bool(side) for side in (ours, theirs)]
    other = [side is not MISSING and side is not None and not isinstance(side, declared) for side in (ours, theirs)]
    bare = [side in ({}, []) for side in (ours, theirs)]
    if any(is_full) and (bare[0] or not other[0]):
        results = list(_below(root, schema, how, ours, theirs, path, weight, beside))
        yield from results
        if (other[1] and not bare[1]) or (ours is None and not _measured(results)):
            yield own(HALLUCINATION)
    elif (bare[0] or ours is MISSING or ours is None) and other[1] and isinstance(theirs, (dict, list)) and theirs:
        yield from (Found(path, "", HALLUCINATION, Fraction(0), entry=False) for _ in leaves(theirs))
    elif other[0]:
        yield own(OMISSION if theirs is MISSING or theirs is None else MATCH if equal(ours, theirs) else MISMATCH)
    elif ours is MISSING or (ours is None and theirs is not None and theirs is not MISSING):
        yield own(HALLUCINATION)
    elif theirs is MISSING or (theirs is None and ours is not None):
        yield own(OMISSION)
    elif path == "$" and ours == theirs == {}:
        return
    else:
        yield own(MISMATCH if other[1] else MATCH)


def _below(
    root: Any,
    schema: Mapping[str, Any],
    how: str,
    ours: Any,
    theirs: Any,
    path: str,
    weight: Fraction,
    beside: Sequence[Any],
) -> Iterator[Found]:
    if how == "array":
        yield from _items(root, schema, ours, theirs, path, weight, beside)
        return
    ours, theirs = (side if isinstance(side, dict) else {} for side in (ours, theirs))
    declared = _declared(schema)
    for key, inner in declared.items():
        sides = ours.get(key, MISSING), theirs.get(key, MISSING)
        yield from look(root, inner, *sides, f"{path}.properties.{key}", weight, _under(beside, key))
    others = schema.get("additionalProperties")
    for key in sorted((ours.keys() | theirs.keys()) - declared.keys()):
        place = f"{path}.properties.{key}"
        if not (isinstance(others, dict) and others):
            known = key in ours or _under(beside, key)
            statuses = [OUTSIDE] if known else [HALLUCINATION for _ in leaves(theirs[key])]
            yield from (Found(place, "", status, Fraction(0), entry=False) for status in statuses)
        else:
            yield from look(
                root, others, ours.get(key, MISSING), theirs.get(key, MISSING), place, weight, _under(beside, key)
            )


def _under(beside: Sequence[Any], key: str) -> list[Any]:
    return [each[key] for each in beside if isinstance(each, dict) and key in each]


def _items(
    root: Any, schema: Mapping[str, Any], ours: Any, theirs: Any, path: str, weight: Fraction, beside: Sequence[Any]
) -> Iterator[Found]:
    inner, place = schema.get("items") or {}, f"{path}.items"
    ours, theirs = (side if isinstance(side, list) else [] for side in (ours, theirs))
    beside = [*ours, *(inner for each in beside if isinstance(each, list) for inner in each)]
    best: list[list[Found]] = []
    right, whole, most = 0, 0, (-1, Fraction(0), 0, 0)
    for chosen in sorted(set(permutations([*range(len(theirs)), *[-1] * len(ours)], len(ours))), key=_alone_last):
        partners = [MISSING if column < 0 else theirs[column] for column in chosen]
        pairs = [
            list(look(root, inner, item, partner, f"{place} {row}", weight))
            for row, (item, partner) in enumerate(zip(ours, partners, strict=True))
        ]
        sides = [(pair, item, partner) for pair, item, partner in zip(pairs, ours, partners, strict=True)]
        gains = [_gain(*one) for one in sides if one[2] is not MISSING]
        alike = sum(partner is not MISSING and equal(item, partner) for _, item, partner in sides)
        apart = sum(abs(row - column) for row, column in enumerate(chosen) if column >= 0)
        rank = gains.count(Fraction(1)), Fraction(sum(gains)), alike, -apart
        if 0 not in gains and rank > most:
            most, right, whole = rank, sum(map(_right, pairs)), sum(1 for pair in pairs if _measured(pair))
            alone = [at for at in range(len(theirs)) if at not in chosen]
            lone = (list(look(root, inner, MISSING, theirs[at], f"{place} +{at}", weight, beside)) for at in alone)
            best = [*pairs, *lone]
    yield Found(path, "items", COUNTED, Fraction(right), items=whole, entry=False)
    yield from (one for pair in best for one in pair)


def _alone_last(chosen: tuple[int, ...]) -> list[tuple[bool, int]]:
    return [(column < 0, column) for column in chosen]


def _right(pair: list[Found]) -> bool:
    """The pair matches as a whole."""
    return {one.status for one in _measured(pair)} == {MATCH}


def _gain(pair: list[Found], ours: Any, theirs: Any) -> Fraction:
    f1 = _f1(pair)
    return f1 if f1 is not None else Fraction(int(equal(ours, theirs)))


def _f1(results: list[Found]) -> Fraction | None:
    counts = Counter(_units(results))
    whole = 2 * counts[MATCH] + 2 * counts[MISMATCH] + counts[OMISSION] + counts[HALLUCINATION]
    return Fraction(2 * counts[MATCH], whole) if whole else None


def _units(results: list[Found]) -> Iterator[str]:
    """The statuses of units: the metrics of one place are one, which matches when all of them do."""
    by_place: dict[Any, list[str]] = {}
    for number, one in enumerate(_measured(results)):
        by_place.setdefault(one.path if one.metric else number, []).append(one.status)
    for statuses in by_place.values():
        yield statuses[0] if len(set(statuses)) == 1 else MISMATCH


def _as_one(results: list[Found], ours: Any, theirs: Any, path: str, weight: Fraction) -> Iterator[Found]:
    """The results of a list as one entry, with what it is made of beside it."""
    counted = next((one for one in results if one.path == path and one.status == COUNTED), None)
    inner = [one for one in results if one is not counted]
    measured = _measured(inner)
    if not measured:
        return
    whole = counted.items if counted else len(ours) if isinstance(ours, list) else 0
    right = counted.score if counted else Fraction(0)
    alike = not whole and any(one.path == path and one.status == MATCH for one in measured) and _nothing_in(ours, theirs)
    score = Fraction(right, whole) if whole else Fraction(int(alike))
    yield Found(path, "array", WHOLE, score, weight, max(1, whole))
    yield from (Found(one.path, one.metric, one.status, one.score, one.weight, one.items, entry=False) for one in inner)


def _measured(results: list[Found]) -> list[Found]:
    return [one for one in results if one.status not in (COUNTED, WHOLE, OUTSIDE)]


def _nothing_in(ours: Any, theirs: Any) -> bool:
    return not (isinstance(ours, list) and ours) and not (isinstance(theirs, list) and theirs)


def _best(
    root: Any, schema: Mapping[str, Any], ours: Any, theirs: Any, path: str, weight: Fraction, beside: Sequence[Any]
) -> list[Found]:
    value = theirs if ours is MISSING or ours is None else ours
    wanted = {"object": "object", "list": "array"}.get(kind(value), "leaf")
    several = schema["branches"]
    fitting = [one for one in several if _form(root, one) in (wanted, "choice")] or several
    if isinstance(ours, dict):
        lacking = [_lacking(root, one, ours) for one in fitting]
        fitting = [one for one, lacks in zip(fitting, lacking, strict=True) if lacks == min(lacking)]
    found = [list(look(root, one, ours, theirs, path, weight, beside)) for one in fitting]

    def fit(results: list[Found]) -> tuple[int, bool, Fraction, int]:
        unseen = sum(one.status == OUTSIDE for one in results)
        return (
            -unseen,
            any(True for _ in _units(results)),
            _f1(results) or Fraction(0),
            -sum(status != MATCH for status in _units(results)),
        )

    return max(found, key=fit)


def _lacking(root: Any, schema: dict[str, Any], ours: Mapping[str, Any]) -> int:
    """How many keys of an object a branch does not know."""
    how, schema, _ = way(root, schema)
    if how == "choice":
        return min(_lacking(root, one, ours) for one in schema["branches"])
    if how in ("unit", "skip") or schema.get("additionalProperties"):
        return 0
    return len(ours.keys() - _declared(schema).keys())


def _form(root: Any, schema: dict[str, Any]) -> str:
    """What a branch is, whatever compares it."""
    how, schema, _ = way(root, schema)
    if how == "choice":
        return how
    return _shape(schema) if _shape(schema) in LOOKED_INTO and not branches(root, schema) else "leaf"


# The comparators


def compared(metric: Metric, text: bool, ours: Any, theirs: Any) -> tuple[Fraction, bool]:
    """What a metric gives two values that are not equal."""
    if metric.name == "string_fuzzy" and isinstance(ours, str) and isinstance(theirs, str):
        return _alike(metric, ours, theirs)
    passed = False
    if metric.name == "string_case_insensitive":
        passed = equal(_folded(ours), _folded(theirs))
    elif metric.name == "string_url":
        passed = isinstance(ours, str) and isinstance(theirs, str) and _address(ours) == _address(theirs)
    elif metric.name in ("number_exact", "integer_exact", "number_tolerance"):
        left, right = (_number(side, metric.params.get("parse", text)) for side in (ours, theirs))
        most = Fraction(str(metric.params.get("tolerance", 0.001))) if metric.name == "number_tolerance" else 0
        passed = left is not None and right is not None and abs(left - right) <= most
    return Fraction(int(passed)), passed


def _alike(metric: Metric, ours: str, theirs: str) -> tuple[Fraction, bool]:
    if not metric.params.get("case_sensitive", False):
        ours, theirs = ours.casefold(), theirs.casefold()
    longest = max(len(ours), len(theirs))
    share = 1 - Fraction(_edits(ours, theirs), longest) if longest else Fraction(1)
    return share, share >= Fraction(str(metric.params.get("threshold", 0.8)))


def _edits(ours: str, theirs: str) -> int:
    row = list(range(len(theirs) + 1))
    for at, left in enumerate(ours, 1):
        above, row = row, [at]
        for number, right in enumerate(theirs, 1):
            row.append(min(above[number] + 1, row[-1] + 1, above[number - 1] + (left != right)))
    return row[-1]


def _folded(value: Any) -> Any:
    if isinstance(value, list):
        return [_folded(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _folded(inner) for key, inner in value.items()}
    return value.casefold() if isinstance(value, str) else value


def _address(text: str) -> str:
    found = re.sub(r"^(https?:)?//", "", text.strip().casefold())
    return re.sub(r"/+(?=$|[?#])", "", found.removeprefix("www."))


def _number(value: Any, text: bool) -> Fraction | None:
    if kind(value) == "number":
        return Fraction(repr(value)) if isfinite(value) else None
    plain = isinstance(value, str) and re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", value.strip(), re.I | re.A)
    return Fraction(str(float(value)) if "e" in value.lower() else value.strip()) if text and plain else None
