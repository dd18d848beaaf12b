"""A first suite for several outputs that each have their expected answer beside them: an evaluator for each pair of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluators.guide.cell_values import NAMES, comparator_of, line_of_values, offer_as_numbers, with_row_counts
from evaluators.guide.column_cells import holds_containers, nonempty_cells
from evaluators.guide.column_names import ColumnPair
from evaluators.guide.proposal_counts import MOST_ROWS, none_right_message, passed_counts
from evaluators.guide.suite_text import SuggestedEvaluators, comment, literal
from evaluators.runs.metrics import count_text
from evaluators.scoring.fields.inference.proposals import DefaultAnswers

_SHORT: Final = 60
_SEVERAL: Final = 3
"""Rows of which it says something that none is right."""


def evaluators_of_pairs(
    pairs: Sequence[ColumnPair], cells: Mapping[str, Sequence[Any]], ask: DefaultAnswers
) -> SuggestedEvaluators:
    """The lines of a suite with an evaluator for each pair of columns, whose type goes by what the expected cells hold, and the notes on
    pairs of which no row is right."""
    lines = comment("Each output is compared with the expected answer that is called like it.")
    notes: list[str] = []
    for pair in pairs:
        lines_of_pair, note = _pair_lines(pair, cells[pair.output], cells[pair.expected], ask)
        lines += lines_of_pair
        notes += [note] if note else []
    names = tuple(pair.stem for pair in pairs)
    return SuggestedEvaluators(tuple(lines), names, f"in {count_text(len(pairs), 'column')}", tuple(notes))


def _pair_lines(
    pair: ColumnPair, outputs: Sequence[Any], expected: Sequence[Any], ask: DefaultAnswers
) -> tuple[list[str], str]:
    """The lines of the evaluator for one pair of columns, with how many rows are right and, commented out, what would make more right;
    and a note where nothing makes any row right, else "". Rows without an expected answer are left out (`when`)."""
    rows = [(cell, output) for output, cell in zip(outputs, expected, strict=True) if nonempty_cells([cell])][:MOST_ROWS]
    settings: dict[str, Any] = {"name": pair.stem, "output": pair.output, "expected": pair.expected}
    if len(nonempty_cells(expected)) < len(expected):  # a row without an answer is no mistake of the output
        settings["when"] = {f"row.{pair.expected}": {"present": True}}
    line = line_of_values([cell for cell, _ in rows], pair.expected, ask) if rows else None
    if line is not None:
        line, looser = with_row_counts(line, rows, ask)
        type, more = "exact_match", {"compare": line.compare}
        lines = [*comment(f"{NAMES[comparator_of(line)][1]}: {line.why}"), _evaluator_text(type, {**settings, **more})]
    else:
        type, more, what = _type_for([cell for cell, _ in rows])
        tried = {"it": {"type": type, **more}, "case": {"type": "exact_match", "forgive": ["case"]}}
        right = passed_counts(rows, tried) if rows else dict.fromkeys(tried, 0)
        lines = [
            *comment(f"{what}; right in {right['it']:,} of {len(rows):,} rows"),
            _evaluator_text(type, {**settings, **more}),
        ]
        looser = offer_as_numbers(rows)
        if type == "exact_match" and right["case"] > right["it"]:
            lines += comment(
                f"{right['case'] - right['it']:,} more would be right if upper and lower case did not count:"
            )
            lines.append(f"# {_evaluator_text(type, {**settings, 'forgive': ['case']})}")
            return lines, ""
    if looser is not None:
        return [
            *lines,
            *comment(looser[0]),
            f"# {_evaluator_text('exact_match', {**settings, 'compare': looser[1]})}",
        ], ""
    if len(rows) < _SEVERAL or passed_counts(rows, {"it": {"type": type, **more}})["it"]:
        return lines, ""
    return lines, f"{pair.stem}: {none_right_message(rows)}"


def _type_for(expected: Sequence[Any]) -> tuple[str, dict[str, Any], str]:
    """(type, settings, words): the evaluator for expected cells that are no numbers, dates or addresses, and what it looks at in words."""
    if holds_containers(expected):
        return "json_diff_match", {}, "JSON documents, leaf by leaf"
    if expected and sorted(len(str(cell)) for cell in expected)[len(expected) // 2] > _SHORT:
        return (
            "similarity",
            {"method": "words", "case_sensitive": False, "pass_at": 0.5},
            "half of the words are the same",
        )
    return "exact_match", {}, "to the letter"


def _evaluator_text(type: str, settings: Mapping[str, Any]) -> str:
    """An evaluator as one line of a suite."""
    return f"- {type}: {literal(settings)}"
