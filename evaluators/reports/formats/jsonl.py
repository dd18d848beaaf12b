"""Rows as JSON lines, each evaluator's result in words: `-o FILE.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TextIO

from evaluators.model.rows import FIELD_STATUSES, Result, RowStatus
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.rows import RowView, field_numbers, row_views
from evaluators.reports.rows_csv import AGGREGATE
from evaluators.runs.reader import Run
from evaluators.runs.record_facts import RecordedEvaluator
from evaluators.runs.record_lines import json_value
from evaluators.scoring.values.json_text import compact


class JsonLines(Format):
    """One object per row."""

    suffixes = (".jsonl",)
    each = "variant"

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes a line for each row of the variant that the options name."""
        for row in row_views(run, (options.variant,)):
            stream.write(compact(_line(run.facts.evaluators, row)).decode("utf-8", "backslashreplace") + "\n")


def _line(evaluators: Sequence[RecordedEvaluator], row: RowView) -> dict[str, Any]:
    """A row as it is written: its number, id and checksum, its cluster where it has one, and the result of each evaluator by name."""
    line: dict[str, Any] = {"row": row.number, "id": row.id, "checksum": row.checksum}
    if row.cluster is not None:
        line["cluster"] = row.cluster
    line["results"] = {
        evaluator.name: _result(evaluator, result) for evaluator, result in zip(evaluators, row.evaluators, strict=True)
    }
    return line


def _result(evaluator: RecordedEvaluator, result: Result) -> Mapping[str, Any]:
    """The result of an evaluator as a JSON object in words. What is unknown has no key, and `status` is left out of a scored row."""
    line: dict[str, Any] = {}
    if result.status is not RowStatus.SCORED:
        line["status"] = result.status.word
    if result.score is not None:
        line["score"] = result.score
    if result.passed is not None:
        line["passed"] = result.passed
    if evaluator.fields:
        line["fields"] = {
            name: FIELD_STATUSES[status].word for name, status in zip(evaluator.fields, result.statuses, strict=False)
        }
        line["field_scores"] = dict(zip(evaluator.fields, field_numbers(result), strict=False))
        line[AGGREGATE] = result.score
    if result.values and evaluator.fields:
        line["values"] = {evaluator.fields[place]: [right, of] for place, right, of in result.several()}
    if result.counts is not None:
        line["counts"] = dict(zip(_COUNTED, result.counts, strict=True))
    if result.issue is not None:
        line["reason"] = result.issue.message
    if result.details:
        line["details"] = json_value(result.details)
    return line


_COUNTED: Final = ("match", "mismatch", "omission", "hallucination")
