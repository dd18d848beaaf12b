"""The right answers of a row that stand in a cell, beside the expected values of a place or in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.limits import limits_here
from evaluators.model.rows import MISSING
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.fields.absent_values import AbsentValues
from evaluators.scoring.fields.frame import Frame, Unpaired
from evaluators.scoring.fields.tree import FieldNode


def with_answers(node: FieldNode, comparator: Comparator, frame: Frame, cells: Sequence[Mapping[str, Any]]) -> Frame:
    """The pairs of a place, each with all the right answers of its row where its expected value stood: that value, then those of the
    cell. An item that only the output has gets none. `cells` are those of each row, by column."""
    column = comparator.answers_column or ""
    found = []
    read: dict[tuple[int, type], Sequence[Any]] = {}
    """The answers of the cell of a row, as they are read beside expected values of a type."""
    counts: dict[int, int] = {}
    for at, expected in enumerate(frame.e):
        if expected is MISSING and not _may_be_expected(node, frame, at):
            found.append(MISSING)
            continue
        row = frame.row_of(at)
        key = row, expected.__class__
        if key not in read:
            read[key] = comparator.answers_in(cells[row].get(column, MISSING), expected)
        given = read[key]
        counts[row] = counts.get(row, 0) + len(given)
        if len(given) > 1 and counts[row] > limits_here().list_cells:
            raise RowProblem(_too_many(len(given), column))
        answers = [*given] if expected is MISSING else [expected, *given]
        found.append(answers[0] if len(answers) == 1 and not isinstance(answers[0], list) else answers)
    return Frame(found, frame.o, frame.rows, frame)


def with_optional(comparator: Comparator, frame: Frame, parents: Frame | None = None) -> Frame:
    """The pairs of a place whose comparator lists answers. What the output lacks, and may, is what stands for it, where the output has
    the object around it. `parents` are those objects, where the frame itself does not know them."""
    if MISSING not in frame.o:
        return frame
    o = [
        comparator.in_place_of_nothing(a) if b is MISSING and a is not MISSING and _has_around(frame, parents, at) else b
        for at, (a, b) in enumerate(zip(frame.e, frame.o, strict=True))
    ]
    return frame if all(map(is_, o, frame.o)) else Frame(frame.e, o, frame.rows, frame)


def _has_around(frame: Frame, parents: Frame | None, at: int) -> bool:
    """Whether the output has every object and list in which a value stands, or would."""
    way = list(frame.way(at)) if parents is None else [(frame, at), *parents.way(at)]
    first = (
        1
        if parents is not None
        else next((n for n, (one, _) in enumerate(way, start=1) if one.steps is not None), len(way))
    )
    return first < len(way) and all(isinstance(one.o[place], dict | list) for one, place in way[first:])


def with_own_pattern(
    comparator: Comparator, frame: Frame, cells: Sequence[Mapping[str, Any]], alone: bool, absent: AbsentValues
) -> Frame:
    """The pairs of a place whose comparator reads the output alone, each with what the cell of its row says where its expected value
    stood. `alone`: also where the expected side has none, or one that counts as absent. A cell that cannot be used is met in every row,
    whatever the output has."""
    column, rows = comparator.answers_column or "", [frame.row_of(at) for at in range(len(frame.rows))]
    read = {row: comparator.answers_in(cells[row].get(column, MISSING), MISSING)[0] for row in dict.fromkeys(rows)}
    found = [
        read[row] if actual is not MISSING and (alone or not absent.has(expected)) else expected
        for row, expected, actual in zip(rows, frame.e, frame.o, strict=True)
    ]
    return Frame(found, frame.o, frame.rows, frame)


def _too_many(answers: int, column: str) -> Issue:
    most = limits_here().list_cells
    message = (
        f"too many values are compared with the {answers:,} right answers of the row: {most:,} comparisons are the most"
    )
    hint = "list fewer answers, or write limits: {list_cells: NUMBER}"
    return Issue("too-many-answers", Blame.ENVIRONMENT, message, f'column "{column}"', hint)


def _may_be_expected(node: FieldNode, frame: Frame, at: int) -> bool:
    """Whether the expected document could have a value that it lacks: not in an item of the output alone, nor, where containers have
    results of their own, in an object that the expected document lacks."""
    if any(isinstance(step, Unpaired) for step in frame.items_above(at)):
        return False
    above = (one.e[at] for one, at in frame.way(at) if one is not frame)
    return node.policy.containers == "looked through" or all(isinstance(one, dict | list) for one in above)
