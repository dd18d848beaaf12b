"""The check of listed fields: statuses alone. The statuses of a row are bytes, and the verdict of each combination is made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evaluators.fields.closed import ClosedTree
from evaluators.fields.closed_rows import ListedRows
from evaluators.fields.closed_score import verdict_of
from evaluators.fields.path_check import ChunkCheck, ScoredRow
from evaluators.model import Verdict

_MEMO: Final = 50_000  # combinations of statuses remembered for one evaluator; more are settled anew each time


class ListedCheck(ChunkCheck[ListedRows]):
    """Scores rows by their listed fields: (expected, output, *cells of `columns`) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: ClosedTree, pass_at: float, columns: Sequence[str] = ()) -> None:
        self._tree, self._pass_at, self._columns = tree, pass_at, columns
        self._known: dict[bytes, Verdict] = {}

    def begin(self, *columns: Sequence[Any]) -> ListedRows:
        expected, outputs, *cells = columns
        named = [dict(zip(self._columns, each, strict=True)) for each in zip(*cells, strict=True)] or [{}] * len(expected)
        return ListedRows(self._tree, expected, outputs, named)

    def settled(self, rows: ListedRows) -> list[ScoredRow]:
        try:
            rows.settle()
            count, flat = len(rows), b"".join(rows.statuses)
            return [ScoredRow(self._verdict(rows, row, flat[row::count]), rows, row) for row in range(count)]
        except BaseException:
            rows.release()
            raise

    def _verdict(self, rows: ListedRows, row: int, statuses: bytes) -> Verdict:
        odd, problem = rows.odd.get(row), rows.problem(row)
        if odd is not None or problem is not None:
            judged = [(odd or {}).get(number, status) for number, status in enumerate(statuses)]
            return verdict_of(self._tree, self._pass_at, judged, problem)
        verdict = self._known.get(statuses)
        if verdict is None:
            verdict = verdict_of(self._tree, self._pass_at, statuses)
            if len(self._known) < _MEMO:
                self._known[statuses] = verdict
        return verdict
