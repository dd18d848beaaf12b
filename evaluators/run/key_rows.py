"""The rows of a split whose lists have items without a key, or with the key of an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evaluators.fields.key_counts import KeyCounts, KeyReader
from evaluators.issues import Fault
from evaluators.model import MISSING, Standing, Verdict
from evaluators.needs import Expected, Output
from evaluators.plan.suite_plan import Compiled

_NOT_COMPARED: Final = frozenset((Standing.SKIPPED, Standing.BLOCKED))


class KeyRows:
    """Reads the keys of one evaluator's lists, row by row. `wanted` says whether it pairs any list by a key."""

    def __init__(self, one: Compiled) -> None:
        self.counts = KeyCounts()
        self._one = one
        self._keyed_lists = one.line.settings.scored_fields().keyed_lists
        lists = tuple(self._keyed_lists())
        self._reader = KeyReader(lists) if lists else None
        self._readers: dict[int, tuple[Any, KeyReader]] = {}
        needs = one.line.settings.needs()
        self._sides = [next((place for place, need in enumerate(needs) if isinstance(need, kind)), -1)
                       for kind in (Expected, Output)]  # fmt: skip
        self._cells = [place for place in range(len(needs)) if place not in self._sides]
        may_be = not lists and -1 not in self._sides and bool(self._cells)
        self._by_row = may_be and _schema_in_a_cell(one.check)

    @property
    def wanted(self) -> bool:
        """Some list may be paired by a key."""
        return (self._reader is not None or self._by_row) and -1 not in self._sides

    def take(
        self, offsets: Sequence[int], slots: Sequence[Sequence[Any]], verdicts: Sequence[Verdict], codes: Sequence[int]
    ) -> None:
        """The rows of a chunk. Those that the evaluator did not look at, or without an expected answer, say nothing."""
        columns = [slots[slot] for slot in self._one.inputs]
        ours, theirs = (columns[place] for place in self._sides)
        for index, code in enumerate(codes):
            expected, output = ours[index], theirs[index]
            if expected.__class__ is Fault or verdicts[code].standing in _NOT_COMPARED:
                continue
            try:
                reader = self._reader or self._reader_of([columns[place][index] for place in self._cells])
                met = reader.met(expected, MISSING if output.__class__ is Fault else output)
            except Exception:  # a row is guarded: its verdict says what is wrong with its schema or its transforms
                continue
            if met:
                self.counts.add(offsets[index], met)
        if self._reader is not None:
            self.counts.looked_for, self.counts.met = self._reader.looked_for, self._reader.met_keys

    def _reader_of(self, cells: Sequence[Any]) -> KeyReader:
        """The reader of a row whose schema stands in a cell."""
        lists = self._keyed_lists(*cells)
        known = self._readers.get(id(lists))
        if known is None:
            known = self._readers[id(lists)] = (lists, KeyReader(lists))
        return known[1]


def _schema_in_a_cell(check: Any) -> bool:
    from evaluators.fields.schema_check import (
        ColumnCheck,  # few evaluators read further cells, and suites without start sooner
    )

    return isinstance(check, ColumnCheck)
