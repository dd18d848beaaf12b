"""What a JSONPath query hits in a document, found by jsonpath-ng.

Strategy: the library follows single selectors (a filter, a slice, a union). What joins them is followed here, because the library
looks at a value as often as there are ways to it: `$..a..a` has as many ways to a deep value as it has ancestors, and each
further `..` multiplies them. Here every segment takes each place once. What remains costs more only where a filter
looks further down, as in `$..[?(@..x)]`: steps are counted before they are taken, and beyond `limits: {path_steps: …}` there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.limits import row_clock
from evaluators.model.rows import JSON
from evaluators.scoring.values.jsonpath_text import selectors_of
from evaluators.scoring.values.path_text import Location

Datum: TypeAlias = Any
"""A value and where it is, as the library has them."""
Find: TypeAlias = Callable[[Datum], "list[Datum]"]


class Segment(Struct, frozen=True):
    """One step of a query: what it selects in each value that it is given."""

    find: Find
    below: bool
    """It selects in everything below the values, too: `..`."""
    looks_down: int
    """How many `..` there are in its filter."""
    from_root: bool
    """Its filter looks at the whole document."""


def query_hits(query: str, document: JSON) -> list[tuple[Location, JSON]]:
    """The places that a query hits, each once, in order, with their values.

    Raises RowProblem: environment where it would look at more values than the limits allow, config where jsonpath-ng fails.
    """
    try:
        return _hits(query, document)
    except RowProblem:
        raise
    except Exception as failure:  # whatever becomes of the library, the path is what it could not follow
        message = f'the path "{query}" cannot be followed in this document: {type(failure).__name__}: {failure}'
        hint = "use keys, indexes, slices and simple filters"
        raise RowProblem(Issue("path-failed", Blame.CONFIG, message, hint=hint)) from None


def _hits(query: str, document: JSON) -> list[tuple[Location, JSON]]:
    """The values that a query hits, with their places, sorted. The query is followed segment by segment, and each place on the way takes a
    step, or many where a filter in the query looks at any depth. Raises RowProblem where it would take more steps than the limits allow."""
    from jsonpath_ng.jsonpath import DatumInContext

    clock = row_clock()
    left = clock.limits.path_steps
    data: dict[Location, Datum] = {(): DatumInContext.wrap(document)}
    for segment in _segments(query):
        hits: dict[Location, Datum] = {}
        for place, datum in (_with_all_below(data) if segment.below else data).items():
            clock.tick()
            left -= 1
            if segment.looks_down:
                left -= _size(document if segment.from_root else datum.value, left) ** segment.looks_down
            if left < 0:
                message = f'the path "{query}" looks at more than {clock.limits.path_steps:,} values of the document'
                hint = "a filter without .. in it takes fewer steps; limits: {path_steps: NUMBER} sets another limit"
                raise RowProblem(Issue("path-too-long", Blame.ENVIRONMENT, message, hint=hint))
            hits.update({(*place, _step(hit)): hit for hit in segment.find(datum)})
        data = hits
    return [(place, data[place].value) for place in sorted(data)]


@lru_cache(maxsize=1024)
def _segments(query: str) -> tuple[Segment, ...]:
    """The segments of a query, compiled.

    How the filters of jsonpath-ng read, checked against RFC 9535 by the tests: a missing key equals nothing, so only `!=`
    holds for it, and two missing keys are equal; `true` is not 1, and 1 is 1.0; only two numbers or two texts have an
    order; `[?@.name]` asks whether the key is there, so null and false pass. In all this they follow the RFC. Where they
    differ: an index reaches into lists only, here as in the RFC, although a plain path also finds a key of digits;
    a place that is hit twice (`[0,0]`) counts once; hits come in the order of their places, not of the query.
    """
    return tuple(
        Segment(selector.find, below, (written := repr(selector)).count("Descendants("), "Root(" in written)
        for below, selector in selectors_of(query)
    )


def _with_all_below(data: dict[Location, Datum]) -> dict[Location, Datum]:
    """The values, and all values inside them at any depth, by their places, each once."""
    (every,) = _segments("$[*]")
    hits: dict[Location, Datum] = {}
    waiting = list(reversed(data.items()))
    while waiting:
        place, datum = waiting.pop()
        if place not in hits:
            hits[place] = datum
            waiting += [((*place, _step(child)), child) for child in every.find(datum)]
    return hits


def _step(hit: Datum) -> str | int:
    """The key or the index of a hit in the value that it is in. An index from the end is counted from the beginning."""
    path = hit.path
    if hasattr(path, "fields"):
        return str(path.fields[0])
    index: int = path.indices[0]
    return index % len(hit.context.value)


def _size(value: JSON, most: int) -> int:
    """The number of values in a value, itself included, at any depth. Counting ends soon above the limit `most`."""
    count, waiting = 0, [value]
    while waiting and count <= most:
        inner = waiting.pop()
        count += 1
        if isinstance(inner, dict):
            waiting.extend(inner.values())
        elif isinstance(inner, list):
            waiting.extend(inner)
    return count
