"""The page of all settings of a suite, made from the JSON Schema of the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from evaluators.api.language import language_schema
from evaluators.scoring.values.quoting import flow_text

Shape: TypeAlias = Mapping[str, Any]
_OPENING: Final = (
    "# Settings\n\nEvery key that a suite may have outside of its evaluators and comparators, which have pages of "
    "their own ([evaluators](evaluators.md), [comparators](comparators.md), [judges](judges.md)). [The YAML language](language.md) "
    "shows them at work, "
    "and `evaluators explain KEY` prints the same."
)
_PLUGS: Final = {
    "engine": ("Engines", "[The language](language.md#engine) says how one is named."),
    "tracking": ("Trackers", "[Tracking](../integrations/tracking.md) says how a run is sent."),
}
_TYPES: Final = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "`true` or `false`", "array": "a list",
    "object": "a map",
}  # fmt: skip


def settings_page() -> str:
    """The page: a table for each section, then the settings of engines and trackers."""
    schema = language_schema()
    definitions, sections = schema["definitions"], schema["properties"]
    parts = [_OPENING, "## The top of a suite", _table(schema)]
    for title, shape in _sections(sections, definitions):
        parts += [f"## {title}", _table(shape)]
    for section, (title, about) in _PLUGS.items():
        parts += [f"## {title}", about]
        for name, shape in _plugs(sections[section]):
            says = " ".join(shape["description"].partition("\n\n")[0].split())
            parts += [f"### {name}", says, *([_table(shape)] if shape.get("properties") else [])]
    return "\n\n".join(parts) + "\n"


def _sections(sections: Shape, definitions: Shape) -> Iterator[tuple[str, Shape]]:
    evaluators = [shape for name, shape in definitions.items() if name.startswith("evaluator.")]
    shared = [key for key in evaluators[0]["properties"] if all(key in one["properties"] for one in evaluators)]
    yield "Every evaluator", {"properties": {key: evaluators[0]["properties"][key] for key in shared}}
    yield "A field in its long form", definitions["field"]["then"]
    for how, shape in definitions["alignment"]["then"]["then"]["properties"].items():
        if shape.get("properties"):
            yield f"align: {how}", shape
    yield "compound", definitions["compound"]
    yield "test\\_set", _keys_of(sections["test_set"])
    yield "columns", definitions["column_names"]
    yield "output, outputs, expected: a column of another file", definitions["joined"]
    yield "connection", definitions["database_connection"]
    yield "test\\_set: mlflow", definitions["mlflow_rows"]
    yield "test\\_set: phoenix", definitions["phoenix_rows"]
    for name in ("statistics", "measures", "gates", "compare"):
        yield name, _keys_of(sections[name])
    yield "regression\\_checks", definitions["regression_check"]
    for name in ("results", "limits"):
        yield name, _keys_of(sections[name])


def _keys_of(shape: Any) -> Shape:
    """The map among the forms of a section, or the map that each of its values is."""
    if shape.get("properties"):
        found: Shape = shape
        return found
    inside = [*shape.get("anyOf", ()), *([shape["additionalProperties"]] if shape.get("additionalProperties") else [])]
    return next(keys for keys in map(_keys_of, inside) if keys) if inside else {}


def _plugs(shape: Any) -> Iterator[tuple[str, Shape]]:
    yield from shape.get("items", shape)["then"]["then"]["properties"].items()


def _table(shape: Shape) -> str:
    rows = [
        f"| `{key}` | {_cell(_meaning(one))} | {_cell(_takes(one))} | {_without(one)} |"
        for key, one in shape["properties"].items()
    ]
    return "\n".join(["| key | what it says | takes | without it |", "| --- | --- | --- | --- |", *rows])


def _meaning(shape: Shape) -> str:
    return " ".join(str(shape.get("description", "")).partition("\n\n")[0].split())


def _takes(shape: Shape) -> str:
    """The words that a key takes, or the kinds of values."""
    forms = [shape, *shape.get("anyOf", ()), *shape.get("allOf", ())]
    words = dict.fromkeys(f"`{word}`" for form in forms for word in form.get("enum", ()) if isinstance(word, str))
    if len(words) > 12:
        return "[a word](language.md#gates)"
    types = [
        each
        for form in forms
        for each in _listed(form.get("type"))
        if each in _TYPES and not (words and each == "string")
    ]
    return " or ".join([*([", ".join(words)] if words else []), *dict.fromkeys(_TYPES[each] for each in types)])


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _without(shape: Shape) -> str:
    default = shape.get("default")
    whole = isinstance(default, float) and default.is_integer()
    return "" if default is None else f"`{flow_text(int(default) if whole else default)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
