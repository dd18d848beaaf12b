"""A setting has one default: in the code, on its page, in `explain`, and in the schema of the editor."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args, get_origin

import pytest
import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from evaluators.model.settings import spellings
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, FromColumn
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.transforms import TRANSFORMS
from tests.kit import cli

ROOT: Final = Path(__file__).parents[2]
SCHEMA: Final = json.loads((ROOT / "docs" / "suite.schema.json").read_text(encoding="utf-8"))
DEFINED: Final = SCHEMA["definitions"]
REQUIRED: Final = "it must be given"
Defaults = dict[str, Any]
"""By the name of a setting, `tolerance.abs` for one inside another: its default, as JSON has it."""


class Plug(NamedTuple):
    name: str
    model: type[BaseModel]
    page: str
    """The committed page, and the heading of its part there."""
    part: str | None
    schema: dict[str, Any]


def plugs() -> Iterator[Plug]:
    for name in BUILTIN.shipped_names():
        page = f"evaluators/{name}.md"
        yield Plug(name, BUILTIN.find(name), page, None, DEFINED[f"evaluator.{name}"])
    for name in COMPARATORS.shipped_names():
        page = f"comparators/{name}.md"
        yield Plug(name, COMPARATORS.find(name), page, None, DEFINED[f"comparator.{name}"])
    transforms = _first(DEFINED["transform"], lambda one: "round_digits" in one.get("properties", {}))["properties"]
    for name, kind in TRANSFORMS.items():
        yield Plug(name, kind.parameters, "transforms.md", name, transforms[name])


# what the code says


def in_code(model: type[BaseModel], above: object = None) -> Defaults:
    """The defaults of a model; those of the instance `above` where the model is the default of a setting."""
    found: Defaults = {}
    for name, field in model.model_fields.items():
        word = spellings(name, field)[0]
        if word == "type":
            continue
        value = getattr(above, name) if above is not None else _default(field)
        found[word] = _plain(value)
        if (inner := _inside(field)) is not None:
            instance = value if isinstance(value, inner) else None
            found |= {f"{word}.{key}": one for key, one in in_code(inner, instance).items()}
    return found


def _default(field: FieldInfo) -> Any:
    value = field.get_default(call_default_factory=True, validated_data={})
    return REQUIRED if value is PydanticUndefined else value


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value) or None  # an empty map says nothing
    return list(value) if isinstance(value, tuple) else value


def _inside(field: FieldInfo) -> type[BaseModel] | None:
    """The settings that a setting is a map of. Lists of such maps, and maps by name, are told in words on their page."""
    waiting: list[Any] = [field.annotation]
    while waiting:
        annotation = waiting.pop()
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation is not FromColumn:
            return annotation
        if get_origin(annotation) not in (tuple, list, dict, Mapping):
            waiting.extend(get_args(annotation))
    return None


# what people read


@cache
def _page(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")


def on_page(plug: Plug) -> Defaults:
    """The defaults in the table of the committed page."""
    text = _page(plug.page)
    if plug.part is not None:
        text = re.split(r"^## ", text.partition(f"\n## {plug.part.replace('_', chr(92) + '_')}\n")[2], flags=re.M)[0]
    rows = re.findall(r"^\| `([^`]+)` \| (?:[^|\\]|\\.)* \| ((?:[^|\\]|\\.)*) \| ", text, re.M)
    return {name: _read(default) for name, default in rows}


def in_explain(plug: Plug) -> Defaults:
    """The defaults that `evaluators explain NAME` says."""
    text = cli("explain", plug.name).stdout
    settings = text.partition("Settings\n--------\n")[2]
    if not settings.startswith("setting "):
        return {}
    header, *lines = settings.partition("\n\n")[0].splitlines()
    takes, start = header.index("takes"), header.index("default")
    end = header.index("meaning") if "meaning" in header else None  # else it stands below its setting, indented
    found: dict[str, list[str]] = {}
    for line in lines:
        if named := re.match(r"`([^`]+)`", line):
            default = found.setdefault(named[1], [])
        elif not found or line[:takes].strip():
            continue  # the head of the meaning, or the meaning
        default.append(line[start:end].strip())
    return {name: _read(" ".join(filter(None, parts))) for name, parts in found.items()}


def _read(default: str) -> Any:
    """The value that a page names: in backticks, or none."""
    if default in ("none", "the test set's own"):
        return None
    if default == "none: it must be given":
        return REQUIRED
    return yaml.safe_load(default.strip("`").replace("\\|", "|"))


# what an editor knows


def in_schema(schema: Mapping[str, Any]) -> Defaults:
    """The defaults of a definition of the committed schema, today's words only."""
    found: Defaults = {}
    required = {*schema.get("required", ())} | {
        one["anyOf"][0]["required"][0]
        for one in schema.get("allOf", ())
        if "anyOf" in one and "required" in one["anyOf"][0]
    }
    for name, one in schema.get("properties", {}).items():
        if one.get("doNotSuggest"):
            continue
        found[name] = REQUIRED if name in required else one.get("default")
        inner = _inner_schema(one)
        if inner is not None:
            above = one.get("default")
            for key, value in in_schema(inner).items():
                # what is said of the map as a whole must be what is said of each setting in it
                assert not (isinstance(above, Mapping) and key in above) or above[key] == value, f"{name}.{key}"
                found[f"{name}.{key}"] = value
    return found


def _inner_schema(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    waiting: list[Any] = [schema]
    while waiting:
        one = waiting.pop(0)
        if not isinstance(one, Mapping):
            continue
        if "$ref" in one:
            name = one["$ref"].rpartition("/")[2]
            if name in _OF_SETTINGS:
                return DEFINED[name]  # type: ignore[no-any-return]  # JSON
        waiting += [*one.get("allOf", ()), *one.get("anyOf", ()), one.get("else"), one.get("then")]
    return None


_OF_SETTINGS: Final = [
    name for name, one in DEFINED.items()
    if one.get("properties") and "." not in name and name not in ("from_column", "field", "evaluator", "compound", "alignment")
]  # fmt: skip


def _first(schema: Any, fits: Any) -> Any:
    """The first part of a schema, however deep, that fits."""
    waiting = [schema]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, dict):
            if fits(one):
                return one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    raise AssertionError("no part fits")


# the tests

ALL: Final = list(plugs())


@pytest.mark.slow
@pytest.mark.parametrize("plug", ALL, ids=lambda plug: plug.name)
def test_a_default_is_the_same_in_code_page_explain_and_editor(plug: Plug) -> None:
    code = in_code(plug.model)
    assert on_page(plug) == code
    assert in_explain(plug) == code
    own = {*EvaluatorLine.__struct_fields__} - {*code} if issubclass(plug.model, Evaluator) else set()
    assert {name: value for name, value in in_schema(plug.schema).items() if name not in own} == code
