"""A JSON Schema without references: `$ref` filled in, `allOf` merged, `anyOf` and `oneOf` made plain where they can be.

Strategy: the schema is walked once, from the root down, following only what is itself a schema, so that a property may
be called `anyOf`. Each schema becomes a new dict that remembers where every one of its keys was written; a problem found
later, in a comparator say, is placed there and not where the reference stood. What stands beside a `$ref` adds to its
target and wins over it. A reference that leads back into itself stays, and so does its target under `$defs`: the reader
of the schema expands it as far as the documents go. Nothing is fetched: only places in the same document are followed.

Each reference is filled in with a copy of its target, so that messages name every place; in a schema that grows too large
by that, references to one target share one copy.

`referencing` finds what a reference leads to, and not where that stands in the file, which every message says. To find the
place takes the few lines at the end of this module; what fills the others, merging and places, no library does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, Loc, spell

Schema: TypeAlias = dict[str, Any]
Here: TypeAlias = tuple[tuple[str, "Loc | None"], ...]

MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose value is a map from names to schemas."""
LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords whose value is a list of schemas."""
SINGLES: Final = (
    "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contains",
    "propertyNames", "not", "if", "then", "else",
)  # fmt: skip
"""Keywords whose value is a schema, or something simpler."""
CHOICES: Final = ("anyOf", "oneOf")
SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})
MOST_COPIES: Final = 2_000
"""After so many schemas, references to one target share it."""
MOST_SCHEMAS: Final = 100_000
"""More than any schema that a person wrote; fewer than fill the memory when references double at every level."""


class Placed(dict[str, Any]):
    """A schema that remembers where its keys were written, and what resolving references changed in it."""

    def __init__(self, loc: Loc, *, anything: bool = False) -> None:
        """A schema without keys as yet, whose place is `loc`."""
        super().__init__()
        self.loc = loc
        """Where the schema itself was written."""
        self.anything = anything
        """It stands for the schema `true`."""
        self.written: dict[str, Loc] = {}
        """Where keys were written that did not stand in this schema at first."""
        self.nullable = False
        """A branch for null was taken away."""
        self.lost = False
        """A reference leads nowhere, so it is not known what the schema describes."""


def place_of(schema: Mapping[str, Any], key: str, loc: Loc) -> Loc:
    """The place where a key of a schema was written; `loc` is that of the schema itself, if it does not know."""
    return schema.written.get(key, (*schema.loc, key)) if isinstance(schema, Placed) else (*loc, key)


def own_place(schema: object, loc: Loc) -> Loc:
    """The place where a schema was written; `loc`, where the schema does not know it."""
    return schema.loc if isinstance(schema, Placed) else loc


def pointer(loc: Iterable[str | int]) -> str:
    """A place in a schema as a JSON Pointer of the document: `#/properties/a`."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in loc)


def as_problems(error: BadSettings) -> Problems:
    """The Problems of a schema, each with the JSON Pointer of its place."""
    return Problems(
        Issue(detail.code, Blame.CONFIG, detail.message, f"schema {pointer(detail.loc)}", detail.hint)
        for detail in error.details
    )


def resolve_schema_references(schema: object) -> Schema:
    """The schema without `$ref`, `allOf` and needless `anyOf`, as a new plain dict.

    A branch that is null is taken away: null is accepted everywhere. Branches of plain values become a list of types;
    branches with objects or arrays stay a choice. A schema that refers to itself keeps `$defs` and the reference that
    leads back. Raises Problems (config) with every reference that leads nowhere.
    """
    try:
        resolved, details = resolve_references(schema)
        if details:
            raise BadSettings(details)
        return _plain_copy(resolved)
    except BadSettings as error:
        raise as_problems(error) from error


def resolve_references(schema: object) -> tuple[Placed, list[Detail]]:
    """A schema with its references resolved, and the problems found. A reference without a target is `lost`.

    Raises BadSettings where there is no schema to read.
    """
    if not isinstance(schema, Mapping):
        raise BadSettings([Detail((), f"a schema must be a map; found {spell(schema)}", code="bad-schema")])
    walk = _SchemaWalk(schema)
    resolved = walk.resolve(schema, (), (), (("#", None),))
    resolved.pop("$defs", None)
    if targets := walk.targets():
        resolved["$defs"] = targets
    return resolved, list(dict.fromkeys(walk.details))


class _SchemaWalk:
    """One walk over a schema. `details` are its problems."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        """`root` is the whole schema, in which references lead to places."""
        self.root = root
        self.details: list[Detail] = []
        self.kept: dict[str, str] = {}
        """The name under `$defs` of each target that must stay, by reference."""
        self.shared: dict[str, Placed] = {}
        """Targets that were filled in, by reference."""
        self.made = 0
        """Schemas made so far. Beyond MOST_COPIES, targets are shared."""

    def resolve(self, schema: Mapping[str, Any], loc: Loc, inside: tuple[str, ...], here: Here = ()) -> Placed:
        """Resolves the references in a schema, and gives the new schema; `loc` is its place. Problems are added to `details`.

        `inside` are the references that are being filled in; `here` those of them that are about this very value, each
        with its place. Once there are very many schemas, one that is only a reference becomes the schema made of it before.
        """
        self.made += 1
        own = Placed(loc)
        for key, value in schema.items():
            if key not in ("$ref", "allOf", *CHOICES):
                own[key] = self._value_of_key(key, value, (*loc, key), inside)
        for index, branch in enumerate(_list_or_nothing(schema.get("allOf"))):
            merge(own, self._value(branch, (*loc, "allOf", index), inside, here))
        for key in CHOICES:
            if key in schema:
                self._choose(own, key, schema[key], (*loc, key), inside)
        if "$ref" in schema:
            target = schema["$ref"]
            alone = isinstance(target, str) and set(schema) == {"$ref"}
            if alone and target in self.shared and self.made > MOST_COPIES:
                return self.shared[target]
            self._fill_reference(own, schema["$ref"], (*loc, "$ref"), inside, here)
        return own

    def _value_of_key(self, key: str, value: Any, loc: Loc, inside: tuple[str, ...]) -> Any:
        """The value of a key of a schema, with the references of the schemas in it resolved.

        Of the whole document, `$defs` becomes empty, and is filled with what must stay; `definitions` stays as it is:
        no reference leads there any more.
        """
        if len(loc) == 1 and key == "$defs":
            return {}
        if len(loc) == 1 and key == "definitions":
            return value
        if key in MAPS and isinstance(value, Mapping):
            return {name: self._value(inner, (*loc, name), inside) for name, inner in value.items()}
        if key in LISTS and isinstance(value, list):
            return [self._value(inner, (*loc, index), inside) for index, inner in enumerate(value)]
        return self._value(value, loc, inside) if key in SINGLES else value

    def _value(self, value: Any, loc: Loc, inside: tuple[str, ...], here: Here = ()) -> Any:
        """A value in place of a schema: resolved where it is a schema, otherwise as it is."""
        return self.resolve(value, loc, inside, here) if isinstance(value, Mapping) else value

    # References

    def _fill_reference(self, own: Placed, reference: Any, loc: Loc, inside: tuple[str, ...], here: Here) -> None:
        """Merges what a reference leads to into the schema `own`. One that leads back into itself is kept, as a reference to `$defs`. One
        that cannot be followed is added to the problems, and `own` is `lost`. `inside` and `here` are as in `resolve`."""
        if not isinstance(reference, str):
            self.details.append(Detail(loc, f"$ref must be text; found {spell(reference)}", code="bad-reference"))
            own.lost = True
            return
        followed = dict(here)
        if reference in followed:
            hint = "let it describe a value, with type and properties"
            message = f'$ref "{reference}" leads to itself'
            self.details.append(Detail(followed[reference] or loc, message, hint, code="bad-reference"))
            own.lost = True
        elif reference in inside or reference == "#":
            own["$ref"] = self._kept_reference(reference)
            own.written["$ref"] = loc
        elif (filled := self._fill_in(reference, loc, inside, here)) is None:
            own.lost = True
        else:
            merge(own, filled)

    def _fill_in(self, reference: str, loc: Loc, inside: tuple[str, ...], here: Here) -> Placed | None:
        """The schema that a reference leads to, with its own references resolved, which is kept in `shared`; None where it leads nowhere,
        which is added to the problems. Once there are very many schemas, the one that is kept is given again. `inside` and `here` are as
        in `resolve`."""
        if reference in self.shared and self.made > MOST_COPIES:
            return self.shared[reference]
        target = self.target(reference, loc)
        if target is None:
            return None
        made = self.shared[reference] = self.resolve(*target, (*inside, reference), (*here, (reference, loc)))
        return made

    def _kept_reference(self, reference: str) -> str:
        """The new text of a reference that leads back to itself: to `$defs`, where its target stays. Notes the name of the target in
        `kept`."""
        if reference == "#":
            return reference
        if reference not in self.kept:
            stem = reference.rpartition("/")[2]
            name, number = stem, 2
            while name in self.kept.values():
                name, number = f"{stem}_{number}", number + 1
            self.kept[reference] = name
        return f"#/$defs/{self.kept[reference].replace('~', '~0').replace('/', '~1')}"

    def targets(self) -> Schema:
        """The schemas that must stay, resolved, by name. One may need another."""
        merged: Schema = {}
        while waiting := [reference for reference, name in self.kept.items() if name not in merged]:
            for reference in waiting:
                target = self.target(reference, ())
                merged[self.kept[reference]] = self.resolve(*target, (reference,), ((reference, None),)) if target else {}
        return merged

    def target(self, reference: str, loc: Loc) -> tuple[Mapping[str, Any], Loc] | None:
        """The schema that a reference leads to, with its place; None where it leads nowhere, which is added to `details`."""
        if not reference.startswith("#"):
            message = f'$ref "{reference}" leads to another document; only places in the same document are followed'
            hint = 'copy the other schema under "$defs" and write $ref: "#/$defs/NAME"'
            self.details.append(Detail(loc, message, hint, code="bad-reference"))
            return None
        steps = steps_of(reference)
        part = self._definition_with_anchor(reference[1:]) if steps is None else follow(self.root, steps)
        if part is None or not isinstance(part[0], Mapping):
            message = f'$ref "{reference}" leads nowhere' if part is None else f'$ref "{reference}" is no schema'
            self.details.append(Detail(loc, message, self._nearest_hint(reference), code="bad-reference"))
            return None
        return part

    def _definition_with_anchor(self, name: str) -> tuple[Any, Loc] | None:
        """The definition with this `$anchor` and its place; None where no definition of the root has it."""
        for key in ("$defs", "definitions"):
            for inner, value in _map_or_nothing(self.root.get(key)).items():
                if isinstance(value, Mapping) and value.get("$anchor") == name:
                    return value, (key, inner)
        return None

    def _nearest_hint(self, reference: str) -> str | None:
        """A hint with the definition that a reference probably means, or with all of them."""
        known = [f"#/{key}/{name}" for key in ("$defs", "definitions") for name in _map_or_nothing(self.root.get(key))]
        return suggestion(reference, known) or (f"known: {', '.join(known)}" if known else None)

    # Choices

    def _choose(self, own: Placed, key: str, value: Any, loc: Loc, inside: tuple[str, ...]) -> None:
        """Puts the alternatives under `anyOf` or `oneOf` into the schema `own`: null makes it nullable, a single other one is merged into
        it, and plain types become its `type`. Others stay alternatives."""
        if not isinstance(value, list):
            own[key] = value
            return
        branches = [self._value(branch, (*loc, index), inside) for index, branch in enumerate(value)]
        remaining = [branch for branch in branches if not _is_null(branch)]
        own.nullable = own.nullable or len(remaining) < len(branches)
        if len(remaining) == 1 and isinstance(remaining[0], Placed):
            self._merge_only_branch(own, remaining[0])
            return
        types = _plain_types(remaining)
        if types:
            own["type"] = types[0] if len(types) == 1 else types
            own.written["type"] = loc
        else:
            own[key] = remaining

    @staticmethod
    def _merge_only_branch(own: Placed, branch: Placed) -> None:
        """Merges the only branch of a choice into the schema `own`. What the branch says wins, but for what `own` says
        about evaluation."""
        for key in [key for key in own if key in branch and not _is_about_evaluation(key)]:
            if not isinstance(own[key], Mapping):
                del own[key]
        merge(own, branch)


def merge(first: Placed, second: object) -> None:
    """Adds to the schema `first`, in place, what `second` says of the same value. A second one that is no map adds nothing. Of what both
    say, required names, maps of schemas and single schemas are merged; of anything else the first wins.

    What stands inside the two stays as it is: it may stand in other places too.
    """
    if not isinstance(second, Mapping):
        return
    for key, value in second.items():
        if key not in first:
            first[key] = value
            first.written[key] = place_of(second, key, ())
        elif key == "required" and isinstance(value, list) and isinstance(first[key], list):
            first[key] = [*first[key], *(name for name in value if name not in first[key])]
        elif key in MAPS and isinstance(value, Mapping) and isinstance(first[key], Mapping):
            first[key] = _merge_maps(first[key], value)
        elif key in SINGLES and isinstance(first[key], Placed):
            first[key] = _merge_into_copy(first[key], value)
    if isinstance(second, Placed):
        first.nullable, first.lost = first.nullable or second.nullable, first.lost or second.lost


def _merge_maps(first: Mapping[str, Any], second: Mapping[str, Any]) -> Schema:
    """Two maps of schemas as one; schemas of one name are merged."""
    merged = {name: _merge_into_copy(inner, second.get(name)) for name, inner in first.items()}
    return {**merged, **{name: inner for name, inner in second.items() if name not in merged}}


def _merge_into_copy(first: object, second: object) -> object:
    """A new schema that merges two, of which the first one wins; the first itself where one of them is no schema."""
    if not isinstance(first, Placed) or not isinstance(second, Mapping):
        return first
    own = Placed(first.loc)
    own.update(first)
    own.written.update(first.written)
    own.nullable, own.lost = first.nullable, first.lost
    merge(own, second)
    return own


def _plain_copy(schema: Mapping[str, Any]) -> Schema:
    """A copy made of ordinary dicts and lists, in which nothing is shared. Raises BadSettings where it would be too
    large."""
    schemas = 0

    def copy_value(value: Any) -> Any:
        """A copy of one value, and of everything in it; each schema in it is added to the count `schemas`."""
        nonlocal schemas
        if isinstance(value, list):
            return [copy_value(inner) for inner in value]
        if not isinstance(value, Mapping):
            return copy.copy(value)
        schemas += 1
        refuse_too_many(schemas, own_place(value, ()))
        return {key: copy_value(inner) for key, inner in value.items()}

    return {key: copy_value(value) for key, value in schema.items()}


def refuse_too_many(schemas: int, loc: Loc) -> None:
    """Raises BadSettings where so many schemas are more than a person wrote: references that branch multiply."""
    if schemas > MOST_SCHEMAS:
        message = f"the schema is larger than {MOST_SCHEMAS:,} schemas once its references are filled in"
        hint = "references that branch at every level multiply"
        raise BadSettings([Detail(loc, message, hint, code="bad-schema")])


def _list_or_nothing(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _map_or_nothing(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_null(branch: object) -> bool:
    """Whether a branch says that a value is null, and nothing else."""
    if not isinstance(branch, Mapping):
        return False
    only = branch.get("enum", [branch.get("const", ...)])
    # `...` stands for no type at all; in YAML, `type: null` without quotes is None
    return branch.get("type", ...) in ("null", None, ["null"]) or only == [None]


def _plain_types(branches: Sequence[Any]) -> list[str]:
    """The types of branches that are all plain values; empty where one is an object or a list, or has evaluation settings."""
    types: list[str] = []
    for branch in branches:
        if not isinstance(branch, Mapping) or any(map(_is_about_evaluation, branch)):
            return []
        type_name = branch.get("type")
        listed = [name for name in (type_name if isinstance(type_name, list) else [type_name]) if name != "null"]
        if not listed or any(not isinstance(name, str) or name not in SCALARS for name in listed):
            return []
        types.extend(str(name) for name in listed if name not in types)
    return types


def _is_about_evaluation(key: str) -> bool:
    """Whether a keyword says how a value is compared, in either dialect."""
    return str(key).startswith("x-eval-") or key == "evaluation_config"


def steps_of(reference: str) -> list[str] | None:
    """The steps of a reference that is a JSON Pointer; None for the name of an anchor."""
    text = unquote(reference[1:])
    if text and not text.startswith("/"):
        return None
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


_LONG_INDEX: Final = 10
"""Digits of an index that no list has."""


def follow(root: object, steps: Sequence[str]) -> tuple[Any, Loc] | None:
    """The value that the steps lead to from the root, and its place; None where they lead nowhere."""
    node, loc = root, list[str | int]()
    for step in steps:
        if isinstance(node, Mapping) and step in node:
            node = node[step]
            loc.append(step)
        elif isinstance(node, list) and step.isdecimal() and len(step) < _LONG_INDEX and int(step) < len(node):
            node = node[int(step)]
            loc.append(int(step))
        else:
            return None
    return node, tuple(loc)
