"""The `fields:` of a first suite: every leaf of the expected documents, and how each list is paired, with the reasons.

Rests on what many documents have in common: at each path the values that were met there and what stands below, and in a list the
key that tells its items apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.scoring.fields.inference.proposals import Ask, InitQuestion, propose
from evaluators.scoring.values.path_text import ANY, Step, display, display_plainly

_MOST_KEYS: Final = 30
_RARE: Final = 0.1
_DEEPEST: Final = 30


class SeenPlace(Struct):
    """One place of the documents."""

    met: int = 0
    """How often something stands there, null included."""
    nulls: int = 0
    objects: int = 0
    lists: list[list[Any]] = []
    scalars: list[Any] = []
    keys: dict[str, SeenPlace] = {}
    items: SeenPlace | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of values at the place, null aside."""
        kinds = [("objects", bool(self.objects)), ("lists", bool(self.lists)), ("single values", bool(self.scalars))]
        return tuple(name for name, is_there in kinds if is_there)

    @property
    def keyed_by_data(self) -> bool:
        """Whether the keys of its objects differ from document to document: they are data, and no names of fields."""
        if len(self.keys) <= _MOST_KEYS:
            return False
        return sum(child.met for child in self.keys.values()) < _RARE * len(self.keys) * self.objects


def shape_of(documents: Iterable[Any]) -> SeenPlace:
    """The root of the tree of places that documents have, with the values met at each place."""
    root = SeenPlace()
    for document in documents:
        _add_value(root, document, 0)
    return root


def _add_value(node: SeenPlace, value: Any, depth: int) -> None:
    """Counts a value in the place where it was met, and everything inside it in the places below, which are made as they are met. Objects
    and lists from a certain depth on are kept whole, as single values."""
    node.met += 1
    if value is None:
        node.nulls += 1
    elif isinstance(value, dict) and depth < _DEEPEST:
        node.objects += 1
        for key, inner in value.items():
            _add_value(node.keys.setdefault(key, SeenPlace()), inner, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        node.lists.append(value)
        node.items = node.items or SeenPlace()
        for item in value:
            _add_value(node.items, item, depth + 1)
    else:
        node.scalars.append(value)


class SuggestedLine(Struct, frozen=True):
    """One line of `fields:`: the path, what is written for it, and why."""

    steps: tuple[Step, ...]
    compare: Any
    why: str
    null: bool = False
    """It is null wherever it stands."""
    several: bool = False
    """Its values are of several kinds, or some are other than the rest."""
    name: bool = False
    """Its digits are a name: nothing about them may be forgiven."""

    instead: tuple[str, str] | None = None
    """What would make more values right: how many, and the line to write."""

    @property
    def path(self) -> str:
        """The path in dots, as results have it."""
        return display(self.steps)

    @property
    def written(self) -> str:
        """The path as people write it, with keys of several words as they are."""
        return display_plainly(self.steps)


class NullMeaning(Struct, frozen=True):
    """The meaning of null in the expected answers, as `nulls:` of the suite, and how often it stands there."""

    word: str
    why: str


def lines_of(root: SeenPlace, ask: Ask, columns: Iterable[str] = ()) -> list[SuggestedLine]:
    """The lines of `fields:` for documents whose tree of places is given by its `root`, in the order in which the documents name them.
    `ask` is asked what is not clear. `columns` are the names of the columns with the documents, for lists without a key above them."""
    return [_in_order(line, columns) for line in _lines(root, (), root.met, ask)]


def _in_order(line: SuggestedLine, columns: Iterable[str]) -> SuggestedLine:
    """The line of a list with `ordered` for how its items are paired, where the name of the list says that their order counts and no id
    pairs them; any other line as it is. For the documents themselves, one of `columns` is the name."""
    align = line.compare.get("align") if isinstance(line.compare, dict) else None
    keys = [step for step in line.steps if step != ANY]
    name = next(filter(order_counts, map(str, keys[-1:] or columns)), None)
    if align is None or name is None or (isinstance(align, dict) and _rank(align["key_field"]["key"]) == 0):
        return line
    return replace(line, compare={"align": "ordered"}, why=f'a list; its order counts, as the name "{name}" says')


def order_counts(name: str) -> bool:
    """Whether the name of a list says that the order of its items counts, as `ranking`, `steps` and `path` do."""
    return _OF_AN_ORDER.search(_CAMEL_CASE.sub("_", name).lower()) is not None


_CAMEL_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_AN_ORDER: Final = re.compile(
    r"(?:^|[\W_])(?:(?:rank|ranks|ranked|rankings?|steps|sequence|trajectory|top_?[k0-9]+)(?:$|[\W_])|path$)"
)
"""`path` at the end alone: the names of a path's owners are in no order. An `order` is rather what somebody bought."""


def nulls_of(root: SeenPlace, ask: Ask) -> NullMeaning | None:
    """The meaning of null in the expected answers: `ask` is asked where a value is null in some and not in others. None where there is no
    such value."""
    partly_null = [(path, node) for path, node in _single_value_places(root, ()) if node.nulls and node.scalars]
    if not partly_null:
        return None
    path, most = max(partly_null, key=lambda path_and_place: path_and_place[1].nulls)
    others_too = (
        f", and so are {len(partly_null) - 1:,} other fields in some"
        if len(partly_null) > 2
        else ", and so is another field in some"
    )
    counted = "items" if ANY in path else "expected answers"
    why = f'"{display(path)}" is null in {most.nulls:,} of {most.met:,} {counted}{others_too if len(partly_null) > 1 else ""}'
    hints = ("nothing is there: a value in its place is extra", "null is an answer: a value in its place is wrong")
    answers = ("nulls: absent", "nulls: value")
    chosen = ask(InitQuestion(f"{why}. What does null say?", answers, hints, "change `nulls` in the suite"))
    return NullMeaning(chosen.removeprefix("nulls: "), f"{why}. Null says that {hints[answers.index(chosen)]}.")


def _single_value_places(node: SeenPlace, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], SeenPlace]]:
    """Yields (path, place) of the places that get a line of their own and hold single values."""
    if node.kinds == ("objects",) and not node.keyed_by_data:
        for key, child in node.keys.items():
            yield from _single_value_places(child, (*path, key))
    elif (
        node.kinds == ("lists",) and node.items is not None and node.items.kinds == ("objects",) and not node.items.nulls
    ):
        yield from _single_value_places(node.items, (*path, ANY))
    elif node.kinds == ("single values",) and path:
        yield path, node


def _lines(node: SeenPlace, path: tuple[Step, ...], whole: int, ask: Ask) -> Iterator[SuggestedLine]:
    """Yields the lines of one place and of what stands below it. `whole` is how often it could have been met."""
    presence = "" if node.met == whole else f", in {node.met:,} of {whole:,}"
    spelled = display(path)
    if node.kinds == ("objects",) and node.keys and not node.keyed_by_data:
        for key, child in node.keys.items():
            yield from _lines(child, (*path, key), node.objects, ask)
    elif node.kinds == ("lists",) and node.items is not None and node.items.met:
        yield from _list_lines(node, node.items, path, presence, ask)
    elif len(node.kinds) > 1:
        why = f"of several kinds ({', '.join(node.kinds)}){presence}: compared as one value"
        yield SuggestedLine(path, "exact", why, several=True)
    elif node.objects:
        why = "keys that differ from row to row" if node.keyed_by_data else "an empty object wherever it stands"
        yield SuggestedLine(path, "exact", f"{why}{presence}: compared as one value")
    elif node.lists:
        yield SuggestedLine(path, "exact", f"an empty list wherever it stands{presence}")
    else:
        proposal = propose(node.scalars, spelled, ask)
        yield SuggestedLine(
            path, proposal.compare, proposal.why + presence, not node.scalars, proposal.several, proposal.name
        )


def _list_lines(
    node: SeenPlace, items: SeenPlace, path: tuple[Step, ...], presence: str, ask: Ask
) -> Iterator[SuggestedLine]:
    """Yields the suggested lines of a list: one with its alignment, and the lines of its items where they are all objects or all texts. Any
    other list gets one line, `exact`. `items` is the place of all items; `presence` is the note on how often the list is there."""
    most = max(map(len, node.lists))
    size = f"{most:,} item{'' if most == 1 else 's'} at most{presence}"
    if items.kinds == ("objects",) and items.keys and not items.nulls:
        key = key_of(node.lists)
        if key is not None:
            why = f'a list, {size}; "{key}" is another in every item of a row, and pairs them'
            yield SuggestedLine(path, {"align": {"key_field": {"key": display((key,))}}}, why)
        else:
            why = f"a list, {size}; no key tells its items apart: they are paired so that most of them fits"
            yield SuggestedLine(path, {"align": "hungarian"}, why)
        yield from _lines(items, (*path, ANY), items.met, ask)
    elif items.kinds == ("single values",) and all(isinstance(item, str) for item in items.scalars) and not items.nulls:
        yield SuggestedLine(path, {"align": "any_order"}, f"a list of texts, {size}; their order does not count")
        proposal = propose(items.scalars, display((*path, ANY)), ask)
        yield SuggestedLine((*path, ANY), proposal.compare, proposal.why, several=proposal.several, name=proposal.name)
    else:
        yield SuggestedLine(path, "exact", f"a list of {' or '.join(items.kinds) or 'nulls'}, {size}; its order counts")


_NAMED: Final = re.compile(
    r"(?:^|[_\W])(?:id|key|code|sku|no|nr|number|uuid|isbn|ean|line|index|pos|position)$", re.IGNORECASE
)
_NAMES: Final = re.compile(r"(?:^|[_\W])(?:name|title|label)$", re.IGNORECASE)
_ENOUGH_LISTS: Final = 3
_LONGEST: Final = 60


def key_of(lists: Sequence[Sequence[Any]]) -> str | None:
    """The best key of the items; None where there is none, or too little to go by.

    Lists with fewer than two items say nothing. A key with a telling name needs one list that has more, any other key three.
    """
    telling = [items for items in lists if len(items) > 1]
    every = [item for items in lists for item in items]
    if not telling or not all(isinstance(item, dict) for item in every):
        return None
    keys: list[str] = [name for name in every[0] if _tells_apart(name, every, telling)]
    ranked = sorted(keys, key=_rank)
    if not ranked or (_rank(ranked[0]) > 1 and len(telling) < _ENOUGH_LISTS):
        return None
    return ranked[0]


def _tells_apart(name: str, every: Sequence[dict[str, Any]], lists: Sequence[Sequence[dict[str, Any]]]) -> bool:
    """Whether a key identifies the items of lists: short texts, or numbers under a name such as `id`, different in each item of a list."""
    values = [item.get(name) for item in every]
    texts = all(isinstance(value, str) and 0 < len(value) <= _LONGEST for value in values)
    numbers = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    if not texts and not (numbers and _NAMED.search(name)):
        return False
    return all(len({item[name] for item in items}) == len(items) for items in lists)


def _rank(name: str) -> int:
    """How well a name suits a key, the lower the better: 0 for one such as `id`, 1 for one such as `name`, 2 for any other."""
    return 0 if _NAMED.search(name) else 1 if _NAMES.search(name) else 2
