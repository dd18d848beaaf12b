"""The rows of a split whose lists have items without a key, with the key of an earlier one, or too many to compare each with each;
and those whose output has a value where null is expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evaluators.fields.key_counts import KeyCounts, KeyFault, KeyReader
from evaluators.fields.long_lists import FreeList, long_lists
from evaluators.issues import Fault
from evaluators.model import MISSING, Result, RowStatus
from evaluators.needs import Expected, Output
from evaluators.plan.suite_plan import Compiled

_NOT_COMPARED: Final = frozenset((RowStatus.SKIPPED, RowStatus.BLOCKED))


class KeyRows:
    """Reads the keys of one evaluator's lists, row by row. `wanted` says whether it pairs any list by a key."""

    def __init__(self, one: Compiled) -> None:
        self.counts = KeyCounts()
        self._one = one
        fields = one.line.settings.scored_fields()
        self._keyed_lists, self._free_lists = fields.keyed_lists, fields.free_lists
        self._null_unsaid = fields.null_unsaid
        lists, free = tuple(self._keyed_lists()), tuple(self._free_lists())
        self._free: Sequence[FreeList] = free
        self._reader = KeyReader(lists) if lists else None
        self._readers: dict[int, tuple[Any, KeyReader]] = {}
        needs = one.line.settings.needs()
        self._sides = [next((place for place, need in enumerate(needs) if isinstance(need, kind)), -1)
                       for kind in (Expected, Output)]  # fmt: skip
        self._cells = [place for place in range(len(needs)) if place not in self._sides]
        may_be = not lists and not free and -1 not in self._sides and bool(self._cells)
        self._by_row = may_be and _schema_in_a_cell(one.check)

    @property
    def wanted(self) -> bool:
        """Some list may be paired by a key, or freely, or nobody said what null is."""
        return (self._lists or self._null_unsaid) and -1 not in self._sides

    @property
    def _lists(self) -> bool:
        return self._reader is not None or bool(self._free) or self._by_row

    def take(
        self,
        offsets: Sequence[int],
        slots: Sequence[Sequence[Any]],
        verdicts: Sequence[Result],
        codes: Sequence[int],
    ) -> None:
        """The rows of a chunk. Those that the evaluator did not look at, or without an expected answer, say nothing."""
        columns = [slots[slot] for slot in self._one.inputs]
        ours, theirs = (columns[place] for place in self._sides)
        if self._null_unsaid:
            self._take_nulls(ours, theirs, verdicts, codes)
        for index, code in enumerate(codes) if self._lists else ():
            expected, output = ours[index], theirs[index]
            if expected.__class__ is Fault or verdicts[code].status in _NOT_COMPARED:
                continue
            try:
                actual = MISSING if output.__class__ is Fault else output
                reader, free = self._reader, self._free  # of every row
                if self._by_row:
                    reader, free = self._readers_of([columns[place][index] for place in self._cells])
                met = reader.met(expected, actual) if reader is not None else {}
                for path, align, items in long_lists(free, expected, actual):
                    met[KeyFault(path.canonical, align.rule, "expected", "too_long")] = items
            except Exception:  # a row is guarded: its verdict says what is wrong with its schema or its transforms
                continue
            if met:
                self.counts.add(offsets[index], met)
        if self._reader is not None:
            self.counts.looked_for, self.counts.met = self._reader.looked_for, self._reader.met_keys

    def _take_nulls(
        self, ours: Sequence[Any], theirs: Sequence[Any], verdicts: Sequence[Result], codes: Sequence[int]
    ) -> None:
        """What outputs have where null is expected. A document that is right to the letter has nothing there."""
        add = self.counts.add_made_up
        for expected, output, code in zip(ours, theirs, codes, strict=True):
            if expected is not output and verdicts[code].status is RowStatus.SCORED and expected != output:
                add(expected, output)

    def _readers_of(self, cells: Sequence[Any]) -> tuple[KeyReader, Sequence[FreeList]]:
        """The reader of a row whose schema stands in a cell, and the lists that are paired freely."""
        lists, free = self._keyed_lists(*cells), tuple(self._free_lists(*cells))
        known = self._readers.get(id(lists))
        if known is None:
            known = self._readers[id(lists)] = (lists, KeyReader(lists))
        return known[1], free


def _schema_in_a_cell(check: Any) -> bool:
    from evaluators.fields.schema_check import (
        ColumnCheck,  # few evaluators read further cells, and suites without start sooner
    )

    return isinstance(check, ColumnCheck)
