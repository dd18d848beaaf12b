"""The check of whole documents: what each row comes to, and the counts by path over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final

from msgspec.structs import replace

from evaluators.fields.open_rows import OpenRows
from evaluators.fields.open_tree import OpenTree, RowCounts, verdict_of_counts
from evaluators.fields.path_check import RowsCheck, ScoredRow
from evaluators.fields.path_tally import PathTally
from evaluators.model import Result

MEMO: Final = 10_000
"""Verdicts that one evaluator remembers."""


class OpenCheck(RowsCheck[OpenRows]):
    """The check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        self.tree = tree
        self.pass_at = pass_at
        self._tally = PathTally()
        self._watched: tuple[str, ...] = ()
        self._known: dict[RowCounts, Result] = {}

    def counted(self) -> PathTally:
        return self._tally

    def watching(self, paths: Sequence[str]) -> OpenCheck:
        self._watched = tuple(paths)
        return self

    def begin(self, *columns: Sequence[Any]) -> OpenRows:
        return OpenRows(self.tree, *columns)

    def settled(self, rows: OpenRows) -> list[ScoredRow]:
        verdicts = [self._known.get(counts) or self._verdict(counts) for counts in rows.counts]
        if self._watched:
            verdicts = [replace(one, watched=rows.watched(at, self._watched)) for at, one in enumerate(verdicts)]
        rows.walk.count_paths(self._tally)
        self._tally.surplus_rows += sum(counts[4] > 0 for counts in rows.counts)
        self._tally.trim()
        return list(map(ScoredRow, verdicts, repeat(rows), range(len(verdicts))))

    def _verdict(self, counts: RowCounts) -> Result:
        found = verdict_of_counts(self.tree, counts, self.pass_at)
        if len(self._known) < MEMO:
            self._known[counts] = found
        return found
