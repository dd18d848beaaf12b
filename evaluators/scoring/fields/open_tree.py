"""Whole documents, key by key: open trees, whose fields are the leaves that the documents happen to have.

A leaf is a scalar or an empty container; its place is a tuple of keys and indexes, so {"a.b": 1} is not {"a": {"b": 1}}.
What counts is said here; `open_walk` looks at the documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.values.equality import CONTAINERS
from evaluators.scoring.values.paths import ANY, Path

LeafRule: TypeAlias = Callable[[Any, Any], bool]
Location: TypeAlias = tuple[str | int, ...]
RowCounts: TypeAlias = tuple[int, int, int, int, int]
"""Match, mismatch, omission, hallucination by key, and hallucination in items that only the output has."""


class OpenTree(Struct, frozen=True, dict=True):
    """What counts in a walk. `depth` 1 compares top-level values whole."""

    same: LeafRule
    penalize_extra: bool = False
    """Keys that only the output has count against it."""
    penalize_items: bool = False
    """Items of lists that only the output has count against it."""
    depth: int | None = None
    skip: tuple[Path, ...] = ()
    rule: str = "exact"
    keys: KeySpelling | None = None
    """Which spellings of an output's keys stand for those of the expected document; None where each has to be spelt alike."""

    def skips(self, path: tuple[Any, ...]) -> bool:
        """This very place is left out, with `ANY` for every index, however its keys are spelt where that does not count."""
        return self._spelled(path) in self._skipped

    @cached_property
    def _skipped(self) -> frozenset[tuple[Any, ...]]:
        return frozenset(self._spelled(path.steps) for path in self.skip)

    def _spelled(self, path: tuple[Any, ...]) -> tuple[Any, ...]:
        keys = self.keys
        return path if keys is None else tuple(keys.folded(step) if isinstance(step, str) else step for step in path)

    def compared(self, expected: Any, output: Any) -> Any:
        """The output whose top level is looked at: empty where it has none, or where nobody asks what it has."""
        wanted = output.__class__ is dict and (expected or self.penalize_extra)
        return output if wanted else {}

    def leaves(self, value: Any, location: Location) -> Iterator[tuple[Location, Any]]:
        """Every leaf of what stands at a place, in the order of the document. The place itself is not left out."""
        top_level_only = self.depth is not None
        if location if top_level_only else is_leaf(value):
            yield location, value
            return
        waiting = [(location, _steps(value))]
        while waiting:
            here, steps = waiting[-1]
            for step, inner in steps:
                path = (*here, step)
                if self.skip and self.skips(general(path)):
                    continue
                if not top_level_only and inner and inner.__class__ in CONTAINERS:
                    waiting.append((path, _steps(inner)))
                    break
                yield path, inner
            else:
                waiting.pop()

    def has_something(self, path: tuple[Any, ...], value: Any) -> bool:
        """It is neither missing nor null, nor a container in which nothing counts."""
        if value.__class__ is dict or value.__class__ is list:
            return bool(value) and next(self.leaves(value, path), None) is not None
        return value is not None and value is not MISSING

    def nothing_left(self, path: tuple[Any, ...], expected: Any, output: Any) -> bool:
        """An empty container is expected, and all that the output's has in it is left out: there is nothing to measure."""
        if expected or not output or not {expected.__class__, output.__class__} <= {dict, list}:
            return False
        return not self.has_something(path, output)


def _steps(value: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(value.items()) if value.__class__ is dict else enumerate(value)


def is_leaf(value: Any) -> bool:
    """A scalar or an empty container."""
    return not value or (value.__class__ is not dict and value.__class__ is not list)


def general(location: Location) -> tuple[Any, ...]:
    """The place with `ANY` for every index."""
    return tuple(step if step.__class__ is str else ANY for step in location)


def verdict_of_counts(tree: OpenTree, counts: RowCounts, pass_at: float) -> Result:
    """The verdict: matches over the expected leaves, and over the extra ones too where they are penalized.

    Where only the top level is looked at, a row that expects nothing scores 1.0. It is counted apart, since nothing was compared.
    """
    match, mismatch, omission, extra, surplus = counts
    whole = match + mismatch + omission + extra * tree.penalize_extra + surplus * tree.penalize_items
    by_status = (match, mismatch, omission, extra + surplus)
    if whole:
        return Result(RowStatus.SCORED, match / whole >= pass_at, match, whole, counts=by_status)
    if tree.depth is not None:
        return Result(RowStatus.SCORED, True, 1, 1, counts=by_status)
    return Result(RowStatus.NOT_MEASURED, None, 0, 0, counts=by_status)
