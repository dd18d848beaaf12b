"""The rows of a page: verdicts as columns of numbers, documents packed into pieces until a budget is spent.

A verdict is spelled once however many rows share it, so that the table of 200,000 rows stays small. Documents go into two
rows of pieces, one for rows in which something is wrong and one for the others; the second gets what the first leaves of
the budget. A piece holds some hundred rows and is unpacked when one of them is looked at.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct, field

from evaluators.model import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.values.json_text import compact

BUDGET_BYTES: Final = 20 * 1024 * 1024
"""Packed bytes of documents in one page."""
PIECE_BYTES: Final = 256 * 1024
MOST_CHARS: Final = 100_000
"""Characters of a document or a value; what is longer is cut, and the page says so."""
MOST_RESULTS: Final = 2_000
"""Field results of one evaluator in one row."""
_LEVEL: Final = 6

Encoded = dict[str, Any]


class ShownDocument(Struct, frozen=True):
    """A cell as an evaluator read it."""

    side: Literal["expected", "output", "other"]
    column: str
    kind: Literal["json", "text", "absent", "unreadable"]
    value: Any = None
    how: str = "whole"
    """whole, fence or embedded: how the JSON was found."""
    before: str = ""
    after: str = ""
    message: str = ""
    which: str = ""
    """Which of several documents in the cell it is, in words."""


class Explanation(Struct, frozen=True):
    """What one evaluator says of a row, and which of the row's documents it read."""

    evaluator: int
    result: Result
    documents: tuple[int, ...] = ()


class RowDetail(Struct, frozen=True):
    """What is shown of a row that is opened."""

    documents: Sequence[ShownDocument] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    explanations: Sequence[Explanation] = ()


class ReportRow(Struct, frozen=True):
    """One row of the table. `detail` is asked for while there is room; None when nothing more is known."""

    number: int
    id: str
    verdicts: Sequence[Result]
    slices: Sequence[str]
    detail: Callable[[], RowDetail | None]
    label_cells: Sequence[int] = ()
    """The place of its cell in each label table of its group; -1 where it is not known."""


class RowGroup(Struct, frozen=True):
    """The rows of one variant, or all rows where there are none."""

    variant: str | None
    rows: Iterable[ReportRow]
    label_tables: tuple[int, ...] = ()
    """The label tables, by their places among those of the run, that rows say their cells of."""


class EvaluatorFacts(Struct, frozen=True):
    """What the page says of an evaluator beside its figures: its fields, and where the suite sets them."""

    name: str
    fields: tuple[str, ...] = ()
    where: str = ""
    field_places: Mapping[str, str] = field(default_factory=dict)
    compares_texts: bool = False
    """It compares the text of the output with an expected text, as a whole."""


class Material(Struct, frozen=True):
    """Everything about rows that a page is made from."""

    evaluators: tuple[EvaluatorFacts, ...]
    slice_columns: tuple[str, ...]
    groups: Iterable[RowGroup]
    note: str = ""
    """Why rows say less than they could; empty when nothing is missing."""


class PackedRows(Struct, frozen=True):
    """The rows of a page: the columns of the table, and the packed documents."""

    columns: Encoded
    pieces: tuple[bytes, ...]
    rules: Mapping[tuple[int, str], str]
    """The rule of each listed field, as far as a row showed it, by evaluator and field."""


def pack(material: Material, budget: int = BUDGET_BYTES) -> PackedRows:
    """Reads every row once. The same rows give the same bytes."""
    packing = _Packing(material, budget)
    groups = [packing.group(group) for group in material.groups]
    return packing.finished(groups)


class _Packer:
    """Pieces of packed rows, up to a budget."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.pieces: list[bytes] = []
        self.rows: list[list[int]] = []
        self.full = False
        self._waiting: list[bytes] = []
        self._numbers: list[int] = []
        self._size = self._spent = 0

    def add(self, row: int, text: bytes) -> None:
        """One more row, unless the budget is spent."""
        self._waiting.append(text)
        self._numbers.append(row)
        self._size += len(text)
        if self._size >= PIECE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Pack what is waiting. A piece that would go beyond the budget is left out, and so is every later one."""
        if not self._waiting or self.full:
            return
        piece = zlib.compress(b"[" + b",".join(self._waiting) + b"]", _LEVEL)
        self._spent += len(piece)
        self.full = self._spent > self.budget
        if not self.full:
            self.pieces.append(piece)
            self.rows.append(self._numbers)
        self._waiting, self._numbers, self._size = [], [], 0

    def within(self, budget: int) -> int:
        """How many of the pieces, from the first one on, fit a budget."""
        for count, piece in enumerate(self.pieces):
            budget -= len(piece)
            if budget < 0:
                return count
        return len(self.pieces)

    @property
    def spent(self) -> int:
        """The bytes of all pieces."""
        return sum(map(len, self.pieces))


class _Packing:
    """Rows on their way into columns and pieces."""

    def __init__(self, material: Material, budget: int) -> None:
        self.material = material
        self.budget = budget
        self.wrong, self.fine = _Packer(budget), _Packer(budget)
        self.verdicts: list[dict[tuple[Result, tuple[Any, ...]], int]] = [{} for _ in material.evaluators]
        self.texts: list[dict[str, int]] = [{} for _ in material.slice_columns]
        self.rules: dict[tuple[int, str], str] = {}
        self.count = self.without = 0

    def group(self, group: RowGroup) -> Encoded:
        """The columns of one group."""
        numbers: list[int] = []
        ids: list[str] = []
        codes: list[list[int]] = [[] for _ in self.verdicts]
        slices: list[list[int]] = [[] for _ in self.texts]
        cells: list[list[int]] = [[] for _ in group.label_tables]
        for row in group.rows:
            numbers.append(row.number)
            ids.append(row.id)
            paths = self._keep(row)
            for place, (known, verdict) in enumerate(zip(self.verdicts, row.verdicts, strict=True)):
                codes[place].append(known.setdefault((verdict, paths.get(place, ())), len(known)))
            for text, known_texts, column in zip(row.slices, self.texts, slices, strict=True):
                column.append(known_texts.setdefault(text, len(known_texts)))
            for cell, places in zip(row.label_cells, cells, strict=True):
                places.append(cell)
            self.count += 1
        return {
            "variant": group.variant,
            "numbers": _brief_numbers(numbers),
            "ids": None if ids == list(map(str, numbers)) else ids,
            "codes": codes,
            "slices": slices,
            "labelCells": {str(table): places for table, places in zip(group.label_tables, cells, strict=True)},
        }

    def finished(self, groups: list[Encoded]) -> PackedRows:
        """Columns and pieces, as many as the budget holds."""
        self.wrong.flush()
        self.fine.flush()
        room = self.fine.within(self.budget - self.wrong.spent)
        pieces = (*self.wrong.pieces, *self.fine.pieces[:room])
        rows = [*self.wrong.rows, *self.fine.rows[:room]]
        columns = {
            "groups": groups,
            "verdicts": [[_spelled(*key) for key in known] for known in self.verdicts],
            "sliceColumns": [column.removeprefix("row.") for column in self.material.slice_columns],
            "sliceValues": [list(known) for known in self.texts],
            "pieces": rows,
            "note": self.material.note,
            "packed": self._said(sum(map(len, rows)), sum(map(len, pieces))),
        }
        return PackedRows(columns, pieces, self.rules)

    def _said(self, embedded: int, size: int) -> str:
        left = self.count - self.without - embedded
        if left <= 0:
            return ""
        return (
            f"{embedded:,} of {self.count:,} rows bring their documents along, rows with something wrong first "
            f"({size / 1048576:.1f} of at most {self.budget / 1048576:g} MB, packed). "
            f"The other {left:,} have their results only: `evaluators try SUITE --row N` shows any of them in full."
        )

    def _keep(self, row: ReportRow) -> dict[int, tuple[Any, ...]]:
        """Packs the documents of a row where there is room. Returns what went wrong in evaluators without listed fields."""
        packer = self.fine if all(map(_fine, row.verdicts)) else self.wrong
        if packer.full:
            return {}
        detail = row.detail()
        if detail is None:
            self.without += 1
            return {}
        packer.add(self.count, _detail_text(detail))
        paths = {}
        for each in detail.explanations:
            fields = each.result.fields
            if self.material.evaluators[each.evaluator].fields:
                self._learn_rules(each.evaluator, fields)
            else:
                paths[each.evaluator] = _wrong_paths(fields)
        return paths

    def _learn_rules(self, evaluator: int, fields: Sequence[Outcome]) -> None:
        for result in fields:
            if result.comparator is not None and (evaluator, result.path) not in self.rules:
                self.rules[evaluator, result.path] = result.comparator


def general(path: str) -> str:
    """The path of a leaf with `[*]` for every index: `items[0].name` is one of `items[*].name`."""
    head, bracket, rest = path.partition("[")
    if not bracket:
        return path
    inside, closed, tail = rest.partition("]")
    if closed and inside.isdigit():
        return f"{head}[*]{general(tail)}"
    if rest[:1] in ('"', "'"):
        end = rest.find(f"{rest[0]}]", 1) + 2
        return f"{head}[{rest[:end]}{general(rest[end:])}" if end > 1 else path
    return f"{head}[{inside}{closed}{general(tail)}"


_RIGHT: Final = (FieldStatus.MATCH, FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED)
_LEFT_OUT: Final = (RowStatus.SKIPPED, RowStatus.NOT_MEASURED)


def _fine(verdict: Result) -> bool:
    """Nothing went wrong: a full score, or a row that is left out."""
    if verdict.status is not RowStatus.SCORED:
        return verdict.status in _LEFT_OUT and verdict.issue is None
    return verdict.num == verdict.den and verdict.passed is not False


def _wrong_paths(fields: Sequence[Outcome]) -> tuple[Any, ...]:
    """The fields that went wrong, generalised, each once with its status."""
    wrong = ((one.field or general(one.path), int(one.status)) for one in fields if one.status not in _RIGHT)
    return tuple(dict.fromkeys(wrong))


def _spelled(verdict: Result, paths: tuple[Any, ...]) -> list[Any]:
    """A result as the script reads it: status, score, passed, statuses, counts, issue, fields that went wrong."""
    return [
        int(verdict.status),
        verdict.score,
        verdict.passed,
        "".join(str(int(status)) for status in verdict.statuses),
        list(verdict.counts) if verdict.counts is not None else None,
        verdict.issue.message if verdict.issue is not None else None,
        [list(pair) for pair in paths],
    ]


def _brief_numbers(numbers: list[int]) -> list[int] | Encoded:
    """The numbers, or where they begin and how many there are when none is left out."""
    first = numbers[0] if numbers else 0
    return {"first": first, "count": len(numbers)} if numbers == list(range(first, first + len(numbers))) else numbers


def _detail_text(detail: RowDetail) -> bytes:
    documents = b",".join(map(_document_text, detail.documents))
    cells: Encoded = {name: _cut(text) for name, text in detail.cells.items()}
    explanations = b",".join(map(_explanation_text, detail.explanations))
    return b'{"documents":[%b],"cells":%b,"explanations":[%b]}' % (documents, compact(cells), explanations)


def _document_text(document: ShownDocument) -> bytes:
    said: Encoded = {
        "side": document.side, "column": document.column, "kind": document.kind, "how": document.how,
        "before": _cut(document.before), "after": _cut(document.after), "message": document.message,
        "which": document.which,
    }  # fmt: skip
    return b'%b,"value":%b}' % (compact(said)[:-1], _value_text(document.value))


def _explanation_text(each: Explanation) -> bytes:
    result, issue = each.result, each.result.issue
    said: dict[str, Any] = {
        "evaluator": each.evaluator,
        "documents": list(each.documents),
        "reason": issue.message if issue is not None else result.reason,
        "hint": issue.hint if issue is not None else None,
    }
    fields = sorted(result.fields, key=lambda one: one.status in _RIGHT)[:MOST_RESULTS]
    texts = b",".join(map(_field_text, fields))
    more = len(result.fields) - len(fields)
    return b'%b,"fields":[%b],"more":%d}' % (compact(said)[:-1], texts, more)


def _field_text(result: Outcome) -> bytes:
    said: dict[str, Any] = {"path": result.path, "status": int(result.status)}
    if result.score not in (None, 0.0, 1.0):
        said["score"] = result.score
    said |= {
        name: value
        for name, value in (("reason", result.reason), ("rule", result.comparator), ("field", result.field))
        if value
    }
    text = compact(said)[:-1]
    if result.status is not FieldStatus.MATCH or not _alike(result.expected, result.actual):
        for name, value in (("expected", result.expected), ("actual", result.actual)):
            if value is not MISSING:
                text += b',"%b":%b' % (name.encode(), _value_text(value))
    return text + b"}"


def _alike(one: Any, other: Any) -> bool:
    return one.__class__ is other.__class__ and one == other


def _value_text(value: Any) -> bytes:
    """The value as JSON; `{"cut": …, "of": …}` in an array of one where it is too long, and text where it is no JSON."""
    if not isinstance(value, (str, int, float, bool, list, dict)) and value is not None:
        value = str(value)
    text = compact(value)
    if len(text) <= MOST_CHARS:
        return b'{"json":%b}' % text
    whole = value if isinstance(value, str) else text.decode("utf-8", "replace")
    return compact({"cut": whole[:MOST_CHARS], "of": len(whole)})


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}… ({len(text) - MOST_CHARS:,} more characters)"
