"""What a run came to in a sentence, which a page begins with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.model.words import ROW_WORDS
from evaluators.reports.display import visible
from evaluators.reports.document import Paragraph, Section
from evaluators.reports.headline import Options
from evaluators.reports.sections.fields import weak_fields
from evaluators.reports.sections.labels import worst_label
from evaluators.runs.metrics import full_name, rows_text, score_text
from evaluators.runs.overall import main_evaluators
from evaluators.runs.result import EvaluatorStats, RunResult
from evaluators.scoring.values.paths import path_for_people

VERDICT: Final = "verdict"
"""The id of its section."""
MOST_VARIANTS: Final = 5


def verdict_section(result: RunResult, options: Options = Options()) -> tuple[Section, ...]:
    """The sentences as the first section of a page; none where there is nothing to say."""
    lines = tuple(map(Paragraph, verdict_lines(result, options)))
    return (Section(None, lines, id=VERDICT),) if lines else ()


def verdict_lines(result: RunResult, options: Options = Options()) -> Iterator[str]:
    """A sentence on the main evaluator for each variant: how many values and rows are right, the worst field, and how many rows have no
    score."""
    several = len({stats.name for stats in result.evaluators}) > 1 or bool(result.variants)
    for stats in main_evaluators(result)[:MOST_VARIANTS]:
        parts = list(_sentence_parts(result, stats, options))
        if parts:
            yield f"{f'{full_name(stats)}: ' if several else ''}{'; '.join(parts)}"


def _sentence_parts(result: RunResult, stats: EvaluatorStats, options: Options) -> Iterator[str]:
    """The parts of the sentence on an evaluator: right values, passed rows, its worst field or label, and rows without a
    score."""
    counts = stats.counts
    if counts is not None and counts.n > stats.scored:
        yield f"{counts.match:,} of {counts.n:,} values right"
    if stats.scored:
        yield f"{stats.passed:,} of {rows_text(stats.scored)} passed"
    yield from _failed_text(stats, options)
    for name in ("unreadable", "blocked"):
        if count := getattr(stats, name):
            yield f"{rows_text(count)} {ROW_WORDS[name].plain}"
    worst = next((field for each, field in weak_fields(result) if each is stats), None)
    if worst is not None and len(stats.fields) > 1 and stats.unreadable + stats.blocked < stats.failed:
        right = f"{worst.counts.match:,} of {worst.counts.n:,} right"
        wrong = worst.counts.n - worst.counts.match
        yield f"worst: {path_for_people(worst.path)} ({right}){_mostly_text(stats, worst.path, wrong, options)}"
    for matrix in result.confusion_matrices:
        if (matrix.evaluator, matrix.variant) == (stats.name, stats.variant) and (label := worst_label(matrix)):
            yield f"worst: {label}"
    yield from _corrections_text(result, stats)
    for name in ("invalid", "unjudged", "not_measured"):
        if count := getattr(stats, name):
            yield f"{rows_text(count)} {ROW_WORDS[name].plain}"


def _failed_text(stats: EvaluatorStats, options: Options) -> Iterator[str]:
    """A text on how many rows fail and why most of them do, of an evaluator with at most one field; none for others, and none where no
    reason holds for most."""
    if len(stats.fields) <= 1:
        field = stats.fields[0].path if stats.fields else ""
        if mostly := _mostly_text(stats, field, stats.failed, options):
            yield f"{stats.failed:,} failed{mostly}"


def _corrections_text(result: RunResult, stats: EvaluatorStats) -> Iterator[str]:
    """A text on how many expected values are corrected, with the mean score without that; none without corrections."""
    known = result.corrections
    if known is None or not known.count:
        return
    before = known.without_of(stats)
    values = "1 expected value is corrected" if known.count == 1 else f"{known.count:,} expected values are corrected"
    yield (
        values
        if before is None or stats.mean is before.mean is None
        else f"{values}: mean {score_text(stats.mean)}, without that {score_text(before.mean)}"
    )


def _mostly_text(stats: EvaluatorStats, field: str, wrong: int, options: Options) -> str:
    """Words such as `, mostly missing`, on what most of so many `wrong` values of a field have in common, or most failed rows where `field`
    is empty. Empty where no mistake is there twice and makes up half of them."""
    for mistake in options.mistakes:
        here = (mistake.evaluator, mistake.variant, mistake.field) == (stats.name, stats.variant, field)
        if here and mistake.mostly and mistake.count >= max(2, wrong / 2):
            return f", mostly{visible(mistake.mostly)}"
    return ""
