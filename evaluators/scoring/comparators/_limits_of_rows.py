"""The setting `between` of `numeric`: limits that each row has, in its expected value or in a column beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, StringConstraints

from evaluators.model.issues import Blame, Issue
from evaluators.model.settings import bad, spell
from evaluators.scoring.values.number_ranges import NumberRange
from evaluators.scoring.values.numbers import Number
from evaluators.scoring.values.quoting import quote

EXPECTED: Final = "expected"
ROW: Final = "row."
Side: TypeAlias = Literal["below", "above"]


def _check_between(between: object) -> object:
    """The setting `between`: `expected`, or the column of the upper limit. Raises BadSettings for anything else."""
    if between in (None, EXPECTED) or (isinstance(between, str) and between.startswith(ROW) and between[4:].strip()):
        return between
    named = between.get("column") if isinstance(between, dict) else between
    column = named.removeprefix(ROW).strip() if isinstance(named, str) else ""
    hint = f"write between: expected for a range such as 10-20, or between: {ROW}{column or 'COLUMN'} for the column of the upper limit"
    raise bad(f"the limits are in the expected value, or the upper one is in a column; found {spell(between)}", hint=hint)


Between: TypeAlias = Annotated[
    Literal["expected"] | Annotated[str, StringConstraints(pattern=r"^row\.\s*\S")] | None,
    BeforeValidator(_check_between),
]


def side_outside(limits: NumberRange, number: Number, close: Callable[[Number, Number], bool] | None) -> Side | None:
    """The side of its limits on which a number is, by more than a tolerance; None for a number within them.

    `close(limit, number)` says whether a number is within the tolerance of a limit; None where there is no tolerance.
    """
    low, high, without_limit = limits
    if low is not None and (number < low or (without_limit and number == low)):
        return None if close is not None and close(low, number) else "below"
    if high is not None and (number > high or (without_limit and number == high)):
        return None if close is not None and close(high, number) else "above"
    return None


def no_limits_issue(expected: object) -> Issue:
    """The problem of an expected value that holds no limits; the test set is to blame."""
    message = f"the expected value {quote(expected)} is neither a number nor a range"
    hint = "write 10-20, >= 5 or < 5, the lower limit first; `parse` says how its numbers are written"
    return Issue("expected-no-range", Blame.TESTSET, message, hint=hint)
