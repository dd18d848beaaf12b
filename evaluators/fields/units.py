"""What is shown of the documents of one row: what was compared, and lists with their pairs."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from evaluators.fields.instance_paths import InstancePath
from evaluators.fields.pair import Paired
from evaluators.fields.tree import FieldNode
from evaluators.model import MISSING
from evaluators.values.pairing import Pairs


class ShownList(Struct, frozen=True):
    """An array, with what was paired where both sides may have items."""

    location: InstancePath
    node: FieldNode
    expected: Any
    actual: Any
    paired: Paired | None = None

    @property
    def pairs(self) -> Pairs:
        """The items that go together: (expected, output) indexes."""
        return self.paired.pairs if self.paired is not None else []

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth saying of how the items were paired."""
        return tuple(self.paired.keys.said()) if self.paired is not None else ()

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items the expected side and the output have.

        Those of the output do not count where the expected side has something that is neither a list nor nothing.
        """
        counted = self.expected is MISSING or self.expected is None or isinstance(self.expected, list)
        return _size(self.expected), _size(self.actual) if counted else 0

    @property
    def alone(self) -> list[int]:
        """The items of the output that no expected item is paired with."""
        paired = {column for _, column in self.pairs}
        return [column for column in range(_size(self.actual)) if column not in paired]

    def items(self, path: str) -> list[str]:
        """Where the items stand, in an array at a spelled path."""
        rows = [item_path(path, row) for row in range(_size(self.expected))]
        return rows + [item_path(path, f"+{column}") for column in self.alone]


def item_path(path: str, index: int | str) -> str:
    """Where an item stands, in an array at a spelled path; `+1` is one that only the output has."""
    return f"[{index}]" if path == "$" else f"{path}[{index}]"


def _size(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0
