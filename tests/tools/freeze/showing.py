"""Differing answers as text for a developer: the suite, the row, and what changed in the answer, place by place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.tools.freeze.frozen_files import NOTHING, Difference

MOST_LINES: Final = 12
"""Changes shown of one answer."""
LONGEST: Final = 400
ABSENT: Final = object()


def shown(found: list[Difference], first: int) -> str:
    """The first rows that differ, each with its suite and its cells, and every answer of it that differs."""
    rows: dict[str, list[Difference]] = {}
    for one in found:
        rows.setdefault(row_of(one), []).append(one)
    text = [line for row in list(rows.values())[:first] for line in _row(row)]
    if len(rows) > first:
        text.append(f"\n… and {len(rows) - first:,} more rows")
    return "\n".join(text)


def row_of(one: Difference) -> str:
    """The row that an answer is of, or the run."""
    words = one.name.split(" ")
    return " ".join(words[: 3 if words[1] == "row" else 2])


def _row(found: list[Difference]) -> Iterator[str]:
    one, suite = found[0], found[0].suite
    yield f"\n== {row_of(one)}"
    yield f"suite: {json.dumps(suite.suite, default=str)}"
    words = one.name.split(" ")
    if words[1] == "row" and suite.rows:
        yield from (
            f"{name}: {cell if isinstance(cell, str) else json.dumps(cell)}"
            for name, cell in suite.rows[int(words[2])].items()
        )
    for each in found:
        yield f"-- {each.name.removeprefix(row_of(one)).strip() or each.name}"
        changes = list(_changes(_read(each.was), _read(each.now), ""))
        yield from (_short(line) for line in changes[:MOST_LINES])
        if len(changes) > MOST_LINES:
            yield f"   … and {len(changes) - MOST_LINES} more places"


def _read(text: str) -> Any:
    return ABSENT if text == NOTHING else json.loads(text)


def _changes(was: Any, now: Any, path: str) -> Iterator[str]:
    """Where two answers differ. Results are paired by their paths, so that one that is new moves no other."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*was, *now)):
            yield from _changes(was.get(key, ABSENT), now.get(key, ABSENT), f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(now, list) and was != now:
        before, after = _by_name(was), _by_name(now)
        for key in dict.fromkeys((*before, *after)):
            yield from _changes(before.get(key, ABSENT), after.get(key, ABSENT), f"{path}[{key}]")
        if before == after:
            yield f"   {path}: in another order: was {[*before]}, is {[*after]}"
    elif json.dumps(was, default=str) != json.dumps(now, default=str):
        yield f"   {path or 'all of it'}: was {_value(was)}, is {_value(now)}"


def _by_name(items: list[Any]) -> dict[str, Any]:
    """Items of a list by their paths, where they have some; otherwise by their numbers."""
    found: dict[str, Any] = {}
    for number, item in enumerate(items):
        keys = ("evaluator", "array", "path", "metric")
        name = " ".join(str(item[key]) for key in keys if key in item) if isinstance(item, dict) else ""
        name = name or str(number)
        found[name if name not in found else f"{name} #{number}"] = item
    return found


def _value(value: Any) -> str:
    return NOTHING if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
