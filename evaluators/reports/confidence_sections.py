"""How far a confidence can be trusted, as a page shows it: the reliability table, and what comes of accepting rows from a confidence
on."""

from __future__ import annotations

from collections.abc import Iterator

from evaluators.reports.document import Head, PageTable, Paragraph, Section
from evaluators.run.confidence import LEVELS
from evaluators.run.metrics import interval_text, percent_text, rows_text, score_text, with_variant
from evaluators.run.result import ConfidenceBin, ConfidenceStats, RunResult


def confidence_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator and field with a confidence, by variant."""
    return tuple(
        Section(f"Confidence: {confidence_name(one)}", tuple(_blocks(one)), id=confidence_id(place))
        for place, one in enumerate(result.confidence)
    )


def confidence_id(place: int) -> str:
    """What formats know the section of a confidence by, from its place among those of the run."""
    return f"confidence-{place}"


def confidence_name(one: ConfidenceStats) -> str:
    """What a confidence is about."""
    return with_variant(one.evaluator, one.variant) + (f" → {one.field}" if one.field else "")


def calibration_line(one: ConfidenceStats) -> str:
    """How well a confidence says what is right."""
    return (
        f"{one.source} in {rows_text(one.n)}: Brier {score_text(one.brier)}, ECE {score_text(one.ece)} (ten bins of equal width), "
        f"AUROC {score_text(one.auroc)}"
    )


def threshold_line(one: ConfidenceStats) -> str:
    """From which confidence on rows can be accepted."""
    limit = percent_text(one.max_errors)
    if one.clustered:
        return "rows belong together: intervals are over groups, and no threshold is sure"
    if one.threshold is None:
        return (
            f"no threshold is sure to let at most {limit} errors pass; it takes {one.least_rows:,} rows without an error"
        )
    return f"accept from {one.threshold:.5g} on: {percent_text(one.accepted)} of the rows, at most {limit} errors"


def bin_line(one: ConfidenceBin) -> str:
    """A line of the reliability table in a sentence."""
    between = f" {interval_text(one.ci)}" if one.ci is not None else ""
    return (
        f"confidence {one.low:.1f} to {one.high:.1f} (mean {percent_text(one.confidence)}): {percent_text(one.accuracy)}{between} "
        f"of {rows_text(one.n)} right"
    )


def _blocks(one: ConfidenceStats) -> Iterator[Paragraph | PageTable]:
    yield Paragraph(f"{calibration_line(one)}.")
    odd = ", ".join(f'"{cell}" in row {row:,}' for row, cell in one.first_unusable)
    of_odd = f" Such as {odd}; 90 % is written 0.9." if odd else ""
    for count, said, more in ((one.missing, "has none", ""), (one.unusable, "has no number from 0 to 1", of_odd)):
        if count:
            many = said if count == 1 else said.replace("has", "have")
            are = "is" if count == 1 else "are"
            yield Paragraph(f"{rows_text(count)} {many}, and {are} never accepted.{more}", "warning")
    if not one.n:
        return
    yield PageTable(
        (Head("confidence"), Head("mean", True), Head("right", True), Head("95 % CI", True), Head("n", True)),
        tuple(
            (
                f"{each.low:.1f} to {each.high:.1f}", percent_text(each.confidence), percent_text(each.accuracy),
                interval_text(each.ci), f"{each.n:,}",
            )
            for each in one.bins
        ),
    )  # fmt: skip
    yield PageTable(
        (
            Head("accept from"), Head("accepted", True), Head("share", True), Head("errors", True), Head("errors in accepted", True),
            Head("95 % CI", True),
        ),
        tuple(
            (
                f"{each.threshold:.{5 if each.threshold * LEVELS % 1000 else 2}f}", f"{each.accepted:,}", percent_text(each.share),
                f"{each.errors:,}", percent_text(each.error_rate), interval_text(each.ci),
            )
            for each in one.accept
        ),
    )  # fmt: skip
    line = threshold_line(one)
    yield Paragraph(f"{line[0].upper()}{line[1:]}.", "plain" if one.threshold is not None else "note")
