"""How the items of two lists are paired: what a suite can say of it, and the pairing itself.

    pair_items(align, expected, output, weigh).pairs

`weigh(row, column)` says what pairing expected[row] with output[column] is worth: how many of their results match, and
what these are a share of. It is called once at most for each pair of different items: equal ones share an answer, and
`ordered` and `key_field` call it never. A caller that can weigh all pairs at once (see `columns`) gives `table`, which is
asked instead; where that answers None, `weigh` is.

The answer has the pairs, sorted by expected item; what either list has left over; and, under `key_field`, which items
had no key or shared one. `any_order` makes complete pairs and no others: those with an F1 of 1. `hungarian` makes the
best pairing there is: as many complete pairs as can be, then the greatest sum of F1, then the most equal items (see
`gains`); pairs that have nothing in common, or whose F1 is below `at_least`, stay apart. Ties are settled as
`values.assignment` says. Equal lists are paired in order without a question.

Lists that are too long to compare each item with each (see `pairing_limit`; `cells` raises it) have equal items paired
first. The rest pairs in list order, where such a pair is one that the alignment makes; the answer says so.

With `ask: leftover`, `hungarian` goes on where comparators that cost nothing left items over in both lists: `weigh_asking` may
ask a judge. It is called for each expected item that is left over, with those of the output's that are most like it, `CANDIDATES`
at most: so the number of questions grows with the items that are left over, and not with the product of two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, get_args

from evaluators.fields.gains import NOTHING_ALIKE, Weighed, Worth, Worths, f1, gains, judged
from evaluators.fields.pairing_limit import PairCost, crowded
from evaluators.fields.reading import read_path, read_transforms
from evaluators.limits import LIST_CELLS, still_time
from evaluators.model import MISSING
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, bad, spell, word_or_map
from evaluators.value_class import NamedTuple, dataclass
from evaluators.values.assignment import assign_gains
from evaluators.values.equality import same
from evaluators.values.json_text import to_text
from evaluators.values.pairing import Pairs, by_equality, by_key, identity, in_order, left_over, repeated
from evaluators.values.paths import Path
from evaluators.values.transforms import Transform, TransformError, chain

AlignHow: TypeAlias = Literal["ordered", "any_order", "key_field", "hungarian"]
ALIGNMENTS: Final = get_args(AlignHow)
CANDIDATES: Final = 8
"""About so many items of the output a judge is asked, at most, for each expected item that is left over."""
CROWDED: Final = "too many items to compare each with each: equal ones were paired first, the others in list order"
Items: TypeAlias = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Align:
    """How the items of two lists are paired."""

    how: AlignHow = "ordered"
    keys: tuple[Path, ...] = ()
    """Under `key_field`: the paths, inside an item, of what identifies it."""
    transforms: tuple[Transform, ...] = ()
    """What is done to a key first."""
    keyless: Literal["ordered", "apart"] = "ordered"
    """What becomes of items without a key: they pair with each other in list order, or with nothing."""
    at_least: Fraction | None = None
    """Under `hungarian`: the F1 that a pair needs."""
    ask: Literal["leftover"] | None = None
    """Under `hungarian`: about which items comparators that cost may be asked."""
    cells: int | None = None
    """Under `any_order` and `hungarian`: how much two lists may come to, and still have each item compared with each."""

    @property
    def key(self) -> str | None:
        """How the key is spelled; None without one."""
        spelled = [path.canonical for path in self.keys]
        return spelled[0] if len(spelled) == 1 else f"[{', '.join(spelled)}]" if spelled else None

    @property
    def rule(self) -> str:
        """The alignment and its settings, as a person reads them."""
        if self.how == "key_field":
            return f"key_field {self.key}"
        least = [] if self.at_least is None else [f"at_least: {float(self.at_least):g}"]
        most = [] if self.cells is None else [f"cells: {self.cells}"]
        options = ", ".join([*least, *([f"ask: {self.ask}"] if self.ask else []), *most])
        return f"{self.how} {{{options}}}" if options else self.how

    @property
    def free(self) -> bool:
        """Any item may be paired with any other."""
        return self.how in ("any_order", "hungarian")


class Keys(NamedTuple):
    """What is worth saying of how two lists were paired: what their keys were like, by index, and whether they were too long."""

    keyless_expected: tuple[int, ...] = ()
    keyless_output: tuple[int, ...] = ()
    repeated_expected: tuple[int, ...] = ()
    """Items whose key an earlier item of the same list has."""
    repeated_output: tuple[int, ...] = ()
    crowded: bool = False
    """The lists were too long to compare each item with each."""

    def said(self) -> list[str]:
        """In plain words: nothing when every item has a key of its own."""
        counted = (
            (self.keyless_expected, "expected", "without a key"),
            (self.keyless_output, "output", "without a key"),
            (self.repeated_expected, "expected", "with the key of an earlier one"),
            (self.repeated_output, "output", "with the key of an earlier one"),
        )
        keys = [
            f"{len(found)} {side} item{'s' if len(found) > 1 else ''} {what}" for found, side, what in counted if found
        ]
        return [*keys, CROWDED] if self.crowded else keys


class Alike(NamedTuple):
    """The worth of all pairs in short: items whose keys are the same are a complete pair, others have nothing in common."""

    expected: Sequence[Hashable]
    output: Sequence[Hashable]

    def worths(self) -> list[list[Worth]]:
        """The same, pair by pair."""
        return [[judged(one == other) for other in self.output] for one in self.expected]


class Paired(NamedTuple):
    """Which items go together. Every item of both lists is in one pair or left over."""

    pairs: Pairs
    lost: list[int]
    """The expected items that nothing was paired with."""
    extra: list[int]
    """The output's items that nothing was paired with."""
    keys: Keys = Keys()


def pair_items(
    align: Align,
    expected: Items,
    output: Items,
    weigh: Weighed,
    table: Callable[[bool], Worths | Alike | None] | None = None,
    weigh_asking: Weighed | None = None,
    cost: PairCost = PairCost(),
) -> Paired:
    """Pairs the items of two lists as an alignment says. `weigh_asking` is asked where the alignment wants it, and else never.

    `table` is told whether the lists are too long to look at all pairs: it may then still answer with an `Alike`, or None.
    """
    if align.how == "key_field":
        return _by_key(align, expected, output)
    if align.how == "ordered" or _equal(expected, output):
        return _paired(in_order(len(expected), len(output)), expected, output)
    too_many = crowded(cost, expected, output, align.cells)
    found = table(too_many) if table is not None else None
    ours, theirs = [identity(item) for item in expected], [identity(item) for item in output]
    if isinstance(found, Alike):
        if too_many or not _equal_among_alike(found, ours, theirs):
            return _paired(by_equality(*found), expected, output)
        found = found.worths()
    if too_many:
        return _paired(_equal_then_in_order(align, ours, theirs, weigh), expected, output, Keys(crowded=True))
    if found is None:
        found = _asked(ours, theirs, weigh)
    pairs = assign_gains(gains(found, ours, theirs, least_f1(align)))
    if align.ask is not None and weigh_asking is not None:
        pairs = _with_leftovers(align, pairs, expected, output, weigh_asking)
    return _paired(pairs, expected, output)


def _equal_then_in_order(align: Align, ours: Sequence[Hashable], theirs: Sequence[Hashable], weigh: Weighed) -> Pairs:
    """Equal items, then those of the rest that fit one another in list order."""
    pairs = by_equality(ours, theirs)
    rest = zip(*left_over(pairs, len(ours), len(theirs)), strict=False)
    least = least_f1(align)
    return sorted([*pairs, *(each for each in rest if (share := f1(weigh(*each))) and share >= least)])


def _with_leftovers(align: Align, pairs: Pairs, expected: Items, output: Items, weigh: Weighed) -> Pairs:
    """The pairs, and those that are found among the items that have none."""
    rows, columns = left_over(pairs, len(expected), len(output))
    if not rows or not columns:
        return pairs
    worths = []
    for row in rows:
        still_time()
        near = set(most_like(expected[row], [output[column] for column in columns], CANDIDATES))
        worths.append([weigh(row, column) if place in near else NOTHING_ALIKE for place, column in enumerate(columns)])
    ours, theirs = [identity(expected[row]) for row in rows], [identity(output[column]) for column in columns]
    found = assign_gains(gains(worths, ours, theirs, least_f1(align)))
    return sorted([*pairs, *((rows[row], columns[column]) for row, column in found)])


def most_like(item: Any, others: Items, most: int) -> list[int]:
    """The places of the items that share most words and parts of words with one, `most` of them; of equal ones the first."""
    if len(others) <= most:
        return [*range(len(others))]
    wanted = _parts(item)
    shares = [
        (-2 * len(wanted & found) / (len(wanted) + len(found) or 1), place)
        for place, found in enumerate(map(_parts, others))
    ]
    return sorted(place for _, place in sorted(shares)[:most])


def _parts(item: Any) -> set[str]:
    """The runs of three letters of an item, keys and all."""
    text = f"  {to_text(item).lower()} "
    return {text[start : start + 3] for start in range(len(text) - 2)}


def least_f1(align: Align) -> Fraction:
    """The F1 that a pair needs."""
    return Fraction(1) if align.how == "any_order" else align.at_least or Fraction(0)


def _equal_among_alike(found: Alike, ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> bool:
    """Whether an item has one with the same key that equals it, and one that does not."""
    if ours == found.expected and theirs == found.output:
        return False
    shared = {*ours} & {*theirs}
    items: dict[Hashable, set[Hashable]] = {}
    for key, item in (*zip(found.expected, ours, strict=True), *zip(found.output, theirs, strict=True)):
        items.setdefault(key, set()).add(item)
    return any(len(each) > 1 and not each.isdisjoint(shared) for each in items.values())


def _equal(expected: Items, output: Items) -> bool:
    return len(expected) == len(output) and all(map(same, expected, output))


def _asked(ours: Sequence[Hashable], theirs: Sequence[Hashable], weigh: Weighed) -> list[list[Worth]]:
    """The worth of every pair, asked once for each pair of different items."""
    columns = range(len(theirs))
    if len(set(ours)) == len(ours) and len(set(theirs)) == len(theirs):
        found = []
        for row in range(len(ours)):
            still_time()
            found.append([weigh(row, column) for column in columns])
        return found
    lines: dict[Hashable, list[Worth]] = {}
    known: dict[Hashable, int] = {}
    first = [known.setdefault(item, column) for column, item in enumerate(theirs)]
    for row, item in enumerate(ours):
        if item not in lines:
            still_time()
            asked = {column: weigh(row, column) for column in known.values()}
            lines[item] = [asked[column] for column in first]
    return [lines[item] for item in ours]


def _by_key(align: Align, expected: Items, output: Items) -> Paired:
    read = key_reader(align)
    ours, theirs = [read(item) for item in expected], [read(item) for item in output]
    pairs = by_key(ours, theirs)
    keyless = tuple(index for index, key in enumerate(ours) if key is None)
    keyless_output = tuple(index for index, key in enumerate(theirs) if key is None)
    if keyless and keyless_output and align.keyless == "ordered":
        pairs = sorted([*pairs, *zip(keyless, keyless_output, strict=False)])
    return _paired(pairs, expected, output, Keys(keyless, keyless_output, repeated(ours), repeated(theirs)))


def key_reader(align: Align) -> Callable[[Any], Hashable | None]:
    """What identifies an item: None where it lacks every part of its key.

    A part that the transforms cannot change, such as a number among texts, stays as it is.
    """
    paths, change = align.keys, chain(align.transforms)
    if len(paths) == 1 and change is None and len(paths[0].steps) == 1 and paths[0].steps[0].__class__ is str:
        name, path = paths[0].steps[0], paths[0]

        def read_text(item: Any) -> Hashable | None:
            value = item.get(name, MISSING) if item.__class__ is dict else path.get(item)
            if value.__class__ is str:
                return str(value)
            return None if value is MISSING else (identity(value),)

        return read_text

    def read(item: Any) -> Hashable | None:
        values = [path.get(item) for path in paths]
        if all(value is MISSING for value in values):
            return None
        if change is not None:
            values = [value if value is MISSING else _changed(change, value) for value in values]
        return tuple(map(identity, values))

    return read


def _changed(change: Callable[[Any], Any], value: Any) -> Any:
    try:
        return change(value)
    except TransformError:
        return value


def _paired(pairs: Pairs, expected: Items, output: Items, keys: Keys = Keys()) -> Paired:
    return Paired(pairs, *left_over(pairs, len(expected), len(output)), keys)


def read_align(data: object) -> Align:
    """`ordered`, `any_order`, `hungarian`, `{hungarian: {at_least: 0.5, ask: leftover}}`, or `{key_field: {key: …}}`."""
    name, options = word_or_map(data, "alignment")
    loc = (name,) if isinstance(data, Mapping) else ()
    how = next((known for known in ALIGNMENTS if known == name), None)
    if how is None:
        hint = suggestion(name, ALIGNMENTS) or f"known: {', '.join(ALIGNMENTS)}"
        raise bad(f'unknown alignment "{name}"', *loc, hint=hint, key=bool(loc))
    try:
        return Align(how, **_READERS[how](options))
    except BadSettings as error:
        raise BadSettings(detail.under(*loc) for detail in error.details) from error


def _no_options(how: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def read(options: Mapping[str, Any]) -> dict[str, Any]:
        if options:
            raise bad(f'alignment "{how}" takes no options', hint=f"write align: {how}")
        return {}

    return read


def _hungarian(options: Mapping[str, Any]) -> dict[str, Any]:
    return _each("hungarian", options, {"at_least": _share, "ask": _leftover, "cells": _cells})


def _any_order(options: Mapping[str, Any]) -> dict[str, Any]:
    return _each("any_order", options, {"cells": _cells})


def _cells(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        hint = f"it is {LIST_CELLS:,} unless the suite says otherwise: items × items × values of an item"
        raise bad(f"cells must be a whole number above 0; found {spell(value)}", hint=hint)
    return value


def _leftover(value: object) -> str:
    if value != "leftover":
        hint = "leftover asks a judge about items that other comparators could not pair; without it nobody is asked"
        raise bad(f"ask must be leftover; found {spell(value)}", hint=hint)
    return "leftover"


def _key_field(options: Mapping[str, Any]) -> dict[str, Any]:
    if "key" not in options:
        raise bad('alignment "key_field" needs "key"', hint="write key_field: {key: sku}")
    readers = {"key": _key_paths, "transforms": read_transforms, "keyless": _keyless}
    found = _each("key_field", options, readers)
    return {"keys": found.pop("key"), **found}


def _each(how: str, options: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """Every option, read. Raises BadSettings with all that is wrong."""
    found: dict[str, Any] = {}
    details: list[Detail] = []
    for option, value in options.items():
        reader = readers.get(option)
        if reader is None:
            hint = suggestion(option, readers) or f"known: {', '.join(readers)}"
            message = f'unknown setting "{option}" for alignment "{how}"'
            details.append(Detail((option,), message, hint, key=True, code="unknown-setting"))
            continue
        try:
            found[option] = reader(value)
        except BadSettings as error:
            details.extend(detail.under(option) for detail in error.details)
    if details:
        raise BadSettings(details)
    return found


def _share(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
        hint = "0.5: at least half of the items' fields agree"
        raise bad(f"at_least must be a number above 0, at most 1; found {spell(value)}", hint=hint)
    return Fraction(str(value))


def _keyless(value: object) -> str:
    if value not in ("ordered", "apart"):
        hint = "ordered pairs items without a key in list order; apart pairs them with nothing"
        raise bad(f"keyless must be ordered or apart; found {spell(value)}", hint=hint)
    return str(value)


def _key_paths(data: object) -> tuple[Path, ...]:
    listed = isinstance(data, (list, tuple))
    found: list[Path] = []
    details: list[Detail] = []
    for index, spelled in enumerate(data if isinstance(data, (list, tuple)) else [data]):
        loc = (index,) if listed else ()
        try:
            path = read_path(spelled)
        except BadSettings as error:
            details.extend(detail.under(*loc) for detail in error.details)
            continue
        if not path.definite:
            details.append(Detail(loc, f'the key "{path.canonical}" must be one place in an item'))
        elif path in found:
            details.append(Detail(loc, f'the key names "{path.canonical}" twice', "name each place once"))
        found.append(path)
    if details:
        raise BadSettings(details)
    if not found:
        raise bad("key must name at least one path", hint="write key: sku, or key: [order, line]")
    return tuple(found)


_READERS: Final[Mapping[AlignHow, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "ordered": _no_options("ordered"),
    "any_order": _any_order,
    "key_field": _key_field,
    "hungarian": _hungarian,
}
