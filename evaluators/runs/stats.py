"""Sums to figures: the tally of an evaluator as the statistics that reports show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from evaluators.fields.path_details import (
    CREDIT,
    ERRORS,
    FAULTS,
    MATCHED,
    MISSED,
    PAIRED,
    SKIPPED,
    SPURIOUS,
    SUBSTITUTED,
    Detail,
)
from evaluators.model import Standing, Status
from evaluators.runs.result import ArrayStats, Counts, EvaluatorStats, FieldStats, FigureStats
from evaluators.runs.statistics import mean_of, ratios, share, wilson
from evaluators.runs.tally import FigureSum, Tally

MOST_FIELDS = 2_000
NO_COUNTS = (0, 0, 0, 0)


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
    figure_names: Sequence[str] = (),
) -> EvaluatorStats:
    """The figures of one evaluator, every one rounded once from exact sums.

    `extra_counts` says whether leaves that only the output has count against the accuracy of their path, as they do in
    the score. `optional` are the listed fields that may be absent from every row. `figure_names` are the further figures.
    """
    scored, standings = tally.scored, tally.standings
    counts = _counts_of_fields(tally) if fields else _leaf_counts(tally.counts) if any(tally.counts) else None
    figures = ratios(counts) if counts is not None else None
    listed = _listed(fields, tally, optional) if fields else _open(tally, extra_counts, optional)
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
        figures=_figures(figure_names, tally),
        substituted=_substituted(tally.details),
    )


def _figures(names: Sequence[str], tally: Tally) -> tuple[FigureStats, ...]:
    """The mean of each further figure; a figure that no row had is undefined."""
    sums = [*tally.figures, *(FigureSum() for _ in range(len(names) - len(tally.figures)))]
    return tuple(
        FigureStats(name, mean_of(each.sums, each.rows), each.rows) for name, each in zip(names, sums, strict=True)
    )


def _substituted(details: Mapping[Detail, int]) -> dict[str, int]:
    """How many fields a substitute scored, by what it stands for."""
    return {name: count for (name, kind, _), count in sorted(details.items()) if kind == SUBSTITUTED}


def _listed(fields: Sequence[str], tally: Tally, optional: Collection[str]) -> tuple[FieldStats, ...]:
    return tuple(
        _field(name, _status_counts(counts), optional=name in optional)
        for name, counts in zip(fields, tally.statuses, strict=True)
    )


def _open(tally: Tally, extra_counts: bool, optional: Collection[str]) -> tuple[FieldStats, ...]:
    """The fields that the documents turned out to have, and those that a schema declares."""
    further = _by_path(tally.details)
    return tuple(
        _field(
            path, _with_details(tally.paths.get(path, NO_COUNTS), further.get(path, {})), extra_counts, path in optional,
            further.get(path),
        )
        for path in sorted({*tally.paths, *further})
    )  # fmt: skip


def _field(
    path: str,
    counts: Counts,
    extra_counts: bool = True,
    optional: bool = False,
    further: Mapping[tuple[str, int], int] | None = None,
) -> FieldStats:
    figures = ratios(counts)
    measured = counts.measured - (0 if extra_counts else counts.hallucination)
    accuracy = share(counts.match, measured)
    return FieldStats(
        path, counts, accuracy, figures.precision, figures.recall, figures.f1, optional,
        _mean_score(counts, further) if further else None, _array(further) if further else None,
    )  # fmt: skip


def _by_path(details: Mapping[Detail, int]) -> dict[str, dict[tuple[str, int], int]]:
    found: dict[str, dict[tuple[str, int], int]] = {}
    for (path, kind, den), count in details.items():
        if kind != SUBSTITUTED:
            found.setdefault(path, {})[kind, den] = count
    return found


def _with_details(counts: Sequence[int], further: Mapping[tuple[str, int], int]) -> Counts:
    """The counts of a path, the kinds of results that only a schema tells apart among them."""
    match, mismatch, omission, hallucination = counts
    errors = further.get((ERRORS, 1), 0)
    return Counts(
        match=match, mismatch=mismatch - errors, omission=omission, hallucination=hallucination, error=errors,
        skipped=further.get((SKIPPED, 1), 0), fault=further.get((FAULTS, 1), 0),
    )  # fmt: skip


def _mean_score(counts: Counts, further: Mapping[tuple[str, int], int]) -> float | None:
    """The mean over what was measured: a match is 1, everything else 0 but for its partial credit."""
    partial = {den: count for (kind, den), count in further.items() if kind == CREDIT}
    return mean_of({1: counts.match, **{den: num + (counts.match if den == 1 else 0) for den, num in partial.items()}},
                   counts.measured)  # fmt: skip


def _array(further: Mapping[tuple[str, int], int]) -> ArrayStats | None:
    matched, missed, spurious, paired = (further.get((kind, 1), 0) for kind in (MATCHED, MISSED, SPURIOUS, PAIRED))
    if not matched + missed + spurious:
        return None
    return ArrayStats(
        matched, missed, spurious, paired,
        share(matched, matched + spurious), share(matched, matched + missed),
        share(2 * matched, 2 * matched + missed + spurious),
    )  # fmt: skip


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
