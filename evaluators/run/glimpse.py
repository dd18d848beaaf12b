"""A glimpse of a test set: what its first rows hold, kept by the pass that scores them.

Where a suite asks for what no row has, a hint names what the rows have in its place. Nothing is read again for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from evaluators.issues import CellError
from evaluators.model import JSON, MISSING
from evaluators.needs import Expected
from evaluators.plan.suite_plan import Plan

FIRST_ROWS: Final = 200
"""Rows that hints look at."""


class Glimpse(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What the first rows hold."""

    rows: int = 0
    read: list[Any] = field(default_factory=list)
    """The documents that any evaluator reads, each once."""
    documents: dict[str, list[int]] = field(default_factory=dict)
    """Those of each evaluator that reads some, row by row, as their places in `read`."""
    expected: dict[str, list[int]] = field(default_factory=dict)
    """The expected documents among them."""
    cells: dict[str, list[Any]] = field(default_factory=dict)
    """The cells that can be read of the columns that conditions look at."""

    def take(self, plan: Plan, columns: Mapping[str, Sequence[Any]], slots: Sequence[Sequence[Any]], count: int) -> None:
        """The next rows. Those past the first ones are not looked at."""
        count = min(count, FIRST_ROWS - self.rows)
        self.rows += count
        known = {id(document): place for place, document in enumerate(self.read)}

        def note(documents: dict[str, list[int]], name: str, found: Iterable[Any]) -> None:
            for document in found:
                if isinstance(document, (dict, list)):
                    if id(document) not in known:
                        known[id(document)] = len(self.read)
                        self.read.append(document)
                    documents.setdefault(name, []).append(known[id(document)])

        for one in plan.evaluators:
            name, needs = one.line.name, one.line.settings.needs()
            note(self.documents, name, (slots[slot][row] for row in range(count) for slot in one.inputs))
            sides = [slot for need, slot in zip(needs, one.inputs, strict=True) if isinstance(need, Expected)]
            note(self.expected, name, (slots[slot][row] for slot in sides for row in range(count)))
            for condition in one.line.when:
                if condition.source == "row" and condition.column in columns:
                    cells = columns[condition.column][:count]
                    kept = self.cells.setdefault(condition.column, [])
                    kept += [cell for cell in cells if cell is not MISSING and not isinstance(cell, CellError)]

    def documents_of(self, evaluator: str) -> list[JSON]:
        """The documents of an evaluator."""
        return [self.read[place] for place in self.documents.get(evaluator, ())]

    def expected_documents(self) -> dict[str, list[JSON]]:
        """The expected documents of each evaluator."""
        return {name: [self.read[place] for place in places] for name, places in self.expected.items()}
