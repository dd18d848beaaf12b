"""How the values of a place are compared, for each of its metrics, and what their answers come to together."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import Comparison, FieldStatus
from evaluators.scoring.fields.marks import ValueKey, value_key
from evaluators.scoring.fields.rules import (
    Ask,
    Rule,
    answering_rule,
    asks_equality,
    compile_together,
    near_enough,
)
from evaluators.scoring.fields.tree import FieldNode


class UnitRules(Struct, frozen=True):
    """How the values of a place are compared: for each of its metrics."""

    rules: tuple[Rule, ...]
    """For a comparator that costs, what stands in for it where nobody is asked."""
    readers: tuple[Ask | None, ...]
    unread: bool
    """There may be expected values that cannot be read."""
    costs: bool
    """Somebody who costs is asked."""
    each: bool
    """Equal values are compared, too."""
    alone: bool
    """A value of the output is compared where the expected side has none."""
    exact: bool
    """There is one metric, and it is equality."""
    single: Rule | None
    """The rule, where there is one metric."""

    def problems(self, value: Any) -> list[RowProblem | None] | None:
        """What is wrong with an expected value, for each metric; None where all can read it."""
        issues = [None if ask is None else ask(value) for ask in self.readers]
        if all(issue is None for issue in issues):
            return None
        return [None if one is None else RowProblem(one) for one in issues]


def unit_of(node: FieldNode) -> UnitRules:
    """How a place is compared. Kept with the node."""
    comparators = [metric.comparator for metric in node.metrics]
    rules = tuple(answering_rule(near_enough() if one.costs else one, node.transforms) for one in comparators)
    together = None if node.line is None else node.line.together
    if together is not None:
        rules = tuple(compile_together(together, rule) for rule in rules)
    one_sided = any(one.reads == "output" for one in comparators)
    equality = len(comparators) == 1 and not comparators[0].costs and asks_equality(comparators[0], node.transforms)
    return UnitRules(
        rules=rules,
        readers=node.readers,
        unread=any(ask is not None for ask in node.readers),
        costs=any(one.costs for one in comparators),
        # equal objects may have none of the keys that are compared together: then nothing is measured
        each=together is not None or not all(one.reflexive for one in comparators),
        alone=one_sided and node.policy.one_sided == "asked",
        exact=equality and together is None,
        single=rules[0] if len(rules) == 1 else None,
    )


def item_key(node: FieldNode) -> ValueKey | None:
    """What two items share exactly when they match, where they are one value each; None where no such thing is known."""
    if not node.unit or node.skip or node.required or len(node.metrics) != 1 or node.readers[0] is not None:
        return None
    return value_key(node.metrics[0].comparator, node.transforms)


def compared_whole(item: FieldNode) -> FieldNode:
    """The place of the item itself, where of an item that is looked through nothing else is compared; else that of the item."""
    reached = item.below.reached if not item.unit else ()
    return reached[0][1] if len(reached) == 1 and not reached[0][0].steps and reached[0][0].query is None else item


def alone(found: Comparison | RowProblem) -> FieldStatus:
    """What a comparator that costs said of a pair of items that is only weighed. Without an answer they differ."""
    return FieldStatus.MATCH if isinstance(found, Comparison) and found.passed else FieldStatus.MISMATCH
