"""Why two values differ, in one sentence: what they are or, of two objects and of two lists, what differs inside of them.

Keys and the items of two lists of one length are compared one by one. Of two lists of which one has more items, those that are the same
at both ends are set aside, and the others go together where they are equal; what stands between those goes together in turn.
`reason_in_full` finds which of them are alike, wherever they stand, with deepdiff: this takes long beside a comparison, and half a
second to load, so that it is for a page that shows rows, not for the run that scores them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile, zip_longest
from typing import Any, Final, TypeAlias
from unicodedata import category, normalize

from evaluators.model.rows import MISSING
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.path_text import display_plainly
from evaluators.scoring.values.quoting import kind, quote, with_kind

MOST_SHOWN: Final = 3
"""Differences that are shown; of the others there is their number."""
MOST_COUNTED: Final = 200
"""Differences that are looked for."""
MOST_VALUES: Final = 200
"""Values and containers of two lists together of which it is found out which items go together."""
MOST_PAIRS: Final = 2_500
"""Pairs of items of two lists of which it is found out which are equal."""
MOST_LEVELS: Final = 16
"""How deep differences are looked for; below that two values differ as a whole."""
_LONG: Final = 100
"""Characters of a text that are looked through."""
_QUOTED: Final = 30
_ABSENT: Final = "not present"
"""How deepdiff writes a side that has no value."""

_Place: TypeAlias = tuple[Any, ...]
_Change: TypeAlias = tuple[_Place, Any, Any]
"""A place, and what the expected value and the output have there: MISSING is nothing."""
_Pairing: TypeAlias = Callable[[int, list[Any], list[Any]], list[_Change] | None]
"""What differs between two lists, of which the items from a place on are given; None where there is too much to look through."""


def reason_in_full(reason: str, expected: Any, actual: Any) -> str:
    """The reason, with the sentence of `difference_text` about two values replaced by one that also says what differs inside the items of
    lists of unlike length. A reason without that sentence stays."""
    if not (isinstance(expected, dict | list) and isinstance(actual, dict | list)) or json_equal(expected, actual):
        return reason
    brief = difference_text(expected, actual)
    return reason.replace(brief, _difference_text(expected, actual, _pair_alike_items)) if brief in reason else reason


def difference_text(expected: Any, actual: Any) -> str:
    """Why two values that are not equal differ, in one sentence."""
    return _difference_text(expected, actual, _pair_equal_items)


def _difference_text(expected: Any, actual: Any, pairing: _Pairing) -> str:
    """A sentence on how two values that differ do so. `pairing` is the function that pairs the items of lists."""
    if expected.__class__ is not actual.__class__ and kind(expected) != kind(actual):
        if actual is None or expected is None:
            return f"{quote(actual)} instead of {quote(expected)}"
        return f"{with_kind(actual)}; {with_kind(expected)}"
    if isinstance(expected, dict | list) and (inside := _changes_text(expected, actual, pairing)):
        return f"the {'objects' if isinstance(expected, dict) else 'lists'} differ: {inside}"
    sentence = f"{quote(actual)} differs from {quote(expected)}"
    if not (isinstance(expected, str) and isinstance(actual, str)) or (expected.isascii() and actual.isascii()):
        return sentence
    if _without_invisible(expected) == _without_invisible(actual):
        return f"{sentence}; only invisible characters differ"
    if normalize("NFC", expected) == normalize("NFC", actual):
        return f"{sentence}; only how their letters are stored differs: `unicode: nfc` of `normalized` sets that aside"
    return sentence


def _without_invisible(text: str) -> str:
    """The text without invisible characters."""
    if text.isprintable():  # no text of these has an invisible character
        return text
    return text.translate({ord(char): None for char in set(text) if category(char) in ("Cc", "Cf")})


def _changes_text(expected: Any, actual: Any, pairing: _Pairing) -> str:
    """The first changes in words, in the order of their places, and how many more there are; "" where the values differ as a whole."""
    changes = list(islice(_changes((), expected, actual, pairing), MOST_COUNTED + 1))
    if not changes or not changes[0][0]:
        return ""
    words = [_change_text(*change) for change in changes[:MOST_SHOWN]]
    more = f"{len(changes) - MOST_SHOWN:,}" if len(changes) <= MOST_COUNTED else f"over {MOST_COUNTED - MOST_SHOWN:,}"
    return "; ".join(words if len(changes) <= MOST_SHOWN else [*words, f"and {more} more"])


def _changes(place: _Place, expected: Any, actual: Any, pairing: _Pairing) -> Iterator[_Change]:
    """Yields the changes between two values that differ, each with its place; `place` is where the two values stand. What is below
    `MOST_LEVELS` levels, and is not equal, is one change. `pairing` pairs the items of lists of unlike length."""
    kinds = (expected.__class__, actual.__class__)
    if kinds == (dict, dict) and len(place) < MOST_LEVELS:
        pairs = ((key, expected.get(key, MISSING), actual.get(key, MISSING)) for key in {**expected, **actual})
    elif kinds == (list, list) and len(place) < MOST_LEVELS:
        if len(expected) != len(actual):
            yield from _list_changes(place, expected, actual, pairing)
            return
        pairs = ((at, *pair) for at, pair in enumerate(zip(expected, actual, strict=True)))
    else:
        yield place, expected, actual
        return
    for step, wanted, found in pairs:
        if wanted is MISSING or found is MISSING or not json_equal(wanted, found):
            yield from _changes((*place, step), wanted, found, pairing)


def _list_changes(place: _Place, expected: list[Any], actual: list[Any], pairing: _Pairing) -> Iterator[_Change]:
    """Yields the changes between two lists of unlike length at `place`. Items that are equal at both ends are set aside, and `pairing`
    pairs the others; where they are too many for it, the whole list is one change."""
    at_start = _equal_from_start(zip(expected, actual, strict=False))
    at_end = _equal_from_start(zip(expected[at_start:][::-1], actual[at_start:][::-1], strict=False))
    ours, theirs = expected[at_start : len(expected) - at_end], actual[at_start : len(actual) - at_end]
    if ours and theirs:
        pairs = pairing(at_start, ours, theirs)
        if pairs is None:
            yield place, expected, actual
        for steps, wanted, found in pairs or ():
            yield from _changes((*place, *steps), wanted, found, pairing)
        return
    yield from (((*place, at), item, MISSING) for at, item in enumerate(ours, at_start))
    yield from (((*place, at), MISSING, item) for at, item in enumerate(theirs, at_start))


def _equal_from_start(pairs: Iterator[tuple[Any, Any]]) -> int:
    """The number of equal pairs before the first pair that differs."""
    return sum(1 for _ in takewhile(lambda pair: json_equal(*pair), pairs))


def _pair_equal_items(first: int, expected: list[Any], actual: list[Any]) -> list[_Change] | None:
    """The changes between the items of two lists, which are paired where they are equal; those between two such pairs are paired in
    turn.

    `first` is the index of the first item. None where there are too many to compare.
    """
    if len(expected) * len(actual) > MOST_PAIRS:
        return None
    changes: list[_Change] = []
    before, others = list[tuple[int, Any]](), list(enumerate(actual, first))
    for at, item in enumerate(expected, first):
        equal = next((place for place, (_, other) in enumerate(others) if json_equal(item, other)), None)
        if equal is None:
            before.append((at, item))
            continue
        changes += _changes_pair_by_pair(before, others[:equal])
        before, others = [], others[equal + 1 :]
    return changes + _changes_pair_by_pair(before, others)


def _changes_pair_by_pair(expected: Sequence[tuple[int, Any]], actual: Sequence[tuple[int, Any]]) -> list[_Change]:
    """The changes between items that stand between the same two others: first with first, and so on; those that are left have no
    partner."""
    sides = zip_longest(expected, actual, fillvalue=(-1, MISSING))
    return [((at if one is not MISSING else other_at,), one, other) for (at, one), (other_at, other) in sides]


def _pair_alike_items(first: int, expected: list[Any], actual: list[Any]) -> list[_Change] | None:
    """The changes between the items of two lists, which are paired where they are alike, wherever they stand, as deepdiff finds
    them.

    `first` is the index of the first item. Where the same items stand in another order, they are paired as `_pair_equal_items` does.
    None where there are too many values to compare.
    """
    (ours, size), (theirs, other_size) = (
        _copy_for_deepdiff(side, MOST_VALUES, MOST_LEVELS) for side in (expected, actual)
    )
    if size + other_size > MOST_VALUES:
        return None
    if [item for item in ours if item in theirs] != [item for item in theirs if item in ours]:  # it looks at no order
        return _pair_equal_items(first, expected, actual)
    from deepdiff import DeepDiff

    differences = DeepDiff(
        ours, theirs, view="tree", ignore_order=True, threshold_to_diff_deeper=0,
        ignore_private_variables=False, cutoff_intersection_for_pairs=1, cutoff_distance_for_pairs=0.9,
    )  # fmt: skip
    levels = [(level.path(output_format="list"), level) for kind in differences.values() for level in kind]
    changes: list[_Change] = []
    for steps, level in sorted(levels, key=lambda entry: entry[0][0]):
        wanted = MISSING if repr(level.t1) == _ABSENT else _value_at(expected, steps)
        found = MISSING if repr(level.t2) == _ABSENT else _value_at(actual, level.path(use_t2=True, output_format="list"))
        changes.append(((steps[0] + first, *steps[1:]), wanted, found))
    return changes


def _value_at(value: Any, steps: Sequence[Any]) -> Any:
    """The value to which the steps lead, all of which exist."""
    for step in steps:
        value = value[step]
    return value


def _change_text(place: tuple[Any, ...], expected: Any, actual: Any) -> str:
    """One change in words: removed (`actual` is MISSING), added (`expected` is MISSING) or changed, at its place."""
    if actual is MISSING:
        return f"{display_plainly(place)} removed: {quote(expected, _QUOTED)}"
    if expected is MISSING:
        return f"{display_plainly(place)} added: {quote(actual, _QUOTED)}"
    was, now = quote(expected, _QUOTED), quote(actual, _QUOTED)
    if was == now and isinstance(expected, str) and isinstance(actual, str):  # long texts that begin alike
        at = next((at for at, (one, other) in enumerate(zip(expected, actual, strict=False), 1) if one != other), _LONG)
        return f"{display_plainly(place)}: two texts that differ {'after' if at >= _LONG else 'at'} character {min(at, _LONG)}"
    if was == now and isinstance(expected, dict | list):
        return f"{display_plainly(place)} differs inside: {was}"
    if was == now:
        was, now = quote(expected, _LONG), quote(actual, _LONG)
    return f"{display_plainly(place)}: {was} → {now}"


def _copy_for_deepdiff(value: Any, most: int, levels: int) -> tuple[Any, int]:
    """A copy in which Python's `==` tells apart what JSON does, with long texts cut; and how many values and containers it has.

    One that has more than `most`, or is deeper than `levels`, has a number above `most`, and is no copy.
    """
    if isinstance(value, str):
        return value if len(value) <= _LONG else f"{value[:_LONG]}…{hash(value)}", 1
    if isinstance(value, bool):  # `True == 1`
        return f"\0{value}", 1
    if not isinstance(value, dict | list):  # 1 and 1.0 are the same number
        return int(value) if isinstance(value, float) and value.is_integer() else value, 1
    count, inner = 1, []
    for item in value.values() if isinstance(value, dict) else value:
        copy, size = _copy_for_deepdiff(item, most - count, levels - 1) if levels else (item, most)
        inner.append(copy)
        count += size
        if count > most:
            break
    if isinstance(value, dict):
        return dict(zip(value, inner, strict=False)), count
    return inner, count
