"""The evaluation_config dialect: a JSON Schema that says of each field which metrics compare it.

A field that names no metric is compared as its type is: text by `string_semantic`, a number by `number_tolerance`, a
whole number by `integer_exact`, a boolean by `boolean_exact`, an object key by key. An array is aligned, and its items
are compared with their own metrics. `context["defaults"]` replaces these by JSON type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from evaluators.fields.align import Align
from evaluators.fields.dialects import unwrap
from evaluators.fields.evaluation_words import NO_WORDS, AskedMetric, Words, read_words
from evaluators.fields.fallbacks import OF_LISTS, NeedsJudge
from evaluators.fields.metrics import refuse_list_metric, resolve_alignment, resolve_metric
from evaluators.fields.references import CHOICES, Placed, as_problems, own_place, place_of
from evaluators.fields.schema_parts import SchemaPart, SchemaReader, read_parts
from evaluators.fields.schema_types import (
    EVALUATION_CONFIG,
    JSON_TYPES,
    OF_EVERY_BRANCH,
    SEVERAL,
    branches_of,
    copy_of,
    shape_of,
    types_of,
    whole_branch,
)  # fmt: skip
from evaluators.fields.tree import ORDERED, FieldNode, Kind, SchemaPath
from evaluators.judges.judged_comparator import JudgedComparator
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, Loc, spell
from evaluators.value_class import replace as replaced
from evaluators.values.paths import Path

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
ADDRESSES: Final = ("uri", "url", "iri")
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
    try:
        return read_parts(inner, context or {}, _fill)
    except BadSettings as error:
        raise BadSettings(detail.under(*loc) for detail in error.details) from error


def parse_evaluation_config(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The same for programs: raises Problems (config), each with the JSON Pointer of its place in the schema."""
    try:
        return read_evaluation_config(schema, context)
    except BadSettings as error:
        raise as_problems(error) from error


def _fill(
    reader: SchemaReader, part: SchemaPart, schema: Mapping[str, Any], loc: Loc, path: SchemaPath, idle: bool
) -> None:
    """Reads what a schema says into its part."""
    _refuse_types(reader, schema)
    words = _words(reader, schema, loc)
    types = _types(schema)
    part.weight, part.kind = words.weight, _kind(schema)
    part.shape = shape_of(schema, types, "null" in types or schema.get("nullable") is True)
    part.skip = words.skip or (isinstance(schema, Placed) and schema.lost)
    if part.skip:
        return
    if branches := _branches(schema, loc):
        _choose(reader, part, schema, words, branches, path, idle)
    elif words.metrics is not None:
        _ask(reader, part, schema, words.metrics, path, idle)
    else:
        _by_type(reader, part, schema, path, idle)


def _by_type(reader: SchemaReader, part: SchemaPart, schema: Mapping[str, Any], path: SchemaPath, idle: bool) -> None:
    """A schema that names no metric: what its type says."""
    types = _types(schema)
    name = part.kind if part.kind != "leaf" else next(iter(types - {"null"}), "null")
    defaults: Mapping[str, Any] = reader.context.get("defaults") or {}
    if types and name in defaults:
        _ask(reader, part, schema, (_default(schema, defaults[name]),), path, idle)
    elif part.kind != "leaf":
        part.align = ALIGNED if part.kind == "array" else ORDERED
        _look_below(reader, part, schema, path, idle)
    else:
        word = OF_TYPES[name] if types else OF_ANYTHING
        _ask(reader, part, schema, (AskedMetric(word, loc=own_place(schema, ())),), path, idle)


def _ask(
    reader: SchemaReader,
    part: SchemaPart,
    schema: Mapping[str, Any],
    metrics: Sequence[AskedMetric],
    path: SchemaPath,
    idle: bool,
) -> None:
    """A schema that names its metrics: one unit, unless an alignment stands in for the judge of its list."""
    asked = tuple(_address(each, schema, len(metrics)) for each in metrics)
    if part.kind == "array" and len(asked) == 1 and asked[0].metric_id == OF_LISTS:
        align = _guarded(reader, asked[0], partial(resolve_alignment, asked[0].spelled, reader.context), idle)
        if align is not None:
            _look_below(reader, part, schema, path, idle)
            part.align, part.fallback_for, part.weight = align, OF_LISTS, part.weight * asked[0].weight
            return
    _ask_for(reader, part, asked, _types(schema) or ({part.kind} - {"leaf"}), path, idle)
    _look_below(reader, part, schema, path, idle or bool(part.metrics))


def _look_below(reader: SchemaReader, part: SchemaPart, schema: Mapping[str, Any], path: SchemaPath, idle: bool) -> None:
    """Reads what stands below an object, key by key, or below a list."""
    if part.kind == "object":
        reader.keys(part, schema, path, idle)
    elif part.kind == "array":
        reader.items(part, schema, path, idle)


# Values of several types


def _branches(schema: Mapping[str, Any], loc: Loc) -> list[Mapping[str, Any]]:
    """What a value may be, where that is more than one thing. Each has what the schema says beside the choice."""
    if listed := branches_of(schema, _OF_A_VALUE):
        made = {id(branch): whole_branch(branch, schema, OF_EVERY_BRANCH, loc) for branch in listed}
        return [made[id(branch)] for branch in listed]  # what is written once is read once
    types = sorted(_types(schema) - {"null"}, key=JSON_TYPES.index)
    if len(types) < 2 or not isinstance(schema.get("type"), list):
        return []
    return [_narrowed(schema, name, loc) for name in types]


def _narrowed(schema: Mapping[str, Any], name: str, loc: Loc) -> Placed:
    """A schema with several types as one of just this type."""
    without = {EVALUATION_CONFIG} if name in ("object", "array") else {EVALUATION_CONFIG, *_ABOUT_FIELDS}
    narrowed = copy_of(schema, loc, without)
    narrowed["type"] = name
    return narrowed


def _choose(
    reader: SchemaReader,
    part: SchemaPart,
    schema: Mapping[str, Any],
    words: Words,
    branches: list[Mapping[str, Any]],
    path: SchemaPath,
    idle: bool,
) -> None:
    """A value of several types: one unit where all of them are compared alike, else the best-fitting branch."""
    part.shape = replaced(part.shape, types=frozenset().union(*map(_types, branches)))
    several: Mapping[str, Any] = reader.context.get("defaults") or {}
    asked = words.metrics
    if asked is None and SEVERAL in several and _of_several_types(part.shape.types, branches):
        asked = (_default(schema, several[SEVERAL]),)
    if asked is not None:
        if not _aligned_instead(reader, asked, branches, idle):
            _one_unit(reader, part, branches, asked, path, idle)
            return
        branches = [_with_list_metric(each, schema) if _kind(each) == "array" else each for each in branches]
    known, part.kind = len(reader.details), "choice"
    part.branches = reader.branches(part, branches, own_place(schema, ()), path, idle)
    inner = [each.asked for each in part.branches]
    if inner[0] and all(len(each) == 1 and each[0].alike(inner[0][0]) for each in inner):
        del reader.details[known:]  # read once more, as one unit
        part.branches = ()
        _one_unit(reader, part, branches, inner[0], path, idle)


def _one_unit(
    reader: SchemaReader,
    part: SchemaPart,
    branches: list[Mapping[str, Any]],
    asked: tuple[AskedMetric, ...],
    path: SchemaPath,
    idle: bool,
) -> None:
    """A value of several types, compared as one."""
    types = [_types(branch) or ({_kind(branch)} - {"leaf"}) for branch in branches]
    part.kind = "leaf"
    _ask_for(reader, part, asked, frozenset().union(*types) if all(types) else (), path, idle)
    lists = [branch for branch in branches if _kind(branch) == "array"]
    if lists and any(each.metric_id == OF_LISTS for each in part.asked):
        reader.items(part, lists[0], path, idle or bool(part.metrics))


def _aligned_instead(
    reader: SchemaReader, asked: tuple[AskedMetric, ...], branches: list[Mapping[str, Any]], idle: bool
) -> bool:
    """An alignment stands in for the judge of a list that is one branch of a choice."""
    if len(asked) != 1 or asked[0].metric_id != OF_LISTS or "array" not in map(_kind, branches):
        return False
    return _guarded(reader, asked[0], partial(resolve_alignment, asked[0].spelled, reader.context), idle) is not None


def _with_list_metric(branch: Mapping[str, Any], schema: Mapping[str, Any]) -> Placed:
    """A branch with the metric of whole lists that stands on its choice."""
    found, config = copy_of(branch, ()), schema[EVALUATION_CONFIG]
    found[EVALUATION_CONFIG] = {"metrics": config["metrics"]} if isinstance(config, Mapping) else OF_LISTS
    found.written[EVALUATION_CONFIG] = place_of(schema, EVALUATION_CONFIG, ())
    return found


def _of_several_types(types: frozenset[str], branches: list[Mapping[str, Any]]) -> bool:
    """Whether a value is plain, of more than one type, and no branch says how it is compared."""
    plain = all(_kind(branch) == "leaf" and not branch.keys() & {EVALUATION_CONFIG, "$ref"} for branch in branches)
    return plain and len(types - {"null"}) > 1 and types - {"null"} != {"integer", "number"}


# Metrics


def _words(reader: SchemaReader, schema: Mapping[str, Any], loc: Loc) -> Words:
    """The schema's own words about evaluation."""
    if EVALUATION_CONFIG not in schema:
        return NO_WORDS
    try:
        return read_words(schema[EVALUATION_CONFIG], place_of(schema, EVALUATION_CONFIG, loc))
    except BadSettings as error:
        reader.details.extend(error.details)
        return Words(skip=True)


def _ask_for(
    reader: SchemaReader,
    part: SchemaPart,
    asked: Sequence[AskedMetric],
    possible: Collection[str],
    path: SchemaPath,
    idle: bool,
) -> None:
    """Gives a part the metrics that values of its types can have. What cannot be used is noted.

    `possible` are the types of which a metric of whole lists must find its own, as far as they are known.
    """
    for each in asked:
        try:
            refuse_list_metric(each.metric_id, possible, reader.context)
        except BadSettings as error:
            reader.details.extend(_placed(detail, each) for detail in error.details)
            continue
        part.asked = (*part.asked, each)
        if each.metric_id in NUMBERS and "parse" not in each.params and "string" in (part.shape.types or {"string"}):
            each = replace(each, params={**each.params, "parse": True})
        resolve = partial(resolve_metric, each.spelled, reader.context, Path(path).canonical, each.weight)
        metric = _guarded(reader, each, resolve, idle)
        if metric is not None and isinstance(metric.comparator, JudgedComparator):
            metric = replaced(metric, comparator=metric.comparator.null_differs())
        part.metrics += (metric,) if metric is not None else ()


def _guarded(reader: SchemaReader, asked: AskedMetric, resolve: Callable[[], Found], idle: bool) -> Found | None:
    """What `resolve` gives. Its complaints are noted at their place in the schema, and None stands for it."""
    try:
        return resolve()
    except BadSettings as error:
        kept = [detail for detail in error.details if not (idle and isinstance(detail, NeedsJudge))]
        reader.details.extend(_placed(detail, asked) for detail in kept)
        return None


def _default(schema: Mapping[str, Any], spelled: Any) -> AskedMetric:
    """What the suite names for a JSON type, asked for at a schema of that type."""
    word, params = next(iter(spelled.items())) if isinstance(spelled, Mapping) and spelled else (spelled, None)
    return AskedMetric(str(word), params or {}, loc=own_place(schema, ()))


def _address(asked: AskedMetric, schema: Mapping[str, Any], metrics: int) -> AskedMetric:
    """A web address that is to be the same text is to be the same address."""
    address = metrics == 1 and asked.metric_id == "string_exact" and schema.get("format") in ADDRESSES
    return replace(asked, metric_id="string_url") if address else asked


def _placed(detail: Detail, asked: AskedMetric) -> Detail:
    """A complaint about a metric, at its place in the schema."""
    if detail.loc[:1] == (asked.metric_id,):
        rest = detail.loc[1:]
        return replaced(detail, loc=(*asked.params_loc, *rest) if rest else asked.loc)
    return replaced(detail, loc=(*asked.loc, *detail.loc))


# Types


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    """The JSON types that a schema declares, null too, or that the plain values it lists have."""
    found = types_of(schema)
    names = frozenset((*found.names, "null") if found.nullable else found.names)
    if "type" not in schema:
        return frozenset() if names & {"object", "array"} else names
    return names.intersection(JSON_TYPES)


def _kind(schema: Mapping[str, Any]) -> Kind:
    """Whether a schema is of an object, an array, or something that is compared as it is."""
    types = _types(schema)
    if types:
        plain = types - {"null"}
        return "object" if plain == {"object"} else "array" if plain == {"array"} else "leaf"
    if "properties" in schema or isinstance(schema.get("additionalProperties"), Mapping):
        return "object"
    return "array" if "items" in schema else "leaf"


def _refuse_types(reader: SchemaReader, schema: Mapping[str, Any]) -> None:
    """Notes what a schema declares as a type and is none."""
    declared = schema.get("type")
    for name in declared if isinstance(declared, list) else [] if declared is None else [declared]:
        if name not in JSON_TYPES:
            message = f"type must name a JSON type; found {spell(name)}"
            hint = suggestion(str(name), JSON_TYPES) or f"known: {', '.join(JSON_TYPES)}"
            reader.details.append(Detail(place_of(schema, "type", ()), message, hint, code="bad-schema"))
