"""A glimpse of a test set: what its first rows hold, kept by the pass that scores them.

Where a suite asks for what no row has, a hint names what the rows have in its place. Nothing is read again for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from evaluators.model import JSON
from evaluators.needs import Expected
from evaluators.plan.suite_plan import Plan
from evaluators.value_class import dataclass, field

FIRST_ROWS: Final = 200
"""Rows that hints look at."""


@dataclass(slots=True)
class Glimpse:
    """What the first rows hold."""

    rows: int = 0
    documents: dict[str, list[JSON]] = field(default_factory=dict)
    """The documents of each evaluator that reads some, row by row."""
    expected: dict[str, list[JSON]] = field(default_factory=dict)
    """The expected documents among them."""
    cells: dict[str, list[Any]] = field(default_factory=dict)
    """The cells of the columns that conditions look at."""

    def take(self, plan: Plan, columns: Mapping[str, Sequence[Any]], slots: Sequence[Sequence[Any]], count: int) -> None:
        """The next rows. Those past the first ones are not looked at."""
        count = min(count, FIRST_ROWS - self.rows)
        self.rows += count
        for one in plan.evaluators:
            found = [slots[slot][index] for index in range(count) for slot in one.inputs]
            documents = [each for each in found if isinstance(each, (dict, list))]
            if documents:
                self.documents.setdefault(one.line.name, []).extend(documents)
            sides = [
                slot
                for need, slot in zip(one.line.settings.needs(), one.inputs, strict=True)
                if isinstance(need, Expected)
            ]
            wanted = [slots[slot][index] for slot in sides for index in range(count)]
            self.expected.setdefault(one.line.name, []).extend(each for each in wanted if isinstance(each, (dict, list)))
            for condition in one.line.when:
                if condition.source == "row" and condition.column in columns:
                    self.cells.setdefault(condition.column, []).extend(columns[condition.column][:count])


def together(glimpses: Iterable[Glimpse]) -> Glimpse:
    """What several of them hold, such as those of variants."""
    found = Glimpse()
    for each in glimpses:
        found.rows += each.rows
        for name, documents in each.documents.items():
            found.documents.setdefault(name, []).extend(documents)
        for column, cells in each.cells.items():
            found.cells.setdefault(column, []).extend(cells)
    return found
