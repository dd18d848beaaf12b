"""JSON Schemas, checked before the first row, and asked about documents. This is the one door to the library.

Everything that a schema can get wrong is found when it is read: an unknown draft, a malformed keyword, a reference that
leads nowhere, a schema that applies itself to the same value without end, a format that nobody here can check. Nothing is
ever fetched from the network.

No output is too much for it: patterns have a time limit, items are told apart by their hashes, and not each with each, and
multiples are found in exact numbers, so that 19.99 is one of 0.01, and one of 400 digits is no problem. What a reference leads
to is asked once of each value of a document, and remembered while the document is at hand: a schema that leads to itself
through several alike branches would else take twice as long for each further level. Of what is wrong with one value,
`MOST_ERRORS` are kept.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, time
from fractions import Fraction
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend, validator_for
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # ships without types
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

from evaluators.model.limits import row_clock
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, bad
from evaluators.scoring.evaluators._schema_files import Schema, parse_schema
from evaluators.scoring.fields.key_spelling import Respelt
from evaluators.scoring.values import json_text
from evaluators.scoring.values.file_names import clip_name
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.patterns import compile_pattern, matcher
from evaluators.scoring.values.quoting import quote, with_kind

MOST_ERRORS: Final = 200
LONGEST_MESSAGE: Final = 200
DEFAULT_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

Errors: TypeAlias = Iterator[ValidationError]

_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_IN_PLACE_BY_KEY: Final = ("dependentSchemas", "dependencies")
_BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentRequired", *_IN_PLACE_BY_KEY)
"""Keywords whose value is a map: its keys are names, and no keywords."""
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_RFC_3339_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_NOT_IN_A_URI: Final = re.compile(r"[\s<>\"{}|\\^`]")


@lru_cache(maxsize=256)
def validator(schema_text: str, check_formats: bool, timeout_seconds: float) -> Any:
    """A validator of documents against the schema in a text; `check_formats` says whether `format` counts. Raises BadSettings."""
    schema = parse_schema(schema_text)
    check_schema(schema, check_formats)
    draft = _with_own_keywords(_draft(schema), timeout_seconds)
    return draft(schema, registry=REGISTRY, format_checker=FORMATS if check_formats else None)


def fits(validator: Any, document: Any) -> bool:
    """Whether a document fits the schema. Raises RecursionError or ArithmeticError for one that is too deep, or holds too large a
    number."""
    with _remembering_errors():
        return bool(validator.is_valid(document))


def errors_in(validator: Any, output: Respelt, written: Callable[[Any], Any]) -> list[dict[str, object]]:
    """The errors of a document, each with its path, a message and the keyword of the schema; one more than `MOST_ERRORS` at most.
    Path and values are spelt as the output does.

    `written` makes what the schema says readable: `${NAME}` for what the environment filled in. Raises RecursionError or
    ArithmeticError for a document that is too deep, or holds too large a number.
    """
    with _remembering_errors():
        return [
            {
                "path": spell_path(output.path(error.absolute_path)),
                "message": clip_name(_message(error, written, output.value(error.instance)), LONGEST_MESSAGE),
                "keyword": str(error.validator),
            }
            for error in islice(validator.iter_errors(output.document), MOST_ERRORS + 1)
        ]


# What keys a schema knows


class SchemaKeys:
    """The keys of a JSON Schema, at one place."""

    def __init__(self, schemas: Iterable[tuple[Any, Any]], timeout_seconds: float) -> None:
        """`schemas` are those that apply at the place, each with the resolver of its references."""
        self._schemas, self._timeout = list(_schemas_of_value(schemas)), timeout_seconds
        lists = [part for schema, _ in self._schemas for part in (schema.get("required"), *_lists_of_keys(schema))]
        maps = [schema["properties"] for schema, _ in self._schemas if isinstance(schema.get("properties"), dict)]
        named = (key for part in (*maps, *lists) if isinstance(part, list | dict) for key in part)
        self.names = frozenset(key for key in named if isinstance(key, str))
        self._below: dict[str | None, SchemaKeys] = {}

    def allows(self, key: str) -> bool:
        """Whether a pattern of the schemas allows a key that they do not name."""
        return any(
            self._fits(pattern, key) for schema, _ in self._schemas for pattern in schema.get("patternProperties") or ()
        )

    def below(self, step: str | None) -> SchemaKeys:
        """The keys of the schemas for the values under a key, or for the items of a list (None). Kept for keys that schemas name."""
        keys = self._below.get(step)
        if keys is None:
            inner = [(part, resolver) for schema, resolver in self._schemas for part in self._parts(schema, step)]
            keys = SchemaKeys(inner, self._timeout)
            if step is None or step in self.names:  # others are the output's own, and without end
                self._below[step] = keys
        return keys

    def _parts(self, schema: dict[str, Any], step: str | None) -> list[Any]:
        """The parts of one schema for the items of a list (`step` is None) or for the value under a key. None stands for a keyword that
        is not there."""
        if step is None:
            several = [part for word in ("items", "prefixItems") if isinstance(part := schema.get(word), list)]
            return [schema.get(word) for word in _OF_ITEMS] + [part for parts in several for part in parts]
        properties, patterns = schema.get("properties") or {}, schema.get("patternProperties") or {}
        parts = [properties[step]] if step in properties else []
        parts += [part for pattern, part in patterns.items() if self._fits(pattern, step)]
        return parts or [schema.get(word) for word in _OF_OTHER_KEYS]

    def _fits(self, pattern: str, key: str) -> bool:
        """Whether a pattern occurs in a key. Raises RowProblem where the search takes too long."""
        return matcher(pattern, "search", self._timeout)(key)


_OF_ITEMS: Final = ("items", "additionalItems", "contains", "unevaluatedItems")
_OF_OTHER_KEYS: Final = ("additionalProperties", "unevaluatedProperties")


@lru_cache(maxsize=256)
def keys_of(schema_text: str, timeout_seconds: float) -> SchemaKeys:
    """The keys that a schema knows. Raises BadSettings for one that cannot be read."""
    schema = parse_schema(schema_text)
    return SchemaKeys([(schema, REGISTRY.resolver_with_root(_resource(schema, schema)))], timeout_seconds)


def _resource(part: Schema, whole: Schema) -> Any:
    """A part of a schema as a resource of the library `referencing`, in the draft of the whole schema."""
    dialect = whole.get("$schema", DEFAULT_DRAFT) if isinstance(whole, dict) else DEFAULT_DRAFT
    return specification_with(dialect).create_resource(part)


def _lists_of_keys(schema: dict[str, Any]) -> Iterator[Any]:
    """The maps under `dependentRequired` and `dependencies` of a schema, each followed by its values: all of these may hold keys."""
    for word in ("dependentRequired", "dependencies"):
        if isinstance(by_key := schema.get(word), dict):
            yield by_key
            yield from by_key.values()


def _schemas_of_value(schemas: Iterable[tuple[Any, Any]]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every schema that applies to the same value as these (schema, resolver) pairs: themselves, their branches, and the targets of
    references, each with the resolver of its own references."""
    waiting, seen = list(schemas), set[int]()
    while waiting:
        schema, resolver = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        if "$id" in schema or "id" in schema:
            resolver = resolver.in_subresource(_resource(schema, schema))
        yield schema, resolver
        waiting += [(part, resolver) for part in _branches(schema)]
        for reference in (schema[word] for word in _REFERENCES if isinstance(schema.get(word), str)):
            resolved = resolver.lookup(reference)
            waiting.append((resolved.contents, resolved.resolver))


def _branches(schema: dict[str, Any]) -> list[Any]:
    """The schemas inside a schema that are for the same value, without targets of references."""
    subschemas = [schema[word] for word in _IN_PLACE if word in schema]
    subschemas += [branch for word in _IN_PLACE_BY_KEY for branch in schema.get(word, {}).values()]
    return [branch for item in subschemas for branch in (item if isinstance(item, list) else [item])]


# A schema is checked


def check_schema(schema: Schema, check_formats: bool) -> None:
    """Raises BadSettings with the first thing that makes the schema unusable, and its place."""
    try:
        _draft(schema).check_schema(schema)
    except SchemaError as error:
        place = tuple(error.absolute_path)
        raise bad(f"the schema is malformed at {spell_path(place)}: {_schema_complaint(error)}", *place) from error
    except RecursionError:
        raise bad("the schema is nested too deeply") from None
    for inner, _ in _inner_schemas(schema):
        named = inner.get("patternProperties")
        for pattern in (inner.get("pattern"), *(named if isinstance(named, dict) else ())):
            try:
                compile_pattern(pattern) if isinstance(pattern, str) else None
            except ValueError as error:
                raise bad(f"the schema is malformed: {error}") from None
        if check_formats and isinstance(inner.get("format"), str) and inner["format"] not in FORMATS.checkers:
            known = ", ".join(sorted(FORMATS.checkers))
            raise bad(f'the format "{inner["format"]}" cannot be checked', hint=f"formats that can: {known}")
    _refuse_circles(schema)


def _draft(schema: Schema) -> Any:
    """The library's validator class for the draft that a schema names, else for 2020-12. Raises BadSettings for an unknown draft."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return Draft202012Validator
    find: Any = validator_for
    validator = find(schema, default=None) if isinstance(named, str) else None
    if validator is None:
        raise bad(f'unknown draft "{named}" in "$schema"\nhint: drafts 3 to 2020-12 are known, as in {DEFAULT_DRAFT}')
    return validator


def _inner_schemas(schema: Schema) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every schema inside the schema that is a map, itself included, each with the resolver of its references."""
    root = _resource(schema, schema)
    waiting = [(root, REGISTRY.resolver_with_root(root))]
    while waiting:
        resource, resolver = waiting.pop()
        if isinstance(resource.contents, dict):
            yield resource.contents, resolver
        waiting.extend((inner, resolver.in_subresource(inner)) for inner in resource.subresources())


def _refuse_circles(schema: Schema) -> None:
    """Raises BadSettings for a reference that leads nowhere, and for a schema that applies itself to the same value for ever."""
    applied: dict[int, list[int]] = {}
    for inner, resolver in _inner_schemas(schema):
        branches = _branches(inner)
        for reference in (inner[key] for key in _REFERENCES if isinstance(inner.get(key), str)):
            try:
                branches.append(resolver.lookup(reference).contents)
            except Unresolvable:
                raise _dangling_reference(reference) from None
        applied[id(inner)] = [id(branch) for branch in branches if isinstance(branch, dict)]
    try:
        TopologicalSorter(applied).prepare()
    except CycleError:
        raise bad("the schema refers to itself without end") from None


def _dangling_reference(reference: str) -> BadSettings:
    """The refusal of a reference that leads to the network, or to nothing."""
    if urlsplit(reference).scheme in ("http", "https"):
        message = f'the reference "{reference}" leads to the network, and nothing is fetched'
        return bad(message, hint='copy what it names under "$defs"')
    return bad(f'the reference "{reference}" leads nowhere')


# What is wrong, in words


def _schema_complaint(error: SchemaError) -> str:
    """What is wrong with a schema at one place inside it, in words."""
    match _keyword_at(error.absolute_path):
        case "type":
            return f"{quote(error.instance)} is not a type; there are {', '.join(_TYPES)}, and lists of them"
        case "pattern" if isinstance(error.instance, str):
            return f"{quote(error.instance)} is not a regular expression"
        case _:
            return clip_name(_message(error), LONGEST_MESSAGE)


def _keyword_at(path: Iterable[str | int]) -> str | int | None:
    """The last step into a schema, where it is a keyword or a place in a list; None for a name, as of a property called `type`."""
    last: str | int | None = None
    for step in path:
        last = None if last in _BY_NAME else step
    return last


def _message(
    error: ValidationError | SchemaError, written: Callable[[Any], Any] = lambda value: value, value: Any = MISSING
) -> str:
    """The message of an error, with values as JSON writes them. `value` is what does not fit, as the output spells it; `written`
    makes a value of the schema readable."""
    value, wanted = error.instance if value is MISSING else value, written(error.validator_value)
    match error.validator:
        case "type":
            types = wanted if isinstance(wanted, list) else [wanted]
            return f"{with_kind(value)}; expected {' or '.join(map(str, types))}"
        case "enum":
            return f"{quote(value)} is not one of {quote(wanted, LONGEST_MESSAGE)}"
        case "const":
            return f"{quote(value)} is not {quote(wanted, LONGEST_MESSAGE)}"
        case keyword if wanted != error.validator_value:  # the library's sentence would quote it as it was filled in
            return f'{quote(value)} does not fit "{keyword}": {quote(wanted, LONGEST_MESSAGE)}'
        case _ if value != error.instance:
            return str(error.message).replace(repr(error.instance), repr(value))
        case _:
            return str(error.message)


def spell_path(path: Iterable[str | int]) -> str:
    """A place inside a document, in dots; the document itself is `$`."""
    spelled = ""
    for step in path:
        if isinstance(step, str) and step.isidentifier():
            spelled += f".{step}" if spelled else step
        else:
            spelled += f"[{json_text.to_text(step)}]"
    return spelled or "$"


# Formats


def _formats() -> FormatChecker:
    """A checker of the formats that the library knows, with date-time, time and uri of our own. A value that is no text has every
    format."""
    checker = FormatChecker()

    @checker.checks("date-time", raises=ValueError)
    def is_date_time(value: object) -> bool:
        if not isinstance(value, str):
            return True
        return bool(_RFC_3339_DATE_TIME.fullmatch(value) and datetime.fromisoformat(value.upper()))

    @checker.checks("time", raises=ValueError)
    def is_time(value: object) -> bool:
        if not isinstance(value, str):
            return True
        return bool(_RFC_3339_DATE_TIME.fullmatch(f"2000-01-01T{value}") and time.fromisoformat(value.upper()))

    @checker.checks("uri", raises=ValueError)
    def is_uri(value: object) -> bool:
        return not isinstance(value, str) or bool(not _NOT_IN_A_URI.search(value) and urlsplit(value).scheme)

    return checker


FORMATS: Final = _formats()


# Keywords that need more care than the library takes


class _Remembered(threading.local):
    """The errors of references in the current document, for each thread."""

    errors: dict[Any, list[ValidationError]] | None = None


_remembered: Final = _Remembered()


@contextmanager
def _remembering_errors() -> Iterator[None]:
    """Within the `with` block, in which one document is validated, this thread remembers the errors of each reference and value."""
    before, _remembered.errors = _remembered.errors, {}
    try:
        yield
    finally:
        _remembered.errors = before


@lru_cache(maxsize=32)
def _with_own_keywords(draft: Any, timeout_seconds: float) -> Any:
    """The validator class of a draft with our own checks in place of some of the library's: patterns have a time limit, numbers are
    exact.

    Making one takes longer than checking many documents, so it is kept.
    """
    known = draft.VALIDATORS

    def occurs(pattern: str, text: str) -> bool:
        """Whether a pattern occurs in a text, within the time limit."""
        return matcher(pattern, "search", timeout_seconds)(text)

    def pattern(_: Any, wanted: str, instance: object, __: Any) -> Errors:
        """The check of `pattern`, with the time limit."""
        if isinstance(instance, str) and not occurs(wanted, instance):
            yield ValidationError(f"{quote(instance)} does not match {quote(wanted)}")

    def pattern_properties(validator: Any, wanted: Any, instance: object, _: Any) -> Errors:
        """The check of `patternProperties`, whose patterns have the time limit."""
        if isinstance(instance, dict):
            for name, inner in wanted.items():
                for key, value in instance.items():
                    if occurs(name, key):
                        yield from validator.descend(value, inner, path=key, schema_path=name)

    def additional(validator: Any, wanted: Any, instance: object, schema: Any) -> Errors:
        """The check of `additionalProperties`: that of the library, but where `patternProperties` stand beside it, so that these have the
        time limit. Yields the errors of the keys that neither `properties` nor a pattern names."""
        patterns = schema.get("patternProperties")
        if not patterns:
            yield from known["additionalProperties"](validator, wanted, instance, schema) or ()
        elif isinstance(instance, dict):
            extra = instance.keys() - schema.get("properties", {}).keys()
            extra = [key for key in instance if key in extra and not any(occurs(name, key) for name in patterns)]
            if isinstance(wanted, dict):
                for key in extra:
                    yield from validator.descend(instance[key], wanted, path=key)
            elif wanted is False and extra:
                names, do = ", ".join(map(quote, sorted(extra))), "does" if len(extra) == 1 else "do"
                yield ValidationError(
                    f"{names} {do} not match any of the patterns {', '.join(map(quote, sorted(patterns)))}"
                )

    ours = {
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional,
        "uniqueItems": _unique_items,
        "multipleOf": _multiple_of,
        "divisibleBy": _multiple_of,
        **{name: _reference_check(known.get(name)) for name in _REFERENCES},
    }
    extended: Any = extend
    return extended(draft, {name: keyword for name, keyword in ours.items() if name in known})


def _reference_check(library: Any) -> Callable[..., Errors]:
    """The check of `$ref` and `$dynamicRef`: that of the `library`, with the errors of one schema for one value remembered."""

    def reference(validator: Any, wanted: Any, instance: object, schema: Any) -> Errors:
        """Yields the errors of a value by the schema that a reference leads to. Inside `_remembering_errors()` each is found once, and
        at most `MOST_ERRORS` for one value; else the library looks anew each time."""
        row_clock().tick()
        known = _remembered.errors
        if known is None:
            yield from library(validator, wanted, instance, schema) or ()
            return
        # where a dynamic reference leads depends on the documents that led to it
        scope = tuple(dict.fromkeys(uri for uri, _ in validator._resolver.dynamic_scope()))
        key = (id(schema), id(instance), scope)
        errors = known.get(key)
        if errors is None:
            errors = known[key] = [*islice(library(validator, wanted, instance, schema) or (), MOST_ERRORS)]
            for error in errors:
                error.context = []
        yield from map(ValidationError.create_from, errors)  # whoever is given an error adds to its path

    return reference


def _unique_items(_: Any, wanted: Any, instance: object, __: Any) -> Errors:
    """The check of `uniqueItems`, in which 1 and 1.0 are equal and 1 and true are not: yields one error for the first item of the list
    `instance` that is there twice, where `wanted` is true."""
    if wanted is True and isinstance(instance, list) and len(instance) > 1:
        seen = set()
        for value in instance:
            key = lookup_key(value)
            if key in seen:
                yield ValidationError(f"{quote(instance)} has non-unique elements: {quote(value)}")
                return
            seen.add(key)


def _multiple_of(_: Any, wanted: Any, instance: object, __: Any) -> Errors:
    """The check of `multipleOf` with exact fractions, so that 0.3 is a multiple of 0.1."""
    if not isinstance(instance, (int, float)) or isinstance(instance, bool):
        return
    # by its text, a float is the decimal that people write
    number, step = (Fraction(value) if isinstance(value, int) else Fraction(str(value)) for value in (instance, wanted))
    if (number / step).denominator != 1:
        yield ValidationError(f"{quote(instance)} is not a multiple of {quote(wanted)}")
