"""Our answers to extract-bench's cases, worked out place by place: what each metric says of two values, and their weighted mean.

Lists that are compared item by item, choices without a metric of their own, further keys and addresses are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from rapidfuzz.distance import Levenshtein

from evaluators.model.rows import MISSING
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import NotJSON, parse
from tests.conformance.cases import Answer, Case
from tests.conformance.extract_bench_predicates import (
    NUMERIC,
    Spot,
    branches,
    key_of,
    named,
    schema_of,
    spots,
    types_of,
)
from tests.conformance.values import kind, walk

SKIPPED: Final[tuple[Any, ...]] = ("skip", {}, {"metrics": []})
BY_TYPE: Final = {"number": "number_tolerance", "integer": "integer_exact", "string": "string_exact"}


class NotHereError(Exception):
    """The answer to such a place is not worked out here."""


def worked_out(case: Case) -> Answer | None:
    """The score of the case's fields; None where a place is left out here."""
    root = case.settings["schema"]
    if not all(_config_fits(spot) for spot in spots(case)):
        return Answer(blame="config")
    try:
        measured = list(_measured(root, Spot(root, schema_of(root, root), case.expected, case.output)))
    except NotHereError:
        return None
    if not measured:
        places = [{place for place, _ in walk(side)} for side in (case.output, case.expected)]
        return Answer() if places[0] <= places[1] else None  # what only the output has counts, but where it is skipped
    return Answer(_mean(measured))


def _config_fits(spot: Spot) -> bool:
    """The config is a word or a map, and its metrics have no keys of which neither system knows."""
    known = all(one.keys() <= {"metric_id", "params", "weight"} for one in named(spot))
    return known and kind(spot.config) in ("null", "text", "object")


def _mean(measured: list[tuple[float, float]]) -> float:
    """The mean of scores by their weights."""
    whole = sum(weight for weight, _ in measured)
    return sum(weight * score for weight, score in measured) / whole if whole else 0.0


def _measured(root: Any, spot: Spot) -> Iterator[tuple[float, float]]:
    """The weight and the score of each result at a place and below it."""
    config, properties = spot.config, spot.schema.get("properties")
    if config in SKIPPED and config is not None:
        return
    metrics = [(str(one.get("metric_id")), one.get("params") or {}, one.get("weight") or 1) for one in named(spot)]
    metrics = [(config, {"preset": True}, 1)] if isinstance(config, str) else metrics
    if not metrics and (choices := _choices(root, spot)):
        yield from max((list(_measured(root, one)) for one in choices), key=_mean)
        return
    container = bool(properties) or "items" in spot.schema or bool(branches(spot.schema))
    if not metrics and (
        container or isinstance(spot.schema.get("additionalProperties"), dict) or len(types_of(spot.schema)) != 1
    ):
        yield from _below(root, spot)
        return
    if not metrics and spot.schema.get("type") == "object":
        if spot.ours == {}:
            yield from [] if isinstance(spot.theirs, dict) and spot.theirs else [(1, float(spot.theirs == {}))]
        elif {kind(spot.ours), kind(spot.theirs)} == {"null", "nothing"}:
            yield 1, 0.0
        elif spot.ours is not MISSING and {kind(spot.ours), kind(spot.theirs)} != {"object"}:
            raise NotHereError
        return
    if spot.ours is MISSING and spot.theirs is MISSING:
        return
    weight = config.get("aggregation_weight") if isinstance(config, dict) else None
    share = 1 if weight is None else weight
    for metric, params, own in metrics or [(BY_TYPE.get(types_of(spot.schema)[0], "exact"), {"preset": True}, 1)]:
        yield share * own, _score(metric, params, spot)


def _choices(root: Any, spot: Spot) -> list[Spot]:
    """The place under each of its branches, or types, that are plain values; null is none."""
    types = types_of(spot.schema)
    listed = branches(spot.schema) or ([{**spot.schema, "type": one} for one in types] if len(types) > 1 else [])
    schemas = [schema for written in listed if types_of(schema := schema_of(root, written)) != ["null"]]
    if any(schema.get("type") not in ("string", "number", "integer", "boolean") for schema in schemas):
        raise NotHereError
    return [Spot(schema, schema, spot.ours, spot.theirs) for schema in schemas]


def _below(root: Any, spot: Spot) -> Iterator[tuple[float, float]]:
    """The results of the keys of an object. Null has none of them."""
    plain = types_of(spot.schema) in (["object"], []) and not branches(spot.schema) and "items" not in spot.schema
    sides = [side for side in (spot.ours, spot.theirs) if side is not MISSING]
    plain = plain and "properties" in spot.schema and not isinstance(spot.schema.get("additionalProperties"), dict)
    if not plain or not all(isinstance(side, dict) or side is None for side in sides):
        raise NotHereError
    properties = spot.schema.get("properties") or {}
    if None in sides and not any(isinstance(side, dict) and side.keys() & properties.keys() for side in sides):
        raise NotHereError
    for key, written in properties.items():
        inner = Spot(written, schema_of(root, written), key_of(spot.ours, key), key_of(spot.theirs, key))
        yield from _measured(root, inner)


def _score(metric: str, params: dict[str, Any], spot: Spot) -> float:
    sides = (spot.ours, spot.theirs)
    if metric.endswith(("_llm", "_semantic", "_url")) or spot.schema.get("format") in ("uri", "url", "iri"):
        raise NotHereError
    if metric in NUMERIC:
        inner = [one for schema in (spot.schema, *branches(spot.schema)) for one in types_of(schema)]
        as_they_are = params.get("parse") is False or "string" not in inner
        return _numbers(metric, params, *(side if as_they_are else _number(side) for side in sides))
    texts = all(isinstance(side, str) for side in sides)
    if not texts or metric in ("exact", "string_exact", "boolean_exact"):
        return float(json_equal(*sides))
    if metric == "string_case_insensitive":
        return float(spot.ours.casefold() == spot.theirs.casefold())
    folded = sides if params.get("case_sensitive") is True else tuple(side.casefold() for side in sides)
    return float(1 - Levenshtein.normalized_distance(*folded))


def _number(side: Any) -> Any:
    """The number that a text is as JSON writes numbers; anything else as it is."""
    try:
        read = parse(side) if isinstance(side, str) else side
    except NotJSON:
        return side
    return read if kind(read) == "number" else side


def _numbers(metric: str, params: dict[str, Any], left: Any, right: Any) -> float:
    if metric == "number_tolerance" and kind(left) == kind(right) == "number":
        tolerance = Decimal(str(params.get("tolerance", 0.001)))
        return float(abs(Decimal(str(left)) - Decimal(str(right))) <= tolerance)
    return float(json_equal(left, right))
