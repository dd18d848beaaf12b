"""The x-eval dialect: a JSON Schema whose `x-eval-` keys say how each place is compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, Loc, bad, spell, under
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.metrics import (
    names_alignment,
    refuse_list_metric,
    resolve_alignment,
    resolve_compound,
    resolve_metric,
)
from evaluators.scoring.fields.named_comparators import OF_LISTS, NeedsJudge, word_in
from evaluators.scoring.fields.reading import Align, read_align, read_transforms
from evaluators.scoring.fields.references import CHOICES, Placed, as_problems, place_of
from evaluators.scoring.fields.schema_keywords import (
    SAYS_TYPE,
    X_EVAL,
    Types,
    branches_of,
    container_kind,
    shape_of,
    types_of,
    whole_branch,
)
from evaluators.scoring.fields.schema_parts import SchemaReading, read_parts
from evaluators.scoring.fields.tree import ORDERED, FieldNode, Metric, SchemaPath
from evaluators.scoring.fields.type_defaults import OTHERWISE, type_defaults
from evaluators.scoring.values.path_text import display
from evaluators.scoring.values.quoting import flow_text

KEYS: Final = ("x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align")
NULLS: Final = "x-eval-nulls"
"""At the top of a schema: what null says, as `nulls:` of a suite, which comes before it."""
KNOWN_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
Read = TypeVar("Read")


def parse_eval_schema(schema: object) -> FieldNode:
    """The tree of a schema in which every place says how it is compared.

    Raises Problems (config) with everything that is wrong with it, each with its place in the schema.
    """
    try:
        return read_xeval(schema)
    except BadSettings as error:
        raise as_problems(error) from error


def read_xeval(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The tree of a schema. Raises BadSettings with every problem, each with its place inside the schema.

    `context` has what `fields:` have (`comparators`, `fallback`, `judge`), `notes` to add remarks to, and `defaults`,
    comparators by JSON type. With `defaults`, if only an empty map, a place that names no comparator gets the one of its
    type; without them it is a problem.
    """
    return read_parts(schema, context or {}, _fill_part)


def _fill_part(reading: SchemaReading) -> None:
    """Fills the part of the tree that a schema describes (`reading.part`): kind, types, transforms and alignment, then its metrics or
    branches, and what is below it. What is below a skipped place, or one compared as a whole, is idle: read, but not compared. Mistakes
    are added to `reading.details`, remarks by `reading.note`."""
    _add_unknown_key_problems(reading)
    if isinstance(reading.schema, Placed) and (reading.schema.lost or reading.schema.anything):
        reading.part.skip = reading.schema.lost
        reading.part.metrics = () if reading.schema.lost or reading.idle else (_default_metric(reading, "", OTHERWISE),)
        return
    types, branches, inside = types_of(reading.schema), branches_of(reading.schema), container_kind(reading.schema)
    whole = [whole_branch(branch, reading.schema, SAYS_TYPE - {*CHOICES}, reading.loc) for branch in branches]
    several = bool(branches) and (inside is None or any(map(container_kind, branches)))
    reading.part.skip = _reads_skip(reading)
    typed = several or reading.part.skip or _note_type_problems(reading, types)
    reading.part.kind = "choice" if several else "object" if inside == "object" else "array" if inside else "leaf"
    reading.part.shape = shape_of(reading.schema, types.names, types.nullable)
    align = partial(read_xeval_align, schema=reading.schema, path=reading.path, note=reading.note)
    reading.part.transforms = _read_setting(reading, "x-eval-transform", read_transforms, ())
    reading.part.align = _read_setting(reading, "x-eval-align", align, _usual_alignment(reading))
    idle = reading.idle or reading.part.skip
    reading.idle = idle or not typed
    _fill_metrics(reading)
    reading.idle = idle
    if reading.part.kind == "choice" and reading.part.metrics:
        reading.part.kind = "leaf"
        if any(metric.name == OF_LISTS for metric in reading.part.metrics):
            parts = (reading.reader.part(branch, reading.loc, reading.path, True) for branch in whole)
            reading.part.items = next((each.items for each in parts if each.items is not None), None)
    elif reading.part.kind == "choice":
        reading.part.branches = reading.read_branches(whole)
    if reading.part.kind == "object":
        reading.read_keys(idle or bool(reading.part.metrics))
    if reading.part.kind == "array":
        reading.read_items(reading.schema, idle or bool(reading.part.metrics))
    if (
        reading.part.transforms
        and not reading.part.metrics
        and reading.part.compound is None
        and reading.part.kind != "leaf"
        and not reading.idle
    ):
        reading.note(f'"x-eval-transform" of {reading.path_text} changes nothing: its parts are compared, not the whole')


def _fill_metrics(reading: SchemaReading) -> None:
    """Sets how the value of a schema is compared in its part, by `x-eval-compare`: metrics, a compound, or the alignment that stands in
    for a judge of whole lists. Without one, a single value gets the metric of its type. Mistakes are added to `reading.details`."""
    types = types_of(reading.schema)
    if "x-eval-compare" not in reading.schema:
        if reading.part.kind == "leaf" and not reading.idle:
            reading.part.metrics = _metric_of_type(reading, types.default_type)
        return
    entry, place = reading.schema["x-eval-compare"], place_of(reading.schema, "x-eval-compare", reading.loc)
    try:
        _refuse_either(entry)
        if isinstance(entry, Mapping) and len(entry) == 1 and "compound" in entry:
            _fill_compound(reading, entry["compound"])
            return
        refuse_list_metric(word_in(entry), _possible_types(reading, types), reading.context)
        stands_in = reading.part.kind == "array" and word_in(entry) == OF_LISTS
        if stands_in and (alignment := resolve_alignment(entry, reading.context)) is not None:
            reading.part.align, reading.part.fallback_for = alignment, OF_LISTS
            return
        reading.part.metrics = (_shared_metric(reading, entry),)
    except BadSettings as error:
        reading.add_problems(error.details, place)
        return
    if reading.part.metrics[0].name == "numeric" and types.single_type in ("string", "boolean"):
        reading.note(f"{reading.path_text} is compared as a number, but the schema says {types.single_type}")


def _refuse_either(entry: object) -> None:
    """Raises BadSettings for `either` in a tolerance: other readers of the dialect do not know it, and would hold both limits."""
    if not isinstance(entry, Mapping):
        return
    if isinstance(compound := entry.get("compound"), Mapping):
        with under("compound", "compare"):
            _refuse_either(compound.get("compare"))
    options = entry.get("numeric")
    tolerance = options.get("tolerance") if isinstance(options, Mapping) else None
    if isinstance(tolerance, Mapping) and "either" in tolerance and not COMPARATORS.is_replaced("numeric"):
        message = 'x-eval has no "either": where a tolerance has abs and rel, both must hold'
        in_suite = flow_text({"comparators": {"close": {"numeric": options}}})[1:-1]
        unneeded = tolerance["either"] is False
        hint = "leave it out" if unneeded else f"write {in_suite} in the suite, and the comparator close here"
        raise bad(message, "numeric", "tolerance", "either", hint=hint, key=True)


def _metric_of_type(reading: SchemaReading, json_type: str) -> tuple[Metric, ...]:
    """The metrics of a place that names no comparator: that of its type where the context has `defaults`, even empty ones. Otherwise, or
    where that one cannot be used, none, and the problem is added to `reading.details`."""
    if reading.context.get("defaults") is None:
        named = f'"{reading.path_text}"' if reading.path else "the schema"
        hint = 'add "x-eval-compare", or let annotate_xeval add it everywhere'
        message = f"{named} does not say how it is compared"
        reading.details.append(Detail(reading.loc, message, hint, key=True, code="not-compared"))
        return ()
    try:
        return (_default_metric(reading, json_type, type_defaults().get(json_type, OTHERWISE)),)
    except BadSettings as error:
        whose = f'the default of "{json_type}"'
        details = [
            each if isinstance(each, NeedsJudge) else Detail((), f"{whose}: {each.message}", each.hint, False, each.code)
            for each in error.details
        ]
        reading.add_problems(details, reading.loc)
        return ()


def _possible_types(reading: SchemaReading, types: Types) -> tuple[str, ...]:
    """The types that a value may have, those of the branches of a choice; none where they are not all known."""
    branches = branches_of(reading.schema)
    if types.names or not branches:
        return types.names
    named = [types_of(reading.reader.target(branch) if list(branch) == ["$ref"] else branch).names for branch in branches]
    return tuple(name for names in named for name in names) if all(named) else ()


def _shared_metric(reading: SchemaReading, entry: object) -> Metric:
    """The metric that an entry of x-eval-compare names. Equal entries share a comparator, so that a batch is asked once."""
    known = json.dumps(entry, default=repr)
    if known not in reading.reader.metrics:
        if entry == "skip" or (isinstance(entry, Mapping) and list(entry) == ["skip"]):
            raise bad('"skip" is no comparator', hint='write "x-eval-skip": true', key=isinstance(entry, Mapping))
        if isinstance(entry, Mapping) and not all(isinstance(key, str) for key in entry):
            raise bad(f"the name of a comparator is text; found {spell(next(iter(entry)))}")
        if entry == "":
            raise bad("the name of the comparator is empty", hint="write exact, or another comparator")
        reading.reader.metrics[known] = resolve_metric(entry, reading.context, reading.path_text)
    return reading.reader.metrics[known]


def _usual_alignment(reading: SchemaReading) -> Align:
    """How the items of a list are paired that does not say it: as the suite's default for lists does, else in order."""
    named = (reading.context.get("defaults") or {}).get("array")
    return read_align(named) if reading.part.kind == "array" and names_alignment(named, reading.context) else ORDERED


def _default_metric(reading: SchemaReading, json_type: str, otherwise: object) -> Metric:
    """The metric of a field of a JSON type that names no comparator: the suite's default, or else the dialect's."""
    known = f"default of {json_type}"
    if known not in reading.reader.metrics:
        named = (reading.context.get("defaults") or {}).get(json_type, otherwise)
        named = otherwise if names_alignment(named, reading.context) else named
        reading.reader.metrics[known] = resolve_metric(named, reading.context, reading.path_text)
    return reading.reader.metrics[known]


def _fill_compound(reading: SchemaReading, options: object) -> None:
    """Reads a compound, keys of this object that are compared as one unit, into the part. Raises BadSettings with every problem."""
    if reading.part.kind != "object":
        message = f'"compound" compares keys of an object; "{reading.path_text}" has none'
        raise bad(message, "compound", hint="write it on the object that has the keys", key=True)
    details: list[Detail] = []
    try:
        reading.part.compound, first = resolve_compound(options, reading.context, reading.path_text)
        reading.part.transforms = (*first, *reading.part.transforms)
    except BadSettings as error:
        details.extend(detail.under("compound") for detail in error.details)
    names = options.get("fields") if isinstance(options, Mapping) else None
    known = list(reading.schema.get("properties", ()))
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and name not in known:
            hint = suggestion(name, known) or f"known: {', '.join(known)}"
            details.append(Detail(("compound", "fields", index), f'"{reading.path_text}" has no key "{name}"', hint))
    if details:
        raise BadSettings(details)


def _reads_skip(reading: SchemaReading) -> bool:
    """Whether `x-eval-skip` is true. Another value than true or false is added to the mistakes, and skips nothing."""
    skip = reading.schema.get("x-eval-skip", False)
    if not isinstance(skip, bool):
        place = place_of(reading.schema, "x-eval-skip", reading.loc)
        reading.details.append(Detail(place, f'"x-eval-skip" must be true or false; found {spell(skip)}'))
    return skip is True


def _note_type_problems(reading: SchemaReading, types: Types) -> bool:
    """Adds to the problems what is wrong with the type of a schema: none, an unknown one, or `properties` beside another type than object.
    Gives True where nothing is wrong."""
    before = len(reading.details)
    place = place_of(reading.schema, "type", reading.loc) if "type" in reading.schema else reading.loc
    if not types.names:
        message = (
            "the schema has no type"
            if "type" not in reading.schema
            else f"type says nothing: {spell(reading.schema['type'])}"
        )
        known = f"known: {', '.join(KNOWN_TYPES)}"
        reading.details.append(Detail(place, message, known, key="type" not in reading.schema, code="bad-type"))
    for name in types.names:
        if name not in KNOWN_TYPES:
            hint = suggestion(name, KNOWN_TYPES) or f"known: {', '.join(KNOWN_TYPES)}"
            reading.details.append(Detail(place, f'unknown type "{name}"', hint, code="bad-type"))
    if types.single_type not in (None, "object") and reading.schema.get("properties"):
        place = place_of(reading.schema, "properties", reading.loc)
        message = f'properties belong to an object, but the type is "{types.single_type}"'
        hint = "write them under items" if types.single_type == "array" else "write type: object"
        reading.details.append(Detail(place, message, hint, key=True, code="bad-type"))
    return len(reading.details) == before


def _add_unknown_key_problems(reading: SchemaReading) -> None:
    """Adds each `x-eval-` key that is no known setting to the mistakes. The one in NULLS is known only at the root."""
    for key in reading.schema:
        known = KEYS if reading.loc else (*KEYS, NULLS)
        if str(key).startswith(X_EVAL) and key not in known:
            hint = suggestion(key, known) or f"known: {', '.join(known)}"
            place = place_of(reading.schema, key, reading.loc)
            reading.details.append(Detail(place, f'unknown setting "{key}"', hint, key=True, code="unknown-setting"))


def _read_setting(reading: SchemaReading, key: str, read: Callable[[object], Read], otherwise: Read) -> Read:
    """The value of a key, read; `otherwise` where the key is absent or cannot be read, which adds mistakes to those of the schema."""
    if key not in reading.schema:
        return otherwise
    try:
        return read(reading.schema[key])
    except BadSettings as error:
        reading.add_problems(error.details, place_of(reading.schema, key, reading.loc))
        return otherwise


ALIGN_KEYS: Final = ("ordered", "match_by", "key", "transforms", "keyless", "threshold", "ask", "unique")
OF_A_KEY: Final = ("transforms", "keyless")
OF_HUNGARIAN: Final = {"threshold": "at_least", "ask": "ask"}
MATCH_BY: Final = ("key_field", "hungarian", "any_order", "ordered")


def read_xeval_align(value: object, schema: Mapping[str, Any], path: SchemaPath, note: Callable[[str], None]) -> Align:
    """The alignment that `{ordered: true}`, `{match_by: key_field, key: …}` or `{match_by: hungarian, ask: …}` sets for the schema at a
    path. `note` is told of a setting that is not used. Raises BadSettings."""
    if types_of(schema).single_type != "array":
        hint = "write it beside the items of a list"
        raise bad(f'"x-eval-align" pairs the items of a list; "{display(path)}" is none', hint=hint, key=True)
    if not isinstance(value, Mapping):
        hint = f'write {{"match_by": "{value}"}}' if value in MATCH_BY else 'write {"match_by": "hungarian"}'
        raise bad(f'"x-eval-align" must be a map; found {spell(value)}', hint=hint)
    details = [
        Detail(
            (key,),
            f'unknown setting "{key}" for x-eval-align',
            _known_words_hint(str(key), ALIGN_KEYS),
            True,
            "unknown-setting",
        )
        for key in value
        if key not in ALIGN_KEYS
    ]
    ordered, how = value.get("ordered"), value.get("match_by")
    if ordered is not None and not isinstance(ordered, bool):
        details.append(Detail(("ordered",), f'"ordered" must be true or false; found {spell(ordered)}'))
    elif ordered and (how is None or how in MATCH_BY):
        if how not in (None, "ordered"):
            note(f'"ordered" is true, so "match_by": {how} is not used')
        how = "ordered"
    if how not in MATCH_BY:
        message = "it does not say how items are paired" if how is None else f'unknown alignment "{how}"'
        loc = ("match_by",) if "match_by" in value else ()
        details.append(Detail(loc, message, _known_words_hint(str(how), MATCH_BY)))
    if details:
        raise BadSettings(details)
    return _as_align(str(how), value, schema)


def _as_align(how: str, value: Mapping[str, Any], schema: Mapping[str, Any]) -> Align:
    """The alignment `how` with the options that `x-eval-align` gives it, as the suite has them. Raises BadSettings where an option
    belongs to another alignment, or a key cannot be in any item."""
    options: dict[str, Any] = {}
    if how != "hungarian" and "ask" in value:
        message = f'"ask" is about items that hungarian leaves over; {how} asks nobody'
        raise bad(message, "ask", hint="match_by: hungarian", key=True)
    if how != "any_order" and "unique" in value:
        raise bad(
            f'"unique" is about lists as sets; {how} pairs every item', "unique", hint="match_by: any_order", key=True
        )
    if how == "any_order" and "unique" in value:
        options = {"unique": value["unique"]}
    if how == "hungarian":
        options = {ours: value[name] for name, ours in OF_HUNGARIAN.items() if value.get(name) is not None}
    if how == "key_field":
        if not value.get("key"):
            raise bad('"key_field" needs "key"', hint='write {"match_by": "key_field", "key": "id"}')
        names = _key_names(schema)
        options = {"key": _spelled_keys(value["key"], names)}
        options |= {name: value[name] for name in OF_A_KEY if name in value}
    elif unused := [name for name in OF_A_KEY if name in value]:
        raise bad(f'"{unused[0]}" is about keys, and {how} uses none', unused[0], hint="match_by: key_field", key=True)
    try:
        align = read_align({how: options} if options else how)
    except BadSettings as error:
        raise BadSettings(replace(detail, loc=_written_place(detail.loc)) for detail in error.details) from error
    if align.keys and schema["items"].get("additionalProperties") is False:
        _refuse_impossible_keys(align, names)
    return align


def _refuse_impossible_keys(align: Align, names: list[str]) -> None:
    """Raises BadSettings for a key of `key_field` that items cannot have, as their schema allows no other keys: it would pair nothing."""
    for path in align.keys:
        first = path.steps[0] if path.steps else None
        if isinstance(first, str) and names and first not in names:
            message = f'the items have no key "{path.canonical}", and the schema allows no others'
            raise bad(message, "key", hint=_known_words_hint(first, tuple(names)))


def _key_names(schema: Mapping[str, Any]) -> list[str]:
    """The declared keys of a list's items. Raises BadSettings where items can have no key."""
    items = schema.get("items")
    if not isinstance(items, Mapping):
        raise bad('"key_field" needs items that have the key', hint="describe the items, with type: object")
    if "$ref" not in items and not branches_of(items) and types_of(items).single_type not in (None, "object"):
        raise bad(
            f'"key_field" needs items that are objects; these are {types_of(items).single_type}', hint="use hungarian"
        )
    properties = items.get("properties")
    return [str(name) for name in properties] if isinstance(properties, Mapping) else []


def _spelled_keys(key: object, names: list[str]) -> object:
    """A key of `key_field`, or a list of them, as paths. One of the `names` that items have keeps its name as it is, dots and all."""
    if isinstance(key, list):
        return [_spelled_keys(each, names) for each in key]
    return display((key,)) if isinstance(key, str) and key in names else key


def _written_place(loc: Loc) -> Loc:
    """The place in x-eval-align of an error whose `loc` is its place in `align`."""
    if loc[:1] in (("hungarian",), ("key_field",), ("any_order",)):
        loc = loc[1:]
    return ("threshold", *loc[1:]) if loc[:1] == ("at_least",) else loc


def _known_words_hint(word: str, known: tuple[str, ...]) -> str:
    """A hint with the known word that another one nearly is, or with all of them."""
    return suggestion(word, known) or f"known: {', '.join(known)}"
