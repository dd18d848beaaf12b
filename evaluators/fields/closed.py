"""A closed list of fields: the slow, obvious scorer. `fast` gives the same statuses and scores.

Three movements. *Gather* reads the pairs of values of each field; *compare* asks the field's rule about the pairs that
are there on both sides; *settle* makes one status per field, and the row's score from the statuses. A field with an
expected value that its comparator cannot read is a fault, and nothing of it is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from math import lcm
from typing import Any, Final, Literal, TypeAlias

from evaluators.comparators._answers import in_field
from evaluators.comparators._comparator import Comparator, Question
from evaluators.conditions import Condition
from evaluators.fields.items import ListNode, Place, list_trees, pair_values, places
from evaluators.fields.lines import Align, FieldLine
from evaluators.fields.readable import Ask, first_problem, reader_of_expected
from evaluators.fields.rules import (
    Explained,
    Partial,
    Ready,
    Rule,
    answering_rule,
    compile_together,
    explain_rule,
    explained_answer,
    explained_problem,
    near_enough,
    prepare_rule,
    together_ready,
)
from evaluators.fields.settle import OURS, compared, reason_code
from evaluators.fields.weighing import answer_alone, asked_alone
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.judges.asking import ask
from evaluators.model import MISSING, FieldResult, Score, Standing, Status
from evaluators.value_class import NamedTuple, dataclass, field
from evaluators.values.paths import ANY, display
from evaluators.values.transforms import Transform, chain

BothMissing = Literal["not_measured", "match"]
SameOrNot: TypeAlias = Callable[[Any, Any], bool]
WHOLE: Final = Fraction(1)
NOTHING: Final = Fraction(0)


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
    def rules(self) -> tuple[Rule | None, ...]:
        """The fast rule of each scored line."""
        return tuple(self.rule(line, line.comparator) if line.comparator is not None else None for line in self.scored)

    @cached_property
    def readers(self) -> tuple[Ask | None, ...]:
        """For each scored line, what tells expected values that its comparator cannot read; None where it can read any.

        A line that compares keys as one value is shown the object that they come to.
        """
        return tuple(
            reader_of_expected(line.comparator, self.chain(line)) if line.comparator is not None else None
            for line in self.scored
        )

    @cached_property
    def cheap_rules(self) -> tuple[Rule | None, ...]:
        """The rules by which items are paired: those of each line, or normalised equality for one that costs."""
        return tuple(
            self.rule(line, near_enough()) if line.comparator is not None and line.comparator.costs else rule
            for line, rule in zip(self.scored, self.rules, strict=True)
        )

    @cached_property
    def costs(self) -> bool:
        """Whether some line has a comparator that costs."""
        return any(line.comparator is not None and line.comparator.costs for line in self.scored)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Whole weights in the same proportions as the written ones."""
        unit = lcm(*(line.weight.denominator for line in self.scored)) if self.scored else 1
        return tuple(int(line.weight * unit) for line in self.scored)

    def chain(self, line: FieldLine) -> tuple[Transform, ...]:
        """The transforms of a line: those of every field, then its own."""
        both = (*self.transforms, *line.transforms)
        return line.together.transforms(both) if line.together is not None else both

    def rule(self, line: FieldLine, comparator: Comparator) -> Rule:
        """The fast rule of a line that is compared so, for expected values that can be read."""
        rule = answering_rule(comparator, self.chain(line))
        return compile_together(line.together, rule) if line.together is not None else rule

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether items that are left over are paired by whoever costs."""
        aligned = (line.align for line in self.lines if line.align is not None)
        return self.costs and any(align.ask is not None for align in aligned)

    def matching(self, number: int) -> tuple[SameOrNot, SameOrNot | None]:
        """Whether two values of a line match: cheaply, and by asking those that cost, where items are paired so."""
        return partial(self.matches, number), partial(self.asked_matches, number) if self.pairs_by_asking else None

    def asked_matches(self, number: int, expected: Any, actual: Any) -> bool:
        """The same as `matches`; those that cost are asked."""
        line = self.scored[number]
        comparator, ask = line.comparator, self.readers[number]
        if comparator is None or not asked_alone(comparator):
            return self.matches(number, expected, actual)
        if ask is not None and expected is not MISSING and ask(expected) is not None:
            return False
        sides: Explained | Ready = Ready(expected, actual)
        if line.together is not None:
            sides = together_ready(line.together, expected, actual)
        if isinstance(sides, Explained):
            return sides.status is Status.MATCH
        raw = Question(line.name, sides.expected, sides.actual, expected, actual)
        return answer_alone(comparator, self.chain(line), raw) is Status.MATCH

    def matches(self, number: int, expected: Any, actual: Any) -> bool:
        """Whether two values of a line match: what alignment counts. Comparators that cost are not asked for that."""
        rule, ask = self.cheap_rules[number], self.readers[number]
        if rule is None:
            return True
        if ask is not None and expected is not MISSING and ask(expected) is not None:
            return False
        try:
            judged = rule(expected, actual)
        except RowProblem:
            return False
        return (judged.status if isinstance(judged, Partial) else judged) is Status.MATCH


@dataclass(slots=True)
class FieldCase:
    """One field of one row on its way to a status."""

    line: FieldLine
    places: list[Place]
    several: bool
    excluded: bool = False
    unreadable: Issue | None = None
    """What is wrong with the first expected value that the comparator cannot read."""
    answers: list[Explained] = field(default_factory=list)


class Waiting(NamedTuple):
    """A pair that a comparator which costs is asked about together with others: where its answer goes, and the question."""

    case: FieldCase
    number: int
    question: Question


class Settled(NamedTuple):
    """One field, settled: its result, what it earns of its weight, and the problem that kept it from being measured."""

    result: FieldResult
    share: Fraction
    problem: RowProblem | None = None


def explain_fields(tree: ClosedTree, expected: Any, output: Any, row: Mapping[str, Any] | None = None) -> list[Settled]:
    """One result per scored line, in order, with values and reasons. `row` holds the cells that conditions name.

    An unreadable side is MISSING.
    """
    return explain_some(tree, None, expected, output, row)


def explain_some(
    tree: ClosedTree, numbers: Collection[int] | None, expected: Any, output: Any, row: Mapping[str, Any] | None = None
) -> list[Settled]:
    """The results of some of the scored lines, by number, in order. None: of all.

    Where something costs, all lines are compared: what is asked of a row is then the same whatever is looked at.
    """
    cases = gather(tree, expected, output, row or {}, None if tree.costs else numbers)
    waiting = [waits for one in cases for waits in compare(tree, one)]
    answer_together(waiting)
    settled = [settle(tree, one) for one in cases]
    return settled if numbers is None or not tree.costs else [settled[number] for number in sorted(numbers)]


def ask_fields(tree: ClosedTree, expected: Any, output: Any, row: Mapping[str, Any] | None = None) -> None:
    """Asks what costs, and nothing else."""
    costly = [number for number, line in enumerate(tree.scored) if line.comparator is not None and line.comparator.costs]
    cases = gather(tree, expected, output, row or {}, costly)
    answer_together([waits for one in cases for waits in compare(tree, one)])


def gather(
    tree: ClosedTree, expected: Any, output: Any, row: Mapping[str, Any], numbers: Collection[int] | None = None
) -> list[FieldCase]:
    """The pairs of values of every field, or of some by number, read from both documents."""
    in_lists: dict[int, list[Place]] = {}
    for node in tree.lists:
        asking = tree.asked_matches if tree.pairs_by_asking else None
        in_lists.update(places(node, expected, output, tree.matches, asking))
    found = []
    for number, line in enumerate(tree.scored):
        if numbers is not None and number not in numbers:
            continue
        several = line.path.query is not None or ANY in line.path.steps
        if line.skip:
            values: list[Place] = []
        elif line.path.query is not None:
            values = _query_places(tree, number, line, expected, output)
        elif several:
            values = in_lists.get(number, [])
        else:
            values, several = _definite_places(tree, number, line, expected, output)
        excluded = not holds(line.when, expected, output, row)
        unreadable = None if excluded else unreadable_expected(tree, number, expected)
        found.append(FieldCase(line, values, several, excluded, unreadable))
    return found


def unreadable_expected(tree: ClosedTree, number: int, expected: Any) -> Issue | None:
    """What is wrong with the first expected value of a line that its comparator cannot read, by the number of the line."""
    ask = tree.readers[number]
    return first_problem(ask, expected_values(tree, number, expected)) if ask is not None else None


def expected_values(tree: ClosedTree, number: int, expected: Any) -> list[Any]:
    """The expected values that a line compares: the same for any output."""
    line = tree.scored[number]
    if line.path.query is not None:
        return hits(line, expected)
    if ANY in line.path.steps:
        node = next(node for node in tree.lists if number in node.numbers)
        found = [place.expected for place in places(node, expected, MISSING, tree.matches).get(number, [])]
    else:
        found = [line.path.get(expected)]
    if line.align is not None:
        found = [item for value in found for item in (value if isinstance(value, list) else [value])]
    if line.together is not None:
        found = [picked for value in found if (picked := line.together.picked(value))]
    return [value for value in found if value is not MISSING]


def compare(tree: ClosedTree, one: FieldCase) -> list[Waiting]:
    """Asks the field's rule about each pair. Those of one that costs wait, and their answers are left open."""
    comparator = one.line.comparator
    if comparator is None or one.excluded:
        return []
    if one.unreadable is not None:
        one.answers.append(_of_field(one.line, explained_problem(RowProblem(one.unreadable))))
        return []
    chain = tree.chain(one.line)
    waiting: list[Waiting] = []
    for place in one.places:
        if place.actual is MISSING and place.expected is MISSING:
            continue
        if place.actual is MISSING:
            one.answers.append(Explained(Status.OMISSION, "missing in the output"))
            continue
        if place.expected is MISSING and comparator.reads == "both":
            one.answers.append(Explained(Status.HALLUCINATION, "only the output has it"))
            continue
        sides = Ready(place.expected, place.actual)
        if one.line.together is not None:
            picked = together_ready(one.line.together, place.expected, place.actual)
            if isinstance(picked, Explained):
                one.answers.append(picked)
                continue
            sides = picked
        if comparator.costs:
            ready = prepare_rule(comparator, chain, sides.expected, sides.actual)
            if isinstance(ready, Explained):
                one.answers.append(_of_field(one.line, ready))
                continue
            path = display(place.location) if one.several else one.line.name
            waiting.append(
                Waiting(one, len(one.answers), Question(path, ready.expected, ready.actual, place.expected, place.actual))
            )
            one.answers.append(Explained(Status.NOT_MEASURED))
        else:
            found = explain_rule(comparator, chain, sides.expected, sides.actual)
            one.answers.append(_of_field(one.line, found))
    return waiting


def answer_together(waiting: Sequence[Waiting]) -> None:
    """Fills the open answers, with one list for each comparator."""
    by_comparator: list[tuple[Comparator, list[Waiting]]] = []
    for one in waiting:
        comparator = one.case.line.comparator
        if comparator is None:
            continue
        same_one = next((group for other, group in by_comparator if other == comparator), None)
        if same_one is None:
            by_comparator.append((comparator, [one]))
        else:
            same_one.append(one)
    for comparator, group in by_comparator:
        for one, found in zip(group, ask(comparator, [one.question for one in group]), strict=True):
            one.case.answers[one.number] = _of_field(one.case.line, explained_answer(found))


def _of_field(line: FieldLine, found: Explained) -> Explained:
    """The same answer; a problem with a function of the suite's own names the field."""
    return found if found.problem is None else explained_problem(in_field(found.problem, line.name))


def settle(tree: ClosedTree, one: FieldCase) -> Settled:
    """The status of one field from the answers about its pairs."""
    line = one.line
    if line.skip or one.excluded:
        why = "skipped" if line.skip else "its `when` does not hold for this row"
        skipped = FieldResult(line.name, Status.SKIPPED, None, float(line.weight), reason=why, rule=line.rule)
        return Settled(skipped, NOTHING)
    status = combined([answer.status for answer in one.answers])
    reason: str | None = one.answers[0].reason if one.unreadable is not None else _reason(one)
    share = earned(one.answers, one.several)
    if status is Status.NOT_MEASURED:
        status, reason = absent_status(tree, line)
        share = WHOLE if status is Status.MATCH else NOTHING
    expected, actual = _shown(one)
    score = None if status in (Status.NOT_MEASURED, Status.FAULT) else float(share)
    details = _details(tree, one, status, expected, actual)
    result = FieldResult(
        line.name, status, score, float(line.weight), expected, actual, reason, line.rule, details=details
    )
    return Settled(result, share, next((answer.problem for answer in one.answers if answer.problem), None))


def _details(tree: ClosedTree, one: FieldCase, status: Status, expected: Any, actual: Any) -> dict[str, object]:
    """What else is known of a field that is one pair of values: what the comparator said, and where it does not match, why."""
    if len(one.answers) != 1 or one.several:
        return {}
    answer = one.answers[0]
    details: dict[str, object] = {name: value for name, value in answer.details.items() if name not in OURS}
    if status not in (Status.MATCH, Status.NOT_MEASURED):
        details["code"] = reason_code(status, expected, actual)
        details |= compared(chain(tree.chain(one.line)), expected, actual)
    if isinstance(answer.judged, Partial):
        details["ratio"] = (answer.judged.num, answer.judged.den)
    return details


def _shown(one: FieldCase) -> tuple[Any, Any]:
    """The values of a field as people see them: for several pairs a list per side, of what is there."""
    if one.several:
        sides = [place.expected for place in one.places], [place.actual for place in one.places]
        ours, theirs = ([value for value in side if value is not MISSING] for side in sides)
        return ours, theirs
    return (one.places[0].expected, one.places[0].actual) if one.places else (MISSING, MISSING)


def combined(statuses: Sequence[Status]) -> Status:
    """One status for several pairs: a match when every pair matches, else the kind of what does not."""
    if not statuses:
        return Status.NOT_MEASURED
    kinds = set(statuses) - {Status.NOT_MEASURED}
    if not kinds:
        return Status.NOT_MEASURED
    for first in (Status.FAULT, Status.ERROR):
        if first in kinds:
            return first
    kinds.discard(Status.MATCH)
    if not kinds:
        return Status.MATCH
    return kinds.pop() if len(kinds) == 1 else Status.MISMATCH


def absent_status(tree: ClosedTree, line: FieldLine) -> tuple[Status, str]:
    """The status of a field that neither side has (law 6)."""
    if line.required:
        return Status.OMISSION, "required, and absent on both sides"
    if tree.both_missing == "match":
        return Status.MATCH, "absent on both sides"
    return Status.NOT_MEASURED, "absent on both sides"


def earned(answers: Sequence[Explained], several: bool) -> Fraction:
    """What a field earns: its partial credit when it is one pair, else all or nothing."""
    if len(answers) == 1 and not several and isinstance(answers[0].judged, Partial):
        return Fraction(answers[0].judged.num, answers[0].judged.den)
    return WHOLE if combined([answer.status for answer in answers]) is Status.MATCH else NOTHING


def settle_row(tree: ClosedTree, settled: Sequence[Settled]) -> Score:
    """The row's score: the weighted mean of the measured fields, with its exact fraction.

    Where all of them weigh nothing, it is 1 when every one of them matches, else 0: what was measured is never left out.

    A required field that does not match keeps the row from passing. A field that could not be measured for another
    reason than the output leaves the row without a score.
    """
    fields = tuple(one.result for one in settled)
    problem = next((one.problem for one in settled if one.problem), None)
    if problem is not None:
        return Score(None, None, fields, problem.issue.message, standing=standing_of(problem), issue=problem.issue)
    measured = [
        (weight, one.share)
        for weight, one in zip(tree.weights, settled, strict=True)
        if one.result.status not in (Status.NOT_MEASURED, Status.SKIPPED)
    ]
    if not measured:
        return Score(None, None, fields, "no field was measured", standing=Standing.NOT_MEASURED)
    total = weighted_mean(measured)
    passed = False if required_missing(tree, [result.status for result in fields]) else None
    return Score(float(total), passed, fields, ratio=(total.numerator, total.denominator))


def weighted_mean(measured: Sequence[tuple[int, Fraction]]) -> Fraction:
    """The mean of some (weight, share). Where they weigh nothing, 1 when every share is whole, else 0."""
    whole = sum(weight for weight, _ in measured)
    if not whole:
        return WHOLE if all(share == WHOLE for _, share in measured) else NOTHING
    return sum((weight * share for weight, share in measured), NOTHING) / whole


def standing_of(problem: RowProblem) -> Standing:
    """How a row is counted that a problem kept from being measured."""
    return {
        Blame.TESTSET: Standing.INVALID,
        Blame.ENVIRONMENT: Standing.UNJUDGED,
    }.get(problem.issue.blame, Standing.BUG)


def required_missing(tree: ClosedTree, statuses: Iterable[Status | int]) -> tuple[str, ...]:
    """The required fields that were asked about and do not match."""
    return tuple(
        line.name
        for line, status in zip(tree.scored, statuses, strict=True)
        if line.required and status not in (Status.MATCH, Status.SKIPPED)
    )


def holds(conditions: Sequence[Condition], expected: Any, output: Any, row: Mapping[str, Any]) -> bool:
    """Whether every condition of a field holds for this row."""
    documents = {"expected": expected, "output": output}
    return all(
        condition.holds(row.get(condition.column, MISSING) if condition.source == "row" else documents[condition.source])
        for condition in conditions
    )


def hits(line: FieldLine, document: Any) -> list[Any]:
    """Everything a query hits; an empty list where it hits nothing."""
    found = line.path.get(document) if document is not MISSING else MISSING
    return found if isinstance(found, list) else []


def _query_places(tree: ClosedTree, number: int, line: FieldLine, expected: Any, output: Any) -> list[Place]:
    ours, theirs = hits(line, expected), hits(line, output)
    return pair_values(line.align or Align(), ours, theirs, *tree.matching(number))


def _definite_places(
    tree: ClosedTree, number: int, line: FieldLine, expected: Any, output: Any
) -> tuple[list[Place], bool]:
    ours, theirs = line.path.get_pair(expected, output)
    if ours is MISSING and theirs is MISSING:
        return [], False
    if line.align is None or not isinstance(ours, list) or not isinstance(theirs, list):
        return [Place(ours, theirs, ())], False
    if not ours and not theirs:
        return [Place(ours, theirs, ())], False
    return pair_values(line.align, ours, theirs, *tree.matching(number)), True


def _reason(one: FieldCase) -> str | None:
    if not one.several:
        return one.answers[0].reason if one.answers else None
    failed = [
        (place, answer)
        for place, answer in zip(one.places, one.answers, strict=True)
        if answer.status is not Status.MATCH
    ]
    if not failed:
        return "the only one is right" if len(one.answers) == 1 else f"all {len(one.answers)} are right"
    place, answer = failed[0]
    where = f"{display(place.location)}: " if place.location else ""
    rest = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"{len(one.answers) - len(failed)} of {len(one.answers)} right; {where}{answer.reason}{rest}"
