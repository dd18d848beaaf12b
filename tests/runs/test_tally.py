"""Counting is exact, and does not care in which order results come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.api.loading import load
from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import FieldStatus, Result, RowStatus
from evaluators.runs.document_sums import MOST_PATHS, DocumentSums
from evaluators.runs.exact_sums import plus
from evaluators.runs.intervals import mean_of
from evaluators.runs.ledger import Ledger
from evaluators.runs.split_rows import Layout
from evaluators.runs.tally import Tally, row_tallies
from evaluators.runs.watch import Watch, Watched
from evaluators.scoring.fields.row_checks import OVERFLOW
from tests.runs.given_columns import GivenColumns

FIELDS = 3


@st.composite
def verdicts(draw: st.DrawFn) -> Result:
    status = draw(st.sampled_from(RowStatus))
    statuses = draw(st.just(b"") | st.binary(min_size=FIELDS, max_size=FIELDS).map(_as_statuses))
    counts = draw(st.none() | st.tuples(*[st.integers(0, 3)] * 4)) if not statuses else None
    if not status.scored:
        return Result(status, None, 0, 0, statuses, counts, draw(st.sampled_from(ISSUES)))
    if status is not RowStatus.SCORED:
        return Result(status, False, 0, 1, statuses, counts)
    den = draw(st.integers(1, 12) | st.just(2**52))
    num = draw(st.integers(0, den))
    return Result(status, draw(st.booleans()), num, den, statuses, counts)


def _as_statuses(data: bytes) -> bytes:
    return bytes(one % len(FieldStatus) for one in data)


ISSUES = (None, Issue("expected-not-json", Blame.TESTSET, "not JSON"), Issue("bug", Blame.BUG, "it broke"))
ROWS = st.lists(verdicts(), max_size=30)


def tally_of(rows: Sequence[Result]) -> Tally:
    tally = Tally.of(FIELDS)
    for verdict in rows:
        tally.add(verdict)
    return tally


def total(tally: Tally) -> Fraction:
    return sum((Fraction(num, den) for den, num in tally.sums.items()), Fraction(0))


def same_figures(one: Tally, other: Tally) -> bool:
    return one == other and mean_of(one.sums, one.scored) == mean_of(other.sums, other.scored)


LINES = load({"evaluators": [{"json_multi_field_match": {"name": "one", "fields": ["a", "b", "c"]}}]}).lines


def of_columns(rows: Sequence[Result], cuts: Sequence[int], watch: Watch | None = None) -> Tally:
    """The tally of rows whose codes stand in a column, added in pieces."""
    known = list(dict.fromkeys(rows))
    columns = GivenColumns(Layout(("one",)), {"code0": [known.index(one) for one in rows]}, cuts)
    (found,) = row_tallies(columns, LINES, [known], {"one": watch} if watch is not None else {})
    return found


@given(ROWS, st.lists(st.integers(0, 30), max_size=6), st.randoms(use_true_random=False))
def test_any_cut_in_any_order_comes_to_the_same_sums(rows: list[Result], cuts: list[int], random: Random) -> None:
    whole = tally_of(rows)
    random.shuffle(rows)
    assert same_figures(of_columns(rows, cuts), whole)


WATCHED: tuple[Watched, ...] = ((None, "f1"), (None, "precision"), ("b", "accuracy"), ("b", "recall"))


@given(ROWS, st.integers(0, 30), st.booleans())
def test_sums_of_watched_figures_are_the_same_for_any_cut(rows: list[Result], cut: int, closed: bool) -> None:
    watch = Watch(WATCHED, ("a", "b", "c") if closed else ())
    rows = [replace(row, watched=((len(row.statuses), 1, 2, 0),)) for row in rows if closed or not row.statuses]

    def tally(some: Sequence[Result]) -> Tally:
        found = Tally.of(FIELDS)
        for row in some:
            found.add(row, 1, watch)
        return found

    whole = tally(rows)
    assert of_columns(rows[cut:] + rows[:cut], [cut], watch).ratios == whole.ratios
    for sums in whole.ratios.values():
        assert sums.units <= sums.rows <= len(rows)


@given(ROWS)
def test_the_sums_are_exact(rows: list[Result]) -> None:
    tally = tally_of(rows)
    scored = [Fraction(row.num, row.den) for row in rows if row.status.scored]
    assert total(tally) == sum(scored, Fraction(0))
    assert tally.scored == len(scored)
    assert tally.rows == len(rows)
    assert mean_of(tally.sums, tally.scored) == (float(sum(scored) / len(scored)) if scored else None)


@given(ROWS, st.integers(0, 4))
def test_a_verdict_met_several_times_counts_so_often(rows: list[Result], times: int) -> None:
    at_once, one_by_one = Tally.of(FIELDS), Tally.of(FIELDS)
    for verdict in rows:
        at_once.add(verdict, times)
        for _ in range(times):
            one_by_one.add(verdict)
    at_once.sums = {den: num for den, num in at_once.sums.items() if times}
    at_once.powers = {den: both for den, both in at_once.powers.items() if times}
    assert same_figures(at_once, one_by_one)


@given(st.integers(1, 7), st.integers(0, 1_000))
@settings(max_examples=15, deadline=None)
def test_more_paths_than_are_kept_come_to_the_same_for_any_split(pieces: int, seed: int) -> None:
    random = Random(seed)
    rows = [f"items.{random.randrange(2 * MOST_PATHS)}" for _ in range(3 * MOST_PATHS)]
    whole = DocumentSums()
    whole.add_counts(paths_of(rows))
    random.shuffle(rows)
    split = DocumentSums()
    for piece in range(pieces):
        part = DocumentSums()
        part.add_counts(paths_of(rows[piece::pieces]))
        plus(split, part)
    assert split.paths == whole.paths
    assert len(whole.paths) <= MOST_PATHS + 1
    assert sum(counts[0] for counts in whole.paths.values()) == len(rows)
    assert max(whole.paths.keys() - {OVERFLOW}) == sorted(set(rows))[:MOST_PATHS][-1]


def paths_of(rows: Sequence[str]) -> dict[str, tuple[int, int, int, int]]:
    """Each path with one match for every row that has it."""
    return {path: (count, 0, 0, 0) for path, count in Counter(rows).items()}


def test_unreadable_and_blocked_rows_are_scored_and_count_nothing() -> None:
    tally = tally_of(
        [
            Result(RowStatus.SCORED, True, 1, 1),
            Result(RowStatus.UNREADABLE, False, 0, 1),
            Result(RowStatus.BLOCKED, False, 0, 1),
            Result(RowStatus.SKIPPED, None, 0, 0),
            Result(RowStatus.INVALID, None, 0, 0),
        ]
    )
    assert (tally.rows, tally.scored, tally.passed) == (5, 3, 1)
    assert mean_of(tally.sums, tally.scored) == 1 / 3


def test_the_fields_of_a_row_without_a_score_still_count() -> None:
    statuses = bytes([FieldStatus.MATCH, FieldStatus.NOT_JUDGED, FieldStatus.OMISSION])
    tally = tally_of([Result(RowStatus.INVALID, None, 0, 0, statuses)])
    assert tally.scored == 0
    assert [counts[status] for counts, status in zip(tally.statuses, statuses, strict=True)] == [1, 1, 1]


def test_a_row_that_expects_nothing_is_counted_as_empty_expected() -> None:
    empty = Result(RowStatus.SCORED, True, 1, 1, counts=(0, 0, 0, 0))
    tally = tally_of(
        [empty, empty, Result(RowStatus.SCORED, True, 1, 1, counts=(2, 0, 0, 0)), Result(RowStatus.SCORED, True, 1, 1)]
    )
    assert tally.empty_expected == 2
    tally.add(empty, 3)
    assert tally.empty_expected == 5


def test_an_unreadable_output_is_not_an_empty_expectation() -> None:
    assert tally_of([Result(RowStatus.UNREADABLE, False, 0, 1, counts=(0, 0, 0, 0))]).empty_expected == 0


@given(st.lists(st.integers(0, 9), max_size=60), st.sampled_from([0, 2, Ledger.KEPT]))
def test_equal_verdicts_have_one_number_whichever_object_says_it(numbers: list[int], kept: int) -> None:
    ledger = ledger_that_keeps(kept)
    for number in numbers:  # a new object each time, dropped at once, so that identities are used again
        (code,) = ledger.codes([Result(RowStatus.SCORED, False, number, 10)])
        assert ledger.verdicts[code].num == number
    assert len(ledger.verdicts) == len(set(numbers))


def test_more_distinct_verdicts_than_are_kept_are_told_apart() -> None:
    ledger = ledger_that_keeps(100)
    many = 1_000
    for start in range(0, many, 50):
        ledger.codes([Result(RowStatus.SCORED, False, number, many) for number in range(start, start + 50)])
    codes = ledger.codes([Result(RowStatus.SCORED, False, number, many) for number in range(many)])
    assert codes == list(range(many))


def ledger_that_keeps(count: int) -> Ledger:
    class Small(Ledger):
        __slots__ = ()
        KEPT = count

    return Small()


def test_what_a_row_without_a_score_lost_does_not_make_the_others_look_better() -> None:
    tally = Tally()
    tally.add(Result(RowStatus.SCORED, False, 1, 2, counts=(1, 1, 0, 0)))
    tally.add(Result(RowStatus.BUG, None, 0, 0, counts=(5, 0, 0, 0)))
    assert tally.counts == [1, 1, 0, 0]
