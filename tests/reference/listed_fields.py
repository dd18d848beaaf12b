"""Listed fields, scored the slow and obvious way: every field of every row is read, compared and settled with its reason.

It shares with the package what has tests of its own: which pairs of values a field has, and what one comparator
answers and says. What becomes of a field and of a row is written here once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from evaluators.builtin.json_multi_field_match import JsonMultiFieldMatch
from evaluators.comparators._comparator import Comparator, Question, in_field
from evaluators.fields.compared_values import ComparedValues
from evaluators.fields.frame import Frame
from evaluators.fields.lines import FieldLine
from evaluators.fields.readable import first_problem, reader_of_expected
from evaluators.fields.rules import (
    Explained,
    Judged,
    Partial,
    Ready,
    explain_rule,
    explained_answer,
    explained_problem,
    prepare_rule,
    together_ready,
)
from evaluators.fields.settle import compared, reason_code
from evaluators.fields.tree import FieldNode
from evaluators.fields.walk import Walk
from evaluators.fields.walk_findings import FieldColumn, order_of, place_of
from evaluators.issues import Blame, RowProblem
from evaluators.judges.asking import ask
from evaluators.model import MISSING, FieldResult, FieldStatus, Result, RowStatus
from evaluators.values.paths import display
from evaluators.values.transforms import Transform, chain


class Field(NamedTuple):
    """What became of one field."""

    result: FieldResult
    share: Fraction
    problem: RowProblem | None = None


def score(one: JsonMultiFieldMatch, expected: Any, output: Any, *cells: Any) -> Result:
    """The explained score of one row. An unreadable output is MISSING."""
    row = dict(zip(one.condition_columns, cells, strict=True))
    lines = [line for line in one.fields if line.comparator is not None or line.skip]
    fields = [_field(one, lines, number, expected, output, row) for number in range(len(lines))]
    results = tuple(field.result for field in fields)
    problem = next((field.problem for field in fields if field.problem), None)
    if problem is not None:
        statuses = {Blame.TESTSET: RowStatus.INVALID, Blame.ENVIRONMENT: RowStatus.UNJUDGED}
        status = statuses.get(problem.issue.blame, RowStatus.BUG)
        return Result(status, issue=problem.issue, fields=results, reason=problem.issue.message)
    out = (FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED)
    there = [(line, field) for line, field in zip(lines, fields, strict=True) if field.result.status not in out]
    if not there:
        return Result(RowStatus.NOT_MEASURED, fields=results, reason="no field was measured")
    whole = sum(line.weight for line, _ in there)
    if whole:
        total = sum((line.weight * field.share for line, field in there), Fraction(0)) / whole
    else:
        total = Fraction(all(field.share == 1 for _, field in there))
    lost = any(
        line.required and field.result.status not in (FieldStatus.MATCH, FieldStatus.SKIPPED)
        for line, field in zip(lines, fields, strict=True)
    )
    return Result(RowStatus.SCORED, False if lost else None, *total.as_integer_ratio(), fields=results)


def _field(
    one: JsonMultiFieldMatch, lines: list[FieldLine], number: int, expected: Any, output: Any, row: dict[str, Any]
) -> Field:
    line = lines[number]
    documents = {"expected": expected, "output": output}
    if line.skip or line.comparator is None:
        return _skipped(line, "skipped")
    for condition in line.when:
        cell = row.get(condition.column, MISSING) if condition.source == "row" else documents[condition.source]
        if not condition.holds(cell):
            return _skipped(line, "its `when` does not hold for this row")
    found, several = _places(one, lines, number, expected, output)
    problem = _unreadable(one, lines, number, expected)
    if problem is not None:
        answers = [explained_problem(in_field(problem, line.name))]
    else:
        answers = [_answer(one, line, line.comparator, place, several) for place in found]
    status, reason, share = _settled(one, line, found, several, answers)
    if problem is not None:
        reason = answers[0].reason
    ours, theirs = _shown(found, several)
    counts = status not in (FieldStatus.NOT_MEASURED, FieldStatus.NOT_JUDGED)
    details = {} if several or len(answers) != 1 else _details(one, line, answers[0], status, ours, theirs)
    if several and share not in (0, 1):
        details = {"ratio": (share.numerator, share.denominator)}
    result = FieldResult(
        line.name, status, float(share) if counts else None, float(line.weight), ours, theirs, reason, line.rule,
        details=details,
    )  # fmt: skip
    return Field(result, share, next((answer.problem for answer in answers if answer.problem), None))


def _skipped(line: FieldLine, reason: str) -> Field:
    result = FieldResult(line.name, FieldStatus.SKIPPED, None, float(line.weight), reason=reason, rule=line.rule)
    return Field(result, Fraction(0))


def _transforms(one: JsonMultiFieldMatch, line: FieldLine) -> tuple[Transform, ...]:
    both = (*one.transforms, *line.transforms)
    return line.together.transforms(both) if line.together is not None else both


class Place(NamedTuple):
    """One pair of values of a field."""

    expected: Any
    actual: Any
    location: tuple[str | int, ...]


class _Uncompared(ComparedValues):
    """Values that are found, and not compared."""

    def add(self, node: FieldNode, frame: Frame, inside: bool) -> None:
        self.columns.append(FieldColumn(node, frame, inside))


def _places(
    one: JsonMultiFieldMatch, lines: list[FieldLine], number: int, expected: Any, output: Any
) -> tuple[Sequence[Place], bool]:
    """The pairs of values of a field, and whether it is a list of them."""
    walk = Walk(1)
    walk.values = _Uncompared(weighing=False, asking=False)
    walk.go(one.tree.root, [Frame([expected], [output], range(1))])
    columns = [one for one in walk.values.columns if one.node.line is not None and one.node.line.number == number]
    found = [(one.node, one.frame, at) for one in columns for at in range(len(one.frame.rows))]
    if found:
        found.sort(key=lambda each: order_of((), each[1].items_above(each[2])))
        several = any(column.inside for column in columns if column.frame.rows)
        locations = [place_of(*each) if several else () for each in found]
        pairs = [(frame.e[at], frame.o[at]) for _, frame, at in found]
        return [Place(*sides, location) for sides, location in zip(pairs, locations, strict=True)], several
    return [], not lines[number].path.definite


def _unreadable(one: JsonMultiFieldMatch, lines: list[FieldLine], number: int, expected: Any) -> RowProblem | None:
    """The problem with the first expected value that cannot be read, whatever the output is."""
    line = lines[number]
    if line.comparator is None:
        return None
    tell = reader_of_expected(line.comparator, _transforms(one, line))
    if tell is None:
        return None
    values = [place.expected for place in _places(one, lines, number, expected, MISSING)[0]]
    if line.align is not None and line.path.query is None:
        values = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if line.together is not None and line.path.query is None:
        values = [picked for value in values if (picked := line.together.picked(value))]
    issue = first_problem(tell, [value for value in values if value is not MISSING])
    return None if issue is None else RowProblem(issue)


def _answer(one: JsonMultiFieldMatch, line: FieldLine, comparator: Comparator, place: Place, several: bool) -> Explained:
    """What one pair of values is, and why."""
    if place.actual is MISSING:
        return Explained(FieldStatus.OMISSION, "missing in the output")
    if place.expected is MISSING and comparator.reads == "both":
        return Explained(FieldStatus.HALLUCINATION, "only the output has it")
    if comparator.costs:
        path = display(place.location) if several else line.name
        answer = _asked(one, line, comparator, path, place)
    else:
        answer = _compared(one, line, comparator, place.expected, place.actual)
    return answer if answer.problem is None else explained_problem(in_field(answer.problem, line.name))


def _compared(one: JsonMultiFieldMatch, line: FieldLine, comparator: Comparator, expected: Any, actual: Any) -> Explained:
    sides: Explained | Ready = Ready(expected, actual)
    if line.together is not None:
        sides = together_ready(line.together, expected, actual)
    if isinstance(sides, Explained):
        return sides
    return explain_rule(comparator, _transforms(one, line), sides.expected, sides.actual)


def _asked(one: JsonMultiFieldMatch, line: FieldLine, comparator: Comparator, path: str, place: Place) -> Explained:
    sides: Explained | Ready = Ready(place.expected, place.actual)
    if line.together is not None:
        sides = together_ready(line.together, place.expected, place.actual)
    if isinstance(sides, Ready):
        sides = prepare_rule(comparator, _transforms(one, line), sides.expected, sides.actual)
    if isinstance(sides, Explained):
        return sides
    question = Question(path, sides.expected, sides.actual, place.expected, place.actual)
    return explained_answer(ask(comparator, [question])[0])


def _settled(
    one: JsonMultiFieldMatch, line: FieldLine, found: Sequence[Place], several: bool, answers: list[Explained]
) -> tuple[FieldStatus, str | None, Fraction]:
    """The status of a field, why, and what it earns of its weight."""
    statuses = [answer.status for answer in answers if answer.status is not FieldStatus.NOT_MEASURED]
    if not statuses and line.required:
        return FieldStatus.OMISSION, "required, and absent on both sides", Fraction(0)
    if not statuses and line.path.definite and line.comparator is not None and line.comparator.reads == "output":
        return FieldStatus.OMISSION, "missing in the output", Fraction(0)
    if not statuses:
        match = one.both_missing == "match"
        return FieldStatus.MATCH if match else FieldStatus.NOT_MEASURED, "absent on both sides", Fraction(match)
    if not several:
        (answer,) = answers
        return answer.status, answer.reason, _share(answer.judged)
    if len(answers) != len(found):
        return answers[0].status, None, Fraction(0)
    status = _worst(statuses)
    judged = [answer.judged for answer in answers if answer.status is not FieldStatus.NOT_MEASURED]
    if (line.comparator is not None and line.comparator.partial_credit) or any(
        isinstance(each, Partial) for each in judged
    ):
        return status, _counted(found, answers), sum(map(_share, judged), Fraction(0)) / len(judged)
    return status, _counted(found, answers), Fraction(status is FieldStatus.MATCH)


def _share(judged: Judged) -> Fraction:
    return Fraction(judged.num, judged.den) if isinstance(judged, Partial) else Fraction(judged is FieldStatus.MATCH)


def _worst(statuses: Sequence[FieldStatus]) -> FieldStatus:
    for status in (FieldStatus.NOT_JUDGED, FieldStatus.ERROR):
        if status in statuses:
            return status
    wrong = {status for status in statuses if status is not FieldStatus.MATCH}
    if not wrong:
        return FieldStatus.MATCH
    return next(iter(wrong)) if len(wrong) == 1 else FieldStatus.MISMATCH


def _counted(found: Sequence[Place], answers: Sequence[Explained]) -> str:
    """How many of several pairs are right, and what is wrong with the first that is not."""
    wrong = [at for at, answer in enumerate(answers) if answer.status is not FieldStatus.MATCH]
    if not wrong:
        return "the only one is right" if len(answers) == 1 else f"all {len(answers)} are right"
    first, location = answers[wrong[0]], found[wrong[0]].location
    where = f"{display(location)}: " if location else ""
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"{len(answers) - len(wrong)} of {len(answers)} right; {where}{first.reason}{more}"


def _shown(found: Sequence[Place], several: bool) -> tuple[Any, Any]:
    if several:
        ours = [place.expected for place in found if place.expected is not MISSING]
        return ours, [place.actual for place in found if place.actual is not MISSING]
    return (found[0].expected, found[0].actual) if found else (MISSING, MISSING)


_OURS = (
    "code",
    "metric",
    "outside",
    "ratio",
    "batch",
    "stands_for",
    "compared_expected",
    "compared_actual",
    "unreadable",
)


def _details(
    one: JsonMultiFieldMatch, line: FieldLine, answer: Explained, status: FieldStatus, expected: Any, actual: Any
) -> dict[str, object]:
    details = {name: value for name, value in answer.details.items() if name not in _OURS}
    if status not in (FieldStatus.MATCH, FieldStatus.NOT_MEASURED):
        details["code"] = reason_code(status, expected, actual)
        details.update(compared(chain(_transforms(one, line)), expected, actual))
    if isinstance(answer.judged, Partial):
        details["ratio"] = (answer.judged.num, answer.judged.den)
    return details
