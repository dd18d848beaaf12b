"""JSON Schemas: read from a file, checked before the first row, and asked about documents.

Everything that a schema can get wrong is found when it is read: an unknown draft, a malformed keyword, a reference that
leads nowhere, a schema that applies itself to the same value without end, a format that nobody here can check. Nothing is
ever fetched from the network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from evaluators.builtin._schema_keywords import careful_keywords, pattern_problem
from evaluators.registry import nearest
from evaluators.settings import BadSettings, bad, filled_texts
from evaluators.values import json_text
from evaluators.values.quoting import kind, quote
from evaluators.values.small_files import NoSmallFile, kept_place, read_small

if TYPE_CHECKING:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import SchemaError, ValidationError

Schema: TypeAlias = "dict[str, Any] | bool"

DEFAULT_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
LONGEST_MESSAGE: Final = 200

_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_IN_PLACE_BY_KEY: Final = ("dependentSchemas", "dependencies")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_RFC_3339_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)


def read_file(name: str, folder: Path) -> Schema:
    """The schema in a JSON or YAML file. Raises BadSettings."""
    path = _schema_place(name, folder)
    try:
        text = read_small(path).decode("utf-8-sig")
    except NoSmallFile as error:
        raise bad(f'the schema file "{name}" {error}', hint="a schema is one JSON or YAML file") from None
    except FileNotFoundError:
        hint = _near_file(path, name) or f"looked for {path}"
        raise bad(f'there is no schema file "{name}"', hint=hint) from None
    except (OSError, UnicodeError) as error:
        raise bad(f'the schema file "{name}" cannot be read: {error}') from error
    value = _parsed(text, name)
    if isinstance(value, (dict, bool)):
        return value
    raise bad(f'the schema file "{name}" must hold a map')


def _schema_place(name: str, folder: Path) -> Path:
    """Where the file is; in the copy of a suite, under the name that is written, or beside the suite for an absolute path."""
    shown = filled_texts().shown(name)
    kept = folder / shown if shown != name else kept_place(folder, name) if Path(name).is_absolute() else None
    return kept if kept is not None and kept.exists() else folder / name


def _near_file(path: Path, name: str) -> str | None:
    if not path.parent.is_dir():
        return None
    # by the whole name, and then without endings: "nope.json" is not near every file that ends so
    files = {entry.name: entry.stem for entry in sorted(path.parent.iterdir()) if entry.is_file()}
    found = nearest(path.name, [name for name, stem in files.items() if nearest(path.stem, [stem])])
    return f'did you mean "{Path(name).with_name(found).as_posix()}"?' if found else None


def read_text(text: str) -> Schema:
    """The schema in a cell. Raises BadSettings."""
    try:
        value = json_text.parse(text)
    except json_text.NotJSON as error:
        raise bad(f"the schema is not JSON: {error}") from error
    if isinstance(value, (dict, bool)):
        return value
    raise bad("a schema is a JSON object")


def check(schema: Schema, check_formats: bool) -> None:
    """Raises BadSettings with the first thing that makes the schema unusable, and its place."""
    from jsonschema.exceptions import SchemaError

    draft = _draft(schema)
    try:
        draft.check_schema(schema)
    except SchemaError as error:
        place = tuple(error.absolute_path)
        raise bad(f"the schema is malformed at {spell_path(place)}: {_complaint(error)}", *place) from error
    except RecursionError:
        raise bad("the schema is nested too deeply") from None
    for inner, _ in _walk(schema):
        if (problem := pattern_problem(inner)) is not None:
            raise bad(f"the schema is malformed: {problem}")
        if check_formats and isinstance(inner.get("format"), str) and inner["format"] not in formats().checkers:
            known = ", ".join(sorted(formats().checkers))
            raise bad(f'the format "{inner["format"]}" cannot be checked', hint=f"formats that can: {known}")
    _refuse_circles(schema)


@lru_cache(maxsize=256)
def validator(schema_text: str, check_formats: bool, timeout_seconds: float) -> Any:
    """What tells whether a document fits the schema (`is_valid`, `iter_errors`). Raises BadSettings."""
    schema = read_text(schema_text)
    check(schema, check_formats)
    draft = _careful(_draft(schema), timeout_seconds)
    return draft(schema, registry=_registry(), format_checker=formats() if check_formats else None)


@lru_cache(maxsize=32)
def _careful(draft: Any, timeout_seconds: float) -> Any:
    """A draft whose keywords are ours where it matters. Making one takes longer than checking many documents."""
    import jsonschema.validators

    extend: Any = jsonschema.validators.extend
    return extend(draft, careful_keywords(draft, timeout_seconds))


def first_keys(schema: Schema) -> frozenset[str]:
    """The keys that the schema names at the top of a document; for a list, those of its items."""
    found: set[str] = set()
    seen: set[int] = set()
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        found.update(part.get("properties", ()), part.get("required", ()))
        waiting += [part.get(word) for word in ("items", "if", "then", "else")]
        waiting += [branch for word in ("allOf", "anyOf", "oneOf", "prefixItems") for branch in part.get(word, ())]
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            waiting.append(_at_pointer(schema, reference[1:]))
    return frozenset(key for key in found if isinstance(key, str))


def _at_pointer(schema: Schema, pointer: str) -> Any:
    """The part of a schema that a JSON Pointer leads to; None where it leads nowhere, or is the name of an anchor."""
    part: Any = schema if pointer == "" or pointer.startswith("/") else None
    for step in pointer.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        part = part.get(key) if isinstance(part, dict) else None
    return part


def error_of(error: ValidationError, written: Callable[[Any], Any] = lambda value: value) -> dict[str, object]:
    """One thing that is wrong with a document: where, what, and the keyword that says so.

    `written` makes what the schema says readable: `${NAME}` for what the environment filled in.
    """
    return {
        "path": spell_path(error.absolute_path),
        "message": _short(_message(error, written)),
        "keyword": str(error.validator),
    }


def _complaint(error: SchemaError) -> str:
    """What is wrong inside a schema."""
    match error.absolute_path:
        case [*_, "type"]:
            return f"{quote(error.instance)} is not a type; there are {', '.join(_TYPES)}, and lists of them"
        case [*_, "pattern"] if isinstance(error.instance, str):
            return f"{quote(error.instance)} is not a regular expression"
        case _:
            return _short(_message(error))


def _message(error: ValidationError | SchemaError, written: Callable[[Any], Any] = lambda value: value) -> str:
    """What is wrong, with values as JSON writes them."""
    found, wanted = error.instance, written(error.validator_value)
    match error.validator:
        case "type":
            types = wanted if isinstance(wanted, list) else [wanted]
            return f"{quote(found)} is {kind(found)}; expected {' or '.join(map(str, types))}"
        case "enum":
            return f"{quote(found)} is not one of {quote(wanted, LONGEST_MESSAGE)}"
        case "const":
            return f"{quote(found)} is not {quote(wanted, LONGEST_MESSAGE)}"
        case keyword if wanted != error.validator_value:  # the library's sentence would quote it as it was filled in
            return f'{quote(found)} does not fit "{keyword}": {quote(wanted, LONGEST_MESSAGE)}'
        case _:
            return str(error.message)


def spell_path(path: Any) -> str:
    """A place inside a document, in dots; the document itself is `$`."""
    spelled = ""
    for step in path:
        if isinstance(step, int):
            spelled += f"[{step}]"
        elif isinstance(step, str) and step.isidentifier():
            spelled += f".{step}" if spelled else step
        else:
            spelled += f"[{json_text.to_text(step)}]"
    return spelled or "$"


@lru_cache(maxsize=1)
def formats() -> FormatChecker:
    """The formats that can be checked, the everyday ones of dates and addresses included."""
    from jsonschema import FormatChecker

    checker = FormatChecker()
    checker.checkers = {
        **checker.checkers,
        "date-time": (_is_date_time, ()),
        "time": (_is_time, ()),
        "uri": (_is_uri, ()),
    }
    return checker


def _parsed(text: str, name: str) -> Any:
    if name.lower().endswith((".yaml", ".yml")):
        from evaluators.values.yaml_text import NotYAML, load_untrusted

        try:
            # through JSON, because YAML also holds what JSON does not
            return json_text.parse(json_text.to_text(load_untrusted(text)))
        except (NotYAML, TypeError, ValueError) as error:
            raise bad(f'the schema file "{name}" is not usable YAML: {error}') from error
    try:
        return json_text.parse(text)
    except json_text.NotJSON as error:
        raise bad(f'the schema file "{name}" is not JSON: {_place(text, error)}{error.message}') from error


def _place(text: str, error: json_text.NotJSON) -> str:
    """The line and the column, for a file that is open in an editor."""
    if error.position is None:
        return ""
    before = text[: error.position]
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}: "


def _draft(schema: Schema) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return Draft202012Validator
    find: Any = validator_for
    found = find(schema, default=None) if isinstance(named, str) else None
    if found is None:
        raise bad(f'unknown draft "{named}" in "$schema"\nhint: drafts 3 to 2020-12 are known, as in {DEFAULT_DRAFT}')
    return found


def _registry() -> Any:
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # ships without types

    return REGISTRY


def _walk(schema: Schema) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every schema inside the schema that is a map, with what resolves its references."""
    from referencing.jsonschema import specification_with

    dialect = schema.get("$schema", DEFAULT_DRAFT) if isinstance(schema, dict) else DEFAULT_DRAFT
    root = specification_with(dialect).create_resource(schema)
    waiting = [(root, _registry().resolver_with_root(root))]
    while waiting:
        resource, resolver = waiting.pop()
        if isinstance(resource.contents, dict):
            yield resource.contents, resolver
        waiting.extend((inner, resolver.in_subresource(inner)) for inner in resource.subresources())


def _refuse_circles(schema: Schema) -> None:
    """Every reference leads somewhere, and no schema applies itself to the same value for ever."""
    from referencing.exceptions import Unresolvable

    inward: dict[int, list[int]] = {}
    for inner, resolver in _walk(schema):
        applied = [inner[key] for key in _IN_PLACE if key in inner]
        applied += [one for key in _IN_PLACE_BY_KEY for one in inner.get(key, {}).values()]
        applied = [one for item in applied for one in (item if isinstance(item, list) else [item])]
        for key in _REFERENCES:
            if isinstance(inner.get(key), str):
                try:
                    applied.append(resolver.lookup(inner[key]).contents)
                except Unresolvable:
                    raise _dangling(inner[key]) from None
        inward[id(inner)] = [id(one) for one in applied if isinstance(one, dict)]
    if _has_circle(inward):
        raise bad("the schema refers to itself without end")


def _dangling(reference: str) -> BadSettings:
    if urlsplit(reference).scheme in ("http", "https"):
        message = f'the reference "{reference}" leads to the network, and nothing is fetched'
        return bad(message, hint='copy what it names under "$defs"')
    return bad(f'the reference "{reference}" leads nowhere')


def _has_circle(edges: Mapping[int, list[int]]) -> bool:
    done: set[int] = set()
    for start in edges:
        path: dict[int, None] = {}
        waiting = [(start, False)]
        while waiting:
            node, leaving = waiting.pop()
            if leaving:
                del path[node]
                done.add(node)
            elif node in path:
                return True
            elif node not in done:
                path[node] = None
                waiting.append((node, True))
                waiting.extend((next_, False) for next_ in edges.get(node, ()))
    return False


def _is_date_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return bool(_RFC_3339_DATE_TIME.fullmatch(value)) and _reads(datetime.fromisoformat, value.upper())


def _is_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return bool(_RFC_3339_DATE_TIME.fullmatch(f"2000-01-01T{value}")) and _reads(time.fromisoformat, value.upper())


def _is_uri(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return not re.search(r"[\s<>\"{}|\\^`]", value) and _reads(_with_scheme, value)


def _with_scheme(value: str) -> None:
    if not urlsplit(value).scheme:
        raise ValueError("no scheme")


def _reads(read: Any, value: str) -> bool:
    try:
        read(value)
    except ValueError:
        return False
    return True


def _short(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"
