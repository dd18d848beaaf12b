"""Groups of attempts at one question, by how many of them pass, and the chances that these shares come to.

A metric over groups is the mean of one chance per group, so a group is one unit, however many attempts it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.runs.intervals import moments_of_values, share_interval, wilson
from evaluators.runs.result import Interval, PassShare


class GroupsOfK(Struct, frozen=True):
    """The groups from which k attempts can be drawn; with k = 1, all of them."""

    k: int
    shares: Sequence[PassShare]
    """Those in which all rows could be measured."""
    kept_out: int = 0
    """Groups of at least k rows in which one could not be measured."""
    smaller: int = 0
    """Groups of fewer than k rows, which are left out."""

    @property
    def count(self) -> int:
        """How many groups the metrics are means of."""
        return sum(each.groups for each in self.shares)


class FlipCounts(NamedTuple):
    """In how many of the groups with two attempts or more a field is right in one and wrong in another."""

    flips: int
    groups: int


Chance: TypeAlias = Callable[[PassShare, int], Fraction | None]
"""A chance of one group, given k; None where a group is too small to have one."""


def drawable_groups(k: int, shares: Iterable[PassShare], kept_out: Iterable[tuple[int, int]] = ()) -> GroupsOfK:
    """The groups of at least k rows, from which k attempts can be drawn, with the number of groups that are left out. `kept_out` has, for
    the groups in which a row could not be measured, pairs of a size and how many groups have it."""
    shares, kept_out = [*shares], [*kept_out]
    smaller_measured = sum(each.groups for each in shares if each.attempts < k)
    smaller_kept_out = sum(groups for rows, groups in kept_out if rows < k)
    return GroupsOfK(
        k,
        shares=[each for each in shares if each.attempts >= k],
        kept_out=sum(groups for rows, groups in kept_out if rows >= k),
        smaller=smaller_measured + smaller_kept_out,
    )


def one_passes(group: PassShare, k: int) -> Fraction:
    """How likely at least one of k attempts passes: 1 − C(n − c, k) / C(n, k) of n attempts of which c pass.

    Of all ways to draw k of the attempts it is the share in which one passes, which is not biased.

    Source: Chen et al. 2021, "Evaluating large language models trained on code", section 2.1 (pass@k).
    """
    return 1 - Fraction(comb(group.attempts - group.passed, k), comb(group.attempts, k))


def all_pass(group: PassShare, k: int) -> Fraction:
    """How likely all of k attempts pass: C(c, k) / C(n, k) of n attempts of which c pass.

    Source: Yao et al. 2024, "τ-bench: A benchmark for tool-agent-user interaction in real-world domains", section 4 (pass^k).
    """
    return Fraction(comb(group.passed, k), comb(group.attempts, k))


def disagreement(group: PassShare, _: int) -> Fraction | None:
    """How likely of two attempts one passes and the other does not; None for a group of one attempt. The second argument, the k
    that other chances are given, does not matter."""
    pairs = group.attempts * (group.attempts - 1)
    return Fraction(2 * group.passed * (group.attempts - group.passed), pairs) if pairs else None


def mean_over_groups(chance: Chance, groups: GroupsOfK) -> float | None:
    """The mean of a chance over groups; None without any."""
    moments = moments_of_values(_values(chance, groups))
    return None if moments is None else float(moments.mean)


def interval_over_groups(chance: Chance, groups: GroupsOfK) -> Interval | None:
    """The 95 % interval of the mean of a chance over groups, by Wilson where each group has 0 or 1; None without groups."""
    values = _values(chance, groups)
    if values and values.keys() <= {0, 1}:
        return wilson(values[Fraction(1)], values.total())
    return share_interval(moments_of_values(values))


def _values(chance: Chance, groups: GroupsOfK) -> Counter[Fraction]:
    """How many groups have each value of the chance; groups that are too small to have one are left out."""
    counts = Counter[Fraction]()
    for each in groups.shares:
        if (value := chance(each, groups.k)) is not None:
            counts[value] += each.groups
    return counts
