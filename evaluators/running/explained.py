"""Rows as a report shows them: scored again, with the documents that evaluators read and the reasons of what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, Literal

from evaluators.issues import Fault
from evaluators.model import MISSING, Result, Standing, Verdict
from evaluators.needs import Column, Expected, Need, Output, Part, want_like
from evaluators.reports.html.rows import (
    EvaluatorFacts,
    Explanation,
    Material,
    ReportRow,
    RowDetail,
    RowGroup,
    ShownDocument,
)
from evaluators.running.files import Scored, ScoredRow, rows_again
from evaluators.running.places import field_places, line_places
from evaluators.running.suite import Suite
from evaluators.runs.slices import slice_text
from evaluators.suite.plan import Compiled, Plan
from evaluators.values import json_text

_EXPLAINED: Final = 20
"""The first rows are explained even where nothing is wrong: they tell the rule of every field."""


def material_of(suite: Suite, plan: Plan, roles: Mapping[str, str], scored: Sequence[Scored]) -> Material:
    """The rows of a run, read when they are asked for."""
    return Material(facts_of(suite, plan), suite.config.slices, _groups(suite, plan, roles, scored))


def facts_of(suite: Suite, plan: Plan) -> tuple[EvaluatorFacts, ...]:
    """What the suite says of each evaluator, and where. Files go by their names: a report is sent to other people."""
    lines, fields = line_places(suite), field_places(suite)
    return tuple(
        EvaluatorFacts(
            one.line.name,
            one.line.settings.row_fields(),
            PurePath(lines[one.line.name]).name,
            {path: PurePath(place).name for (name, path), place in fields.items() if name == one.line.name},
        )
        for one in plan.evaluators
    )


def _groups(suite: Suite, plan: Plan, roles: Mapping[str, str], scored: Sequence[Scored]) -> Iterator[RowGroup]:
    for each in scored:
        yield RowGroup(each.variant, _rows(suite, plan, roles, each))


def _rows(suite: Suite, plan: Plan, roles: Mapping[str, str], scored: Scored) -> Iterator[ReportRow]:
    columns = [name.removeprefix("row.") for name in suite.config.slices]
    header = scored.table.header
    wanted = list(dict.fromkeys([*header, *columns]))
    reader = _Reader(suite, plan, roles, wanted)
    for place, row in enumerate(rows_again(plan, scored, wanted)):
        cells = dict(zip(wanted, row.cells, strict=True))
        slices = [slice_text(cells[name]) for name in columns]
        yield ReportRow(row.number, row.id, row.verdicts(), slices, reader.detail(row, cells, place < _EXPLAINED))


class _Reader:
    """Makes what is shown of a row, for one plan."""

    def __init__(self, suite: Suite, plan: Plan, roles: Mapping[str, str], columns: Sequence[str]) -> None:
        self.suite = suite
        self.plan = plan
        self.roles = roles
        self.columns = columns
        self.cells = {name: slot for slot, name in enumerate(plan.columns)}

    def detail(self, row: ScoredRow, cells: Mapping[str, Any], explained: bool) -> Callable[[], RowDetail]:
        """Makes what is shown, when there is room for it."""
        return lambda: self._detail(row, cells, explained)

    def _detail(self, row: ScoredRow, cells: Mapping[str, Any], explained: bool) -> RowDetail:
        documents: dict[object, tuple[int, ShownDocument]] = {}
        explanations = []
        for place, one in enumerate(self.plan.evaluators):
            shown = tuple(dict.fromkeys(self._documents(row, one, documents)))
            verdict: Verdict = row.slots[one.verdicts][row.index]
            if explained or not _perfect(verdict):
                result = self.plan.explain_from(one, row.slots, row.index)
            else:
                result = Result(one.line.name, verdict.standing, None)
            explanations.append(Explanation(place, result, shown))
        found = list(dict(documents.values()).values())
        read = {document.column for document in found}
        others = {name: text for name in self.columns if name not in read and (text := _text(cells[name]))}
        return RowDetail(found, others, explanations)

    def _documents(
        self, row: ScoredRow, one: Compiled, documents: dict[object, tuple[int, ShownDocument]]
    ) -> Iterator[int]:
        """The numbers of the documents that an evaluator reads; new ones are added."""
        needs = one.line.settings.needs()
        values = [row.slots[slot][row.index] for slot in one.inputs]
        read = {self._name(need.column) for need in needs if isinstance(need, Output | Expected)}
        for need, slot, value in zip(needs, one.inputs, values, strict=True):
            if isinstance(need, Part):
                continue
            column = need if isinstance(need, Column) else need.column
            name = self._name(column)
            as_json = isinstance(need, Output | Expected)
            if name in read and not as_json:
                continue
            key = (name, slot) if as_json else name
            if key not in documents:
                cell = row.slots[self.cells[name]][row.index]
                reading = self._reading(one, need, dict(zip(needs, values, strict=True)))
                documents[key] = _numbered(documents.values(), _document(name, column, cell, value, reading))
            yield documents[key][0]

    def _name(self, column: Column) -> str:
        return column.name if column.literal else self.roles.get(column.name, column.name)

    def _reading(self, one: Compiled, need: Need, values: Mapping[Need, Any]) -> json_text.Want | bool:
        """The kind of JSON that is looked for in an output; else whether the cell is read as JSON at all."""
        if not isinstance(need, Output):
            return isinstance(need, Expected)
        if not need.lenient or (one.line.parse or self.suite.reading.parse) != "lenient":
            return True
        if need.want != "like_expected":
            return need.want
        beside = values.get(need.beside) if need.beside else None
        return "any" if isinstance(beside, Fault) else want_like(beside)


def _numbered(known: Collection[tuple[int, ShownDocument]], document: ShownDocument) -> tuple[int, ShownDocument]:
    """The document with its number: that of an equal one, or the next."""
    number = next((number for number, other in known if other == document), None)
    return (len(dict(known)) if number is None else number), document


def _document(name: str, column: Column, cell: Any, value: Any, reading: json_text.Want | bool) -> ShownDocument:
    """A cell as an evaluator read it. `reading` is what it looked for."""
    side = _side(column)
    if reading is False:
        value = cell
    if isinstance(value, Fault):
        if not isinstance(cell, str) or not cell.strip():
            return ShownDocument(side, name, "absent", message=value.issue.message)
        return ShownDocument(side, name, "unreadable", cell, message=value.issue.message)
    if value is MISSING or (reading is False and value is None):
        return ShownDocument(side, name, "absent")
    if reading is False:
        return ShownDocument(side, name, "text" if isinstance(value, str) else "json", value)
    how, before, after = _found(cell, reading)
    return ShownDocument(side, name, "json", value, how, before, after)


def _found(cell: Any, reading: json_text.Want | bool) -> tuple[str, str, str]:
    """How the JSON of an output was found, and the text before and after it."""
    if not isinstance(cell, str) or isinstance(reading, bool):
        return "whole", "", ""
    found = json_text.find(cell, reading)
    return found.how, cell[: found.start].strip(), cell[found.end :].strip()


def _side(column: Column) -> Literal["expected", "output", "other"]:
    names = (column.role, None if column.literal else column.name)
    if "output" in names:
        return "output"
    return "expected" if "expected" in names else "other"


def _perfect(verdict: Verdict) -> bool:
    return verdict.standing is Standing.SCORED and verdict.num == verdict.den and verdict.passed is not False


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return "" if cell is MISSING or cell is None or isinstance(cell, Fault) else json_text.to_text(cell)
