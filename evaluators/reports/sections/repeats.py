"""Several outputs of one question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Block, Column, Paragraph, Section, count_columns, table_of, text_column
from evaluators.reports.parts import ALWAYS, Brief, metric_columns, metric_texts
from evaluators.runs.metric_table import FLIP_METRICS, PASS_METRICS, REPEAT_METRICS
from evaluators.runs.metrics import count_text, rows_text, score_text, with_variant
from evaluators.runs.overall import main_evaluators
from evaluators.runs.result import FieldFlips, PassesAt, RepeatStats, RunResult
from evaluators.scoring.values.quoting import first_texts, quote

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
_SHOWN_OF_K: Final = [metric for metric in PASS_METRICS if metric.place == "always"]


def repeat_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator and variant on its several outputs of one question; none where the suite names no such questions."""
    return tuple(
        Section(
            f"Outputs of one {repeat.by}: {with_variant(repeat.evaluator, repeat.variant)}", tuple(_repeats(repeat)),
            id=f"repeats-{index}",
        )
        for index, repeat in enumerate(result.repeats)
    )  # fmt: skip


def repeat_brief(result: RunResult) -> Brief:
    """Lines on how often all, some or none of the outputs of a question pass, for the main evaluator, or else the first one."""
    main = {stats.name for stats in main_evaluators(result)}
    shown = [repeat for repeat in result.repeats if repeat.evaluator in main] or result.repeats[:1]
    lines = [f"{with_variant(repeat.evaluator, repeat.variant)}: {repeat_line(repeat)}" for repeat in shown]
    return Brief(tuple(lines), "pass@k" if any(repeat.passes for repeat in result.repeats) else "")


def repeat_line(repeat: RepeatStats) -> str:
    """How many groups of outputs an evaluator always, sometimes and never passes, in a sentence."""
    if not repeat.groups:
        return "no group was measured"
    smaller = f"{repeat.smallest:,} to " if repeat.smallest != repeat.largest else ""
    return (
        f"{count_text(repeat.groups, 'group')} of {smaller}{count_text(repeat.largest, 'output')}: {repeat.always:,} always "
        f"{'passes' if repeat.always == 1 else 'pass'}, {repeat.sometimes:,} sometimes, {repeat.never:,} never"
    )


def passes_line(repeat: RepeatStats) -> str:
    """The chances that k outputs of a question pass, for the first k and the last one, each behind a semicolon; empty without any."""
    first, last = repeat.passes[:1], repeat.passes[1:][-1:]  # a single k is the first alone
    shown = [passes for passes in (*first, *last) if passes.groups]
    return "".join(f"; k = {passes.k:,}: {metric_texts(_SHOWN_OF_K, passes)}{_left_out(passes)}" for passes in shown)


def _left_out(passes: PassesAt) -> str:
    """Words in brackets on how many groups are left out, since they have fewer than k outputs; empty without any."""
    are = "is" if passes.smaller == 1 else "are"
    return f" ({count_text(passes.smaller, 'group')} of fewer than {passes.k:,} {are} left out)" if passes.smaller else ""


def chance_lines(repeat: RepeatStats) -> Iterator[str]:
    """The further metrics of repeats, as far as they are known, each with what it means: `Of two outputs …: 0.1250`."""
    for metric in REPEAT_METRICS:
        if metric.place == "always" and metric.value(repeat) is not None:
            yield f"{metric.meaning.removesuffix('.')}: {metric.text(repeat)}"


def flips_line(repeat: RepeatStats) -> str:
    """The fields that flip, the most frequent first, with their shares of groups."""
    fields = [f"{each.path} {_shares_text(each)} of {count_text(each.groups, 'group')}" for each in repeat.fields]
    return f"fields that flip: {first_texts(fields, MOST_LISTED)}"


def _shares_text(field: FieldFlips) -> str:
    """The metrics of a field that flips, with their intervals; the first is the share, which needs no word."""
    shown = (metric for metric in FLIP_METRICS if metric.place == "always")
    texts = (f"{metric.word} {metric.text(field)} {metric.interval_text(field)}" for metric in shown)
    return ", ".join(texts).removeprefix("share ")


def _repeats(repeat: RepeatStats) -> Iterator[Block]:
    """The blocks on several outputs of one question: a sentence, what was left out, pass@k, and fields and groups that differ."""
    yield Paragraph(f"{repeat_line(repeat)}.")
    if repeat.kept_out:
        have = "group has" if repeat.kept_out == 1 else "groups have"
        yield Paragraph(f"{repeat.kept_out:,} {have} no metrics: some of the rows could not be measured.", "warning")
    if repeat.nameless:
        have, belong = ("has", "belongs") if repeat.nameless == 1 else ("have", "belong")
        yield Paragraph(
            f"{rows_text(repeat.nameless)} {have} an empty cell in {repeat.by}, and {belong} to no group.", "warning"
        )
    for text in chance_lines(repeat):
        yield Paragraph(f"{text}.")
    if repeat.passes:
        yield table_of(repeat.passes, _PASSES)
        small = " Groups of fewer than k outputs are left out." if any(each.smaller for each in repeat.passes) else ""
        yield Paragraph(
            f"pass@k: at least one of k outputs passes. pass^k: all k pass. Intervals are over groups.{small}"
        )
    if repeat.largest == 1:
        yield Paragraph("Every group has one output, so nothing can be said of how they vary.", "warning")
    if repeat.fields:
        yield table_of(repeat.fields[:MOST_LISTED], _FLIPS)
        yield from _more(len(repeat.fields), "field")
    if repeat.fields_until is not None:
        yield Paragraph(f"Fields were looked at in the groups up to {quote(repeat.fields_until)}, by name.", "warning")
    if repeat.sometimes or repeat.never:
        yield table_of((each for each in repeat.listed[:MOST_LISTED] if each.passed < each.attempts), _GROUPS)
        yield from _more(repeat.sometimes + repeat.never, "group")


def _more(count: int, noun: str) -> Iterator[Paragraph]:
    """A sentence on how many of `count` things were not listed; none where all were."""
    if count > MOST_LISTED:
        yield Paragraph(f"{count_text(count - MOST_LISTED, f'more {noun}')} in run.json.")
