"""Near misses of documents: what happened to many fields at once, named where it happened.

Only recorded results are looked at: in each row, the fields that are missing are held against those that were invented, and
the wrong values of a list against each other. Nothing is paired that is not equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Final, Literal, TypeAlias

from evaluators.model import MISSING, FieldStatus, Outcome
from evaluators.reports.near_miss_section import NearMiss
from evaluators.reports.recorded_paths import steps_of
from evaluators.run.reader import Run
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.equality import same
from evaluators.values.json_text import to_text
from evaluators.values.path_text import ANY, Step
from evaluators.values.paths import display

MOST_LINES: Final = 5_000
_SHOWN_ROWS: Final = 5
_Values: TypeAlias = dict[tuple[Step, ...], Any]
_Seen: TypeAlias = tuple[str, str, str]
"""The field, what it says in words, and the line to write."""


def document_near_misses(lines: Sequence[EvaluatorLine], record: Run) -> Iterator[NearMiss]:
    """What happened to the documents of each evaluator with a schema, for each variant."""
    names = {line.name for line in lines if line.settings.type == "schema_match"}
    for kept in record.facts.variants if names else ():
        found: dict[tuple[str, _Seen], Counter[int]] = {}
        outcomes = islice(record.outcomes(kept.variant), MOST_LINES)
        first = not kept.every_outcome or kept.outcomes > MOST_LINES
        wanted = (line for line in outcomes if isinstance(line, Outcome) and line.evaluator in names)
        for (evaluator, row), results in groupby(wanted, key=lambda line: (line.evaluator, line.row)):
            for seen, times in _of_row(list(results)):
                found.setdefault((evaluator, seen), Counter())[row] += times
        for (evaluator, (field, said, write)), rows in found.items():
            turned = sum(rows.values())
            shown = tuple(islice(rows, _SHOWN_ROWS))
            yield NearMiss(
                evaluator, kept.variant, field, said, write, turned, turned, first, shown, len(rows), named=True
            )


def _of_row(results: Sequence[Outcome]) -> Iterator[tuple[_Seen, int]]:
    missing = _values(results, FieldStatus.OMISSION, "expected")
    invented = _values(results, FieldStatus.HALLUCINATION, "actual")
    if (key := _wrapping_key(missing, invented)) is not None:
        yield ("$", f'the output has everything under one more key, "{key}"', ""), len(invented)
        return
    for steps, value in missing.items():
        if value is None:
            said = "null is expected, and the output leaves the key out; null may say that nothing is there"
            yield (_field(steps), said, "nulls: absent"), 1
    for steps, value in missing.items():
        others = [
            other
            for other, given in invented.items()
            if other[:-1] == steps[:-1] and value is not None and same(value, given)
        ]
        if steps and len(others) == 1 and not isinstance(others[0][-1], int):
            yield (_field(steps), f'the output has the same value under another key, "{others[0][-1]}"', ""), 1
    yield from _reordered(results)


def _values(results: Iterable[Outcome], status: FieldStatus, side: Literal["expected", "actual"]) -> _Values:
    found = ((steps_of(one.path), getattr(one, side)) for one in results if one.status is status)
    return {steps: value for steps, value in found if value is not MISSING}


def _wrapping_key(missing: _Values, invented: _Values) -> Step | None:
    """The one key under which an output has what was expected; None where there is none."""
    first = {steps[0] for steps in invented if steps}
    if len(first) != 1 or len(missing) < 2:
        return None
    (key,) = first
    inside: Any = {steps[1:]: value for steps, value in invented.items()}
    whole = inside.get(())
    if isinstance(whole, dict):  # an invented object is one result
        inside = {steps: _at(whole, steps) for steps in missing}
    found = sum(steps in inside and same(value, inside[steps]) for steps, value in missing.items())
    return key if 2 * found >= len(missing) else None


def _at(document: Any, steps: Iterable[Step]) -> Any:
    for step in steps:
        if isinstance(document, dict) and isinstance(step, str):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            document = document[step]
        else:
            return None
    return document


def _reordered(results: Iterable[Outcome]) -> Iterator[tuple[_Seen, int]]:
    """Lists of objects whose wrong values are each expected at another item."""
    lists: dict[tuple[Step, ...], dict[tuple[Step, ...], list[tuple[str, str]]]] = {}
    for one in results:
        steps = steps_of(one.path) if one.status is FieldStatus.MISMATCH else ()
        at = next((place for place in reversed(range(len(steps))) if isinstance(steps[place], int)), None)
        if at is not None and at + 1 < len(steps) and one.expected is not MISSING and one.actual is not MISSING:
            fields = lists.setdefault(steps[:at], {})
            fields.setdefault(steps[at + 1 :], []).append((to_text(one.expected), to_text(one.actual)))
    for steps, fields in lists.items():
        wrong = [(Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)) for pairs in fields.values()]
        if all(expected == actual for expected, actual in wrong):
            said = "the items are those that are expected, in another order"
            yield (_field(steps), said, "align: hungarian"), sum(map(len, fields.values()))


def _field(steps: Sequence[Step]) -> str:
    return display(tuple(ANY if isinstance(step, int) else step for step in steps)) if steps else "$"
