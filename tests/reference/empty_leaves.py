"""What the places of two whole documents come to where values are empty, told place by place.

    by_field(tree, expected, output)

It is the oracle of `Pattern.empty_values` in `evaluators.scoring.fields.open_tree`, which adds up rows of the same kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from evaluators.model.rows import MISSING
from evaluators.scoring.fields.empty_values import ALL_FIELDS, EACH_ROW, EMPTY, FILLED, LEFT_OUT, MADE_UP, InRow
from evaluators.scoring.fields.open_tree import OpenTree, is_leaf
from evaluators.scoring.values.paths import ANY, display

Name: TypeAlias = tuple[Any, ...]
Told: TypeAlias = tuple[Name, InRow, bool]
"""A place, what it comes to, and whether a leaf is expected there."""


def by_field(tree: OpenTree, expected: Any, output: Any) -> dict[str, InRow]:
    """What each field of a row comes to, all fields together, and the row itself."""
    told = [*_row(tree, expected, output)]
    found: dict[str, InRow] = {EACH_ROW: EMPTY}
    for name, value, _ in told:
        path = display(name)
        found[path] = InRow(*map(sum, zip(value, found.get(path, (0, 0, 0, 0)), strict=True)))
    of_leaves = [value for _, value, leaf in told if leaf]
    found[ALL_FIELDS] = InRow(0, 0, sum(one.filled for one in of_leaves), sum(one.left_empty for one in of_leaves))
    return found


def _row(tree: OpenTree, expected: Any, output: Any) -> Iterator[Told]:
    if tree.depth is None:
        yield from _both(tree, (), expected, output)
        return
    given = output if isinstance(output, dict) else {}
    for key in expected.keys() | given.keys():
        if not tree.skips((key,)):
            e, o = expected.get(key, MISSING), given.get(key, MISSING)
            yield (key,), _value(e, o), e is not MISSING


def _both(tree: OpenTree, name: Name, e: Any, o: Any) -> Iterator[Told]:
    """A place of which the expected side is there."""
    if tree.skips(name) or (tree.skip and tree.nothing_left(name, e, o)):
        return
    yield name, _value(e, o), is_leaf(e)
    alike = e.__class__ is o.__class__
    for step, inner in _inner(e):
        other = o[step] if alike and (step in o if isinstance(o, dict) else step < len(o)) else MISSING
        yield from _both(tree, _below(name, step), inner, other)
    for step, inner in (
        _inner(o) if alike or is_leaf(e) else ()
    ):  # in place of contents it is one value, whatever is in it
        here, surplus = _below(name, step), not isinstance(step, str)
        if alike and (step < len(e) if surplus else step in e):
            continue
        if not surplus or next(tree.leaves(inner, here), None) is not None:  # an item in which all is left out is none
            yield from _alone(tree, here, inner)


def _alone(tree: OpenTree, name: Name, value: Any) -> Iterator[Told]:
    """A place that only the output has."""
    if not tree.skips(name):
        yield name, _value(MISSING, value), False
        for step, inner in _inner(value):
            yield from _alone(tree, _below(name, step), inner)


def _value(e: Any, o: Any) -> InRow:
    ours, theirs = (one is MISSING or one is None or one in ("", [], {}) for one in (e, o))
    return (EMPTY if theirs else MADE_UP) if ours else LEFT_OUT if theirs else FILLED


def _inner(value: Any) -> Iterator[tuple[Any, Any]]:
    return iter(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())


def _below(name: Name, step: Any) -> Name:
    return (*name, step if isinstance(step, str) else ANY)
