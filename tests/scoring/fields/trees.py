"""Short ways to write a tree of nodes in a test. Paths are filled in from where a node stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.comparators.exact import Exact
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.tree import Below, Compound, FieldNode, Metric, SchemaPath
from evaluators.scoring.values.paths import ANY

Planned: TypeAlias = Callable[[SchemaPath], FieldNode]
"""A node that waits for its path."""


def metric(comparator: Comparator | None = None, name: str = "exact", weight: Fraction = Fraction(1)) -> Metric:
    return Metric(name, comparator or Exact(), name, weight)


def leaf(*metrics: Metric, **settings: Any) -> Planned:
    return lambda path: FieldNode(path, "leaf", metrics or (metric(),), **settings)


def obj(
    keys: Mapping[str, Planned] | None = None,
    others: Planned | None = None,
    compound: tuple[Sequence[str], Metric] | None = None,
    **settings: Any,
) -> Planned:
    def at(path: SchemaPath) -> FieldNode:
        def make() -> Below:
            below = {key: child((*path, key)) for key, child in (keys or {}).items()}
            return Below(keys=below, others=others((*path, ANY)) if others is not None else None)

        unit = Compound(tuple(compound[0]), compound[1]) if compound is not None else None
        return FieldNode(path, "object", compound=unit, make=make, **settings)

    return at


def array(item: Planned, how: Any = "ordered", **settings: Any) -> Planned:
    align = how if isinstance(how, Align) else Align(how)
    return lambda path: FieldNode(path, "array", align=align, make=lambda: Below(items=item((*path, ANY))), **settings)


def choice(*branches: Planned, **settings: Any) -> Planned:
    return lambda path: FieldNode(
        path, "choice", make=lambda: Below(branches=tuple(branch(path) for branch in branches)), **settings
    )


def tree(planned: Planned) -> FieldNode:
    return planned(())
