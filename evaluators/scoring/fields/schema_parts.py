"""Schemas read into parts, for both dialects.

Strategy: references are filled in, then each schema becomes a *part*, once, with everything that it says of comparing;
that finds every problem before the first row. Parts refer to each other as the schema does, in a ring where it refers to
itself. The nodes are made from the parts on demand, each with its own path. What the words of a dialect say is read by the
dialect's own function, one part at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.settings import BadSettings, Detail, Loc, spell
from evaluators.scoring.fields.named_comparators import OF_LISTS, NeedsJudge, add_note, in_field, with_one_needs_judge
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.references import Placed, merge, own_place, place_of, refuse_too_many, resolve_references
from evaluators.scoring.fields.schema_keywords import copy_of
from evaluators.scoring.fields.tree import (
    ORDERED,
    UNDECLARED,
    Below,
    Compound,
    FieldNode,
    Kind,
    Metric,
    SchemaPath,
    Shape,
)
from evaluators.scoring.judges.judged_comparator import JudgedComparator
from evaluators.scoring.values.path_text import ANY, display
from evaluators.scoring.values.transforms import Transform

MOST_LEVELS: Final = 100
"""More than any schema that a person wrote; references that add to themselves have no end."""
_MOST_RULES: Final = 200
"""So many parts of an item are told to a judge."""


class AskedMetric(Struct, frozen=True):
    """One metric that a schema asks for, with where it is written."""

    metric_id: str
    params: Mapping[str, Any] = {}
    weight: Fraction = Fraction(1)
    loc: Loc = ()
    params_loc: Loc = ()

    @property
    def setting(self) -> object:
        """The metric as it is written in a suite: a word, or a map of the word and its options."""
        return {self.metric_id: dict(self.params)} if self.params else self.metric_id

    def is_same_as(self, other: AskedMetric) -> bool:
        """Whether another metric asks for the same comparison."""
        return (self.metric_id, self.params, self.weight) == (other.metric_id, other.params, other.weight)


class SchemaPart(Struct, eq=False):
    """One schema, read: a node without its path."""

    kind: Kind = "leaf"
    metrics: tuple[Metric, ...] = ()
    asked: tuple[AskedMetric, ...] = ()
    """The metrics as evaluation_config asks for them."""
    transforms: tuple[Transform, ...] = ()
    align: Align = ORDERED
    fallback_for: str | None = None
    compound: Compound | None = None
    weight: Fraction = Fraction(1)
    skip: bool = False
    shape: Shape = UNDECLARED
    keys: dict[str, SchemaPart] = {}
    others: SchemaPart | None = None
    items: SchemaPart | None = None
    branches: tuple[SchemaPart, ...] = ()

    def node(self, path: SchemaPath, outer: Fraction = Fraction(1)) -> FieldNode:
        """The node of this part at a path. What stands below is made when it is asked for; it counts with the weight of
        what it stands in."""
        metrics, weight = with_item_rules(self.metrics, self.items), self.weight * outer
        return FieldNode(
            path, self.kind, metrics, self.transforms, self.align, self.compound, weight, skip=self.skip,
            fallback_for=self.fallback_for, shape=self.shape, make=lambda: self._below(path, weight), origin=self,
        )  # fmt: skip

    def _below(self, path: SchemaPath, weight: Fraction) -> Below:
        """The nodes below a node: of declared keys, of other keys, of items, and of branches, which are at the place of the node itself."""
        return Below(
            {key: part.node((*path, key), weight) for key, part in self.keys.items()},
            self.others.node((*path, ANY), weight) if self.others else None,
            self.items.node((*path, ANY), weight) if self.items else None,
            tuple(part.node(path, weight) for part in self.branches),
        )


def with_item_rules(metrics: tuple[Metric, ...], items: SchemaPart | None) -> tuple[Metric, ...]:
    """The metrics of a list, where one that asks a judge about whole lists also tells it how the items are compared."""
    if items is None or not any(isinstance(metric.comparator, JudgedComparator) for metric in metrics):
        return metrics
    rules = _item_rules(items)
    return tuple(
        replace(metric, comparator=metric.comparator.with_item_rules(rules))
        if rules and isinstance(metric.comparator, JudgedComparator) and metric.name == OF_LISTS
        else metric
        for metric in metrics
    )


def _item_rules(items: SchemaPart) -> dict[str, str | list[str]]:
    """How each part of an item is compared, by its path in the item; the item itself has an empty one. The nearest parts come first, and
    no more are read once there are `_MOST_RULES` paths."""
    rules: dict[str, list[str]] = {}
    waiting: deque[tuple[SchemaPart, SchemaPath]] = deque([(items, ())])
    seen: set[int] = set()
    while waiting and len(rules) < _MOST_RULES:
        part, path = waiting.popleft()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if part.skip or part.metrics:
            known = rules.setdefault(display(path) if path else "", [])
            named = ["skip"] if part.skip else [metric.rule for metric in part.metrics]
            known.extend(rule for rule in named if rule not in known)
            continue
        waiting.extend((inner, (*path, key)) for key, inner in part.keys.items())
        waiting.extend((inner, (*path, ANY)) for inner in (part.others, part.items) if inner is not None)
        waiting.extend((inner, path) for inner in part.branches)
    return {path: known[0] if len(known) == 1 else known for path, known in rules.items()}


Fill: TypeAlias = Callable[["SchemaReading"], None]
"""Reads what a schema says into its part: one dialect."""


def read_parts(schema: object, context: Mapping[str, Any], fill: Fill) -> FieldNode:
    """The tree of a schema. Raises BadSettings with every problem, each with its place inside the schema."""
    resolved, details = resolve_references(schema)
    reader = SchemaReader(resolved, details, context, fill)
    root = reader.part(resolved, (), ())
    if reader.details:
        raise BadSettings(with_one_needs_judge(dict.fromkeys(reader.details)))
    return root.node(())


class SchemaReader:
    """Reads the schemas of one document into parts. `details` are the problems met."""

    def __init__(self, root: Placed, details: list[Detail], context: Mapping[str, Any], fill: Fill) -> None:
        """`root` is the whole schema with its references resolved, and `details` has the problems of that; `fill` reads the words of a
        dialect."""
        self.details = details
        self.context = context
        self.metrics: dict[str, Metric] = {}
        """Those that are shared, by how they are written."""
        self._root = root
        self._fill = fill
        self._parts: dict[tuple[int, bool], SchemaPart] = {}
        self._alive: list[object] = []  # parts are known by the id of their schema, which must not be used again
        self._following: set[tuple[str, SchemaPath]] = set()
        self.choosing: list[SchemaPart] = []
        """The choices whose branches are being read, one inside the other with nothing between."""

    def part(self, schema: object, loc: Loc, path: SchemaPath, idle: bool = False) -> SchemaPart:
        """The part that a schema becomes, made once for each schema. `path` names it in messages; an `idle` one is below a value that is
        compared as a whole. One that is no map, is nested too deeply or leads to itself is added to the problems, and its part is
        skipped. Raises BadSettings where there are too many schemas."""
        loc = own_place(schema, loc)
        if not isinstance(schema, Mapping):
            return self._refused_part(loc, f"a schema must be a map; found {spell(schema)}", None, "bad-schema")
        if len(path) + len(self.choosing) > MOST_LEVELS:
            message = f"the schema is nested more than {MOST_LEVELS} levels deep once its references are filled in"
            return self._refused_part(loc, message, "let references lead back without anything beside them")
        refuse_too_many(len(self._parts), loc)
        met: list[object] = []
        while list(schema) == ["$ref"]:
            if schema["$ref"] in met:
                return self._refused_circle(schema, loc)
            met.append(schema["$ref"])
            schema = self.target(schema)
        known = self._parts.get((id(schema), idle))
        if known is not None and known in self.choosing:
            message = "this choice leads to itself: it would be its own branch"
            return self._refused_part(
                loc, message, "let a branch describe a value, with type and properties", "bad-reference"
            )
        if known is not None:
            return known
        self._alive.append(schema)
        part = self._parts[id(schema), idle] = SchemaPart()
        self._read_into(part, schema, loc, path, idle)
        return part

    def _read_into(self, part: SchemaPart, schema: Mapping[str, Any], loc: Loc, path: SchemaPath, idle: bool) -> None:
        """Fills the new part of a schema, from the schema and what it refers to while it has keys beside the reference. One that leads back
        to itself is added to the problems, and its part is skipped. The other arguments are those of `part`."""
        followed: list[tuple[str, SchemaPath]] = []
        while "$ref" in schema:
            if (schema["$ref"], path) in self._following:
                self._refused_circle(schema, loc)
                part.skip = True
                break
            followed.append((schema["$ref"], path))
            self._following.add(followed[-1])
            own = copy_of(schema, loc, without=("$ref",))
            merge(own, self.target(schema))
            self._alive.append(own)
            schema = own
        else:
            self._fill(SchemaReading(self, part, schema, own_place(schema, loc), path, idle))
        self._following.difference_update(followed)

    def target(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema that a reference which was not filled in leads to."""
        if schema["$ref"] == "#":
            return self._root
        name = schema["$ref"].rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        definition: Mapping[str, Any] = self._root.get("$defs", {}).get(name, {})
        return definition

    def _refused_circle(self, schema: Mapping[str, Any], loc: Loc) -> SchemaPart:
        """Adds the problem that a reference leads to itself alone; gives the part of a schema that cannot be read."""
        message = f'$ref "{schema["$ref"]}" leads to itself and says nothing else'
        hint = "let it describe a value, with type and properties"
        return self._refused_part(place_of(schema, "$ref", loc), message, hint, "bad-reference")

    def _refused_part(self, loc: Loc, message: str, hint: str | None = None, code: str = "bad-setting") -> SchemaPart:
        """Adds a problem at a place; gives the part of a schema that cannot be read."""
        self.details.append(Detail(loc, message, hint, code=code))
        return SchemaPart(skip=True)


class SchemaReading(Struct):
    """One schema that is being read into its part."""

    reader: SchemaReader
    part: SchemaPart
    schema: Mapping[str, Any]
    loc: Loc
    path: SchemaPath
    """Names the schema in messages."""
    idle: bool
    """It is below what is compared as a whole."""

    @property
    def details(self) -> list[Detail]:
        """The problems met."""
        return self.reader.details

    @property
    def context(self) -> Mapping[str, Any]:
        """The settings of the suite beside the schema."""
        return self.reader.context

    @property
    def path_text(self) -> str:
        """The path as text, for messages."""
        return display(self.path)

    def read_branches(self, branches: Iterable[Mapping[str, Any]]) -> tuple[SchemaPart, ...]:
        """The parts of the branches of a choice."""
        self.reader.choosing.append(self.part)
        parts = tuple(self.reader.part(branch, self.loc, self.path, self.idle) for branch in branches)
        self.reader.choosing.pop()
        return parts

    def read_keys(self, idle: bool) -> None:
        """Reads the schemas of an object's keys, and the one of all its other keys.

        With true a key may have any value; with false it may have none, so that the key is not the schema's.
        """
        properties, others = self.schema.get("properties"), self.schema.get("additionalProperties")
        for key, inner in properties.items() if isinstance(properties, Mapping) else ():
            if inner is not False:
                path = (*place_of(self.schema, "properties", ()), key)
                described = Placed(path, anything=True) if inner is True else inner
                self.part.keys[str(key)] = self._below(described, path, str(key), idle)
        if isinstance(others, Mapping) and others:
            self.part.others = self._below(others, place_of(self.schema, "additionalProperties", ()), ANY, idle)

    def read_items(self, schema: Mapping[str, Any], idle: bool) -> None:
        """Reads the schema of a list's items; without one, items may be anything."""
        items, place = schema.get("items"), place_of(schema, "items", ())
        self.part.items = self._below(items if isinstance(items, Mapping) else Placed(place), place, ANY, idle)

    def _below(self, schema: object, path: Loc, step: object, idle: bool) -> SchemaPart:
        """The part that the schema of a key, or of the items, becomes; `step` leads there.

        A choice may lead back to itself through one of these, so the choices that are being read are set aside.
        """
        outer, self.reader.choosing = self.reader.choosing, []
        part = self.reader.part(schema, path, (*self.path, step), idle)
        self.reader.choosing = outer
        return part

    def add_problems(self, details: Iterable[Detail], path: Loc) -> None:
        """Adds the problems of what is written at a place. A value that is not compared needs no judge, so a problem
        that says so is dropped."""
        remaining = [detail for detail in details if not (self.idle and isinstance(detail, NeedsJudge))]
        self.details.extend(detail.under(*path) for detail in in_field(remaining, self.path_text))

    def note(self, note: str) -> None:
        """Adds a remark to those of the context, once."""
        add_note(self.context, note)
