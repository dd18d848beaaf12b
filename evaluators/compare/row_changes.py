"""What became of one row, for one evaluator or field, from the base to the new run.

A row is *measured*, or there is *nothing* to measure because nothing is there on either side, or it is *unknown*: skipped,
unusable, unjudged, absent. From measured to unknown a row is lost; it is never called unchanged. Where nothing was to measure and
the new run is wrong, as with an invention, the row is broken: the base was right to say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from evaluators.compare.sides import MEASURED, SCORED, RowVerdict
from evaluators.value_class import NamedTuple

Change: TypeAlias = Literal["broken", "lost", "fixed", "gained", "settled", "unchanged", "never measured"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)
"""The weightiest first: a row that several evaluators look at is what the first of these says."""


class RowMeasure(NamedTuple):
    """What a run says of one row: `earned` of `whole`, and whether that is right. A `whole` of 0 is nothing to measure."""

    earned: Fraction
    whole: int
    right: bool


NOTHING: Final = RowMeasure(Fraction(0), 0, False)
State: TypeAlias = RowMeasure | None
"""None is unknown."""
States: TypeAlias = Callable[[RowVerdict, RowVerdict], tuple[State, State]]
"""What the base and the new run measured in one row."""


def change_of(was: State, now: State) -> Change:
    """What became of a row."""
    if was is None or not was.whole:
        if now is None or not now.whole:
            return "never measured"
        return "gained" if was is None or now.right else "broken"
    if now is None:
        return "lost"
    if not now.whole:
        return "settled"
    if was.right == now.right:
        return "unchanged"
    return "fixed" if now.right else "broken"


def weightiest(changes: Iterable[Change]) -> Change:
    """What becomes of a row that several evaluators look at."""
    return min(changes, key=CHANGES.index, default="never measured")


def score_states(was: RowVerdict, now: RowVerdict) -> tuple[State, State]:
    """The scores of a row. Where a condition set a field aside that the other run measured, nothing is not what is there."""
    one, other = score_state(was), score_state(now)
    return _unless_set_aside(one, was, now), _unless_set_aside(other, now, was)


def score_state(said: RowVerdict) -> State:
    """The score of a row in one run."""
    if said.scored:
        return RowMeasure(exact(said.score or 0.0), 1, bool(said.passed))
    return NOTHING if said.standing == "not_measured" else None


def _unless_set_aside(state: State, said: RowVerdict, other: RowVerdict) -> State:
    if state is not NOTHING:
        return state
    aside = any(
        one == "skipped" and theirs in MEASURED for one, theirs in zip(said.statuses, other.statuses, strict=False)
    )
    return None if aside else NOTHING


def field_states(before: int, after: int) -> States:
    """A field of a row, by its place among the fields of each run."""
    return lambda was, now: (field_state(was, before), field_state(now, after))


def field_state(said: RowVerdict, place: int) -> State:
    """A field of a row in one run."""
    right = said.right(place)
    if right is not None:
        earned, whole = said.counted(place) or (int(right), 1)
        return RowMeasure(Fraction(earned), whole, right)
    status = said.statuses[place] if place < len(said.statuses) else ""
    judged = said.standing in SCORED or said.standing == "not_measured"
    return NOTHING if status == "not_measured" and judged else None


@cache
def exact(score: float) -> Fraction:
    """The fraction that a stored score was rounded from, where it is a small one; else the score as it is."""
    near = Fraction(score).limit_denominator(10_000)
    return near if float(near) == score else Fraction(score)
