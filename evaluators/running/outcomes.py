"""What became of every field of every row, for the reports that list it: a second pass over the rows that were scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evaluators.fields.scored import Documents
from evaluators.issues import Blame, Fault, Issue, RowProblem
from evaluators.model import Standing, Verdict
from evaluators.reports.outcome_format import outcome_formats, outcome_words, outcomes_file_for
from evaluators.reports.outcomes import Part, RowOutcomes
from evaluators.running.files import Scored, rows_again
from evaluators.runs.result import RunResult
from evaluators.runs.store import RunFolder, open_text
from evaluators.suite.lines import EvaluatorLine
from evaluators.suite.plan import Compiled, Plan

_UNTOUCHED = (Standing.BLOCKED, Standing.SKIPPED)


def parts_of(result: RunResult, plan: Plan, scored: Sequence[Scored]) -> list[Part]:
    """What each evaluator with a schema says of each variant."""
    listed = [one for one in plan.evaluators if one.line.settings.lists_fields]
    stats = {(each.name, each.variant): each for each in result.evaluators}
    return [
        Part(
            result.name,
            stats[one.line.name, each.variant],
            partial(row_outcomes, plan, one, each),
            (*([one.line.name] if len(listed) > 1 else []), *([each.variant] if each.variant is not None else [])),
        )
        for each in scored
        for one in listed
    ]


def write_outcomes(folder: RunFolder, result: RunResult, words: Iterable[str], parts: Sequence[Part]) -> None:
    """Put the files that list outcomes into a run folder: those that were asked for, and those that are small."""
    if parts:
        for each in outcome_formats(words, parts):
            each.folder_outcomes(result, parts, lambda name: open_text(folder.working / name))


def check_outcomes(lines: Sequence[EvaluatorLine], files: Iterable[Path], words: Iterable[str]) -> list[Issue]:
    """A problem (config) for each file of outcomes that no evaluator has outcomes for."""
    if any(line.settings.lists_fields for line in lines):
        return []
    asked = [file.name for file in files if outcomes_file_for(file) is not None]
    asked += [f'the format "{word}"' for word in outcome_words(words)]
    return [
        Issue(
            "no-outcomes",
            Blame.CONFIG,
            f"{name} lists fields one by one, and no evaluator of this suite scores by a schema",
            hint="add a schema_match; the figures of any run are in run.json and fields.md",
        )
        for name in asked
    ]


def row_outcomes(plan: Plan, one: Compiled, scored: Scored) -> Iterator[RowOutcomes]:
    """The rows of one evaluator that were scored, in order."""
    for row in rows_again(plan, scored, ()):
        verdict: Verdict = row.slots[one.verdicts][row.index]
        values = [row.slots[slot][row.index] for slot in one.inputs]
        yield RowOutcomes(row.number, row.id, verdict, _documents(one, verdict, values))


def _documents(one: Compiled, verdict: Verdict, values: Sequence[Any]) -> Documents | None:
    faults = [value.issue.blame for value in values if isinstance(value, Fault)]
    if verdict.standing in _UNTOUCHED or any(blame is not Blame.OUTPUT for blame in faults):
        return None
    try:
        return one.line.settings.documents(*values)
    except RowProblem:  # the verdict says what is wrong
        return None
