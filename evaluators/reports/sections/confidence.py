"""How far a confidence can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Block, Column, Paragraph, Section, count_columns, table_of, text_column
from evaluators.reports.parts import Brief, metric_texts
from evaluators.runs.confidence_scores import LEVELS
from evaluators.runs.metric_table import CONFIDENCE_METRICS
from evaluators.runs.metrics import mean_interval_text, rows_text, score_text, with_variant
from evaluators.runs.result import ConfidenceBin, ConfidenceStats, RunResult
from evaluators.scoring.values.quoting import first_texts

MOST_IN_SUMMARY: Final = 2
_NAMED: Final = 3
"""Evaluators and fields that a line of the summary names."""

_INTERVAL: Final = Column("95 % CI", lambda one: mean_interval_text(one.ci))
_BINS: Final = (
    text_column("confidence", lambda one: f"{one.low:.1f} to {one.high:.1f}"),
    Column("mean", lambda one: score_text(one.confidence)),
    Column("right", lambda one: score_text(one.accuracy)),
    _INTERVAL,
    *count_columns("n"),
)
_ACCEPT: Final = (
    text_column("accept from", lambda one: f"{one.threshold:.{5 if one.threshold * LEVELS % 1000 else 2}f}"),
    *count_columns("accepted"),
    Column("share", lambda one: score_text(one.share)),
    *count_columns("errors"),
    Column("errors in accepted", lambda one: score_text(one.error_rate)),
    _INTERVAL,
)

_SHOWN_OF_CONFIDENCE: Final = [metric for metric in CONFIDENCE_METRICS if metric.place == "always"]


def confidence_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator and field with a confidence, by variant."""
    return tuple(
        Section(f"Confidence: {confidence_name(confidence)}", tuple(_confidence(confidence)), id=confidence_id(index))
        for index, confidence in enumerate(result.confidence)
    )


def confidence_brief(result: RunResult) -> Brief:
    """From which confidence on rows can be accepted, a line for all of which the same is true."""
    names: dict[str, list[str]] = {}
    for confidence in result.confidence:
        names.setdefault(threshold_line(confidence), []).append(confidence_name(confidence))
    lines = [f"confidence ({first_texts(each, _NAMED)}): {text}" for text, each in names.items()]
    return Brief(tuple(lines[:MOST_IN_SUMMARY]), "calibration" if lines else "")


def confidence_id(index: int) -> str:
    """What formats know the section of a confidence by, from its place among those of the run."""
    return f"confidence-{index}"


def confidence_name(one: ConfidenceStats) -> str:
    """What a confidence is about."""
    return with_variant(one.evaluator, one.variant) + (f" → {one.field}" if one.field else "")


def calibration_line(one: ConfidenceStats) -> str:
    """How well a confidence says what is right."""
    return f"{one.source} in {rows_text(one.n)}: {metric_texts(_SHOWN_OF_CONFIDENCE, one)}"


def threshold_line(one: ConfidenceStats) -> str:
    """From which confidence on rows can be accepted."""
    limit = score_text(one.max_errors)
    if one.clustered:
        return "rows belong together, no threshold is sure"
    if one.threshold is None:
        return (
            f"no threshold is sure to let at most {limit} errors pass; it takes {one.least_rows:,} rows without an error"
        )
    return f"accept from {one.threshold:.5g} on: {score_text(one.accepted)} of the rows, at most {limit} errors"


def bin_line(one: ConfidenceBin) -> str:
    """A line of the reliability table in a sentence."""
    between = f" {mean_interval_text(one.ci)}" if one.ci is not None else ""
    return (
        f"confidence {one.low:.1f} to {one.high:.1f} (mean {score_text(one.confidence)}): {score_text(one.accuracy)}{between} "
        f"of {rows_text(one.n)} right"
    )


def _confidence(one: ConfidenceStats) -> Iterator[Block]:
    """The blocks on a confidence: how well it is calibrated, cells that cannot be used, its tables, and the chosen threshold."""
    yield Paragraph(f"{calibration_line(one)}.")
    odd = ", ".join(f'"{cell}" in row {row:,}' for row, cell in one.first_unusable)
    of_odd = f" Such as {odd}; 90 % is written 0.9." if odd else ""
    for count, lack, more in ((one.missing, "none", ""), (one.unusable, "no number from 0 to 1", of_odd)):
        if count:
            have, are = ("has", "is") if count == 1 else ("have", "are")
            yield Paragraph(f"{rows_text(count)} {have} {lack}, and {are} never accepted.{more}", "warning")
    if one.n:
        yield table_of(one.bins, _BINS)
        yield table_of(one.accept, _ACCEPT)
        line = threshold_line(one)
        yield Paragraph(f"{line[0].upper()}{line[1:]}.", "plain" if one.threshold is not None else "note")
