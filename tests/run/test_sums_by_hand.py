"""What tallies, watched figures, clusters and labels come to, worked out with pencil and paper."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import pytest

from evaluators.builtin._scored_fields import ScoredFields
from evaluators.builtin._texts import LabelRule
from evaluators.fields.path_check import (
    CREDIT,
    ERRORS,
    EVALUATED,
    FAULTS,
    MATCHED,
    MISSED,
    PAIRED,
    PASSED,
    SKIPPED,
    SPURIOUS,
    SURPLUS_ITEMS,
    SURPLUS_ROWS,
    SURPLUS_VALUES,
)
from evaluators.model import MISSING, FieldStatus, Result, RowStatus
from evaluators.run.exact_sums import plus
from evaluators.run.groups import ClusterSum, cluster_group, limited_clusters
from evaluators.run.intervals import (
    Moments,
    RatioSums,
    detectable_pairs,
    detectable_runs,
    moments_of_clusters,
    moments_of_values,
    paired_rates,
    pairs_interval,
    share_interval,
    wilson,
)
from evaluators.run.labels import label_pair
from evaluators.run.result import Interval
from evaluators.run.stats import evaluator_stats
from evaluators.run.tally import Ledger, SliceCounts, Tally
from evaluators.run.watch import Watch, Watched

MATCH, MISMATCH, OMISSION, EXTRA = (
    FieldStatus.MATCH,
    FieldStatus.MISMATCH,
    FieldStatus.OMISSION,
    FieldStatus.HALLUCINATION,
)


def row(*statuses: FieldStatus, status: RowStatus = RowStatus.SCORED) -> Result:
    """A row of listed fields; its score is the share that matches."""
    return Result(status, set(statuses) == {MATCH}, statuses.count(MATCH), len(statuses), bytes(statuses))


def tallied(rows: Iterable[Result], watch: Watch | None = None, fields: int = 0) -> Tally:
    tally = Tally.of(fields)
    for one in rows:
        tally.add(one, 1, watch)
    return tally


def ends(found: Interval | None) -> tuple[float, float]:
    return found.low, found.high


# --- shares and means


def test_the_figures_of_three_rows_of_two_fields() -> None:
    rows = [row(MATCH, MATCH), row(MATCH, MISMATCH), row(OMISSION, EXTRA)]
    found = evaluator_stats("fields", "json_multi_field_match", ScoredFields(("a", "b")), tallied(rows, fields=2))
    assert (found.rows, found.scored, found.passed, found.failed) == (3, 3, 1, 2)
    assert (found.mean, found.pass_rate) == (0.5, 1 / 3)
    assert (found.counts.match, found.counts.mismatch) == (3, 1)
    assert (found.counts.omission, found.counts.hallucination) == (1, 1)
    assert (found.micro_precision, found.micro_recall, found.micro_f1) == (3 / 5, 3 / 5, 6 / 10)
    a, b = found.fields
    assert (a.path, a.accuracy, a.precision, a.recall) == ("a", 2 / 3, 1.0, 2 / 3)
    assert (b.path, b.accuracy, b.precision, b.recall) == ("b", 1 / 3, 1 / 3, 1 / 2)
    assert found.pass_rate_ci == wilson(1, 3)
    assert found.mean_ci == share_interval(moments_of_values({Fraction(0): 1, Fraction(1, 2): 1, Fraction(1): 1}))


# --- figures that gates watch


ALL: Watched = (None, "precision")


def test_a_watched_figure_gets_the_part_and_the_whole_of_every_row() -> None:
    watch = Watch((ALL, ("a", "accuracy"), ("b", "recall"), (None, "f1")), ("a", "b"))
    assert list(watch.parts(row(MATCH, EXTRA))) == [
        (ALL, 1, 2), (("a", "accuracy"), 1, 1), (("b", "recall"), 0, 0), ((None, "f1"), 2, 3),
    ]  # fmt: skip
    assert list(watch.parts(row(OMISSION, FieldStatus.ERROR))) == [
        (ALL, 0, 1), (("a", "accuracy"), 0, 1), (("b", "recall"), 0, 1), ((None, "f1"), 0, 3),
    ]  # fmt: skip


def test_a_field_that_says_nothing_of_a_row_adds_nothing() -> None:
    watch = Watch((("a", "accuracy"),), ("a", "b"))
    assert list(watch.parts(row(FieldStatus.NOT_MEASURED, MATCH))) == []
    assert list(watch.parts(row(FieldStatus.NOT_JUDGED, MATCH))) == []
    assert list(Watch((("c", "accuracy"),), ("a",)).parts(row(MATCH))) == []


def test_extra_values_count_against_accuracy_only_where_they_cost() -> None:
    targets: tuple[Watched, ...] = (("a", "accuracy"), ("a", "precision"))
    free = Watch(targets, ("a",), extra_counts=False)
    assert list(free.parts(row(EXTRA))) == [(("a", "precision"), 0, 1)]
    assert list(Watch(targets, ("a",)).parts(row(EXTRA))) == [(("a", "accuracy"), 0, 1), (("a", "precision"), 0, 1)]


def test_an_open_tree_says_its_counts_itself() -> None:
    watch = Watch((ALL, ("x", "recall"), ("y", "recall"), ("x", "accuracy")))
    assert watch.paths == ("x", "y")
    verdict = Result(RowStatus.SCORED, False, 1, 2, counts=(3, 1, 2, 4), watched=((1, 0, 1, 0), (2, 1, 1, 4)))
    assert list(watch.parts(verdict)) == [
        (ALL, 3, 8), (("x", "recall"), 1, 2), (("y", "recall"), 2, 4), (("x", "accuracy"), 1, 2),
    ]  # fmt: skip
    unjudged = Result(RowStatus.UNJUDGED, None, 0, 0, counts=(3, 1, 2, 4))
    assert list(watch.parts(unjudged)) == []
    nothing = Result(RowStatus.NOT_MEASURED, None, 0, 0, counts=(0, 0, 0, 4))
    assert list(watch.parts(nothing)) == [(ALL, 0, 4)]


def test_the_bound_of_a_watched_figure_over_rows() -> None:
    """One value in a row, or none: Wilson's. Two in a row: that of the ratio 3/5."""
    watch = Watch((ALL, ("a", "accuracy")), ("a", "b"))
    rows = [row(MATCH, MATCH), row(MATCH, MISMATCH), row(OMISSION, EXTRA)]
    found = evaluator_stats("fields", "exact_match", ScoredFields(("a", "b")), tallied(rows, watch, 2))
    everything, a = found.metric_cis
    assert (everything.field, everything.metric, everything.n) == (None, "micro_precision", 3)
    sums = RatioSums()
    for part, whole in ((2, 2), (1, 2), (0, 1)):
        sums.add(part, whole)
    assert everything.ci == share_interval(sums.moments())
    assert (a.field, a.metric, a.n, a.ci) == ("a", "accuracy", 3, wilson(2, 3))


def test_the_rows_of_a_watched_figure_are_added_when_tallies_are_merged() -> None:
    watch = Watch((ALL,), ("a", "b"))
    one, other = tallied([row(MATCH, MATCH)], watch, 2), tallied([row(MATCH, MISMATCH)] * 2, watch, 2)
    plus(one, other)
    (sums,) = one.ratios.values()
    assert (sums.rows, sums.units) == (3, 3)
    assert {(i, j): sums.of(i, j) for i, j in SUMS} == SUMS


SUMS = {
    (0, 1): 6, (1, 0): 4, (0, 2): 12, (1, 1): 8, (2, 0): 6, (0, 3): 24, (1, 2): 16, (2, 1): 12, (3, 0): 10,
    (0, 4): 48, (1, 3): 32, (2, 2): 24, (3, 1): 20, (4, 0): 18,
}  # fmt: skip


def test_a_tally_takes_up_what_only_another_one_watched() -> None:
    one, other = Tally.of(2), tallied([row(MATCH, MISMATCH)] * 2, Watch((ALL,), ("a", "b")), 2)
    plus(one, other)
    assert (one.ratios["precision"].rows, one.ratios["precision"].units) == (2, 2)


def test_a_further_figure_is_added_over_the_rows_that_have_it() -> None:
    one, other = Tally(), Tally()
    one.add(Result(RowStatus.SCORED, False, 0, 1, metrics=((1, 2), (0, 0))))
    other.add(Result(RowStatus.SCORED, False, 0, 1, metrics=((1, 3), (2, 3), (1, 1))), 2)
    plus(one, other)
    assert [(each.rows, each.sums) for each in one.metrics] == [(3, {2: 1, 3: 2}), (2, {3: 4}), (2, {1: 2})]


# --- slices beyond the first ones


def test_values_that_are_not_among_the_first_share_a_slice() -> None:
    """With two values of their own: after a, b, c, d and e only a and b have one, and what comes later joins the others."""
    ledger = Ledger(1)
    ledger.codes([row(MATCH)])
    counts = SliceCounts([ledger], [()], most=2)
    counts.add(["a", "b", "c", "d", "e"], [[0] * 5], [[]])
    counts.add(["b", "c", "z", "a"], [[0] * 4], [[]])
    assert {value: one.rows for value, (one,) in counts.tallies().items()} == {"a": 2, "b": 2, "(other values)": 5}


# --- clusters


def clustered(watch: Watch | None = None) -> Tally:
    """Two clusters: one with two right rows, one with a right row of one field and a wrong one."""
    tally = Tally.of(2)
    for name, rows in {"one": [row(MATCH, MATCH)] * 2, "two": [row(MATCH, MISMATCH), row(MISMATCH, MISMATCH)]}.items():
        tally.clusters[name] = ClusterSum()
        for each in rows:
            tally.add(each, 1, watch)
            tally.clusters[name].add(each, 1, watch)
    return tally


def test_a_cluster_adds_its_rows_and_what_is_watched() -> None:
    watch = Watch((ALL, ("a", "recall")), ("a", "b"))
    one, two = clustered(watch).clusters.values()
    assert (one.rows, one.passed, one.total, one.ratios) == (2, 2, 2, {"precision": [4, 4], "recall:a": [2, 2]})
    assert (two.rows, two.passed, two.total) == (2, 0, Fraction(1, 2))
    assert two.ratios == {"precision": [1, 4], "recall:a": [1, 2]}
    plus(one, two)
    assert (one.rows, one.passed, one.total) == (4, 2, Fraction(5, 2))
    assert one.ratios == {"precision": [5, 8], "recall:a": [3, 4]}


def test_a_row_that_counts_several_times_counts_so_in_its_cluster() -> None:
    one = ClusterSum()
    one.add(row(MATCH, MISMATCH), 3, Watch((ALL,), ("a", "b")))
    assert (one.rows, one.passed, one.total, one.ratios) == (3, 0, Fraction(3, 2), {"precision": [3, 6]})


def test_intervals_over_clusters_know_clusters_only() -> None:
    watch = Watch((ALL,), ("a", "b"))
    found = evaluator_stats("fields", "exact_match", ScoredFields(("a", "b")), clustered(watch), clustered=True)
    mean = moments_of_clusters([(2, Fraction(2)), (2, Fraction(1, 2))])
    assert found.mean_ci == share_interval(mean)
    assert found.pass_rate_ci == share_interval(moments_of_clusters([(2, Fraction(2)), (2, Fraction(0))]))
    assert found.minimum_detectable_effect == detectable_runs(mean)
    sums = RatioSums()
    sums.add(4, 4)
    sums.add(1, 4)
    (bound,) = found.metric_cis
    assert (bound.n, bound.ci) == (4, share_interval(sums.moments()))


def test_a_cluster_has_the_group_of_its_checksum() -> None:
    """CRC-32 of `123456789` is 0xCBF43926, of which 0x926 is left by 4,096."""
    assert cluster_group("123456789") == f"\0{0x926}"
    assert cluster_group("\0" + "7") == "\0" + "7"
    assert cluster_group("\udc80").startswith("\0")


def test_clusters_join_groups_as_soon_as_one_side_has_them() -> None:
    group = cluster_group("123456789")
    for mine, theirs in (({group: ClusterSum(2, 1)}, {"123456789": ClusterSum(3, 2)}),
                         ({"123456789": ClusterSum(2, 1)}, {group: ClusterSum(3, 2)})):  # fmt: skip
        both = limited_clusters(plus(mine, theirs))
        assert {name: (one.rows, one.passed) for name, one in both.items()} == {group: (5, 3)}
    few = {"A": ClusterSum(1, 1)}
    few = limited_clusters(plus(few, {"A": ClusterSum(1, 0), "B": ClusterSum(1, 1)}))
    assert {name: (one.rows, one.passed) for name, one in few.items()} == {"A": (2, 1), "B": (1, 1)}


# --- intervals


def test_an_interval_of_few_pairs_is_the_farthest_of_three() -> None:
    """30 right in both runs, 1 broken, 5 fixed, 4 wrong in both: the mean is 4/40, the sum of squares 6."""
    moments = moments_of_values({Fraction(1): 5, Fraction(-1): 1, Fraction(0): 34})
    assert (moments.mean, moments.second) == (Fraction(1, 10), Fraction(6, 40) - Fraction(1, 100))
    error, quantile = (0.14 / 39) ** 0.5, 2.0227  # of Student's distribution with 39 degrees of freedom
    cubes = (5 * 0.9**3 - 1.1**3 - 34 * 0.1**3) / 40
    acceleration = cubes / 0.14**1.5 / (6 * 40**0.5)
    w = acceleration + quantile
    rates = paired_rates(30, 1, 5, 4)
    low, high = ends(pairs_interval(30, 1, 5, 4))
    assert (low, high) == pytest.approx((rates.low, 0.1 + error * w / (1 - acceleration * w) ** 2), abs=1e-4)
    assert (low, high) == pytest.approx((-0.0303, 0.2388), abs=1e-4)
    assert low < 0.1 - quantile * error


def test_rates_without_one_of_the_two_answers_do_not_go_together() -> None:
    """All right in the base: a margin is empty, so the correlation is 0 and the two reaches are at right angles."""
    found, base, new = paired_rates(6, 4, 0, 0), wilson(10, 10), wilson(6, 10)
    below = ((0.6 - new.low) ** 2 + (base.high - 1.0) ** 2) ** 0.5
    above = ((new.high - 0.6) ** 2 + (1.0 - base.low) ** 2) ** 0.5
    assert (found.low, found.high) == pytest.approx((-0.4 - below, -0.4 + above))


def test_what_shows_no_spread_detects_nothing() -> None:
    one = Moments(1, Fraction(1, 2), Fraction(1, 4), Fraction(0), Fraction(1, 16))
    alike = Moments(9, Fraction(1, 2), Fraction(0), Fraction(0), Fraction(0))
    for found in (None, one, alike):
        assert detectable_pairs(found) is None
        assert detectable_runs(found) is None


# --- paths of an open tree, with what only a schema tells apart


def test_what_a_schema_counts_beside_the_statuses() -> None:
    tally = tallied([Result(RowStatus.SCORED, False, 1, 2, counts=(1, 1, 0, 0))])
    tally.add_paths({"a": (3, 2, 1, 4), "items[*]": (0, 0, 0, 0)})
    tally.add_details({
        ("a", ERRORS, 1): 1, ("a", SKIPPED, 1): 5, ("a", FAULTS, 1): 6, ("a", CREDIT, 4): 3, ("a", CREDIT, 1): -1,
        ("items", MATCHED, 1): 4, ("items", MISSED, 1): 1, ("items", SPURIOUS, 1): 3, ("items", PAIRED, 1): 2,
        ("items", EVALUATED, 1): 7, ("items", PASSED, 1): 6, ("a", EVALUATED, 1): 8, ("a", PASSED, 1): 3,
    })  # fmt: skip
    found = evaluator_stats("tree", "schema_match", ScoredFields(metrics=("mean_field_score",)), tally)
    fields = {one.path: one for one in found.fields}
    counts = fields["a"].counts
    assert (counts.match, counts.mismatch, counts.error) == (3, 1, 1)
    assert (counts.omission, counts.hallucination, counts.skipped, counts.not_judged) == (1, 4, 5, 6)
    assert fields["a"].accuracy == 3 / 10
    assert fields["a"].mean_score == float((Fraction(3) - 1 + Fraction(3, 4)) / 10)
    array = fields["items"].array
    assert (array.matched, array.missing, array.extra, array.paired) == (4, 1, 3, 2)
    assert (array.precision, array.recall, array.f1) == (4 / 7, 4 / 5, 8 / 12)
    assert (array.results, array.results_passed) == (7, 6)
    assert (found.results, found.results_passed) == (15, 9)


def test_values_that_only_the_output_has_may_cost_nothing() -> None:
    """4 extra of 10, of which 3 stand in items that only the output has."""
    tally = Tally()
    tally.add_paths({"a": (3, 2, 1, 4)})
    tally.add_details({("a", SURPLUS_VALUES, 1): 3, ("", SURPLUS_ITEMS, 1): 2, ("", SURPLUS_ROWS, 1): 1})
    accuracies = [
        evaluator_stats("tree", "json_diff_match", ScoredFields(extra_keys_count=keys, extra_items_count=items), tally)
        .fields[0]
        .accuracy
        for keys in (True, False)
        for items in (True, False)
    ]
    assert accuracies == [3 / 10, 3 / 7, 3 / 9, 3 / 6]
    found = evaluator_stats("tree", "json_diff_match", ScoredFields(), tally).extra_items
    assert (found.items, found.rows, found.values, found.penalized) == (2, 1, 3, True)


# --- labels


@pytest.mark.parametrize(
    ("expected", "output", "status", "pair"),
    [
        ("a", "b", RowStatus.SCORED, (("a", False), ("b", False))),
        ("a", "", RowStatus.SCORED, (("a", False), ("(missing)", True))),
        ("a", None, RowStatus.SCORED, (("a", False), ("(missing)", True))),
        ("a", MISSING, RowStatus.UNREADABLE, (("a", False), ("(missing)", True))),
        ("a", "b", RowStatus.UNREADABLE, (("a", False), ("(unreadable)", True))),
        ("a", "b", RowStatus.BLOCKED, (("a", False), ("(blocked)", True))),
        ("a", 7, RowStatus.SCORED, (("a", False), ("(no label)", True))),
        ("a", "x" * 64, RowStatus.SCORED, (("a", False), ("x" * 64, False))),
        ("a", "x" * 65, RowStatus.SCORED, (("a", False), ("(no label)", True))),
        ("a", "b\nc", RowStatus.SCORED, (("a", False), ("(no label)", True))),
        ("a", "b\n", RowStatus.SCORED, (("a", False), ("b\n", False))),
    ],
)
def test_what_a_row_counts_as(
    expected: str, output: object, status: RowStatus, pair: tuple[tuple[str, bool], tuple[str, bool]]
) -> None:
    assert label_pair(LabelRule(None), None, expected, output, status) == tuple(
        text if special else f"={text}" for text, special in pair
    )


def test_listed_labels_tell_everything_else_apart() -> None:
    rule, listed = LabelRule(("a", "b")), frozenset("ab")
    assert label_pair(rule, listed, "a", "c", RowStatus.SCORED) == ("=a", "(no label)")
    assert label_pair(rule, listed, "c", "b", RowStatus.SCORED) == ("(no label)", "=b")
    assert label_pair(rule, listed, "c", "b", RowStatus.INVALID) is None
