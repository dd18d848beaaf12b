"""What a JSONPath query hits in a document; the only door to the query library, opened when a query is read.

Strategy: the library follows single selectors (a filter, a slice, a union). What joins them is followed here, because the library
looks at a value as often as there are ways to it: `$..a..a` has as many ways to a deep value as it has ancestors, and each
further `..` multiplies them. Here every segment takes each place once. What remains costs more only where a filter
looks further down, as in `$..[?(@..x)]`: steps are counted before they are taken, and beyond `limits: {path_steps: …}` there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from evaluators.issues import Blame, Issue, RowProblem
from evaluators.limits import row_clock
from evaluators.model import JSON
from evaluators.value_class import NamedTuple
from evaluators.values.path_text import BadPath, Location

Datum: TypeAlias = Any
"""A value and where it is, as the library has them."""
Find: TypeAlias = Callable[[Datum], "list[Datum]"]


class Segment(NamedTuple):
    """One step of a query: what it selects in each value that it is given."""

    find: Find
    below: bool
    """It selects in everything below the values, too: `..`."""
    repeats: bool
    """It may hit a place twice."""
    looks_down: int
    """How many `..` there are in its filter."""
    from_root: bool
    """Its filter looks at the whole document."""


def check_query(query: str) -> None:
    """Raises BadPath for a query that the library cannot run."""
    from jsonpath_ng.exceptions import JSONPathError

    try:
        _segments(query)
    except JSONPathError as refused:
        raise BadPath(f"this query cannot be run: {refused}", 0, "use keys, indexes, slices and simple filters") from None


def query_hits(query: str, document: JSON) -> list[tuple[Location, JSON]]:
    """The places that a query hits, each once, in order, with their values.

    Raises RowProblem (environment) where it would look at more values than the limits allow.
    """
    from jsonpath_ng.jsonpath import DatumInContext

    steps = _Steps(query, document)
    data: list[Datum] = [DatumInContext.wrap(document)]
    for segment in _segments(query):
        data = [*steps.taken(segment, data)]
    found = {_place(datum): datum.value for datum in data}
    return [(location, found[location]) for location in sorted(found)]


@lru_cache(maxsize=1024)
def _segments(query: str) -> tuple[Segment, ...]:
    """The segments of a query, compiled.

    How the library's filters read, checked against RFC 9535 by the tests: a missing key equals nothing, so only `!=`
    holds for it, and two missing keys are equal; `true` is not 1, and 1 is 1.0; only two numbers or two texts have an
    order; `[?@.name]` asks whether the key is there, so null and false pass. In all this they follow the RFC. Where they
    differ: an index reaches into lists only, here as in the RFC, although a plain path also finds a key of digits;
    a place that is hit twice (`[0,0]`) counts once; hits come in the order of their places, not of the query.
    """
    from jsonpath_ng.ext.parser import parse as compile_query
    from jsonpath_ng.jsonpath import Child, Descendants

    left: Any = compile_query(query)
    backwards = []
    while isinstance(left, Child | Descendants):
        backwards.append(_segment(left.right, isinstance(left, Descendants)))
        left = left.left
    return tuple(reversed(backwards))


def _segment(selector: Any, below: bool) -> Segment:
    written = repr(selector)
    several = max((len(getattr(selector, name, ())) for name in ("indices", "fields")), default=0) > 1
    return Segment(selector.find, below, several, written.count("Descendants("), "Root(" in written)


@lru_cache(maxsize=1)
def _children() -> Find:
    """What finds the items of a list and the values of an object, in order."""
    from jsonpath_ng.ext.parser import parse as compile_query

    every: Any = compile_query("$[*]")
    find: Find = every.right.find
    return find


class _Steps:
    """The steps of one query in one document, counted."""

    def __init__(self, query: str, document: JSON) -> None:
        self.query = query
        self.document = document
        self.clock = row_clock()
        self.left = self.clock.limits.path_steps

    def taken(self, segment: Segment, data: Iterable[Datum]) -> Iterator[Datum]:
        """What a segment selects, given what the segments before it selected. No place comes twice."""
        seen: set[Location] = set()
        for datum in self._everything(data) if segment.below else data:
            self._count(segment, datum)
            for hit in segment.find(datum):
                if segment.repeats:
                    place = _place(hit)
                    if place in seen:
                        continue
                    seen.add(place)
                yield hit

    def _everything(self, data: Iterable[Datum]) -> Iterator[Datum]:
        """The values and all that is below them, each once."""
        children, seen = _children(), set[Location]()
        for start in data:
            waiting = [(_place(start), start)]
            while waiting:
                place, datum = waiting.pop()
                if place in seen:
                    continue
                seen.add(place)
                yield datum
                if datum.value.__class__ is dict:
                    waiting += [((*place, key), child) for key, child in zip(datum.value, children(datum), strict=True)]
                elif datum.value.__class__ is list:
                    waiting += [((*place, index), child) for index, child in enumerate(children(datum))]

    def _count(self, segment: Segment, datum: Datum) -> None:
        self.clock.tick()
        self.left -= 1
        if segment.looks_down:
            self.left -= _size(self.document if segment.from_root else datum.value, self.left) ** segment.looks_down
        if self.left < 0:
            raise RowProblem(too_many_steps(self.query, self.clock.limits.path_steps))


def too_many_steps(query: str, most: int) -> Issue:
    """What is said of a query that would look at too many values."""
    message = f'the path "{query}" looks at more than {most:,} values of the document'
    hint = "a filter without .. in it takes fewer steps; limits: {path_steps: NUMBER} sets another limit"
    return Issue("path-too-long", Blame.ENVIRONMENT, message, hint=hint)


def _size(value: JSON, most: int) -> int:
    """How many values there are in one, counted as far as it matters."""
    count, waiting = 0, [value]
    while waiting and count <= most:
        inner = waiting.pop()
        count += 1
        if isinstance(inner, dict):
            waiting.extend(inner.values())
        elif isinstance(inner, list):
            waiting.extend(inner)
    return count


def _place(datum: Datum) -> Location:
    """Where a hit of the query library is, from the root down."""
    backwards: list[str | int] = []
    while datum.context is not None:
        path = datum.path
        if hasattr(path, "indices"):
            backwards.append(path.indices[0] % len(datum.context.value))
        elif hasattr(path, "fields"):
            backwards.append(path.fields[0])
        datum = datum.context
    return tuple(reversed(backwards))
