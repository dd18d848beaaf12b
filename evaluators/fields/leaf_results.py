"""What became of each leaf of a row, as the walk of whole documents reports it: explanations and evidence are made of it."""

from __future__ import annotations

from typing import Any, TypeAlias

from evaluators.model import MISSING, FieldResult, Status
from evaluators.value_class import NamedTuple
from evaluators.values.paths import display
from evaluators.values.quoting import differs

Location: TypeAlias = tuple[str | int, ...]


class LeafOutcome(NamedTuple):
    """One leaf, where it stands, and what became of it. A side that has nothing there is MISSING."""

    place: Location
    status: Status
    expected: Any
    actual: Any


class LeafResults:
    """The leaves of one row: those that do not match, or every one of them, in the order of reports.

    That is the expected document's order; what only the output has follows in the output's own.
    """

    __slots__ = ("_expected", "_extra", "every")

    def __init__(self, every: bool) -> None:
        self.every = every
        """Whether leaves that match are wanted as well."""
        self._expected: list[LeafOutcome] = []
        self._extra: list[LeafOutcome] = []

    def compared(self, place: Location, expected: Any, actual: Any, match: bool) -> None:
        """An expected leaf, and what the output has there."""
        if self.every or not match:
            self._expected.append(LeafOutcome(place, Status.MATCH if match else Status.MISMATCH, expected, actual))

    def lost(self, place: Location, expected: Any) -> None:
        """A leaf that only the expected document has."""
        self._expected.append(LeafOutcome(place, Status.OMISSION, expected, MISSING))

    def extra(self, place: Location, actual: Any) -> None:
        """A leaf that only the output has."""
        self._extra.append(LeafOutcome(place, Status.HALLUCINATION, MISSING, actual))

    def extras(self) -> int:
        """How many leaves only the output had so far."""
        return len(self._extra)

    def order_extras(self, start: int, depth: int, output: dict[str, Any]) -> None:
        """Brings the extra leaves of one object of the output, all from `start` on, into the order of its keys."""
        if len(self._extra) - start > 1:
            order = {key: number for number, key in enumerate(output)}
            self._extra[start:] = sorted(self._extra[start:], key=lambda leaf: order[str(leaf.place[depth])])

    def of_rule(self, rule: str) -> list[FieldResult]:
        """The results, which name the rule that compared them."""
        return [_result(leaf, rule) for leaf in (*self._expected, *self._extra)]


def _result(leaf: LeafOutcome, rule: str) -> FieldResult:
    place, status, expected, actual = leaf
    score = 1.0 if status is Status.MATCH else 0.0
    return FieldResult(display(place), status, score, 1.0, expected, actual, _reason(leaf), rule)


def _reason(leaf: LeafOutcome) -> str:
    if leaf.status is Status.MISMATCH:
        return differs(leaf.expected, leaf.actual)
    return _REASONS[leaf.status]


_REASONS = {
    Status.MATCH: "equal",
    Status.OMISSION: "missing in the output",
    Status.HALLUCINATION: "only the output has it",
}
