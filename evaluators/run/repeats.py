"""Several outputs of one question: each is an attempt, and what is counted are groups of attempts.

A group is made of the rows with the same cell in one column. An attempt passes where its row does; an unreadable and a blocked
row are attempts that failed. A group in which a row could not be measured has no figure: it counts against coverage. Rows that the
suite skips, and rows in which nothing was there to measure, are no attempts.

Beyond MOST_GROUPS groups the figures are those of a sample: the groups whose names have the smallest checksums. A group that is among
these of all rows is among them in every part of the rows that it occurs in, so that parts counted apart come to what all rows
count at once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import nsmallest
from math import comb
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from msgspec import Struct, field

from evaluators.fields.path_check import RowsCheck
from evaluators.fields.settle import WRONG
from evaluators.model import FIELD_STATUSES, FieldStatus, Result, RowStatus
from evaluators.run.exact_sums import Sum
from evaluators.run.intervals import moments_of_values, share_interval, wilson
from evaluators.run.result import FieldFlips, GroupAttempts, Interval, PassesAt, PassShare, RepeatStats
from evaluators.suite.graph import EvaluatorLine

if TYPE_CHECKING:
    from evaluators.plan.suite_plan import Compiled, Plan

MOST_GROUPS: Final = 20_000
MOST_LISTED: Final = 200
"""Groups that are listed by name, those that sometimes pass first."""
MOST_FIELDS: Final = 2_000
_SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""The sizes that are shown of larger groups, and no greater ones, where the suite names none."""
_ITEM: Final = re.compile(r"\[\d+\]")
BY_ID: Final = "id"


class Repeats(Struct, frozen=True):
    """What the suite says of questions with several outputs."""

    by: str
    """The column whose cell says which rows are outputs of one question; `id` is whichever column holds the ids."""
    ks: tuple[int, ...] = ()
    of_ids: bool = False

    def column(self, roles: Mapping[str, str]) -> str:
        """The column, where columns play these roles."""
        return roles.get(BY_ID, self.by) if self.of_ids else self.by


class Attempts(Sum):
    """The rows of one group."""

    scored: int = 0
    passed: int = 0
    blocked: int = 0
    kept_out: int = 0
    unreadable: int = 0
    """Attempts in which every field is wrong, beside those of `wrong`: those of documents have other fields in each."""
    wrong: dict[str, int] = field(default_factory=dict)
    """By field, the attempts in which it is wrong."""
    unasked: dict[str, int] = field(default_factory=dict)
    """By field, the attempts in which it is neither right nor wrong."""


class RepeatSums(Sum):
    """The groups of one evaluator."""

    groups: dict[str, Attempts] = field(default_factory=dict)
    nameless: int = 0
    """Rows that no question is named for."""
    sampled: bool = False
    """There were more groups than are counted."""

    def add(self, name: str, verdict: Result, times: int = 1) -> None:
        """Counts a verdict on rows of one group."""
        if not (verdict.status.scored or verdict.status.kept_out):
            return
        if not name.strip():
            self.nameless += times
            return
        group = self.groups.setdefault(name, Attempts())
        if verdict.status.kept_out:
            group.kept_out += times
            return
        group.scored += times
        group.passed += times if verdict.passed else 0
        group.blocked += times if verdict.status is RowStatus.BLOCKED else 0

    def limit(self) -> None:
        """Keeps the groups with the smallest checksums."""
        if len(self.groups) > MOST_GROUPS:
            self.groups, self.sampled = {name: self.groups[name] for name in _smallest(self.groups)}, True


def _smallest(names: Iterable[str]) -> list[str]:
    """Of many groups, those that are kept."""
    return nsmallest(MOST_GROUPS, names, key=lambda name: (crc32(name.encode("utf-8", "surrogatepass")), name))


class WrongFields:
    """The fields that are wrong in the rows of one split, by group: those of documents and of schemas, one evaluator."""

    def __init__(self) -> None:
        self.of_group: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.unreadable = Counter[str]()

    def add(self, plan: Plan, one: Compiled, slots: list[Any], names: Sequence[str]) -> None:
        """Some rows: the groups that they belong to."""
        if not isinstance(one.check, RowsCheck):
            return
        for row, verdict in enumerate(slots[one.verdicts]):
            if verdict.status.scored and verdict.counts is not None and any(verdict.counts[1:]):
                outcomes = plan.wrong_from(one, slots, row, {""}, ())
                found = {each.field if each.field is not None else _ITEM.sub("[*]", each.path) for each in outcomes}
                is_read = verdict.status is not RowStatus.UNREADABLE
                self.of_group[names[row]].update(dict.fromkeys(found, int(is_read)))
                self.unreadable[names[row]] += not is_read


def attempts_of(
    counts: Mapping[tuple[str, int], int], verdicts: Sequence[Result], line: EvaluatorLine, wrong: WrongFields
) -> RepeatSums:
    """The groups of one evaluator, given how often each (group, number of a verdict) was met."""
    found = RepeatSums()
    fields = line.settings.scored_fields().names
    kept = _kept(counts, verdicts)
    for (name, code), times in counts.items():
        verdict = verdicts[code]
        if kept is not None and name.strip() and name not in kept:
            continue
        found.add(name, verdict, times)
        group = found.groups.get(name)
        for path, status in zip(fields, verdict.statuses, strict=False):
            if status != FieldStatus.MATCH.number and group is not None and verdict.status.scored:
                kind = group.wrong if FIELD_STATUSES[status] in WRONG else group.unasked
                kind[path] = kind.get(path, 0) + times
    for name, of_fields in wrong.of_group.items():
        if name in found.groups:
            found.groups[name].wrong, found.groups[name].unreadable = dict(of_fields), wrong.unreadable[name]
    if kept is not None:
        found.groups, found.sampled = {name: found.groups[name] for name in kept}, True
    return found


def _kept(counts: Mapping[tuple[str, int], int], verdicts: Sequence[Result]) -> dict[str, None] | None:
    """The groups that are kept of too many, in their order, so that those beyond them take no memory; None where all are."""
    if len(counts) <= MOST_GROUPS:
        return None
    counted = {code for code, one in enumerate(verdicts) if one.status.scored or one.status.kept_out}
    names = {name for name, code in counts if code in counted and name.strip()}
    return dict.fromkeys(_smallest(names)) if len(names) > MOST_GROUPS else None


def repeat_stats(
    lines: Sequence[EvaluatorLine], sums: Sequence[RepeatSums], repeats: Repeats | None, variant: str | None
) -> Iterator[RepeatStats]:
    """What the groups of each evaluator came to, in the order of the suite; nothing where rows are on their own."""
    for line, one in zip(lines, sums, strict=False):
        if repeats is not None:
            yield _stats(line.name, one, repeats, variant)


def _stats(name: str, sums: RepeatSums, repeats: Repeats, variant: str | None) -> RepeatStats:
    known = {group: each for group, each in sums.groups.items() if each.scored and not each.kept_out}
    spread = Counter((each.passed, each.scored) for each in known.values())
    shares = tuple(PassShare(*key, groups=count) for key, count in sorted(spread.items()))
    smallest = min((each.attempts for each in shares), default=0)
    ks = repeats.ks or (k for k in range(1, smallest + 1) if smallest <= 10 or k in _SIZES or k == smallest <= _SIZES[-1])
    always = sum(one.groups for one in shares if one.passed == one.attempts)
    never = sum(one.groups for one in shares if not one.passed)
    listed = sorted(known, key=lambda group: (_rank(known[group]), group))
    kept_out = [each.scored + each.kept_out for each in sums.groups.values() if each.kept_out]
    sizes = tuple(sorted(Counter(kept_out).items()))
    noise = Counter[Fraction]()
    for one in shares:
        if one.attempts > 1:
            pairs = one.attempts * (one.attempts - 1)
            noise[Fraction(2 * one.passed * (one.attempts - one.passed), pairs)] += one.groups
    return RepeatStats(
        evaluator=name,
        by=repeats.by,
        groups=len(known),
        kept_out=len(kept_out),
        nameless=sums.nameless,
        attempts=sum(one.attempts * one.groups for one in shares),
        smallest=smallest,
        largest=max((one.attempts for one in shares), default=0),
        always=always,
        sometimes=len(known) - always - never,
        never=never,
        passes=tuple(passes_at(shares, k, sizes) for k in ks),
        shares=shares,
        listed=tuple(GroupAttempts(one, known[one].scored, known[one].passed) for one in listed[:MOST_LISTED]),
        fields=tuple(_flips(known.values())),
        noise=_rate(noise)[0],
        sampled=sums.sampled,
        kept_out_sizes=sizes,
        variant=variant,
    )


def _rank(one: Attempts) -> tuple[bool, Fraction]:
    """Groups that sometimes pass come first, then those that never do; the lowest share of passes first."""
    return one.passed in (0, one.scored), Fraction(one.passed, one.scored)


def _flips(groups: Iterable[Attempts]) -> Iterator[FieldFlips]:
    """The fields that are right in one attempt of a group and wrong in another, the most frequent first; of the groups with two
    attempts or more in which they are right or wrong."""
    flips, alone, whole = Counter[str](), Counter[str](), 0
    for one in groups:
        seen = one.scored - one.blocked
        if seen > 1:
            whole += 1
            alone.update(path for path, unasked in one.unasked.items() if seen - unasked < 2)
            flips.update(
                path for path, wrong in one.wrong.items() if 0 < wrong + one.unreadable < seen - one.unasked.get(path, 0)
            )
    for path, count in sorted(flips.items(), key=lambda each: (-each[1], each[0]))[:MOST_FIELDS]:
        asked = whole - alone[path]
        yield FieldFlips(path, count, asked, count / asked, wilson(count, asked))


def passes_at(shares: Iterable[PassShare], k: int, kept_out: Iterable[tuple[int, int]] = ()) -> PassesAt:
    """How likely it is that at least one of k outputs of a question passes, and that all k do: means over the groups.

    A group of n attempts, c of which pass, has 1 − C(n − c, k) / C(n, k) and C(c, k) / C(n, k): of all ways to draw k of its
    attempts, the share in which one passes, and in which all do. Neither is biased. A group with fewer than k attempts has none, and is
    left out. `kept_out` are the sizes of groups in which a row could not be measured, and how many there are of each.

    Source: Chen et al. 2021, "Evaluating large language models trained on code", section 2.1 (pass@k); Yao et al. 2024,
    "τ-bench: A benchmark for tool-agent-user interaction in real-world domains", section 4 (pass^k).
    """
    one_passes, all_pass, smaller = Counter[Fraction](), Counter[Fraction](), 0
    for each in shares:
        if each.attempts < k:
            smaller += each.groups
            continue
        ways = comb(each.attempts, k)
        one_passes[1 - Fraction(comb(each.attempts - each.passed, k), ways)] += each.groups
        all_pass[Fraction(comb(each.passed, k), ways)] += each.groups
    lost = 0
    for rows, groups in kept_out:
        if rows < k:
            smaller += groups
        else:
            lost += groups
    at, every = _rate(one_passes), _rate(all_pass)
    return PassesAt(k, one_passes.total(), smaller, at[0], at[1], every[0], every[1], lost)


def _rate(values: Counter[Fraction]) -> tuple[float | None, Interval | None]:
    """The mean of shares and its interval, a group being one unit: Wilson's where each is 0 or 1."""
    moments = moments_of_values(values)
    if moments is None:
        return None, None
    if values.keys() <= {0, 1}:
        return float(moments.mean), wilson(values[Fraction(1)], values.total())
    return float(moments.mean), share_interval(moments)
