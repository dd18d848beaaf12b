"""Several outputs of one question: each is an attempt, and what is counted are groups of attempts.

A group is made of the rows with the same cell in one column. An attempt passes where its row does; an unreadable and a blocked
row are attempts that failed. A group in which a row could not be measured has no figure: it counts against coverage. Rows that the
suite skips, and rows in which nothing was there to measure, are no attempts.

Groups are counted one at a time, in the order of their names. Those with the same results are alike but for their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.rows import FIELD_STATUSES, FieldStatus, Result, RowStatus
from evaluators.runs.attempt_groups import FlipCounts, drawable_groups
from evaluators.runs.clusters import MOST_CONTENTS, Contents
from evaluators.runs.columns import Cells
from evaluators.runs.metric_table import FLIP_METRICS, PASS_METRICS, REPEAT_METRICS, compute_metrics
from evaluators.runs.result import FieldFlips, GroupAttempts, PassesAt, PassShare, RepeatStats
from evaluators.runs.wrong_fields import WrongFields
from evaluators.scoring.fields.outcomes import WRONG
from evaluators.scoring.plan.graph import EvaluatorLine

MOST_LISTED: Final = 200
"""Groups that are listed by name, those that sometimes pass first."""
MOST_FIELDS: Final = 2_000
_SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""The sizes that are shown of larger groups, and no greater ones, where the suite names none."""
BY_ID: Final = "id"


class Repeats(Struct, frozen=True):
    """The settings for questions with several outputs."""

    by: str
    """The column whose cell says which rows are outputs of one question; `id` is whichever column holds the ids."""
    ks: tuple[int, ...] = ()
    of_ids: bool = False

    def column(self, roles: Mapping[str, str]) -> str:
        """The column that says which rows are outputs of one question. `roles` are the columns of roles, such as that of ids."""
        return roles.get(BY_ID, self.by) if self.of_ids else self.by


class Attempts(Struct):
    """The rows of one group."""

    scored: int = 0
    passed: int = 0
    blocked: int = 0
    kept_out: int = 0
    unreadable: int = 0
    """Attempts in which every field is wrong, beside those of `wrong`: those of documents have other fields in each."""
    wrong: Counter[str] = field(default_factory=Counter)
    """By field, the attempts in which it is wrong."""
    unasked: Counter[str] = field(default_factory=Counter)
    """By field, the attempts in which it is neither right nor wrong."""

    def add(self, verdict: Result, times: int, fields: Sequence[str] = ()) -> None:
        """Counts a verdict on rows of the group. `fields` is the evaluator's closed list."""
        if verdict.status.kept_out:
            self.kept_out += times
        if not verdict.status.scored:
            return
        self.scored += times
        self.passed += times if verdict.passed else 0
        self.blocked += times if verdict.status is RowStatus.BLOCKED else 0
        for path, status in zip(fields, verdict.statuses, strict=False):
            if FIELD_STATUSES[status] in WRONG:
                self.wrong[path] += times
            elif status != FieldStatus.MATCH.number:
                self.unasked[path] += times

    @property
    def is_complete(self) -> bool:
        """Whether there are attempts, and all rows could be measured."""
        return self.scored > 0 and not self.kept_out


class Groups(Struct):
    """The groups of one evaluator."""

    nameless: int = 0
    """Rows that no question is named for."""
    shares: Counter[tuple[int, int]] = field(default_factory=Counter)
    """By attempts that pass and attempts, the groups in which all rows could be measured."""
    kept_out: Counter[int] = field(default_factory=Counter)
    """By rows, the groups in which one could not be measured."""
    listed: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    """The first names of groups with so many passes and attempts."""
    repeated: int = 0
    """Groups with two attempts or more in which fields are right or wrong."""
    flips: Counter[str] = field(default_factory=Counter)
    """By field, those of them in which it is right in one attempt and wrong in another."""
    alone: Counter[str] = field(default_factory=Counter)
    """By field, those of them in which it is right or wrong in fewer than two attempts."""
    last: str | None = None
    """The last group, by name, in which fields were looked at; None where all were."""

    def add(self, attempts: Attempts, times: int = 1, fields: bool = True) -> None:
        """Counts `times` groups that have the same attempts. Without `fields`, the wrong fields of these groups are not known,
        and not counted."""
        if attempts.kept_out:
            self.kept_out[attempts.scored + attempts.kept_out] += times
        if not attempts.is_complete:
            return
        self.shares[attempts.passed, attempts.scored] += times
        seen = attempts.scored - attempts.blocked
        if fields and seen > 1:
            self.repeated += times
            for path, unasked in attempts.unasked.items():
                if seen - unasked < 2:
                    self.alone[path] += times
            for path, wrong in attempts.wrong.items():
                if 0 < wrong + attempts.unreadable < seen - attempts.unasked[path]:  # wrong in some, right in others
                    self.flips[path] += times


class AttemptCounter:
    """Counts the groups of one evaluator."""

    def __init__(self, place: int, line: EvaluatorLine, verdicts: Sequence[Result], wrong: WrongFields) -> None:
        """`place` is the index of the evaluator, `verdicts` are what its codes stand for, `wrong` the fields of documents that are wrong
        in a group."""
        self.names = [f"code{place}"]
        self._verdicts, self._wrong = verdicts, wrong
        self._fields = line.settings.scored_fields().names
        self._contents, self._alike = Counter[Contents](), dict[Contents, Attempts]()
        self.groups = Groups(last=wrong.last_group)

    def add(self, group: str, cells: Sequence[Cells]) -> None:
        """Counts the group called `group`, whose codes are `cells[0]`. It is counted now where it has wrong fields of its own, or nobody
        knows them; else it waits to be counted with the groups that have the same codes. Without a name, only its rows are counted."""
        name, contents = group, tuple(sorted(cells[0]))
        attempts = self._alike.get(contents)
        if attempts is None:
            if len(self._alike) == MOST_CONTENTS:
                self.settle()
            attempts = self._alike[contents] = self._count_attempts(contents)
        if not name.strip():
            self.groups.nameless += attempts.scored + attempts.kept_out
            return
        if attempts.is_complete:
            names = self.groups.listed.setdefault((attempts.passed, attempts.scored), [])
            if len(names) < MOST_LISTED:
                names.append(name)
        if (of_fields := self._wrong.of_group.get(name)) is not None:
            self.groups.add(replace(attempts, wrong=Counter(of_fields), unreadable=self._wrong.unreadable.get(name, 0)))
            return
        if self.groups.last is not None and name > self.groups.last:  # nobody knows what is wrong in it
            self.groups.add(attempts, fields=False)
            return
        self._contents[contents] += 1

    def settle(self) -> None:
        """Adds the groups that wait to be counted to `groups`, and forgets them. Groups with the same codes are counted at once."""
        for contents, times in self._contents.items():
            self.groups.add(self._alike[contents], times)
        self._contents.clear()
        self._alike.clear()

    def _count_attempts(self, contents: Contents) -> Attempts:
        """The counted attempts of one group, whose `contents` are the codes of its verdicts."""
        attempts = Attempts()
        for code, times in Counter(contents).items():
            attempts.add(self._verdicts[code], times, self._fields)
        return attempts


def repeat_stats(
    lines: Sequence[EvaluatorLine], groups: Sequence[Groups], repeats: Repeats | None, variant: str | None
) -> Iterator[RepeatStats]:
    """Yields the statistics of each evaluator's groups, in the order of the suite; nothing without `repeats`."""
    for line, attempts in zip(lines, groups, strict=False):
        if repeats is not None:
            yield _stats(line.name, attempts, repeats, variant)


def _stats(name: str, groups: Groups, repeats: Repeats, variant: str | None) -> RepeatStats:
    """The statistics of the groups of one evaluator. Where the suite names no k, there is each up to the size of the smallest group; of
    more than ten only some."""
    shares = tuple(PassShare(*key, groups=count) for key, count in sorted(groups.shares.items()))
    smallest = min((each.attempts for each in shares), default=0)
    ks = repeats.ks or (k for k in range(1, smallest + 1) if smallest <= 10 or k in _SIZES or k == smallest <= _SIZES[-1])
    listed = sorted((_sort_key(*key), group, *key) for key, names in groups.listed.items() for group in names)
    sizes = tuple(sorted(groups.kept_out.items()))
    return RepeatStats(
        evaluator=name,
        by=repeats.by,
        nameless=groups.nameless,
        attempts=sum(each.attempts * each.groups for each in shares),
        smallest=smallest,
        largest=max((each.attempts for each in shares), default=0),
        passes=tuple(passes_at(shares, k, sizes) for k in ks),
        shares=shares,
        listed=tuple(GroupAttempts(group, attempts, passed) for _, group, passed, attempts in listed[:MOST_LISTED]),
        fields=tuple(_flips(groups)),
        fields_until=groups.last,
        kept_out_sizes=sizes,
        variant=variant,
        **compute_metrics(REPEAT_METRICS, drawable_groups(1, shares, sizes)),
    )


def _sort_key(passed: int, attempts: int) -> tuple[bool, Fraction]:
    """The sort key of a listed group: groups that sometimes pass come first, then those that never do, in each the lowest share
    of passes first."""
    return passed in (0, attempts), Fraction(passed, attempts)


def _flips(groups: Groups) -> Iterator[FieldFlips]:
    """Yields a record for each field that is right in one attempt of a group and wrong in another, the most frequent first."""
    flips = ((path, count) for path, count in groups.flips.items() if count)
    for path, count in sorted(flips, key=lambda each: (-each[1], each[0]))[:MOST_FIELDS]:
        yield FieldFlips(path, **compute_metrics(FLIP_METRICS, FlipCounts(count, groups.repeated - groups.alone[path])))


def passes_at(shares: Iterable[PassShare], k: int, kept_out: Iterable[tuple[int, int]] = ()) -> PassesAt:
    """How likely it is that at least one of k outputs of a question passes, and that all k do: means over the groups of at least k.

    `kept_out` are the sizes of groups in which a row could not be measured, and how many there are of each.
    """
    return PassesAt(k, **compute_metrics(PASS_METRICS, drawable_groups(k, shares, kept_out)))
