"""What no column of rows holds: one small record a split, which adds up to that of a run (see `exact_sums.plus`).

These are the paths of documents, of which no list says beforehand which there are, the rates of empty values, faults of keys, the first
rows that messages name, issues, and totals of whoever was asked. Everything else is counted from columns once all rows are scored.

`run.db` and a batch keep it as compressed JSON with a checksum (`pack`). What is read back is data from a stranger: its types are
checked (`unpack`).
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from evaluators.model.issues import CellError, Issue
from evaluators.model.rows import JSON, MISSING
from evaluators.runs.document_sums import DocumentSums, EmptySums
from evaluators.runs.exact_sums import Sum, plus
from evaluators.runs.groups import MOST_SLICES, OTHER_VALUES
from evaluators.runs.label_pairs import MOST_UNLISTED, FirstRow
from evaluators.runs.record_facts import Declared
from evaluators.runs.row_samples import RowSample
from evaluators.runs.split_rows import Layout, SplitRows, encodable_cells
from evaluators.runs.wrong_fields import WrongFields
from evaluators.scoring.fields.key_counts import KeyCounts
from evaluators.scoring.judges.answer_lines import AskedTotals, JudgeTotals
from evaluators.scoring.needs import Expected
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.suite_plan import Plan

Count = Annotated[int, Meta(ge=0)]
MOST_ISSUES: Final = 5
"""Issues of one code that are kept with their rows, the first ones; the rest is counted."""
MOST_BYTES: Final = 1024**3
"""How long JSON may be that is read back."""
HINT_ROWS: Final = 200
"""Rows that hints look at."""
Read = TypeVar("Read")


class FirstRows(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """The documents and cells of the first rows."""

    rows: int = 0
    read: list[Any] = field(default_factory=list)
    """The documents that any evaluator reads, each once."""
    documents: dict[str, list[int]] = field(default_factory=dict)
    """Those of each evaluator that reads some, row by row, as their places in `read`."""
    expected: dict[str, list[int]] = field(default_factory=dict)
    """The expected documents among them."""
    cells: dict[str, list[Any]] = field(default_factory=dict)
    """The cells that can be read of the columns that conditions look at."""

    def take(self, plan: Plan, columns: Mapping[str, Sequence[Any]], slots: Sequence[Sequence[Any]], count: int) -> None:
        """Notes the documents and cells of the next rows, up to the first `HINT_ROWS` of the test set. `columns` are the cells
        of the chunk, `slots` the filled slots of the plan, `count` its rows."""
        count = min(count, HINT_ROWS - self.rows)
        self.rows += count
        known = {id(document): index for index, document in enumerate(self.read)}

        def note_documents(documents: dict[str, list[int]], name: str, values: Iterable[Any]) -> None:
            """Adds the place in `read` of each document to those of the evaluator; a document that is met for the first time is added to
            `read`, and what is no document is left out."""
            for document in values:
                if isinstance(document, (dict, list)):
                    if id(document) not in known:
                        known[id(document)] = len(self.read)
                        self.read.append(document)
                    documents.setdefault(name, []).append(known[id(document)])

        for evaluator in plan.evaluators:
            name, needs = evaluator.line.name, evaluator.line.settings.needs()
            note_documents(self.documents, name, (slots[slot][row] for row in range(count) for slot in evaluator.inputs))
            sides = [slot for need, slot in zip(needs, evaluator.inputs, strict=True) if isinstance(need, Expected)]
            note_documents(self.expected, name, (slots[slot][row] for slot in sides for row in range(count)))
            for condition in evaluator.line.when:
                if condition.source == "row" and condition.column in columns:
                    cells = columns[condition.column][:count]
                    watched_cells = self.cells.setdefault(condition.column, [])
                    watched_cells += [cell for cell in cells if cell is not MISSING and not isinstance(cell, CellError)]

    def check(self) -> None:
        """Raises ValueError for places of documents that are not there."""
        for places in (*self.documents.values(), *self.expected.values()):
            if not all(0 <= place < len(self.read) for place in places):
                raise ValueError("documents that are not there")

    def documents_of(self, evaluator: str) -> list[JSON]:
        """The documents of an evaluator."""
        return [self.read[place] for place in self.documents.get(evaluator, ())]

    def expected_documents(self) -> dict[str, list[JSON]]:
        """The expected documents of each evaluator."""
        return {name: [self.read[place] for place in places] for name, places in self.expected.items()}


class EvaluatorSums(Sum):
    """The sums of one evaluator."""

    documents: DocumentSums = field(default_factory=DocumentSums)
    empties: EmptySums = field(default_factory=EmptySums)
    keys: KeyCounts = field(default_factory=KeyCounts)
    """What was wrong with the keys that align lists."""
    wrong_fields: WrongFields = field(default_factory=WrongFields)
    """The fields of documents that are wrong in a group, where rows have groups."""
    unlisted: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The first expected answers that are none of the labels that the suite lists, each with its first row."""
    unusable: dict[str, tuple[FirstRow, ...]] = field(default_factory=dict)
    """By field, the first rows whose confidence is no number from 0 to 1, each with what it is."""
    sample: RowSample | None = None
    """The rows from which a metric is worked out that compares rows; None without such a metric."""

    def limit(self) -> None:
        """Keeps the first `MOST_UNLISTED` answers outside the list, and the first row of each."""
        first_unlisted = sorted(self.unlisted.items(), key=itemgetter(1))[:MOST_UNLISTED]
        self.unlisted = {text: rows[:1] for text, rows in first_unlisted}

    def set_row_numbers(self, first: int) -> None:
        """Replaces the offsets of rows by their numbers, which count from `first`."""
        for count in self.keys.found.values():
            count.first = tuple(row + first for row in count.first)
        self.unlisted = {text: tuple(row + first for row in rows) for text, rows in self.unlisted.items()}
        self.unusable = {name: tuple((row + first, text) for row, text in rows) for name, rows in self.unusable.items()}


class SplitResult(Sum):
    """The sums of some rows. Rows are counted from the first one; those of a run have their numbers."""

    index: Count = 0
    rows: Count = 0
    without_output: Count = 0
    """Rows for which a joined file has no output."""
    several: Count = 0
    """Outputs that hold more than one JSON document."""
    span: Count = 0
    """How many row numbers there are, blank lines included."""
    evaluators: list[EvaluatorSums] = field(default_factory=list)
    slice_empties: dict[str, dict[str, list[EmptySums]]] = field(default_factory=dict)
    """By column, value and evaluator, the rates of empty values in the rows of a slice."""
    issues: list[tuple[int, Issue]] = field(default_factory=list)
    """The first of each code, each with the offset of its row, later with its number."""
    issue_counts: dict[str, Count] = field(default_factory=dict)
    recorded: dict[str, Count] = field(default_factory=dict)
    """How many rows were recorded under each key, those included that another split had already made enough."""
    schemas: dict[str, Declared] = field(default_factory=dict)
    """What the schemas of the rows declare, by hash."""
    finished: bool = True
    asked: AskedTotals = field(default_factory=AskedTotals)
    """How much was asked of whoever costs something."""
    judged: JudgeTotals = field(default_factory=JudgeTotals)
    """What judges said."""
    first_rows: FirstRows = field(default_factory=FirstRows)
    """What the first rows of the test set hold; empty for all splits but the first. Splits depend on the file alone, so hints do, too."""
    trouble: Issue | None = None
    """What kept rows from being measured, where nobody asked to stop. A split then has nothing else in its result."""

    @classmethod
    def of_no_rows(cls, lines: Sequence[EvaluatorLine]) -> SplitResult:
        """The sums of no rows, with empty sums for each of these evaluators."""
        return cls(evaluators=[EvaluatorSums() for _ in lines])

    def join(self, following: SplitResult) -> None:
        """Adds the sums of the split that follows this one. Parts of them may become parts of this, so they must not be used
        afterwards."""
        self.issues += following.issues
        if following.index:
            following.first_rows = FirstRows()
        following.issues, following.index, finished = [], 0, following.finished
        plus(self, following)
        self.finished = finished

    def limit(self) -> None:
        """Keeps the first issues of each code, and the first values of each slice."""
        counts: Counter[str] = Counter()
        first_issues = []
        for row, issue in self.issues:
            counts[issue.code] += 1
            if counts[issue.code] <= MOST_ISSUES:
                first_issues.append((row, issue))
        self.issues = first_issues
        for values in self.slice_empties.values():
            for value in sorted(values.keys() - {OTHER_VALUES})[MOST_SLICES:]:
                plus(values, {OTHER_VALUES: values.pop(value)})

    def set_row_numbers(self, name: str, first: int) -> None:
        """Replaces the offsets of rows by their numbers, which count from `first`. `name` is what the places of issues call the
        test set."""
        for evaluator in self.evaluators:
            evaluator.set_row_numbers(first)
        for place, (offset, issue) in enumerate(self.issues):
            row = offset + first
            where = f"{name} row {row}, {issue.where}" if issue.where else f"{name} row {row}"
            self.issues[place] = row, replace(issue, where=where)


def pack(value: Struct) -> bytes:
    """The value as compressed JSON, which ends with a checksum; `unpack` reads it. Raises ValueError or RecursionError for what
    JSON cannot hold."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair
        data = json.dumps(msgspec.to_builtins(value, str_keys=True)).encode()
    return zlib.compress(data, level=3)


def unpack(text: bytes, kind: type[Read]) -> Read:
    """The value of type `kind` in bytes that `pack` made. Raises ValueError or RecursionError for bytes that are cut off, too
    large, or hold another type."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(text, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"damaged: {error}") from None
    if not unpacking.eof or unpacking.unused_data:
        raise ValueError("too large" if len(data) == MOST_BYTES else "cut off")
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:  # half of a surrogate pair, unless it is no JSON at all
        return msgspec.convert(json.loads(data), kind, str_keys=True)


class Part(NamedTuple):
    """The result of a split: its columns and its sums."""

    rows: SplitRows
    sums: SplitResult

    def check(self, layout: Layout, lines: Sequence[EvaluatorLine]) -> None:
        """Raises ValueError for a part with other columns, cells of other types, codes that stand for nothing, or other evaluators."""
        rows, sums = self
        if set(rows.columns) != set(layout.names) or {*map(len, rows.columns.values())} - {sums.rows}:
            raise ValueError("rows of another shape")
        for name, cells in rows.columns.items():
            kinds: set[type] = {str} if name in layout.texts else {int}
            if name == "id":
                kinds = {str, type(None)}
            if not {*map(type, cells)} <= kinds or (name in layout.texts and encodable_cells(cells) is not cells):
                raise ValueError("cells of another type")
        pairs, patterns = ({place: len(items) for place, items in each.items()} for each in (rows.pairs, rows.patterns))
        bounds = layout.bounds([*map(len, rows.verdicts)], pairs, patterns) | {"row": (0, sums.span)}
        for name, (low, high) in bounds.items():
            column = rows.columns.get(name)
            if column and not low <= min(column) <= max(column) < high:
                raise ValueError("codes that stand for nothing")
        if not (
            len(rows.verdicts) == len(sums.evaluators) == len(lines)
            and set(rows.pairs) == set(layout.labelled)
            and set(rows.patterns) == set(layout.empties)
        ):
            raise ValueError("sums of other evaluators")
        for line, verdicts in zip(lines, rows.verdicts, strict=True):
            width = len(line.settings.scored_fields().names)
            if width and {len(verdict.statuses) for verdict in verdicts} - {0, width}:
                raise ValueError("sums of other fields")
        if not (sums.finished and sums.trouble is None and sums.rows <= sums.span):
            raise ValueError("sums of rows that are not whole")
        sums.first_rows.check()
