"""The evaluation_config dialect: a JSON Schema that says of each field which metrics compare it.

Strategy: references are filled in first. Then the schema is read once, each of its schemas into a `Plan`: every problem
is gathered, with its place, before any row. The tree of nodes is made of plans, level by level as it is asked for, so
that a schema may refer to itself.

A field that names no metric is compared as its type is: text by `string_semantic`, a number by `number_tolerance`, a
whole number by `integer_exact`, a boolean by `boolean_exact`, an object key by key. An array is aligned, and its items
are compared with their own metrics. `context["defaults"]` replaces these by JSON type.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeVar

from evaluators.fields.align import Align
from evaluators.fields.dialects import EVALUATION_CONFIG, unwrap
from evaluators.fields.evaluation_config.config_words import NO_WORDS, AskedMetric, Words, read_words
from evaluators.fields.evaluation_config.schemas import (
    OF_A_VALUE,
    bad_types,
    branches_of,
    copy_of,
    kind_of,
    shape_of,
    types_of,
    with_words,
)
from evaluators.fields.judge_fallbacks import OF_LISTS, NeedsJudge, said_once
from evaluators.fields.metrics import SEVERAL, knowing_items, refuse_list_metric, resolve_alignment, resolve_metric
from evaluators.fields.references import MOST_SCHEMAS, Placed, as_problems, merge, own_place, place_of, resolve_as_far
from evaluators.fields.tree import ORDERED, Below, FieldNode, Kind, Metric, SchemaPath, Shape
from evaluators.judges.judged_comparator import JudgedComparator
from evaluators.settings import BadSettings, Detail, Loc, spell
from evaluators.value_class import dataclass, field, replace
from evaluators.values.path_text import ANY
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
MOST_LEVELS: Final = 100
"""A schema that adds to itself at every level is refused there; one that only leads back is as deep as the documents are."""
ALIGNED: Final = Align("hungarian")

Target: TypeAlias = tuple[str, int]
Found = TypeVar("Found")


@dataclass(slots=True, eq=False)
class MetricPlan:
    """What one schema asks for, wherever it is used. `same_as` is another plan, where a schema refers back to it."""

    kind: Kind = "leaf"
    metrics: tuple[Metric, ...] = ()
    asked: tuple[AskedMetric, ...] = ()
    weight: Fraction = Fraction(1)
    skip: bool = False
    align: Align = ORDERED
    stands_for: str | None = None
    shape: Shape = field(default_factory=Shape)
    keys: dict[str, MetricPlan] = field(default_factory=dict)
    others: MetricPlan | None = None
    items: MetricPlan | None = None
    branches: tuple[MetricPlan, ...] = ()
    same_as: Target | None = None


def read_evaluation_config(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The tree of an evaluation_config schema.

    The context is the one of `fields:`: `comparators`, `defaults`, `without_judge`, `judge`. Raises BadSettings with
    every problem, each with its place in the schema.
    """
    inner, loc = unwrap(schema)
    try:
        return _ConfigReader(*resolve_as_far(inner), context or {}).tree()
    except BadSettings as error:
        raise BadSettings(detail.under(*loc) for detail in error.details) from error


def parse_evaluation_config(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The same for programs: raises Problems (config), each with the JSON Pointer of its place in the schema."""
    try:
        return read_evaluation_config(schema, context)
    except BadSettings as error:
        raise as_problems(error) from error


class _ConfigReader:
    """One reading of a schema. `details` are its problems and `targets` the plans of what it refers back to."""

    def __init__(self, root: Placed, details: list[Detail], context: Mapping[str, Any]) -> None:
        self.root = root
        self.context = context
        self.details = details
        self.targets: dict[Target, MetricPlan | None] = {}
        self.told: dict[Target, MetricPlan | None] = {}
        """Those that only lists refer to whose judge is told of them."""
        self.known: dict[int, tuple[MetricPlan, object]] = {}
        """By the id of a schema: its plan, and the schema itself, so that the id is not used again."""
        self.followed: set[tuple[str, SchemaPath]] = set()
        """The references that are being followed, each with the place of the value that it is about."""
        self.choices: list[tuple[MetricPlan, Loc]] = []
        """The choices that were read, each with its place."""

    def tree(self) -> FieldNode:
        """The tree. Raises BadSettings with what is wrong anywhere."""
        plan = self.targets["#", 0] = MetricPlan()
        found = self.plan(self.root, ())
        for name in MetricPlan.__slots__:
            setattr(plan, name, getattr(found, name))
        self.refuse_circle(("#", 0), self.root)
        self.refuse_own_branches()
        if self.details:
            raise BadSettings(said_once(dict.fromkeys(self.details)))
        return self.node(plan, (), Fraction(1))

    # Nodes

    def node(self, plan: MetricPlan, path: SchemaPath, weight: Fraction) -> FieldNode:
        """The node of a plan at a path. What stands below counts with the weight of what it stands in."""
        plan = self.found(plan)
        weight *= plan.weight
        deep = not plan.skip and not plan.metrics and plan.kind != "leaf"
        return FieldNode(
            path,
            plan.kind,
            knowing_items(plan.metrics, plan.items, self.item_part),
            align=plan.align,
            weight=weight,
            skip=plan.skip,
            stands_for=plan.stands_for,
            shape=plan.shape,
            make=(lambda: self.below(plan, path, weight)) if deep else None,
            origin=plan,
        )

    def below(self, plan: MetricPlan, path: SchemaPath, weight: Fraction) -> Below:
        """What stands below the node of a plan."""
        return Below(
            {key: self.node(inner, (*path, key), weight) for key, inner in plan.keys.items()},
            None if plan.others is None else self.node(plan.others, (*path, ANY), weight),
            None if plan.items is None else self.node(plan.items, (*path, ANY), weight),
            tuple(self.node(branch, path, weight) for branch in plan.branches),
        )

    def item_part(self, plan: MetricPlan) -> MetricPlan:
        """The same below a list that is compared as a whole; nothing is said of what was not read."""
        while plan.same_as is not None:
            plan = self.targets.get(plan.same_as) or self.told.get(plan.same_as) or MetricPlan()
        return plan

    def found(self, plan: MetricPlan) -> MetricPlan:
        """The plan itself, or the one that it is the same as."""
        while plan.same_as is not None:
            plan = self.targets[plan.same_as] or MetricPlan(skip=True)
        return plan

    # Plans

    def plan(self, schema: Mapping[str, Any], path: SchemaPath) -> MetricPlan:
        """What one schema asks for. Its problems are noted, once for a schema that stands in several places."""
        known = self.known.get(id(schema))
        if known is None:
            known = self.known[id(schema)] = self.made(schema, path), schema
        return known[0]

    def made(self, schema: Mapping[str, Any], path: SchemaPath) -> MetricPlan:
        """What a schema asks for that was not met before."""
        loc = own_place(schema, ())
        if len(path) > MOST_LEVELS:
            message = f"the schema is nested more than {MOST_LEVELS} levels deep once its references are filled in"
            self.details.append(Detail(loc, message, "let references lead back without anything beside them"))
            return MetricPlan(skip=True)
        if len(self.known) > MOST_SCHEMAS:
            message = f"the schema is larger than {MOST_SCHEMAS:,} schemas once its references are filled in"
            hint = "references that branch at every level multiply"
            raise BadSettings([Detail(loc, message, hint, code="bad-schema")])
        if "$ref" in schema:
            return self.referred(schema, path)
        self.details.extend(bad_types(schema))
        words = self.words(schema, loc)
        if words.skip or (isinstance(schema, Placed) and schema.lost):
            return MetricPlan(kind_of(schema), skip=True, weight=words.weight, shape=shape_of(schema))
        branches = branches_of(schema)
        if branches:
            return self.choice(schema, words, branches, path)
        kind = kind_of(schema)
        if words.metrics is not None:
            return self.asked(schema, words, kind, path)
        return self.by_type(schema, words, kind, path)

    def referred(self, schema: Mapping[str, Any], path: SchemaPath) -> MetricPlan:
        """What a reference that leads back asks for, together with what stands beside it."""
        reference = schema["$ref"]
        target = self.root if reference == "#" else self.root["$defs"][reference.removeprefix("#/$defs/")]
        beside = any(key in schema for key in OF_A_VALUE if key != "$ref")
        key = (reference, id(schema) if beside else 0)
        if key in self.targets:
            return MetricPlan(same_as=key)
        if (reference, path) in self.followed:
            self.refuse(schema)
            return MetricPlan(skip=True)
        self.targets[key] = None
        merged = target
        if beside:
            merged = copy_of(schema, without=("$ref",))
            merge(merged, target)
        self.followed.add((reference, path))
        self.targets[key] = self.plan(merged, path)
        self.followed.discard((reference, path))
        self.refuse_circle(key, schema)
        return MetricPlan(same_as=key)

    def refuse(self, schema: Mapping[str, Any]) -> None:
        """Notes a reference that only leads back to itself."""
        message = f'$ref "{schema["$ref"]}" leads to itself and says nothing else'
        self.details.append(Detail(place_of(schema, "$ref", ()), message, code="bad-reference"))

    def refuse_circle(self, key: Target, schema: Mapping[str, Any]) -> None:
        """Notes a reference that only leads back to itself, and gives it a plan."""
        if self.leads_nowhere(key):
            self.refuse(schema)
            self.targets[key] = MetricPlan(skip=True)

    def leads_nowhere(self, key: Target) -> bool:
        """Following the plans that are the same as others, from this one, never ends."""
        seen = {key}
        plan = self.targets[key]
        while plan is not None and plan.same_as is not None:
            if plan.same_as in seen:
                return True
            seen.add(plan.same_as)
            plan = self.targets[plan.same_as]
        return False

    def asked(self, schema: Mapping[str, Any], words: Words, kind: Kind, path: SchemaPath) -> MetricPlan:
        """A schema that names its metrics: one unit, unless an alignment stands in for the judge of its list."""
        asked = tuple(_address(one, schema, len(words.metrics or ())) for one in words.metrics or ())
        if kind == "array" and len(asked) == 1 and asked[0].metric_id == OF_LISTS:
            align = self.guarded(asked[0], lambda: resolve_alignment(asked[0].spelled, self.context))
            if align is not None:
                plan = self.array(schema, path, align)
                return replace(plan, stands_for=OF_LISTS, weight=words.weight * asked[0].weight)
        asked = self.without_list_metrics(asked, types_of(schema) or (frozenset() if kind == "leaf" else {kind}))
        metrics = tuple(one for one in (self.metric(one, types_of(schema), path) for one in asked) if one)
        items = self.look_below(schema, kind, path, compared=bool(metrics))
        return MetricPlan(kind, metrics, asked, words.weight, shape=shape_of(schema), items=items)

    def without_list_metrics(self, asked: tuple[AskedMetric, ...], types: Collection[str]) -> tuple[AskedMetric, ...]:
        """The metrics that a value of these types can have. Those of whole lists that it cannot have are noted."""
        found = []
        for one in asked:
            try:
                refuse_list_metric(one.metric_id, types, self.context)
                found.append(one)
            except BadSettings as error:
                self.details.extend(_placed(detail, one) for detail in error.details)
        return tuple(found)

    def look_below(self, schema: Mapping[str, Any], kind: Kind, path: SchemaPath, *, compared: bool) -> MetricPlan | None:
        """Notes what is wrong below a place that names its own metrics; gives what the items of a list ask for.

        Where the place is `compared`, nothing below it needs a judge of its own.
        """
        if kind == "leaf":
            return None
        known, targets = len(self.details), dict(self.targets)
        plan = self.object(schema, path) if kind == "object" else self.array(schema, path, ALIGNED)
        if compared:
            self.details[known:] = [one for one in self.details[known:] if not isinstance(one, NeedsJudge)]
            self.told |= self.targets
            self.targets = targets  # read once more where they count
        return plan.items

    def by_type(self, schema: Mapping[str, Any], words: Words, kind: Kind, path: SchemaPath) -> MetricPlan:
        """A schema that names no metric: what its type says."""
        types = types_of(schema)
        name = kind if kind != "leaf" else next(iter(types - {"null"}), "null")
        defaults: Mapping[str, Any] = self.context.get("defaults") or {}
        if types and name in defaults:
            return self.replaced(schema, words, kind, defaults[name], path)
        if kind == "object":
            return replace(self.object(schema, path), weight=words.weight)
        if kind == "array":
            return replace(self.array(schema, path, ALIGNED), weight=words.weight)
        word = OF_TYPES[name] if types else OF_ANYTHING
        return self.asked(schema, replace(words, metrics=(AskedMetric(word, loc=own_place(schema, ())),)), kind, path)

    def replaced(self, schema: Mapping[str, Any], words: Words, kind: Kind, spelled: Any, path: SchemaPath) -> MetricPlan:
        """A schema of a type for which the suite names a comparator."""
        return self.asked(schema, replace(words, metrics=(_default(schema, spelled),)), kind, path)

    def object(self, schema: Mapping[str, Any], path: SchemaPath) -> MetricPlan:
        """An object, key by key."""
        properties = schema.get("properties")
        keys: dict[str, MetricPlan] = {}
        for key, inner in properties.items() if isinstance(properties, Mapping) else ():
            place = (*place_of(schema, "properties", ()), key)
            if isinstance(inner, Mapping):
                keys[key] = self.plan(inner, (*path, key))
            elif inner is True:  # any value, which is compared as a whole
                keys[key] = self.plan(Placed(place), (*path, key))
            elif inner is not False:  # with false no value is allowed there, so the key is not the schema's
                self.details.append(Detail(place, f"a schema must be a map; found {spell(inner)}", code="bad-schema"))
        others = schema.get("additionalProperties")
        return MetricPlan(
            "object",
            shape=shape_of(schema),
            keys=keys,
            others=self.plan(others, (*path, ANY)) if isinstance(others, Mapping) and others else None,
        )

    def array(self, schema: Mapping[str, Any], path: SchemaPath, align: Align) -> MetricPlan:
        """An array, item by item. Items of which nothing is said are compared exactly."""
        items = schema.get("items")
        inner = items if isinstance(items, Mapping) else Placed(place_of(schema, "items", ()))
        return MetricPlan("array", align=align, shape=shape_of(schema), items=self.plan(inner, (*path, ANY)))

    def choice(self, schema: Mapping[str, Any], words: Words, branches: list[Placed], path: SchemaPath) -> MetricPlan:
        """A value of several types: one unit where all of them are compared alike, else the best-fitting branch."""
        shape = replace(shape_of(schema), types=frozenset().union(*(types_of(branch) for branch in branches)))
        several: Mapping[str, Any] = self.context.get("defaults") or {}
        if words.metrics is None and SEVERAL in several and _of_several_types(shape, branches):
            words = replace(words, metrics=(_default(schema, several[SEVERAL]),))
        if words.metrics is not None and not self._aligned_instead(words.metrics, branches, path):
            return replace(self.unit(branches, words.metrics, shape, path), weight=words.weight)
        if words.metrics is not None:
            branches = [with_words(branch, schema) if kind_of(branch) == "array" else branch for branch in branches]
        known = len(self.details)
        plans = tuple(self.plan(branch, path) for branch in branches)
        asked = [self.found(plan).asked for plan in plans]
        first = asked[0][0] if asked[0] else None
        if first is not None and all(len(one) == 1 and one[0].alike(first) for one in asked):
            del self.details[known:]  # read once more, as one unit
            return replace(self.unit(branches, (first,), shape, path), weight=words.weight)
        made = MetricPlan("choice", weight=words.weight, shape=shape, branches=plans)
        self.choices.append((made, own_place(schema, ())))
        return made

    def refuse_own_branches(self) -> None:
        """Notes choices that lead to themselves with nothing between."""
        for choice, loc in self.choices:
            waiting, seen = [*choice.branches], {id(choice)}
            while waiting:
                branch = self.found(waiting.pop())
                if branch.branches is choice.branches:  # a copy of it, where it is the root
                    message = "this choice leads to itself: it would be its own branch"
                    hint = "let a branch describe a value, with type and properties"
                    self.details.append(Detail(loc, message, hint, code="bad-reference"))
                    break
                if branch.kind == "choice" and id(branch) not in seen:
                    seen.add(id(branch))
                    waiting.extend(branch.branches)

    def unit(self, branches: list[Placed], asked: tuple[AskedMetric, ...], shape: Shape, path: SchemaPath) -> MetricPlan:
        """A value of several types, compared as one."""
        types = [types_of(branch) or ({kind} if (kind := kind_of(branch)) != "leaf" else set()) for branch in branches]
        asked = self.without_list_metrics(asked, frozenset().union(*types) if all(types) else ())
        metrics = tuple(one for one in (self.metric(one, shape.types, path) for one in asked) if one)
        lists = [branch for branch in branches if kind_of(branch) == "array"]
        of_lists = any(one.metric_id == OF_LISTS for one in asked) and bool(lists)
        items = self.look_below(lists[0], "array", path, compared=bool(metrics)) if of_lists else None
        return MetricPlan("leaf", metrics, asked, shape=shape, items=items)

    def _aligned_instead(self, asked: tuple[AskedMetric, ...], branches: list[Placed], path: SchemaPath) -> bool:
        """An alignment stands in for the judge of a list that is one branch of a choice."""
        if len(asked) != 1 or asked[0].metric_id != OF_LISTS or "array" not in map(kind_of, branches):
            return False
        return self.guarded(asked[0], lambda: resolve_alignment(asked[0].spelled, self.context)) is not None

    # Metrics

    def words(self, schema: Mapping[str, Any], loc: Loc) -> Words:
        """The schema's own words about evaluation."""
        if EVALUATION_CONFIG not in schema:
            return NO_WORDS
        try:
            return read_words(schema[EVALUATION_CONFIG], place_of(schema, EVALUATION_CONFIG, loc))
        except BadSettings as error:
            self.details.extend(error.details)
            return Words(skip=True)

    def metric(self, asked: AskedMetric, types: frozenset[str], path: SchemaPath) -> Metric | None:
        """A metric that compares values of these types; None where it cannot be used, which is noted."""
        if asked.metric_id in NUMBERS and "parse" not in asked.params and (not types or "string" in types):
            asked = replace(asked, params={**asked.params, "parse": True})
        name = Path(path).canonical
        found = self.guarded(asked, lambda: resolve_metric(asked.spelled, self.context, name, asked.weight))
        if found is not None and isinstance(found.comparator, JudgedComparator):
            return replace(found, comparator=found.comparator.null_differs())
        return found

    def guarded(self, asked: AskedMetric, resolve: Callable[[], Found]) -> Found | None:
        """What `resolve` gives. Its complaints are noted at their place in the schema, and None stands for it."""
        try:
            return resolve()
        except BadSettings as error:
            self.details.extend(_placed(detail, asked) for detail in error.details)
            return None


def _default(schema: Mapping[str, Any], spelled: Any) -> AskedMetric:
    """What the suite names for a JSON type, asked for at a schema of that type."""
    word, params = next(iter(spelled.items())) if isinstance(spelled, Mapping) and spelled else (spelled, None)
    return AskedMetric(str(word), params or {}, loc=own_place(schema, ()))


def _of_several_types(shape: Shape, branches: list[Placed]) -> bool:
    """Whether a value is plain, of more than one type, and no branch says how it is compared."""
    plain = all(kind_of(branch) == "leaf" and not branch.keys() & {EVALUATION_CONFIG, "$ref"} for branch in branches)
    return plain and len(shape.types - {"null"}) > 1 and shape.types - {"null"} != {"integer", "number"}


def _address(asked: AskedMetric, schema: Mapping[str, Any], metrics: int) -> AskedMetric:
    """A web address that is to be the same text is to be the same address."""
    address = metrics == 1 and asked.metric_id == "string_exact" and schema.get("format") in ADDRESSES
    return replace(asked, metric_id="string_url") if address else asked


def _placed(detail: Detail, asked: AskedMetric) -> Detail:
    """A complaint about a metric, at its place in the schema."""
    if detail.loc[:1] == (asked.metric_id,):
        rest = detail.loc[1:]
        return replace(detail, loc=(*asked.params_loc, *rest) if rest else asked.loc)
    return replace(detail, loc=(*asked.loc, *detail.loc))
