"""The base of every group of settings: immutable, strict about keys, described by the texts under its attributes.

The descriptions are read from the source when a JSON Schema is written, not when the class is made: reading them costs
more than a short run.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

Name: TypeAlias = Annotated[str, Field(min_length=1)]
"""The name of something, such as a column or a file. An empty text names nothing."""


class Settings(BaseModel):
    """Settings that a YAML map is read into."""

    # a model that a suite does not use is not built: building takes longer than reading settings into it
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON Schema of the settings, each with the text that stands under its attribute."""
        schema = handler(core)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        texts = {name: text for base in reversed(cls.__mro__) for name, text in _texts_under_attributes(base)}
        for name, field in cls.model_fields.items():
            alias = field.validation_alias
            spelled = alias.choices[0] if isinstance(alias, AliasChoices) else alias or name
            if name in texts and field.description is None and spelled in properties:
                properties[spelled]["description"] = texts[name]
        return schema


def _texts_under_attributes(model: type) -> Iterator[tuple[str, str]]:
    """(attribute, text) for each annotated attribute of a class with a text under it."""
    if not issubclass(model, Settings):
        return
    tree = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for statement, following in pairwise(body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, inspect.cleandoc(text)
