"""Settings read from what YAML holds: a model from a map, and the word and one-key map shapes.

Everything that a YAML line can name is a word or a one-key map to its options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import core_schema

from evaluators.model.settings.details import BadSettings, Detail, bad, spell
from evaluators.model.settings.plain_words import details_of

Model = TypeVar("Model", bound=BaseModel)
READ_AS = "x-read-as"
"""Marks, in pydantic's JSON Schema, a setting that a function of ours reads; the value is the schema's name."""


class ReadBy:
    """Marks a setting that a function of ours reads: `Annotated[tuple[Path, ...], ReadBy(read_paths)]`.

    The function takes the value and the context of the settings, in which `settings` are those that stand before it in
    the class and have been read. `schema` is the setting's JSON Schema for editors, by
    name: the schema writer knows the names.
    """

    def __init__(self, read: Callable[[Any, Mapping[str, Any]], Any], schema: str = "any") -> None:
        self.read = read
        self.schema = schema

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        """The schema by which pydantic reads the setting: `read` is called with the value and with the settings before it."""
        read = self.read

        def validate(value: Any, info: Any) -> Any:
            """The setting as `read` reads it, with the settings that stand before it."""
            return read(value, {**(info.context or {}), "settings": info.data or {}})

        return core_schema.with_info_plain_validator_function(validate)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Only the name under which the schema of the language describes the setting; the writer of that schema fills it in."""
        # not a $ref: pydantic follows those, and the schema writer is the one who knows the names
        return {READ_AS: self.schema} if self.schema != "any" else {}


def build(
    model: type[Model],
    data: object,
    context: Mapping[str, Any] | None = None,
    noun: str = "",
    also: tuple[str, ...] = (),
) -> Model:
    """The settings as a model. Raises BadSettings with every problem, in plain words.

    `also` are names that stand beside the settings and are read by someone else: suggestions know them.
    """
    try:
        return model.model_validate(data, context=dict(context or {}))
    except ValidationError as error:
        raise BadSettings(details_of(error, model, data, noun, also)) from error


def word_or_map(data: object, noun: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a `noun` (such as a comparator) that is written as a word or as a map with one key. Raises
    BadSettings."""
    if isinstance(data, str):
        return data, {}
    a = "an" if noun[0] in "aeiou" else "a"
    if not isinstance(data, Mapping):
        raise bad(f"expected the name of {a} {noun}, or a map from its name to its options; found {spell(data)}")
    if len(data) != 1:
        keys = ", ".join(f'"{key}"' for key in data) or "no key"
        raise bad(f"{a} {noun} is a word or a map with one key; found {keys}")
    name, options = next(iter(data.items()))
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        hint = f"write {name}: {{option: {spell(options)}}}, with the option's name"
        raise BadSettings([Detail((name,), f'the options of "{name}" must be a map; found {spell(options)}', hint)])
    return str(name), dict(options)
