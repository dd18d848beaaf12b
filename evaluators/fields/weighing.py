"""What units that were gathered would come to, found cheaply: for choosing a branch, and for pairing the items of lists.

No judge and no batch is asked here, unless a suite wants it (`ask: leftover`). Their pairs count as matches when both texts are
equal, case and spaces set aside.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from evaluators.comparators._comparator import Comparator, Question
from evaluators.fields.counts import Tallied, tallied
from evaluators.fields.gains import Worth, judged
from evaluators.fields.instance_paths import spelled
from evaluators.fields.rules import Explained, Partial, Rule, answering_rule, near_enough, prepare_rule
from evaluators.fields.tree import Metric
from evaluators.fields.units import Unit
from evaluators.issues import Blame, RowProblem
from evaluators.judges.asking import ask
from evaluators.model import Outcome, Status
from evaluators.value_class import NamedTuple
from evaluators.values.confusion import Confusion
from evaluators.values.equality import same
from evaluators.values.transforms import Transform


class Scales:
    """Weighs units, and keeps the rules it makes."""

    def __init__(self) -> None:
        self._rules: dict[tuple[int, int], tuple[Metric, tuple[Transform, ...], Rule]] = {}

    def tally(self, units: Iterable[Unit]) -> Tallied:
        """The counts of some units."""
        return tallied((unit.key, self._status(unit)) for unit in units)

    def worth(self, units: Iterable[Unit], expected: Any, output: Any, *, asking: bool = False) -> Worth:
        """What a pair of items is worth. `asking`: comparators that cost are asked, too.

        A pair in which nothing is measured is complete when the items are equal; else they have nothing in common. What
        could not be compared is wrong here: a pair is not complete because of it.
        """
        status_of = self._asked_status if asking else self._status
        statuses = ((unit.key, status_of(unit)) for unit in units)
        counts = tallied((key, Status.MISMATCH if status is Status.FAULT else status) for key, status in statuses)
        if not counts.measured:
            return judged(same(expected, output))
        return Worth(counts.match, Confusion(*counts).of_both)

    def _status(self, unit: Unit) -> Status:
        metric = unit.metric
        if unit.status is not None or metric is None:
            return Status.FAULT if unit.unreadable is not None else unit.status or Status.NOT_MEASURED
        if unit.unreadable is not None:
            return Status.FAULT
        try:
            found = self._rule(metric, unit.transforms)(unit.expected, unit.actual)
        except RowProblem as error:
            if error.issue.blame is Blame.ENVIRONMENT:  # how items pair must not depend on the machine
                raise
            return Status.FAULT  # the comparator is asked again once items are paired, and what is wrong is said then
        return found.status if isinstance(found, Partial) else found

    def _asked_status(self, unit: Unit) -> Status:
        metric = unit.metric
        if unit.status is not None or metric is None or unit.unreadable is not None or not asked_alone(metric.comparator):
            return self._status(unit)
        pair = Question(spelled(unit.location), unit.expected, unit.actual, unit.expected, unit.actual)
        return answer_alone(metric.comparator, unit.transforms, pair)

    def _rule(self, metric: Metric, transforms: tuple[Transform, ...]) -> Rule:
        known = self._rules.get((id(metric), id(transforms)))
        if known is None:
            asked = near_enough() if metric.comparator.costs else metric.comparator
            rule = answering_rule(asked, transforms)
            known = self._rules[id(metric), id(transforms)] = (metric, transforms, rule)  # kept, as their ids are keys
        return known[2]


def asked_alone(comparator: Comparator) -> bool:
    """Whether the comparator costs, and may be asked about one pair of values without the others of its row."""
    return comparator.costs and comparator.batch != "row"


def answer_alone(comparator: Comparator, transforms: tuple[Transform, ...], pair: Question) -> Status:
    """What a comparator that costs says of two values, before transforms, of a pair of items. Without an answer they differ."""
    ready = prepare_rule(comparator, transforms, pair.expected, pair.actual)
    if isinstance(ready, Explained):
        return ready.status
    (found,) = ask(comparator, [pair._replace(expected=ready.expected, actual=ready.actual)])
    return Status.MATCH if isinstance(found, Outcome) and found.passed else Status.MISMATCH


class Fit(NamedTuple):
    """How well a branch of a choice fits; the greater the better."""

    outside: int
    """Minus the keys of the expected side that the branch lacks. They come first: what a branch does not look at cannot
    be wrong in it."""
    unreadable: int
    """Minus the expected values that the branch cannot read. Both are the same for any output."""
    measured: bool
    """The branch measures something: a skipped one must not be the best for a wrong output, and hide it."""
    f1: Fraction
    wrong: int

    @staticmethod
    def of(counts: Tallied, outside: int, unreadable: int) -> Fit:
        """The fit of a branch with these counts."""
        return Fit(-outside, -unreadable, counts.measured > 0, counts.f1 or Fraction(0), -counts.wrong)
