"""The naive scorer of whole documents: it lists every leaf of both documents, and compares them one after the other.

It is the oracle of `evaluators.scoring.fields.open_walk`, which goes through both documents at once. They share nothing but what counts
(`OpenTree`) and the rule for leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec.structs import replace

from evaluators.model.rows import MISSING, FieldStatus, Missing, Outcome, Result, RowStatus
from evaluators.scoring.fields.open_tree import OpenTree
from evaluators.scoring.fields.wording import right_count_text
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.paths import ANY, display
from tests.reference.settled import counts_of

Location: TypeAlias = tuple[str | int, ...]


def explain_open(tree: OpenTree, expected: Any, output: Any | Missing) -> Result:
    """The same score from one result per leaf: gathered, compared and settled one after the other."""
    found = gather(tree, expected, output)
    results = [_compare(tree, *leaf) for leaf in found]
    counted = [result for result in results if result.status is not FieldStatus.SKIPPED]
    whole = [
        result
        for result, (place, _, _) in zip(results, found, strict=True)
        if result.status is not FieldStatus.SKIPPED
        and (result.status is not FieldStatus.HALLUCINATION or _penalized(tree, expected, place))
    ]
    match = sum(result.status is FieldStatus.MATCH for result in whole)
    reason = right_count_text(match, len(whole), counted, "value") if whole else "there was no leaf to compare"
    status = RowStatus.SCORED if whole else RowStatus.NOT_MEASURED
    found = Result(status, None, match, len(whole), fields=tuple(results), reason=reason)
    return replace(found, counts=counts_of(found.fields) or (0, 0, 0, 0))


def in_surplus_item(expected: Any, place: Location) -> bool:
    """Whether a leaf that only the output has stands in an item of a list that only the output has.

    What the expected document lacks first on the way to it is then an index; in any other case it is a key.
    """
    for step in place:
        if not _has(expected, step):
            return isinstance(step, int)
        expected = expected[step]
    return False


def gather(tree: OpenTree, expected: Any, output: Any) -> list[tuple[Location, Any, Any]]:
    """Every leaf place of the two documents with its values: the expected document's order, then what only the output has."""
    names = expected.keys() if isinstance(expected, dict) else ()
    if tree.depth == 1:
        there = output if isinstance(output, dict) else {}
        found: list[tuple[Location, Any, Any]] = [((key,), expected[key], there.get(key, MISSING)) for key in names]
        found += [((key,), MISSING, value) for key, value in there.items() if key not in names]
    else:
        ours = dict(leaves(expected))
        theirs = dict(leaves(output)) if output is not MISSING else {}
        found = [(place, value, theirs.get(place, _beneath(output, place))) for place, value in ours.items()]
        found = [leaf for leaf in found if not _nothing_left(tree, *leaf)]
        tops = dict.fromkeys(_top_of_extra(expected, output, place) for place in theirs if place not in ours)
        extra = [(place, _beneath(output, place)) for place in tops]
        found += [
            (place, MISSING, value)
            for place, value in extra
            if place in theirs or any(not _skipped(tree, inner) for inner, _ in leaves(value, place))
            if value not in (None, {}, []) or not _has_contents(expected, place)
        ]
    return [leaf for leaf in found if not _skipped(tree, leaf[0])]


def _top_of_extra(expected: Any, output: Any, place: Location) -> Location:
    """The place itself, or that of the contents which the output has something else for: all in it is one value then."""
    for depth, step in enumerate(place):
        if not is_leaf(expected) and expected.__class__ is not output.__class__:
            return place[:depth]
        if not _has(expected, step):
            return place
        expected, output = expected[step], output[step]
    return place


def _has_contents(document: Any, place: Location) -> bool:
    found = _beneath(document, place)
    return found is not MISSING and not is_leaf(found)


def _nothing_left(tree: OpenTree, place: Location, expected: Any, output: Any) -> bool:
    """An empty container is expected, and all that the output's has in it is left out."""
    if expected not in ({}, []) or output is MISSING or is_leaf(output) or tree.depth == 1:
        return False
    return all(_skipped(tree, inner) for inner, _ in leaves(output, place))


def leaves(value: Any, place: Location = ()) -> Iterator[tuple[Location, Any]]:
    """The scalars and empty containers of a document, with their places, in document order."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*place, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*place, index))
    else:
        yield place, value


def _compare(tree: OpenTree, place: Location, expected: Any, actual: Any) -> Outcome:
    if actual is MISSING:
        status, reason = FieldStatus.OMISSION, "missing in the output"
    elif expected is MISSING:
        status, reason = FieldStatus.HALLUCINATION, "only the output has it"
    elif (tree.depth == 1 or is_leaf(actual)) and tree.same(expected, actual):
        status, reason = FieldStatus.MATCH, "equal"
    else:
        status, reason = FieldStatus.MISMATCH, difference_text(expected, actual)
    score = 1.0 if status is FieldStatus.MATCH else 0.0
    return Outcome(display(place), status, score, 1.0, None, reason, tree.rule, expected, actual)


def _beneath(document: Any, place: Location) -> Any:
    """What stands at a leaf's place on the other side when it is no leaf there: a container, or nothing."""
    for step in place:
        if not _has(document, step):
            return MISSING
        document = document[step]
    return document


def _has(document: Any, step: str | int) -> bool:
    if isinstance(document, dict):
        return step in document
    return isinstance(document, list) and isinstance(step, int) and step < len(document)


def _penalized(tree: OpenTree, expected: Any, place: Location) -> bool:
    return tree.penalize_items if in_surplus_item(expected, place) else tree.penalize_extra


def _skipped(tree: OpenTree, place: Location) -> bool:
    names: tuple[Any, ...] = tuple(ANY if isinstance(step, int) else step for step in place)
    return any(tree.skips(names[:depth]) for depth in range(len(names) + 1))


def is_leaf(value: Any) -> bool:
    """A scalar or an empty container."""
    return value.__class__ not in (dict, list) or not value
