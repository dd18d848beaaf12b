"""The distinct results of one evaluator in one split, by number."""

from __future__ import annotations

from collections.abc import Sequence

from evaluators.model.rows import Result


class Ledger:
    """Numbers the verdicts of one evaluator, by the identity of verdict objects.

    Checks hand out the same object for the same verdict, so most rows cost one look-up. `codes` number the distinct
    verdicts in the order in which they are first met; `verdicts` has them by number. Objects beyond KEPT are looked up by
    value, so that a check that makes a new object for every row costs time and no memory.
    """

    __slots__ = ("_by_id", "_by_value", "_kept", "faulty", "verdicts")

    KEPT = 20_000

    def __init__(self) -> None:
        self.verdicts: list[Result] = []
        self.faulty: set[int] = set()
        """The numbers of verdicts with an issue."""
        self._by_id: dict[int, int] = {}
        self._by_value: dict[Result, int] = {}
        self._kept: list[Result] = []  # an identity is only good while its object lives

    def codes(self, column: Sequence[Result]) -> list[int]:
        """The number of each verdict of a chunk."""
        by_id = self._by_id
        try:
            return [by_id[id(verdict)] for verdict in column]
        except KeyError:
            return [self.code_of(verdict) for verdict in column]

    def code_of(self, verdict: Result) -> int:
        """The code of a verdict: that of an equal one before, or the next number. Verdicts are looked up by their identity
        first, which is fast."""
        code = self._by_id.get(id(verdict))
        if code is not None:
            return code
        code = self._by_value.get(verdict)
        if code is None:
            code = self._by_value[verdict] = len(self.verdicts)
            self.verdicts.append(verdict)
            if verdict.issue is not None:
                self.faulty.add(code)
        if len(self._kept) < self.KEPT:
            self._kept.append(verdict)
            self._by_id[id(verdict)] = code
        return code
