"""The graph as a straight list of steps, and a chunk of rows pushed through them.

Every value of a row has a slot: its cells, the documents read from them, whether conditions hold, and the verdict of
each evaluator. Equal needs share a slot. A step takes the columns of its input slots and gives one column. A cell error in a
cell becomes a verdict of the evaluators that need it, by blame, and reaches nothing else.

What costs is asked in rounds: all evaluators that wait for no answer of another one go through the rows of the chunk,
what they ask is asked at once, and then they settle what is pending; then come those that waited for these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, RowProblem
from evaluators.model.limits import OutOfTime, WorkLimits, limits_in_force
from evaluators.model.rows import MISSING, Outcome, Reason, Result, RowStatus
from evaluators.scoring.comparators._answer_cache import cache_in_force
from evaluators.scoring.evaluators._evaluator import (
    Check,
    Column,
    Expected,
    Need,
    Output,
    Part,
)
from evaluators.scoring.fields.outcomes import Documents
from evaluators.scoring.fields.row_checks import ChunkCheck, RowsCheck, ScoredRow, release_rows
from evaluators.scoring.needs import Condition
from evaluators.scoring.plan import cells
from evaluators.scoring.plan.asking_rounds import ask_together, rounds_of, rows_of_asker
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.chunk_scoring import Planned, issue_of_bug, score_together, verdicts_of, verdicts_one_by_one
from evaluators.scoring.plan.graph import EvaluatorLine, in_dependency_order
from evaluators.scoring.plan.need_steps import Lookup, NeedSteps, Reading, Step
from evaluators.scoring.values.json_choice import PickedDocument


class Compiled(Struct):
    """One evaluator in a plan, with the slots of its values and of its verdicts."""

    line: EvaluatorLine
    check: Check
    inputs: tuple[int, ...]
    verdicts: int
    lookups: tuple[Lookup | None, ...]
    """For each need that is an output document, where it is chosen."""
    scored: int | None = None
    """The slot of its scored rows, which say why; None where rows are explained from their values."""

    def scored_row(self, slots: Sequence[Cells], index: int) -> ScoredRow | None:
        """The scored row from which a row of a chunk is explained; None where it is explained from its values."""
        scored_row: ScoredRow | None = None if self.scored is None else slots[self.scored][index]
        return scored_row if scored_row is not None and scored_row.rows is not None else None


class Plan(Struct):
    """A suite, compiled for one mapping of roles to columns."""

    columns: tuple[str, ...]
    """The columns to read, as the test set calls them. Their cells fill the first slots, in this order."""
    steps: list[Step]
    evaluators: list[Compiled]
    searched: dict[str, int]
    """For each column in which JSON is looked for, the slot of the cells that are JSON as a whole."""
    limits: WorkLimits
    """How much a row may cost."""

    def run(
        self, columns: Mapping[str, Cells], count: int, read: MutableMapping[object, Cells] | None = None
    ) -> list[Cells]:
        """Scores a chunk of rows, and gives the filled slots. What the reasons are made from is released: `score_chunk` keeps it."""
        with self.score_chunk(columns, count, read) as slots:
            return slots

    @contextmanager
    def score_chunk(
        self, columns: Mapping[str, Cells], count: int, read: MutableMapping[object, Cells] | None = None
    ) -> Iterator[list[Cells]]:
        """Scores a chunk of rows; the value of the `with` block are the filled slots. Within the block, `explain_slots` gives the results
        of a row with their reasons, and no question is asked twice.

        A column that the chunk lacks is missing in every row. `read` has what other plans have read of these very cells, by the keys of
        steps, and gets what this one reads.
        """
        missing = [MISSING] * count
        slots: list[Cells] = [*(columns.get(name) or missing for name in self.columns), *[[]] * len(self.steps)]
        try:
            with cache_in_force():
                with limits_in_force(self.limits) as clock:
                    for step in self.steps:
                        clock.rest()
                        column = None if read is None or step.key is None else read.get(step.key)
                        if column is None:
                            inputs = [slots[slot] for slot in step.reads] or [missing]
                            column = step.run(*inputs, **step.settings)
                            if read is not None and step.key is not None:
                                read[step.key] = column
                        slots[step.fills] = column
                yield slots
        finally:
            for evaluator in self.evaluators:
                if evaluator.scored is not None:
                    release_rows(slots[evaluator.scored])

    def explain(self, row: Mapping[str, Any]) -> dict[str, Result]:
        """The result of every evaluator for one row, with reasons, by evaluator name. `row` maps columns to cells."""
        with self.score_chunk({name: [value] for name, value in row.items()}, 1) as slots:
            return self.explain_slots(slots)

    def explain_slots(self, slots: Sequence[Cells], index: int = 0) -> dict[str, Result]:
        """The result of every evaluator for one row of a chunk, with reasons, by evaluator name: see `explain_from`."""
        return {evaluator.line.name: self.explain_from(evaluator, slots, index) for evaluator in self.evaluators}

    def count_several(self, slots: Sequence[Cells]) -> int:
        """The number of output cells of a chunk that hold more than one JSON document."""
        return sum(cells.count_several(slots[slot]) for slot in self.searched.values())

    def picked_document(
        self, evaluator: Compiled, need: int, slots: list[Cells], index: int
    ) -> PickedDocument | CellError | None:
        """Which document of an output cell was scored, and where in the text it is; None where the cell is JSON as a whole, or no text.

        `need` is the index of the output among the needs of the evaluator.
        """
        lookup = evaluator.lookups[need]
        value = slots[lookup.whole][index] if lookup is not None else None
        if lookup is None or value.__class__ is not cells.SearchedCell:
            return None
        document: PickedDocument | CellError | None = value.picked_document(*lookup.kinds(slots, index))
        return document

    def explain_from(self, evaluator: Compiled, slots: Sequence[Cells], index: int) -> Result:
        """The result of one evaluator for one row, with its reasons, or with why there are none. Its score is the one in the slots.

        `slots` are those of a chunk that `score_chunk` has filled, `index` is the position of the row in the chunk.
        """
        verdict: Result = slots[evaluator.verdicts][index]
        try:
            with limits_in_force(self.limits) as clock:
                clock.fresh = True  # each row has the whole time for itself
                reason = explain_row(evaluator, slots, index)
        except (RowProblem, OutOfTime) as error:
            return _verdict_with_issue(evaluator, verdict, error.issue)
        except Exception as error:  # a row is guarded: what cannot be explained keeps its score
            return _verdict_with_issue(evaluator, verdict, issue_of_bug(error, evaluator.line))
        return replace(reason, evaluator=evaluator.line.name)

    def wrong_outcomes_from(
        self, evaluator: Compiled, slots: Sequence[Cells], index: int, wanted: Collection[str], listed: Collection[str]
    ) -> Iterable[Outcome]:
        """The wrong outcomes of one evaluator in one row of a chunk, in its `wanted` fields. "" stands for all that are not `listed`."""
        scored = evaluator.scored_row(slots, index)
        return [] if scored is None else scored.wrong_outcomes(wanted, listed)

    def documents_from(self, evaluator: Compiled, slots: Sequence[Cells], index: int) -> Documents | None:
        """The results of all fields of one row of a chunk, for an evaluator with a schema; None where nothing was compared."""
        scored = evaluator.scored_row(slots, index)
        verdict: Result = slots[evaluator.verdicts][index]
        if scored is None or scored.rows is None or verdict.status is RowStatus.BLOCKED:
            return None
        return scored.rows.documents(scored.at)

    def describe(self) -> str:
        """The steps, one a line, as a person reads them."""
        width = len(str(len(self.columns) + len(self.steps)))
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

    `reading` has the suite's settings for how cells are read, and its limits; without it the usual ones hold.
    `watched` has the fields, by evaluator, whose results every verdict keeps.
    """
    ordered, reading = in_dependency_order(lines), reading or Reading()
    columns = tuple(dict.fromkeys(column.name_by(roles) for column in needed_columns(ordered, roles)))
    needs = NeedSteps(columns, ordered, roles, reading)
    compiled: dict[str, Compiled] = {}
    for together in rounds_of(ordered):
        planned = [_plan_evaluator(needs, line, watched.get(line.name, ())) for line in together]
        asking_step = None if together[0].settings.asking() is None else _asking_step(needs, planned)
        compiled |= {
            evaluator.line.name: _compile_evaluator(needs, evaluator, asking_step, number)
            for number, evaluator in enumerate(planned)
        }
    evaluators = [compiled[line.name] for line in lines]
    return Plan(columns, needs.steps, evaluators, needs.searched, reading.limits)


def needed_columns(lines: Sequence[EvaluatorLine], present_roles: Collection[str] = ()) -> list[Column]:
    """Every column that some evaluator needs, each once, in order of first use.

    One that a test set may lack is among them where its role is among the `present_roles`.
    """
    columns: dict[Column, None] = {}
    for line in lines:
        for need in (*line.settings.needs(), *(need_of_condition(condition, line) for condition in line.when)):
            if not isinstance(need, Part):
                column = need if isinstance(need, Column) else need.column
                if isinstance(need, Expected) and need.optional and not (column.literal or column.name in present_roles):
                    continue
                columns[Column(column.name, column.literal)] = None
    return list(columns)


def _plan_evaluator(needs: NeedSteps, line: EvaluatorLine, watched: Sequence[str]) -> Planned:
    """The check of an evaluator, and the slots that it reads; the steps that fill them are added to `needs`. `watched` are fields whose
    results every verdict keeps."""
    if not line.settings.needs():
        raise TypeError(f'evaluator "{line.name}" needs nothing, so it has nothing to score')
    check = line.settings.compile()
    if watched and isinstance(check, RowsCheck):
        check = check.watch_fields(watched)
    inputs, lookups = zip(*(needs.slot_of_need(need, line) for need in line.settings.needs()), strict=True)
    unreadable, skip = line.settings.unreadable(), needs.reading.unreadable == "skip"
    return Planned(line, check, _gate_slots(needs, line), inputs, lookups, unreadable, skip)


def _gate_slots(needs: NeedSteps, line: EvaluatorLine) -> tuple[int, ...]:
    """The slots that decide whether a row is scored: verdicts of the evaluators it needs, and whether `when` holds."""
    waits = [needs.verdicts[name] for name in line.needs]
    if line.when:
        sources = tuple(needs.slot_of_need(need_of_condition(condition, line), line)[0] for condition in line.when)
        waits.append(needs.share("whether `when` holds", cells.conditions_hold, sources, conditions=line.when))
    return tuple(waits)


def _asking_step(needs: NeedSteps, together: Sequence[Planned]) -> int:
    """The slot of one step, which is added, in which these evaluators ask together."""
    names = ", ".join(planned.line.name for planned in together)
    does = f"what {names} ask" + ("s" if len(together) == 1 else "")
    return needs.add(does, ask_together, tuple(slot for planned in together for slot in planned.reads), together=together)


def _compile_evaluator(needs: NeedSteps, evaluator: Planned, asker: int | None, number: int) -> Compiled:
    """Adds the steps that score an evaluator, and gives it with its slots. `asker` is the slot of the step in which several
    evaluators ask together, and `number` its position among these; None for one that asks nothing."""
    line, does, scored = evaluator.line, f"{evaluator.line.name}: {evaluator.line.type}", None
    if not isinstance(evaluator.check, ChunkCheck):
        verdicts = needs.add(does, verdicts_one_by_one, evaluator.reads, evaluator=evaluator)
    else:
        if asker is None:
            scored = needs.add(does, score_together, evaluator.reads, evaluator=evaluator, check=evaluator.check)
        else:
            scored = needs.add(does, rows_of_asker, (asker,), number=number)
        verdicts = needs.add(f"verdicts of {line.name}", verdicts_of, (scored,))
    needs.verdicts[line.name] = verdicts
    return Compiled(line, evaluator.check, evaluator.inputs, verdicts, evaluator.lookups, scored)


def need_of_condition(condition: Condition, line: EvaluatorLine) -> Need:
    """The need that a condition is checked on: a column, or the output or expected document of its evaluator."""
    if condition.source == "row":
        return Column(condition.column, literal=True)
    if condition.source == "expected":
        return Expected(line.settings.column("expected"))
    return Output(line.settings.column("output"), want="any")


def _verdict_with_issue(evaluator: Compiled, verdict: Result, issue: Issue) -> Result:
    """The verdict, with the issue that kept it from being explained as its reason, and as its issue where it has none."""
    reason = f"it could not be explained: {issue.message}"
    return replace(verdict, issue=verdict.issue or issue, reason=reason, evaluator=evaluator.line.name)


def explain_row(evaluator: Compiled, slots: Sequence[Cells], index: int) -> Result:
    """The result of one evaluator for one row, with a reason where there is more to say than its status: from the
    scored row, else from the cell that cannot be read, else from the evaluator. Raises whatever goes wrong in
    explaining it."""
    verdict: Result = slots[evaluator.verdicts][index]
    settings, values = evaluator.line.settings, [slots[slot][index] for slot in evaluator.inputs]
    unreadable = next(
        (value for value in values if value.__class__ is CellError and value.issue.blame is Blame.OUTPUT), None
    )
    if verdict.status is RowStatus.BLOCKED:
        return replace(verdict, reason=f"blocked: {', '.join(evaluator.line.needs)} did not pass")
    # skipped: only an evaluator that combines other verdicts says why
    if verdict.status is RowStatus.SKIPPED and not any(value.__class__ is Result for value in values):
        return verdict
    # kept out: its issue says why, unless fields were judged
    if verdict.status.kept_out and not verdict.statuses:
        return verdict
    scored = evaluator.scored_row(slots, index)
    if scored is not None:
        return verdict.with_reason(scored.reason(None if unreadable is None else unreadable.issue))
    if unreadable is not None:
        return verdict.with_reason(Reason(unreadable.issue.message))
    return settings.with_reason(verdict, *values)
