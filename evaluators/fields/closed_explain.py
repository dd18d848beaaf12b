"""Listed fields with values and reasons: what was found in one row becomes its results and its score.

Questions that cost are put together: one list for each comparator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from evaluators.comparators._comparator import Comparator, Question
from evaluators.fields.closed import ClosedTree, ListedField
from evaluators.fields.closed_score import credit, mean, required_lost, standing_of
from evaluators.fields.frame import Frame
from evaluators.fields.rules import Explained, Judged, Partial
from evaluators.fields.settle import OURS, compared, reason_code
from evaluators.issues import RowProblem
from evaluators.judges.asking import ask_later
from evaluators.model import MISSING, Comparison, FieldResult, Score, Standing, Status
from evaluators.value_class import NamedTuple, dataclass
from evaluators.value_class import field as make
from evaluators.values.paths import display
from evaluators.values.transforms import chain

NOTHING: Final = Frame((), (), ())


@dataclass(slots=True)
class ExplainedField:
    """One field in one row: its pairs of values, and what was answered about each. An open question waits for its answer."""

    field: ListedField
    frame: Frame = NOTHING
    at: Sequence[int] = ()
    """The positions of its pairs; none has nothing on both sides."""
    several: bool = False
    """It is a list of values, however many there are."""
    answers: list[Explained | Question] = make(default_factory=list)
    left_out: str | None = None
    """Why the field is left out of the row."""
    unreadable: bool = False
    """An expected value cannot be read: the one answer says so, and no pair was compared."""

    def shown(self) -> tuple[Any, Any]:
        """The values as people see them: for several pairs a list per side, of what is there."""
        e, o = [self.frame.e[at] for at in self.at], [self.frame.o[at] for at in self.at]
        if self.several:
            return [value for value in e if value is not MISSING], [value for value in o if value is not MISSING]
        return (e[0], o[0]) if e else (MISSING, MISSING)

    def judged(self) -> tuple[Judged, RowProblem | None]:
        """What the field is by its answers, and the problem that kept it from being measured."""
        answers = [answer for answer in self.answers if isinstance(answer, Explained)]
        problem = next((answer.problem for answer in answers if answer.problem), None)
        return self.field.settled([answer.judged for answer in answers], self.several), problem


class Settled(NamedTuple):
    """One field, settled: its result, what it earns, and the problem that kept it from being measured."""

    result: FieldResult
    judged: Judged
    problem: RowProblem | None = None


def settle_row(tree: ClosedTree, settled: Sequence[Settled]) -> Score:
    """The row's score: the weighted mean of the measured fields, with its exact fraction.

    A required field that does not match keeps the row from passing. A field that could not be measured for another
    reason than the output leaves the row without a score.
    """
    fields = tuple(one.result for one in settled)
    problem = next((one.problem for one in settled if one.problem), None)
    if problem is not None:
        return Score(None, None, fields, problem.issue.message, standing=standing_of(problem), issue=problem.issue)
    share = mean(tree, [one.judged for one in settled])
    if share is None:
        return Score(None, None, fields, "no field was measured", standing=Standing.NOT_MEASURED)
    passed = False if required_lost(tree, [result.status for result in fields]) else None
    return Score(share[0] / share[1], passed, fields, ratio=share)


def asked_together(
    looked: Sequence[ExplainedField], row: int
) -> Iterator[tuple[list[tuple[ExplainedField, int]], Callable[[], Sequence[Comparison | RowProblem]]]]:
    """Asks the open questions about a row, a list of each comparator: where the answers belong, and what gives them."""
    groups: list[tuple[Comparator, list[tuple[ExplainedField, int]]]] = []
    for one in looked:
        comparator = one.field.line.comparator
        places = [(one, number) for number, answer in enumerate(one.answers) if isinstance(answer, Question)]
        if not places or comparator is None:
            continue
        same_one = next((group for other, group in groups if other == comparator), None)
        if same_one is None:
            groups.append((comparator, places))
        else:
            same_one += places
    for comparator, places in groups:
        questions = [answer for one, number in places if isinstance(answer := one.answers[number], Question)]
        yield places, ask_later(comparator, questions, row)


def settled(one: ExplainedField) -> Settled:
    """The result of one field."""
    line, answers = one.field.line, [answer for answer in one.answers if isinstance(answer, Explained)]
    weight = float(line.weight)
    if one.left_out is not None:
        skipped = FieldResult(line.name, Status.SKIPPED, None, weight, reason=one.left_out, rule=line.rule)
        return Settled(skipped, Status.SKIPPED)
    judged, problem = one.judged()
    status = judged.status if isinstance(judged, Partial) else judged
    num, den = credit(judged)
    score = None if status is Status.NOT_MEASURED or status is Status.FAULT else num / den
    expected, actual = one.shown()
    details = _details(one, answers, status, expected, actual)
    result = FieldResult(
        line.name, status, score, weight, expected, actual, _reason(one, answers), line.rule, details=details
    )
    return Settled(result, judged, problem)


def _details(
    one: ExplainedField, answers: Sequence[Explained], status: Status, expected: Any, actual: Any
) -> dict[str, object]:
    """What else is known of a field that is one pair of values: what the comparator said, and where it does not match, why."""
    if len(answers) != 1 or one.several:
        return {}
    (answer,) = answers
    details: dict[str, object] = {name: value for name, value in answer.details.items() if name not in OURS}
    if status is not Status.MATCH and status is not Status.NOT_MEASURED:
        details["code"] = reason_code(status, expected, actual)
        details |= compared(chain(one.field.chain), expected, actual)
    if isinstance(answer.judged, Partial):
        details["ratio"] = (answer.judged.num, answer.judged.den)
    return details


def _reason(one: ExplainedField, answers: Sequence[Explained]) -> str | None:
    """Why the field is what it is. Of several pairs the first that does not match says it."""
    if not one.several and answers and answers[0].status is not Status.NOT_MEASURED:
        return answers[0].reason
    if all(answer.status is Status.NOT_MEASURED for answer in answers):
        return one.field.why_absent
    if one.unreadable:
        return answers[0].reason
    failed = [number for number, answer in enumerate(answers) if answer.status is not Status.MATCH]
    if not failed:
        return "the only one is right" if len(answers) == 1 else f"all {len(answers)} are right"
    location = one.field.location(one.frame, one.at[failed[0]])
    where = f"{display(location)}: " if location else ""
    rest = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"{len(answers) - len(failed)} of {len(answers)} right; {where}{answers[failed[0]].reason}{rest}"
