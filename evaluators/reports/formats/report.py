"""Everything about every row, for programs: `report.json`, with the keys of extract-bench's reports.

A run of one row is that row's report. A run of several rows has one report for each of them under `rows`, and `totals`.
"""

from __future__ import annotations

import json
from itertools import chain, islice
from typing import Any, Final, TextIO

from msgspec import to_builtins

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.outcomes import evaluator_of, rows_by_schema
from evaluators.reports.row_report import Report, row_report
from evaluators.runs.reader import Run
from evaluators.runs.result import EvaluatorStats, RunResult

FORMAT: Final = 1
"""The version of the file's shape. A key may be added within a version; a meaning never changes."""


class ReportFile(Format):
    """Metrics, coverage and every outcome of every row."""

    suffixes = (".report.json",)
    file = "report.json"
    each = "evaluator"

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the report of the evaluator that the options name, row by row, so that a long one is never in memory as a whole."""
        stats = evaluator_of(run, options)
        reports = (row_report(run, stats.name, *row) for row in rows_by_schema(run, stats))
        first = list(islice(reports, 2))
        if len(first) == 1:
            stream.write(_text({"format": FORMAT, **first[0], **_judge_part(run.result)}) + "\n")
            return
        stream.write(f'{{\n  "format": {FORMAT},\n  "rows": [')
        totals = _Totals()
        for number, report in enumerate(chain(first, reports)):
            totals.add(report)
            stream.write(("," if number else "") + "\n    " + _text(report).replace("\n", "\n    "))
        stream.write(
            '\n  ],\n  "totals": '
            + _text({**totals.report(stats), **_judge_part(run.result)}).replace("\n", "\n  ")
            + "\n}\n"
        )


class _Totals:
    """The totals over all rows."""

    def __init__(self) -> None:
        self._evaluated = self._passed = 0

    def add(self, report: Report) -> None:
        """Adds the counts of a row's report."""
        outcomes = report.get("outcomes", {})
        self._evaluated += outcomes.get("total_evaluated", 0)
        self._passed += outcomes.get("total_passed", 0)

    def report(self, stats: EvaluatorStats) -> dict[str, Any]:
        """The totals as written: the counts of all rows that were added, and the metrics that the run has of the evaluator.

        `pass_rate` is None where nothing was evaluated.
        """
        metrics = {each.name: each.mean for each in stats.metrics}
        return {
            "evaluator": stats.name,
            "variant": stats.variant,
            "rows": stats.rows,
            "scored": stats.scored,
            "outcomes": {
                "total_evaluated": self._evaluated,
                "total_passed": self._passed,
                "total_failed": self._evaluated - self._passed,
                "pass_rate": self._passed / self._evaluated if self._evaluated else None,
            },
            **metrics,
            "micro_precision": stats.micro_precision,
            "micro_recall": stats.micro_recall,
            "micro_f1": stats.micro_f1,
            "counts": to_builtins(stats.counts) if stats.counts else None,
            "arrays": {field.path: to_builtins(field.array) for field in stats.fields if field.array is not None},
            "substituted": dict(stats.fallbacks),
            "outside_schema": dict(stats.undeclared),
        }


def _judge_part(result: RunResult) -> dict[str, Any]:
    """The judges of the run, with prompts, the spread of scores, and costs; empty without a judge."""
    if not result.judges:
        return {}
    asked = to_builtins(result.environment.asked) if result.environment is not None and result.environment.asked else {}
    return {
        "judges": [to_builtins(judge) for judge in result.judges],
        "asked": {name: value for name, value in asked.items() if name != "seconds"} or None,
    }


def _text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
