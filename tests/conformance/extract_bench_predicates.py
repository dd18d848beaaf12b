"""What the divergences of extract-bench ask about: its schemas, the documents, and the reasons that it gave.

Most predicates look at *spots*: every place of a schema with what both documents have there. Below a list there is
nothing, as in extract-bench itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final

from evaluators.model.rows import MISSING
from evaluators.scoring.values.equality import json_equal
from tests.conformance.cases import Case
from tests.conformance.values import kind

FLAG: Final = -1.0
PRESETS: Final = (
    "string_exact", "string_fuzzy", "string_case_insensitive", "string_llm", "string_semantic", "number_exact",
    "number_tolerance", "integer_exact", "boolean_exact", "array_llm", "skip",
)  # fmt: skip
PARAMS: Final[Mapping[str, Mapping[str, float]]] = {
    "string_fuzzy": {"threshold": 1, "case_sensitive": FLAG},
    "number_tolerance": {"tolerance": inf, "parse": FLAG},
    "number_exact": {"parse": FLAG},
    "integer_exact": {"parse": FLAG},
    **{name: {} for name in ("exact", "string_exact", "boolean_exact", "string_case_insensitive", "string_url")},
}
"""The parameters of a metric, each with the largest number that it can be, or `FLAG`."""
BY_TYPE: Final = {"number": "number_tolerance", "integer": "integer_exact", "boolean": "boolean_exact"}
NUMERIC: Final = ("number_exact", "number_tolerance", "integer_exact")
TEXTUAL: Final = ("string_exact", "string_case_insensitive", "string_fuzzy", "string_url")
NOTHING: Final[tuple[Any, ...]] = (MISSING, None, [])
SAFE: Final = 2**53


@dataclass(frozen=True)
class Spot:
    """One place of a schema: what is written there, with its references filled in, and what both documents have."""

    written: Mapping[str, Any]
    schema: Mapping[str, Any]
    ours: Any
    theirs: Any
    unused: bool = False
    """It is below a place that is skipped, or is a branch of one that has a config of its own."""

    @property
    def config(self) -> Any:
        return self.schema.get("evaluation_config")

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are named, or the type's own."""
        if isinstance(self.config, str):
            return () if self.config == "skip" else (self.config,)
        listed = tuple(str(one.get("metric_id")) for one in named(self))
        return listed or tuple(BY_TYPE[name] for name in types_of(self.schema) if name in BY_TYPE)

    @property
    def both(self) -> bool:
        """There is a value on both sides."""
        return all(side is not MISSING and side is not None for side in (self.ours, self.theirs))

    @property
    def fields_below(self) -> bool:
        """Something below is compared by words of its own or by its type."""
        return bool(self.schema.get("properties")) or _says(self.schema.get("items"))


def _says(items: Any) -> bool:
    return isinstance(items, dict) and items.get("evaluation_config") not in ("skip", {})


def types_of(schema: Mapping[str, Any]) -> list[str]:
    declared = schema.get("type", [])
    return declared if isinstance(declared, list) else [declared]


def spots(case: Case) -> Iterator[Spot]:
    """Every place of the case's schema, the root first."""
    root = case.settings["schema"]
    waiting: list[tuple[Any, Any, Any, int, bool]] = [(root, case.expected, case.output, 0, False)]
    while waiting:
        written, ours, theirs, depth, unused = waiting.pop(0)
        if not isinstance(written, dict) or depth > 12:
            continue
        schema = schema_of(root, written)
        yield Spot(written, schema, ours, theirs, unused)
        config = schema.get("evaluation_config")
        unused = unused or config in ("skip", {}, {"metrics": []}) or (config is not None and bool(branches(schema)))
        properties = schema.get("properties")
        for key, inner in properties.items() if isinstance(properties, dict) else ():
            waiting.append((inner, key_of(ours, key), key_of(theirs, key), depth + 1, unused))
        for inner in (schema.get("items"), schema.get("additionalProperties")):
            waiting.append((inner, MISSING, MISSING, depth + 1, unused))
        sides = (ours, theirs) if schema.get("evaluation_config") is None else (MISSING, MISSING)
        waiting.extend((inner, *sides, depth + 1, unused) for inner in branches(schema))


def schema_of(root: Any, schema: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The schema with its reference filled in; what stands beside it wins."""
    target = root if "$ref" in schema and depth < 20 else {}
    for step in str(schema.get("$ref", "")).split("/")[1:]:
        target = target.get(step, {}) if isinstance(target, dict) else {}
    filled = schema_of(root, target, depth + 1) if isinstance(target, dict) and target else {}
    return {**filled, **{key: value for key, value in schema.items() if key != "$ref"}}


def branches(schema: Mapping[str, Any]) -> list[Any]:
    found = schema.get("anyOf") or schema.get("oneOf") or []
    return found if isinstance(found, list) else []


def key_of(side: Any, key: str) -> Any:
    return side.get(key, MISSING) if isinstance(side, dict) else MISSING


# What the schema says


def named(spot: Spot) -> list[dict[str, Any]]:
    config = spot.config
    listed = config.get("metrics") if isinstance(config, dict) else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def params_unusable(spot: Spot) -> bool:
    """A metric has a parameter that it does not know or cannot use, or a weight that is none."""
    weights = [one.get("weight", 1) for one in named(spot)]
    weights += [spot.config.get("aggregation_weight", 1)] if isinstance(spot.config, dict) else []
    unusable = any(not _usable(str(one.get("metric_id")), one.get("params") or {}) for one in named(spot))
    no_weight = any(weight is not None and (kind(weight) != "number" or weight < 0) for weight in weights)
    return not spot.unused and (unusable or no_weight)


def _usable(metric: str, params: Any) -> bool:
    """The metric has these parameters, and can use their values."""
    known = PARAMS.get(metric)
    if known is None or not isinstance(params, dict):
        return known is None
    return all(name in known and _fits(known[name], value) for name, value in params.items())


def _fits(most: float, value: Any) -> bool:
    return isinstance(value, bool) if most == FLAG else kind(value) == "number" and 0 <= value <= most and value != inf


def metric_unclear(spot: Spot) -> bool:
    """A metric is named twice, or there is none of that name."""
    names = [str(one.get("metric_id")) for one in named(spot)]
    unknown = any(name not in PARAMS and name not in PRESETS for name in names)
    return not spot.unused and (unknown or len(set(names)) < len(names))


def comparator_as_preset(spot: Spot) -> bool:
    """The config is a word of ours that is no preset of theirs."""
    return isinstance(spot.config, str) and spot.config in PARAMS and spot.config not in PRESETS


def skip_above_fields(spot: Spot) -> bool:
    """An object or a list is skipped, and what stands below it is not."""
    return spot.config in ("skip", {}) and spot.config is not None and (spot.fields_below or bool(branches(spot.schema)))


def metric_above_fields(spot: Spot) -> bool:
    """An object or a list has a metric, and what stands below it is compared too."""
    return bool(spot.config) and spot.config != "skip" and spot.fields_below and "array_llm" not in spot.metrics


def choice_without_config(spot: Spot) -> bool:
    """A value of several types has no config of its own."""
    several = bool(branches(spot.schema)) or isinstance(spot.schema.get("type"), list)
    return several and spot.config is None


def null_without_config(spot: Spot) -> bool:
    """A field whose type is null has no config."""
    return spot.schema.get("type") == "null" and spot.config is None and spot.ours is not MISSING


def config_beside_reference(spot: Spot) -> bool:
    """A config stands beside a reference."""
    return "$ref" in spot.written and "evaluation_config" in spot.written


def weighed(spot: Spot) -> bool:
    """A weight other than 1 is given."""
    given = [one.get("weight", 1) for one in named(spot)]
    given += [spot.config.get("aggregation_weight", 1)] if isinstance(spot.config, dict) else []
    return any(weight not in (1, None) for weight in given)


def weight_alone(spot: Spot) -> bool:
    """The config gives a weight and no metric."""
    return isinstance(spot.config, dict) and bool(spot.config) and "metrics" not in spot.config


def address_as_text(spot: Spot) -> bool:
    """A text is an address by its format, and is to be the same text."""
    return spot.schema.get("format") in ("uri", "url", "iri") and spot.metrics == ("string_exact",)


# What the documents have


def empty_object(spot: Spot) -> bool:
    """An object of which the schema names no key is expected to be empty."""
    return spot.schema.get("type") == "object" and not spot.schema.get("properties") and spot.ours == {}


def further_keys(spot: Spot) -> bool:
    """Keys that the schema does not name are compared with a schema of their own, and there are some."""
    sides = [side for side in (spot.ours, spot.theirs) if isinstance(side, dict)]
    keys = (spot.schema.get("properties") or {}).keys()
    return isinstance(spot.schema.get("additionalProperties"), dict) and any(side.keys() - keys for side in sides)


def two_kinds_of_nothing(spot: Spot) -> bool:
    """One side is missing, null or an empty list, and the other is another of these."""
    sides = [spot.ours, spot.theirs]
    return all(side in NOTHING for side in sides) and not json_equal(*sides)


def numeric_on_others(spot: Spot) -> bool:
    """A metric of numbers meets something else than a finite number."""
    of_numbers = any(name in NUMERIC for name in spot.metrics)
    return of_numbers and spot.both and not (_finite(spot.ours) and _finite(spot.theirs))


def _finite(value: Any) -> bool:
    return kind(value) == "number" and isfinite(value)


def _both_finite(spot: Spot, metric: str) -> bool:
    return metric in spot.metrics and _finite(spot.ours) and _finite(spot.theirs)


def decimals_cut_off(spot: Spot) -> bool:
    """A metric of whole numbers meets a number with decimals."""
    return _both_finite(spot, "integer_exact") and any(side != int(side) for side in (spot.ours, spot.theirs))


def beyond_floats(spot: Spot) -> bool:
    """A metric of numbers meets whole numbers that a float cannot hold."""
    numbers = any(_both_finite(spot, metric) for metric in NUMERIC)
    return numbers and any(isinstance(side, int) and abs(side) > SAFE for side in (spot.ours, spot.theirs))


def near_a_tolerance(spot: Spot) -> bool:
    """Two numbers that are not equal are compared with a tolerance."""
    return _both_finite(spot, "number_tolerance") and spot.ours != spot.theirs


def nearly_alike(spot: Spot) -> bool:
    """Two texts that are not equal are compared by how alike they are."""
    return "string_fuzzy" in spot.metrics and kind(spot.ours) == kind(spot.theirs) == "text" and spot.ours != spot.theirs


def textual_on_others(spot: Spot) -> bool:
    """A metric of texts meets two values that are not both text."""
    of_texts = any(name in TEXTUAL for name in spot.metrics)
    return of_texts and spot.both and {kind(spot.ours), kind(spot.theirs)} != {"text"}


def boolean_on_others(spot: Spot) -> bool:
    """A metric of booleans meets two values that are not both boolean."""
    return "boolean_exact" in spot.metrics and spot.both and {kind(spot.ours), kind(spot.theirs)} != {"boolean"}


def boolean_as_number(spot: Spot) -> bool:
    """A metric of numbers meets a boolean."""
    return any(name in NUMERIC for name in spot.metrics) and "boolean" in (kind(spot.ours), kind(spot.theirs))


# What was recorded


def _rows(case: Case) -> Iterator[tuple[str, Any]]:
    told = case.line.get("expected") or {}
    for path, metrics in told.get("results", {}).items():
        if "anyOf[" not in path:
            yield from ((path, result["details"].get("reason")) for result in metrics.values())


def reason_given(case: Case, asked_for: Any) -> bool:
    """One of these reasons was given for a place."""
    wanted = asked_for if isinstance(asked_for, list) else [asked_for]
    return any(reason in wanted for _, reason in _rows(case))


def free_pass(case: Case) -> bool:
    """A place passed that was not looked at: in a list, in further keys, or below an object that is null."""
    return any(
        str(reason).startswith("both_") and (_below_a_list(path) or _below_null(case, path))
        for path, reason in _rows(case)
    )


def _below_a_list(path: str) -> bool:
    return re.search(r"\.(items|additionalProperties)(\.|$)", path.replace(".properties.items", "")) is not None


def _below_null(case: Case, path: str) -> bool:
    sides = [case.expected, case.output]
    for key in path.split(".properties.")[1:]:
        if any(side is None for side in sides):
            return True
        sides = [key_of(side, key) for side in sides]
    return False


def no_rows(case: Case) -> bool:
    """Nothing was scored."""
    return case.recorded.blame is None and not any(True for _ in _rows(case))


def recorded_blame(case: Case, asked_for: Any) -> bool:
    """An error was raised, and it is about this."""
    return case.recorded.blame in (asked_for if isinstance(asked_for, list) else [asked_for])
