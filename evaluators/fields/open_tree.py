"""Whole documents, key by key: open trees, whose fields are the leaves that the documents happen to have.

A leaf is a scalar or an empty container; its place is a tuple of keys and indexes, so {"a.b": 1} is not {"a": {"b": 1}}.
What counts is said here; `walk` looks at the documents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

from evaluators.model import Standing, Verdict
from evaluators.value_class import dataclass
from evaluators.values.paths import Path

LeafRule: TypeAlias = Callable[[Any, Any], bool]


@dataclass(frozen=True)
class OpenTree:
    """What counts in a walk. `depth` 1 compares top-level values whole."""

    same: LeafRule
    penalize_extra: bool = False
    """Keys that only the output has count against it."""
    penalize_items: bool = False
    """Items of lists that only the output has count against it."""
    fold_keys: bool = False
    depth: int | None = None
    skip: tuple[Path, ...] = ()
    types_only: bool = False
    """Values count as equal when they are of one JSON type."""
    rule: str = "exact"

    def skips(self, place: tuple[Any, ...]) -> bool:
        """This very place is left out, with `ANY` for every index. Folded keys are skipped in any case."""
        return self._spelled(place) in self._skipped

    def leads_to_skipped(self, place: tuple[Any, ...]) -> bool:
        """Something below this place is left out."""
        return self._spelled(place) in self._before_skipped

    @cached_property
    def _skipped(self) -> frozenset[tuple[Any, ...]]:
        return frozenset(self._spelled(path.steps) for path in self.skip)

    @cached_property
    def _before_skipped(self) -> frozenset[tuple[Any, ...]]:
        return frozenset(place[:depth] for place in self._skipped for depth in range(len(place)))

    def _spelled(self, place: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(step.casefold() if isinstance(step, str) else step for step in place) if self.fold_keys else place


def verdict_of_counts(tree: OpenTree, counts: tuple[int, int, int, int], surplus: int, pass_at: float) -> Verdict:
    """The verdict: matches over the expected leaves, and over the extra ones too where they are penalized.

    So many of the hallucinations, the `surplus`, stand in items that only the output has.
    """
    match, mismatch, omission, hallucination = counts
    whole = match + mismatch + omission
    whole += hallucination - surplus if tree.penalize_extra else 0
    whole += surplus if tree.penalize_items else 0
    if not whole:
        return Verdict(Standing.NOT_MEASURED, None, 0, 0, counts=counts)
    return Verdict(Standing.SCORED, match / whole >= pass_at, match, whole, counts=counts)


def folded_names(expected: dict[str, Any], output: dict[str, Any]) -> dict[str, str]:
    """For each expected key, the output's key that stands for it: exact spellings first, then by case folding.

    Keys that fold alike pair in code-point order and are never merged.
    """
    names = {key: key for key in expected if key in output}
    left: dict[str, list[str]] = {}
    for key in sorted(output):
        if key not in names:
            left.setdefault(key.casefold(), []).append(key)
    for key in sorted(expected):
        if key not in names and (waiting := left.get(key.casefold())):
            names[key] = waiting.pop(0)
    return names
