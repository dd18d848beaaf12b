"""Keywords of a JSON Schema that cannot be what their writer meant: misspelt ones, and values of the wrong kind.

JSON Schema allows any other keyword, as a remark for other programs. So a keyword is only refused when it is no word of
JSON Schema, nearly the same as one that is read here, and that one is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluators.fields.dialects import unwrap, walk
from evaluators.fields.references import LISTS, MAPS, SINGLES, pointer
from evaluators.fields.schema_types import EVALUATION_CONFIG
from evaluators.settings import Detail, Loc, spell

READ: Final = (
    "type", "properties", "items", "required", "additionalProperties", "allOf", "anyOf", "oneOf", "$ref", "$defs",
    "x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align", EVALUATION_CONFIG,
)  # fmt: skip
"""The keywords that change what is scored."""
_OTHERS: Final = frozenset(
    (
        *MAPS, *LISTS, *SINGLES, "dependencies", "dependentRequired", "enum", "const", "format", "title", "description",
        "default", "examples", "example", "nullable", "minItems", "maxItems", "uniqueItems", "minProperties",
        "maxProperties", "minContains", "maxContains", "id", "defs",
    )
)  # fmt: skip
_ALIKE: Final = 0.85
_MAPS: Final = ("properties", "$defs", "definitions")


def keyword_problems(schema: Any) -> list[Detail]:
    """What is wrong with the keywords of a schema and of those inside it, each with its place."""
    return [detail for inner, loc in walk(*unwrap(schema)) for detail in _problems(inner, loc)]


def condition_note(schema: Any) -> str | None:
    """What a reader should know of a schema with `if` and `then`; None for any other."""
    at = next((loc for inner, loc in walk(*unwrap(schema)) if "if" in inner and {"then", "else"} & inner.keys()), None)
    if at is None:
        return None
    return (
        f"`if`, `then` and `else` (at {pointer((*at, 'if'))} of the schema) are not looked at: a field that only they name is "
        "scored once it stands under `properties`, too"
    )


def _problems(schema: Mapping[str, Any], loc: Loc) -> Iterator[Detail]:
    for key, value in schema.items():
        if not isinstance(key, str):
            continue
        here = (*loc, key)
        if key in _MAPS and not isinstance(value, Mapping):
            hint = "write each name with its schema, as in {total: {type: number}}" if key == "properties" else None
            yield Detail(here, f'"{key}" must be a map of schemas; found {spell(value)}', hint, code="bad-schema")
        elif key == "required" and not _names(value):
            hint = f"write required: [{value}]" if isinstance(value, str) else None
            yield Detail(here, f'"required" must be a list of names; found {spell(value)}', hint, code="bad-schema")
        elif key in LISTS and not _maps(value):
            yield Detail(here, f'"{key}" must be a list of schemas; found {spell(value)}', code="bad-schema")
        elif key == "items" and not isinstance(value, (Mapping, bool)) and not _maps(value):
            hint = f"write items: {{type: {value}}}" if isinstance(value, str) else None
            yield Detail(here, f'"items" must be a schema; found {spell(value)}', hint, code="bad-schema")
        elif (meant := _meant(key, value)) is not None and meant not in schema:
            message = f'"{key}" is no keyword of a schema'
            yield Detail(here, message, f'did you mean "{meant}"?', key=True, code="unknown-keyword")


def _names(value: object) -> bool:
    """The names of an object's keys; true and false stood there in old drafts."""
    return isinstance(value, bool) or (isinstance(value, list) and all(isinstance(name, str) for name in value))


def _maps(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, (Mapping, bool)) for one in value)


def _meant(key: str, value: object) -> str | None:
    """The keyword that another one nearly is. `ref` is a remark, save with a place in the schema."""
    if key in READ or key in _OTHERS or key.startswith("x-eval-"):
        return None
    if key == "ref" and not str(value).startswith("#"):
        return None
    plain = key.casefold().replace("_", "-")
    found = max(READ, key=lambda word: _likeness(plain, word))
    return found if _likeness(plain, found) >= _ALIKE else None


def _likeness(plain: str, word: str) -> float:
    from difflib import SequenceMatcher  # for messages only

    return SequenceMatcher(None, plain, word.casefold().replace("_", "-")).ratio()
