"""What sets our results of an evaluation apart from struct-extract-eval's, read off the two lists of results.

Nothing is scored here. Each result that only one side has is looked at with what the schema says of its path, and gets the
first reason of `REASONS` that can apply to it. One result without a reason, and the case has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isclose, isfinite
from typing import Any, Final

from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.transforms import TransformError, chain, parse_transform
from tests.conformance.cases import Answer, Case
from tests.conformance.values import kind, walk
from tests.conformance.x_eval_schemas import schemas

MOST_PAIRS: Final = 2500
"""Above so many pairs of items the other system pairs in order."""
SAFE: Final = 2**53
"""Beyond it, floats do not hold every whole number."""
STEP: Final = re.compile(r"\[[^\]]*\]|[^.\[]+")
LACKING: Final = ("omission", "hallucination")
EMPTY: Final[tuple[Any, ...]] = (None, {}, [])


@dataclass(frozen=True)
class Line:
    """One result: of ours, or of theirs."""

    path: str
    status: str
    score: float
    expected: Any
    actual: Any
    ours: bool

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.expected, self.actual


@dataclass(frozen=True)
class Row:
    """The results of one row. `only` are those that one side alone has."""

    case: Case
    every: tuple[Line, ...]
    only: tuple[Line, ...]

    def twin(self, line: Line) -> Line | None:
        """What the other side says of the same two values."""
        return next((one for one in self.beside(line) if all(map(_same, one.sides, line.sides))), None)

    def beside(self, line: Line) -> Iterator[Line]:
        """What the other side alone says of the same path."""
        return (one for one in self.only if one.ours is not line.ours and one.path == line.path)


def reasons_of(case: Case, ours: Answer) -> frozenset[str]:
    """The reasons for all that differs; none where one thing that differs has none."""
    if case.recorded.blame is not None or ours.blame is not None:
        return _of_an_error(case, ours)
    theirs, found = case.recorded.value, ours.value
    reasons: set[str | None] = set()
    for left, right in zip(theirs["rows"], found["rows"], strict=True):
        row = _row(case, left["results"], right["results"])
        reasons |= {_reason(line, row) for line in row.only}
        if not row.only and left["figures"] != right["figures"]:
            reasons.add(_of_figures(row, left["figures"], right["figures"]))
    if not reasons and theirs["means"] != found["means"]:
        reasons.add(_of_figures(None, theirs["means"], found["means"]))
    named = frozenset(reason for reason in reasons if reason is not None)
    return named if len(named) == len(reasons) else frozenset()


def _of_an_error(case: Case, ours: Answer) -> frozenset[str]:
    """They stopped, and we went on: at a transform, at a function of one's own, or at a number too large."""
    if ours.blame is not None or case.recorded.blame not in ("output", "bug"):
        return frozenset()
    lines = [Line(*told, ours=True) for row in ours.value["rows"] for told in row["results"]]
    failed = any(line.status == "error" for line in lines)
    if failed and case.recorded.blame == "bug":
        return frozenset({"a comparator fails"})
    if case.recorded.blame == "output" and any("x-eval-transform" in schema for schema in schemas(case)):
        return frozenset({"a transform fails"})
    if case.recorded.why != "OverflowError":
        return frozenset()
    equal = any(line.status == "match" and json_equal(*line.sides) for line in lines)
    return frozenset({"equal values match" if equal else "numbers are exact"})


def _of_figures(row: Row | None, theirs: Sequence[Any], ours: Sequence[Any]) -> str | None:
    """The same results, and other figures."""
    if row is not None and any(line.status == "mismatch" and 0 < line.score < 1 for line in row.every):
        return "partial credit"
    if all(
        left == right or _close(left, right) or (left == 1 and not right)
        for left, right in zip(theirs, ours, strict=True)
    ):
        return "undefined figure"
    return None


def _same(left: Any, right: Any) -> bool:
    return json_equal(left, right) or repr(left) == repr(right)


def _close(left: Any, right: Any) -> bool:
    return left is not None and right is not None and abs(left - right) <= 1e-9


def _row(case: Case, theirs: Sequence[Any], ours: Sequence[Any]) -> Row:
    left, right = ([Line(*one, ours=side) for one in told] for told, side in ((theirs, False), (ours, True)))
    waiting = [_text(line) for line in right]
    alone = []
    for line in left:
        if (text := _text(line)) in waiting:
            waiting.remove(text)
        else:
            alone.append(line)
    for line in right:
        if (text := _text(line)) in waiting:
            waiting.remove(text)
            alone.append(line)
    return Row(case, (*left, *right), tuple(alone))


def _text(line: Line) -> str:
    return json.dumps([line.path, line.status, line.score, *map(_number_as_one, line.sides)], sort_keys=True)


def _number_as_one(value: Any) -> Any:
    """A whole number is written without a decimal point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _reason(line: Line, row: Row) -> str | None:
    return next((name for name, holds in REASONS.items() if holds(line, row)), None)


# What the schema says of a path


def steps(path: str) -> list[str]:
    return STEP.findall(path)


def at(case: Case, path: Sequence[str]) -> list[Mapping[str, Any]]:
    """What the schema says of a place, its references and its branches beside it."""
    root = case.settings["schema"]
    found = list(_all_of(root, root))
    for step in path:
        inner = [below for one in found for below in _below(one, step)]
        found = [each for below in inner for each in _all_of(root, below)]
    return found


def _all_of(root: Any, schema: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if not isinstance(schema, dict) or depth > 20:
        return
    yield schema
    if isinstance(reference := schema.get("$ref"), str):
        target = root
        for step in reference.split("/")[1:]:
            target = target.get(step) if isinstance(target, dict) else None
        yield from _all_of(root, target, depth + 1)
    for word in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(word) or ():
            yield from _all_of(root, branch, depth + 1)


def _below(schema: Mapping[str, Any], step: str) -> Iterator[Any]:
    if step.startswith("["):
        yield schema.get("items")
    else:
        properties = schema.get("properties")
        yield properties.get(step) if isinstance(properties, dict) else None
        yield schema.get("additionalProperties")


def declared(case: Case, path: Sequence[str]) -> set[str]:
    """`object` and `list`, where the schema looks into one at a path."""
    found = set()
    for schema in at(case, path):
        if schema.get("properties") or isinstance(schema.get("additionalProperties"), dict):
            found.add("object")
        if schema.get("items"):
            found.add("list")
    return found


def _says(line: Line, row: Row, key: str) -> bool:
    return any(schema.get(key) for schema in at(row.case, steps(line.path)))


def _undeclared(line: Line, row: Row) -> bool:
    """The schema knows nothing of the path."""
    return not at(row.case, steps(line.path))


def _above(path: str) -> Iterator[list[str]]:
    every = steps(path)
    return (every[:length] for length in range(len(every) + 1))


def _own(case: Case) -> set[str]:
    """The kinds of what the case registers."""
    return {str(entry.get("kind")) for entry in case.settings.get("register") or ()}


def _compared_by(line: Line, row: Row) -> set[str]:
    entries = (schema.get("x-eval-compare") for schema in at(row.case, steps(line.path)))
    return {one if isinstance(one, str) else next(iter(one), "") for one in entries if isinstance(one, (str, dict))}


# Reasons


def _compound(line: Line, row: Row) -> bool:
    fields = {key for entry in row.case.settings.get("register") or () for key in entry.get("fields") or ()}
    whole = any(isinstance(side, dict) and side.keys() <= fields for side in line.sides)
    names = {entry.get("name") for entry in row.case.settings.get("register") or () if entry.get("kind") == "compound"}
    tagged = bool(names & _compared_by(line, row))
    return bool(names) and (whole or tagged or steps(line.path)[-1:] in [[key] for key in fields])


def _batch_by_options(line: Line, row: Row) -> bool:
    both = [{line.status, one.status} for one in row.beside(line)]
    answered = any("batch_error" in statuses and statuses & {"match", "mismatch"} for statuses in both)
    return bool(_own(row.case) & {"batch", "semantic"}) and answered


def _comparator_fails(line: Line, row: Row) -> bool:
    lines = (line, *row.beside(line))
    failed = any(one.status in ("batch_error", "error") or not 0 <= one.score <= 1 for one in lines)
    return bool(_own(row.case) & {"comparator", "batch", "semantic"}) and failed


def _transform_fails(line: Line, row: Row) -> bool:
    failed = any(one.ours and one.status == "error" for one in (line, *row.beside(line)))
    boolean = any(isinstance(side, bool) for side in line.sides) and not isinstance(line.actual, str)
    return _says(line, row, "x-eval-transform") and (failed or boolean)


def _key_with_dots(line: Line, row: Row) -> bool:
    keys = {key for one in schemas(row.case) for key in one.get("properties") or () if "." in key}
    return any(f".{key}." in f".{line.path}." for key in keys)


def _true_for_a_schema(line: Line, row: Row) -> bool:
    properties = (one.get("properties") or {} for one in at(row.case, steps(line.path)[:-1]))
    return any(one.get(steps(line.path)[-1]) is True for one in properties if steps(line.path))


def _further_keys(line: Line, row: Row) -> bool:
    *above, last = steps(line.path) or [""]
    around = at(row.case, above)
    named = any(last in (one.get("properties") or {}) for one in around)
    return not named and any(isinstance(one.get("additionalProperties"), dict) for one in around)


def _outside(line: Line, row: Row) -> bool:
    """They count what both sides have and the schema lacks."""
    last = (steps(line.path) or [""])[-1]
    there = any(last in inner for _, inner in walk(row.case.settings["gold"]) if isinstance(inner, dict))
    return not line.ours and line.status == "hallucination" and _undeclared(line, row) and there


def _extra_leaves(line: Line, row: Row) -> bool:
    """What only the output has, as one result or as many."""
    return line.status == "hallucination" and line.expected is None and _undeclared(line, row)


def _skipped_and_absent(line: Line, row: Row) -> bool:
    return not line.ours and line.status == "skipped" and line.sides == (None, None) and not row.twin(line)


def _skipped_items(line: Line, row: Row) -> bool:
    """A skip of the schema, at the path or above it."""
    skips = any(one.get("x-eval-skip") is True for above in _above(line.path) for one in at(row.case, above))
    return skips and (line.status == "skipped" or any(one.status == "skipped" for one in row.only))


def _absent_values(row: Row) -> list[Any]:
    given = row.case.settings.get("post_process") or ()
    chosen = [one["reclassify_nulls"] for one in given if isinstance(one, dict) and "reclassify_nulls" in one]
    return [value for options in chosen for value in options.get("absent_values", [None])]


def _null_or_not_there(line: Line, row: Row) -> bool:
    absent = [] if declared(row.case, steps(line.path)) else _absent_values(row)
    return (
        bool(absent)
        and not _absent_as_number(line, row)
        and all(side is None or any(json_equal(side, one) for one in absent) for side in line.sides)
    )


_OF_ABSENCE: Final[Mapping[tuple[bool, bool], Sequence[str]]] = {
    (True, True): ("skipped", "match"),
    (True, False): ("hallucination",),
    (False, True): ("omission",),
    (False, False): ("match", "mismatch"),
}
"""What can become of two values that are there, by which of them, the expected and the output's, counts as absent."""


def _absent_as_number(line: Line, row: Row) -> bool:
    """A number is one that counts as absent, and is written as another type: so it counts for one of the two systems alone."""
    absent = _absent_values(row)
    for sides in _compared_sides(line, row) if absent else ():
        ours, theirs = (
            tuple(any(alike(side, one) for one in absent) for side in sides) for alike in (json_equal, _identical)
        )
        if ours != theirs and line.status in _OF_ABSENCE[ours if line.ours else theirs]:
            return True
    return False


def _identical(left: Any, right: Any) -> bool:
    """As struct-extract-eval compares, but for lists and objects: of one type, and equal."""
    return type(left) is type(right) and bool(left == right)


def _absent_containers(line: Line, row: Row) -> bool:
    return bool(_absent_values(row)) and bool(declared(row.case, steps(line.path))) and bool(row.twin(line))


def _compared_as_a_whole(line: Line, row: Row) -> bool:
    compared = (one for one in row.only if one.ours and _says(one, row, "x-eval-compare"))
    wholes = [one for one in compared if declared(row.case, steps(one.path))]
    return any(line.path == one.path or line.path.startswith((f"{one.path}.", f"{one.path}[")) for one in wholes)


def _another_kind(line: Line, row: Row) -> bool:
    """At the path or above it, one side has something else than the schema looks into."""
    return any(_broken(row, above) for above in _above(line.path))


def _broken(row: Row, path: Sequence[str]) -> bool:
    wanted = declared(row.case, path)
    lines = [one for one in row.every if steps(one.path) == list(path)] if wanted else []
    return any(side is not None and kind(side) not in wanted for one in lines for side in one.sides)


def _nothing_inside(line: Line, row: Row) -> bool:
    """Nothing, null or an empty container on each side, where a container is declared."""
    return bool(declared(row.case, steps(line.path))) and all(side in EMPTY for side in line.sides)


def _flipped(line: Line, row: Row) -> bool:
    """Both sides speak of the same two values, and one says that they match: ours does so wherever the values are equal."""
    twin = row.twin(line)
    flipped = twin is not None and (line.status == "match") is not (twin.status == "match")
    return flipped and (_ours_match(line) or not json_equal(*line.sides))


def _expected_is_right(line: Line, row: Row) -> bool:
    chosen = bool(_compared_by(line, row) & {"oneof", "one_of"})
    return chosen and _flipped(line, row) and (line.status == "match") is line.ours


def _text_of_others(line: Line, row: Row) -> bool:
    becomes = isinstance(line.expected, (bool, list, dict)) and isinstance(line.actual, str)
    return becomes and _flipped(line, row) and _says(line, row, "x-eval-transform")


def _one_is_one(line: Line, row: Row) -> bool:
    """Also after the transforms, and where values count as absent."""
    if _absent_as_number(line, row):
        return True
    return _flipped(line, row) and _ours_match(line) and any(json_equal(*sides) for sides in _compared_sides(line, row))


def _compared_sides(line: Line, row: Row) -> Iterator[tuple[Any, Any]]:
    yield line.sides
    for schema in at(row.case, steps(line.path)):
        if change := chain(parse_transform(one) for one in schema.get("x-eval-transform") or ()):
            with suppress(TransformError):
                yield change(line.expected), change(line.actual)


def _equal_values(line: Line, row: Row) -> bool:
    alike = type(line.expected) is type(line.actual)
    return alike and _one_is_one(line, row) and bool(_own(row.case))


def _ours_match(line: Line) -> bool:
    return (line.status == "match") is line.ours


def _true_is_no_number(line: Line, row: Row) -> bool:
    """A boolean on a side, or among the values that a schema lists."""
    told = [*line.sides, *(schema.get("x-eval-compare") for schema in at(row.case, steps(line.path)))]
    boolean = any(isinstance(value, bool) for side in told for _, value in walk(side))
    return boolean and _flipped(line, row) and not _ours_match(line)


def _text_is_no_number(line: Line, row: Row) -> bool:
    text = any(isinstance(side, str) for side in line.sides)
    return text and _flipped(line, row) and not _ours_match(line) and "numeric" in _compared_by(line, row)


def _numbers_are_exact(line: Line, row: Row) -> bool:
    """Two numbers that floats cannot hold, or of which an expected 0, or the last digits, decide."""
    if not (_flipped(line, row) and "numeric" in _compared_by(line, row)):
        return False
    if not all(kind(side) == "number" for side in line.sides):
        return False
    expected, actual = line.sides
    beyond = not expected or any(not isfinite(side) or abs(side) >= SAFE for side in line.sides)
    return beyond or any(isclose(abs(actual - expected), limit) for limit in _limits(line, row))


def _limits(line: Line, row: Row) -> Iterator[float]:
    for schema in at(row.case, steps(line.path)):
        entry = schema.get("x-eval-compare")
        tolerance = ((entry.get("numeric") or {}) if isinstance(entry, dict) else {}).get("tolerance") or {}
        yield from (
            tolerance[name] * unit for name, unit in (("abs", 1), ("rel", abs(line.expected))) if tolerance.get(name)
        )


# Pairing


def _aligned(line: Line, row: Row) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
    """The alignments above a result that says something of another pair than the other side does."""
    twin = row.twin(line)
    if twin is None or (line.status in LACKING) is not (twin.status in LACKING):
        for above in _above(line.path):
            yield from (
                (align, above)
                for schema in at(row.case, above)
                if isinstance(align := schema.get("x-eval-align"), dict)
                and align.get("match_by") not in (None, "ordered")
            )


def _lists(row: Row, above: Sequence[str]) -> Iterator[list[Any]]:
    """The lists of both sides at a path, whatever item it goes through."""
    for side in ("gold", "extracted"):
        found = list(row.case.settings[side])
        for step in above:
            found = [inner for one in found for inner in _inner(one, step)]
        yield from (one for one in found if isinstance(one, list))


def _inner(value: Any, step: str) -> list[Any]:
    if step.startswith("["):
        return value if isinstance(value, list) else []
    return [value[step]] if isinstance(value, dict) and step in value else []


def _keys(line: Line, row: Row) -> Iterator[list[Any]]:
    """The keys by which the items of each list are paired; None for an item without one."""
    for align, above in _aligned(line, row):
        if align["match_by"] == "key_field":
            for items in _lists(row, above):
                yield [item.get(str(align.get("key"))) if isinstance(item, dict) else None for item in items]


def _without_a_key(line: Line, row: Row) -> bool:
    return any(kind(key) not in ("text", "number") for keys in _keys(line, row) for key in keys)


def _repeated_key(line: Line, row: Row) -> bool:
    return any(len({json.dumps(key) for key in keys}) < len(keys) for keys in _keys(line, row))


def _many_pairs(line: Line, row: Row) -> bool:
    sizes = [[len(one) for one in _lists(row, above)] for _, above in _aligned(line, row)]
    return any(many and max(many) * min(many) > MOST_PAIRS for many in sizes)


def _best_pairs(line: Line, row: Row) -> bool:
    return any(align["match_by"] != "key_field" for align, _ in _aligned(line, row))


REASONS: Final[Mapping[str, Callable[[Line, Row], bool]]] = {
    "compound": _compound,
    "a batch by its options": _batch_by_options,
    "a comparator fails": _comparator_fails,
    "text of other values": _text_of_others,
    "a transform fails": _transform_fails,
    "key with dots": _key_with_dots,
    "true for a schema": _true_for_a_schema,
    "further keys": _further_keys,
    "outside the schema": _outside,
    "extra leaves": _extra_leaves,
    "another kind": _another_kind,
    "compared as a whole": _compared_as_a_whole,
    "absent containers": _absent_containers,
    "null or not there": _null_or_not_there,
    "skipped and absent": _skipped_and_absent,
    "nothing inside": _nothing_inside,
    "skipped items": _skipped_items,
    "the expected value is right": _expected_is_right,
    "equal values match": _equal_values,
    "1 is 1.0": _one_is_one,
    "true is no number": _true_is_no_number,
    "text is no number": _text_is_no_number,
    "numbers are exact": _numbers_are_exact,
    "items without a key": _without_a_key,
    "repeated key": _repeated_key,
    "many pairs": _many_pairs,
    "no batch while pairing": lambda line, row: _best_pairs(line, row) and bool(_own(row.case) & {"batch", "semantic"}),
    "best pairs": _best_pairs,
}
"""In the order in which they are asked: what is particular to a schema, what stands at a place, its values, its pairing."""
