"""Several outputs of one question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Block, Column, Paragraph, Section, count_columns, table_of, text_column
from evaluators.reports.parts import ALWAYS, Brief, metric_columns, metric_texts
from evaluators.runs.metric_table import FLIP_METRICS, PASS_METRICS, REPEAT_METRICS
from evaluators.runs.metrics import counted, rows_text, score_text, with_variant
from evaluators.runs.overall import main_evaluators
from evaluators.runs.result import FieldFlips, PassesAt, RepeatStats, RunResult
from evaluators.scoring.values.quoting import first_ones, quote

MOST_LISTED: Final = 20
"""Questions and fields that a page lists; run.json has more."""

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
_SHOWN_OF_K: Final = [one for one in PASS_METRICS if one.place == "always"]


def repeat_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator, by variant; nothing where rows are on their own."""
    return tuple(
        Section(f"Outputs of one {one.by}: {with_variant(one.evaluator, one.variant)}", tuple(_repeats(one)), id=f"repeats-{index}")
        for index, one in enumerate(result.repeats)
    )  # fmt: skip


def repeat_brief(result: RunResult) -> Brief:
    """How often questions with several outputs are answered, by the evaluator that the page speaks of first."""
    main = {stats.name for stats in main_evaluators(result)}
    shown = [one for one in result.repeats if one.evaluator in main] or result.repeats[:1]
    lines = [f"{with_variant(one.evaluator, one.variant)}: {repeat_line(one)}" for one in shown]
    return Brief(tuple(lines), "pass@k" if any(one.passes for one in result.repeats) else "")


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
