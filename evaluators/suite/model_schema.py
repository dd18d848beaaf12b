"""The JSON Schema of a settings model, tidied for editors.

Pydantic writes the first draft. What it adds for programmers goes (titles, defaults of nothing), every accepted
spelling of a setting is added, and docstrings become what an editor shows beside a key. Nested models keep their own
`definitions` until the whole schema is put together.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias, get_args

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from evaluators.settings import READ_AS

Schema: TypeAlias = dict[str, Any]

DEFINITIONS: Final = "definitions"
_SHOWN_EXAMPLES: Final = 3
_MAPS: Final = ("properties", "patternProperties", "$defs")
_LISTS: Final = ("anyOf", "allOf", "oneOf")
_ONE: Final = ("items", "additionalProperties", "propertyNames")
_KINDS: Final = {
    "string": "text",
    "array": "a list",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}
_SIZES: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}


def section_schema(model: type[BaseModel], old: Mapping[str, str] | None = None) -> Schema:
    """The schema of a section that a model reads, with the models inside it under its own `definitions`.

    Every setting may be written in each of its spellings, one at a time. `old` gives spellings that only still load,
    each with today's word.
    """
    drafted = model.model_json_schema()
    models = {inner.__name__: inner for inner in _models_inside(model)}
    nested = {}
    for name, schema in drafted.pop("$defs", {}).items():
        tidy = _tidy(schema)
        nested[_said(name)] = (
            _in_every_spelling(tidy, models[name], {}) if name in models and "properties" in tidy else tidy
        )
    found = _in_every_spelling(_tidy({"properties": {}, **drafted}), model, old or {})
    return {**found, DEFINITIONS: nested} if nested else found


def reference(name: str, **beside: Any) -> Schema:
    """A reference to a definition, with what an editor shows beside it."""
    found: Schema = {"$ref": f"#/{DEFINITIONS}/{name}"}
    # what stands beside a $ref itself is lost
    return {"allOf": [found], **beside} if beside else found


def one_key(schema: Schema, several: str) -> Schema:
    """A map with one key. One with more keys gets one message, whatever its keys are."""
    return {
        "if": {"maxProperties": 1},
        "then": {"minProperties": 1, **schema},
        "else": {"type": "string", "errorMessage": several},
    }


def refused_word(message: str) -> Schema:
    """What no word fits, with what an editor says about it."""
    return {"type": "object", "errorMessage": message}


def suggested(words: Mapping[str, str]) -> Schema:
    """Words that an editor offers, with their meanings; any other value fits too."""
    return {"anyOf": [{"enum": [*words], "enumDescriptions": [*words.values()]}, {}]}


def described(text: str, *, always: bool = False) -> Schema:
    """A docstring as an editor shows it: its first paragraph as plain text, and all of it as Markdown where that says more.

    `always` gives the Markdown too where it says the same, to take the place of another.
    """
    paragraphs = [_reflowed(part) for part in re.split(r"\n\s*\n", text.strip())]
    plain = paragraphs[0]
    whole = "\n\n".join(paragraphs)
    return {"description": plain, **({"markdownDescription": whole} if always or whole != plain or "`" in plain else {})}


def documentation(plug: type[object]) -> str:
    """What the docstring of a plug says."""
    return inspect.getdoc(plug) or ""


def first_sentence(plug: type[object]) -> str:
    """The first sentence of the docstring of a plug."""
    line = _reflowed(re.split(r"\n\s*\n", documentation(plug))[0])
    return re.split(r"(?<=[.:])\s", line)[0].removesuffix(":").removesuffix(".") + "."


def spellings(name: str, field: FieldInfo) -> list[str]:
    """How a setting may be written, today's word first."""
    alias = field.validation_alias
    words = [str(word) for word in alias.choices] if isinstance(alias, AliasChoices) else [alias] if alias else []
    return list(dict.fromkeys([*(word for word in words if isinstance(word, str)), name]))


def needs_settings(model: type[BaseModel]) -> bool:
    """Whether some setting of the model has no value of its own."""
    return any(field.is_required() for field in model.model_fields.values())


def with_examples(schema: Schema, examples: Iterable[Mapping[str, object] | None]) -> Schema:
    """The schema of a model whose settings show the values that worked examples give them."""
    shown: dict[str, list[object]] = {}
    for settings in examples:
        for name, value in (settings or {}).items():
            values = shown.setdefault(name, [])
            if value not in values and len(values) < _SHOWN_EXAMPLES:
                values.append(value)
    properties = {
        name: {**setting, "examples": shown[name]} if name in shown and "enum" not in setting else setting
        for name, setting in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def hoisted(schema: Schema, into: dict[str, Schema]) -> Schema:
    """The schema without its own definitions, which go `into` those of the whole."""
    for name, definition in schema.get(DEFINITIONS, {}).items():
        add_definition(name, definition, into)
    return {key: value for key, value in schema.items() if key != DEFINITIONS}


def add_definition(name: str, definition: Schema, into: dict[str, Schema]) -> None:
    """One more definition of the whole. Two that differ cannot share a name."""
    if into.setdefault(name, definition) != definition:
        raise ValueError(f'two definitions are called "{name}"')


def _in_every_spelling(schema: Schema, model: type[BaseModel], old: Mapping[str, str]) -> Schema:
    drafted = schema["properties"]
    properties: Schema = {}
    required: list[str] = []
    either: list[Schema] = []
    apart: Schema = {}
    for name, field in model.model_fields.items():
        today, *others = spellings(name, field)
        others += [word for word, new in old.items() if new == today and word not in others]
        properties[today] = setting = next(drafted[word] for word in (today, *others) if word in drafted)
        for place, word in enumerate(others):
            note = {"deprecationMessage": f'"{word}" is called "{today}" here.'} if word in old else {}
            properties[word] = {**setting, "doNotSuggest": True, **note}
            apart[word] = {"properties": dict.fromkeys((today, *others[:place]), False)}
        if field.is_required() and others:
            either.append({"anyOf": [{"required": [word]} for word in (today, *others)]})
        elif field.is_required():
            required.append(today)
    added: Schema = {"properties": properties, "required": required, "allOf": either, "dependencies": apart}
    kept = {key: value for key, value in schema.items() if key not in added}
    return kept | {key: value for key, value in added.items() if value or key == "properties"}


def _models_inside(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The models that the settings of a model are made of, at any depth. No settings model contains itself."""
    waiting: list[object] = [field.annotation for field in model.model_fields.values()]
    while waiting:
        annotation = waiting.pop()
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
            waiting.extend(field.annotation for field in annotation.model_fields.values())
        else:
            waiting.extend(get_args(annotation))


def _tidy(schema: Mapping[str, Any]) -> Schema:
    found: Schema = {}
    refers: Schema = {}
    for key, value in schema.items():
        if key in _MAPS:
            found[key] = {name: _tidy(inner) for name, inner in value.items()}
        elif key in _LISTS:
            found[key] = [_tidy(inner) for inner in value]
        elif key in _ONE and isinstance(value, Mapping):
            found[key] = _tidy(value)
        elif key in ("$ref", READ_AS):
            refers = reference(_said(str(value).removeprefix("#/$defs/")))
        elif key == "description":
            found |= described(value)
        elif key != "title" and not (key == "default" and value is None):
            found[key] = value
    if refers and found:
        refers = {"allOf": [refers]}
    return _or_nothing(_sized({**refers, **found}))


def _or_nothing(schema: Schema) -> Schema:
    """A value or null as one shape, where pydantic writes two: the editor then has one thing to say."""
    branches = schema.get("anyOf", [])
    others = [branch for branch in branches if branch != {"type": "null"}]
    if len(others) != 1 or len(branches) != 2:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    (other,) = others
    if isinstance(other.get("type"), str) and "enum" not in other:
        said = {"errorMessage": f"This must be {_KINDS[other['type']]}."} if other["type"] in _KINDS else {}
        return {**other, "type": [other["type"], "null"], **said, **rest}
    return {**rest, "if": {"type": "null"}, "else": other}


def _sized(schema: Schema) -> Schema:
    """`minLength` of a union as the least size of each of its kinds."""
    if "anyOf" not in schema or "minLength" not in schema:
        return schema
    least = schema["minLength"]
    branches = [
        {**branch, _SIZES[branch["type"]]: least} if branch.get("type") in _SIZES else branch
        for branch in schema["anyOf"]
    ]
    return {**{key: value for key, value in schema.items() if key != "minLength"}, "anyOf": branches}


def _said(name: str) -> str:
    """The name of a model as an editor's message says it: `FromColumn` is from_column."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _reflowed(paragraph: str) -> str:
    """A paragraph on one line; the items of a list keep theirs."""
    lines = [line.strip() for line in paragraph.strip().splitlines()]
    return re.sub(r" (?=- )", "\n", " ".join(lines)) if lines and lines[0].startswith("- ") else " ".join(lines)
