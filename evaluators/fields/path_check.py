"""The contract of a check that counts, over all its rows, what became of each path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from evaluators.fields.path_details import Detail
from evaluators.model import Verdict
from evaluators.value_class import NamedTuple


class PathCounts(Protocol):
    """What was counted so far."""

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """(match, mismatch, omission, hallucination) by path, sorted by path."""

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses; see `path_details`."""


class PathNote(NamedTuple):
    """What a check counted in one row."""

    counts: tuple[tuple[int, int], ...]
    """How often each number was met; a number stands for a path and a status, and the check knows which."""
    details: Mapping[Detail, int]
    overflowed: bool = False
    """Some paths were not counted apart, because rows before had so many."""


class PathCheck:
    """A check that counts by path. A check that is no such class, a function for instance, counts nothing.

    Checks of open trees (`open_check`) and of schemas (`schema_check`) implement it.
    """

    def __call__(self, *values: Any) -> Verdict:
        """The verdict of a row, whose paths are counted."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths

    def counted(self) -> PathCounts:
        """What was counted so far."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths

    def drained(self) -> PathNote:
        """What was counted since the last time; counting begins afresh. Asked of evaluators that have looks."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths

    def summed(self, numbers: Mapping[int, int]) -> Mapping[str, Sequence[int]]:
        """Counts by path, from how often each number of its notes was met."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths

    def watching(self, paths: Sequence[str]) -> PathCheck:
        """The check, which also says of each row what became of some fields."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths
