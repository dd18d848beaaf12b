"""What the verdict of listed fields depends on."""

from __future__ import annotations

from evaluators.fields.closed import ClosedTree
from evaluators.fields.lines import FieldLine
from evaluators.fields.readable import Ask
from evaluators.fields.rules import Rule, asks_equality
from evaluators.fields.trace.looks import Looks, Steps
from evaluators.values.paths import ANY


def looks_of_lines(tree: ClosedTree) -> Looks | None:
    """The rules of fields that are one value each; None where some field is more than that, or hangs on other columns."""
    rules: dict[Steps, Rule] = {}
    readable: dict[Steps, Ask] = {}
    for one in tree.fields:
        line, ask, steps = one.line, one.ask, one.line.path.steps
        if line.skip:
            continue
        if not _one_value(line) or line.comparator is None:
            return None
        if not asks_equality(line.comparator, tree.chain(line)):
            rules[steps] = one.rule
        if ask is not None:
            if any(isinstance(step, int) for step in steps):
                return None
            readable[steps] = ask
    return Looks(rules, readable) if all(line.align is None for line in tree.lines) else None


def _one_value(line: FieldLine) -> bool:
    path, comparator = line.path, line.comparator
    return (
        path.query is None
        and bool(path.steps)
        and ANY not in path.steps
        and not any(isinstance(step, int) and step < 0 for step in path.steps)
        and not line.when
        and line.together is None
        and comparator is not None
        and comparator.reads == "both"
        and not comparator.costs
    )
