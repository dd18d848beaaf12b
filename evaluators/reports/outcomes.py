"""What became of every field of a row, as reports list it: one outcome per unit and metric, and one per array.

An array's outcome stands before those of its items. Its score is the share of expected items that match; precision and F1
stand beside it. *Entries* are the outcomes that the overall score, the field score and the overall pass rate are over: what stands
outside of arrays, and each outermost array as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from msgspec.structs import replace

from evaluators.fields.counts import MEASURED
from evaluators.fields.instance_paths import places_above
from evaluators.fields.scored import ListOutcome, Scored
from evaluators.model import MISSING, FieldStatus, Outcome
from evaluators.run.figures import counted

LISTED: Final = MEASURED | {FieldStatus.NOT_JUDGED}
COMPARED: Final = ("compared_expected", "compared_actual")


Listed: TypeAlias = tuple[Outcome, ListOutcome | None, bool]
"""An outcome, the list of which it says how many items are right, and whether it is an entry."""


def outcomes_of(scored: Scored) -> Iterator[Listed]:
    """The outcomes of one row, in the order of the document."""
    arrays = {array.path: array for array in scored.arrays}
    told: set[str] = set()
    for result in scored.fields:
        if result.status not in LISTED:
            continue
        inside = False
        for place in places_above(result.path):
            array = arrays.get(place)
            if array is None or not array.says(result):
                continue
            if array.comparator is not None:
                status = result.status if result.passed is array.passed else _status_of(array)
                yield replace(result, status=status, score=float(array.score)), array, not inside
            elif place not in told:
                told.add(place)
                yield _of_array(array), array, not inside
            inside = True
        own = arrays.get(result.path)
        if own is not None and own.says(result) and (own.alike or own.comparator is not None):
            continue  # the array says it
        yield result, None, not inside and not result.details.get("outside")


def failed_of(scored: Scored) -> Iterator[Outcome]:
    """What is wrong in one row, each thing once.

    An array of which one side has nothing is said as a whole, and any other by what is wrong in its items.
    """
    whole: set[str] = set()
    for outcome, array, _ in outcomes_of(scored):
        if outcome.passed or any(place in whole for place in places_above(outcome.path)):
            continue
        if array is None or array.comparator is not None:
            yield outcome
        elif outcome.code not in ("match", "mismatch"):
            whole.add(outcome.path)
            yield outcome


def entries_of(outcomes: Iterable[Listed]) -> list[Outcome]:
    """The outcomes that the totals are over."""
    return [one for one, _, entry in outcomes if entry and one.status is not FieldStatus.NOT_JUDGED]


def full_path(path: str) -> str:
    """The path as JSONPath spells it. An item that only the output has is `[+2]`, which JSONPath cannot say."""
    return path if path == "$" else f"${'' if path.startswith('[') else '.'}{path}"


def array_items(array: ListOutcome) -> tuple[list[object], list[object], list[object]]:
    """The items of an array: the expected ones that match, the expected ones that do not, and the output's that do not.

    Items in which nothing was measured are none of them."""
    expected = array.expected if isinstance(array.expected, list) else []
    output = array.actual if isinstance(array.actual, list) else []
    kept, used = {row for row, _ in array.pairs}, {column for _, column in array.pairs}
    rows, columns = (range(len(side)) for side in (expected, output))
    aside = array.unmeasured or ((), ())
    missing = [row for row in rows if row not in kept and row not in aside[0]]
    extra = [column for column in columns if column not in used and column not in aside[1]]
    return (
        [item for row, item in enumerate(expected) if row in kept],
        [expected[row] for row in missing],
        [output[column] for column in extra],
    )


def _of_array(array: ListOutcome) -> Outcome:
    """What is said of a list whose items are compared."""
    whole = array.matched + array.missing
    found = f"{array.matched} of {counted(whole, 'expected item')} right" if whole else "no items are expected"
    if array.actual is MISSING:
        found = "the output does not have the list"
    return Outcome(
        array.path, _status_of(array), float(array.score), field=array.field, reason="; ".join((found, *array.notes)),
        expected=array.expected, actual=array.actual, details={"metric": array.align, "code": array.code},
    )  # fmt: skip


def _status_of(array: ListOutcome) -> FieldStatus:
    return FieldStatus.MATCH if array.passed else FieldStatus.MISMATCH
