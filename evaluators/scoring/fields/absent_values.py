"""Values that say that nothing is there, such as null or "": at a place that has one, the documents are read as if they lacked it.

Of a value that is compared as one, that counts which is compared: what its transforms make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.marks import LeavesOf, ValueKey, leaves_of_node
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.fields.unit_rules import item_key
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.transforms import TransformError, chain

BothAbsent: TypeAlias = Literal["skip", "match"]
_NOTHING: Final = "absent"


class AbsentValues(Struct, frozen=True, eq=False):
    """What an evaluator takes for absent, besides what is missing."""

    values: Sequence[Any] = ()
    both: BothAbsent = "skip"
    """What a place is that is absent on both sides, where one of them has such a value."""

    def has(self, value: Any) -> bool:
        """Whether a value is missing, or one of them."""
        if value is MISSING or not self.values:
            return value is MISSING
        return any(same(value, one) for one in self.values)

    @property
    def if_any(self) -> Callable[[Any], bool] | None:
        """The same question; None where only what is missing is absent."""
        return self.has if self.values else None

    def at(self, node: FieldNode) -> Callable[[Any], bool]:
        """Whether a value at a place counts as absent."""
        change = chain(node.transforms) if node.unit and self.values else None
        if change is None:
            return self.has

        def changed_is_absent(value: Any) -> bool:
            try:
                return value is MISSING or self.has(change(value))
            except (TransformError, RowProblem):  # a value that cannot be changed counts as it is
                return self.has(value)

        return changed_is_absent

    def leaves_of(self, node: FieldNode) -> LeavesOf:
        """What gives the leaves of an item (see `marks`): nothing of what is absent."""
        return leaves_of_node(node, self if self.values else None)

    def item_key_of(self, node: FieldNode) -> ValueKey | None:
        """What two items share exactly when they match, where they are one value each: absent ones share one key."""
        key, absent = item_key(node), self.at(node)
        if key is None or not self.values:
            return key

        def key_or_nothing(value: Any) -> Hashable:
            return _NOTHING if absent(value) else (key(value),)

        return key_or_nothing


NONE_ABSENT: Final = AbsentValues()
"""A value is always there; what is missing is not."""
