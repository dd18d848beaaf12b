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
        if isinstance(part, ConvertedEvaluator) and part.rows and (setting := _setting(part)) is not None:
            others = {name: value for name, value in part.settings.items() if name != setting}
            key = [part.type, setting, others, part.name, part.weight, part.group, part.findings[0].theirs]
            alike.setdefault(json.dumps(key, sort_keys=True, default=str), []).append(part)
    for parts in alike.values():
        cells = _columns_of(parts)
        if len(cells) < len(parts):
            first = conversion.parts.index(parts[0])
            conversion.parts[first:first] = _gathered(parts, cells, conversion.rows)
            gone = set(map(id, parts))
            conversion.parts = [part for part in conversion.parts if id(part) not in gone]


def _setting(part: ConvertedEvaluator) -> str | None:
    """The setting of an evaluator whose value can stand in a cell; None where there is none, or the cell would be an empty one."""
    for name in _VALUES:
        value = part.settings.get(name)
        texts = value if isinstance(value, list) else [value]
        if value and all(isinstance(text, str) and text.strip() for text in texts) and "{{" not in str(value):
            return name
    return None


def _columns_of(parts: Sequence[ConvertedEvaluator]) -> list[dict[str, Any]]:
    """The values by row, in as many columns as some row has values."""
    rows: list[dict[str, Any]] = []
    for part in parts:
        value = part.settings[_setting(part) or ""]
        for row in part.rows or ():
            column = next((open_column for open_column in rows if row not in open_column), None)
            if column is None:
                rows.append(column := {})
            column[row] = value
    return rows


def _gathered(
    parts: Sequence[ConvertedEvaluator], cells: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]
) -> list[ConvertedEvaluator]:
    """One evaluator for each column; the first has the notes of all words that they were made from."""
    first = parts[0]
    setting = _setting(first) or ""
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
        own = [findings.pop() for _ in converted[:1]] or findings
        converted.append(ConvertedEvaluator(type_, first.name, settings, own, None, when, first.weight, first.group))
    return converted


def free_name(name: str, taken: set[str]) -> str:
    """The name, or the first with a number behind it that no column has."""
    return (
        name
        if name not in taken
        else next(one for number in range(2, len(taken) + 3) if (one := f"{name}_{number}") not in taken)
    )
