"""Gather: both documents are walked along the tree, the items of arrays are paired, and units are listed with their sides.

Every place is opened one level at a time: a *visit* (a node, a place, and what each side has there) turns into what is
known at once (units, arrays, places outside the schema) and further visits. A side that has nothing is MISSING, so the
leaves that only one side has are found by the same walk. The visits wait on a list, not on the stack: documents may be
nested as deeply as they can be read.

Who looks for what is wrong gives a *search*: places that it does not look for are not opened, nor are equal ones where
what is equal cannot be wrong. What chooses a branch, or weighs two items, looks at all of both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from evaluators.fields.counts import MEASURED
from evaluators.fields.gain_columns import weigher
from evaluators.fields.gains import Worth
from evaluators.fields.instance_paths import InstancePath, Unpaired
from evaluators.fields.marks import leaves_of_node
from evaluators.fields.pair import Paired, pair_items
from evaluators.fields.searching import PairSearch
from evaluators.fields.tree import Compound, FieldNode, Kind, SchemaPath
from evaluators.fields.units import Found, Listed, Outside, Unit
from evaluators.fields.weighing import Fit, Scales
from evaluators.model import MISSING, Status
from evaluators.value_class import NamedTuple
from evaluators.values.equality import same
from evaluators.values.paths import ANY, Step

Side: TypeAlias = Any  # JSON or MISSING
Content: TypeAlias = Literal["missing", "null", "empty", "full", "other"]
KEPT: Final = 400
"""Of so many pairs of items at most, what was gathered to weigh them is kept for those that are chosen."""


class Visit(NamedTuple):
    """A place to open: a node of the tree, and what each side has there."""

    node: FieldNode
    location: InstancePath
    expected: Side
    output: Side
    others: tuple[Any, ...] = ()
    """Inside an item without a partner: what the expected items of its list have there. Their keys are not made up."""
    siblings: Sequence[FieldNode] = ()
    """The branches of the choice that the node is one of."""


class Extra(NamedTuple):
    """A place to open that the schema does not know, and only the output has."""

    location: InstancePath
    path: SchemaPath
    output: Side
    elsewhere: bool = False
    """Another branch of the schema knows it."""


Thing: TypeAlias = Found | Visit | Extra


def gather(root: FieldNode, expected: Side, output: Side, search: PairSearch | None = None) -> list[Found]:
    """Everything that both documents come to, in document order; with a search, at least what it looks for."""
    return _Gathering(search).found(Visit(root, (), expected, output))


class _Gathering:
    """One row's walk. It keeps the rules that weigh branches and pairs."""

    def __init__(self, search: PairSearch | None) -> None:
        self.scales = Scales()
        self.search = search
        """What is looked for; None while all has to be looked at."""
        self.asks = True
        """Lists may ask about the items that are left over. While pairs are only weighed, the lists inside them may not."""
        self.passed_over = False
        """A list that would have asked did not, since `passed_over` was last set to False."""
        self.choices: dict[Hashable, tuple[list[Found], bool]] = {}
        """What a choice came to at its place. Branches that are alike lead to the same choices further down, again and again."""

    def everything(self, *first: Thing) -> list[Found]:
        """What some things come to, all of it."""
        search, self.search = self.search, None
        try:
            return self.found(*first)
        finally:
            self.search = search

    def found(self, *first: Thing) -> list[Found]:
        """What some things come to, as far as it is looked for."""
        found: list[Found] = []
        pending: list[Thing] = [*reversed(first)]
        while pending:
            thing = pending.pop()
            if isinstance(thing, Visit):
                pending.extend(reversed(self.opened(thing)))
            elif isinstance(thing, Extra):
                pending.extend(reversed(_opened_extra(thing)))
            else:
                found.append(thing)
        return found

    def opened(self, visit: Visit) -> Sequence[Thing]:
        """What a place turns into."""
        node = visit.node
        if self.search is not None and self.search.passes(node, visit.expected, visit.output):
            return ()
        if visit.expected is MISSING and visit.output is MISSING:
            return _absent(visit)
        if node.skip:
            return [_own(visit, Status.SKIPPED)]
        if node.unit:
            return _units(visit)
        return self.chosen(visit) if node.kind == "choice" else self.container(visit)

    def chosen(self, visit: Visit) -> Sequence[Thing]:
        """The best-fitting branch of a choice: to open where there is no other, else gathered."""
        siblings = (*visit.siblings, *visit.node.below.branches)
        branches = [visit._replace(node=branch, siblings=siblings) for branch in _fitting(visit)]
        if len(branches) < 2:
            return branches
        node, others = visit.node, tuple(map(id, visit.others))
        sides = id(visit.expected), id(visit.output)
        place = id(node.origin or node), node.weight, node.path, visit.location, *sides, others, self.asks
        if place not in self.choices:
            before, self.passed_over = self.passed_over, False
            found = self.best(branches)
            self.choices[place] = found, self.passed_over
            self.passed_over = before
        found, passed_over = self.choices[place]
        self.passed_over = self.passed_over or passed_over
        return found

    def best(self, branches: Sequence[Visit]) -> list[Found]:
        """What the branch comes to that fits best, of several."""
        best_fit, chosen = None, list[Found]()
        for branch in branches:
            found = self.everything(branch)
            units = list(_units_of(found))
            unreadable = sum(unit.unreadable is not None for unit in units)
            fit = Fit.of(self.scales.tally(units), sum(isinstance(one, Outside) for one in found), unreadable)
            if best_fit is None or fit > best_fit:
                best_fit, chosen = fit, found
        return chosen

    def container(self, visit: Visit) -> Sequence[Thing]:
        """An object or an array that is looked into: its own result, or what stands below it."""
        node, _, expected, output, *_ = visit
        match content(node.kind, expected), content(node.kind, output):
            case "full", "other":
                return [*self.inside(visit._replace(output=MISSING), visit), _own(visit, Status.HALLUCINATION)]
            case ("null" | "empty") as bare, "full" if visit.location or bare == "null":
                found = self.everything(*self.inside(visit, visit))
                if any(unit.status is None or unit.status in MEASURED for unit in _units_of(found)):
                    return found
                return [*found, _own(visit, Status.HALLUCINATION if bare == "null" else Status.MATCH)]
            case ("full", _) | ("missing" | "null" | "empty", "full"):
                return self.inside(visit, visit)
            case "empty", "empty" if not visit.location and node.kind == "object":
                return self.inside(visit, visit)
            case "missing" | "null", "other":
                if _has_leaves(output):
                    own: Thing = Extra(visit.location, node.path, output)
                else:
                    own = _own(visit, Status.HALLUCINATION)
            case ("missing", _) | ("null", "empty"):
                own = _own(visit, Status.HALLUCINATION)
            case ("null", "null") | ("empty", "empty"):
                own = _own(visit, Status.MATCH)
            case _, "missing" | "null":
                own = _own(visit, Status.OMISSION)
            case _:
                own = _own(visit, Status.MATCH if same(expected, output) else Status.MISMATCH)
        return [_listed(visit), own] if node.kind == "array" else [own]

    def inside(self, visit: Visit, whole: Visit) -> Sequence[Thing]:
        """What stands below a container. A side without contents of its kind has nothing there."""
        if visit.node.kind == "object":
            return [*self.compound(visit), *_keys(visit)]
        expected: list[Any] = visit.expected if isinstance(visit.expected, list) else []
        output: list[Any] = visit.output if isinstance(visit.output, list) else []
        item = visit.node.below.items
        if item is None:
            return [_listed(whole), *_undeclared_items(visit, expected, output)]
        kept: dict[tuple[int, int], list[Found]] = {}
        paired = self.paired(visit, item, expected, output, kept)
        return [_listed(whole, paired), *_items(visit, item, expected, output, paired, kept)]

    def compound(self, visit: Visit) -> Sequence[Unit]:
        """The keys that an object has compared as one value, at the object's own place."""
        node, location, expected, output, *_ = visit
        if node.compound is None:
            return []
        ours, theirs = _picked(node.compound, expected), _picked(node.compound, output)
        if not ours and not theirs:
            return []
        status = None if ours and theirs else Status.OMISSION if ours else Status.HALLUCINATION
        transforms, metric = node.compound_transforms, node.compound.metric
        sides = ours or MISSING, theirs or MISSING
        return [Unit(location, node.path, *sides, status, metric, transforms, node.weight, ask=node.compound_reader)]

    def paired(
        self,
        visit: Visit,
        item: FieldNode,
        expected: list[Any],
        output: list[Any],
        kept: dict[tuple[int, int], list[Found]],
    ) -> Paired:
        """Which items go together. What was gathered to find that out goes to `kept`, where there is room."""
        room = len(expected) * len(output) <= KEPT

        def weigh(row: int, column: int) -> Worth:
            found, whole = self.weighed(_pair(visit, item, row, expected[row], output[column]))
            if room and whole:
                kept[row, column] = found
            return self.scales.worth(_units_of(found), expected[row], output[column])

        def weigh_asking(row: int, column: int) -> Worth:
            found, _ = self.weighed(_pair(visit, item, row, expected[row], output[column]))
            return self.scales.worth(_units_of(found), expected[row], output[column], asking=True)

        align = visit.node.align
        if align.ask is not None and not self.asks:
            self.passed_over = True
        at_once = item.once(weigher) if align.free else None
        table = partial(at_once, expected, output) if at_once is not None else None
        ask = weigh_asking if self.asks else None
        leaves = leaves_of_node(item)
        return pair_items(align, expected, output, weigh, table, ask, visit.node.pairing_cost, leaves)

    def weighed(self, pair: Visit) -> tuple[list[Found], bool]:
        """Everything that a pair of items comes to while it is weighed, and whether it would be the same for good."""
        asks, passed_over = self.asks, self.passed_over
        self.asks = self.passed_over = False
        try:
            return self.everything(pair), not self.passed_over
        finally:
            self.asks, self.passed_over = asks, passed_over


def content(kind: Kind, value: Side) -> Content:
    """What one side has where a container is declared. `other` is anything else than null and the declared kind."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if value.__class__ is not (dict if kind == "object" else list):
        return "other"
    return "full" if value else "empty"


def _has_leaves(value: Side) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _units_of(found: Iterable[Found]) -> Iterator[Unit]:
    return (each for each in found if isinstance(each, Unit))


def _own(visit: Visit, status: Status) -> Unit:
    """A result of the place itself."""
    node = visit.node
    return Unit(visit.location, node.path, visit.expected, visit.output, status, place_weight=node.weight)


def _listed(visit: Visit, paired: Paired | None = None) -> Listed:
    return Listed(visit.location, visit.node, visit.expected, visit.output, paired)


def _units(visit: Visit) -> list[Unit]:
    """A unit, once per metric. Presence decides first."""
    node, location, expected, output, *_ = visit
    status = Status.OMISSION if output is MISSING else Status.HALLUCINATION if expected is MISSING else None
    return [
        Unit(location, node.path, expected, output, status, metric, node.transforms, node.weight, ask=ask)
        for metric, ask in zip(node.metrics, node.readers, strict=True)
    ]


def _absent(visit: Visit) -> Sequence[Thing]:
    """A place that neither side has: nothing, unless it is required.

    A required container stands for the required places below it, and for itself where there are none.
    """
    node = visit.node
    if node.skip or not node.required:
        return []
    if node.unit:
        return _units(visit)
    if node.kind == "choice":
        return [_own(visit, Status.OMISSION)]
    below = node.below
    places: list[tuple[Step, FieldNode]] = [(key, child) for key, child in below.keys.items()]
    if below.items is not None:
        places.append((ANY, below.items))
    required: list[Thing] = [
        Visit(child, (*visit.location, step), MISSING, MISSING) for step, child in places if child.required
    ]
    return required or [_own(visit, Status.OMISSION)]


def _fitting(visit: Visit) -> Sequence[FieldNode]:
    """The branches that are worth a closer look.

    Those of the kind that the expected value has (the output's, where nothing is expected), or all when there are none;
    and of these the ones that lack the fewest keys of an expected object.
    """
    branches, expected = distinct(visit.node.below.branches), visit.expected
    value = visit.output if expected is MISSING or expected is None else expected
    kind = {dict: "object", list: "array"}.get(value.__class__, "leaf")
    alike = [branch for branch in branches if branch.kind in (kind, "choice")] or branches
    if len(alike) < 2 or not isinstance(expected, dict):
        return alike
    known: dict[int, int] = {}
    lacking = [_lacking(branch, expected, known) for branch in alike]
    least = min(lacking)
    return [branch for branch, lacks in zip(alike, lacking, strict=True) if lacks == least]


def distinct(branches: Sequence[FieldNode]) -> Sequence[FieldNode]:
    """The branches of a choice, those that are the same schema once."""
    return tuple({id(branch.origin or branch): branch for branch in reversed(branches)}.values())[::-1]


def _lacking(branch: FieldNode, expected: Mapping[str, Any], known: dict[int, int]) -> int:
    """How many keys of an object a branch does not know. `known` are the answers for choices: many may lead to the same one."""
    if branch.unit or branch.skip:
        return 0
    if branch.kind != "choice":
        return _unknown_keys(branch, expected)
    same_choice = id(branch.origin or branch)
    if same_choice not in known:
        inner = distinct(branch.below.branches)
        known[same_choice] = min((_lacking(each, expected, known) for each in inner), default=len(expected))
    return known[same_choice]


def _unknown_keys(branch: FieldNode, expected: Mapping[str, Any]) -> int:
    below = branch.below
    if below.others is not None:
        return 0
    listed = branch.compound.fields if branch.compound is not None else ()
    return len(expected.keys() - below.keys.keys() - set(listed))


def _keys(visit: Visit) -> Iterator[Thing]:
    """What stands below an object: the declared keys in the schema's order, then the others by name."""
    node, location = visit.node, visit.location
    expected: Mapping[str, Any] = visit.expected if isinstance(visit.expected, dict) else {}
    output: Mapping[str, Any] = visit.output if isinstance(visit.output, dict) else {}
    below, taken = node.below, node.compound.fields if node.compound is not None else ()
    for key, child in below.keys.items():
        if key not in taken:
            sides = expected.get(key, MISSING), output.get(key, MISSING)
            yield Visit(child, (*location, key), *sides, _under(visit.others, key))
    for key in sorted((expected.keys() | output.keys()) - below.keys.keys() - set(taken)):
        if below.others is not None:
            sides = expected.get(key, MISSING), output.get(key, MISSING)
            yield Visit(below.others, (*location, key), *sides, _under(visit.others, key))
        elif key in expected or _under(visit.others, key):
            yield Outside((*node.path, key))
        else:
            yield Extra((*location, key), (*node.path, key), output[key], knows(visit.siblings, key))


def knows(branches: Iterable[FieldNode], key: str) -> bool:
    """Whether some branch of a choice, or of a choice inside it, has a key."""
    waiting, seen = [*branches], set[int]()
    while waiting:
        branch = waiting.pop()
        if id(branch.origin or branch) in seen:
            continue
        seen.add(id(branch.origin or branch))
        if key in branch.below.keys:
            return True
        waiting.extend(branch.below.branches)
    return False


class Others(tuple[Any, ...]):
    """The expected values that an item without a partner is held against; many items share them."""

    known: dict[str, Others]

    def under(self, key: str) -> Others:
        """What the values have under a key, where they are objects that have it. It is looked up once."""
        if "known" not in self.__dict__:
            self.known = {}
        found = self.known.get(key)
        if found is None:
            found = Others(other[key] for other in self if isinstance(other, dict) and key in other)
            self.known[key] = found
        return found


def _under(others: Sequence[Any], key: str) -> tuple[Any, ...]:
    return others.under(key) if isinstance(others, Others) else ()


def _items_of(others: Sequence[Any]) -> Iterator[Any]:
    """The items of those of some values that are lists."""
    return (inner for other in others if isinstance(other, list) for inner in other)


def _picked(compound: Compound, side: Side) -> dict[str, Any]:
    return {key: side[key] for key in compound.fields if key in side} if isinstance(side, dict) else {}


def _pair(visit: Visit, item: FieldNode, row: int, expected: Side, output: Side) -> Visit:
    return Visit(item, (*visit.location, row), expected, output)


def _items(
    visit: Visit,
    item: FieldNode,
    expected: list[Any],
    output: list[Any],
    paired: Paired,
    kept: dict[tuple[int, int], list[Found]],
) -> Iterator[Thing]:
    """The expected items in order, each with its partner or alone, then the items that only the output has."""
    partner = dict(paired.pairs)
    for row, value in enumerate(expected):
        column = partner.get(row)
        if column is None:
            yield _pair(visit, item, row, value, MISSING)
        elif (row, column) in kept:
            yield from kept[row, column]
        else:
            yield _pair(visit, item, row, value, output[column])
    others = Others((*expected, *_items_of(visit.others))) if paired.extra else ()
    for column in paired.extra:
        yield Visit(item, (*visit.location, Unpaired(column)), MISSING, output[column], others)


def _undeclared_items(visit: Visit, expected: list[Any], output: list[Any]) -> Iterator[Thing]:
    """Items of an array whose items the schema does not know: not scored where the expected side has some."""
    path = (*visit.node.path, ANY)
    if expected or (output and any(True for _ in _items_of(visit.others))):
        yield Outside(path)
        return
    for column, value in enumerate(output):
        yield Extra((*visit.location, Unpaired(column)), path, value)


def _opened_extra(extra: Extra) -> Sequence[Thing]:
    """What only the output has, one level down; a plain value or an empty container is one hallucination."""
    location, path, value, elsewhere = extra
    if isinstance(value, dict) and value:
        return [Extra((*location, key), (*path, key), value[key], elsewhere) for key in sorted(value)]
    if isinstance(value, list) and value:
        return [Extra((*location, Unpaired(at)), (*path, ANY), inner, elsewhere) for at, inner in enumerate(value)]
    return [Unit(location, path, MISSING, value, Status.HALLUCINATION, outside=True, elsewhere=elsewhere)]
