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
from typing import Annotated, Any, Final, TypeAlias

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from evaluators.issues import Issue
from evaluators.settings.filled import NOTHING_FILLED, Filled, filled_texts

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
        """The same for a problem with these settings, or with what they name."""
        filled: Filled = self.__dict__.get(_FILLED, NOTHING_FILLED)
        return filled.masked_issue(issue)

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
