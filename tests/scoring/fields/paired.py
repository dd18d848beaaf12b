"""Two lists, paired by what a function says that pairs of their items are worth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from evaluators.scoring.fields.gains import PairCost, Worth
from evaluators.scoring.fields.marks import Leaves, LeavesOf
from evaluators.scoring.fields.pair import Paired, paired_by_key, paired_together, pairing
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.pairing import left_over


def pair_items(
    align: Align,
    expected: Sequence[Any],
    output: Sequence[Any],
    weigh: Callable[[int, int], Worth],
    leaves_of: LeavesOf = lambda item: Leaves(None, frozenset(), False),
    key_of: Callable[[Any], Hashable] | None = None,
) -> Paired:
    """The items that go together, and what either list has left over."""
    sizes = len(expected), len(output)
    found = paired_by_key(align, [expected], [output])[0] if align.how == "key_field" else {}
    if align.free and not same([*expected], [*output]):
        run = pairing(align, expected, output, PairCost(), leaves_of, key_of, False)
        found = paired_together({0: run}, lambda pairs, _: [weigh(row, column) for _, row, column in pairs])
    pairs = [(index, index) for index in range(min(sizes))]
    return found.get(0) or Paired(pairs, *left_over(pairs, *sizes))
