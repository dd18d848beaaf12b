"""An x-eval schema, read into a tree of nodes.

Strategy: the schema is resolved, then every schema in it becomes a *part*, once, with its comparator, transforms and
alignment read; that finds every problem before the first row. Parts refer to each other as the schema does, in a ring
where it refers to itself. The nodes are made from the parts on demand, each with its own path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from evaluators.fields.judge_fallbacks import OF_LISTS, NeedsJudge, in_field, said_once
from evaluators.fields.lines import Align, read_align, read_transforms
from evaluators.fields.metrics import (
    default_metric,
    knowing_items,
    refuse_list_metric,
    resolve_alignment,
    resolve_compound,
    resolve_metric,
    word_of_entry,
)
from evaluators.fields.references import Placed, as_problems, merge, own_place, place_of, resolve_as_far
from evaluators.fields.tree import ORDERED, Below, Compound, FieldNode, Kind, Metric, SchemaPath, Shape
from evaluators.fields.xeval.defaults import OTHERWISE, read_entry, type_defaults
from evaluators.fields.xeval.structure import (
    KNOWN_TYPES,
    PREFIX,
    SAYS_TYPE,
    Types,
    branches_of,
    looked_into,
    types_of,
)
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, Loc, bad, spell
from evaluators.value_class import dataclass, field, replace
from evaluators.values.path_text import ANY, display
from evaluators.values.transforms import Transform

KEYS: Final = ("x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align")
NULLS: Final = "x-eval-nulls"
"""At the top of a schema: what null says, as `nulls:` of a suite, which comes before it."""
ALIGN_KEYS: Final = ("ordered", "match_by", "key", "transforms", "keyless", "threshold")
OF_A_KEY: Final = ("transforms", "keyless")
MATCH_BY: Final = ("key_field", "hungarian", "any_order", "ordered")
MOST_CHOICES: Final = 30
"""Choices that stand directly inside one another."""
MOST_LEVELS: Final = 100
"""More than any schema that a person wrote; references that add to themselves have no end."""
Read = TypeVar("Read")


@dataclass(eq=False)
class SchemaPart:
    """One schema, read: a node without its path."""

    kind: Kind = "leaf"
    metrics: tuple[Metric, ...] = ()
    transforms: tuple[Transform, ...] = ()
    align: Align = ORDERED
    stands_for: str | None = None
    compound: Compound | None = None
    skip: bool = False
    shape: Shape = field(default_factory=Shape)
    keys: dict[str, SchemaPart] = field(default_factory=dict)
    others: SchemaPart | None = None
    items: SchemaPart | None = None
    branches: tuple[SchemaPart, ...] = ()

    def node(self, path: SchemaPath) -> FieldNode:
        """The node of this part at a path. What stands below is made when it is asked for."""
        metrics = knowing_items(self.metrics, self.items)
        return FieldNode(
            path, self.kind, metrics, self.transforms, self.align, self.compound,
            skip=self.skip, stands_for=self.stands_for, shape=self.shape, make=lambda: self._below(path), origin=self,
        )  # fmt: skip

    def _below(self, path: SchemaPath) -> Below:
        return Below(
            {key: part.node((*path, key)) for key, part in self.keys.items()},
            self.others.node((*path, ANY)) if self.others else None,
            self.items.node((*path, ANY)) if self.items else None,
            tuple(part.node(path) for part in self.branches),
        )


def parse_eval_schema(schema: object) -> FieldNode:
    """The tree of a schema in which every place says how it is compared.

    Raises Problems (config) with everything that is wrong with it, each with its place in the schema.
    """
    try:
        return read_xeval(schema)
    except BadSettings as error:
        raise as_problems(error) from error


def parse_xeval_entry(entry: object) -> tuple[str, dict[str, Any]]:
    """The name and the options of an entry of `x-eval-compare` or `x-eval-transform`. Raises BadSettings."""
    return read_entry(entry, "comparator or transform")


def read_xeval(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The tree of a schema. Raises BadSettings with every problem, each with its place inside the schema.

    `context` has what `fields:` have (`comparators`, `without_judge`, `judge`), `notes` to add remarks to, and
    `defaults`, comparators by JSON type. With `defaults`, if only an empty map, a place that names no comparator gets the
    one of its type; without them it is a problem.
    """
    resolved, details = resolve_as_far(schema)
    reader = _XevalReader(resolved, context or {}, details)
    root = reader.part(resolved, (), ())
    if reader.details:
        raise BadSettings(said_once(dict.fromkeys(reader.details)))
    return root.node(())


class _XevalReader:
    """Reads the schemas of one document into parts. `details` are the problems met."""

    def __init__(self, root: Placed, context: Mapping[str, Any], details: list[Detail]) -> None:
        self.root = root
        self.context = context
        self.fills = context.get("defaults") is not None
        self.details = details
        self.parts: dict[tuple[int, bool], SchemaPart] = {}
        self.metrics: dict[str, Metric] = {}
        self.choosing: list[SchemaPart] = []
        """The choices whose branches are being read, one inside the other with nothing between."""
        self.alive: list[object] = []  # parts are known by the id of their schema, which must not be used again

    def part(self, schema: Any, loc: Loc, path: SchemaPath, idle: bool = False) -> SchemaPart:
        """The part of a schema. `path` names it in messages; an `idle` one is below what is compared as a whole."""
        loc = own_place(schema, loc)
        if not isinstance(schema, Mapping):
            self.details.append(Detail(loc, f"a schema must be a map; found {spell(schema)}", code="bad-schema"))
            return SchemaPart()
        if len(path) > MOST_LEVELS:
            message = f"the schema is nested more than {MOST_LEVELS} levels deep once its references are filled in"
            self.details.append(Detail(loc, message, "let references lead back without anything beside them"))
            return SchemaPart()
        schema = self._followed(schema, loc)
        known = self.parts.get((id(schema), idle))
        if (known is not None and known in self.choosing) or len(self.choosing) > MOST_CHOICES:
            hint = "let a branch describe a value, with type and properties"
            message = "this choice leads to itself: it would be its own branch"
            self.details.append(Detail(loc, message, hint, code="bad-reference"))
            return SchemaPart()
        if known is not None:
            return known
        self.alive.append(schema)
        part = self.parts[id(schema), idle] = SchemaPart()
        if "$ref" in schema:
            schema = self._with_target(schema, loc)
            self.alive.append(schema)
        self._fill(part, schema, own_place(schema, loc), path, idle)
        return part

    def _followed(self, schema: Mapping[str, Any], loc: Loc) -> Mapping[str, Any]:
        """The schema that a reference with nothing beside it leads to."""
        met: list[object] = []
        while list(schema) == ["$ref"]:
            if schema["$ref"] in met:
                hint = "let it describe a value, with type and properties"
                message = f'$ref "{schema["$ref"]}" leads to itself'
                self.details.append(Detail((*loc, "$ref"), message, hint, code="bad-reference"))
                return {"type": "null", "x-eval-skip": True}
            met.append(schema["$ref"])
            schema = self._kept(schema["$ref"])
        return schema

    def _with_target(self, schema: Mapping[str, Any], loc: Loc) -> Placed:
        """A schema that refers to another one and adds to it."""
        own = Placed(loc)
        for key, value in schema.items():
            if key != "$ref":
                own[key] = value
                own.written[key] = place_of(schema, key, loc)
        merge(own, self._followed({"$ref": schema["$ref"]}, loc))
        return own

    def _kept(self, reference: str) -> Mapping[str, Any]:
        """The schema that a kept reference leads to."""
        if reference == "#":
            return self.root
        name = reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        found: Mapping[str, Any] = self.root.get("$defs", {}).get(name, {})
        return found

    def _fill(self, part: SchemaPart, schema: Mapping[str, Any], loc: Loc, path: SchemaPath, idle: bool) -> None:
        self._refuse_unknown_keys(schema, loc)
        if isinstance(schema, Placed) and schema.lost:
            part.skip = True
            return
        types, (choice, branches) = types_of(schema), branches_of(schema)
        inside = looked_into(schema)
        several = bool(branches) and (inside is None or any(looked_into(schema[choice][one]) for one in branches))
        part.skip = self._skip(schema, loc)
        typed = several or part.skip or self._check_types(schema, types, loc)
        part.kind = "choice" if several else "object" if inside == "object" else "array" if inside else "leaf"
        part.shape = _shape(schema, types)
        part.transforms = self._reading(schema, "x-eval-transform", loc, path, read_transforms, ())
        part.align = self._align(schema, loc, path)
        idle = idle or part.skip
        self._compare(part, schema, types, loc, path, idle or not typed)
        if part.kind == "choice" and part.metrics:
            part.kind = "leaf"
            if any(metric.name == OF_LISTS for metric in part.metrics):
                for number in branches:
                    part.items = part.items or self.part(self._branch(schema, choice, number, loc), loc, path, True).items
        elif part.kind == "choice":
            self.choosing.append(part)
            part.branches = tuple(
                self.part(self._branch(schema, choice, number, loc), loc, path, idle) for number in branches
            )
            self.choosing.pop()
        self._below(part, schema, loc, path, idle or bool(part.metrics))
        if part.transforms and not part.metrics and part.compound is None and part.kind != "leaf" and not idle:
            self._note(f'"x-eval-transform" of {display(path)} changes nothing: its parts are compared, not the whole')

    def _below(self, part: SchemaPart, schema: Mapping[str, Any], loc: Loc, path: SchemaPath, idle: bool) -> None:
        outer, self.choosing = self.choosing, []
        if part.kind == "object":
            properties = schema.get("properties")
            for key, inner in properties.items() if isinstance(properties, Mapping) else ():
                if inner is not False:  # no value is allowed there, so the key is not the schema's
                    part.keys[str(key)] = self._property(inner, (*loc, "properties", key), (*path, str(key)), idle)
            others = schema.get("additionalProperties")
            if isinstance(others, Mapping) and others:
                part.others = self.part(others, (*loc, "additionalProperties"), (*path, ANY), idle)
        if part.kind == "array":
            part.items = self.part(schema["items"], (*loc, "items"), (*path, ANY), idle)
        self.choosing = outer

    def _property(self, schema: Any, loc: Loc, path: SchemaPath, idle: bool) -> SchemaPart:
        """The part of a key's schema. `true` stands for any value, which is compared as a whole."""
        if schema is True:
            return SchemaPart(metrics=() if idle else (self._default("", OTHERWISE, display(path)),))
        return self.part(schema, loc, path, idle)

    def _branch(self, schema: Mapping[str, Any], choice: str, number: int, loc: Loc) -> Mapping[str, Any]:
        """One branch, with what the schema says of all of them."""
        branch = schema[choice][number]
        shared = {key for key in SAYS_TYPE & schema.keys() if key not in ("anyOf", "oneOf")}
        shared |= schema.keys() & {"required", "additionalProperties"} if shared else set()
        if not shared:
            return branch if isinstance(branch, Placed) else dict(branch)
        own = Placed(own_place(branch, (*loc, choice, number)))
        merge(own, branch)
        rest = Placed(loc)
        for key in schema:
            if key in shared:
                rest[key] = schema[key]
                rest.written[key] = place_of(schema, key, loc)
        merge(own, rest)
        return own

    # What the keys say

    def _compare(
        self, part: SchemaPart, schema: Mapping[str, Any], types: Types, loc: Loc, path: SchemaPath, idle: bool
    ) -> None:
        """How the value is compared, if it is compared as one value."""
        shown = display(path)
        if "x-eval-compare" not in schema:
            if part.kind != "leaf" or idle:
                return
            if self.fills:
                otherwise = type_defaults().get(types.defaulted, OTHERWISE)
                try:
                    part.metrics = (self._default(types.defaulted, otherwise, shown),)
                except BadSettings as error:
                    whose = f'the default of "{types.defaulted}"'
                    details = [
                        one
                        if isinstance(one, NeedsJudge)
                        else replace(one, loc=(), key=False, message=f"{whose}: {one.message}")
                        for one in error.details
                    ]
                    self._met(details, loc, path, idle)
                return
            message = (
                f'"{shown}" does not say how it is compared' if path else "the schema does not say how it is compared"
            )
            hint = 'add "x-eval-compare", or let annotate_xeval add it everywhere'
            self.details.append(Detail(loc, message, hint, key=True, code="not-compared"))
            return
        entry, place = schema["x-eval-compare"], place_of(schema, "x-eval-compare", loc)
        try:
            if isinstance(entry, Mapping) and len(entry) == 1 and "compound" in entry:
                part.compound = self._compound(entry["compound"], part, schema, shown)
                return
            refuse_list_metric(word_of_entry(entry), self._possible(schema, types), self.context)
            alignment = resolve_alignment(entry, self.context) if part.kind == "array" else None
            if alignment is not None:
                part.align, part.stands_for = alignment, "array_llm"
                return
            part.metrics = (self._metric(entry, shown),)
        except BadSettings as error:
            self._met(error.details, place, path, idle)
            return
        if part.metrics[0].name == "numeric" and types.one in ("string", "boolean"):
            self._note(f"{display(path)} is compared as a number, but the schema says {types.one}")

    def _possible(self, schema: Mapping[str, Any], types: Types) -> tuple[str, ...]:
        """The types that a value may have, those of the branches of a choice; none where they are not all known."""
        choice, branches = branches_of(schema)
        if types.names or not choice:
            return types.names
        named = [types_of(self._followed(schema[choice][number], ())).names for number in branches]
        return tuple(name for names in named for name in names) if all(named) else ()

    def _metric(self, entry: object, shown: str) -> Metric:
        """What an entry of x-eval-compare names. Equal entries share a comparator, so that a batch is asked once."""
        known = json.dumps(entry, default=repr)
        if known not in self.metrics:
            self.metrics[known] = resolve_metric(_checked(entry), self.context, shown)
        return self.metrics[known]

    def _default(self, json_type: str, otherwise: object, shown: str) -> Metric:
        known = f"default of {json_type}"
        if known not in self.metrics:
            self.metrics[known] = default_metric(json_type, self.context, otherwise, shown)
        return self.metrics[known]

    def _compound(self, options: object, part: SchemaPart, schema: Mapping[str, Any], shown: str) -> Compound:
        """Keys of this object that are compared as one unit."""
        details: list[Detail] = []
        if part.kind != "object":
            message = f'"compound" compares keys of an object; "{shown}" has none'
            raise bad(message, "compound", hint="write it on the object that has the keys", key=True)
        compound: Compound | None = None
        try:
            compound, first = resolve_compound(options, self.context, shown)
            part.transforms = (*first, *part.transforms)
        except BadSettings as error:
            details.extend(detail.under("compound") for detail in error.details)
        names = options.get("fields") if isinstance(options, Mapping) else None
        known = list(schema.get("properties", ()))
        for index, name in enumerate(names if isinstance(names, list) else ()):
            if isinstance(name, str) and name not in known:
                hint = suggestion(name, known) or f"known: {', '.join(known)}"
                details.append(Detail(("compound", "fields", index), f'"{shown}" has no key "{name}"', hint))
        if details or compound is None:
            raise BadSettings(details)
        return compound

    def _align(self, schema: Mapping[str, Any], loc: Loc, path: SchemaPath) -> Align:
        def read(value: object) -> Align:
            if types_of(schema).one != "array":
                hint = "write it beside the items of a list"
                raise bad(f'"x-eval-align" pairs the items of a list; "{display(path)}" is none', hint=hint, key=True)
            return _read_align(value, schema, self._note)

        return self._reading(schema, "x-eval-align", loc, path, read, ORDERED)

    def _skip(self, schema: Mapping[str, Any], loc: Loc) -> bool:
        skip = schema.get("x-eval-skip", False)
        if not isinstance(skip, bool):
            place = place_of(schema, "x-eval-skip", loc)
            self.details.append(Detail(place, f'"x-eval-skip" must be true or false; found {spell(skip)}'))
        return skip is True

    def _check_types(self, schema: Mapping[str, Any], types: Types, loc: Loc) -> bool:
        """Whether a schema has a type, and keywords that fit it."""
        before = len(self.details)
        place = place_of(schema, "type", loc) if "type" in schema else loc
        if not types.names:
            message = "the schema has no type" if "type" not in schema else f"type says nothing: {spell(schema['type'])}"
            known = f"known: {', '.join(KNOWN_TYPES)}"
            self.details.append(Detail(place, message, known, key="type" not in schema, code="bad-type"))
        for name in types.names:
            if name not in KNOWN_TYPES:
                hint = suggestion(name, KNOWN_TYPES) or f"known: {', '.join(KNOWN_TYPES)}"
                self.details.append(Detail(place, f'unknown type "{name}"', hint, code="bad-type"))
        if types.one not in (None, "object") and schema.get("properties"):
            place = place_of(schema, "properties", loc)
            message = f'properties belong to an object, but the type is "{types.one}"'
            hint = "write them under items" if types.one == "array" else "write type: object"
            self.details.append(Detail(place, message, hint, key=True, code="bad-type"))
        return len(self.details) == before

    def _refuse_unknown_keys(self, schema: Mapping[str, Any], loc: Loc) -> None:
        for key in schema:
            known = KEYS if loc else (*KEYS, NULLS)
            if str(key).startswith(PREFIX) and key not in known:
                hint = suggestion(key, known) or f"known: {', '.join(known)}"
                place = place_of(schema, key, loc)
                self.details.append(Detail(place, f'unknown setting "{key}"', hint, key=True, code="unknown-setting"))

    def _reading(
        self,
        schema: Mapping[str, Any],
        key: str,
        loc: Loc,
        path: SchemaPath,
        read: Callable[[object], Read],
        otherwise: Read,
    ) -> Read:
        if key not in schema:
            return otherwise
        try:
            return read(schema[key])
        except BadSettings as error:
            self._met(error.details, place_of(schema, key, loc), path)
            return otherwise

    def _met(self, details: Iterable[Detail], place: Loc, path: SchemaPath, idle: bool = False) -> None:
        """Notes what is wrong. What is not compared needs no judge."""
        if idle:
            details = [detail for detail in details if not isinstance(detail, NeedsJudge)]
        self.details.extend(detail.under(*place) for detail in in_field(details, display(path)))

    def _note(self, note: str) -> None:
        notes = self.context.get("notes")
        if isinstance(notes, list) and note not in notes:
            notes.append(note)


def _checked(entry: object) -> object:
    """An entry of x-eval-compare; `skip` has a key of its own."""
    if entry == "skip" or (isinstance(entry, Mapping) and list(entry) == ["skip"]):
        raise bad('"skip" is no comparator', hint='write "x-eval-skip": true', key=isinstance(entry, Mapping))
    if isinstance(entry, Mapping) and not all(isinstance(key, str) for key in entry):
        raise bad(f"the name of a comparator is text; found {spell(next(iter(entry)))}")
    if entry == "":
        raise bad("the name of the comparator is empty", hint="write exact, or another comparator")
    return entry


def _shape(schema: Mapping[str, Any], types: Types) -> Shape:
    required, title, description = (schema.get(key) for key in ("required", "title", "description"))
    return Shape(
        frozenset(types.names),
        types.nullable or (isinstance(schema, Placed) and schema.nullable),
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset(),
        title if isinstance(title, str) else None,
        description if isinstance(description, str) else None,
    )


def _read_align(value: object, schema: Mapping[str, Any], note: Callable[[str], None]) -> Align:
    """`{ordered: true}`, `{match_by: key_field, key: …}` or `{match_by: hungarian, threshold: …}`."""
    if not isinstance(value, Mapping):
        hint = f'write {{"match_by": "{value}"}}' if value in MATCH_BY else 'write {"match_by": "hungarian"}'
        raise bad(f'"x-eval-align" must be a map; found {spell(value)}', hint=hint)
    details = [
        Detail((key,), f'unknown setting "{key}" for x-eval-align', _known(str(key), ALIGN_KEYS), True, "unknown-setting")
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
        details.append(Detail(loc, message, _known(str(how), MATCH_BY)))
    if details:
        raise BadSettings(details)
    return _as_align(str(how), value, schema)


def _as_align(how: str, value: Mapping[str, Any], schema: Mapping[str, Any]) -> Align:
    options: dict[str, Any] = {}
    if how == "hungarian" and value.get("threshold") is not None:
        options = {"at_least": value["threshold"]}
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
        raise BadSettings(replace(detail, loc=_as_written(detail.loc)) for detail in error.details) from error
    if align.keys and schema["items"].get("additionalProperties") is False:
        _refuse_unknown_keys(align, names)
    return align


def _refuse_unknown_keys(align: Align, names: list[str]) -> None:
    """A key that items have no room for would pair nothing."""
    for path in align.keys:
        first = path.steps[0] if path.steps else None
        if isinstance(first, str) and names and first not in names:
            message = f'the items have no key "{path.canonical}", and the schema allows no others'
            raise bad(message, "key", hint=_known(first, tuple(names)))


def _key_names(schema: Mapping[str, Any]) -> list[str]:
    items = schema.get("items")
    if not isinstance(items, Mapping):
        raise bad('"key_field" needs items that have the key', hint="describe the items, with type: object")
    if "$ref" not in items and not branches_of(items)[1] and types_of(items).one not in (None, "object"):
        raise bad(f'"key_field" needs items that are objects; these are {types_of(items).one}', hint="use hungarian")
    properties = items.get("properties")
    return [str(name) for name in properties] if isinstance(properties, Mapping) else []


def _spelled_keys(key: object, names: list[str]) -> object:
    """A key that the items have keeps its name as it is, dots and all; any other is a path."""
    if isinstance(key, list):
        return [_spelled_keys(one, names) for one in key]
    return display((key,)) if isinstance(key, str) and key in names else key


def _as_written(loc: Loc) -> Loc:
    """Where a part of an alignment stands in x-eval-align."""
    if loc[:1] in (("hungarian",), ("key_field",)):
        loc = loc[1:]
    return ("threshold", *loc[1:]) if loc[:1] == ("at_least",) else loc


def _known(word: str, known: tuple[str, ...]) -> str:
    return suggestion(word, known) or f"known: {', '.join(known)}"
