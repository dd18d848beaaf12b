"""The keywords of JSON Schema that need more care than the library takes: with these, no output is too much for it.

Patterns go through the one door with a time limit; items are told apart by their hashes, and not each with each; multiples
are found in exact numbers, so that 19.99 is one of 0.01, and one of 400 digits is no problem.

What a reference leads to is asked once of each value of a document, and remembered while the document is at hand: a schema that leads
to itself through several alike branches would else take twice as long for each further level. Of what is wrong with one
value, `MOST_ERRORS` are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evaluators.limits import row_clock
from evaluators.values.pairing import identity
from evaluators.values.patterns import compiled, matcher
from evaluators.values.quoting import quote

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Keyword: TypeAlias = "Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]"


MOST_ERRORS: Final = 200
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


class _Remembered(threading.local):
    """What references came to in the document that a thread has at hand."""

    errors: dict[Any, list[ValidationError]] | None = None


_remembered: Final = _Remembered()


@contextmanager
def one_document() -> Iterator[None]:
    """Within it, one document is asked about: what a reference says of a value of it stays as it is."""
    before, _remembered.errors = _remembered.errors, {}
    try:
        yield
    finally:
        _remembered.errors = before


def careful_keywords(draft: Any, timeout_seconds: float) -> dict[str, Keyword]:
    """What takes the place of the keywords of a draft, by name."""
    known = draft.VALIDATORS
    made = {
        "pattern": _pattern(timeout_seconds),
        "patternProperties": _pattern_properties(timeout_seconds),
        "additionalProperties": _additional_properties(known.get("additionalProperties"), timeout_seconds),
        "uniqueItems": _unique_items,
        "multipleOf": _multiple_of,
        "divisibleBy": _multiple_of,
    }
    made |= {name: _reference(known[name]) for name in _REFERENCES if name in known}
    return {name: keyword for name, keyword in made.items() if name in known}


def pattern_problem(schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the first pattern of a schema that cannot be read."""
    named = schema.get("patternProperties")
    for pattern in (schema.get("pattern"), *(named if isinstance(named, Mapping) else ())):
        if isinstance(pattern, str):
            try:
                compiled(pattern)
            except ValueError as error:
                return str(error)
    return None


def _reference(library: Any) -> Keyword:
    from jsonschema.exceptions import ValidationError

    def reference(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[ValidationError]:
        row_clock().tick()
        known = _remembered.errors
        if known is None:
            yield from library(validator, wanted, instance, schema) or ()
            return
        # where a dynamic reference leads depends on the documents that led to it
        scope = tuple(dict.fromkeys(uri for uri, _ in validator._resolver.dynamic_scope()))
        key = (id(schema), id(instance), scope)
        found = known.get(key)
        if found is None:
            found = known[key] = [*islice(library(validator, wanted, instance, schema) or (), MOST_ERRORS)]
            for error in found:
                error.context = []
        yield from map(ValidationError.create_from, found)  # whoever is given an error adds to its path

    return reference


def _pattern(timeout_seconds: float) -> Keyword:
    from jsonschema.exceptions import ValidationError

    def pattern(_: Any, wanted: str, instance: object, __: Any) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not matcher(wanted, "search", timeout_seconds)(instance):
            yield ValidationError(f"{quote(instance)} does not match {quote(wanted)}")

    return pattern


def _pattern_properties(timeout_seconds: float) -> Keyword:
    def pattern_properties(validator: Any, wanted: Any, instance: object, _: Any) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        for pattern, inner in wanted.items():
            fits = matcher(pattern, "search", timeout_seconds)
            for key, value in instance.items():
                if fits(key):
                    yield from validator.descend(value, inner, path=key, schema_path=pattern)

    return pattern_properties


def _additional_properties(library: Any, timeout_seconds: float) -> Keyword:
    from jsonschema.exceptions import ValidationError

    def additional(validator: Any, wanted: Any, instance: object, schema: Any) -> Iterator[ValidationError]:
        patterns = schema.get("patternProperties")
        if not patterns:
            yield from library(validator, wanted, instance, schema) or ()
        elif isinstance(instance, dict):
            known = schema.get("properties", {})
            fit = [matcher(pattern, "search", timeout_seconds) for pattern in patterns]
            extra = [key for key in instance if key not in known and not any(fits(key) for fits in fit)]
            if isinstance(wanted, dict):
                for key in extra:
                    yield from validator.descend(instance[key], wanted, path=key)
            elif wanted is False and extra:
                names = ", ".join(map(quote, sorted(extra)))
                do = "does" if len(extra) == 1 else "do"
                yield ValidationError(
                    f"{names} {do} not match any of the patterns {', '.join(map(quote, sorted(patterns)))}"
                )

    return additional


def _unique_items(_: Any, wanted: Any, instance: object, __: Any) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if wanted is True and isinstance(instance, list) and len(instance) > 1:
        seen = set()
        for value in instance:
            key = identity(value)
            if key in seen:
                yield ValidationError(f"{quote(instance)} has non-unique elements: {quote(value)}")
                return
            seen.add(key)


def _multiple_of(_: Any, wanted: Any, instance: object, __: Any) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if (
        isinstance(instance, (int, float))
        and not isinstance(instance, bool)
        and (_exact(instance) / _exact(wanted)).denominator != 1
    ):
        yield ValidationError(f"{quote(instance)} is not a multiple of {quote(wanted)}")


def _exact(number: int | float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))
