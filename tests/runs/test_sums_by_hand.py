"""What tallies, watched figures, clusters and labels come to, worked out with pencil and paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest

import pytest

from evaluators.model.rows import MISSING, FieldStatus, Result, RowStatus
from evaluators.runs.clusters import ClusterCounter, ClusterSums, EmptyCounter
from evaluators.runs.columns import count_groups
from evaluators.runs.document_sums import DocumentSums, cluster_group, limited_clusters
from evaluators.runs.exact_sums import plus
from evaluators.runs.intervals import (
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
from evaluators.runs.label_pairs import label_pair
from evaluators.runs.result import Interval
from evaluators.runs.split_rows import Layout
from evaluators.runs.stats import evaluator_stats
from evaluators.runs.tally import Tally
from evaluators.runs.watch import Watch, Watched
from evaluators.scoring.evaluators._scored_fields import ScoredFields
from evaluators.scoring.evaluators._texts import LabelRule
from evaluators.scoring.fields.row_checks import (
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
from tests.runs.given_columns import GivenColumns

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


def test_the_rows_of_a_watched_figure_are_added() -> None:
    rows = [row(MATCH, MATCH), row(MATCH, MISMATCH), row(MATCH, MISMATCH)]
    (sums,) = tallied(rows, Watch((ALL,), ("a", "b")), 2).ratios.values()
    assert (sums.rows, sums.units) == (3, 3)
    assert {(i, j): sums.power_sum(i, j) for i, j in SUMS} == SUMS


SUMS = {
    (0, 1): 6, (1, 0): 4, (0, 2): 12, (1, 1): 8, (2, 0): 6, (0, 3): 24, (1, 2): 16, (2, 1): 12, (3, 0): 10,
    (0, 4): 48, (1, 3): 32, (2, 2): 24, (3, 1): 20, (4, 0): 18,
}  # fmt: skip


def test_a_further_figure_is_added_over_the_rows_that_have_it() -> None:
    one = Tally()
    one.add(Result(RowStatus.SCORED, False, 0, 1, metrics=((1, 2), (0, 0))))
    one.add(Result(RowStatus.SCORED, False, 0, 1, metrics=((1, 3), (2, 3), (1, 1))), 2)
    assert [(each.rows, each.sums) for each in one.metrics] == [(3, {2: 1, 3: 2}), (2, {3: 4}), (2, {1: 2})]


# --- clusters


IN_CLUSTERS = {"one": [row(MATCH, MATCH)] * 2, "two": [row(MATCH, MISMATCH), row(MISMATCH, MISMATCH)]}
"""Two clusters: one with two right rows, one with a right row of one field and a wrong one."""


def clustered(clusters: Mapping[str, Sequence[Result]], watch: Watch | None = None) -> ClusterSums:
    """The sums of clusters, the rows of which come one from each in turn."""
    rows = [
        (name, one) for each in zip_longest(*clusters.values()) for name, one in zip(clusters, each, strict=True) if one
    ]
    known = list(dict.fromkeys(one for _, one in rows))
    cells = {"cluster": [name for name, _ in rows], "code0": [known.index(one) for _, one in rows]}
    found = ClusterCounter(0, known, watch)
    count_groups(GivenColumns(Layout(("it",), clustered=True), cells), [found])
    return found.sums


def ratio_sums(*units: tuple[int, int]) -> RatioSums:
    found = RatioSums()
    for part, whole in units:
        found.add(part, whole)
    return found


def test_a_cluster_is_one_unit_with_its_rows_and_what_is_watched() -> None:
    watch = Watch((ALL, ("a", "recall")), ("a", "b"))
    found = clustered(IN_CLUSTERS, watch)
    assert found.common == 2
    assert found.scores == ratio_sums((4, 2), (1, 2))  # in halves
    assert found.passes == ratio_sums((2, 2), (0, 2))
    assert found.ratios == {"precision": ratio_sums((4, 4), (1, 4)), "recall:a": ratio_sums((2, 2), (1, 2))}


def test_a_row_without_a_score_adds_to_what_is_watched_alone() -> None:
    lost = Result(RowStatus.INVALID, None, 0, 0, bytes((MATCH, FieldStatus.NOT_JUDGED)))
    found = clustered({"one": [row(MATCH, MISMATCH), lost]}, Watch((("a", "recall"),), ("a", "b")))
    assert (found.scores, found.passes) == (ratio_sums((1, 1)), ratio_sums((0, 1)))
    assert found.ratios == {"recall:a": ratio_sums((2, 2))}


@pytest.mark.parametrize("most", [0, 1, 20_000])
def test_clusters_that_are_alike_are_counted_together(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.runs.clusters.MOST_CONTENTS", most)
    found = clustered({f"{name} {place}": rows for name, rows in IN_CLUSTERS.items() for place in range(3)})
    assert found.scores == ratio_sums(*[(4, 2), (1, 2)] * 3)


@pytest.mark.parametrize("most", [0, 20_000])
def test_the_empty_values_of_a_cluster_add_up_by_field(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.runs.clusters.MOST_CONTENTS", most)
    patterns = ["{}", '{"":[1,0,1,1],"a":[1,0,0,0],"b":[0,0,1,1]}', '{"a":[1,1,0,0]}']
    cells = {"cluster": ["x", "y", "x", "y", "z"], "empty0": [1, 1, 2, 2, 0]}
    found = EmptyCounter(0, patterns)
    count_groups(GivenColumns(Layout(("it",), clustered=True, empties=(0,)), cells), [found])
    assert found.clusters == {"": {(1, 0, 1, 1): 2}, "a": {(2, 1, 0, 0): 2}, "b": {(0, 0, 1, 1): 2}}


def test_intervals_over_clusters_know_clusters_only() -> None:
    watch = Watch((ALL,), ("a", "b"))
    tally = tallied([one for rows in IN_CLUSTERS.values() for one in rows], watch, 2)
    clusters = clustered(IN_CLUSTERS, watch)
    found = evaluator_stats("fields", "exact_match", ScoredFields(("a", "b")), tally, clusters=clusters)
    mean = moments_of_clusters([(2, Fraction(2)), (2, Fraction(1, 2))])
    assert found.mean_ci == share_interval(mean)
    assert found.pass_rate_ci == share_interval(moments_of_clusters([(2, Fraction(2)), (2, Fraction(0))]))
    assert found.minimum_detectable_effect == detectable_runs(mean)
    (bound,) = found.metric_cis
    assert (bound.n, bound.ci) == (4, share_interval(ratio_sums((4, 4), (1, 4)).moments()))


def test_a_cluster_has_the_group_of_its_checksum() -> None:
    """CRC-32 of `123456789` is 0xCBF43926, of which 0x126 is left by 512."""
    assert cluster_group("123456789") == f"\0{0x126}"
    assert cluster_group("\0" + "7") == "\0" + "7"
    assert cluster_group("\udc80").startswith("\0")


def test_clusters_join_groups_as_soon_as_one_side_has_them() -> None:
    group = cluster_group("123456789")
    for mine, theirs in (({group: {"a": [2, 1, 0, 0]}}, {"123456789": {"a": [3, 2, 0, 0]}}),
                         ({"123456789": {"a": [2, 1, 0, 0]}}, {group: {"a": [3, 2, 0, 0]}})):  # fmt: skip
        assert limited_clusters(plus(mine, theirs)) == {group: {"a": [5, 3, 0, 0]}}
    few = limited_clusters(plus({"A": {"a": [1, 1, 0, 0]}}, {"A": {"a": [1, 0, 0, 0]}, "B": {"a": [1, 1, 0, 0]}}))
    assert few == {"A": {"a": [2, 1, 0, 0]}, "B": {"a": [1, 1, 0, 0]}}


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
    tally, documents = tallied([Result(RowStatus.SCORED, False, 1, 2, counts=(1, 1, 0, 0))]), DocumentSums()
    documents.add_counts({"a": (3, 2, 1, 4), "items[*]": (0, 0, 0, 0)})
    documents.add_details({
        ("a", ERRORS, 1): 1, ("a", SKIPPED, 1): 5, ("a", FAULTS, 1): 6, ("a", CREDIT, 4): 3, ("a", CREDIT, 1): -1,
        ("items", MATCHED, 1): 4, ("items", MISSED, 1): 1, ("items", SPURIOUS, 1): 3, ("items", PAIRED, 1): 2,
        ("items", EVALUATED, 1): 7, ("items", PASSED, 1): 6, ("a", EVALUATED, 1): 8, ("a", PASSED, 1): 3,
    })  # fmt: skip
    found = evaluator_stats("tree", "schema_match", ScoredFields(metrics=("mean_field_score",)), tally, documents)
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
    documents = DocumentSums()
    documents.add_counts({"a": (3, 2, 1, 4)})
    documents.add_details({("a", SURPLUS_VALUES, 1): 3, ("", SURPLUS_ITEMS, 1): 2, ("", SURPLUS_ROWS, 1): 1})
    accuracies = [
        evaluator_stats(
            "tree", "json_diff_match", ScoredFields(extra_keys_count=keys, extra_items_count=items), Tally(), documents
        )
        .fields[0]
        .accuracy
        for keys in (True, False)
        for items in (True, False)
    ]
    assert accuracies == [3 / 10, 3 / 7, 3 / 9, 3 / 6]
    found = evaluator_stats("tree", "json_diff_match", ScoredFields(), Tally(), documents).extra_items
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
