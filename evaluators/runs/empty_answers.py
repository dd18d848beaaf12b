"""What `{}` in place of every output would score: a suite that gives much for it says little about the outputs. Nobody is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from evaluators.model.rows import MISSING
from evaluators.runs.ids import output_columns
from evaluators.runs.metrics import rows_text, score_text
from evaluators.scoring.needs import Output
from evaluators.scoring.plan.graph import EvaluatorLine, edges, in_dependency_order
from evaluators.scoring.plan.suite_plan import compile_plan

MOST_ROWS: Final = 200
"""Rows that are enough to see what it would score."""


def empty_answer_note(
    lines: Sequence[EvaluatorLine], roles: Mapping[str, str], rows: Iterable[Mapping[str, Any]]
) -> str | None:
    """A sentence with the mean score that each evaluator of documents gives for `{}` in the first `MOST_ROWS` rows; None where none of them
    scores a row. Evaluators that ask somebody are left out."""
    lines = _without_asking(lines)
    if not any(_reads_outputs(line) for line in lines):
        return None
    plan, outputs = compile_plan(lines, roles), output_columns(lines, roles)
    totals = {line.name: [Fraction(0), Fraction(0)] for line in lines if _reads_outputs(line)}
    first_rows = islice(rows, MOST_ROWS)
    while chunk := list(islice(first_rows, MOST_ROWS)):
        columns = {name: ["{}" if name in outputs else row.get(name, MISSING) for row in chunk] for name in plan.columns}
        slots = plan.run(columns, len(chunk))
        for evaluator in plan.evaluators:
            for verdict in slots[evaluator.verdicts] if evaluator.line.name in totals else ():
                if verdict.status.scored:
                    totals[evaluator.line.name][0] += Fraction(verdict.num, verdict.den)
                    totals[evaluator.line.name][1] += 1
    parts = [
        f"{name} {score_text(float(score / count))} ({rows_text(int(count))})"
        for name, (score, count) in totals.items()
        if count
    ]
    return f"{{}} in place of every output would score: {', '.join(parts)}" if parts else None


def _reads_outputs(line: EvaluatorLine) -> bool:
    return any(isinstance(need, Output) for need in line.settings.needs())


def _without_asking(lines: Sequence[EvaluatorLine]) -> list[EvaluatorLine]:
    """The evaluators that ask no judge, batch or async function, and depend on none that does."""
    left_out = {line.name for line in lines if line.settings.asking() is not None}
    for line in in_dependency_order(lines):
        if any(edge.after == line.name and edge.before in left_out for edge in edges(lines)):
            left_out.add(line.name)
    return [line for line in lines if line.name not in left_out]
