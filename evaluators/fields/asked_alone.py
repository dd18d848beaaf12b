"""Comparators that cost, asked about one pair of values while items are paired."""

from __future__ import annotations

from evaluators.comparators._comparator import Comparator, Question
from evaluators.fields.rules import Explained, prepare_rule
from evaluators.judges.asking import ask
from evaluators.model import Comparison, Status
from evaluators.values.transforms import Transform


def asked_alone(comparator: Comparator) -> bool:
    """Whether the comparator costs, and may be asked about one pair of values without the others of its row."""
    return comparator.costs and comparator.batch != "row"


def answer_alone(comparator: Comparator, transforms: tuple[Transform, ...], pair: Question) -> Status:
    """What a comparator that costs says of two values, before transforms, of a pair of items. Without an answer they differ."""
    ready = prepare_rule(comparator, transforms, pair.expected, pair.actual)
    if isinstance(ready, Explained):
        return ready.status
    (found,) = ask(comparator, [pair._replace(expected=ready.expected, actual=ready.actual)])
    return Status.MATCH if isinstance(found, Comparison) and found.passed else Status.MISMATCH
