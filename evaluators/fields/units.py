"""What is shown of the documents of one row: what was compared, and lists with their pairs."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from evaluators.fields.instance_paths import InstancePath
from evaluators.fields.pair import Paired
from evaluators.fields.readable import Ask
from evaluators.fields.tree import FieldNode, Metric, SchemaPath
from evaluators.issues import Issue
from evaluators.model import MISSING, Status
from evaluators.value_class import dataclass
from evaluators.values.pairing import Pairs
from evaluators.values.transforms import Transform

WHOLE = Fraction(1)


@dataclass(frozen=True, slots=True)
class ShownField:
    """One result on its way: a place, its two sides, and a status unless the metric must be asked for it."""

    location: InstancePath
    path: SchemaPath
    expected: Any
    actual: Any
    status: Status | None = None
    metric: Metric | None = None
    """What compares it. A container that is not compared as one value has results without a metric."""
    transforms: tuple[Transform, ...] = ()
    place_weight: Fraction = WHOLE
    """The weight of its place in the schema."""
    outside: bool = False
    """Only the output has it, and the schema does not know it, or only in another branch than the one that fits best."""
    elsewhere: bool = False
    """Another branch of the schema knows it."""
    ask: Ask | None = None
    """What tells expected values that the metric cannot read."""

    @property
    def weight(self) -> Fraction:
        """The weight of its place, times that of its metric."""
        own = WHOLE if self.metric is None else self.metric.weight
        return self.place_weight if own == 1 else self.place_weight * own

    @property
    def unreadable(self) -> Issue | None:
        """What is wrong with the expected value, where the metric cannot read it."""
        return None if self.ask is None or self.expected is MISSING else self.ask(self.expected)

    @property
    def key(self) -> Hashable | None:
        """What the metrics of one unit share; None for a result without a metric."""
        return self.location if self.metric is not None else None


@dataclass(frozen=True, slots=True)
class ShownList:
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
