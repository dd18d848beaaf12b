"""Two lists, paired by what a function says that pairs of their items are worth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from evaluators.scoring.fields.fingerprints import Fingerprint, Fingerprinting
from evaluators.scoring.fields.item_keys import key_reader
from evaluators.scoring.fields.pairing import Paired, Worth, in_list_order, pair_by_key, pair_freely
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.tree import PairCost
from evaluators.scoring.values.equality import json_equal


def pair_items(
    align: Align,
    expected: Sequence[Any],
    output: Sequence[Any],
    weigh: Callable[[int, int], Worth],
    fingerprint_of: Fingerprinting = lambda item: Fingerprint(None, frozenset(), False),
    key_of: Callable[[Any], Hashable] | None = None,
) -> Paired:
    """The items that go together, and what either list has left over."""
    if align.how == "key_field":
        return pair_by_key(align, expected, output, key_reader(align))[0]
    if align.free and not json_equal([*expected], [*output]):
        return pair_freely(
            align, expected, output, PairCost(), fingerprint_of, key_of, False,
            lambda pairs, _: [weigh(row, column) for row, column in pairs],
        )  # fmt: skip
    return in_list_order(len(expected), len(output))
