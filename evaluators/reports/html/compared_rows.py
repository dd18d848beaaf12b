"""The changed rows of a comparison with their values: what is expected, what the base gave, and what the new run gives.

A value is the one that was recorded; of a field that is right and of which nothing was recorded, what stands in the document that the
run kept. Fields whose status or value changed are listed; of an evaluator without fields whose verdict changed, its two texts or documents.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from evaluators.model.issues import CellError
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Outcome, Result
from evaluators.reports.html.rows import Encoded
from evaluators.reports.mistakes import field_of
from evaluators.reports.rows import field_views, results_of
from evaluators.runs.compare.changes import field_change
from evaluators.runs.compare.comparison import ChangedRow, RunComparison
from evaluators.runs.compare.pairs import RowPair, Side, paired
from evaluators.runs.kept_documents import document_of
from evaluators.runs.metrics import more_text, rows_text
from evaluators.runs.reader import RecordedRow
from evaluators.runs.record_facts import RecordedEvaluator
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.json_text import compact
from evaluators.scoring.values.paths import BadPath, parse

MOST_ROWS: Final = 5_000
"""Changed rows that a page lists."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Of their lines, before they are packed: rows beyond have no values."""
_MOST_CHARS: Final = 20_000
"""Characters of a value."""


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
    """The changed rows of a comparison, in its order. Same runs, same bytes."""
    listed = comparison.changed[:most_rows]
    evaluators = {one.evaluator for one in comparison.evaluators}
    lines: list[bytes] = []
    size = without = 0
    for variant in dict.fromkeys(row.variant for row in listed):
        pairs = list(_paired_rows(runs, [row for row in listed if row.variant == variant], variant))
        was = _Recorded(runs.base, variant, {before for _, before, _ in pairs if before is not None})
        now = _Recorded(runs.new, variant, {after for _, _, after in pairs if after is not None})
        for row, before, after in pairs:
            line = _row(row, was.key(before), now.key(after))
            text = compact({**line, "fields": list(_fields(was, before, now, after, evaluators))})
            if size + len(text) > most_bytes:
                without += 1
                text = compact({**line, "fields": []})
            size += len(text)
            lines.append(text + b"\n")
    notes = [f"The values of {rows_text(without)} are left out: they would make the page too large."] if without else []
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
    """What a side is called, and the address of its page seen from a folder; empty where the run has none."""
    page = _page_of(side)
    if folder is None or not page.is_file():
        return {"label": side.label, "link": ""}
    try:
        way = os.path.relpath(page.resolve(), folder.resolve())
    except ValueError:  # on another drive
        return {"label": side.label, "link": ""}
    return {"label": side.label, "link": quote(Path(way).as_posix())}


def _page_of(side: Side) -> Path:
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


def _paired_rows(
    runs: ComparedRuns, rows: Sequence[ChangedRow], variant: str | None
) -> Iterator[tuple[ChangedRow, int | None, int | None]]:
    """Each changed row with its numbers in both runs: both have the order of the pairs."""
    pairs: Iterator[RowPair] = paired(runs.base.rows[variant], runs.new.rows[variant]).rows()
    for row in rows:
        for was, now in pairs:
            line = now or was
            if line is not None and (line.row, line.id) == (row.number, row.id):
                yield row, None if was is None else was.row, None if now is None else now.row
                break


class _Recorded:
    """What one side recorded of some rows of a variant."""

    def __init__(self, side: Side, variant: str | None, numbers: Collection[int]) -> None:
        self.variant = side.variant if variant is None else variant
        self.evaluators: dict[str, RecordedEvaluator] = {}
        self._rows: dict[int, RecordedRow] = {}
        if (record := side.record) is not None:
            self.evaluators = {one.name: one for one in record.facts.evaluators}
            rows = record.each_row(self.variant)
            self._rows = {row.number: row for row in rows if row.number in numbers}

    def key(self, number: int | None) -> str | None:
        """The name of a row in the addresses of its run's page."""
        return None if number is None else str(number) if self.variant is None else f"{number}:{self.variant}"

    def results(self, number: int | None) -> dict[str, Result]:
        """What each evaluator says of a row."""
        row = self._rows.get(number) if number is not None else None
        return (
            {} if row is None else dict(zip(self.evaluators, results_of([*self.evaluators.values()], row), strict=True))
        )

    def document(self, number: int | None, evaluator: str, side: str) -> Any:
        """The document or text that an evaluator compares on one side; MISSING where the run kept none."""
        row = self._rows.get(number) if number is not None else None
        if row is None or row.cells is None:
            return MISSING
        for reading in self.evaluators[evaluator].readings if evaluator in self.evaluators else ():
            if reading.side == side and reading.column in row.cells:
                found = document_of(reading, row.cells)
                return row.cells[reading.column] if isinstance(found, CellError) else found
        return MISSING


def _fields(
    was: _Recorded, before: int | None, now: _Recorded, after: int | None, evaluators: Collection[str]
) -> Iterator[Encoded]:
    """The fields of a row whose status or value is another one, by the evaluators that are compared."""
    old, new = was.results(before), now.results(after)
    for name in (one for one in dict.fromkeys([*new, *old]) if one in evaluators):
        sides = (_Side(was, before, name, old.get(name)), _Side(now, after, name, new.get(name)))
        paths = list(dict.fromkeys(path for side in sides for path in side.outcomes))
        places = {field_of(path) for path in paths if field_of(path) != path}
        fields = (_field(name, path, *sides) for path in paths if path not in places)
        yield from (one for one in fields if one is not None)
        if not paths and any(side.result is not None for side in sides):
            found = _whole(name, *sides)
            if found is not None:
                yield found


class _Side:
    """What one evaluator says of a row in one run."""

    def __init__(self, recorded: _Recorded, number: int | None, name: str, result: Result | None) -> None:
        self.result = result
        self._recorded, self._number, self._name = recorded, number, name
        self.outcomes: dict[str, Outcome] = {}
        if result is None:
            return
        listed = recorded.evaluators[name].fields
        if listed and result.statuses:
            for view in field_views(result, listed):
                own = view.outcomes or (
                    Outcome(str(view.path), FIELD_STATUSES[result.statuses[listed.index(view.path)]]),
                )
                self.outcomes |= {one.path: one for one in own}
        self.outcomes |= {one.path: one for one in result.fields if one.path not in self.outcomes}

    def outcome(self, path: str) -> Outcome | None:
        """What became of a place; of an item in a list, what is said of the field in all items where nothing else is."""
        return self.outcomes.get(path) or self.outcomes.get(field_of(path))

    def value(self, path: str, side: str) -> Any:
        """A value of this run; MISSING where it is not known."""
        outcome = self.outcomes.get(path)
        recorded = MISSING if outcome is None else outcome.expected if side == "expected" else outcome.actual
        if recorded is not MISSING or (outcome is not None and outcome.reason):
            return recorded
        document = self._recorded.document(self._number, self._name, side)
        if document is MISSING or "[" in path.replace(
            '["', ""
        ):  # an item is paired with another one where a list has no order
            return MISSING
        try:
            return parse(path).get(document)
        except BadPath:
            return MISSING

    def whole(self, side: str) -> Any:
        """The text or document that is compared on one side."""
        return self._recorded.document(self._number, self._name, side)


def _field(name: str, path: str, was: _Side, now: _Side) -> Encoded | None:
    """A field with its values; None where it is what it was."""
    old, new = was.outcome(path), now.outcome(path)
    statuses = [None if one is None else one.status for one in (old, new)]
    before, after = was.value(path, "output"), now.value(path, "output")
    unchanged = MISSING in (before, after) or same(before, after)
    if statuses[0] is statuses[1] and unchanged:
        return None
    expected = next(
        (one for one in (now.value(path, "expected"), was.value(path, "expected")) if one is not MISSING), MISSING
    )
    reasons = {"why": new.reason} if new is not None and new.reason and new.status is not FieldStatus.MATCH else {}
    return {**_values(name, path, statuses, expected, before, after), **reasons}


def _whole(name: str, was: _Side, now: _Side) -> Encoded | None:
    """Both outputs of an evaluator without fields; None where its verdict is what it was, but for other outputs that are wrong again,
    or where nothing is known of them."""
    before, after = was.whole("output"), now.whole("output")
    expected = next((one for one in (now.whole("expected"), was.whole("expected")) if one is not MISSING), MISSING)
    statuses = [
        None if side.result is None or side.result.passed is None
        else FieldStatus.MATCH if side.result.passed else FieldStatus.MISMATCH
        for side in (was, now)
    ]  # fmt: skip
    wrong_again = statuses == [FieldStatus.MISMATCH] * 2 and MISSING not in (before, after, expected)
    if (statuses[0] is statuses[1] and not (wrong_again and not same(before, after))) or before is after is MISSING:
        return None
    return _values(name, "", statuses, expected, before, after)


def _values(
    name: str, path: str, statuses: Sequence[FieldStatus | None], expected: Any, before: Any, after: Any
) -> Encoded:
    """A field of a changed row: its status in both runs, None where a run has none, and its values, cut.

    A value that is `MISSING` has no key.
    """
    was, now = statuses
    found: Encoded = {
        "evaluator": name, "path": path, "field": field_of(path), "change": field_change(was, now),
        "was": None if was is None else was.word, "now": None if now is None else now.word,
    }  # fmt: skip
    for key, value in (("expected", expected), ("base", before), ("new", after)):
        if value is not MISSING:
            found[key] = _cut(value)
    return found


def _cut(value: Any) -> Any:
    """The value, or the beginning of its JSON where that is long."""
    text = compact(value)
    return value if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS].decode(errors='ignore')}…"
