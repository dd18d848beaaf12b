"""Compare: every unit that waits for an answer gets one; those of a comparator that costs are asked about together.

An expected value that its comparator cannot read is a fault, also where only the expected side has something.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from evaluators.comparators._comparator import Comparator, Question
from evaluators.fields.instance_paths import spelled
from evaluators.fields.rules import Explained, explain_rule, explained_answer, explained_problem, prepare_rule
from evaluators.fields.units import Unit
from evaluators.issues import RowProblem
from evaluators.judges.asking import ask

Answers: TypeAlias = dict[int, Explained]
"""What was answered, by the number of the unit."""


def compare(units: Sequence[Unit], costly_only: bool = False) -> Answers:
    """An answer for every unit that has no status yet, and for those whose expected value cannot be read.

    `costly_only` asks what goes on the list, and nothing else.
    """
    answers: Answers = {}
    asked: dict[Hashable, tuple[Comparator, list[tuple[int, Question]]]] = {}
    for number, unit in enumerate(units):
        issue = unit.unreadable
        if issue is not None:
            answers[number] = explained_problem(RowProblem(issue))
            continue
        if unit.status is not None or unit.metric is None:
            continue
        comparator = unit.metric.comparator
        if not comparator.costs:
            if costly_only:
                continue
            answers[number] = explain_rule(comparator, unit.transforms, unit.expected, unit.actual)
            continue
        ready = prepare_rule(comparator, unit.transforms, unit.expected, unit.actual)
        if isinstance(ready, Explained):
            answers[number] = ready
        else:
            question = Question(spelled(unit.location), *ready, unit.expected, unit.actual)
            asked.setdefault(comparator.identity, (comparator, []))[1].append((number, question))
    for comparator, waiting in asked.values():
        found = ask(comparator, [question for _, question in waiting])
        answers.update({number: explained_answer(one) for (number, _), one in zip(waiting, found, strict=True)})
    return answers
