"""A search for what is wrong in the documents of a row: which places of a tree need no look.

    search = Searching(root).for_fields(["items[*].sku"])
    search.passes(node, expected, output)

Where both sides are equal nothing is wrong, except in a *loud* place: one that is required, whose comparator looks at the
output alone or cannot read every expected value, or whose items may stay apart however equal they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from evaluators.fields.metrics import places
from evaluators.fields.tree import MOST_NODES, FieldNode, SchemaPath, nodes
from evaluators.value_class import dataclass
from evaluators.values.equality import same

Paths: TypeAlias = frozenset[SchemaPath]


@dataclass(frozen=True)
class Searching:
    """What can be known of a tree before any document is there."""

    root: FieldNode

    @cached_property
    def loud(self) -> Paths | None:
        """The places in which, or below which, equal values may be wrong; None where that holds for all of them."""
        every = list(nodes(self.root))
        if len(every) == MOST_NODES:  # a larger tree, or one that repeats itself
            return None
        return frozenset().union(*[_way_to(node.path) for node in every if _loud(node)])

    @cached_property
    def ways(self) -> dict[str, SchemaPath]:
        """The places that are compared as one value, in the order of the schema, each with its path."""
        return {node.name: node.path for node in places(self.root) if node.unit or node.compound}

    def everywhere(self) -> PairSearch:
        """The search for whatever is wrong."""
        return PairSearch(self.loud, None)

    def for_fields(self, names: Iterable[str]) -> PairSearch:
        """The search for what is wrong in some of the `ways`."""
        return PairSearch(self.loud, frozenset().union(*[_way_to(self.ways[name]) for name in names]))


@dataclass(frozen=True, slots=True)
class PairSearch:
    """Places that need no look."""

    loud: Paths | None
    ways: Paths | None
    """The places that are looked for, and those above them; None for all."""

    def passes(self, node: FieldNode, expected: Any, output: Any) -> bool:
        """Whether what is looked for cannot be at or below this place."""
        if self.ways is not None and node.path not in self.ways:
            return True
        return self.loud is not None and node.path not in self.loud and same(expected, output)


@lru_cache(maxsize=1_000)
def _way_to(path: SchemaPath) -> Paths:
    """A place and all above it."""
    return frozenset(path[:end] for end in range(len(path) + 1))


def _loud(node: FieldNode) -> bool:
    unreadable = any(node.readers) or node.compound_reader is not None
    one_sided = any(metric.comparator.reads == "output" for metric in node.all_metrics)
    return node.required or unreadable or one_sided or node.align.keyless == "apart"
