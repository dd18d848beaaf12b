"""A closed list of fields, and one field of it in three movements: its pairs of values, what each pair is, what the field is.

*Places* reads the pairs from the two documents: one pair at a definite path, several under `[*]`, of a query, or of lists
that are aligned. *Judge* says of one pair what it is: by presence, else by the field's rule. *Settled* makes one status of
several. Whoever wants reasons asks `explained` in place of `judge`, about the same pairs; what is missing, how answers
combine and what an absent field is have their one home here.

`closed_check` asks all fields about every row; `closed_explain` asks those that someone wants to see, and keeps what was
found on the way; `closed_score` makes the row's score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import lcm
from typing import Any, Final, Literal, TypeVar

from evaluators.comparators._answers import in_field
from evaluators.comparators._comparator import Comparator, Question
from evaluators.fields.asked_alone import answer_alone, asked_alone
from evaluators.fields.gain_columns import column_of
from evaluators.fields.items import LeafColumns, ListNode, Matches, Place, asked_slowly, list_trees, pair_values, places
from evaluators.fields.leaf_columns import LeafColumn
from evaluators.fields.lines import Align, FieldLine
from evaluators.fields.marks import ValueKey, value_key
from evaluators.fields.readable import Ask, first_problem, reader_of_expected
from evaluators.fields.rules import (
    Explained,
    Judged,
    Partial,
    Ready,
    Rule,
    answering_rule,
    compile_together,
    explain_rule,
    explained_problem,
    near_enough,
    prepare_rule,
    together_ready,
)
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, Status
from evaluators.value_class import NamedTuple, dataclass
from evaluators.values.paths import display
from evaluators.values.transforms import Transform

T = TypeVar("T")
BothMissing = Literal["not_measured", "match"]
IN_ORDER: Final = Align()
WHY: Final = {Status.OMISSION: "missing in the output", Status.HALLUCINATION: "only the output has it"}
"""Why a pair of which one side is missing is what it is."""


@dataclass(frozen=True)
class ClosedTree:
    """The fields of one evaluator. `lines` are all that was written, `scored` those that have a score."""

    lines: tuple[FieldLine, ...]
    transforms: tuple[Transform, ...] = ()
    both_missing: BothMissing = "not_measured"

    @cached_property
    def scored(self) -> tuple[FieldLine, ...]:
        """The lines that have a status: those with a comparator, and the skipped ones."""
        return tuple(line for line in self.lines if line.comparator is not None or line.skip)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical spelling of each scored line."""
        return tuple(line.name for line in self.scored)

    @cached_property
    def lists(self) -> tuple[ListNode, ...]:
        """The lists that lines with `[*]` look into. A leaf is known by the number of its line in `scored`."""
        aligned = [line for line in self.lines if line.comparator is None and not line.skip]
        return tuple(list_trees([*self.scored, *aligned]))

    @cached_property
    def fields(self) -> tuple[ListedField, ...]:
        """The scored lines, ready to be asked."""
        return tuple(ListedField(line, number, self) for number, line in enumerate(self.scored))

    @cached_property
    def readers(self) -> tuple[Ask | None, ...]:
        """For each scored line, what tells expected values that its comparator cannot read; None where it can read any."""
        return tuple(one.ask for one in self.fields)

    @cached_property
    def costs(self) -> bool:
        """Whether some line has a comparator that costs."""
        return any(one.costs for one in self.fields)

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether items that are left over are paired by whoever costs."""
        aligned = (line.align for line in self.lines if line.align is not None)
        return self.costs and any(align.ask is not None for align in aligned)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole weights in the same proportions as the written ones."""
        unit = lcm(*(line.weight.denominator for line in self.scored)) if self.scored else 1
        return tuple(int(line.weight * unit) for line in self.scored)

    @cached_property
    def required(self) -> tuple[int, ...]:
        """The numbers of the required lines."""
        return tuple(number for number, line in enumerate(self.scored) if line.required)

    def chain(self, line: FieldLine) -> tuple[Transform, ...]:
        """The transforms of a line: those of every field, then its own."""
        both = (*self.transforms, *line.transforms)
        return line.together.transforms(both) if line.together is not None else both

    @cached_property
    def matches(self) -> Matches:
        """Whether two values match, line by line: what alignment counts. Comparators that cost are not asked for that."""
        return tuple(one.matches for one in self.fields)

    @cached_property
    def columns(self) -> LeafColumns:
        """The same for whole columns of values at once; None for a line whose pairs are asked about one by one."""
        return tuple(one.column for one in self.fields)

    @cached_property
    def keys(self) -> tuple[ValueKey | None, ...]:
        """What values share exactly when they match, line by line; None where no such thing is known."""
        return tuple(
            None if line.comparator is None or line.together is not None else value_key(line.comparator, self.chain(line))
            for line in self.scored
        )

    @cached_property
    def asked_matches(self) -> Matches | None:
        """The same, those that cost being asked; None where nobody is asked for that."""
        return tuple(one.asked_matches for one in self.fields) if self.pairs_by_asking else None


class Sides:
    """The two documents of a row. The items of their lists are paired once, for all fields that look into them."""

    __slots__ = ("_found", "expected", "output", "tree")

    def __init__(self, tree: ClosedTree, expected: Any, output: Any) -> None:
        self.tree = tree
        self.expected = expected
        self.output = output
        self._found: dict[int, dict[int, list[Place]]] = {}

    def places(self, node: ListNode) -> Mapping[int, list[Place]]:
        """The pairs of values of every leaf below a list, by the number of the leaf."""
        found = self._found.get(id(node))
        if found is None:
            matching = self.tree.matches, self.tree.asked_matches, self.tree.columns, self.tree.keys
            found = self._found[id(node)] = places(node, self.expected, self.output, *matching)
        return found


class GatheredPlaces(NamedTuple):
    """The pairs of values of a field in one row. `several`: the field is a list of values, however many there are."""

    places: Sequence[Place]
    several: bool


class ListedField:
    """One scored line, ready to be asked."""

    def __init__(self, line: FieldLine, number: int, tree: ClosedTree) -> None:
        comparator = line.comparator
        self.line, self.number, self.tree = line, number, tree
        self.chain = tree.chain(line)
        self.costs = comparator is not None and comparator.costs
        self.two_sided = comparator is None or comparator.reads == "both"
        self.pair = line.path.pair_getter()
        self.node = next((node for node in tree.lists if number in node.numbers), None)
        self.single = line.path.definite and line.align is None
        self.absent, self.why_absent = absent(line, tree.both_missing)
        self.rule = _skipped if comparator is None else self._rule(near_enough() if self.costs else comparator)
        """The fast rule, for expected values that can be read. Nobody who costs is asked here."""
        self.judge = by_presence(self.rule, self.two_sided)
        """What one pair of values is. Raises RowProblem where something else than the output's value is to blame."""
        self.tell = by_presence(self._told, self.two_sided)
        """The same with its reason, where both values are there."""
        self.ask = None if comparator is None else reader_of_expected(comparator, self.chain)
        self.column = self._column()
        """Whether values match, for whole columns of them at once: what `matches` says of each pair."""

    def places(self, sides: Sides) -> GatheredPlaces:
        """The pairs of values to compare. No pair has nothing on both sides."""
        if self.line.path.query is not None:
            return GatheredPlaces(self._paired(hits(self.line, sides.expected), hits(self.line, sides.output)), True)
        if self.node is not None:
            return GatheredPlaces(sides.places(self.node).get(self.number, ()), True)
        ours, theirs = self.pair(sides.expected, sides.output)
        if ours is MISSING and theirs is MISSING:
            return GatheredPlaces((), False)
        if self.single or not isinstance(ours, list) or not isinstance(theirs, list) or not (ours or theirs):
            return GatheredPlaces((Place(ours, theirs, ()),), False)
        return GatheredPlaces(self._paired(ours, theirs), True)

    def expected_values(self, expected: Any) -> list[Any]:
        """The expected values that the line compares: the same for any output."""
        line = self.line
        if line.path.query is not None:
            return hits(line, expected)
        if self.node is not None:
            alone = places(self.node, expected, MISSING, self.tree.matches)
            found = [place.expected for place in alone.get(self.number, [])]
        else:
            found = [line.path.get(expected)]
        if line.align is not None:
            found = [item for value in found for item in (value if isinstance(value, list) else [value])]
        if line.together is not None:
            found = [picked for value in found if (picked := line.together.picked(value))]
        return [value for value in found if value is not MISSING]

    def asked_of(self, expected: Any, output: Any, row: Mapping[str, Any]) -> bool:
        """Whether the conditions of the line hold for a row. `row` holds the cells that they name."""
        documents = {"expected": expected, "output": output}
        return all(
            condition.holds(
                row.get(condition.column, MISSING) if condition.source == "row" else documents[condition.source]
            )
            for condition in self.line.when
        )

    def unreadable(self, expected: Any) -> Issue | None:
        """What is wrong with the first expected value that the comparator cannot read."""
        return first_problem(self.ask, self.expected_values(expected)) if self.ask is not None else None

    def explained(self, place: Place, several: bool) -> Explained | Question:
        """What one pair of values is, with its reason; the question that is to be asked, where the comparator costs."""
        found = self.tell(place.expected, place.actual)
        if isinstance(found, Status):
            return Explained(found, WHY.get(found))
        if isinstance(found, Question) and several:
            return found._replace(path=display(place.location))
        return found

    def named(self, found: Explained) -> Explained:
        """The same answer; a problem with a function of the suite's own names the field."""
        return found if found.problem is None else explained_problem(in_field(found.problem, self.line.name))

    def settled(self, answers: Sequence[Judged], several: bool) -> Judged:
        """What the field is by what its pairs are: partial credit counts where there is one pair, else all or nothing."""
        if len(answers) == 1 and not several:
            found = answers[0]
        else:
            found = combined(answers)
        return self.absent if found is Status.NOT_MEASURED else found

    def status(self, sides: Sides) -> Judged:
        """What became of the field in a row. Raises RowProblem where something else than the output is to blame."""
        if self.line.skip:
            return Status.SKIPPED
        issue, judge = self.unreadable(sides.expected) if self.ask is not None else None, self.judge
        if issue is not None:
            raise RowProblem(issue)
        if self.single:
            pair = self.pair
            found = judge(*pair(sides.expected, sides.output))
            return self.absent if found is Status.NOT_MEASURED else found
        pairs, several = self.places(sides)
        return self.settled([judge(place.expected, place.actual) for place in pairs], several)

    def matches(self, expected: Any, actual: Any) -> bool:
        """Whether two values match: what alignment counts. A comparator that costs is not asked for that."""
        rule, ask = self.rule, self.ask
        if ask is not None and expected is not MISSING and ask(expected) is not None:
            return False
        try:
            judged = rule(expected, actual)
        except RowProblem as error:
            if error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return False
        return (judged.status if isinstance(judged, Partial) else judged) is Status.MATCH

    def asked_matches(self, expected: Any, actual: Any) -> bool:
        """The same; a comparator that costs is asked."""
        comparator = self.line.comparator
        if comparator is None or not asked_alone(comparator):
            return self.matches(expected, actual)
        if self.ask is not None and expected is not MISSING and self.ask(expected) is not None:
            return False
        sides = self._sides(expected, actual)
        if isinstance(sides, Explained):
            return sides.status is Status.MATCH
        return answer_alone(comparator, self.chain, Question(self.line.name, *sides, expected, actual)) is Status.MATCH

    def _told(self, expected: Any, actual: Any) -> Explained | Question:
        """What the comparator says of two values, or the question that it is to be asked."""
        comparator, sides = self.line.comparator, self._sides(expected, actual)
        if comparator is None:
            return Explained(Status.SKIPPED, "skipped")
        if self.costs and isinstance(sides, Ready):
            sides = prepare_rule(comparator, self.chain, *sides)
        if isinstance(sides, Explained):
            return self.named(sides)
        if self.costs:
            return Question(self.line.name, *sides, expected, actual)
        return self.named(explain_rule(comparator, self.chain, *sides))

    def _rule(self, comparator: Comparator) -> Rule:
        rule, together = answering_rule(comparator, self.chain), self.line.together
        return compile_together(together, rule) if together is not None else rule

    def _column(self) -> LeafColumn | None:
        comparator = self.line.comparator
        if comparator is None or self.line.together is not None:
            return None
        return column_of(near_enough() if self.costs else comparator, self.chain, self.ask)

    def _sides(self, expected: Any, actual: Any) -> Explained | Ready:
        """What the comparator is shown: the two values, or the keys of them that are compared as one."""
        together = self.line.together
        return Ready(expected, actual) if together is None else together_ready(together, expected, actual)

    def _paired(self, ours: Sequence[Any], theirs: Sequence[Any]) -> list[Place]:
        asking = self.asked_matches if self.tree.pairs_by_asking else None
        align, slow = self.line.align or IN_ORDER, asked_slowly(self.line)
        return pair_values(align, ours, theirs, self.matches, asking, slow, self.column)


def by_presence(
    compare: Callable[[Any, Any], T], two_sided: bool, neither: Status = Status.NOT_MEASURED
) -> Callable[[Any, Any], Status | T]:
    """What says of a pair of values what it is: by presence where a side is missing (`neither`: both), else by comparing."""

    def judge(expected: Any, actual: Any) -> Status | T:
        if actual is MISSING:
            return neither if expected is MISSING else Status.OMISSION
        if expected is MISSING and two_sided:
            return Status.HALLUCINATION
        return compare(expected, actual)

    return judge


def combined(answers: Iterable[Judged]) -> Status:
    """One status for several pairs: a match when every pair matches, else the kind of what does not."""
    kinds = {one.status if isinstance(one, Partial) else one for one in answers} - {Status.NOT_MEASURED}
    for first in (Status.FAULT, Status.ERROR):
        if first in kinds:
            return first
    wrong = kinds - {Status.MATCH}
    if not wrong:
        return Status.MATCH if kinds else Status.NOT_MEASURED
    return wrong.pop() if len(wrong) == 1 else Status.MISMATCH


def absent(line: FieldLine, both_missing: BothMissing) -> tuple[Status, str]:
    """The status of a field that neither side has, and why (law 6)."""
    if line.required:
        return Status.OMISSION, "required, and absent on both sides"
    return Status.MATCH if both_missing == "match" else Status.NOT_MEASURED, "absent on both sides"


def _skipped(expected: Any, actual: Any) -> Status:
    return Status.SKIPPED


def hits(line: FieldLine, document: Any) -> list[Any]:
    """Everything a query hits; an empty list where it hits nothing."""
    found = line.path.get(document) if document is not MISSING else MISSING
    return found if isinstance(found, list) else []
