"""What rows came to: those of a split, of a batch, of a program, of a whole run. Neighbours add up: see `exact_sums.plus`.

Where a result leaves its process it is one text, JSON with a checksum before it (`sealed`), whoever carries it: worker processes,
clusters, checkpoints, batches. What comes back is data from a stranger: its types are checked (`opened`), and so is its shape
(`SplitResult.check`).
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from evaluators.fields.key_counts import KeyCounts
from evaluators.issues import CellError, Issue
from evaluators.judges.answer_lines import AskedTotals, JudgeTotals
from evaluators.model import JSON, MISSING
from evaluators.needs import Expected
from evaluators.plan.suite_plan import Plan
from evaluators.run.confidence import ConfidenceSums
from evaluators.run.exact_sums import Sum
from evaluators.run.groups import SliceKey, limit_slices
from evaluators.run.ids import Ids
from evaluators.run.labels import LabelSums
from evaluators.run.measures import NumericColumnSums
from evaluators.run.record_facts import Declared
from evaluators.run.repeats import RepeatSums
from evaluators.run.row_samples import RowSample
from evaluators.run.tally import Tally
from evaluators.suite.graph import EvaluatorLine

Count = Annotated[int, Meta(ge=0)]
_ARRAYS: Final = ("I", "Q")
MOST_ISSUES: Final = 5
"""Issues of one code that are kept with their rows, the first ones; the rest is counted."""
HINT_ROWS: Final = 200
"""Rows that hints look at."""
Read = TypeVar("Read")


class Merged(Struct, frozen=True):
    """A split whose sums are merged, and whose rows can be joined."""

    split: Count
    first: Count
    """The number of its first row."""
    attempt: str = ""
    """The word in the name of its file: see `evaluators.run.split_files`."""


class FirstRows(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What the first rows hold."""

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
        """The next rows. Those past the first ones are not looked at."""
        count = min(count, HINT_ROWS - self.rows)
        self.rows += count
        known = {id(document): index for index, document in enumerate(self.read)}

        def note(documents: dict[str, list[int]], name: str, found: Iterable[Any]) -> None:
            for document in found:
                if isinstance(document, (dict, list)):
                    if id(document) not in known:
                        known[id(document)] = len(self.read)
                        self.read.append(document)
                    documents.setdefault(name, []).append(known[id(document)])

        for one in plan.evaluators:
            name, needs = one.line.name, one.line.settings.needs()
            note(self.documents, name, (slots[slot][row] for row in range(count) for slot in one.inputs))
            sides = [slot for need, slot in zip(needs, one.inputs, strict=True) if isinstance(need, Expected)]
            note(self.expected, name, (slots[slot][row] for slot in sides for row in range(count)))
            for condition in one.line.when:
                if condition.source == "row" and condition.column in columns:
                    cells = columns[condition.column][:count]
                    kept = self.cells.setdefault(condition.column, [])
                    kept += [cell for cell in cells if cell is not MISSING and not isinstance(cell, CellError)]

    def documents_of(self, evaluator: str) -> list[JSON]:
        """The documents of an evaluator."""
        return [self.read[place] for place in self.documents.get(evaluator, ())]

    def expected_documents(self) -> dict[str, list[JSON]]:
        """The expected documents of each evaluator."""
        return {name: [self.read[place] for place in places] for name, places in self.expected.items()}


class GroupSums(Sum):
    """The sums of a group of rows."""

    tallies: list[Tally] = field(default_factory=list)
    """By evaluator."""
    measures: list[NumericColumnSums] = field(default_factory=list)
    """By measure."""


ALL: Final = ""
"""The column and the value of the group of all rows."""


class SplitResult(Sum):
    """What rows came to. Rows are counted from the first one; those of a run have their numbers."""

    index: Count = 0
    job: str = ""
    """The key of the job that it comes from."""
    rows: Count = 0
    without_output: Count = 0
    """Rows for which a joined file has no output."""
    several: Count = 0
    """Outputs that hold more than one JSON document."""
    span: Count = 0
    """How many row numbers there are, blank lines included."""
    groups: dict[str, dict[str, GroupSums]] = field(default_factory=lambda: {ALL: {ALL: GroupSums()}})
    """The sums of all rows, and of those with each value of the columns that the suite slices by: by column and value."""
    keys: list[KeyCounts] = field(default_factory=list)
    """What was wrong with the keys that align lists, by evaluator."""
    issues: list[tuple[int, Issue]] = field(default_factory=list)
    """The first of each code, each with the offset of its row, later with its number."""
    issue_counts: dict[str, Count] = field(default_factory=dict)
    recorded: dict[str, Count] = field(default_factory=dict)
    """How many rows were recorded under each key, those included that another split had already made enough."""
    schemas: dict[str, Declared] = field(default_factory=dict)
    """What the schemas of the rows declare, by hash."""
    finished: bool = True
    ids: Ids = field(default_factory=Ids)
    """The ids of the first rows; empty where rows have none."""
    asked: AskedTotals = field(default_factory=AskedTotals)
    """How much was asked of whoever costs something."""
    judged: JudgeTotals = field(default_factory=JudgeTotals)
    """What judges said."""
    first_rows: FirstRows = field(default_factory=FirstRows)
    """What the first rows of the test set hold; empty for all splits but the first. Splits depend on the file alone, so hints do, too."""
    labels: list[LabelSums | None] = field(default_factory=list)
    """What stood where which label was expected, by evaluator; None for one without labels."""
    repeats: list[RepeatSums] = field(default_factory=list)
    """The attempts of each group, by evaluator; empty where rows are on their own."""
    samples: list[RowSample | None] = field(default_factory=list)
    """The rows from which a metric is worked out that compares rows, by evaluator; None for one without such a metric."""
    confidence: list[dict[str, ConfidenceSums]] = field(default_factory=list)
    """The confidences of each evaluator, by field; empty where none is named."""
    numbers: list[tuple[Count, Count]] = field(default_factory=list)
    """The numbers of the rows of a batch, ascending, as ranges: the first and the last of each."""
    digest: Count = 0
    """A checksum of the rows of batches, in whatever order they come."""
    trouble: Issue | None = None
    """What kept rows from being measured, where nobody asked to stop. A split then has nothing else in its result."""
    attempt: str = ""
    """The word in the name of its file."""
    merged: list[Merged] = field(default_factory=list)
    """The splits that came to it, in order."""
    taken_over: Count = 0
    """How many of them were scored before, by a run that was ended."""
    scored_again: Count = 0
    """How often a split was scored once more, because its worker was lost."""

    @classmethod
    def of_no_rows(cls, lines: Sequence[EvaluatorLine]) -> SplitResult:
        """The result of a split without rows."""
        tallies = [Tally.of(len(line.settings.scored_fields().names)) for line in lines]
        return cls(groups={ALL: {ALL: GroupSums(tallies)}}, keys=[KeyCounts() for _ in lines])

    @property
    def whole(self) -> GroupSums:
        """The sums of all rows."""
        return self.groups[ALL][ALL]

    def slices(self) -> list[tuple[SliceKey, GroupSums]]:
        """The sums of each slice, by column and then by value."""
        return [
            ((column, value), self.groups[column][value])
            for column in sorted(self.groups.keys() - {ALL})
            for value in sorted(self.groups[column])
        ]

    def limit(self) -> None:
        """Keeps the first issues of each code, and the first values of each column."""
        met: Counter[str] = Counter()
        kept = []
        for row, issue in self.issues:
            met[issue.code] += 1
            if met[issue.code] <= MOST_ISSUES:
                kept.append((row, issue))
        self.issues = kept
        for values in self.groups.values():
            limit_slices(values)

    def number(self, name: str, first: int) -> None:
        """Gives its rows their numbers, from `first` on. `name` is what places in messages call the test set."""
        for keys in self.keys:
            for count in keys.found.values():
                count.first = tuple(row + first for row in count.first)
        for labels in self.labels:
            if labels is not None:
                for pair in (pair for outputs in labels.pairs.values() for pair in outputs.values()):
                    pair.rows = _numbered(pair.rows, first)
                labels.unlisted = {text: _numbered(rows, first) for text, rows in labels.unlisted.items()}
        for sums in self.whole.measures:
            sums.unread = {mark: _numbered(rows, first) for mark, rows in sums.unread.items()}
        for sure in (sums for of_line in self.confidence for sums in of_line.values()):
            sure.unusable = _numbered(sure.unusable, first)
        self.ids.places = array("Q", [place + first for place in self.ids.places])
        for place, (offset, issue) in enumerate(self.issues):
            row = offset + first
            where = f"{name} row {row}, {issue.where}" if issue.where else f"{name} row {row}"
            self.issues[place] = row, replace(issue, where=where)

    def check(self, lines: Sequence[EvaluatorLine]) -> None:
        """Raises ValueError for a result of rows that are not whole, or of other evaluators."""
        whole = self.finished and self.trouble is None and self.rows <= self.span
        if ALL not in self.groups.get(ALL, ()):
            raise ValueError("no sums of all rows")
        widths = {len(self.keys), len(self.labels)}
        fields = [len(line.settings.scored_fields().names) for line in lines]
        tallies = [one.tallies for values in self.groups.values() for one in values.values()]
        fit = all([len(tally.statuses) for tally in each] == fields for each in tallies)
        ids = self.ids
        of_ids = len(ids.numbers) == len(ids.places) == len(ids.lengths) and sum(ids.lengths) == len(ids.texts)
        powers = all(tally.powers.keys() <= tally.sums.keys() for each in tallies for tally in each)
        read = len(self.first_rows.read)
        places = (
            place
            for each in (self.first_rows.documents, self.first_rows.expected)
            for one in each.values()
            for place in one
        )
        sampled = len(self.samples) in (0, len(lines))
        if not (whole and widths == {len(lines)} and sampled and fit and of_ids and powers):
            raise ValueError("sums of another shape")
        if not all(0 <= place < read for place in places):
            raise ValueError("documents that are not there")


def _numbered(rows: Iterable[tuple[int, str]], first: int) -> tuple[tuple[int, str], ...]:
    return tuple((row + first, text) for row, text in rows)


def sealed(value: Struct) -> bytes:
    """The value as one line, a checksum before it. Raises ValueError or RecursionError for what JSON cannot hold."""
    try:
        data = msgspec.json.encode(value, enc_hook=_packed)
    except UnicodeEncodeError:  # half of a surrogate pair
        data = json.dumps(msgspec.to_builtins(value, str_keys=True, enc_hook=_packed)).encode()
    return b"%08x%b" % (zlib.crc32(data), data)


def opened(line: bytes, kind: type[Read]) -> Read:
    """The value of a sealed line. Raises ValueError or RecursionError for what is cut off, or of another kind."""
    data = line[8:]
    if b"%08x" % zlib.crc32(data) != line[:8]:
        raise ValueError("cut off")
    try:
        return msgspec.json.decode(data, type=kind, dec_hook=_unpacked)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:  # half of a surrogate pair, unless it is no JSON at all
        return msgspec.convert(json.loads(data), kind, str_keys=True, dec_hook=_unpacked)


def _packed(numbers: Any) -> list[str]:
    """An array of numbers: their kind, and their bytes from the least one on."""
    if not isinstance(numbers, array):
        raise TypeError(f"no number, text, list or map: {type(numbers).__name__}")
    return [numbers.typecode, b64encode(_little(numbers).tobytes()).decode()]


def _unpacked(kind: type, packed: Any) -> array[int]:
    code, data = packed
    if kind is not array or code not in _ARRAYS:
        raise ValueError("no array")
    found: array[int] = array(code)
    found.frombytes(b64decode(data, validate=True))
    return _little(found)


def _little(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers
