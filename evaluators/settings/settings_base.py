"""The base of every group of settings: immutable, strict about keys, described by the texts under its attributes.

The descriptions are read from the source when a JSON Schema is written, not when the class is made: reading them costs
more than a short run.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from evaluators.issues import Issue
from evaluators.settings.filled import NOTHING_FILLED, Filled, filled_texts
from evaluators.settings.plain_words import user_spellings

Name: TypeAlias = Annotated[str, Field(min_length=1)]
"""The name of something, such as a column or a file. An empty text names nothing."""


_FILLED: Final = "_filled"


class Settings(BaseModel):
    """Settings that a YAML map is read into."""

    # a model that a suite does not use is not built: building takes longer than reading settings into it
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    def model_post_init(self, context: Any, /) -> None:
        """Keeps what was filled in to the suite that these settings are read from."""
        if filled := filled_texts():
            self.__dict__[_FILLED] = filled

    def written(self, value: Any) -> Any:
        """A value of these settings as people read it: `${NAME}` in place of what the environment filled in.

        Whoever quotes a setting in a sentence, or records it, asks for it.
        """
        filled: Filled = self.__dict__.get(_FILLED, NOTHING_FILLED)
        return filled.shown(value)

    def masked(self, sentence: str) -> str:
        """A sentence about these settings, in which no cell is quoted, without what the environment filled in."""
        filled: Filled = self.__dict__.get(_FILLED, NOTHING_FILLED)
        return filled.masked(sentence)

    def masked_issue(self, issue: Issue) -> Issue:
        """A problem with these settings, or with what they name, without what the environment filled in."""
        filled: Filled = self.__dict__.get(_FILLED, NOTHING_FILLED)
        return filled.masked_issue(issue)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON Schema of the settings, each with the text that stands under its attribute. Other spellings than today's
        fit a pattern, one spelling of a setting at a time."""
        schema = handler(core)
        found = handler.resolve_ref_schema(schema)
        texts = {name: text for base in reversed(cls.__mro__) for name, text in _texts_under_attributes(base).items()}
        for name, field in cls.model_fields.items():
            today, *others = words = spellings(name, field)
            setting = found.get("properties", {}).get(today)
            if setting is None:
                continue
            if name in texts and field.description is None:
                setting["description"] = texts[name]
            if others:
                found.setdefault("patternProperties", {})[f"^({'|'.join(others)})$"] = setting
            for place, word in enumerate(others, 1):
                found.setdefault("dependencies", {})[word] = {"properties": dict.fromkeys(words[:place], False)}
            if others and field.is_required():
                found["required"].remove(today)
                found.setdefault("allOf", []).append({"anyOf": [{"required": [word]} for word in words]})
        return schema


def spellings(name: str, field: FieldInfo) -> list[str]:
    """How a setting may be written, today's word first: as users may write it, and then by its name in Python."""
    return list(dict.fromkeys([*user_spellings(name, field), name]))


def _texts_under_attributes(model: type) -> dict[str, str]:
    """The text under each annotated attribute of a class that has one, on one line."""
    return _texts_of_module(model.__module__).get(model.__name__, {}) if issubclass(model, Settings) else {}


@cache
def _texts_of_module(name: str) -> dict[str, dict[str, str]]:
    """The texts under the attributes of every class of a module. Kept: reading its source takes longer than all of the schema."""
    tree = ast.parse(inspect.getsource(sys.modules[name]))
    return {node.name: dict(_texts_of_class(node)) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _texts_of_class(body: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in pairwise(body.body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, " ".join(text.split())
