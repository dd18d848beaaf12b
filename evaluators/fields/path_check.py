"""The contract of a check that counts, over all its rows, what became of each path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from evaluators.fields.path_details import Detail
from evaluators.model import Verdict


class PathCounts(Protocol):
    """What was counted so far."""

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """(match, mismatch, omission, hallucination) by path, sorted by path."""

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses; see `path_details`."""


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

    def watching(self, paths: Sequence[str]) -> PathCheck:
        """The check, which also says of each row what became of some fields."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths


class ChunkCheck:
    """A check that scores many rows at once. Asked about one row, it raises what keeps that row from being scored."""

    def __call__(self, *values: Any) -> Verdict:
        """The verdict of one row."""
        (verdict,) = self.rows(*([value] for value in values))
        return verdict

    def rows(self, *columns: Sequence[Any]) -> list[Verdict]:
        """The verdicts of some rows: a column for each need. Raises what one of them raises; nothing is counted then."""
        raise NotImplementedError  # the contract: each family of checks scores its own rows


class RowsCheck(ChunkCheck, PathCheck):
    """A check that scores many rows at once, and counts by path."""
