"""The evaluation_config dialect: a JSON Schema that says of each field which metrics compare it.

A field that names no metric is compared as its type is: text by `string_semantic`, a number by `number_tolerance`, a
whole number by `integer_exact`, a boolean by `boolean_exact`, an object key by key. An array is aligned, and its items
are compared with their own metrics. `context["defaults"]` replaces these by JSON type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, Loc, spell, under
from evaluators.scoring.fields.lines import read_weight
from evaluators.scoring.fields.metrics import refuse_list_metric, resolve_alignment, resolve_metric
from evaluators.scoring.fields.named_comparators import OF_LISTS, NeedsJudge, refuse_answers
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.references import CHOICES, Placed, own_place, place_of
from evaluators.scoring.fields.schema_keywords import (
    ADDRESSES,
    EVALUATION_CONFIG,
    JSON_TYPES,
    OF_EVERY_BRANCH,
    SEVERAL,
    branches_of,
    copy_of,
    shape_of,
    types_of,
    unwrap,
    whole_branch,
)
from evaluators.scoring.fields.schema_parts import AskedMetric, SchemaReading, read_parts
from evaluators.scoring.fields.tree import ORDERED, FieldNode, Kind
from evaluators.scoring.judges.judged_comparator import JudgedComparator
from evaluators.scoring.values.paths import Path

OF_TYPES: Final[Mapping[str, str]] = {
    "string": "string_semantic",
    "number": "number_tolerance",
    "integer": "integer_exact",
    "boolean": "boolean_exact",
    "null": "exact",
}
"""What compares a value of a JSON type that names no metric. Objects and arrays are looked into."""
OF_ANYTHING: Final = "exact"
"""What compares a value whose type is not declared."""
NUMBERS: Final = ("number_exact", "number_tolerance", "integer_exact")
"""Comparators that read numbers in text, where the schema allows text."""
ALIGNED: Final = Align("hungarian")
_OF_A_VALUE: Final = frozenset(
    {"type", "properties", "items", "additionalProperties", "enum", "const", "$ref", EVALUATION_CONFIG, *CHOICES}
)
_ABOUT_FIELDS: Final = frozenset({"properties", "additionalProperties", "required", "items", "prefixItems"})
Found = TypeVar("Found")


def read_evaluation_config(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The tree of an evaluation_config schema.

    The context is the one of `fields:`: `comparators`, `defaults`, `fallback`, `judge`. Raises BadSettings with every
    problem, each with its place in the schema.
    """
    inner, loc = unwrap(schema)
    with under(*loc):
        return read_parts(inner, context or {}, _fill_part)


def _fill_part(reading: SchemaReading) -> None:
    """Fills the part of the tree that a schema describes (`reading.part`): its weight, kind and types, then its metrics, alignment or
    branches and what is below it. Of a schema that is skipped nothing further is read. Mistakes are added to `reading.details`."""
    _add_type_problems(reading)
    words = _own_words(reading)
    types = _types(reading.schema)
    reading.part.weight, reading.part.kind = words.weight, _kind(reading.schema)
    reading.part.shape = shape_of(reading.schema, types, "null" in types or reading.schema.get("nullable") is True)
    reading.part.skip = words.skip or (isinstance(reading.schema, Placed) and reading.schema.lost)
    if reading.part.skip:
        return
    if branches := _branches(reading.schema, reading.loc):
        _fill_choice(reading, words, branches)
    elif words.metrics is not None:
        _fill_with_metrics(reading, words.metrics)
    else:
        _fill_by_type(reading)


def _fill_by_type(reading: SchemaReading) -> None:
    """Fills the part of a schema that names no metric. It gets the suite's default for its type; without one, an object or a list is looked
    into, and any other value gets the usual comparator of its type."""
    types = _types(reading.schema)
    name = reading.part.kind if reading.part.kind != "leaf" else next(iter(types - {"null"}), "null")
    defaults: Mapping[str, Any] = reading.context.get("defaults") or {}
    if types and name in defaults:
        _fill_with_metrics(reading, (_default_metric(reading.schema, defaults[name]),))
    elif reading.part.kind != "leaf":
        reading.part.align = ALIGNED if reading.part.kind == "array" else ORDERED
        _read_below(reading, reading.idle)
    else:
        word = OF_TYPES[name] if types else OF_ANYTHING
        _fill_with_metrics(reading, (AskedMetric(word, loc=own_place(reading.schema, ())),))


def _fill_with_metrics(reading: SchemaReading, metrics: Sequence[AskedMetric]) -> None:
    """Fills the part of a schema with the metrics that are named for it, and with the schemas below it.

    Metrics compare the value as a whole, so what stands below is idle: it is read, but not compared. But a list whose metric is an
    alignment, such as `hungarian`, or has one as its fallback, is compared item by item: its part gets the alignment, and its weight is
    multiplied by that of the metric. A metric that cannot be read is noted as a problem, and no metric.
    """
    asked = tuple(_with_address_metric(each, reading.schema, len(metrics)) for each in metrics)
    if reading.part.kind == "array" and len(asked) == 1:
        align = _resolve_or_note(reading, asked[0], partial(resolve_alignment, asked[0].setting, reading.context))
        if align is not None:
            _read_below(reading, reading.idle)
            reading.part.align, reading.part.weight = align, reading.part.weight * asked[0].weight
            reading.part.fallback_for = OF_LISTS if asked[0].metric_id == OF_LISTS else None
            return
    _add_metrics(reading, asked, _types(reading.schema) or ({reading.part.kind} - {"leaf"}))
    _read_below(reading, reading.idle or bool(reading.part.metrics))


def _read_below(reading: SchemaReading, idle: bool) -> None:
    """Reads what stands below an object, key by key, or below a list. `idle`: it belongs to what is compared as a whole."""
    if reading.part.kind == "object":
        reading.read_keys(idle)
    elif reading.part.kind == "array":
        reading.read_items(reading.schema, idle)


def _branches(schema: Mapping[str, Any], loc: Loc) -> list[Mapping[str, Any]]:
    """The schemas of a value that may be of several kinds, each with the keywords beside the choice; none where there is no choice."""
    if listed := branches_of(schema, _OF_A_VALUE):
        made = {id(branch): whole_branch(branch, schema, OF_EVERY_BRANCH, loc) for branch in listed}
        return [made[id(branch)] for branch in listed]  # what is written once is read once
    types = sorted(_types(schema) - {"null"}, key=JSON_TYPES.index)
    if len(types) < 2 or not isinstance(schema.get("type"), list):
        return []
    return [_schema_of_type(schema, name, loc) for name in types]


def _schema_of_type(schema: Mapping[str, Any], name: str, loc: Loc) -> Placed:
    """A copy of a schema with several types that has just the type `name`."""
    without = {EVALUATION_CONFIG} if name in ("object", "array") else {EVALUATION_CONFIG, *_ABOUT_FIELDS}
    narrowed = copy_of(schema, loc, without)
    narrowed["type"] = name
    return narrowed


def _fill_choice(reading: SchemaReading, words: Words, branches: list[Mapping[str, Any]]) -> None:
    """Fills the part of a value of several types; `words` are what its schema says, and `branches` are the schemas of the types.

    It is one unit where the choice names a metric, the suite has a default for several types, or all branches ask for
    the same one; else a choice. A metric of whole lists for which an alignment stands in goes to the list
    branch alone.
    """
    reading.part.shape = replace(reading.part.shape, types=frozenset().union(*map(_types, branches)))
    several: Mapping[str, Any] = reading.context.get("defaults") or {}
    metrics = words.metrics
    if metrics is None and SEVERAL in several and _has_several_types(reading.part.shape.types, branches):
        metrics = (_default_metric(reading.schema, several[SEVERAL]),)
    if metrics is not None:
        if not _aligns_a_branch(reading, metrics, branches):
            _fill_as_one_value(reading, branches, metrics)
            return
        branches = [_with_list_metric(each, reading.schema) if _kind(each) == "array" else each for each in branches]
    known, reading.part.kind = len(reading.details), "choice"
    reading.part.branches = reading.read_branches(branches)
    inner = [each.asked for each in reading.part.branches]
    if inner[0] and all(len(each) == 1 and each[0].is_same_as(inner[0][0]) for each in inner):
        del reading.details[known:]  # read once more, as one unit
        reading.part.branches = ()
        _fill_as_one_value(reading, branches, inner[0])


def _fill_as_one_value(reading: SchemaReading, branches: list[Mapping[str, Any]], metrics: Sequence[AskedMetric]) -> None:
    """Fills the part of a value of several types, as one value that the metrics compare. Where a judge compares whole lists, the items of
    the first branch that is a list are read, too."""
    types = [_types(branch) or ({_kind(branch)} - {"leaf"}) for branch in branches]
    reading.part.kind = "leaf"
    _add_metrics(reading, metrics, frozenset().union(*types) if all(types) else ())
    lists = [branch for branch in branches if _kind(branch) == "array"]
    if lists and any(each.metric_id == OF_LISTS for each in reading.part.asked):
        reading.read_items(lists[0], reading.idle or bool(reading.part.metrics))


def _aligns_a_branch(reading: SchemaReading, metrics: Sequence[AskedMetric], branches: list[Mapping[str, Any]]) -> bool:
    """Whether the metric of a choice is an alignment, or has one as its fallback, and some branch is a list: only that branch is
    aligned."""
    if len(metrics) != 1 or "array" not in map(_kind, branches):
        return False
    return (
        _resolve_or_note(reading, metrics[0], partial(resolve_alignment, metrics[0].setting, reading.context)) is not None
    )


def _with_list_metric(branch: Mapping[str, Any], schema: Mapping[str, Any]) -> Placed:
    """A branch with the metric of whole lists that stands on its choice."""
    copied, config = copy_of(branch, ()), schema[EVALUATION_CONFIG]
    copied[EVALUATION_CONFIG] = {"metrics": config["metrics"]} if isinstance(config, Mapping) else config
    copied.written[EVALUATION_CONFIG] = place_of(schema, EVALUATION_CONFIG, ())
    return copied


def _has_several_types(types: frozenset[str], branches: list[Mapping[str, Any]]) -> bool:
    """Whether a value is plain, of more than one type, and no branch says how it is compared."""
    plain = all(_kind(branch) == "leaf" and not branch.keys() & {EVALUATION_CONFIG, "$ref"} for branch in branches)
    return plain and len(types - {"null"}) > 1 and types - {"null"} != {"integer", "number"}


def _own_words(reading: SchemaReading) -> Words:
    """What the `evaluation_config` of a schema says. What is wrong with it is added to the details, and the schema is skipped then."""
    if EVALUATION_CONFIG not in reading.schema:
        return NO_WORDS
    try:
        return read_words(reading.schema[EVALUATION_CONFIG], place_of(reading.schema, EVALUATION_CONFIG, reading.loc))
    except BadSettings as error:
        reading.details.extend(error.details)
        return Words(skip=True)


def _add_metrics(reading: SchemaReading, metrics: Sequence[AskedMetric], value_types: Collection[str]) -> None:
    """Adds to the part those of the metrics that can compare its values; why another cannot is noted in the details.

    `value_types` are the JSON types of the value, empty where they are not known; a metric of whole lists is refused where they are
    known and have no array.
    """
    for each in metrics:
        try:
            refuse_list_metric(each.metric_id, value_types, reading.context)
        except BadSettings as error:
            reading.details.extend(_detail_at_metric(detail, each) for detail in error.details)
            continue
        reading.part.asked = (*reading.part.asked, each)
        if (
            each.metric_id in NUMBERS
            and "parse" not in each.params
            and "string" in (reading.part.shape.types or {"string"})
        ):
            each = replace(each, params={**each.params, "parse": True})
        resolve = partial(resolve_metric, each.setting, reading.context, Path(reading.path).canonical, each.weight)
        metric = _resolve_or_note(reading, each, resolve)
        if metric is not None and len(metrics) > 1:
            _resolve_or_note(reading, each, partial(refuse_answers, metric.comparator, "beside other metrics"))
        if metric is not None and isinstance(metric.comparator, JudgedComparator):
            metric = replace(metric, comparator=metric.comparator.with_null_differing())
        reading.part.metrics += (metric,) if metric is not None else ()


def _resolve_or_note(reading: SchemaReading, metric: AskedMetric, resolve: Callable[[], Found]) -> Found | None:
    """The result of `resolve`; None where it raises BadSettings, whose details are then noted in the schema that is
    being read, at the place of the metric."""
    try:
        return resolve()
    except BadSettings as error:
        remaining = [detail for detail in error.details if not (reading.idle and isinstance(detail, NeedsJudge))]
        reading.details.extend(_detail_at_metric(detail, metric) for detail in remaining)
        return None


def _default_metric(schema: Mapping[str, Any], spelled: Any) -> AskedMetric:
    """The metric that the suite names as the default of a JSON type, as `spelled` there, with a schema of that type as its place."""
    word, params = next(iter(spelled.items())) if isinstance(spelled, Mapping) and spelled else (spelled, None)
    return AskedMetric(str(word), params or {}, loc=own_place(schema, ()))


def _with_address_metric(metric: AskedMetric, schema: Mapping[str, Any], metric_count: int) -> AskedMetric:
    """The metric of a value; for a web address whose only metric is `string_exact`, `string_url` takes its place. `metric_count` is how
    many metrics the value has."""
    address = metric_count == 1 and metric.metric_id == "string_exact" and schema.get("format") in ADDRESSES
    return replace(metric, metric_id="string_url") if address else metric


def _detail_at_metric(detail: Detail, metric: AskedMetric) -> Detail:
    """An error about a metric, with its path in the schema. Of a setting, `loc` begins with the metric's name."""
    if detail.loc[:1] == (metric.metric_id,):
        rest = detail.loc[1:]
        return replace(detail, loc=(*metric.params_loc, *rest) if rest else metric.loc)
    return replace(detail, loc=(*metric.loc, *detail.loc))


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    """The JSON types that a schema declares, null too, or those of the plain values that it lists."""
    types = types_of(schema)
    names = frozenset((*types.names, "null") if types.nullable else types.names)
    if "type" not in schema:
        return frozenset() if names & {"object", "array"} else names
    return names.intersection(JSON_TYPES)


def _kind(schema: Mapping[str, Any]) -> Kind:
    """The kind of a schema: `object`, `array`, or `leaf` for what is compared as it is."""
    types = _types(schema)
    if types:
        plain = types - {"null"}
        return "object" if plain == {"object"} else "array" if plain == {"array"} else "leaf"
    if "properties" in schema or isinstance(schema.get("additionalProperties"), Mapping):
        return "object"
    return "array" if "items" in schema else "leaf"


def _add_type_problems(reading: SchemaReading) -> None:
    """Adds a problem for each type that a schema declares and that JSON does not have."""
    declared = reading.schema.get("type")
    for name in declared if isinstance(declared, list) else [] if declared is None else [declared]:
        if name not in JSON_TYPES:
            message = f"type must name a JSON type; found {spell(name)}"
            hint = suggestion(str(name), JSON_TYPES) or f"known: {', '.join(JSON_TYPES)}"
            reading.details.append(Detail(place_of(reading.schema, "type", ()), message, hint, code="bad-schema"))


CONFIG_KEYS: Final = ("metrics", "aggregation_weight")
METRIC_KEYS: Final = ("metric_id", "params", "weight")
SKIP: Final = "skip"


class Words(Struct, frozen=True):
    """An `evaluation_config`, read. `metrics` is None where it names none: the type's own comparator is used."""

    metrics: tuple[AskedMetric, ...] | None = None
    weight: Fraction = Fraction(1)
    skip: bool = False


NO_WORDS: Final = Words()


def read_words(config: object, loc: Loc) -> Words:
    """The requests of an `evaluation_config`. Raises BadSettings with every problem and its place.

    An empty one skips the field, and so does an empty list of metrics.
    """
    if config is None:
        return NO_WORDS
    if isinstance(config, str):
        return Words(skip=True) if config == SKIP else Words((AskedMetric(config, loc=loc, params_loc=loc),))
    if not isinstance(config, Mapping):
        message = f"evaluation_config must be a word, or a map with metrics; found {spell(config)}"
        hint = 'write "evaluation_config": {"metrics": […]}' if isinstance(config, (list, tuple)) else None
        raise BadSettings([Detail(loc, message, hint)])
    details = [_unknown_key(key, loc, CONFIG_KEYS, "evaluation_config") for key in config if key not in CONFIG_KEYS]
    metrics: tuple[AskedMetric, ...] | None = None if config else ()
    if "metrics" in config:
        metrics = _read_metric_list(config["metrics"], (*loc, "metrics"), details)
    weight = _read_weight(config, "aggregation_weight", loc, details)
    if details:
        raise BadSettings(details)
    return Words(metrics or None, weight, skip=metrics == ())


def _read_metric_list(listed: object, loc: Loc, details: list[Detail]) -> tuple[AskedMetric, ...]:
    """The `metrics` of an evaluation_config, read; problems are added to `details`."""
    if not isinstance(listed, (list, tuple)):
        hint = 'write "metrics": [{"metric_id": "string_exact"}]'
        details.append(Detail(loc, f"metrics must be a list; found {spell(listed)}", hint))
        return ()
    metrics: list[AskedMetric] = []
    for index, item in enumerate(listed):
        metric = _read_metric(item, (*loc, index), details)
        if metric is None:
            continue
        if any(metric.metric_id == other.metric_id for other in metrics):
            message = f'metric "{metric.metric_id}" is named twice, and its results would have one name'
            details.append(Detail((*loc, index, "metric_id"), message, "keep one of them"))
        metrics.append(metric)
    return tuple(metrics)


def _read_metric(item: object, loc: Loc, details: list[Detail]) -> AskedMetric | None:
    """One of the `metrics`, read; None where it cannot be, and the problem is added to `details`."""
    if not isinstance(item, Mapping):
        hint = f'write {{"metric_id": "{item}"}}' if isinstance(item, str) else None
        details.append(Detail(loc, f'a metric must be a map with "metric_id"; found {spell(item)}', hint))
        return None
    details.extend(_misplaced_key(key, item, loc) for key in item if key not in METRIC_KEYS)
    weight = _read_weight(item, "weight", loc, details)
    params = item.get("params")
    if params is not None and not isinstance(params, Mapping):
        details.append(Detail((*loc, "params"), f"params must be a map; found {spell(params)}"))
        params = None
    name = item.get("metric_id")
    if not isinstance(name, str) or name == SKIP:
        fault = "is missing" if "metric_id" not in item else f"must name a comparator; found {spell(name)}"
        hint = 'write "evaluation_config": "skip" to leave the field out' if name == SKIP else None
        details.append(Detail((*loc, "metric_id") if "metric_id" in item else loc, f'"metric_id" {fault}', hint))
        return None
    return AskedMetric(name, params or {}, weight, (*loc, "metric_id"), (*loc, "params"))


def _misplaced_key(key: object, item: Mapping[str, Any], loc: Loc) -> Detail:
    """The problem of a key that no metric has: often a parameter that stands beside `params`, not in it."""
    unknown = _unknown_key(key, loc, METRIC_KEYS, "a metric")
    if unknown.hint is None or unknown.hint.startswith("known"):
        hint = f'parameters of the comparator go under "params": {{"{key}": …}}'
        return Detail(unknown.loc, unknown.message, hint, True, unknown.code)
    return unknown


def _unknown_key(key: object, loc: Loc, known: tuple[str, ...], noun: str) -> Detail:
    """The problem of a key that is none of the `known` ones; `noun` says of what."""
    hint = suggestion(str(key), known) or f"known: {', '.join(known)}"
    return Detail((*loc, str(key)), f'unknown key "{key}" for {noun}', hint, True, "unknown-setting")


def _read_weight(config: Mapping[str, Any], key: str, loc: Loc, details: list[Detail]) -> Fraction:
    """The weight under a key, 1 where there is none. A weight that cannot be used is added to `details`, and 1 is given for it."""
    if config.get(key) is None:
        return Fraction(1)
    try:
        return read_weight(config[key])
    except BadSettings as error:
        details.extend(Detail((*loc, key), detail.message, detail.hint) for detail in error.details)
        return Fraction(1)
