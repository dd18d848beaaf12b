"""Rows that were scored by their listed fields, field by field: what became of each, and its results with their reasons.

Each field has a column of statuses, matches at first, which what is no plain match overwrites. What is wrong with an expected value, or
with a comparator, costs its own field its status, and the row its score. What is asked of whoever costs is asked row by
row, one list of questions for each comparator; the fields are pending until they are settled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from evaluators.comparators._comparator import in_field
from evaluators.fields.closed import ClosedTree, FieldPairs, ListedField, Sides, combined
from evaluators.fields.closed_explain import ExplainedField, Settled, asked_together, settle_row, settled
from evaluators.fields.frame import Frame, of_rows
from evaluators.fields.long_lists import free_lists_of_lines, long_lists
from evaluators.fields.pair import CROWDED
from evaluators.fields.path_check import ScoredRows
from evaluators.fields.rules import Judged, Partial, explained_answer, explained_problem
from evaluators.fields.settle import WRONG
from evaluators.issues import Issue, RowProblem
from evaluators.judges.asking import waiting
from evaluators.model import MISSING, Comparison, FieldResult, Score, Standing, Status
from evaluators.value_class import NamedTuple, replace

SKIPPED, NOT_MEASURED = Status.SKIPPED, Status.NOT_MEASURED
_WRONG: Final = bytes(sorted(WRONG))


class ScoredField(NamedTuple):
    """What is known of one field in the rows of a chunk."""

    pairs: list[FieldPairs]
    """Its pairs of values; each row has some in one of them at most."""
    unreadable: dict[int, Issue]
    """By row, what is wrong with an expected value."""
    left_out: Collection[int]
    """The rows in which its `when` does not hold."""


class ListedRows(ScoredRows):
    """Rows that listed fields scored. An output that is not there is MISSING."""

    def __init__(
        self,
        tree: ClosedTree,
        expected: Sequence[Any],
        outputs: Sequence[Any],
        cells: Sequence[Mapping[str, Any]],
    ) -> None:
        """`cells` are those that conditions name, by row."""
        self.tree, self._sides = tree, (expected, outputs)
        self.statuses = [bytearray((Status.MATCH,)) * len(expected) for _ in tree.fields]
        """A column for each field."""
        self.odd: dict[int, dict[int, Partial]] = {}
        """By row and field, partial credit."""
        self._problems: dict[int, dict[int, RowProblem]] = {}
        """By row and field, what kept it from being measured."""
        self._fields: dict[int, ScoredField] = {}
        self._open: dict[int, dict[ListedField, None]] = {}
        """By row, the fields that are to be asked about."""
        self._asked: list[tuple[list[tuple[ExplainedField, int]], Callable[[], Sequence[Comparison | RowProblem]]]] = []
        """Where answers belong, and what gives them."""
        self._answered: dict[tuple[int, int], ExplainedField] = {}
        """By field and row, those that whoever costs was asked about."""
        self._frames = of_rows(expected, outputs)
        try:
            self._score(cells)
            self._ask()
        except BaseException:
            self.release()
            raise

    def __len__(self) -> int:
        return len(self._sides[0])

    @property
    def pairs_by_asking(self) -> bool:
        return self.tree.pairs_by_asking

    def _score(self, cells: Sequence[Mapping[str, Any]]) -> None:
        tree, sides = self.tree, [Sides(self.tree, frame) for frame in self._frames]
        for each in sides:
            if len(each.frame.rows) > 1:
                each.frame.children(tree.keys)
            # whoever is asked is asked in the same order in every row
            for node in tree.lists if tree.pairs_by_asking else ():
                each.leaf(node, node.numbers[0])
        for field in tree.fields:
            column = self.statuses[field.number]
            if field.line.skip:
                column[:] = bytes((SKIPPED,)) * len(column)
                continue
            if field.several:
                column[:] = bytes((field.absent,)) * len(column)
            left_out = set[int]()
            if field.line.when:
                asked = map(field.asked_of, *self._sides, cells)
                left_out = {row for row, wanted in enumerate(asked) if not wanted}
            unreadable = {row: issue for each in sides for row, issue in field.unreadable(each).items()}
            pairs = [one for each in sides for one in field.values(each)]
            self._fields[field.number] = ScoredField(pairs, unreadable, left_out)
            self._fill(field, column)
            for row in left_out:
                column[row] = SKIPPED

    def _ask(self) -> None:
        """Asks row by row. Where nothing has to be waited for, the fields are settled."""
        for row in sorted(self._open):
            looked = [self._looked(field, row) for field in self._open[row]]
            self._answered |= {(one.field.number, row): one for one in looked}
            self._asked += asked_together(looked, row)
        if not waiting():
            self.settle()

    def settle(self) -> None:
        asked, self._asked = self._asked, []
        for places, given in asked:
            for (one, number), answer in zip(places, given(), strict=True):
                one.answers[number] = one.field.named(explained_answer(answer))
        opened, self._open = self._open, {}
        for row in opened:
            for field in opened[row]:
                judged, problem = self._answered[field.number, row].judged()
                if problem is not None:
                    self._problems.setdefault(row, {})[field.number] = problem
                self.statuses[field.number][row] = self._status(field, row, judged)

    def _fill(self, field: ListedField, column: bytearray) -> None:
        """Writes what became of a field into its column, but for the rows that it is left out of."""
        pairs, unreadable, left_out = self._fields[field.number]
        for row, issue in unreadable.items():
            if row not in left_out:
                column[row] = self._status(field, row, RowProblem(issue))
        apart = {*left_out, *unreadable}
        for frame, several in pairs:
            if apart:
                frame = frame.part([at for at, row in enumerate(frame.rows) if row not in apart])
            if several:
                self._several(field, column, frame.there())
                continue
            for at, found in field.judged(frame):
                if found.__class__ is not Status:
                    found = self._status(field, frame.rows[at], found)
                column[frame.rows[at]] = field.absent if found is NOT_MEASURED else found

    def _several(self, field: ListedField, column: bytearray, frame: Frame) -> None:
        """The same of several values a row, each of which is there on one side at least."""
        for row in dict.fromkeys(frame.rows):
            column[row] = Status.MATCH
        found: dict[int, list[Status]] = {}
        for at, judged in field.judged(frame):
            status = judged.status if isinstance(judged, Partial) else self._status(field, frame.rows[at], judged)
            found.setdefault(frame.rows[at], []).append(status)
        for row, statuses in found.items():
            matches = len(statuses) < len(frame.positions(row)) if NOT_MEASURED in statuses else False
            status = combined([*statuses, Status.MATCH] if matches else statuses)
            column[row] = field.absent if status is NOT_MEASURED else status

    def _status(self, field: ListedField, row: int, found: Judged | RowProblem | None) -> Status:
        """The bare status of a field; what there is beside it is kept. None leaves it open, whatever is said here."""
        if isinstance(found, Status):
            return found
        if found is None:
            self._open.setdefault(row, {})[field] = None
            return Status.FAULT
        if isinstance(found, Partial):
            self.odd.setdefault(row, {})[field.number] = found
            return found.status
        self._problems.setdefault(row, {}).setdefault(field.number, in_field(found, field.line.name))
        return Status.FAULT

    def problem(self, row: int) -> RowProblem | None:
        """What kept the first of the fields of a row from being measured that has such a problem."""
        found = self._problems.get(row)
        return None if found is None else found[min(found)]

    def _looked(self, field: ListedField, row: int) -> ExplainedField:
        """A field in one row: its pairs, and what there is to say of each."""
        if field.line.skip:
            return ExplainedField(field, left_out="skipped")
        pairs, unreadable, left_out = self._fields[field.number]
        if row in left_out:
            return ExplainedField(field, left_out="its `when` does not hold for this row")
        found = ExplainedField(field, several=pairs[0].several)
        for frame, several in pairs:
            there = [at for at in frame.positions(row) if frame.e[at] is not MISSING or frame.o[at] is not MISSING]
            if there:
                found = ExplainedField(field, frame, there, several)
                break
        if row in unreadable:
            found.answers, found.unreadable = [field.named(explained_problem(RowProblem(unreadable[row])))], True
        else:
            found.answers = [field.explained(found.frame, at, found.several) for at in found.at]
        return found

    def settled(self, row: int) -> list[Settled]:
        """What became of every field of a row, with values and reasons."""
        return [self._settled(field, row) for field in self.tree.fields]

    def _settled(self, field: ListedField, row: int) -> Settled:
        return settled(self._answered.get((field.number, row)) or self._looked(field, row))

    def explain(self, at: int, unreadable: Issue | None = None) -> Score:
        score = settle_row(self.tree, self.settled(at))
        if unreadable is not None:
            fields = tuple(
                replace(one, status=NOT_MEASURED, score=None) if one.status is Status.MATCH else one
                for one in score.fields
            )
            if score.issue is not None:
                return replace(score, fields=fields)
            return Score(0.0, False, fields, unreadable.message, standing=Standing.UNREADABLE)
        long = long_lists(free_lists_of_lines(self.tree.lines), *(side[at] for side in self._sides))
        said = [score.reason, *(f"{path.canonical}: {CROWDED}" for path, *_ in long)]
        return replace(score, reason="; ".join(filter(None, said))) if long else score

    def wrong(self, at: int, wanted: Collection[str], listed: Collection[str] = ()) -> list[FieldResult]:
        return [
            self._settled(field, at).result
            for field, column in zip(self.tree.fields, self.statuses, strict=True)
            if column[at] in _WRONG and field.line.name in wanted
        ]

    def release(self) -> None:
        self._fields, self._open, self._asked, self._answered = {}, {}, [], {}
        for frame in self._frames:
            frame.release()
