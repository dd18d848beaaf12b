"""The contracts of checks that score many rows at once and say of each of them why, and of those that also count, over all their
rows, what became of each path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from evaluators.fields.frame import Frame
from evaluators.fields.path_details import Detail
from evaluators.fields.scored import Documents
from evaluators.fields.walk_findings import WalkedLists
from evaluators.issues import Issue
from evaluators.model import Outcome, Reason, Result


class PathCounts(Protocol):
    """What was counted so far."""

    def counts(self) -> dict[str, tuple[int, int, int, int]]:
        """(match, mismatch, omission, hallucination) by path, sorted by path."""

    def details(self) -> Mapping[Detail, int]:
        """What is counted beside the statuses; see `path_details`."""


class ScoredRows:
    """Rows that were scored together, with all that was found on the way, until they are released.

    What it says of a row is read from what scored it: nothing is compared again. Where questions that cost were only put
    on a list, the rows are pending until they are settled.
    """

    frames: Sequence[Frame] = ()
    """The documents side by side, with what stands at the places that were looked at."""

    @property
    def pairs_by_asking(self) -> bool:
        """Which items go together may depend on answers: once they are there, the rows are gone through again."""
        raise NotImplementedError  # the contract: each family of checks knows its alignments

    def lists(self) -> Sequence[WalkedLists]:
        """The lists that were looked into, with how their items were paired; and those that are skipped."""
        return ()

    def settle(self) -> None:
        """Takes the answers to what was asked."""
        raise NotImplementedError  # the contract: each family of checks settles its own findings

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """Why a row scores what it scores, with all its results. `unreadable` is why there is no output."""
        raise NotImplementedError  # the contract: each family of checks words its own results

    def wrong(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        """The results of a row that are wrong, of the `listed` fields that are `wanted`; "" stands for all other fields."""
        raise NotImplementedError  # the contract: each family of checks words its own results

    def documents(self, at: int) -> Documents | None:
        """Every result of a row that is scored by a schema; None without a schema."""
        return None

    def release(self) -> None:
        """Lets go of what was found. Nobody may ask afterwards."""
        raise NotImplementedError  # the contract: frames know each other in circles


Rows = TypeVar("Rows", bound=ScoredRows)


class ScoredRow(NamedTuple):
    """The verdict of a row, and where to ask why."""

    verdict: Result
    rows: ScoredRows | None = None
    """The rows that it was scored with; None where it could not be scored."""
    at: int = 0
    """Its place among them."""


class ChunkCheck(Generic[Rows]):
    """A check that scores many rows at once. Asked about one row, it raises what keeps that row from being scored."""

    def __call__(self, *values: Any) -> Result:
        """What one row comes to, of which nobody asks more."""
        row = self.alone(*values)
        release_rows([row])
        return row.verdict

    def alone(self, *values: Any) -> ScoredRow:
        """One row, scored. Whoever calls it releases it."""
        (row,) = self.score(*([value] for value in values))
        return row

    def rows(self, *columns: Sequence[Any]) -> list[Result]:
        """The verdicts of some rows of which nobody asks more."""
        found = self.score(*columns)
        release_rows(found)
        return [one.verdict for one in found]

    def score(self, *columns: Sequence[Any]) -> list[ScoredRow]:
        """Some rows, scored: a column for each need. Raises what one of them raises; nothing is counted then. Whoever calls it
        releases the rows."""
        return self.settled(self.begin(*columns))

    def begin(self, *columns: Sequence[Any]) -> Rows:
        """Goes through some rows, and asks what they ask. Raises what one of them raises. The caller releases them."""
        raise NotImplementedError  # the contract: each family of checks scores its own rows

    def settled(self, rows: Rows) -> list[ScoredRow]:
        """The rows, settled and counted. Raises what one of them raises: nothing is counted then, and they are released."""
        raise NotImplementedError  # the contract: each family of checks scores its own rows

    def looked_at(self, *values: Any) -> ScoredRows:
        """One row that is not counted, for who asks about it. Whoever calls it releases it."""
        rows = self.begin(*([value] for value in values))
        rows.settle()
        return rows


class RowsCheck(ChunkCheck[Rows]):
    """A check that scores many rows at once, and counts by path what became of them: those of open trees and of schemas."""

    def counted(self) -> PathCounts:
        """What was counted so far."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths

    def watching(self, paths: Sequence[str]) -> RowsCheck[Rows]:
        """The check, which also says of each row what became of some fields."""
        raise NotImplementedError  # the contract: each family of checks counts its own paths


def release_rows(found: Iterable[ScoredRow]) -> None:
    """Lets go of what was found in some rows."""
    for rows in {id(one.rows): one.rows for one in found}.values():
        if rows is not None:
            rows.release()
