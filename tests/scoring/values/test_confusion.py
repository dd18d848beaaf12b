"""The formulas of precision, recall and F1, and that a figure is rounded to one float wherever it is rounded."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.rows import FieldStatus
from evaluators.runs.intervals import confusion
from evaluators.runs.result import Counts
from evaluators.scoring.fields.events import Event
from evaluators.scoring.fields.outcomes import ListOutcome
from evaluators.scoring.fields.row_metrics import RowMetrics, row_metrics
from evaluators.scoring.values.confusion import RATIOS, Confusion, Ratio

NUMBERS = st.integers(0, 40) | st.integers(0, 10**12)
CONFUSIONS = st.builds(Confusion, NUMBERS, NUMBERS, NUMBERS, NUMBERS)


@given(CONFUSIONS)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(counts: Confusion) -> None:
    precision, recall, f1 = (counts.as_fraction(name) for name in ("precision", "recall", "f1"))
    if precision and recall:
        assert f1 == 2 * precision * recall / (precision + recall)
    else:
        assert not f1


@given(CONFUSIONS, st.sampled_from(RATIOS))
def test_a_figure_is_rounded_alike_from_its_counts_and_from_its_fraction(counts: Confusion, figure: Ratio) -> None:
    exact = counts.as_fraction(figure)
    assert counts.as_float(figure) == (None if exact is None else float(exact))


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_items_of_one_row_have_the_figures_that_the_run_says_of_them(
    matched: int, missed: int, spurious: int
) -> None:
    row = ListOutcome("a", "a", "ordered", "match", matched, missed, spurious, 0, ())
    run = confusion(Counts(match=matched, omission=missed, hallucination=spurious))
    of_row = [None if figure is None else float(figure) for figure in (row.precision, row.recall, row.f1)]
    assert [run.as_float(name) for name in RATIOS[1:]] == of_row


@given(
    st.lists(
        st.sampled_from([FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION]),
        max_size=12,
    )
)
def test_a_row_has_the_same_figures_by_events_and_by_results(statuses: list[FieldStatus]) -> None:
    counts = Confusion(*(statuses.count(status) for status in list(FieldStatus)[1:5]))
    found: RowMetrics = row_metrics([Event("a", status) for status in statuses])
    exact = [Fraction(num, den) if den else None for num, den in found.metrics[:3]]
    assert exact == [counts.as_fraction("precision"), counts.as_fraction("recall"), counts.as_fraction("f1")]
