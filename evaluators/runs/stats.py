"""Sums to figures: the tally of an evaluator as the statistics that reports show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from evaluators.model import Standing, Status
from evaluators.runs.result import Counts, EvaluatorStats, FieldStats
from evaluators.runs.statistics import mean_of, ratios, share, wilson
from evaluators.runs.tally import Tally

MOST_FIELDS = 2_000


def evaluator_stats(
    name: str,
    kind: str,
    fields: Sequence[str],
    tally: Tally,
    *,
    variant: str | None = None,
    slice_: tuple[str, str] | None = None,
    extra_counts: bool = True,
    optional: Collection[str] = (),
) -> EvaluatorStats:
    """The figures of one evaluator, every one rounded once from exact sums.

    `extra_counts` says whether leaves that only the output has count against the accuracy of their path, as they do in
    the score. `optional` are the listed fields that may be absent from every row.
    """
    scored, standings = tally.scored, tally.standings
    counts = _counts_of_fields(tally) if fields else _leaf_counts(tally.counts) if any(tally.counts) else None
    figures = ratios(counts) if counts is not None else None
    listed = _listed(fields, tally, optional) if fields else _open(tally.paths, extra_counts)
    return EvaluatorStats(
        name=name,
        type=kind,
        rows=tally.rows,
        scored=scored,
        passed=tally.passed,
        failed=scored - tally.passed,
        skipped=standings[Standing.SKIPPED],
        not_measured=standings[Standing.NOT_MEASURED],
        invalid=standings[Standing.INVALID],
        unjudged=standings[Standing.UNJUDGED],
        bugs=standings[Standing.BUG],
        unreadable=standings[Standing.UNREADABLE],
        blocked=standings[Standing.BLOCKED],
        mean=mean_of(tally.sums, scored),
        pass_rate=share(tally.passed, scored),
        interval=wilson(tally.passed, scored),
        fields=listed[:MOST_FIELDS],
        more_fields=max(0, len(listed) - MOST_FIELDS),
        counts=counts,
        precision=figures.precision if figures else None,
        recall=figures.recall if figures else None,
        f1=figures.f1 if figures else None,
        variant=variant,
        slice=slice_,
        empty_expected=tally.empty_expected,
    )


def _listed(fields: Sequence[str], tally: Tally, optional: Collection[str]) -> tuple[FieldStats, ...]:
    return tuple(
        _field(name, _status_counts(counts), optional=name in optional)
        for name, counts in zip(fields, tally.statuses, strict=True)
    )


def _open(paths: Mapping[str, Sequence[int]], extra_counts: bool) -> tuple[FieldStats, ...]:
    return tuple(_field(path, _leaf_counts(counts), extra_counts) for path, counts in sorted(paths.items()))


def _field(path: str, counts: Counts, extra_counts: bool = True, optional: bool = False) -> FieldStats:
    figures = ratios(counts)
    measured = counts.measured - (0 if extra_counts else counts.hallucination)
    accuracy = share(counts.match, measured)
    return FieldStats(path, counts, accuracy, figures.precision, figures.recall, figures.f1, optional)


def _counts_of_fields(tally: Tally) -> Counts:
    return _status_counts([sum(column) for column in zip(*tally.statuses, strict=True)])


def _status_counts(counts: Sequence[int]) -> Counts:
    return Counts(
        match=counts[Status.MATCH],
        mismatch=counts[Status.MISMATCH],
        omission=counts[Status.OMISSION],
        hallucination=counts[Status.HALLUCINATION],
        error=counts[Status.ERROR],
        skipped=counts[Status.SKIPPED],
        not_measured=counts[Status.NOT_MEASURED],
        fault=counts[Status.FAULT],
    )


def _leaf_counts(counts: Sequence[int]) -> Counts:
    match, mismatch, omission, hallucination = counts
    return Counts(match=match, mismatch=mismatch, omission=omission, hallucination=hallucination)
