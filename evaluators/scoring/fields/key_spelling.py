"""Keys of an output that are spelt otherwise: `invoiceNumber` for the `invoice_number` of the schema.

The output's keys are given their known names once, before anything is compared or checked. Known are the keys that the settings
or the schema have at the place, and those of the expected document. What could stand for two of them, or has a rival, keeps its
name, and that is said. Who compares meets known names alone; how the output spells them is kept beside, for whoever reads of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import is_
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.rows import Outcome, Reason
from evaluators.model.settings import Settings
from evaluators.scoring.fields.outcomes import ListOutcome
from evaluators.scoring.fields.tree import Below, FieldNode, SchemaPath
from evaluators.scoring.values.equality import CONTAINERS
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.path_text import ANY
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import first_texts, quote

_BETWEEN_WORDS: Final = late_pattern(r"(?<!\d)[\s_-]+|[\s_-]+(?!\d)")
"""What stands between two digits tells numbers apart: `line_1_2` is not `line_12`."""
_WORDS: Final = late_pattern(r"[\s_-]+|(?<=[a-z0-9])(?=[A-Z])")
"""Where a word of a key ends."""
_MOST_NAMED: Final = 3
"""Keys that a reason names one by one."""
Shown = TypeVar("Shown", Outcome, ListOutcome)
_NO_KEYS: Final[Mapping[str, str]] = MappingProxyType({})


class KnownKeys(Protocol):
    """The keys that settings or a schema know at one place of a document."""

    @property
    def names(self) -> frozenset[str]:
        """The known keys that have a name."""

    def allows(self, key: str) -> bool:
        """Whether a key is right as it is spelt, though it has no name: it fits a pattern."""

    def below(self, step: str | None) -> KnownKeys:
        """The keys known below a key; None for the items of a list."""


class TreeKeys:
    """The keys that a tree of fields knows at one place."""

    def __init__(self, nodes: Iterable[FieldNode]) -> None:
        """The keys of these nodes, and of the branches of those that are choices."""
        self._nodes = _with_branches(nodes)
        self.names = frozenset(key for node in self._nodes for key in _declared_keys(node))
        self._below: dict[str | None, TreeKeys] = {}

    def allows(self, key: str) -> bool:
        """False: all keys that a tree knows have a name."""
        return False

    def below(self, step: str | None) -> TreeKeys:
        """The keys known at the place below: of the items for None, otherwise of the value under a key."""
        below = self._below.get(step)
        if below is None:
            every = [node.below for node in self._nodes]
            nodes = [
                below_node.items if step is None else below_node.keys.get(step) or below_node.others
                for below_node in every
            ]
            below = TreeKeys(node for node in nodes if node is not None)
            if step is None or step in self.names:  # others are the output's own, and without end
                self._below[step] = below
        return below


def keys_in(paths: Iterable[Path]) -> TreeKeys:
    """The keys that some paths lead through, place by place. `[*]` means items, and the values of an object."""
    tree: dict[Any, Any] = {}
    for path in paths:
        branch = tree
        for step in path.steps if path.query is None else ():
            branch = branch.setdefault(step if isinstance(step, str) else ANY, {})
    return TreeKeys([_node_of_keys(tree)])


def _node_of_keys(tree: dict[Any, Any], path: SchemaPath = ()) -> FieldNode:
    """A node that declares the keys of `tree`, and below each the keys of its value. Under `ANY` are those of items and of other values."""
    below = {step: _node_of_keys(inner, (*path, step)) for step, inner in tree.items()}
    items = below.pop(ANY, None)
    return FieldNode(path, "object", make=lambda: Below(below, others=items, items=items))


class Respelt(Struct, frozen=True):
    """An output with known keys."""

    document: Any
    own: Mapping[int, Mapping[str, str]] = MappingProxyType({})
    """How the output spells the keys of an object, by its `id`, where known names took their place."""
    unclear: Mapping[str, str] = MappingProxyType({})
    """By the sentence about keys that are unclear: the known names that they could stand for."""

    def path(self, steps: Iterable[str | int]) -> list[str | int]:
        """The keys and indexes that lead to a place, in the output's own spelling. `steps` lead there in the known
        spelling."""
        value, location = self.document, list[str | int]()
        for step in steps:
            location.append(self.own.get(id(value), _NO_KEYS).get(step, step) if isinstance(step, str) else step)
            value = value[step] if value is not None else None
        return location

    def value(self, value: Any) -> Any:
        """A part of the document, with the output's own spelling of keys."""
        if not self.own or value.__class__ not in CONTAINERS:
            return value
        if isinstance(value, list):
            return [self.value(item) for item in value]
        own = self.own.get(id(value), _NO_KEYS)
        return {own.get(key, key): self.value(inner) for key, inner in value.items()}

    def spell_reason(self, reason: Reason) -> Reason:
        """A reason in the output's own spelling, with sentences about keys that were renamed or are unclear added."""
        if not self.own and not self.unclear:
            return reason
        renamed = dict.fromkeys((own, name) for names in self.own.values() for name, own in names.items())
        read = first_texts([f"{quote(own)} as {quote(name)}" for own, name in renamed], _MOST_NAMED)
        text = [reason.text, *([f"keys read otherwise: {read}"] if read else ()), *self.unclear]
        return replace(reason, text="; ".join(filter(None, text)), fields=tuple(self.spell_outcomes(reason.fields)))

    def spell_outcomes(self, results: Iterable[Shown]) -> list[Shown]:
        """Outcomes of fields or lists, with the output's own spelling of keys in their values."""
        return [self._spell_outcome(result) if result.actual.__class__ in CONTAINERS else result for result in results]

    def _spell_outcome(self, result: Shown) -> Shown:
        """One outcome, with the output's own spelling of keys in its value and where its reason quotes the value."""
        own = self.value(result.actual)
        respelt = replace(result, actual=own)
        if isinstance(respelt, Outcome) and respelt.reason is not None:
            respelt = replace(respelt, reason=respelt.reason.replace(quote(result.actual), quote(own)))
        return respelt


class KeySpelling(Settings):
    """Which differences between an output's key and a known one do not count."""

    case: Literal["ignore"] = "ignore"
    """`ignore`: `Total` stands for `total`."""
    style: Literal["keep", "any"] = "keep"
    """`any`: hyphens, underscores and spaces do not count either: `invoiceNumber`, `invoice-number` and `Invoice Number` stand for
    `invoice_number`."""

    def fold(self, key: str) -> str:
        """The key without the differences that do not count: keys that differ in nothing else fold to one text."""
        return _fold(key, self.style)

    def usual_spellings(self, names: Iterable[str]) -> frozenset[str]:
        """Keys, and their usual other spellings, such as `invoiceNumber` for `invoice_number`: of several documents in an output, those
        that have them fit best."""
        spellings = set(names)
        for name in list(spellings):
            words = _WORDS.split(name) if self.style == "any" else [name]
            lower, upper, title = ([write(word) for word in words] for write in (str.lower, str.upper, str.capitalize))
            spellings |= {between.join(each) for between in "_- " for each in (lower, upper, title)}
            spellings |= {"".join(each) for each in (lower, upper, title, [*lower[:1], *title[1:]])}
        return frozenset(spellings)

    def respell(self, known: KnownKeys, output: Any, expected: Any = None) -> Respelt:
        """The output with known keys in place of its own: those in `known`, and those of the expected document. An output that is the
        very same object as the expected one stays as it is."""
        own: dict[int, Mapping[str, str]] = {}
        unclear: dict[str, str] = {}
        if output.__class__ not in CONTAINERS or output is expected:
            return Respelt(output)
        return Respelt(self._respell(_Place(known, [expected]), output, own, unclear), own, unclear)

    def _respell(self, place: _Place, output: Any, own: dict[int, Mapping[str, str]], unclear: dict[str, str]) -> Any:
        """The object or list `output` with its keys renamed to known ones, at every depth; the very same where none is renamed. Adds to
        `own` how the output spells the renamed keys, and to `unclear` the sentences about keys that could stand for several."""
        if output.__class__ is list:
            items = place.below(None)
            respelt = [
                self._respell(items, item, own, unclear) if item.__class__ in CONTAINERS else item for item in output
            ]
            return output if all(map(is_, respelt, output)) else respelt
        names: Mapping[str, str] = _NO_KEYS
        if not (output.keys() <= place.known.names or output.keys() <= place.names):
            names, notes = _renamed_keys(place.names.union(filter(place.known.allows, output)), tuple(output), self.style)
            unclear.update(notes)
        renamed, changed = dict[str, Any](), bool(names)
        if names:
            own[id(renamed)] = {name: key for key, name in names.items()}
        for key, value in output.items():
            name, inner = names.get(key, key), value
            if value.__class__ in CONTAINERS:
                inner = self._respell(place.below(name), value, own, unclear)
                changed = changed or inner is not value
            renamed[name] = inner
        return renamed if changed else output


class _Place:
    """One place of a document, with the keys that are known there. `documents` are the expected values there, those of all items
    together."""

    def __init__(self, known: KnownKeys, documents: Sequence[Any]) -> None:
        self.known, self._documents = known, documents
        self._below: dict[str | None, _Place] = {}

    @cached_property
    def _objects(self) -> list[dict[str, Any]]:
        """Every expected object at the place."""
        return [document for document in self._documents if document.__class__ is dict]

    @cached_property
    def names(self) -> frozenset[str]:
        """The keys known at the place, and those of its expected objects."""
        known = self.known.names
        return known if all(map(known.issuperset, self._objects)) else known.union(*self._objects)

    def below(self, step: str | None) -> _Place:
        """The place below: of the items of all lists for None, otherwise of all values under a key."""
        place = self._below.get(step)
        if place is None:
            if step is None:
                inner = [item for document in self._documents if document.__class__ is list for item in document]
            else:
                inner = [value[step] for value in self._objects if step in value]
            place = self._below[step] = _Place(self.known.below(step), inner)
        return place


@lru_cache(maxsize=2_000)
def _renamed_keys(
    known: frozenset[str], keys: tuple[str, ...], style: str
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Two maps: from each key of an object that is renamed to its known name; and, about keys that stay since they could stand for several
    known ones or have a rival, from a sentence to the names that they could stand for."""
    spellings: dict[str, list[str]] = defaultdict(list)
    own_keys: dict[str, list[str]] = defaultdict(list)
    for key in sorted(known):
        spellings[_fold(key, style)].append(key)
    for key in keys:
        own_keys[_fold(key, style)].append(key)
    renamed, unclear = {}, {}
    for folded, alike in own_keys.items():
        names = spellings.get(folded, [])
        if not names or set(alike) <= set(names):
            continue
        if len(names) == len(alike) == 1:
            renamed[alike[0]] = names[0]
        else:
            stands, named = "stands" if len(alike) == 1 else "stand", " and ".join(map(quote, names))
            unclear[f"{' and '.join(map(quote, alike))} {stands} for {named}: kept as spelt"] = named
    return renamed, unclear


@lru_cache(maxsize=20_000)
def _fold(key: str, style: str) -> str:
    """A key without what does not count: case and, where `style` is `any`, what stands between words."""
    key = key.casefold()
    return (_BETWEEN_WORDS.sub("", key) or key) if style == "any" else key


def _declared_keys(node: FieldNode) -> Iterable[str]:
    """The keys that a node declares, those that are compared together included."""
    return node.below.keys if node.compound is None else (*node.below.keys, *node.compound.fields)


def _with_branches(nodes: Iterable[FieldNode]) -> list[FieldNode]:
    """The nodes, and the branches of those that are choices. Nodes of one origin ask for the same, so one of them will do."""
    nodes_by_id: dict[int, FieldNode] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if nodes_by_id.setdefault(id(node.origin or node), node) is node:
            waiting += node.below.branches
    return list(nodes_by_id.values())
