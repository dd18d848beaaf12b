"""The part of a walk that compares two values as one: presence, then equality, then metrics; and asks comparators that cost."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

from evaluators.model.issues import Blame, RowProblem
from evaluators.model.rows import MISSING, Comparison, FieldStatus
from evaluators.scoring.comparators._comparator import Comparator, Question
from evaluators.scoring.fields.instance_paths import InstancePath, spell_location
from evaluators.scoring.fields.outcomes import unit_status
from evaluators.scoring.fields.places import EMPTY_KINDS, Mark, Place
from evaluators.scoring.fields.results import (
    ERROR,
    HALLUCINATION,
    MATCH,
    MISMATCH,
    NOT_JUDGED,
    OMISSION,
    FieldResult,
    shown_location,
)
from evaluators.scoring.fields.rules import (
    Explained,
    Judged,
    explained_answer,
    explained_problem,
    prepare_rule,
    status_of,
)
from evaluators.scoring.judges.asking import ask_later
from evaluators.scoring.values.equality import json_equal

_DECIDED: Final = frozenset((MATCH, MISMATCH, ERROR, NOT_JUDGED))


class Pending(NamedTuple):
    """A result that waits for the answers of comparators that cost."""

    row: int
    results: list[FieldResult]
    place: int
    """Which of the results."""
    answers: list[Judged | Explained | Question]


class Units:
    """The part of a walk that compares values as one, and asks comparators that cost."""

    def __init__(self, every: bool, weighing: bool, asking: bool, number: int) -> None:
        """A walk without results; `number` is that of its row."""
        self.every, self.weighing, self.asking = every, weighing, asking
        """`every`: matches are results, too. `weighing`: pairs are only weighed, and comparators that cost are not called, unless it is
        `asking`."""
        self.number = number
        """The row."""
        self.matched: list[Mark] = []
        self.fields: list[FieldResult] = []
        self.broken = 0
        """While pairs are weighed: how many answers are no answer."""
        self.pending: list[Pending] = []
        self._asked: list[tuple[list[tuple[list[Any], int]], Callable[[], Sequence[Any]]]] = []
        """What was asked: where each answer goes, as (answers, position among them), and the function that gives the answers."""

    def _add_match(self, place: Place, e: Any, o: Any, at: InstancePath) -> None:
        """Adds a match: its mark, or a result where every result is asked for."""
        if (self.every or place.as_result) and not self.weighing:
            self.fields.append(FieldResult(place, at, MATCH, e, o))
        else:
            empty = (not e and e.__class__ in EMPTY_KINDS) + 2 * (not o and o.__class__ in EMPTY_KINDS)
            self.matched.append(place.marks[empty])

    def _add_result(self, place: Place, status: int, e: Any, o: Any, at: InstancePath) -> None:
        """Adds a result of a place; `status` is the number of its status."""
        if status == MATCH:
            self._add_match(place, e, o, at)
        else:
            self.fields.append(FieldResult(place, at, status, e, o))

    def _compare_unit(self, place: Place, a: Any, b: Any, at: InstancePath) -> None:
        """Compares two values (expected `a`, output `b`) as one and adds the result: presence decides first, then equality, then each
        metric. Where a metric cannot read the expected value, its answer is that problem."""
        rules: Any = place.how
        if rules.unread and a is not MISSING:
            listed = self.weighing and b is MISSING and place.node.policy.one_result == "line"
            problems = None if listed else rules.problems(a)
            if problems is not None:
                self._ask_metrics(place, a, b, at, problems)
                return
        if b is MISSING:
            self.fields.append(FieldResult(place, at, OMISSION, a, b))
        elif a is MISSING and (self.weighing or not rules.alone):
            self.fields.append(FieldResult(place, at, HALLUCINATION, a, b))
        elif not rules.each and json_equal(a, b):
            self._add_match(place, a, b, at)
        elif rules.exact:
            self.fields.append(FieldResult(place, at, MISMATCH, a, b))
        elif rules.single is None or (rules.costs and (not self.weighing or self.asking)):
            self._ask_metrics(place, a, b, at)
        else:
            answer = self._ask_rule(rules.single, a, b)
            if answer.__class__ is not FieldStatus:
                self._settle_result(self.fields, FieldResult(place, at, NOT_JUDGED, a, b), [answer])
            elif answer is FieldStatus.MATCH:
                self._add_match(place, a, b, at)
            else:
                status = answer.number
                if self.weighing and status not in _DECIDED:
                    status = MISMATCH
                self.fields.append(FieldResult(place, at, status, a, b))

    def _ask_metrics(
        self, place: Place, a: Any, b: Any, at: InstancePath, problems: Sequence[RowProblem | None] | None = None
    ) -> None:
        """Asks each metric about two values, and adds the result; where a metric costs, its question is pending.

        `problems` has for each metric why it cannot read the expected value. Of a value that only one side has, the metrics
        are not asked, unless they look at the output alone (`how.alone`).
        """
        node, how = place.node, place.how
        alone_too = how is not None and how.alone
        one_sided = (
            FieldStatus.OMISSION
            if b is MISSING
            else FieldStatus.HALLUCINATION
            if a is MISSING and not alone_too
            else None
        )
        # the keys of an object that are compared as one value
        together = None if node.line is None else node.line.together
        may_ask = not self.weighing or self.asking  # while items are paired, comparators that cost are not asked
        answers: list[Judged | Explained | Question] = []
        result = FieldResult(place, at, NOT_JUDGED, a, b)
        for number, rule in enumerate(how.rules if how is not None else ()):
            problem = None if problems is None else problems[number]
            metric = node.metrics[number]
            if problem is not None:
                answers.append(explained_problem(problem))
            elif one_sided is not None:
                answers.append(one_sided)
            elif metric.comparator.costs and may_ask:
                ready = prepare_rule(metric.comparator, node.transforms, a, b, together)
                if isinstance(ready, Explained):
                    answers.append(ready)
                else:
                    answers.append(Question(self._question_path(result), *ready, a, b))
            else:
                answers.append(self._ask_rule(rule, a, b))
        if any(isinstance(answer, Question) for answer in answers):
            self.pending.append(Pending(self.number, self.fields, len(self.fields), answers))
            self.fields.append(result)
        else:
            self._settle_result(self.fields, result, answers)

    def _question_path(self, result: FieldResult) -> str:
        """The path that a question about a result names."""
        if self.weighing and result.at.node.line is not None:
            return result.at.node.line.name
        return spell_location(shown_location(result))

    def _ask_rule(self, rule: Callable[[Any, Any], Judged], a: Any, b: Any) -> Any:
        """The answer of a rule about two values, or the explained problem that it raised. While pairs are weighed, a problem of the
        environment is raised."""
        try:
            return rule(a, b)
        except RowProblem as error:
            if self.weighing and error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return explained_problem(error)

    def _settle_result(
        self, results: list[FieldResult], result: FieldResult, answers: Sequence[Any], was_pending: bool = False
    ) -> None:
        """Sets the status of a result from the answers of all its metrics, and adds it to `results`. One that `was_pending` stands there
        already."""
        each = [status_of(answer) for answer in answers]
        status = (each[0] if len(each) == 1 else unit_status(each)).number
        if self.weighing:
            self.broken += sum(isinstance(answer, Explained) and answer.problem is not None for answer in answers)
            result.status = status if status in _DECIDED else MISMATCH
        else:
            result.status = status
            if any(answer is not each[0] for answer in answers):
                result.answers = tuple(answers)
        if not was_pending:
            if status == MATCH and not result.answers and not self.weighing:
                self._add_match(result.at, result.expected, result.output, result.location)
            else:
                results.append(result)

    def ask(self) -> None:
        """Asks what is pending: row by row, and of each row one question list for each comparator. What is asked to weigh a pair is
        asked question by question, unless the comparator wants a row at once; then pair by pair. `settle` takes the answers."""
        by_row: dict[int, list[Pending]] = {}
        for each in self.pending:
            by_row.setdefault(each.row, []).append(each)
        for row, pending in by_row.items():
            by_comparator: dict[Hashable, tuple[Comparator, list[tuple[list[Any], int]]]] = {}
            lines = [question.results[question.place].at.node.line for question in pending]
            if lines[0] is not None:
                numbers = [-1 if line is None else line.number for line in lines]
                pending = [pending[index] for index in sorted(range(len(pending)), key=numbers.__getitem__)]
            for _, results, index, answers in pending:
                for number, answer in enumerate(answers):
                    if isinstance(answer, Question):
                        comparator = results[index].at.node.metrics[number].comparator
                        by_comparator.setdefault(comparator.identity, (comparator, []))[1].append((answers, number))
            for comparator, places in by_comparator.values():
                apart = self.weighing and comparator.batch != "row"
                for together in [[place] for place in places] if apart else [places]:
                    questions = [answers[number] for answers, number in together]
                    self._asked.append((together, ask_later(comparator, questions, row)))

    def settle(self) -> None:
        """Takes the answers to what was asked, and settles the results that waited for them."""
        pending, self.pending = self.pending, []
        asked, self._asked = self._asked, []
        as_answer = status_while_weighing if self.weighing else explained_answer
        for places, answers_of in asked:
            for (answers, number), answer in zip(places, answers_of(), strict=True):
                answers[number] = as_answer(answer)
        for _, results, index, answers in pending:
            self._settle_result(results, results[index], answers, True)


def status_while_weighing(answer: Comparison | RowProblem) -> FieldStatus:
    """The status of two values while a pair is weighed, from the answer of a comparator that costs. Without an answer they differ."""
    return FieldStatus.MATCH if isinstance(answer, Comparison) and answer.passed else FieldStatus.MISMATCH
