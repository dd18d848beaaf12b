"""A judge beside people, from the folder of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from evaluators.api.finished_run import recorded_suite
from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, build
from evaluators.reports.calibration_page import calibration_page
from evaluators.reports.document import Page
from evaluators.runs.cells_again import with_cells
from evaluators.runs.compare.calibration import calibrate, changed_answers
from evaluators.runs.reader import Run
from evaluators.scoring.judges.answer_lines import AnswerLine
from evaluators.scoring.needs import Cell, Role
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.derived import knows
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.reader import all_chunks, id_text
from evaluators.testsets.test_set_config import TestSetConfig


def marks_of(file: str, human: str, reading: Mapping[str, Any]) -> dict[str, Cell]:
    """The marks in the column `human` of a file with rows, by the id of the row; None for an empty cell. Rows without an id are left out.
    `reading` are settings of `test_set` that say how the file is read.

    Raises Problems when the file cannot be read, has no such column, or has an id twice.
    """
    try:
        config = build(TestSetConfig, {"file": file, **reading}, noun="test_set")
    except BadSettings as error:
        raise Problems(
            Issue(detail.code, Blame.CONFIG, detail.message, file, detail.hint) for detail in error.details
        ) from None
    needed: tuple[Role, ...] = ("id",)
    rows = open_test_set(config, Path(), needed=needed)
    if not knows(rows.table, human):
        raise Problems([replace(no_such_column(human, rows.header, rows.name), blame=Blame.CONFIG)])
    column, cells = rows.columns.id or "", dict[str, Cell]()
    for chunk in all_chunks(rows.table, [column, human]):
        for cell, mark in zip(chunk.columns[column], chunk.columns[human], strict=True):
            name = id_text(cell)
            if name is not None and name in cells:
                raise problem("same-id", f'the id "{name}" is there twice', where=file, hint="keep one mark for each row")
            if isinstance(mark, CellError):
                raise Problems([mark.issue.at(f'{file}, column "{human}"')])
            if name is not None:
                cells[name] = None if mark is MISSING else mark
    return cells


def calibration_document(
    path: Path,
    human: str,
    target: str | None,
    pass_at: float,
    scale: tuple[float, float],
    other: Path | None,
    marks: Mapping[str, Cell] | None,
) -> tuple[Page, bool]:
    """(page, has_rows): the page about a judge's verdicts beside the marks in the column `human`, or beside `marks` by id, and
    whether there was a row to compare.

    `path` is the run folder. `target` is an evaluator, or one of its fields; None means the only evaluator of the run. A number as a mark
    passes from `pass_at` on, and lies on the `scale` (worst, best). `other` is a run whose answers to the same questions are
    compared. Raises Problems (config) for what the run does not have.
    """
    record = with_cells(Run(path))
    names = [evaluator.name for evaluator in record.facts.evaluators]
    if target is None and len(names) != 1:
        raise problem(
            "which-evaluator",
            "the run has several evaluators",
            where=str(path),
            hint=f"name one: --evaluator {names[0]}",
        )
    chosen = target or names[0]
    try:
        lines: Sequence[EvaluatorLine] = recorded_suite(record).lines
    except Problems:
        lines = ()  # the suite needs what is not here: marks are then words and numbers
    choices = next((line.settings.scored_fields().choices for line in lines if line.name == chosen), {})
    calibration = calibrate(record, chosen, human, pass_at, scale, marks, choices)
    changed = None
    if other is not None:
        changed = changed_answers(_all_answers(record), _all_answers(Run(other)))
    return calibration_page(calibration, record.result.name, chosen, human, changed), calibration.confusion.rows > 0


def _all_answers(record: Run) -> list[AnswerLine]:
    """The answers of judges that the run recorded, of all variants."""
    return [line for variant in record.each_variant for line in record.answers(variant)]
