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
    """Lines on the confidence from which on rows can be accepted, one for all evaluators and fields that have the same."""
    names: dict[str, list[str]] = {}
    for confidence in result.confidence:
        names.setdefault(threshold_line(confidence), []).append(confidence_name(confidence))
    lines = [f"confidence ({first_texts(each, _NAMED)}): {text}" for text, each in names.items()]
    return Brief(tuple(lines[:MOST_IN_SUMMARY]), "calibration" if lines else "")


def confidence_id(index: int) -> str:
    """The id of a confidence's section, from its place among those of the run."""
    return f"confidence-{index}"


def confidence_name(confidence: ConfidenceStats) -> str:
    """What a confidence is about: its evaluator, with the variant, and its field where it is of one."""
    return with_variant(confidence.evaluator, confidence.variant) + (f" → {confidence.field}" if confidence.field else "")


def calibration_line(confidence: ConfidenceStats) -> str:
    """The metrics of a confidence in a line, with where it stands and in how many rows."""
    return f"{confidence.source} in {rows_text(confidence.n)}: {metric_texts(_SHOWN_OF_CONFIDENCE, confidence)}"


def threshold_line(confidence: ConfidenceStats) -> str:
    """From which confidence on rows can be accepted, in a line; or why no such threshold is sure."""
    limit = score_text(confidence.max_errors)
    if confidence.clustered:
        return "rows belong together, no threshold is sure"
    if confidence.threshold is None:
        return f"no threshold is sure to let at most {limit} errors pass; it takes {confidence.least_rows:,} rows without an error"
    return f"accept from {confidence.threshold:.5g} on: {score_text(confidence.accepted)} of the rows, at most {limit} errors"


def bin_line(bin_: ConfidenceBin) -> str:
    """A line of the reliability table in a sentence."""
    between = f" {mean_interval_text(bin_.ci)}" if bin_.ci is not None else ""
    return (
        f"confidence {bin_.low:.1f} to {bin_.high:.1f} (mean {score_text(bin_.confidence)}): {score_text(bin_.accuracy)}{between} "
        f"of {rows_text(bin_.n)} right"
    )


def _confidence(confidence: ConfidenceStats) -> Iterator[Block]:
    """The blocks on a confidence: how well it is calibrated, cells that cannot be used, its tables, and the chosen threshold."""
    yield Paragraph(f"{calibration_line(confidence)}.")
    odd = ", ".join(f'"{cell}" in row {row:,}' for row, cell in confidence.first_unusable)
    of_odd = f" Such as {odd}; 90 % is written 0.9." if odd else ""
    for count, lack, more in ((confidence.missing, "none", ""), (confidence.unusable, "no number from 0 to 1", of_odd)):
        if count:
            have, are = ("has", "is") if count == 1 else ("have", "are")
            yield Paragraph(f"{rows_text(count)} {have} {lack}, and {are} never accepted.{more}", "warning")
    if confidence.n:
        yield table_of(confidence.bins, _BINS)
        yield table_of(confidence.accept, _ACCEPT)
        line = threshold_line(confidence)
        yield Paragraph(f"{line[0].upper()}{line[1:]}.", "plain" if confidence.threshold is not None else "note")
