"""How plain cells are compared that hold numbers, dates or addresses: with a comparator, as a field is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from evaluators.guide.proposal_counts import accepts_looser, looser_comparators, passed_counts
from evaluators.scoring.fields.inference.proposals import DefaultAnswers, propose
from evaluators.scoring.fields.inference.suggested_lines import SuggestedLine

WHOLE_NUMBER: Final = re.compile(r"0|[1-9][0-9]*")
NAMES: Final = {"numeric": ("number", "numbers"), "date": ("date", "dates"), "url": ("address", "addresses")}
"""The comparators of such values, what an evaluator with one of them is called, and what they are."""
_CENTS: Final = re.compile(r",[0-9]{2,}\b")
_A_NAME: Final = 3
"""Digits from which on numbers of one length are rather names."""


def line_of_values(expected: Sequence[Any], column: str, ask: DefaultAnswers) -> SuggestedLine | None:
    """The line that compares cells with numbers, dates or addresses; None for cells of any other kind, and for whole numbers, which may be
    names. `ask` is asked where the cells may be read in several ways."""
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in expected]
    if all(WHOLE_NUMBER.fullmatch(str(cell)) for cell in cells):
        return None
    proposal = propose(cells, column, ask)
    compare = {"numeric": {"parse": True}} if proposal.compare == "numeric" else proposal.compare
    line = SuggestedLine((), compare, proposal.why, several=proposal.several)
    return line if comparator_of(line) in NAMES and not _may_be_lists(compare, cells) else None


def _may_be_lists(compare: Any, cells: Sequence[Any]) -> bool:
    """Whether cells whose only mark is a comma, such as `1,2`, may be lists as well as numbers: before a single digit."""
    parse = (
        compare["numeric"].get("parse")
        if isinstance(compare, dict) and isinstance(compare.get("numeric"), dict)
        else None
    )
    return isinstance(parse, dict) and [*parse] == ["decimal"] and not any(_CENTS.search(str(cell)) for cell in cells)


def comparator_of(line: SuggestedLine) -> str:
    """The name of the comparator that a line has, whose settings may be beside it."""
    return str(next(iter(line.compare))) if isinstance(line.compare, dict) else str(line.compare)


def with_row_counts(
    line: SuggestedLine, rows: Sequence[tuple[Any, Any]], ask: DefaultAnswers
) -> tuple[SuggestedLine, tuple[str, Any] | None]:
    """(line, offer): the line, whose reason now says how many rows of (expected, output) it makes right, and a looser comparator that would
    make more right, with the sentence that says so.

    The offer is None where nothing looser helps, and where `ask` accepts it, so that the line has it already.
    """
    looser = looser_comparators(line, [output for _, output in rows])
    compared = {f"loose_{place}": {"compare": candidate.compare} for place, candidate in enumerate(looser)}
    settings: dict[str, dict[str, Any]] = {"proposed": {"compare": line.compare}, "letters": {}, **compared}
    right = passed_counts(rows, {name: {"type": "exact_match", **setting} for name, setting in settings.items()})
    why = f"{line.why}; right in {right['proposed']:,} of {len(rows):,} rows, {right['letters']:,} to the letter"
    best = max(compared, key=right.__getitem__, default="proposed")
    more = right[best] - right["proposed"]
    if more < 1:
        return replace(line, why=why), None
    chosen = looser[[*compared].index(best)]
    if accepts_looser(ask, NAMES[comparator_of(line)][1], more, chosen.forgives):
        why = f"{why}; {more:,} more since it was chosen that {chosen.forgives}"
        return replace(line, compare=chosen.compare, why=why), None
    return replace(line, why=why), (f"{more:,} more would be right if {chosen.forgives}:", chosen.compare)


def offer_as_numbers(rows: Sequence[tuple[Any, Any]]) -> tuple[str, Any] | None:
    """(sentence, comparator): an offer to compare whole numbers as numbers; None where that makes no further row right, for other cells,
    and for long digits that all have one length, which are rather names. `rows` are (expected, output)."""
    texts = [str(cell).strip() for cell, _ in rows]
    if not texts or not all(map(WHOLE_NUMBER.fullmatch, texts)):
        return None
    if len({*map(len, texts)}) == 1 and len(texts[0]) >= _A_NAME:
        return None
    compare = {"numeric": {"parse": True}}
    right = passed_counts(
        rows, {"number": {"type": "exact_match", "compare": compare}, "letters": {"type": "exact_match"}}
    )
    more = right["number"] - right["letters"]
    reason = f"{more:,} more would be right if the digits were numbers and no names, such as 12.0 for 12:"
    return (reason, compare) if more > 0 else None
