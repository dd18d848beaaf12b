"""The changed rows of a comparison with their values, packed for a page, and the ways from there to the pages of both runs."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from evaluators.reports.compared_values import changed_values
from evaluators.reports.html.rows import Encoded
from evaluators.runs.compare.comparison import ChangedRow, RunComparison
from evaluators.runs.compare.pairs import Side
from evaluators.runs.metrics import more_text, rows_text
from evaluators.scoring.values.json_text import compact

MOST_ROWS: Final = 5_000
"""Changed rows that a page lists."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Of their lines, before they are packed: rows beyond have no values."""


class ComparedRuns(Struct, frozen=True):
    """The two sides of a comparison, and the folder of the page, from which its links lead to the pages of the runs."""

    base: Side
    new: Side
    folder: Path | None
    """None where its place is none that links could lead from."""


class ComparedRows(Struct, frozen=True):
    """The changed rows, packed."""

    index: Encoded
    elements: Mapping[str, bytes]


def compared_rows(
    comparison: RunComparison, runs: ComparedRuns, most_rows: int = MOST_ROWS, most_bytes: int = MOST_BYTES
) -> ComparedRows:
    """The changed rows of a comparison with their values, packed for a page, in its order. Same runs, same bytes.

    At most `most_rows` are listed, and rows beyond `most_bytes` have no values; notes say what is left out.
    """
    listed = comparison.changed[:most_rows]
    evaluators = {difference.evaluator for difference in comparison.evaluators}
    lines: list[bytes] = []
    size = without_values = 0
    for row, base, new, fields in changed_values(runs.base, runs.new, listed, evaluators):
        line: Encoded = {**_row(row, base, new), "fields": fields}
        text = compact(line)
        if size + len(text) > most_bytes:
            without_values += 1
            text = compact({**line, "fields": []})
        size += len(text)
        lines.append(text + b"\n")
    notes = []
    if without_values:
        notes.append(f"The values of {rows_text(without_values)} are left out: they would make the page too large.")
    if more := len(comparison.changed) - len(listed):
        notes.append(f"{more_text(more, 'changed row')} in the JSON file.")
    without_page = [
        side.label if side.variant is None else side.record.place
        for side in (runs.base, runs.new)
        if runs.folder is not None and side.record is not None and not _page_of(side).is_file()
    ]
    notes += [
        f"`evaluators view {run}` writes the page of that run; with it, the rows of a comparison lead there."
        for run in dict.fromkeys(without_page)
    ]
    index = {
        "base": _side(runs.base, runs.folder),
        "new": _side(runs.new, runs.folder),
        "notes": notes,
    }
    return ComparedRows(index, {"compared": zlib.compress(b"".join(lines), 6)})


def _side(side: Side, folder: Path | None) -> Encoded:
    """The name of a side, and the address of its page seen from a folder; empty where the run has none."""
    page = _page_of(side)
    if folder is None or not page.is_file():
        return {"label": side.label, "link": ""}
    try:
        way = os.path.relpath(page.resolve(), folder.resolve())
    except ValueError:  # on another drive
        return {"label": side.label, "link": ""}
    return {"label": side.label, "link": quote(Path(way).as_posix())}


def _page_of(side: Side) -> Path:
    """Where the page of a side's run is, or would be."""
    return (side.record.place if side.record is not None else Path(side.label)) / "report.html"


def _row(row: ChangedRow, base: str | None, new: str | None) -> Encoded:
    """A changed row for the page; `base` and `new` are the keys of its lines in both runs, None where a run lacks it."""
    verdicts = {
        change: list(names)
        for change in ("broken", "lost", "fixed", "gained", "settled")
        if (names := getattr(row, change))
    }
    return {
        "id": row.id, "number": row.number, "variant": row.variant, "change": row.change, "base": base, "new": new,
        "verdicts": verdicts, "reasons": row.reasons,
    }  # fmt: skip
