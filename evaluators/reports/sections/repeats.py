"""Several outputs of one question, and how far a confidence can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Block, Column, Paragraph, Section, count_columns, table_of, text_column
from evaluators.reports.parts import ALWAYS, list_part, metric_columns, metric_texts
from evaluators.runs.confidence_scores import LEVELS
from evaluators.runs.metric_table import CONFIDENCE_METRICS, FLIP_METRICS, PASS_METRICS, REPEAT_METRICS
from evaluators.runs.metrics import counted, mean_interval_text, rows_text, score_text, with_variant
from evaluators.runs.result import ConfidenceBin, ConfidenceStats, FieldFlips, PassesAt, RepeatStats, RunResult
from evaluators.scoring.values.quoting import first_ones, quote

MOST_LISTED: Final = 20
"""Questions and fields that a page lists; run.json has more."""

_INTERVAL: Final = Column("95 % CI", lambda one: mean_interval_text(one.ci))
_PASSES: Final = (
    *count_columns("k"),
    *metric_columns(PASS_METRICS, ALWAYS, intervals=True),
    *count_columns("groups"),
    Column("smaller groups", lambda one: f"{one.smaller:,}"),
)
_FLIPS: Final = (
    text_column("field that flips", lambda one: one.path),
    Column("groups", lambda one: f"{one.flips:,} of {one.groups:,}"),
    *metric_columns(FLIP_METRICS, ALWAYS, intervals=True),
)
_GROUPS: Final = (
    text_column("group"),
    Column("passed", lambda one: f"{one.passed:,} of {one.attempts:,}"),
    Column("share", lambda one: score_text(one.passed / one.attempts)),
)
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

_SHOWN_OF_K: Final = [one for one in PASS_METRICS if one.place == "always"]
_SHOWN_OF_CONFIDENCE: Final = [one for one in CONFIDENCE_METRICS if one.place == "always"]


def repeat_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator, by variant; nothing where rows are on their own."""
    return tuple(
        Section(f"Outputs of one {one.by}: {with_variant(one.evaluator, one.variant)}", tuple(_repeats(one)), id=f"repeats-{index}")
        for index, one in enumerate(result.repeats)
    )  # fmt: skip


def confidence_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator and field with a confidence, by variant."""
    return tuple(
        Section(f"Confidence: {confidence_name(one)}", tuple(_confidence(one)), id=confidence_id(index))
        for index, one in enumerate(result.confidence)
    )


def repeat_part(result: RunResult) -> tuple[Section, ...]:
    """How often questions with several outputs are answered, and from which confidence on rows can be accepted."""
    repeats = [
        f"{with_variant(one.evaluator, one.variant)}: {repeat_line(one)}{passes_line(one)}" for one in result.repeats
    ]
    sure = [f"confidence, {confidence_name(one)}: {threshold_line(one)}" for one in result.confidence]
    return tuple(
        section
        for texts in (repeats, sure)
        for section in list_part(([Paragraph(text, indent="  ")] for text in texts), 3)
    )


def repeat_line(one: RepeatStats) -> str:
    """The groups of one evaluator in a sentence."""
    if not one.groups:
        return "no group was measured"
    smaller = f"{one.smallest:,} to " if one.smallest != one.largest else ""
    return (
        f"{counted(one.groups, 'group')} of {smaller}{counted(one.largest, 'output')}: {one.always:,} always "
        f"{'passes' if one.always == 1 else 'pass'}, {one.sometimes:,} sometimes, {one.never:,} never"
    )


def passes_line(one: RepeatStats) -> str:
    """How likely a question is answered with the first and the last k, where there is more than one; begins with a semicolon."""
    shown = [each for each in one.passes[:1] + one.passes[1:][-1:] if each.groups]
    return "".join(f"; k = {each.k:,}: {metric_texts(_SHOWN_OF_K, each)}{_left_out(each)}" for each in shown)


def _left_out(one: PassesAt) -> str:
    """How many groups are too small to speak of k outputs; empty without any."""
    are = "is" if one.smaller == 1 else "are"
    return f" ({counted(one.smaller, 'group')} of fewer than {one.k:,} {are} left out)" if one.smaller else ""


def chance_lines(one: RepeatStats) -> Iterator[str]:
    """The further metrics of repeats, as far as they are known, each with what it means: `Of two outputs …: 0.1250`."""
    for metric in REPEAT_METRICS:
        if metric.place == "always" and metric.value(one) is not None:
            yield f"{metric.meaning.removesuffix('.')}: {metric.text(one)}"


def flips_line(one: RepeatStats) -> str:
    """The fields that flip, the most frequent first, with their shares of groups."""
    fields = [f"{each.path} {_shares_text(each)} of {counted(each.groups, 'group')}" for each in one.fields]
    return f"fields that flip: {first_ones(fields, MOST_LISTED)}"


def _shares_text(one: FieldFlips) -> str:
    """The metrics of a field that flips, with their intervals; the first is the share, which needs no word."""
    shown = (metric for metric in FLIP_METRICS if metric.place == "always")
    texts = (f"{metric.word} {metric.text(one)} {metric.interval_text(one)}" for metric in shown)
    return ", ".join(texts).removeprefix("share ")


def _repeats(one: RepeatStats) -> Iterator[Block]:
    """The blocks on several outputs of one question: a sentence, what was left out, pass@k, and fields and groups that differ."""
    yield Paragraph(f"{repeat_line(one)}.")
    if one.kept_out:
        have = "group has" if one.kept_out == 1 else "groups have"
        yield Paragraph(f"{one.kept_out:,} {have} no metrics: some of the rows could not be measured.", "warning")
    if one.nameless:
        have, belong = ("has", "belongs") if one.nameless == 1 else ("have", "belong")
        yield Paragraph(
            f"{rows_text(one.nameless)} {have} an empty cell in {one.by}, and {belong} to no group.", "warning"
        )
    for text in chance_lines(one):
        yield Paragraph(f"{text}.")
    if one.passes:
        yield table_of(one.passes, _PASSES)
        small = " Groups of fewer than k outputs are left out." if any(each.smaller for each in one.passes) else ""
        yield Paragraph(
            f"pass@k: at least one of k outputs passes. pass^k: all k pass. Intervals are over groups.{small}"
        )
    if one.largest == 1:
        yield Paragraph("Every group has one output, so nothing can be said of how they vary.", "warning")
    if one.fields:
        yield table_of(one.fields[:MOST_LISTED], _FLIPS)
        yield from _more(len(one.fields), "field")
    if one.fields_until is not None:
        yield Paragraph(f"Fields were looked at in the groups up to {quote(one.fields_until)}, by name.", "warning")
    if one.sometimes or one.never:
        yield table_of((each for each in one.listed[:MOST_LISTED] if each.passed < each.attempts), _GROUPS)
        yield from _more(one.sometimes + one.never, "group")


def _more(count: int, noun: str) -> Iterator[Paragraph]:
    if count > MOST_LISTED:
        yield Paragraph(f"{counted(count - MOST_LISTED, f'more {noun}')} in run.json.")


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
        return "rows belong together: intervals are over groups, and no threshold is sure"
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
