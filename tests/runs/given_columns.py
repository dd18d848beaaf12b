"""Columns that a test gives, as a figure reads them: in memory, added in as many pieces as the test likes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from evaluators.model.rows import Result
from evaluators.runs.columns import Cells, MemoryColumns
from evaluators.runs.label_pairs import LabelPair
from evaluators.runs.split_rows import Layout


class GivenColumns:
    """Columns by their names; those that the test leaves out hold nothing that counts."""

    def __init__(
        self,
        layout: Layout,
        columns: Mapping[str, Sequence[Any]],
        cuts: Sequence[int] = (),
        verdicts: Sequence[Sequence[Result]] = (),
        pairs: Mapping[int, Sequence[LabelPair]] | None = None,
        patterns: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        self.layout, self._verdicts, self._pairs, self._patterns = layout, verdicts, pairs or {}, patterns or {}
        self._memory = MemoryColumns(layout)
        count = max(map(len, columns.values()), default=0)
        usual: dict[str, Sequence[Any]] = {"row": range(2, 2 + count), "id": [f"R{row}" for row in range(count)]}
        usual |= {name: ["" if name in layout.texts else 0] * count for name in layout.names if name not in usual}
        every = usual | dict(columns)
        for start, end in pairwise([0, *sorted(min(cut, count) for cut in cuts), count]):
            self._memory.add({name: cells[start:end] for name, cells in every.items()})

    def verdicts(self) -> list[list[Result]]:
        return [list(known) for known in self._verdicts]

    def pairs(self, evaluator: int) -> list[LabelPair]:
        return list(self._pairs.get(evaluator, ()))

    def patterns(self, evaluator: int) -> list[str]:
        return list(self._patterns.get(evaluator, ()))

    def read(self, names: Sequence[str], order: str = "row") -> Iterator[Sequence[Cells]]:
        return self._memory.read(names, order)
