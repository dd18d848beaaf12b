"""What evaluators say of rows that have a trace: worked out once for each trace, and shared by all rows that have it.

Rows with equal traces are the same row to every evaluator that has looks (`fields.trace.looks`). So the first row of a trace
is scored in full; what each evaluator said of it, and what it counted by path, stands for all of them. What is remembered
lives as long as the process and is bounded; rows beyond the bound, and rows without a trace, are scored in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import msgspec

from evaluators.builtin._evaluator import Column, Expected, Output, Part
from evaluators.fields.path_check import PathCheck, PathNote
from evaluators.fields.trace.record_type import Unalike
from evaluators.fields.trace.tracer import NOT_ALIKE, Tracer
from evaluators.issues import Fault
from evaluators.model import Verdict
from evaluators.needs import expected_of
from evaluators.plan.cells import Cells, SearchedCell
from evaluators.plan.suite_plan import Plan, Reading, Step, compile_plan
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.value_class import NamedTuple, dataclass
from evaluators.values.json_choice import LENIENT
from evaluators.values.json_documents import FoundDocuments

LEARNED_ROWS: Final = 200
"""Expected documents that the record type is learned from."""
MOST_TRACES: Final = 50_000
MOST_NUMBERS: Final = 2_000_000
"""Numbers in all the traces that are remembered."""
TRIED_ROWS: Final = 4_000
"""Rows after which it is looked at whether most of them had a trace that was known."""

_decode = msgspec.json.Decoder().decode
_SAME, _READ, _UNREADABLE = range(3)
"""What a row is beside its trace: its output is the very text of the expected cell, another one, or none that can be read."""


@dataclass(slots=True, eq=False)
class TracedRow:
    """What the evaluators of a view say of every row that has one trace."""

    verdicts: tuple[Verdict, ...]
    """In the order of the view's evaluators."""
    notes: tuple[PathNote | None, ...]
    """What those counted that count by path."""


class View(NamedTuple):
    """The evaluators of a plan that look at the same two cells, and at nothing but what a trace says of them."""

    lines: tuple[EvaluatorLine, ...]
    output: str
    """The column of outputs."""
    expected: str


def view_of(lines: Sequence[EvaluatorLine], roles: Mapping[str, str], reading: Reading) -> View | None:
    """The evaluators that can share a trace; None where there are fewer than one that compares documents."""
    pairs = [pair for line in lines if (pair := _pair(line, roles)) is not None]
    if not pairs:
        return None
    output, expected = max(pairs, key=pairs.count)
    names: set[str] = set()
    found: list[EvaluatorLine] = []
    waiting = list(lines)
    while ready := [line for line in waiting if _fits(line, (output, expected), names, roles, reading)]:
        found += ready
        names.update(line.name for line in ready)
        waiting = [line for line in waiting if line.name not in names]
    if not any(_pair(line, roles) for line in found):
        return None
    return View(tuple(line for line in lines if line.name in names), output, expected)


def _pair(line: EvaluatorLine, roles: Mapping[str, str]) -> tuple[str, str] | None:
    """The columns of the two documents that an evaluator compares; None for one that compares none, or has no looks."""
    if line.settings.looks() is None:
        return None
    for need in line.settings.needs():
        if isinstance(need, Output) and need.beside is not None:
            return need.column.spelled(roles), need.beside.column.spelled(roles)
    return None


def _fits(
    line: EvaluatorLine, pair: tuple[str, str], names: set[str], roles: Mapping[str, str], reading: Reading
) -> bool:
    """Whether an evaluator looks at nothing but these two cells, and at evaluators that do so, too."""
    if (
        line.settings.looks() is None
        or line.when
        or line.settings.asking() is not None
        or not names.issuperset(line.needs)
    ):
        return False
    if (line.parse or reading.parse) == "strict" or (line.pick or reading.pick) != "fitting":
        return False
    for need in line.settings.needs():
        if isinstance(need, Part):
            if need.evaluator not in names:
                return False
        elif isinstance(need, Column):
            if need.spelled(roles) not in pair:
                return False
        elif not isinstance(need, Expected | Output) or need.column.spelled(roles) != pair[isinstance(need, Expected)]:
            return False
    return True


@contextmanager
def shared_rows(
    lines: Sequence[EvaluatorLine], roles: Mapping[str, str], reading: Reading, watched: Mapping[str, Sequence[str]]
) -> Iterator[TracedRows | None]:
    """What is shared by the rows of all splits of a run that this process scores; None where no evaluator has looks.

    It belongs to the caller until the context is left: a run in another thread has its own. What is left by an exception
    is dropped, for it may hold half a row.
    """
    run = (lines, dict(roles), reading, dict(watched))
    try:
        last, rows = _LAST.pop()
    except IndexError:
        last = None
    if last is None or last[0] is not lines or last[1:] != run[1:]:
        view = view_of(lines, roles, reading)
        rows = TracedRows(view, roles, reading, watched) if view is not None else None
    yield rows
    _LAST[:] = [(run, rows)]


_LAST: Final[list[Any]] = []
"""The run that this process last scored a split of: its lines, how it reads, and its rows. Empty while a split is scored."""


class TracedRows:
    """Finds what the evaluators of a view say of rows, by trace. Made once in a process for all splits of a run."""

    def __init__(
        self, view: View, roles: Mapping[str, str], reading: Reading, watched: Mapping[str, Sequence[str]]
    ) -> None:
        self.view = view
        self._plan: Plan = compile_plan(view.lines, roles, reading, watched)
        self._counting = {
            one.verdicts: place for place, one in enumerate(self._plan.evaluators) if isinstance(one.check, PathCheck)
        }
        self._tracer: Tracer | None = None
        self._documents: list[Any] = []
        self._seen = 0
        self._known: tuple[dict[tuple[int, ...], int], ...] = ({}, {}, {})
        self.rows: list[TracedRow] = []
        """What is said of each trace that is remembered."""
        self._numbers = 0
        self._asked = self._hits = 0
        self.given_up = False
        """Traces do not pay for these rows."""

    @property
    def ready(self) -> bool:
        """A type was learned, and rows can have traces."""
        return self._tracer is not None

    def learn(self, columns: Mapping[str, Cells]) -> None:
        """Takes the first rows, until there are enough."""
        cells = columns.get(self.view.expected)
        if self.given_up or self._tracer is not None or cells is None:
            return
        self._documents += [document for document in map(expected_of, cells) if document.__class__ is dict]
        self._seen += len(cells)
        if self._seen < LEARNED_ROWS:
            return
        looks = [found for line in self.view.lines if (found := line.settings.looks()) is not None]
        try:
            self._tracer = Tracer(self._documents, looks)
        except NOT_ALIKE:
            self.given_up = True
        self._documents = []

    def find(self, columns: Mapping[str, Cells], count: int) -> list[int]:
        """For each row of a chunk the place of its trace in `rows`; -1 for a row without one."""
        outputs, expected = columns.get(self.view.output), columns.get(self.view.expected)
        if self._tracer is None or outputs is None or expected is None:
            return [-1] * count
        found: list[int] = []
        new: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        self._look_up(self._tracer, outputs, expected, found, new)
        self._asked += count
        self._hits += count - found.count(-1)
        if new and len(self.rows) < MOST_TRACES and self._numbers < MOST_NUMBERS:
            self._meet(new, columns, found)
        if self._asked > TRIED_ROWS:
            if 2 * self._hits < self._asked:
                self._tracer, self.given_up = None, True
            self._asked = self._hits = 0
        return found

    def _look_up(
        self,
        tracer: Tracer,
        outputs: Cells,
        expected: Cells,
        found: list[int],
        new: dict[tuple[int, tuple[int, ...]], list[int]],
    ) -> None:
        """Fills `found` where a trace is known, and `new` with the rows of those that are not."""
        read, shape, walk, top, trace = tracer.read, tracer.shape, tracer.walk, tracer.top, tracer.trace
        clear, known, add = trace.clear, [rows.get for rows in self._known], found.append
        for index, (output, wanted) in enumerate(zip(outputs, expected, strict=True)):
            row: int | None = None
            try:
                if output.__class__ is not str or wanted.__class__ is not str:
                    raise Unalike
                record = read(wanted)
                if output == wanted:
                    kind = _SAME
                    shape(record, top)
                else:
                    document = _document(output)
                    if document is not None:
                        kind = _READ
                        walk(record, document, top)
                    else:
                        kind = _UNREADABLE
                        shape(record, top)
                key = (*trace,)
                row = known[kind](key)
                if row is None:
                    new.setdefault((kind, key), []).append(index)
            except NOT_ALIKE:
                pass
            clear()
            add(-1 if row is None else row)

    def _meet(
        self,
        new: Mapping[tuple[int, tuple[int, ...]], Sequence[int]],
        columns: Mapping[str, Cells],
        found: list[int],
    ) -> None:
        """Scores the first row of each new trace. One with an issue is not remembered: what it says is of its own row."""
        firsts = [rows[0] for rows in new.values()]
        slots, notes = self._scored(
            {name: [cells[row] for row in firsts] for name, cells in columns.items()}, len(firsts)
        )
        verdicts = zip(*(slots[one.verdicts] for one in self._plan.evaluators), strict=True)
        for ((kind, key), rows), said, counted in zip(new.items(), verdicts, zip(*notes, strict=True), strict=True):
            if any(verdict.issue is not None for verdict in said):
                continue
            if any(note is not None and note.overflowed for note in counted):
                self._tracer, self.given_up = None, True
                return
            row = self._known[kind][key] = len(self.rows)
            self.rows.append(TracedRow(said, counted))
            self._numbers += len(key)
            for index in rows:
                found[index] = row

    def _scored(self, columns: Mapping[str, Cells], count: int) -> tuple[list[Cells], list[list[PathNote | None]]]:
        """The filled slots of some rows, and for each evaluator what it counted by path in each row."""
        notes: list[list[PathNote | None]] = [[None] * count for _ in self._plan.evaluators]

        def run(step: Step, read: list[Cells], count: int) -> Cells:
            place = self._counting.get(step.fills)
            if place is None:
                return step.run(read, count)
            check = self._counted_check(place)
            found: Cells = []
            for row in range(count):
                found += step.run([[cells[row]] for cells in read], 1)
                notes[place][row] = check.drained()
            return found

        return self._plan.run(columns, count, run=run), notes

    def summed(self, place: int, numbers: Mapping[int, int]) -> Mapping[str, Sequence[int]]:
        """Counts by path of one evaluator of the view, from how often each number of its notes was met."""
        return self._counted_check(place).summed(numbers) if numbers else {}

    def _counted_check(self, place: int) -> PathCheck:
        check = self._plan.evaluators[place].check
        assert isinstance(check, PathCheck)
        return check


def _document(text: str) -> dict[str, Any] | None:
    """The one object that an output holds; None where it holds nothing that can be read.

    Raises one of NOT_ALIKE where it holds something else, or several documents: who wants what is then looked at.
    """
    found: Any = None
    if text[:1] == "{":
        with suppress(msgspec.DecodeError):
            found = _decode(text)
    if found is None:
        documents = SearchedCell(text, LENIENT).documents()
        if documents.__class__ is Fault and text and not text.isspace():
            return None
        if documents.__class__ is FoundDocuments and not documents.found and "[" not in text:
            return None  # in a list that cannot be read there may be objects that can
        if documents.__class__ is FoundDocuments and len(documents.found) == 1:
            found = documents.found[0].value
    if found.__class__ is not dict:
        raise Unalike
    return found
