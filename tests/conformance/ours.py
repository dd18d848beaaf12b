"""What our evaluators say of a recorded case, through the same doors that a user's suite goes through."""

from __future__ import annotations

from typing import Any

from evaluators.model.issues import Problems
from evaluators.model.rows import FieldStatus, Result, RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator, explain_cells
from evaluators.suites.config import read_config
from evaluators.suites.source import from_data
from tests.conformance.cases import Answer, Case, mapping


def answer(case: Case) -> Answer:
    """Our answer to a case: the settings read as a line of a suite, then one row scored."""
    try:
        evaluator = evaluator_of(case)
    except Problems as problems:
        return Answer(blame="config", why=str(problems))
    try:
        score = explain_cells(evaluator, case.cells)
    except Problems as problems:
        return Answer(blame=problems.issues[0].blame.value, why=str(problems))
    return _answer(case, score)


def evaluator_of(case: Case) -> Evaluator:
    """The evaluator that a suite with the case's settings has. Raises Problems (config)."""
    entry = mapping()["evaluators"][case.system][case.evaluator]
    line: dict[str, Any] = {"type": entry["type"], **entry.get("settings", {}), **case.settings}
    return read_config(from_data({"evaluators": [line]})).lines[0].settings


def _answer(case: Case, score: Result) -> Answer:
    unreadable = score.status is RowStatus.UNREADABLE
    return Answer(
        score.score,
        score.passed,
        "output" if unreadable else None,
        _fields(case, score),
        score.details,
        why=score.reason or "",
    )


def _fields(case: Case, score: Result) -> dict[str, float | None]:
    written = case.settings.get("fields")
    if not isinstance(written, list):
        return {}
    results = zip(written, score.fields, strict=True)
    return {path: None if found.status is FieldStatus.NOT_MEASURED else found.score for path, found in results}
