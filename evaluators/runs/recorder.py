"""What a split records of its rows beside their verdicts, in the one pass that scores them: outcomes, and cells.

A small run records everything: what every schema says of every field, what is wrong anywhere, and all cells. Nobody knows
beforehand how many rows there are, so each split notes its first ones so, and `run.db` decides: of a longer run
only the first rows with something wrong of each field are kept. Each line says whether it is one of those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final

from msgspec import Struct

from evaluators.model.issues import CellError, RowProblem, encodable
from evaluators.model.limits import OutOfTime, limits_in_force
from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.runs.ledger import Ledger
from evaluators.runs.record_facts import Declared, Kept
from evaluators.runs.record_lines import OutcomeLine, Recorded, outcome_line, row_outcome
from evaluators.runs.split_rows import KeptOutcome, SplitRows
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.instance_paths import places_above
from evaluators.scoring.fields.outcomes import WRONG, ListOutcome
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.suite_plan import Compiled, Plan, explain_row
from evaluators.scoring.values.json_text import MAX_CHARS, compact
from evaluators.testsets.reader import Chunk

SMALL_RUN: Final = 1_000
"""Rows of a run that keeps everything unasked."""
LONGEST: Final = MAX_CHARS - 1024
"""Bytes of a line: no longer one could be read again. A row whose cells need more is set aside."""
FIRST_ROWS: Final = 20
"""The first rows of a file are explained even where nothing is wrong: they tell the rule of every field."""
LARGE, SET_ASIDE = "large", "set aside"
"""Keys for a run that has more rows than a small one, and for the rows whose cells were not written."""
_UNREADABLE: Final = "(unreadable)"


class Recording(Struct, frozen=True):
    """The settings of a run's record."""

    most: int | None = 200
    """Rows with a mismatch that are recorded for each field; None records all."""
    documents: Kept = "auto"
    """The rows whose cells are kept; `auto` keeps those of a small run."""
    columns: tuple[str, ...] = ()
    """The columns of which cells are kept."""
    small: int = SMALL_RUN
    first_rows: int = FIRST_ROWS
    matches: bool = True
    """What matches in whole documents is recorded as well; else whoever lists it scores the cells again, and it is recorded of the
    first rows alone."""

    def full_keys(self, recorded: Mapping[str, int], rows: int) -> frozenset[str]:
        """The keys of which later splits need to record nothing more, after so many rows."""
        most = self.most
        full = {key for key, count in recorded.items() if most is not None and key != SET_ASIDE and count >= most}
        return frozenset(full | {LARGE}) if rows > self.small else frozenset(full)

    def keeps_every_outcome(self, rows: int) -> bool:
        """Whether all outcomes of so many rows are kept."""
        return self.most is None or rows <= self.small

    def keeps_cells(self, rows: int) -> bool:
        """Whether cells of so many rows are kept at all."""
        return self.documents == "all" or (self.documents == "auto" and rows <= self.small)


class RowToRecord(Struct, frozen=True):
    """A row of a chunk of which an evaluator has something to record."""

    row: int
    keys: Mapping[str, bool]
    """What the row is evidence of, and whether it is among the first rows under that key."""
    explained: bool
    """It is said in words, whatever came out: the row is one of the first of the file."""


class Recorder:
    """Writes the outcomes and the cells of one split, chunk by chunk."""

    def __init__(
        self,
        recording: Recording,
        plan: Plan,
        ledgers: Sequence[Ledger],
        split_rows: SplitRows,
        first: bool,
        full: Collection[str],
    ) -> None:
        """What is recorded is added to `split_rows`. `first` says that the split begins the test set; `full` are keys that earlier splits
        have filled."""
        self._recording = recording
        self.schemas = Schemas()
        """What the schemas of this split's rows declare."""
        self._evaluators = [
            _OutcomeRecorder(place, evaluator, plan, recording, self.schemas, full)
            for place, evaluator in enumerate(plan.evaluators)
        ]
        self._ledgers = ledgers
        self._first = first
        self._may_be_small = recording.small > 0 and LARGE not in full
        self.rows = self.set_aside = 0
        self._split_rows = split_rows

    @property
    def keeps_cells(self) -> bool:
        """Whether the cells of the next row are kept."""
        documents = self._recording.documents
        return documents == "all" or (documents == "auto" and self._may_be_small)

    def rows_to_record(self, chunk: Chunk, codes: Sequence[Sequence[int]]) -> list[list[RowToRecord]]:
        """The rows of a chunk to record for each evaluator, in order, chosen by the codes of their verdicts. `take` records
        them before the next chunk comes. Once the run has more rows than a small one, evaluators are told to record first rows only."""
        if self._may_be_small and self.rows + chunk.count > self._recording.small:
            self._may_be_small = False
            for outcomes in self._evaluators:
                outcomes.record_first_rows_only()
        first = min(chunk.count, max(0, self._recording.first_rows - self.rows)) if self._first else 0
        return [
            outcomes.rows_to_record(ledger.verdicts, column, first)
            for outcomes, ledger, column in zip(self._evaluators, self._ledgers, codes, strict=True)
        ]

    def take(
        self,
        chunk: Chunk,
        columns: Mapping[str, Cells],
        wanted: Sequence[Sequence[RowToRecord]],
        slots: Sequence[Cells],
    ) -> None:
        """Records the outcomes of the rows that are `wanted` of a chunk, by evaluator, and the cells of all its rows where cells are kept.
        `columns` are its cells by column, `slots` the filled slots of the plan."""
        outcomes: list[KeptOutcome] = []
        for evaluator, rows in zip(self._evaluators, wanted, strict=True):
            outcomes += evaluator.outcomes(slots, rows, chunk.offsets)
        outcomes.sort(key=itemgetter(0))  # of one row, in the order of the evaluators
        self._split_rows.outcomes += outcomes
        self.rows += chunk.count
        if self.keeps_cells:
            self._keep_cells(chunk, columns)

    def recorded_counts(self) -> dict[str, int]:
        """How many rows were recorded under each key, which begins with the name of an evaluator, and under SET_ASIDE how many rows were
        set aside."""
        counts: dict[str, int] = {}
        for outcomes in self._evaluators:
            counts.update(outcomes.recorded_counts())
        counts[SET_ASIDE] = self.set_aside
        return counts

    def _keep_cells(self, chunk: Chunk, columns: Mapping[str, Cells]) -> None:
        """Keeps the cells of a chunk, a JSON object a row: without cells that are not there, and with the text of one that could not be
        read. A row whose line would be too long is set aside."""
        names = [name for name in self._recording.columns if name in columns]
        chosen_rows: list[tuple[int, bytes]] = []
        for row, offset in enumerate(chunk.offsets):
            cells = ((name, columns[name][row]) for name in names)
            cells_given = {
                name: cell.text if isinstance(cell, CellError) else cell for name, cell in cells if cell is not MISSING
            }
            line = compact(cells_given)
            if len(line) <= LONGEST:
                chosen_rows.append((offset, line))
        self.set_aside += chunk.count - len(chosen_rows)
        self._split_rows.cells += chosen_rows


class Schemas:
    """The declarations of schemas, by the hash that outcomes name them by."""

    def __init__(self) -> None:
        self.declared: dict[str, Declared] = {}
        self._hashes: dict[int, tuple[FieldNode, str]] = {}  # the tree is kept, as its identity is the key

    def hash_of(self, root: FieldNode) -> str:
        """The hash of what a tree declares. The declarations are added to `declared`."""
        known = self._hashes.get(id(root))
        if known is None:
            declared = Declared.of(root)
            self.declared.setdefault(declared.hash, declared)
            known = self._hashes[id(root)] = root, declared.hash
        return known[1]


class _OutcomeRecorder:
    """The outcomes of one evaluator: which rows are recorded, and as which lines."""

    def __init__(
        self, place: int, evaluator: Compiled, plan: Plan, recording: Recording, schemas: Schemas, full: Collection[str]
    ) -> None:
        """`place` is the index of the evaluator. What the schemas of rows declare is added to `schemas`; `full` are the keys, of all
        evaluators, that earlier splits have filled."""
        self._place, self._evaluator = place, evaluator
        self._plan = plan
        self._schemas = schemas
        self._most = recording.most
        self._settings: Evaluator = evaluator.line.settings
        scored = self._settings.scored_fields()
        self._fields = scored.of_rows
        self._listed = frozenset(self._fields)
        self._longest = LONGEST - len(compact(evaluator.line.name))
        begin = record_key(evaluator.line.name, "")
        self._closed = {key.removeprefix(begin) for key in full if key.startswith(begin)}
        """Keys under which enough rows were recorded."""
        self._taken: dict[str, int] = {}
        self._by_schema = scored.by_schema
        self._matches = recording.matches
        self._of_rows = evaluator.scored is None
        """It says something of the row as a whole, and has no fields."""
        self._everything = recording.most is None or (recording.small > 0 and LARGE not in full)
        self._record_keys: list[list[str]] = []
        """By code: what the row is evidence of."""
        self._telling: set[int] = set()
        """Codes of rows of which more can be said than the verdict says."""
        self._open: set[int] = set()
        """Codes of which more rows are wanted."""
        self._looked_at = 0

    def record_first_rows_only(self) -> None:
        """From now on only the first rows under each key are recorded, as the run is no longer a small one, unless its settings ask for
        all."""
        self._everything = self._most is None

    def rows_to_record(self, verdicts: Sequence[Result], codes: Sequence[int], first: int) -> list[RowToRecord]:
        """The rows of a chunk to record for this evaluator, counted under their keys. The first `first` rows are always explained."""
        self._note_new_verdicts(verdicts)
        recorded_codes = self._telling if self._everything else self._open
        chosen: Sequence[int] = range(first)
        if self._everything and (self._of_rows or (self._by_schema and self._matches)):
            chosen = range(len(codes))
        elif recorded_codes and not recorded_codes.isdisjoint(codes):
            chosen = [index for index, code in enumerate(codes) if index < first or code in recorded_codes]
        to_record = []
        for index in chosen:
            keys = {key: self._count_under(key) for key in self._record_keys[codes[index]]}
            if self._everything or index < first or any(keys.values()):
                to_record.append(RowToRecord(index, keys, index < first))
        return to_record

    def outcomes(
        self, slots: Sequence[Cells], rows: Sequence[RowToRecord], offsets: Sequence[int]
    ) -> Iterator[KeptOutcome]:
        """The outcomes to record of some rows of a chunk, as lines of JSON with the offsets of their rows; `offsets` are those
        of all rows of the chunk."""
        if rows:
            with limits_in_force(self._plan.limits) as clock:
                for request in rows:
                    clock.fresh = True
                    for field, reason_kept, outcome in self._outcomes_to_keep(self._record_row(slots, request), request):
                        line = outcome_line(outcome, self._longest)
                        yield KeptOutcome(offsets[request.row], self._place, encodable(field), reason_kept, line)

    def _record_row(self, slots: Sequence[Cells], request: RowToRecord) -> Recorded:
        """The record of one row by this evaluator: all outcomes, or those of the requested fields. Nothing is raised: where it
        cannot be explained, the reason says why."""
        evaluator, index, first = self._evaluator, request.row, request.explained
        verdict: Result = slots[evaluator.verdicts][index]
        try:
            if self._by_schema and self._everything:  # all that a schema says of the row's documents
                wrong_alone = not (self._matches or first) and verdict.status is RowStatus.SCORED
                if wrong_alone and (wrong := self._wrong_without_lists(slots, index)):
                    return Recorded(wrong)
                documents = self._plan.documents_from(evaluator, slots, index)
                if documents is not None:
                    scored, schema = documents.scored, self._schemas.hash_of(documents.root)
                    fields, arrays = scored.fields, scored.arrays
                    if wrong_alone:
                        fields, arrays = _without_matches(fields, arrays)
                    return Recorded(fields, arrays, scored.outside, schema=schema)
                if verdict.status is RowStatus.BUG and verdict.issue is not None:
                    return Recorded(reason=f"it could not be explained: {verdict.issue.message}")
            whole = first or self._of_rows or verdict.status is not RowStatus.SCORED
            if whole or any(isinstance(slots[slot][index], CellError) for slot in evaluator.inputs):  # the row, in words
                return _record_of_result(explain_row(evaluator, slots, index), whole=first or self._everything)
            wanted = [key for key, is_first in request.keys.items() if is_first]  # else its wrong fields alone
            if self._everything:
                wanted = _record_keys(verdict, self._fields)
            wrong = tuple(self._plan.wrong_outcomes_from(evaluator, slots, index, wanted, self._listed)) if wanted else ()
            if "" in wanted and not wrong:  # no value is to blame, and the row as a whole says why
                return _record_of_result(explain_row(evaluator, slots, index), whole=False)
            return Recorded(wrong)
        except (RowProblem, OutOfTime) as error:
            return Recorded(reason=f"it could not be explained: {error.issue.message}")
        except Exception as error:  # a row is guarded: what cannot be explained keeps its score
            return Recorded(reason=f"it could not be explained: {type(error).__name__}: {error}")

    def _wrong_without_lists(self, slots: Sequence[Cells], index: int) -> tuple[Outcome, ...]:
        """The wrong outcomes of the row at `index` of `slots`, or nothing where one of them may be about a list: these depend on all items
        of it."""
        wrong = tuple(self._plan.wrong_outcomes_from(self._evaluator, slots, index, _EVERYTHING, ()))
        return () if any(map(_may_be_about_list, wrong)) else wrong

    def _outcomes_to_keep(self, recorded: Recorded, request: RowToRecord) -> Iterator[tuple[str, int, OutcomeLine]]:
        """The outcomes of a recorded row that are kept, as (field, reason to keep it, outcome). The reason is `_FIRST` for one
        of the first wrong rows of its field, `_ALWAYS` for a row that is always explained, and `_LATER` for an outcome that
        only a run that is still small keeps."""
        keys = request.keys
        always = _ALWAYS if request.explained else _LATER
        later = request.explained or self._everything
        whole = row_outcome(recorded)
        if whole is not None:
            reason_kept = _FIRST if any(keys.values()) else always
            if later or reason_kept is _FIRST:
                yield next(iter(keys), ""), reason_kept, whole
        if later:
            for array in recorded.arrays:
                yield "", always, array
        for result in recorded.fields:
            path = result.field or result.path
            key = path if path in self._listed else ""
            is_first = result.status in WRONG and keys.get(key, False)
            if later or is_first:
                yield key, _FIRST if is_first else always, result

    def _note_new_verdicts(self, verdicts: Sequence[Result]) -> None:
        """Notes for each verdict that is new since the last call under which keys its rows are recorded, and whether more rows are wanted
        there."""
        for code, verdict in enumerate(verdicts[self._looked_at :], self._looked_at):
            keys = _record_keys(verdict, self._fields)
            self._record_keys.append(keys)
            if keys:
                self._telling.add(code)
                if not self._closed.issuperset(keys):
                    self._open.add(code)
        self._looked_at = len(verdicts)

    def recorded_counts(self) -> dict[str, int]:
        """How many rows were recorded under each key."""
        return {record_key(self._evaluator.line.name, key): count for key, count in self._taken.items()}

    def _count_under(self, key: str) -> bool:
        """Counts the row under a key, unless enough were; returns whether it was counted."""
        if key in self._closed:
            return False
        count = self._taken[key] = self._taken.get(key, 0) + 1
        if count == self._most:
            self._closed.add(key)
            self._open = {code for code in self._open if not self._closed.issuperset(self._record_keys[code])}
        return True


_EVERYTHING: Final = ("",)
"""All fields of a schema, whatever they are called."""
_CONTAINERS: Final = (list, dict)


def _may_be_about_list(wrong: Outcome) -> bool:
    """Whether a list may be behind a result: it is that of an item, or one of its values is a list, or an object, which may hold one."""
    return "[" in wrong.path or wrong.expected.__class__ in _CONTAINERS or wrong.actual.__class__ in _CONTAINERS


def _without_matches(
    fields: Sequence[Outcome], arrays: Sequence[ListOutcome]
) -> tuple[tuple[Outcome, ...], tuple[ListOutcome, ...]]:
    """The results that are no plain match, and the lists in which something is wrong."""
    wrong = tuple(outcome for outcome in fields if outcome.status not in _FINE or outcome.score not in (None, 1.0))
    around = {place for outcome in wrong for place in (outcome.path, *places_above(outcome.path))}
    return wrong, tuple(outcome for outcome in arrays if not outcome.passed or outcome.path in around)


_FINE: Final = frozenset((FieldStatus.MATCH, FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED))


def record_key(evaluator: str, path: str) -> str:
    """The key under which recorded rows are counted."""
    return f"{evaluator}\0{path}"


def _record_keys(verdict: Result, fields: Sequence[str]) -> list[str]:
    """The keys under which a row is recorded: `_UNREADABLE` for an unreadable output, else its wrong fields, or "" for the row as a whole;
    none where the verdict says all."""
    if verdict.status is RowStatus.UNREADABLE:
        return [_UNREADABLE]
    if fields and verdict.statuses and verdict.status not in _LEFT_OUT:
        names = [name for name, status in zip(fields, verdict.statuses, strict=True) if status in _NOTED_BYTES]
        if names or (verdict.counts is None and _is_fine(verdict)):
            return names
    if verdict.status is not RowStatus.SCORED:
        return []
    # no listed field is wrong: the row as a whole is recorded where it lacks points, or where its output has values that nobody expects
    return [] if _is_fine(verdict) and not (verdict.counts and verdict.counts[3]) else [""]


def _is_fine(verdict: Result) -> bool:
    """Whether a row has a full score, or is left out."""
    if verdict.status is not RowStatus.SCORED:
        return verdict.status in (RowStatus.SKIPPED, RowStatus.NOT_MEASURED) and verdict.issue is None
    return verdict.num == verdict.den and verdict.passed is not False


_LEFT_OUT: Final = (RowStatus.BLOCKED, RowStatus.SKIPPED, RowStatus.NOT_MEASURED)
_NOTED: Final = frozenset(
    (FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR, FieldStatus.NOT_JUDGED)
)
_NOTED_BYTES: Final = bytes(_NOTED)


def _record_of_result(result: Result, whole: bool) -> Recorded:
    """The record of a row from its explained result: all fields where `whole`, else those in which something is to be noted."""
    fields = result.fields if whole else tuple(field for field in result.fields if field.status in _NOTED)
    return Recorded(tuple(fields), reason=result.reason, details=result.details)


_LATER, _FIRST, _ALWAYS = range(3)
"""Why an outcome is kept: see `KeptOutcome`."""
