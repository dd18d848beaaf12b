"""Compare: every unit that waits for an answer gets one, a batch comparator asked once for all its pairs of the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from evaluators.answers import Checked, ask
from evaluators.comparator import Comparator, Question
from evaluators.fields.instance_paths import spelled
from evaluators.fields.rules import Explained, explain_rule, explained_outcome, explained_problem
from evaluators.fields.units import Unit
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import Outcome, Status
from evaluators.values.equality import same
from evaluators.values.transforms import TransformError, chain

Answers: TypeAlias = dict[int, Explained]
"""What was answered, by the number of the unit."""


def compare(units: Sequence[Unit]) -> Answers:
    """An answer for every unit that has no status yet."""
    answers: Answers = {}
    batches: dict[int, tuple[Comparator, list[tuple[int, Question]]]] = {}
    for number, unit in enumerate(units):
        if unit.status is not None or unit.metric is None:
            continue
        comparator = unit.metric.comparator
        if not comparator.batch:
            answers[number] = explain_rule(comparator, unit.transforms, unit.expected, unit.actual)
            continue
        asked = _question(unit)
        if isinstance(asked, Explained):
            answers[number] = asked
        else:
            batches.setdefault(id(comparator), (comparator, []))[1].append((number, asked))
    for comparator, waiting in batches.values():
        found = ask(comparator, [question for _, question in waiting])
        answers.update({number: _explained(one) for (number, _), one in zip(waiting, found, strict=True)})
    return answers


def _question(unit: Unit) -> Question | Explained:
    """What a batch comparator is asked about a unit, or the answer where that is known without asking."""
    expected, actual, apply = unit.expected, unit.actual, chain(unit.transforms)
    if same(expected, actual):
        return Explained(Status.MATCH, "equal")
    if apply is not None:
        try:
            actual = apply(actual)
        except TransformError as error:
            return Explained(Status.ERROR, f"the output's value cannot be transformed: {error}")
        except RowProblem as error:
            return explained_problem(error)
        try:
            expected = apply(expected)
        except TransformError as error:
            message = f"the expected value cannot be transformed: {error}"
            return explained_problem(RowProblem(Issue("expected-not-transformable", Blame.TESTSET, message)))
        except RowProblem as error:
            return explained_problem(error)
        if same(expected, actual):
            return Explained(Status.MATCH, "equal once transformed")
    return Question(spelled(unit.location), expected, actual, unit.expected, unit.actual)


def _explained(found: Checked | RowProblem) -> Explained:
    if isinstance(found, RowProblem):
        return explained_problem(found)
    return explained_outcome(found if isinstance(found, Outcome) else Outcome(float(found), found))
