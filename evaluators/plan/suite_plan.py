"""The graph as a straight list of steps, and a chunk of rows pushed through them.

Every value of a row has a slot: its cells, the documents read from them, whether conditions hold, and the verdict of
each evaluator. Equal needs share a slot. A step takes the columns of its input slots and gives one column. A fault in a
cell becomes a verdict of the evaluators that need it, by blame, and reaches nothing else.

What costs is asked in rounds: all evaluators that wait for no answer of another one go through the rows of the chunk, what they
ask is asked at once, and then they settle what is pending; then come those that waited for these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final

from evaluators.builtin._evaluator import (
    Check,
    Column,
    Expected,
    Need,
    Output,
    Part,
    Text,
    Wanted,
    wrong_fields,
)
from evaluators.comparators._cache import caching
from evaluators.conditions import Condition
from evaluators.fields.path_check import ChunkCheck, ScoredRow, release_rows
from evaluators.fields.scored import Documents
from evaluators.issues import Blame, Fault, Issue, RowProblem
from evaluators.limits import OutOfTime, WorkLimits, limited
from evaluators.model import MISSING, FieldResult, Result, Score, Standing, Verdict
from evaluators.needs import EmptyExpected
from evaluators.plan import cells
from evaluators.plan.asking_rounds import RowsAsking, ask_all, rounds_of
from evaluators.plan.cells import Cells
from evaluators.plan.chunk_scoring import ChunkScoring
from evaluators.plan.verdict_steps import ColumnStep, gated_step, issue_of_bug, verdict_step, watching_fields
from evaluators.suite.evaluator_line import EvaluatorLine, Parse
from evaluators.suite.graph import in_order
from evaluators.value_class import dataclass, field, replace
from evaluators.values.json_choice import LENIENT, Pick, PickedDocument, Search, Want

STRICT: Final = Search(lenient=False)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it does, in words, the slots it reads and the slot it fills."""

    does: str
    reads: tuple[int, ...]
    fills: int
    run: Callable[[list[Cells], int], Cells]


@dataclass(frozen=True, slots=True)
class Reading:
    """How outputs are read where an evaluator says nothing else."""

    parse: Parse = "lenient"
    unreadable: str = "fail"
    empty_expected: EmptyExpected = "invalid"
    """What an expected cell without an answer is, where the answer is compared as text or as it stands."""
    pick: Pick = "fitting"
    limits: WorkLimits = WorkLimits()
    """How much a row may cost."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Where the document of an output cell is chosen: the slot of cells that are JSON as a whole, and what is wanted."""

    whole: int
    want: Wanted
    expected: int | None
    """The slot of the expected document whose kind goes first; None where `prefer` says it."""
    prefer: Want = "any"
    search: Search = LENIENT
    like: str | None = None
    """The column of that expected document."""

    def kinds(self, slots: list[Cells], index: int) -> tuple[Want, Want]:
        """The kind that is wanted in a row, and the one that goes first."""
        prefer = self.prefer if self.expected is None else cells.kind_beside(slots[self.expected][index])
        return cells.want_of(self.want) or prefer, prefer


@dataclass(slots=True)
class Compiled:
    """One evaluator in a plan: where its values and its verdicts stand."""

    line: EvaluatorLine
    check: Check
    inputs: tuple[int, ...]
    verdicts: int
    lookups: tuple[Lookup | None, ...]
    """For each need that is an output document, where it is chosen."""
    scored: int | None = None
    """The slot of its scored rows, which say why; None where rows are explained from their values."""

    def scored_row(self, slots: Sequence[Cells], index: int) -> ScoredRow | None:
        """A row of a chunk as it was scored; None where what was found does not say why."""
        found: ScoredRow | None = None if self.scored is None else slots[self.scored][index]
        return found if found is not None and found.rows is not None else None


@dataclass
class Plan:
    """A suite, compiled for one mapping of roles to columns."""

    columns: tuple[str, ...]
    """The columns to read, as the test set calls them. Their cells fill the first slots, in this order."""
    steps: list[Step] = field(default_factory=list)
    evaluators: list[Compiled] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """What each slot holds, in words."""
    searched: dict[str, int] = field(default_factory=dict)
    """For each column in which JSON is looked for, the slot of the cells that are JSON as a whole."""
    limits: WorkLimits = WorkLimits()
    """How much a row may cost."""

    def run(self, columns: Mapping[str, Cells], count: int) -> list[Cells]:
        """The filled slots for a chunk of rows of which nobody asks why."""
        with self.scored(columns, count) as slots:
            return slots

    @contextmanager
    def scored(self, columns: Mapping[str, Cells], count: int) -> Iterator[list[Cells]]:
        """The filled slots for a chunk of rows, as long as somebody may ask why a row has its verdict. A column that the chunk
        lacks is missing in every row."""
        slots: list[Cells] = [[]] * len(self.names)
        for slot, name in enumerate(self.columns):
            slots[slot] = columns.get(name) or [MISSING] * count
        try:
            with limited(self.limits) as clock:
                for step in self.steps:
                    clock.rest()
                    slots[step.fills] = step.run([slots[slot] for slot in step.reads], count)
            yield slots
        finally:
            for one in self.evaluators:
                if one.scored is not None:
                    release_rows(slots[one.scored])

    def explain(self, row: Mapping[str, Any]) -> dict[str, Result]:
        """What every evaluator says of one row, with reasons, by evaluator name. `row` is keyed by column."""
        with caching(), self.scored({name: [value] for name, value in row.items()}, 1) as slots:
            return {one.line.name: self.explain_from(one, slots, 0) for one in self.evaluators}

    def several(self, slots: Sequence[Cells]) -> int:
        """How many output cells of a chunk hold more than one JSON document."""
        return sum(cells.several(slots[slot]) for slot in self.searched.values())

    def chosen(self, one: Compiled, need: int, slots: list[Cells], index: int) -> PickedDocument | Fault | None:
        """How the document of a need was found in its cell; None where the cell is JSON as a whole, or no text.

        `need` is its place among the needs of the evaluator.
        """
        lookup = one.lookups[need]
        value = slots[lookup.whole][index] if lookup is not None else None
        if lookup is None or value.__class__ is not cells.SearchedCell:
            return None
        found: PickedDocument | Fault | None = value.chosen(*lookup.kinds(slots, index))
        return found

    def explain_from(self, one: Compiled, slots: Sequence[Cells], index: int) -> Result:
        """What one evaluator says of one row of a chunk, with reasons."""
        verdict: Verdict = slots[one.verdicts][index]
        try:
            with limited(self.limits) as clock:
                clock.fresh = True
                score = _explained(one, slots, index)
        except (RowProblem, OutOfTime) as error:
            return _unexplained(one, verdict, error.issue)
        except Exception as error:  # a row is guarded: what cannot be explained keeps its score
            return _unexplained(one, verdict, issue_of_bug(error))
        return Result(one.line.name, verdict.standing, score, verdict.issue)

    def wrong_from(
        self, one: Compiled, slots: Sequence[Cells], index: int, wanted: Collection[str], listed: Collection[str]
    ) -> Iterable[FieldResult]:
        """What one evaluator found wrong in one row of a chunk, of the `listed` fields that are `wanted`; "" stands for all others."""
        scored = one.scored_row(slots, index)
        if scored is not None and scored.rows is not None:
            return scored.rows.wrong(scored.at, wanted, listed)
        values = [slots[slot][index] for slot in one.inputs]
        return wrong_fields(one.line.settings, slots[one.verdicts][index], wanted, *values)

    def documents_from(self, one: Compiled, slots: Sequence[Cells], index: int) -> Documents | None:
        """Every result of one row of a chunk that is scored by a schema; None where there was nothing to compare."""
        scored = one.scored_row(slots, index)
        verdict: Verdict = slots[one.verdicts][index]
        if scored is None or scored.rows is None or verdict.standing is Standing.BLOCKED:
            return None
        return scored.rows.documents(scored.at)

    def describe(self) -> str:
        """The steps, one a line, as a person reads them."""
        width = len(str(len(self.names)))
        lines = [f"{slot:>{width}}  cell {name!r}" for slot, name in enumerate(self.columns)]
        for step in self.steps:
            reads = ", ".join(str(slot) for slot in step.reads)
            lines.append(f"{step.fills:>{width}}  {step.does}" + (f"  ← {reads}" if reads else ""))
        return "\n".join(lines)


def compile_plan(
    lines: Sequence[EvaluatorLine],
    roles: Mapping[str, str],
    reading: Reading | None = None,
    watched: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Plan:
    """The plan of a suite. `roles` maps id, input, output and expected to the test set's columns.

    `watched` has the fields, by evaluator, of which every verdict says what became of them.
    """
    return _Compiler(lines, roles, reading or Reading(), watched).plan


def needed_columns(lines: Sequence[EvaluatorLine]) -> list[Column]:
    """Every column that some evaluator needs, each once, in order of first use."""
    found: dict[Column, None] = {}
    for line in lines:
        for need in (*line.settings.needs(), *(read_by(condition, line) for condition in line.when)):
            if not isinstance(need, Part):
                column = need if isinstance(need, Column) else need.column
                found[Column(column.name, column.literal)] = None
    return list(found)


@dataclass(frozen=True, slots=True)
class _Planned:
    """An evaluator on its way into a plan: the slots of what it waits for, and of its values."""

    line: EvaluatorLine
    check: Check
    gates: tuple[int, ...]
    inputs: tuple[int, ...]
    skip_unreadable: bool

    @property
    def reads(self) -> tuple[int, ...]:
        return (*self.gates, *self.inputs)

    def asker(self, columns: list[Cells], count: int) -> ChunkScoring | RowsAsking:
        """What asks for the rows of a chunk."""
        line, check, gates = self.line, self.check, len(self.gates)
        if isinstance(check, ChunkCheck):
            return ChunkScoring(line, check, self.skip_unreadable, gates, columns, count)
        return RowsAsking(line, gates, columns, count)

    def step(self) -> ColumnStep:
        """The verdicts of rows; of a check that scores many at once, the scored rows."""
        line, check, gates = self.line, self.check, len(self.gates)
        if isinstance(check, ChunkCheck):
            return lambda columns, count: ChunkScoring(line, check, self.skip_unreadable, gates, columns, count).settled()
        judge = verdict_step(line, check, self.skip_unreadable)
        return gated_step(line, judge, gates, check) if gates else lambda columns, _: judge(columns)


class _Compiler:
    """Fills a plan: one slot per distinct need, in the order of first use."""

    def __init__(
        self,
        lines: Sequence[EvaluatorLine],
        roles: Mapping[str, str],
        reading: Reading,
        watched: Mapping[str, Sequence[str]],
    ) -> None:
        self.roles = roles
        self.watched = watched
        self.reading = reading
        self.slots: dict[object, int] = {}
        ordered = in_order(lines)
        names = dict.fromkeys(column.spelled(self.roles) for column in needed_columns(ordered))
        self.plan = Plan(tuple(names), limits=reading.limits)
        for name in self.plan.columns:
            self._slot(("cell", name), f"cell {name}")
        self.expected_of_output = self._pairs(ordered)
        self.in_parts = self._in_parts(ordered)
        self.prefer = self._kinds(ordered)
        self.keys = keys_of(ordered)
        compiled = {
            line.name: one for group in rounds_of(ordered) for line, one in zip(group, self._round(group), strict=True)
        }
        self.plan.evaluators = [compiled[line.name] for line in lines]

    def _round(self, lines: Sequence[EvaluatorLine]) -> list[Compiled]:
        """Evaluators that ask together, or one that asks nothing."""
        parts = [self._part(line) for line in lines]
        if lines[0].settings.asking() is None:
            return [self._evaluator(one) for one in parts]
        reads = tuple(slot for one in parts for slot in one.reads)

        def run(columns: list[Cells], count: int) -> Cells:
            at = dict(zip(reads, columns, strict=True))
            askers = [one.asker([at[slot] for slot in one.reads], count) for one in parts]
            ask_all(askers)
            return askers

        names = ", ".join(line.name for line in lines)
        asked = self._step(("asked", names), f"what {names} ask" + ("s" if len(lines) == 1 else ""), reads, run)
        return [self._evaluator(one, asked, place) for place, one in enumerate(parts)]

    def _part(self, line: EvaluatorLine) -> _Planned:
        gates = self._gates(line)
        inputs = tuple(self._need(need, line) for need in line.settings.needs())
        check = watching_fields(line.settings.compile(), self.watched.get(line.name, ()))
        return _Planned(line, check, gates, inputs, self.reading.unreadable == "skip")

    def _pairs(self, lines: Sequence[EvaluatorLine]) -> dict[str, str]:
        """For each output column, the expected column that its documents are compared with first."""
        pairs: dict[str, str] = {}
        for line in lines:
            for need in line.settings.needs():
                if isinstance(need, Output) and need.beside is not None:
                    pairs.setdefault(need.column.spelled(self.roles), need.beside.column.spelled(self.roles))
        return pairs

    def _in_parts(self, lines: Sequence[EvaluatorLine]) -> frozenset[str]:
        """The output columns of which some evaluator wants equal parts to be the same objects."""
        needs = [need for line in lines for need in line.settings.needs() if isinstance(need, Output) and need.parts]
        return frozenset(need.column.spelled(self.roles) for need in needs)

    def _kinds(self, lines: Sequence[EvaluatorLine]) -> dict[str, Want]:
        """For each output column of which only objects, or only lists, are wanted anywhere: that kind."""
        wanted: dict[str, set[Want]] = {}
        for need in (need for line in lines for need in line.settings.needs()):
            if isinstance(need, Output) and need.want in ("object", "array"):
                wanted.setdefault(need.column.spelled(self.roles), set()).add(need.want)
        return {name: kinds.pop() for name, kinds in wanted.items() if len(kinds) == 1}

    def _slot(self, key: object, name: str) -> int:
        self.slots[key] = len(self.plan.names)
        self.plan.names.append(name)
        return self.slots[key]

    def _step(self, key: object, does: str, reads: tuple[int, ...], run: Callable[[list[Cells], int], Cells]) -> int:
        slot = self._slot(key, does)
        self.plan.steps.append(Step(does, reads, slot, run))
        return slot

    def _cell(self, column: Column) -> int:
        return self.slots[("cell", column.spelled(self.roles))]

    def _need(self, need: Need, line: EvaluatorLine) -> int:
        if isinstance(need, Part):
            return self.slots[("verdict", need.evaluator)]
        if isinstance(need, Column):
            return self._answer(need) if need.role == "expected" else self._given(need)
        if isinstance(need, Text):
            return self._text(need)
        if isinstance(need, Expected):
            return self._expected(need.column.spelled(self.roles))
        return self._output(need, self._search(need, line))[0]

    def _search(self, need: Output, line: EvaluatorLine) -> Search:
        if not need.lenient or (line.parse or self.reading.parse) == "strict":
            return STRICT
        return Search(pick=line.pick or self.reading.pick, keys=self.keys)

    def _text(self, need: Text) -> int:
        column, name = need.column, need.column.spelled(self.roles)
        key = ("text", name, column.absent, column.role == "expected")
        if key in self.slots:
            return self.slots[key]
        does = f"text of {name}"
        cell = self._answer(column) if column.role == "expected" else self._cell(column)
        return self._step(key, does, (cell,), lambda read, _: cells.texts(read[0], column))

    def _given(self, column: Column) -> int:
        """The cells as they stand. In a column that an evaluator alone calls its output, what is too long is the model's."""
        name = column.spelled(self.roles)
        if column.role != "output" or name == self.roles.get("output", "output"):
            return self._cell(column)
        key = ("given", name)
        if key in self.slots:
            return self.slots[key]
        return self._step(key, f"output in {name}", (self._cell(column),), lambda read, _: cells.given_outputs(read[0]))

    def _answer(self, column: Column) -> int:
        name, empty = column.spelled(self.roles), self.reading.empty_expected
        key = ("answer", name)
        if key in self.slots:
            return self.slots[key]
        return self._step(key, f"answer in {name}", (self._cell(column),), lambda read, _: cells.answers(read[0], empty))

    def _expected(self, name: str) -> int:
        key = ("expected", name)
        if key in self.slots:
            return self.slots[key]
        does = f"expected document in {name}"
        return self._step(key, does, (self.slots[("cell", name)],), lambda read, _: cells.expected_documents(read[0]))

    def _output(self, need: Output, search: Search) -> tuple[int, Lookup]:
        """The slot of the documents, and where each was chosen."""
        name = need.column.spelled(self.roles)
        whole = self._whole(name, search)
        pair = self.expected_of_output.get(name)
        beside = need.beside.column.spelled(self.roles) if need.beside else None
        if need.want == "like_expected" and beside is not None:
            return self._like(name, beside, whole, search), Lookup(
                whole, need.want, self._expected(beside), search=search, like=beside
            )
        want = cells.want_of(need.want) or "any"
        prefer = self.prefer.get(name, "any")
        slot = self._of_kind(name, want, whole, search, prefer, pair)
        lookup = Lookup(whole, want, None if pair is None else self._expected(pair), prefer, search, pair)
        return slot if beside in (None, pair) else self._beside(slot, name, str(beside)), lookup

    def _like(self, name: str, beside: str, whole: int, search: Search) -> int:
        key = ("output like", name, beside, search)
        if key in self.slots:
            return self.slots[key]
        parts = name in self.in_parts
        return self._step(
            key,
            f"output document in {name}, of the kind in {beside}{_how(search)}; the same object where they are equal",
            (whole, self._expected(beside)),
            lambda read, _: cells.outputs_like(read[0], read[1], parts),
        )

    def _of_kind(self, name: str, want: Want, whole: int, search: Search, prefer: Want, pair: str | None) -> int:
        key = ("output", name, want, search)
        if key in self.slots:
            return self.slots[key]
        does = f"output document in {name} ({want}{_how(search)})"
        if pair is None:
            return self._step(key, does, (whole,), lambda read, _: cells.outputs_of_kind(read[0], want, prefer))
        parts = name in self.in_parts
        return self._step(
            key,
            f"{does}; the same object where it equals {pair}",
            (whole, self._expected(pair)),
            lambda read, _: cells.outputs_of_kind_beside(read[0], read[1], want, parts),
        )

    def _beside(self, found: int, name: str, beside: str) -> int:
        key = ("beside", found, beside)
        if key in self.slots:
            return self.slots[key]
        does = f"the same object where {name} equals {beside}"
        return self._step(
            key, does, (found, self._expected(beside)), lambda read, _: cells.outputs_beside(read[0], read[1])
        )

    def _whole(self, name: str, search: Search) -> int:
        key = ("whole", name, search)
        if key in self.slots:
            return self.slots[key]
        cell, beside = self.slots[("cell", name)], self.expected_of_output.get(name)
        does = f"JSON in {name}, read whole"
        if beside is None:
            slot = self._step(key, does, (cell,), lambda read, _: cells.whole_outputs(read[0], search))
        else:
            parts = name in self.in_parts
            slot = self._step(
                key,
                f"{does}; parsed once where it is the text of {beside}",
                (cell, self.slots[("cell", beside)], self._expected(beside)),
                lambda read, _: cells.whole_outputs_beside(read[0], read[1], read[2], search, parts),
            )
        if search.lenient:
            self.plan.searched.setdefault(name, slot)
        return slot

    def _evaluator(self, part: _Planned, asked: int | None = None, place: int = 0) -> Compiled:
        """The steps that score an evaluator. What asked for it is in that `place` of what stands in the slot `asked`."""
        line, check, reads = part.line, part.check, part.reads
        does, key, run = f"{line.name}: {line.type}", ("verdict", line.name), part.step()
        if not isinstance(check, ChunkCheck):
            return Compiled(line, check, part.inputs, self._step(key, does, reads, run), self._lookups(line))
        if asked is not None:
            reads, run = (asked,), lambda read, _: read[0][place].settled()
        scored = self._step(("scored", line.name), does, reads, run)
        slot = self._step(key, f"verdicts of {line.name}", (scored,), lambda read, _: [one.verdict for one in read[0]])
        return Compiled(line, check, part.inputs, slot, self._lookups(line), scored)

    def _lookups(self, line: EvaluatorLine) -> tuple[Lookup | None, ...]:
        return tuple(
            self._output(need, self._search(need, line))[1] if isinstance(need, Output) else None
            for need in line.settings.needs()
        )

    def _gates(self, line: EvaluatorLine) -> tuple[int, ...]:
        """The slots that decide whether a row is judged: verdicts of needs, and whether `when` holds."""
        waits = [self.slots[("verdict", name)] for name in line.needs]
        if line.when:
            sources = tuple(self._need(read_by(condition, line), line) for condition in line.when)
            key = ("when", tuple(condition.key for condition in line.when), sources)
            held = self.slots.get(key)
            if held is None:
                conditions = line.when
                held = self._step(
                    key, "whether `when` holds", sources, lambda read, n: cells.condition_holds(conditions, read, n)
                )
            waits.append(held)
        return tuple(waits)


def keys_of(lines: Sequence[EvaluatorLine]) -> frozenset[str]:
    """The keys at the top of documents that the suite names anywhere."""
    return frozenset().union(*(line.settings.scored_fields().top_keys for line in lines))


def _how(search: Search) -> str:
    return "" if search.pick == "fitting" else f", pick: {search.pick}"


def read_by(condition: Condition, line: EvaluatorLine) -> Need:
    """What a condition looks at: a column, or the documents that the evaluator itself is about."""
    if condition.source == "row":
        return Column(condition.column, literal=True)
    if condition.source == "expected":
        return Expected(line.settings.column("expected"))
    return Output(line.settings.column("output"), want="any")


def _unexplained(one: Compiled, verdict: Verdict, issue: Issue) -> Result:
    """The score without its explanation, and why there is none."""
    reason = f"it could not be explained: {issue.message}"
    score = Score(verdict.value, verdict.passed, reason=reason, standing=verdict.standing)
    return Result(one.line.name, verdict.standing, score, verdict.issue or issue)


def _explained(one: Compiled, slots: Sequence[Cells], index: int) -> Score | None:
    """The explained score that goes with a verdict; None where there is none."""
    settings, verdict, values = one.line.settings, slots[one.verdicts][index], [slots[slot][index] for slot in one.inputs]
    unreadable = next((value for value in values if value.__class__ is Fault and value.issue.blame is Blame.OUTPUT), None)
    if verdict.standing is Standing.BLOCKED:
        needs = ", ".join(one.line.needs)
        return Score(0.0, False, reason=f"blocked: {needs} did not pass", standing=Standing.BLOCKED)
    if verdict.standing is Standing.SKIPPED and not any(value.__class__ is Verdict for value in values):
        return None
    if verdict.standing in (Standing.INVALID, Standing.UNJUDGED, Standing.BUG) and not verdict.statuses:
        return None
    scored = one.scored_row(slots, index)
    if scored is not None and scored.rows is not None:
        score = scored.rows.explain(scored.at, None if unreadable is None else unreadable.issue)
    elif unreadable is not None:
        score = settings.unreadable().explain(unreadable.issue, *values)
    else:
        score = settings.explained(verdict, *values)
    return replace(score, passed=verdict.passed) if score.standing is verdict.standing else None
