"""Compare: every unit that waits for an answer gets one, a batch comparator asked once for all its pairs of the row.

An expected value that its comparator cannot read is a fault, also where only the expected side has something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from evaluators.answers import ask
from evaluators.comparator import Comparator, Question
from evaluators.fields.instance_paths import spelled
from evaluators.fields.rules import Explained, explain_rule, explained_answer, explained_problem, prepare_rule
from evaluators.fields.units import Unit
from evaluators.issues import RowProblem

Answers: TypeAlias = dict[int, Explained]
"""What was answered, by the number of the unit."""


def compare(units: Sequence[Unit]) -> Answers:
    """An answer for every unit that has no status yet, and for those whose expected value cannot be read."""
    answers: Answers = {}
    batches: dict[int, tuple[Comparator, list[tuple[int, Question]]]] = {}
    for number, unit in enumerate(units):
        issue = unit.unreadable
        if issue is not None:
            answers[number] = explained_problem(RowProblem(issue))
            continue
        if unit.status is not None or unit.metric is None:
            continue
        comparator = unit.metric.comparator
        if not comparator.batch:
            answers[number] = explain_rule(comparator, unit.transforms, unit.expected, unit.actual)
            continue
        ready = prepare_rule(comparator, unit.transforms, unit.expected, unit.actual)
        if isinstance(ready, Explained):
            answers[number] = ready
        else:
            question = Question(spelled(unit.location), *ready, unit.expected, unit.actual)
            batches.setdefault(id(comparator), (comparator, []))[1].append((number, question))
    for comparator, waiting in batches.values():
        found = ask(comparator, [question for _, question in waiting])
        answers.update({number: explained_answer(one) for (number, _), one in zip(waiting, found, strict=True)})
    return answers
