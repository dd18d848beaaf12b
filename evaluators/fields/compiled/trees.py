"""Whole trees, compiled: nodes to walkers, and the walk of one row."""

from __future__ import annotations

from math import lcm
from typing import Any, Final

from evaluators.fields.compiled.coding import Coding
from evaluators.fields.compiled.compiled_arrays import ArrayWalker
from evaluators.fields.compiled.compiled_units import compile_unit, skipped_walker, unit_walker
from evaluators.fields.compiled.objects import compile_object
from evaluators.fields.compiled.walker import Codes, CompiledUnit, NotCompiled, Walker
from evaluators.fields.gain_columns import exact, transitive, weigher
from evaluators.fields.tree import FieldNode, nodes
from evaluators.issues import RowProblem
from evaluators.model import MISSING

DEEP: Final = 16
MOST_AT_ONCE: Final = 1_000
"""A container that stands so deep, or after so many others, is compiled when it is first met: a schema may refer to itself."""


class CompiledTree:
    """A compiled tree. `walk` gives the codes of a row; `coding.events` says what they stand for."""

    def __init__(self, root: FieldNode, surplus_counts: bool = False) -> None:
        self.root = root
        self._surplus_counts = surplus_counts
        self._scale = scale_of(root)
        self.forget()

    def forget(self) -> None:
        """Starts the numbering of events afresh; codes given so far mean nothing any more."""
        self.coding = Coding(self._scale, self._surplus_counts)
        self._built = 0
        self._walker = self._build(self.root, inside=False)

    @property
    def problem(self) -> RowProblem | None:
        """What kept a result of the last row from being measured, where something else than the output did."""
        return self.coding.problem

    def walk(self, expected: Any, output: Any) -> Codes:
        """The codes of one row. A side that is not there is MISSING.

        Raises Rare for an empty expected document: what is an equal or a filled place elsewhere is nothing at all here.
        """
        self.coding.problem = None
        codes: Codes = []
        if not expected and expected == {}:
            raise NotCompiled
        if expected is output and expected is not MISSING:
            self._walker.equal(expected, codes)
        else:
            self._walker.both(expected, output, codes)
        return codes

    def _unit(self, node: FieldNode, inside: bool) -> CompiledUnit:
        if not plain(node):
            raise NotCompiled
        return compile_unit(self.coding, node, inside)

    def _build(self, node: FieldNode, inside: bool) -> Walker:
        if not plain(node):
            raise NotCompiled
        if node.skip:
            return skipped_walker(self.coding, node, inside)
        if node.unit:
            return unit_walker(self._unit(node, inside))
        self._built += 1
        at_once = len(node.path) < DEEP and self._built <= MOST_AT_ONCE
        return self._container(node, inside) if at_once else self._late(node, inside)

    def _container(self, node: FieldNode, inside: bool) -> Walker:
        below = node.below
        if node.kind == "object":
            return compile_object(self.coding, node, below, inside, self._unit, self._build)
        item = below.items
        if item is None:
            raise NotCompiled
        unit = self._unit(item, inside=True) if item.unit and not item.skip else None
        walker = unit_walker(unit) if unit is not None else self._build(item, inside=True)
        aligned = node.align.how in ("any_order", "hungarian")
        weigh = item.once(weigher) if aligned else None
        alike = aligned and transitive(item)
        return ArrayWalker(self.coding, node, walker, unit, weigh, inside, alike, alike and exact(item)).walker()

    def _late(self, node: FieldNode, inside: bool) -> Walker:
        built: list[Walker] = []

        def get() -> Walker:
            if not built:
                built.append(self._container(node, inside))
            return built[0]

        return Walker(
            lambda expected, output, out: get().both(expected, output, out),
            lambda value, out: get().lost(value, out),
            lambda value, out: get().extra(value, out),
            lambda value, out: get().equal(value, out),
        )


def compilable(root: FieldNode) -> bool:
    """Whether a tree has nothing rare in it: see the head of this package. Only its nearest places are looked at."""
    return all(map(plain, nodes(root)))


def plain(node: FieldNode) -> bool:
    """Whether one place has nothing rare about it."""
    metrics = [metric.comparator for metric in node.metrics]
    if node.kind == "choice" or node.compound is not None or any(each.costs for each in metrics):
        return False
    bare = node.kind == "array" and node.below.items is None
    return node.unit or node.skip or not (node.required or bare)


def scale_of(root: FieldNode) -> int:
    """What every weight of a tree is multiplied with to be a whole number."""
    weights = {node.weight for node in nodes(root)}
    weights |= {node.weight * metric.weight for node in nodes(root) for metric in node.metrics}
    return lcm(*{weight.denominator for weight in weights})
