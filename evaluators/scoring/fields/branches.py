"""Which branch of a choice fits two values best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.confusion import Confusion

Counts: TypeAlias = tuple[int, int, int, int, int]
"""Matches, mismatches, omissions, hallucinations, and what could not be compared."""


class Fit(NamedTuple):
    """How well a branch of a choice fits; the greater the better."""

    outside: int
    """Minus the keys of the expected side that the branch lacks. They come first: what a branch does not look at cannot
    be wrong in it."""
    unreadable: int
    """Minus the expected values that the branch cannot read. Both are the same for any output."""
    measured: bool
    """The branch measures something: a skipped one must not be the best for a wrong output, and hide it."""
    f1: Fraction
    wrong: int
    """Minus the mismatches, omissions and hallucinations."""

    @staticmethod
    def of(counts: Counts, outside: int, unreadable: int) -> Fit:
        """The fit of a branch with these counts. What makes a fit worse has a minus, so that the greatest fit is the best."""
        confusion = Confusion(*counts[:4])
        _, mismatches, omissions, hallucinations = counts[:4]
        wrong = mismatches + omissions + hallucinations
        return Fit(-outside, -unreadable, confusion.measured > 0, confusion.exact("f1") or Fraction(0), -wrong)


class Best(Struct, frozen=True):
    """The branch that fits two values best."""

    number: int
    counts: Counts
    fit: Fit
    values: object
    """What it was found for, so that ids stay theirs."""


def distinct(branches: Sequence[FieldNode]) -> Sequence[FieldNode]:
    """The branches of a choice, those that are the same schema once."""
    found: dict[int, FieldNode] = {}
    for branch in branches:
        found.setdefault(id(branch.origin or branch), branch)
    return tuple(found.values())


def fitting_branches(branches: Sequence[FieldNode], expected: Any, output: Any) -> list[int]:
    """The branches that are worth a closer look, by their numbers.

    Those of the kind that the expected value has (the output's, where nothing is expected), or all when there are none;
    and of these the ones that lack the fewest keys of an expected object.
    """
    value = output if expected is MISSING or expected is None else expected
    kind = {dict: "object", list: "array"}.get(value.__class__, "leaf")
    alike = [number for number, one in enumerate(branches) if one.kind in (kind, "choice")] or list(range(len(branches)))
    if len(alike) < 2 or not isinstance(expected, dict):
        return alike
    known: dict[int, int] = {}
    lacking = [_lacking(branches[number], expected, known) for number in alike]
    least = min(lacking)
    return [number for number, lacks in zip(alike, lacking, strict=True) if lacks == least]


def knows(branches: Iterable[FieldNode], key: str) -> bool:
    """Whether some branch of a choice, or of a choice inside it, has a key."""
    waiting, seen = [*branches], set[int]()
    while waiting:
        branch = waiting.pop()
        if id(branch.origin or branch) in seen:
            continue
        seen.add(id(branch.origin or branch))
        if key in branch.below.keys:
            return True
        waiting.extend(branch.below.branches)
    return False


def _lacking(branch: FieldNode, expected: Mapping[str, Any], known: dict[int, int]) -> int:
    """How many keys of an object a branch does not know. `known` are the answers for choices: many may lead to the same one."""
    if branch.unit or branch.skip:
        return 0
    if branch.kind != "choice":
        return _unknown_keys(branch, expected)
    same_choice = id(branch.origin or branch)
    if same_choice not in known:
        inner = distinct(branch.below.branches)
        known[same_choice] = min((_lacking(each, expected, known) for each in inner), default=len(expected))
    return known[same_choice]


def _unknown_keys(branch: FieldNode, expected: Mapping[str, Any]) -> int:
    below = branch.below
    if below.others is not None:
        return 0
    listed = branch.compound.fields if branch.compound is not None else ()
    return len(expected.keys() - below.keys.keys() - set(listed))
