"""What a run records of one row: an outcome per unit and metric, a summary per list, and what was not scored.

A unit that several metrics compare counts once. The totals of extract-bench are over *entries*: what stands outside of arrays,
and each outermost array as a whole. The metrics that are made of these are in `row_metrics`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING, Count, FieldStatus, Outcome, Positive
from evaluators.scoring.fields.instance_paths import InstancePath, places_above, spell_location
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.judges.judged_comparator import ListTotals
from evaluators.scoring.values.confusion import Confusion
from evaluators.scoring.values.numbers import exact_number
from evaluators.scoring.values.pairing import Pairs

ONE: Final = (1, 1)
"""The usual weight. It is one object, as what is written leaves out what is the default itself."""


class ListOutcome(Struct, frozen=True, omit_defaults=True):
    """The outcome of one list, which a run records: how its items match.

    An item is *matched* when it is paired and everything that was measured in the pair matches; a pair that is not
    matched is one missing and one extra item.
    """

    path: str = msgspec.field(name="array")
    field: str
    """The list's place in the schema."""
    align: str
    """How its items were paired."""
    code: str
    """The reason code of the list as a whole."""
    matched: Count
    missing: Count
    extra: Count
    paired: Count
    pairs: tuple[tuple[int, int], ...]
    """The items that match, each by its index in the expected list and in the output's."""
    weight: tuple[Count, Positive] = ONE
    """An exact fraction."""
    alike: bool = False
    """No items are measured, and the place itself is right: both lists are empty but for what is skipped, both are null, or both
    are the same text."""
    extra_items: bool = False
    """Items that only the output has lower the score."""
    comparator: str | None = None
    """The metric that says of the whole list which items match, and has a result at the same path; None where items are compared."""
    pass_at: tuple[Count, Positive] = ONE
    """The score from which on it passes."""
    unmeasured: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """The items in which nothing was measured, by their indexes in the expected list and in the output's. They are not counted."""
    notes: tuple[str, ...] = ()
    """Remarks on the keys that pair its items: items without one, or with that of another item."""
    expected: Any = MISSING
    actual: Any = MISSING
    row: Count = 0
    evaluator: str = ""
    """Both are said where it was recorded."""

    @property
    def surplus(self) -> int:
        """Items of the output without a partner."""
        return self.extra - (self.paired - self.matched)

    @property
    def score(self) -> Fraction:
        """The share of expected items that match; without expected items 1 where the sides are alike, else 0.

        Where the surplus counts, it is the share of the expected items and the surplus ones together.
        """
        return list_score(self.matched, self.missing, self.surplus if self.extra_items else 0, self.alike)

    @property
    def passed(self) -> bool:
        """Whether the score reaches `pass_at`."""
        return self.score >= Fraction(*self.pass_at)

    def covers(self, outcome: Outcome) -> bool:
        """Whether an outcome at the list's path or below it counts as a part of this list, and not for itself.

        All do but one: where a metric compares the whole list, what another metric says at the list's own path.
        """
        return self.comparator is None or outcome.path != self.path or outcome.details.get("metric") == self.comparator

    @property
    def items(self) -> Confusion:
        """The items as counts: a pair that does not match is one missing and one extra."""
        return Confusion(self.matched, 0, self.missing, self.extra)

    @property
    def precision(self) -> Fraction | None:
        """The share of matched items among those of the output; 0 where there are none and some are missed, None where neither side has
        one."""
        return self.items.as_fraction("precision")

    @property
    def recall(self) -> Fraction | None:
        """The share of matched items among the expected ones; 0 where there are none and some are made up, None where neither side has
        one."""
        return self.items.as_fraction("recall")

    @property
    def f1(self) -> Fraction | None:
        """The harmonic mean of precision and recall; None where neither side has an item."""
        return self.items.as_fraction("f1")


class Scored(Struct, frozen=True):
    """The documents of one row, scored."""

    fields: tuple[Outcome, ...] = ()
    arrays: tuple[ListOutcome, ...] = ()
    """Every list in which something was measured, outer ones before inner ones."""
    outside: tuple[str, ...] = ()
    """The places that the expected side has and the schema lacks, each once. They are not scored."""
    problem: RowProblem | None = None
    """Why the row has no score: the first result that something else than the output kept from being measured."""


class Documents(Struct, frozen=True):
    """Every result of one row, beside the tree that scored it."""

    root: FieldNode
    scored: Scored


def list_score(matched: int, missed: int, surplus: int, alike: bool) -> Fraction:
    """The score of a list in the totals, `matched / (matched + missed + surplus)`; without items 1 where both sides are alike."""
    whole = matched + missed + surplus
    return Fraction(matched, whole) if whole else Fraction(int(alike))


def ratio_of(share: Fraction) -> tuple[int, int]:
    """A fraction as (numerator, denominator); for 1 it is the object ONE."""
    return ONE if share == 1 else share.as_integer_ratio()


MEASURED: Final = frozenset(
    (FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR)
)
_PLAIN: Final = {0.0: Fraction(0), 1.0: Fraction(1)}
"""Almost all scores."""


def unit_status(statuses: Iterable[FieldStatus]) -> FieldStatus:
    """The status of a unit with several metrics: not judged or an error where one of them is, else a match when every one that measured
    something matches, else their common status, or a mismatch where they differ."""
    kinds = set(statuses)
    for first in (FieldStatus.NOT_JUDGED, FieldStatus.ERROR):
        if first in kinds:
            return first
    kinds &= MEASURED
    if not kinds:
        return FieldStatus.SKIPPED
    return kinds.pop() if len(kinds) == 1 else FieldStatus.MISMATCH


def joint_status(statuses: Iterable[FieldStatus]) -> FieldStatus:
    """The status of several values of one field: not judged or an error where one of them is, else a match when every one matches, else the
    common status of those that do not, or a mismatch where they differ."""
    kinds = {*statuses} - {FieldStatus.NOT_MEASURED}
    for first in (FieldStatus.NOT_JUDGED, FieldStatus.ERROR):
        if first in kinds:
            return first
    if len(kinds) > 1:
        kinds -= {FieldStatus.MATCH, FieldStatus.SKIPPED}
    return FieldStatus.NOT_MEASURED if not kinds else kinds.pop() if len(kinds) == 1 else FieldStatus.MISMATCH


def share(result: Outcome) -> Fraction:
    """The share of its weight that a measured outcome earned, exactly."""
    ratio = result.details.get("ratio")
    if isinstance(ratio, tuple):
        return Fraction(*ratio)
    score = result.score or 0.0
    known = _PLAIN.get(score)
    return exact_number(score) if known is None else known


def is_entry(result: Outcome, arrays: Mapping[str, ListOutcome]) -> bool:
    """Whether a result is an entry of its own in the totals.

    The result of a key that the schema lacks is none, nor is one that belongs to a list, whose outcome is the entry then. `arrays` are the
    outcomes of the lists of its row, by path.
    """
    if result.details.get("outside"):
        return False
    return not any(place in arrays and arrays[place].covers(result) for place in places_above(result.path))


def outermost_lists(scored: Scored) -> list[ListOutcome]:
    """The lists of a row that stand in no other one."""
    paths = {array.path for array in scored.arrays}
    return [
        array
        for array in scored.arrays
        if not any(place in paths and place != array.path for place in places_above(array.path))
    ]


WRONG: Final = frozenset(
    (FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR, FieldStatus.NOT_JUDGED)
)
_COUNTED: Final = WRONG | MEASURED
"""The statuses of items that count."""


class PairedList(Struct, frozen=True):
    """A list of one row, as its items were paired."""

    location: InstancePath
    node: FieldNode
    expected: Any
    actual: Any
    pairs: Pairs = []
    """The items that go together: (expected, output) indexes."""
    notes: tuple[str, ...] = ()
    """Remarks on how the items were paired."""
    expects_nothing: bool = False
    """The expected value is one that the suite counts as absent."""


class ItemPaths(NamedTuple):
    """The paths of a list and its items."""

    path: str
    rows: list[str]
    """The expected items."""
    extra: dict[int, str]
    """The items of the output without a partner, by their indexes."""

    @classmethod
    def of(cls, listed: PairedList) -> ItemPaths:
        """The paths of a list and its items: `items[0]` of an expected item, `items[+0]` of one that only the output has."""
        path = spell_location(listed.location)
        start = "[" if path == "$" else f"{path}["
        rows = range(len(listed.expected) if isinstance(listed.expected, list) else 0)
        columns = set(range(len(listed.actual))) if isinstance(listed.actual, list) else set()
        unpaired = sorted(columns.difference(column for _, column in listed.pairs))
        return cls(path, [f"{start}{row}]" for row in rows], {column: f"{start}+{column}]" for column in unpaired})


def list_outcomes(lists: Sequence[PairedList], outcomes: Iterable[Outcome]) -> tuple[ListOutcome, ...]:
    """The outcomes of lists in which something was measured. Their items are counted from the outcomes of fields."""
    items = [ItemPaths.of(each) for each in lists]
    wanted = {path for each in items for path in (each.path, *each.rows, *each.extra.values())}
    inside: defaultdict[str, list[FieldStatus]] = defaultdict(list)
    own: defaultdict[str, list[FieldStatus]] = defaultdict(list)
    for result in outcomes:
        own[result.path].append(result.status)
        for place in places_above(result.path):
            if place in wanted:
                inside[place].append(result.status)
    return tuple(
        _list_outcome(each, paths, inside, FieldStatus.MATCH in own[paths.path])
        for each, paths in zip(lists, items, strict=True)
        if MEASURED.intersection(inside[paths.path])
    )


def _list_outcome(
    listed: PairedList, items: ItemPaths, inside: Mapping[str, list[FieldStatus]], own_match: bool
) -> ListOutcome:
    """The outcome of one list. `inside` has the statuses in its items, by their paths; `own_match`: the list itself has a match.

    An item in which nothing was measured, since no field of it is compared, is not counted. Nor are those of the output where the
    expected side has something that is neither a list nor empty.
    """
    unmeasured_rows = {row for row, path in enumerate(items.rows) if _COUNTED.isdisjoint(inside.get(path, ()))}
    extra_unmeasured = {column for column, path in items.extra.items() if _COUNTED.isdisjoint(inside.get(path, ()))}
    extra_unmeasured.update(column for row, column in listed.pairs if row in unmeasured_rows)
    pairs = [pair for pair in listed.pairs if pair[0] not in unmeasured_rows]
    comparable = listed.expects_nothing or isinstance(listed.expected, list) or listed.expected in (MISSING, None, {})
    columns = len(listed.actual) if comparable and isinstance(listed.actual, list) else 0
    expected, output = len(items.rows) - len(unmeasured_rows), columns - len(extra_unmeasured) if columns else 0
    matching: list[tuple[int, int]] = []
    for pair in pairs:
        statuses = inside[items.rows[pair[0]]]
        if FieldStatus.MATCH in statuses and WRONG.isdisjoint(statuses):
            matching.append(pair)
    matched = len(matching)
    alike = not expected and not output and own_match
    right = alike or (expected == matched == output and expected > 0)
    code = reason_code(FieldStatus.MATCH if right else FieldStatus.MISMATCH, listed.expected, listed.actual)
    unmeasured = tuple(sorted(unmeasured_rows)), tuple(sorted(extra_unmeasured))
    return ListOutcome(
        items.path, listed.node.name, listed.node.align.rule, code, matched, expected - matched, output - matched, len(pairs),
        tuple(matching), ratio_of(listed.node.weight), alike, unmeasured=unmeasured if any(unmeasured) else None, notes=listed.notes,
        expected=listed.expected, actual=listed.actual,
    )  # fmt: skip


def judged_list_outcomes(
    judged: Mapping[tuple[str, object], tuple[Fraction, ListTotals]], outcomes: Iterable[Outcome]
) -> tuple[ListOutcome, ...]:
    """The outcomes of lists that a judge compares as a whole. How many items match is read from the outcome of its metric.

    `judged`: by path and name of the metric, the weight of the list, and how its items count.
    """
    return tuple(
        _judged_list_outcome(result, *judged[path])
        for result in outcomes
        if result.status in MEASURED and (path := (result.path, result.details.get("metric"))) in judged
    )


def _judged_list_outcome(result: Outcome, weight: Fraction, totals: ListTotals) -> ListOutcome:
    """The outcome of a list whose items a judge compared. Where no judge was asked, all items match, or none does."""
    details: Mapping[str, Any] = result.details
    right = result.status is FieldStatus.MATCH
    sides = details.get("compared_expected", result.expected), details.get("compared_actual", result.actual)
    expected, output = (len(side) if isinstance(side, list) else 0 for side in sides)
    if "matched" in details:
        matched, missed, spurious = (int(details[name]) for name in ("matched", "missed", "spurious"))
        pairs = [(int(row), int(column)) for row, column in details.get("pairs", ())]
    else:
        matched, missed, spurious = (expected, 0, 0) if right else (0, expected, output)
        pairs = [(row, row) for row in range(matched)]
    return ListOutcome(
        result.path, result.place, result.comparator or "", result.code, matched, missed, spurious, matched, tuple(pairs),
        ratio_of(weight), right and not expected and not output, totals.surplus_counts, result.metric, ratio_of(totals.pass_at),
        expected=result.expected, actual=result.actual,
    )  # fmt: skip


def reason_code(status: FieldStatus, expected: Any, actual: Any) -> str:
    """The reason code of a result, in the words of extract-bench's reports: by what is missing, then null, then empty."""
    if status is FieldStatus.MATCH:
        return "match"
    if status is FieldStatus.ERROR or status is FieldStatus.NOT_JUDGED:
        return "error"
    for side, name in ((expected, "gold"), (actual, "extracted")):
        if side is MISSING:
            return f"{name}_missing"
    for side, name in ((expected, "gold"), (actual, "extracted")):
        if side is None:
            return f"{name}_null"
    for side, name in ((expected, "gold"), (actual, "extracted")):
        if isinstance(side, list) and not side:
            return f"{name}_empty_array"
    return "mismatch"
