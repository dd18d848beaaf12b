"""The summary of a run: one short page, which is also `summary.txt`, in the order of a reader's questions.

What must be said is always there, however long it gets: failed and undecided gates, every evaluator with what its metrics are over, what
was not measured and why, coverage, the causes of the exit code. Of every other part there are the first few rows, the worst or most
frequent ones, and how many more there are. `run_page` has all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from evaluators.reports.display import clip, visible, width
from evaluators.reports.document import Page, Paragraph, Section
from evaluators.reports.headline import Options, headline
from evaluators.reports.parts import MORE, WIDEST, Brief, list_part
from evaluators.reports.run_page import answered_lines, columns_text, exit_words, tone_of
from evaluators.reports.sections.confidence import confidence_brief
from evaluators.reports.sections.evaluators import (
    evaluator_summary,
    mean_interval_legend,
    metric_meaning,
    slice_brief,
)
from evaluators.reports.sections.fields import mistake_part, unmeasured_fields, weak_part
from evaluators.reports.sections.gates import gate_part, missed_gates
from evaluators.reports.sections.judges import judge_brief
from evaluators.reports.sections.labels import choice_brief, label_brief, label_part
from evaluators.reports.sections.measures import measure_brief
from evaluators.reports.sections.problems import exit_causes, issue_lines, problem_part
from evaluators.reports.sections.repeats import repeat_brief
from evaluators.reports.sections.verdict import verdict_lines
from evaluators.reports.suggestions import MOST_SUGGESTED, Suggestion, line_to_write
from evaluators.runs.exit_code import Facts, causes
from evaluators.runs.metric_table import EVALUATOR_METRICS
from evaluators.runs.metrics import count_text, rows_text
from evaluators.runs.result import RunResult
from evaluators.scoring.values.paths import path_for_people

MOST_LISTED: Final = 3
"""Suggestions and notes."""


def summary(result: RunResult, options: Options = Options()) -> Page:
    """The page with the summary of a run: its parts in the order of a reader's questions, each left out where there is nothing to say."""
    briefs = [brief(result) for brief in _BRIEFS]
    sections = (
        *_opening(result, options),
        *evaluator_summary(result),
        *weak_part(result, options.lowest_fields),
        *mistake_part(result, options),
        *_suggestion_part(options),
        *label_part(result),
        *gate_part(result),
        *_brief_part(briefs),
        *problem_part(result),
        *list_part(([Paragraph(f"- {note}", "note", "  ")] for note in result.notes), MOST_LISTED),
        *options.asked,
        *([_legend(result)] if options.explain else []),
        *_ending(result, options, [brief.more for brief in briefs if brief.more]),
    )
    return Page(_title(result), sections, tone_of(result), WIDEST)


_BRIEFS: Final[tuple[Callable[[RunResult], Brief], ...]] = (
    label_brief, choice_brief, slice_brief, repeat_brief, confidence_brief, measure_brief, judge_brief,
)  # fmt: skip
"""The subjects that have a line or a few, in this order."""


def _brief_part(briefs: Iterable[Brief]) -> Iterator[Section]:
    """The lines of the subjects, one below the other; nothing where no subject has any."""
    lines = tuple(Paragraph(f"- {line}", indent="  ") for brief in briefs for line in brief.lines)
    yield from [Section(None, lines)] if lines else []


def _suggestion_part(options: Options) -> Iterator[Section]:
    """The part with suggestions: for each change how many values it turns right, in each variant, and the line to write. Then the command
    that searches for some, where the run did not."""
    more = " (`evaluators advice` looks for more)" if len(options.suggestions) == MOST_SUGGESTED else ""
    turned: dict[str, list[str]] = {}
    for suggestion in options.suggestions:
        variant = f" ({suggestion.variant})" if suggestion.variant else ""
        turned.setdefault(_change_text(suggestion), []).append(
            f"{suggestion.turned:,} of {'the first ' if suggestion.first else ''}{suggestion.of:,}{variant}"
        )
    lines = ([Paragraph(f"{', '.join(counts)}  {change}", indent="  ")] for change, counts in turned.items())
    yield from list_part(lines, MOST_LISTED, f"Would make them right, if you want to{more}:")
    yield from list_part(([Paragraph(hint, "note")] for hint in options.search), MOST_LISTED)


def _change_text(suggestion: Suggestion) -> str:
    """The change that a suggestion makes: the line to write, or where there is none the setting that changes; and its side effect."""
    switch = f"{path_for_people(suggestion.field) or '$'}: {suggestion.switch}"
    if suggestion.named:
        return f"{switch}; `{suggestion.write}` sets that aside" if suggestion.write else switch
    write = line_to_write(suggestion) or switch
    return f"{write}  ({suggestion.says})" if suggestion.says else write


def _title(result: RunResult) -> str:
    """The name of the run, cut where it is long, and how the run ended."""
    ended = headline(result).partition(";")[0]
    return f"{clip(visible(result.name), max(10, WIDEST - 2 - width(ended)))}: {ended}"


def _opening(result: RunResult, options: Options) -> tuple[Section, ...]:
    """The result of the run in words, the names of its parts, what the metrics do not cover, and the gates that did not pass."""
    warnings = [] if result.complete else [headline(result).partition("; ")[2]]
    variants = f", {count_text(len(result.variants), 'variant')}" if result.variants else ""
    blocks = [Paragraph(warning, "warning") for warning in (*warnings, *answered_lines(result))]
    blocks += [Paragraph(line, indent="  ") for line in verdict_lines(result, options)]
    other = {role: column for role, column in result.columns.items() if role != column}
    blocks.append(Paragraph(f"{rows_text(result.rows)} of {result.test_set}{variants}"))
    blocks += [Paragraph(columns_text(other), indent="  ")] if other else []
    gates = missed_gates(result)
    return (Section(None, tuple(blocks)), *([Section(None, gates)] if gates else []))


def _legend(result: RunResult) -> Section:
    """The section that says what the words of the summary mean."""
    counts = (
        metric_meaning(metric) for metric in EVALUATOR_METRICS if metric.kind == "count" and metric.place != "elsewhere"
    )
    texts = (mean_interval_legend(result), *counts)
    return Section(None, tuple(Paragraph(text, "note", "  ") for text in texts))


def _ending(result: RunResult, options: Options, more: Sequence[str]) -> tuple[Section, ...]:
    """Coverage warnings, the exit code with its causes, the files, and the commands that show more."""
    gaps = list(_gaps(result))
    of_gates = causes(Facts(gates=result.gates))
    problems = {cause: issue for issue in result.issues for cause in exit_causes(issue)}
    quiet = result.exit_code == 0 and result.gates and not result.causes  # the title says it
    blocks = [] if quiet else [Paragraph(f"Exit code {result.exit_code}: {exit_words(result)}.", tone_of(result))]
    for cause in result.causes:
        if cause in problems:
            blocks += issue_lines(problems[cause])
        elif cause not in of_gates:  # which stand above
            blocks.append(Paragraph(f"- {cause}", indent="  "))
    blocks += [Paragraph(f"- {file}", indent="  ", whole_words=True) for file in options.files]
    blocks += [Paragraph(line.replace("RUN", options.run), "note", "  ", whole_words=True) for line in options.left_out]
    blocks += [Paragraph(line, "note", "  ", whole_words=True) for line in _further_commands(options.run, more)]
    return (*([Section(None, tuple(gaps))] if gaps else []), Section(None, tuple(blocks)))


def _gaps(result: RunResult) -> Iterable[Paragraph]:
    """Fields that no row measured, where nothing else says so, and the warnings."""
    explained = " ".join((*result.causes, *(issue.message for issue in result.warnings)))
    if names := [name for name in unmeasured_fields(result) if name.partition(" → ")[2] not in explained]:
        yield Paragraph(f"Measured in no row: {', '.join(names)}.", "warning", "  ")
    for issue in result.warnings:
        yield from issue_lines(issue)


def _further_commands(run: str, more: Sequence[str]) -> list[str]:
    """Lines with the commands that show more. `run` is the run folder, empty where nothing is kept; `more` names what the page leaves
    out."""
    tables = f"Every table{', with ' if more else ''}{', '.join(more)}"
    if not run:
        return [f"{tables}: this command with {MORE}"]
    return [f"Every row: evaluators view {run}", f"{tables}: evaluators report {run} {MORE}"]
