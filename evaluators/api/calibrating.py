"""A judge beside people, from the folder of a run."""

from __future__ import annotations

from pathlib import Path

from evaluators.compare.calibration import calibrate, changed_answers
from evaluators.issues import problem
from evaluators.judges.answer_lines import AnswerLine
from evaluators.reports.calibration_page import calibration_page
from evaluators.reports.document import Page
from evaluators.run.record import RunRecord, read_record


def calibration_document(
    place: Path, human: str, target: str | None, pass_at: float, scale: tuple[float, float], other: Path | None
) -> tuple[Page, bool]:
    """The page about a judge's verdicts beside the marks in the column `human`.

    `target` is an evaluator, or one of its fields; the only evaluator of the run without it. `other` is a run whose answers to the
    same questions are compared. The answer says, too, whether there was a row to compare. Raises Problems (config) for what the run
    does not have.
    """
    record = read_record(place)
    names = [one.name for one in record.facts.evaluators]
    if target is None and len(names) != 1:
        raise problem(
            "which-evaluator",
            "the run has several evaluators",
            where=str(place),
            hint=f"name one: --evaluator {names[0]}",
        )
    chosen = target or names[0]
    found = calibrate(record, chosen, human, pass_at, scale)
    changed = None
    if other is not None:
        changed = changed_answers(_answers(record), _answers(read_record(other)))
    return calibration_page(found, record.result.name, chosen, human, changed), found.confusion.rows > 0


def _answers(record: RunRecord) -> list[AnswerLine]:
    return [line for variant in record.variants for line in record.answers(variant)]
