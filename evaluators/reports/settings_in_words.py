"""The settings of a plug in words: what each takes, its default, and what it means, from its model alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from pydantic import BaseModel

from evaluators.model.settings import READ_AS, spellings
from evaluators.runs.metrics import limit_text
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.needs import ROLES
from evaluators.scoring.values.quoting import flow_text


class Setting(Struct, frozen=True):
    """One setting, in words. The default is empty where the setting must be given."""

    name: str
    takes: str
    default: str
    meaning: str


def settings_of(model: type[BaseModel]) -> tuple[Setting, ...]:
    """The settings of a plug in words: its own first, then those that every evaluator has."""
    schema = model.model_json_schema()
    shared = [name for name in Evaluator.model_fields if issubclass(model, Evaluator)]
    # by today's spelling of a setting, which is its key in the schema: its other spellings, and the name of its attribute
    names = {spellings(name, field)[0]: spellings(name, field)[1:] for name, field in model.model_fields.items()}
    fields = {spellings(name, field)[0]: name for name, field in model.model_fields.items()}
    ordered = sorted((name for name in schema.get("properties", {}) if name != "type"), key=lambda name: name in shared)
    settings: list[Setting] = []
    for name in ordered:
        written = [other for other in names.get(name, ()) if other != name and other not in ROLES]
        required = model.model_fields[fields.get(name, name)].is_required()
        setting = _setting(name, schema["properties"][name], schema.get("$defs", {}), required, written)
        settings += [setting, *_inner_settings(name, schema["properties"][name], schema.get("$defs", {}))]
    return tuple(settings)


def _setting(
    name: str, schema: Mapping[str, Any], models: Mapping[str, Any], required: bool, written: Sequence[str]
) -> Setting:
    """A setting in words, from its JSON Schema. `models` are the schemas that it may refer to, `written` are its other spellings."""
    also = f" Also written {', '.join(f'`{other}`' for other in written)}." if written else ""
    meaning = " ".join(str(schema.get("description", "")).split())
    return Setting(name, takes(schema, models), "" if required else _default(name, schema), f"{meaning}{also}".strip())


def _inner_settings(name: str, schema: Mapping[str, Any], models: Mapping[str, Any]) -> list[Setting]:
    """The settings inside a setting that is a map of its own, each called `NAME.INNER`; empty for any other setting.

    `models` are the schemas that `schema` may refer to. Of several that a setting may be, the first that has settings counts.
    """
    for branch in (schema, *schema.get("anyOf", ())):
        key = _model_name(branch)
        inner = models.get(key or "", {}) if key != "FromColumn" else {}
        if inner.get("properties"):
            required = inner.get("required", ())
            above = schema.get("default") or {}
            return [
                _setting(f"{name}.{word}", {**value, **_default_entry(above, word)}, models, word in required, ())
                for word, value in inner["properties"].items()
            ]
    return []


def _default_entry(above: object, key: str) -> dict[str, Any]:
    """The default of a setting inside a map as an entry of its schema, from `above`, the default of the whole map; empty without one."""
    return {"default": above[key]} if isinstance(above, Mapping) and key in above else {}


def _default(name: str, schema: Mapping[str, Any]) -> str:
    """The default of a setting, in code style; for a column that has a role, the test set's own."""
    value = schema.get("default")
    if value is None:
        return "the test set's own" if name in ROLES else "none"
    if isinstance(value, float) and value.is_integer():
        return f"`{limit_text(value)}`"
    return f"`{flow_text(value)}`"


_READ: Final = {
    "fields": "a list of paths, or a map from paths to comparators",
    "transforms": "a list of transforms",
    "paths": "a list of paths",
    "comparator": "a comparator",
}
_KINDS: Final = {
    "string": "text", "integer": "a whole number", "number": "a number", "boolean": "`true` or `false`",
    "array": "a list", "object": "a map",
}  # fmt: skip


def takes(schema: Mapping[str, Any], models: Mapping[str, Any]) -> str:
    """The allowed values of a setting, in words, from its JSON Schema. `models` are the schemas that it may refer to."""
    if READ_AS in schema:
        return _READ.get(str(schema[READ_AS]), str(schema[READ_AS]))
    if "enum" in schema or "const" in schema:
        return _either([f"`{flow_text(value)}`" for value in schema.get("enum", [schema.get("const")])])
    if "anyOf" in schema:
        branches = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
        return _either(list(dict.fromkeys(takes(branch, models) for branch in branches)))
    name = _model_name(schema)
    if name == "FromColumn":
        return "`{column: NAME}`"
    if name:
        return "a map" if models.get(name, {}).get("properties") else "any value"
    kind = _KINDS.get(str(schema.get("type")), "any value")
    if schema.get("type") == "array" and schema.get("items", {}).get("type") == "string":
        return "a list of texts"
    return kind + _range(schema)


def _model_name(schema: Mapping[str, Any]) -> str | None:
    """The name of the model that a schema refers to; None where it refers to none."""
    reference = schema.get("$ref")
    return str(reference).rpartition("/")[2] if reference else None


def _range(schema: Mapping[str, Any]) -> str:
    """The limits of a number in words, to be put behind its kind; empty where it has none."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    parts = [
        f"{word} {limit:g}"
        for word, limit in (("at least", low), ("more than", above), ("at most", high))
        if limit is not None
    ]
    return f", {', '.join(parts)}" if parts else ""


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
