"""What a run came to in a sentence, which a page begins with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.model.words import ROW_WORDS
from evaluators.reports.display import visible
from evaluators.reports.document import Paragraph, Section
from evaluators.reports.headline import Options
from evaluators.reports.mistakes import AFFIXED
from evaluators.reports.sections.fields import weak_fields
from evaluators.runs.metrics import full_name, rows_text, score_text
from evaluators.runs.result import EvaluatorStats, FieldStats, RunResult
from evaluators.scoring.values.paths import for_people

VERDICT: Final = "verdict"
"""The id of its section."""
MOST_VARIANTS: Final = 5


def verdict_section(result: RunResult, options: Options = Options()) -> tuple[Section, ...]:
    """The sentences as the first section of a page; none where there is nothing to say."""
    lines = tuple(map(Paragraph, verdict_lines(result, options)))
    return (Section(None, lines, id=VERDICT),) if lines else ()


def main_evaluators(result: RunResult) -> list[EvaluatorStats]:
    """The evaluator that a sentence about the whole run speaks of, by variant: the one that compared the most values, and of several alike,
    or where none compares values, the first."""
    if not result.evaluators:
        return []
    most = max(result.evaluators, key=_compared)
    return [stats for stats in result.evaluators if stats.name == most.name]


def _compared(stats: EvaluatorStats) -> int:
    return stats.counts.n if stats.counts is not None else 0


def verdict_lines(result: RunResult, options: Options = Options()) -> Iterator[str]:
    """How many values and rows are right, the worst field, and the rows without a score, of the main evaluator: a sentence a variant."""
    several = len({stats.name for stats in result.evaluators}) > 1 or bool(result.variants)
    for stats in main_evaluators(result)[:MOST_VARIANTS]:
        parts = list(_parts(result, stats, options))
        if parts:
            yield f"{f'{full_name(stats)}: ' if several else ''}{'; '.join(parts)}"


def _parts(result: RunResult, stats: EvaluatorStats, options: Options) -> Iterator[str]:
    """The parts of the sentence on an evaluator: right values, passed rows, its worst field, and rows without a score."""
    counts = stats.counts
    if counts is not None and counts.n > stats.scored:
        yield f"{counts.match:,} of {counts.n:,} values right"
    if stats.scored:
        yield f"{stats.passed:,} of {rows_text(stats.scored)} passed"
    for name in ("unreadable", "blocked"):
        if count := getattr(stats, name):
            yield f"{rows_text(count)} {ROW_WORDS[name].plain}"
    worst = next((field for each, field in weak_fields(result) if each is stats), None)
    if worst is not None and len(stats.fields) > 1 and stats.unreadable + stats.blocked < stats.failed:
        right = f"{worst.counts.match:,} of {worst.counts.n:,} right"
        yield f"worst: {for_people(worst.path)} ({right}){_mostly(stats, worst, options)}"
    yield from _corrected(result, stats)
    for name in ("invalid", "unjudged", "not_measured"):
        if count := getattr(stats, name):
            yield f"{rows_text(count)} {ROW_WORDS[name].plain}"


def _corrected(result: RunResult, stats: EvaluatorStats) -> Iterator[str]:
    """How many expected values are corrected, and the mean score without that."""
    known = result.corrections
    if known is None or not known.made:
        return
    before = known.without_of(stats)
    values = "1 expected value is corrected" if known.made == 1 else f"{known.made:,} expected values are corrected"
    yield (
        values
        if before is None or stats.mean is before.mean is None
        else f"{values}: mean {score_text(stats.mean)}, without that {score_text(before.mean)}"
    )


def _mostly(stats: EvaluatorStats, field: FieldStats, options: Options) -> str:
    """What most wrong values of a field have in common; empty where no mistake is met twice and makes up half of them."""
    wrong = field.counts.n - field.counts.match
    for one in options.mistakes:
        here = (one.evaluator, one.variant, one.field) == (stats.name, stats.variant, field.path)
        if here and one.count >= max(2, wrong / 2):
            said = visible(one.said.removeprefix("such as "))
            return f", mostly {said}" if said.startswith(AFFIXED) else f", mostly: {said}"
    return ""
