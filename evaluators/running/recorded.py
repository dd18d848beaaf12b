"""Rows as a run folder recorded them: for a report when the suite or the test set is no longer what it was.

The verdict of every row is there, and for the rows with recorded mismatches what went wrong; documents are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import orjson

from evaluators.model import MISSING, FieldResult, Result, Score, Standing, Status, Verdict
from evaluators.reports.html.rows import EvaluatorFacts, Explanation, Material, ReportRow, RowDetail, RowGroup
from evaluators.runs.sides import Said, Side, read_run_side

_STANDINGS: Final = {standing.word: standing for standing in Standing}
_STATUSES: Final = {status.word: status for status in Status if status is not Status.FAULT}


def recorded_material(folder: Path, note: str) -> Material:
    """The rows of a run folder. Raises Problems (config) when it has none."""
    side = read_run_side(folder)
    facts = tuple(EvaluatorFacts(name, fields) for name, fields in side.fields.items())
    groups = (RowGroup(variant, _rows(folder, side, variant)) for variant in side.rows)
    return Material(facts, (), groups, note)


def _rows(folder: Path, side: Side, variant: str | None) -> Iterator[ReportRow]:
    rows, evidence = side.rows[variant], _evidence(folder, variant)
    said = [rows.said.get(name, []) for name in side.fields]
    for place, (number, row_id) in enumerate(zip(rows.numbers, rows.ids, strict=True)):
        verdicts = [_verdict(column[place]) for column in said]
        found = evidence.get(number, {})
        yield ReportRow(number, row_id, verdicts, (), _detail(tuple(side.fields), verdicts, found))


def _verdict(said: Said) -> Verdict:
    standing = _STANDINGS[said.standing]
    num, den = said.score.as_integer_ratio() if said.score is not None else (0, 0)
    fault = Status.ERROR if standing.scored else Status.FAULT
    statuses = bytes(fault if word == "error" else _STATUSES[word] for word in said.statuses)
    return Verdict(standing, said.passed, num, den, statuses)


def _detail(
    names: Sequence[str], verdicts: Sequence[Verdict], found: Mapping[str, list[FieldResult]]
) -> Callable[[], RowDetail | None]:
    return lambda: RowDetail(explanations=[*_explanations(names, verdicts, found)]) if found else None


def _explanations(
    names: Sequence[str], verdicts: Sequence[Verdict], found: Mapping[str, list[FieldResult]]
) -> Iterator[Explanation]:
    for place, (name, verdict) in enumerate(zip(names, verdicts, strict=True)):
        results = found.get(name, [])
        reason = next((result.reason for result in results if not result.path), None)
        fields = tuple(result for result in results if result.path)
        yield Explanation(place, Result(name, verdict.standing, Score(verdict.value, verdict.passed, fields, reason)))


def _evidence(folder: Path, variant: str | None) -> dict[int, dict[str, list[FieldResult]]]:
    """The recorded mismatches by row and evaluator."""
    file = folder / ("evidence.jsonl" if variant is None else f"evidence.{variant}.jsonl")
    found: dict[int, dict[str, list[FieldResult]]] = {}
    if not file.is_file():
        return found
    with open(file, "rb") as stream:
        for line in map(orjson.loads, stream):
            found.setdefault(line["row"], {}).setdefault(line["evaluator"], []).append(_result(line))
    return found


def _result(line: Mapping[str, Any]) -> FieldResult:
    return FieldResult(
        cast(str, line["path"]),
        _STATUSES.get(line["status"], Status.ERROR),
        expected=line.get("expected", MISSING),
        actual=line.get("actual", MISSING),
        reason=line.get("reason"),
        rule=line.get("rule"),
    )
