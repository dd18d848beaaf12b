"""Cells that hold several labels with a mark between them, `nlp; vision`: the mark, and an evaluator that compares them as sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from evaluators.guide.column_cells import comparable_text, is_number
from evaluators.guide.proposal_counts import MOST_ROWS, passed_counts
from evaluators.guide.suite_text import SuggestedEvaluators, comment, literal
from evaluators.scoring.values.quoting import first_texts, quote

FIELD: Final = "labels"
"""What the field with the labels is called."""
_MARKS: Final = (";", "|", "\n", ",", "/")
_NO_LABEL: Final = re.compile(r"[{}\[\]\"]")
"""What JSON has, and a label hardly."""
_LONGEST: Final = 40
_MOST_WORDS: Final = 4
_USES: Final = 2
"""How often a label stands in the cells, in the mean, at the least: parts that hardly come back are no labels."""
_ALIKE: Final = 0.5
_SHOWN: Final = 6


def mark_between_labels(expected: Sequence[Any], outputs: Sequence[Any]) -> str | None:
    """The mark that stands between labels in both columns; None where cells hold one label, or something else."""
    return next((mark for mark in _MARKS if _are_label_lists(expected, outputs, mark)), None)


def evaluators_of_labels(expected: Sequence[Any], outputs: Sequence[Any], mark: str) -> SuggestedEvaluators:
    """The evaluator that compares the labels of a cell in any order, with how many rows it makes right."""
    fields = {FIELD: {"align": "any_order", "transforms": [{"split": {"at": mark}}]}, f"{FIELD}[*]": "exact"}
    rows = [({FIELD: answer}, {FIELD: cell}) for answer, cell in zip(expected, outputs, strict=True)][:MOST_ROWS]
    right = passed_counts(rows, {"labels": {"type": "schema_match", "fields": fields}})["labels"]
    letters = sum(answer == cell for answer, cell in zip(expected, outputs, strict=True))
    names = list(dict.fromkeys(part for cell in expected for part in _labels_in(cell, mark)))
    why = (
        f"Each cell holds labels with {quote(mark)} between them, {len(names)} in all: "
        f"{first_texts([quote(name, 20) for name in names], _SHOWN)}. Their order does not count; the score of a row is its F1. "
        f"All labels are right in {right:,} of {len(rows):,} rows, {letters:,} are the same text."
    )
    lines = [*comment(why), "- name: labels", "  type: schema_match", "  fields:"]
    lines += [f"    {literal(key)}: {literal(value)}" for key, value in fields.items()]
    return SuggestedEvaluators(tuple(lines), (FIELD,), "lists of labels")


def _labels_in(cell: Any, mark: str) -> list[str]:
    """The parts of a text between marks, without outer spaces and empty ones; none for a cell that is no text."""
    return [part for piece in cell.split(mark) if (part := piece.strip())] if isinstance(cell, str) else []


def _are_label_lists(expected: Sequence[Any], outputs: Sequence[Any], mark: str) -> bool:
    """Whether cells are lists of labels with this mark between them: short parts that come again and again, several in some cells, and
    most parts of the outputs among them."""
    cells = [_labels_in(cell, mark) for cell in expected if isinstance(cell, str) and cell.strip()]
    parts = [comparable_text(part) for cell in cells for part in cell]
    several = [cell for cell in cells if len(cell) > 1]
    short = all(
        len(part) <= _LONGEST and len(part.split()) <= _MOST_WORDS and not _NO_LABEL.search(part) for part in parts
    )
    if len(several) < _USES or not short or all(map(is_number, parts)) or len({*parts}) * _USES > len(parts):
        return False
    if not _labels_move(cells):
        return False
    labels = [comparable_text(part) for cell in outputs for part in _labels_in(cell, mark)]
    return bool(labels) and sum(part in {*parts} for part in labels) >= _ALIKE * len(labels)


def _labels_move(cells: Sequence[Sequence[str]]) -> bool:
    """Whether at least half of the labels of cells with several also stand at another place, or in a cell with fewer or more.

    The parts of a text with a fixed form stand where they stand: `Berlin, Germany`, `10 km/h`, `1,234.50 EUR`.
    """
    places: dict[str, set[tuple[int, int]]] = {}
    for cell in {*map(tuple, cells)}:
        for place, part in enumerate(cell):
            places.setdefault(comparable_text(part), set()).add((place, len(cell)))
    parts = {comparable_text(part) for cell in cells if len(cell) > 1 for part in cell}
    return 2 * sum(len(places[part]) > 1 for part in parts) >= len(parts)
