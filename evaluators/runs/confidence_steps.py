"""The confidence of rows and of their fields as columns: what a split gives back of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from evaluators.model.issues import CellError
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Result
from evaluators.runs.confidence_scores import LEVELS
from evaluators.runs.exact_sums import FIRST_ROWS
from evaluators.runs.number_cells import UNIT, as_text, is_empty, units_in
from evaluators.scoring.fields.outcomes import WRONG
from evaluators.scoring.needs import Output
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.suite_plan import Compiled
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.paths import Path

OF_ROW: Final = ""
NO_CONFIDENCE: Final = -1
UNUSABLE: Final = -2


def step_of(cell: Any) -> int:
    """The step of a confidence, cut after five decimals; -1 where there is none, -2 for what is no number from 0 to 1."""
    if isinstance(cell, CellError):
        return UNUSABLE
    text = as_text(cell)
    if is_empty(text):
        return NO_CONFIDENCE
    units = None if isinstance(cell, bool) else units_in(text, ".")
    return units * LEVELS // UNIT if units is not None and 0 <= units <= UNIT else UNUSABLE


class ConfidenceSteps:
    """The confidences of one evaluator as columns of steps."""

    def __init__(self, evaluator: Compiled, column: str | None, watched: Sequence[str] = ()) -> None:
        """`watched` are the fields of which each verdict says what became of them, in order."""
        self.unusable: dict[str, tuple[tuple[int, str], ...]] = {}
        """By field, the first rows whose confidence is no number from 0 to 1, each with what it is."""
        self._evaluator, self._column, self._paths = evaluator, column, confidence_paths(evaluator.line)
        self._labels = {name: label_of(evaluator.line, name, watched) for name in (OF_ROW, *self._paths)}
        needs = zip(evaluator.line.settings.needs(), evaluator.inputs, strict=True)
        self._output = next((slot for need, slot in needs if isinstance(need, Output)), None)

    def columns(
        self, offsets: Sequence[int], columns: Mapping[str, Sequence[Any]], slots: Sequence[Sequence[Any]]
    ) -> Iterator[list[int]]:
        """Yields columns of steps for some rows: one for the rows as a whole where the suite names a column, then one for each field with
        a confidence. `columns` are the cells by column, `slots` the filled slots of the plan. Notes cells that are no confidence in
        `unusable`."""
        if self._column is not None:
            yield self._read_steps(OF_ROW, offsets, columns[self._column], slots)
        for name, path in self._paths.items():
            documents = slots[self._output] if self._output is not None else [MISSING] * len(offsets)
            yield self._read_steps(name, offsets, [_value_at(path, document) for document in documents], slots)

    def _read_steps(
        self, name: str, offsets: Sequence[int], cells: Sequence[Any], slots: Sequence[Sequence[Any]]
    ) -> list[int]:
        """The step of each cell. Adds to `unusable` the first measured rows whose cell is no confidence, as (offset, text)."""
        steps, unusable = [*map(step_of, cells)], self.unusable.setdefault(name, ())
        if UNUSABLE in steps and (lacking := FIRST_ROWS - len(unusable)) > 0:
            label, verdicts = self._labels[name], slots[self._evaluator.verdicts]
            odd = (
                (offset, _cell_text(cell))
                for offset, cell, step, verdict in zip(offsets, cells, steps, verdicts, strict=True)
                if step == UNUSABLE and label(verdict)[0] is not None
            )
            self.unusable[name] = (*unusable, *islice(odd, lacking))
        return steps


def label_of(line: EvaluatorLine, name: str, watched: Sequence[str]) -> Callable[[Result], tuple[bool | None, bool]]:
    """A function from a verdict to (right, kept out): whether the row, or its field `name`, is right, None where it was not
    measured; and whether it is kept out. A field with several values is right where all are. `watched` are the fields whose
    counts a verdict has."""
    names = line.settings.scored_fields().names

    def of_row(verdict: Result) -> tuple[bool | None, bool]:
        """Whether the row passes, None where it is not scored, and whether it is kept out."""
        return verdict.passed if verdict.status.scored else None, verdict.status.kept_out

    def of_field(verdict: Result) -> tuple[bool | None, bool]:
        """Whether the field is right, and whether it is kept out. It is right where all its values are, and None where none was
        measured."""
        label: bool | None
        if name in names:
            statuses = verdict.statuses[(place := names.index(name)) : place + 1]
            status = FIELD_STATUSES[statuses[0]] if statuses else FieldStatus.NOT_MEASURED
            label = (status is FieldStatus.MATCH) if status is FieldStatus.MATCH or status in WRONG else None
        else:
            counts = verdict.watched[watched.index(name)] if verdict.watched else (0, 0, 0, 0)
            label = not any(counts[1:]) if any(counts) else None
        return label, verdict.status.kept_out and label is None

    return of_row if name == OF_ROW else of_field


def _cell_text(cell: Any) -> str:
    """A cell as messages quote it, at most 40 characters of it; one that could not be read by what is wrong with it."""
    if isinstance(cell, CellError):
        text = cell.issue.message
    else:
        text = cell if isinstance(cell, str) else to_text(cell)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _value_at(path: Path, document: Any) -> Any:
    """The value at a path of a document; MISSING for a cell that could not be read as one."""
    return MISSING if isinstance(document, CellError) else path.get(document)


def confidence_paths(line: EvaluatorLine) -> dict[str, Path]:
    """The fields of an evaluator that have a confidence, each with the path to it."""
    lines = line.settings.scored_fields().lines or ()
    return {line.name: line.confidence for line in lines if line.confidence is not None}
