"""The right answers of a row that stand in a cell, beside the expected values of a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluators.comparators._comparator import Comparator
from evaluators.fields.frame import Frame, Unpaired
from evaluators.fields.tree import FieldNode
from evaluators.model import MISSING


def with_answers(node: FieldNode, comparator: Comparator, frame: Frame, cells: Sequence[Mapping[str, Any]]) -> Frame:
    """The pairs of a place, each with all the right answers of its row where its expected value stood: that value, then those of the
    cell. An item that only the output has gets none. `cells` are those of each row, by column."""
    column = comparator.answers_column or ""
    found = []
    for at, expected in enumerate(frame.e):
        if expected is MISSING and not _may_be_expected(node, frame, at):
            found.append(MISSING)
            continue
        given = comparator.answers_in(cells[frame.row_of(at)].get(column, MISSING), expected)
        answers = [*given] if expected is MISSING else [expected, *given]
        found.append(answers[0] if len(answers) == 1 and not isinstance(answers[0], list) else answers)
    return Frame(found, frame.o, frame.rows, frame)


def _may_be_expected(node: FieldNode, frame: Frame, at: int) -> bool:
    """Whether the expected document could have a value that it lacks: not in an item of the output alone, nor, where containers have
    results of their own, in an object that the expected document lacks."""
    if any(isinstance(step, Unpaired) for step in frame.items_above(at)):
        return False
    above = (one.e[at] for one, at in frame.way(at) if one is not frame)
    return node.policy.containers == "looked through" or all(isinstance(one, dict | list) for one in above)
