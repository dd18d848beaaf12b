"""Many evaluators that differ in one value become one, which reads that value in a column: `equals` of a hundred tests, say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from evaluators.guide.converting.converter import Conversion, ConvertedEvaluator

_VALUES: Final = {
    "answer": "expected",
    "substring": "contains",
    "substrings": "contains",
    "prefix": "prefix",
    "rubric": "rubric",
}
"""The settings whose value may stand in a column, and what that column is called."""


def gather_values(conversion: Conversion) -> None:
    """Puts values of evaluators for single rows into columns of the rows, wherever that makes fewer evaluators."""
    alike: dict[str, list[ConvertedEvaluator]] = {}
    for part in conversion.parts:
        if isinstance(part, ConvertedEvaluator) and part.rows and (setting := _setting_for_column(part)) is not None:
            others = {name: value for name, value in part.settings.items() if name != setting}
            key = [part.type, setting, others, part.name, part.weight, part.group, part.findings[0].theirs]
            alike.setdefault(json.dumps(key, sort_keys=True, default=str), []).append(part)
    for parts in alike.values():
        cells = _values_by_column(parts)
        if len(cells) < len(parts):
            first = conversion.parts.index(parts[0])
            conversion.parts[first:first] = _evaluators_of_columns(parts, cells, conversion.rows)
            gone = set(map(id, parts))
            conversion.parts = [part for part in conversion.parts if id(part) not in gone]


def _setting_for_column(part: ConvertedEvaluator) -> str | None:
    """The name of the setting of an evaluator whose value can be put into a column; None where it has no such setting, or an empty one."""
    for name in _VALUES:
        value = part.settings.get(name)
        texts = value if isinstance(value, list) else [value]
        if value and all(isinstance(text, str) and text.strip() for text in texts) and "{{" not in str(value):
            return name
    return None


def _values_by_column(parts: Sequence[ConvertedEvaluator]) -> list[dict[str, Any]]:
    """New columns with the values of these evaluators by row id: as many columns as the row with the most values needs."""
    columns: list[dict[str, Any]] = []
    for part in parts:
        value = part.settings[_setting_for_column(part) or ""]
        for row in part.rows or ():
            column = next((values for values in columns if row not in values), None)
            if column is None:
                column = {}
                columns.append(column)
            column[row] = value
    return columns


def _evaluators_of_columns(
    parts: Sequence[ConvertedEvaluator], cells: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]
) -> list[ConvertedEvaluator]:
    """One evaluator for each new column of values by row, which is added to the `rows`. The first has all notes of the evaluators it is
    made from, but for one that each further evaluator takes."""
    first = parts[0]
    setting = _setting_for_column(first) or ""
    findings = [finding for part in parts for finding in part.findings]
    converted: list[ConvertedEvaluator] = []
    for values in cells:
        column = free_name(_VALUES[setting], {name for row in rows for name in row})
        for row in rows:
            if row["id"] in values:
                row[column] = values[row["id"]]
        others = {name: value for name, value in first.settings.items() if name not in (setting, "normalize")}
        type_, settings = (
            ("exact_match", {"expected": column, **others})
            if setting == "answer"
            else (first.type, {setting: f"{{{{{column}}}}}" if setting == "rubric" else {"column": column}, **others})
        )
        when = {} if len(values) == len(rows) else {f"row.{column}": {"present": True}}
        own = [findings.pop()] if converted else findings
        converted.append(ConvertedEvaluator(type_, first.name, settings, own, None, when, first.weight, first.group))
    return converted


def free_name(name: str, taken: set[str]) -> str:
    """The name, or where it is taken the first of `name_2`, `name_3` and so on that is not."""
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
