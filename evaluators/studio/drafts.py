"""Data that has no suite yet: its columns, what they were taken for, and the suite that `init` writes for them.

Everything is found out by `init` itself: it asks, and what it asks is a question of the page. A question for the column of a role stays
open until somebody answers it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.first_suite import draft_suite, first_rows
from evaluators.model.issues import CellError, Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import build
from evaluators.reports.display import visible
from evaluators.scoring.fields.inference.proposals import NONE_OF_THEM, DefaultAnswers, InitQuestion
from evaluators.scoring.needs import ROLES, Role
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.quoting import first_texts
from evaluators.studio.messages import Column, Data, Drafted, Question
from evaluators.testsets.test_set_config import TestSetConfig

_HEADER_ROW: Final = re.compile(r"`header_row: (\d+)`")
"""The row that a problem of a table proposes as the one with the names of its columns."""
_ROWS: Final = 20
_SAMPLES: Final = 3
_LONGEST: Final = 200


class _OpenQuestion(Exception):
    """Raised for a question that must not be guessed, and that nobody has answered."""


class _Answers:
    """The answers of the page, and what was asked."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.asked: dict[str, Question] = {}
        self._given = answers

    def __call__(self, question: InitQuestion) -> str:
        """The answer that the page gave to a question, which is kept in `asked`. Without one the first answer is taken; a question for a
        column without an answer raises _OpenQuestion."""
        answers = [*question.answers, *([NONE_OF_THEM] if question.role else [])]
        chosen = self._given.get(question.text, "")
        if chosen not in answers:
            chosen = "" if question.role else question.answers[0]
        shown_question = Question(question.text, answers, list(question.hints), question.role, chosen)
        self.asked[question.text] = shown_question
        if not chosen:
            raise _OpenQuestion
        return chosen


def draft_of_file(path: str, roles: Mapping[str, str], answers: Mapping[str, str]) -> Drafted:
    """The suite that `init` writes for a file with rows; without a text while a question is open. `roles` are the columns that the user
    chose, `answers` those to questions, by their text. A row that seems to be a title above the names of the columns is a question, too.
    Raises Problems as `init` does."""
    given = _Answers(answers)
    ask = DefaultAnswers(asks=given)
    named: dict[Role, str] = {role: column for role in ROLES if (column := roles.get(role))}
    reading: dict[str, str | int] = {}
    try:
        try:
            draft = draft_suite(path, None, None, dict(named.items()), None, ask, reading)
        except Problems as error:
            if (row := _HEADER_ROW.search(error.issues[0].hint or "")) is None:
                raise
            rows = (f"row {row[1]}", "row 1")
            answer = given(InitQuestion("Which row holds the names of the columns?", rows, (error.issues[0].message,)))
            reading = {"header_row": int(answer.removeprefix("row "))}
            draft = draft_suite(path, None, None, dict(named.items()), None, ask, reading)
    except _OpenQuestion:
        chosen = _chosen_columns(named, "as you said")
        data = _data_for_page(path, chosen, given, (), _reading_settings(path, reading))
        return Drafted("", "", data, ask.command)
    data = _data_for_page(path, draft.chosen, given, draft.notes, _reading_settings(path, reading))
    return Drafted(draft.file, draft.text, data, ask.command)


def _reading_settings(path: str, reading: Mapping[str, str | int]) -> TestSetConfig | None:
    """The settings of a test set that say how a file is read; None where there are no such settings."""
    return build(TestSetConfig, {"file": path, **reading}, noun="test_set") if reading else None


def data_of_suite(path: str, test_set: TestSetConfig) -> Data:
    """The first rows of the file that a suite names, which says how it is read and what its columns are."""
    return _data_for_page(
        path, _chosen_columns(test_set.columns.named(), "the suite says so"), _Answers({}), (), test_set
    )


def _chosen_columns(columns: Mapping[Role, str], why: str) -> ChosenColumns:
    """The columns by role in the form that `init` uses, all with the same reason `why`."""
    chosen = ChosenColumns()
    for role in (name for name in ROLES if name in columns):
        chosen.take(role, columns[role], why)
    return chosen


def _data_for_page(
    path: str, chosen: ChosenColumns, answers: _Answers, notes: Sequence[str], reading: TestSetConfig | None = None
) -> Data:
    """The first rows of a file for the page: its columns with samples and roles, the questions that were asked, and the notes."""
    cells = first_rows(path, _ROWS, reading)
    roles = {column: role for role, column in (*chosen.columns.items(), *chosen.labels.items())}
    columns = [
        Column(name, _sample_cells(values), roles.get(name, ""), _reason_for_role(chosen, name, roles.get(name)))
        for name, values in cells.items()
    ]
    rows = [[_cell_text(cell) for cell in row] for row in zip(*cells.values(), strict=False)]
    return Data(path, columns, rows, list(answers.asked.values()), [*_notes_on_pairs(chosen), *notes])


def _sample_cells(cells: Sequence[Any]) -> list[str]:
    """The first few different cells of a column that are not empty, as the page shows them."""
    filled = dict.fromkeys(_cell_text(cell) for cell in cells if cell not in (None, MISSING, ""))
    return list(filled)[:_SAMPLES]


def _cell_text(cell: Any) -> str:
    """A cell as the page shows it, at most `_LONGEST` characters of it."""
    if isinstance(cell, CellError):
        return visible(cell.issue.message)
    text = cell if isinstance(cell, str) else "" if cell in (None, MISSING) else to_text(cell)
    return visible(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _reason_for_role(chosen: ChosenColumns, name: str, role: Any) -> str:
    """Why a column is taken for the role, or what else it is taken for; empty where it is taken for nothing."""
    if name in chosen.labels.values():
        return "several labels in a cell"
    if role is not None:
        return chosen.why.get(role, "")
    if name in chosen.measures:
        return "a number about the call"
    if name in chosen.models:
        return "the outputs of one of several models"
    pair = next((pair for pair in chosen.pairs if name in (pair.output, pair.expected)), None)
    if pair is not None:
        return f"{'the output' if name == pair.output else 'the expected answer'} of {pair.stem}"
    return chosen.set_aside.get(name, "")


def _notes_on_pairs(chosen: ChosenColumns) -> list[str]:
    """The notes on several outputs side by side."""
    if not chosen.pairs:
        return []
    pairs = [f'"{pair.output}" with "{pair.expected}"' for pair in chosen.pairs]
    return [f"several outputs stand beside their expected answers: {first_texts(pairs, 5)}"]
