"""The JSON Schema of the language of suites, for editors: completion, hover and messages while a suite is typed.

Pydantic writes the schema of every settings model: keys, types, listed words, and the texts under the attributes. Added here
is what stands around the models, a word or a map from one word to its settings, and the names by which they refer to each
other. It is draft 7, which every editor reads. Words of other systems load, so they fit, by a pattern; an editor does not
offer them. What a schema cannot know (names that the suite makes up, paths, patterns, rules between two settings) is left to
the reader of the suite. Only what ships with the package is listed, so that the schema is the same on every machine.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from evaluators.model.settings import READ_AS
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator
from evaluators.scoring.fields.named_comparators import NEIGHBOURS, WORDS
from evaluators.scoring.judges.judged_comparator import JUDGED_COMPARATORS
from evaluators.scoring.values.transforms import TRANSFORMS
from evaluators.suites.foreign_words import TYPES
from evaluators.suites.shapes import ALIGNMENTS, SHAPES

Schema: TypeAlias = dict[str, Any]

_ONLY_IN_SUITES: Final[Mapping[str, Mapping[str, tuple[str, Schema | None]]]] = {
    "json_diff_match": {"ignore": ("skip", None), "predict_keys": ("extra_fields", {"type": "boolean"})}
}
"""Old settings that the model of a type does not list: today's setting, and what the old one takes if not the same."""
_SEVERAL: Final = {"type": "array", "minItems": 1}
_NOTHING: Final = {"type": ["object", "null"], "maxProperties": 0}
_URI: Final = "agenta:builtin:({}):[a-z0-9]+"


class _Drafter(GenerateJsonSchema):
    """Pydantic's schema, with models called by the names of the language."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__(ref_template="#/definitions/{model}")
        self.names = names

    def normalize_name(self, name: str) -> str:
        """The name of a definition: the language's own for a model, or the name of the class with underscores."""
        return self.names.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def definitions_of(models: Mapping[str, type[BaseModel]]) -> dict[str, Schema]:
    """The schemas of models by their names, with those of the models inside them. Where no setting is required, null fits, too."""
    drafter = _Drafter({model.__name__: name for name, model in models.items()})
    cores = [(name, "validation", TypeAdapter(model).core_schema) for name, model in models.items()]
    drafted = drafter.generate_definitions(cores)[1]  # type: ignore[arg-type]  # the names are ours
    definitions: dict[str, Schema] = json.loads(json.dumps(drafted), object_hook=_schema_for_editors)
    for name, model in models.items():
        if not needs_settings(model):
            definitions[name]["type"] = ["object", "null"]
    return definitions


def _schema_for_editors(schema: Schema) -> Schema:
    """One object of pydantic's schema as editors need it, changed in place and returned, which `json.loads` asks for.

    Titles and defaults that are null go, a paragraph becomes one line, and what another definition describes becomes a `$ref`.
    """
    if isinstance(schema.get("title"), str):
        del schema["title"]
    if isinstance(description := schema.get("description"), str):  # editors begin a paragraph at every line break
        schema["description"] = re.sub(r"(?<!\n)\n(?!\n|\s*- )\s*", " ", description)
    if schema.get("default", ...) is None:
        del schema["default"]
    if "minLength" in schema and "anyOf" in schema:  # of a text, a list or a map alike
        schema["minItems"] = schema["minProperties"] = schema["minLength"]
    if READ_AS in schema:
        schema["$ref"] = f"#/definitions/{schema.pop(READ_AS)}"
    if "$ref" in schema and len(schema) > 1:  # what stands beside a $ref itself is lost
        schema["allOf"] = [{"$ref": schema.pop("$ref")}]
    return schema


def reference(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/definitions/{name}"}


def word_or_map(words: Mapping[str, str], keys: Mapping[str, Schema], other: Schema, **of_map: Any) -> Schema:
    """The schema of a value that is a word, or a map from one word to its settings.

    `words` are those that an editor offers, with their descriptions, and `other` the schema of further words; `keys` has the
    schema of the settings by word, and `of_map` are further keywords for the map. A condition tells the two shapes apart, so
    that a mistake is reported for the one that was written.
    """
    offered = {"enum": [*words], "enumDescriptions": [*words.values()]}
    return {
        "anyOf": [offered, {}],
        "if": {"type": "object"},
        "then": {  # in a condition of its own: beside `properties`, editors offer no key where `maxProperties` stands
            "if": {"maxProperties": 1},
            "then": {"properties": dict(keys), "minProperties": 1, **of_map},
            "else": {"maxProperties": 1},
        },
        "else": {"anyOf": [offered, other]} if other else offered,
    }


def language_definitions() -> dict[str, Schema]:
    """The schemas of evaluators, fields, comparators, transforms, alignments and conditions, by name."""
    types = {name: BUILTIN.find(name) for name in BUILTIN.shipped_names()}
    comparators = {name: COMPARATORS.shipped_plug(name) for name in COMPARATORS.shipped_names()}
    comparators |= {name: JUDGED_COMPARATORS.find(name) for name in JUDGED_COMPARATORS.shipped_names()}
    models: dict[str, type[BaseModel]] = {
        **{f"evaluator.{name}": plug for name, plug in types.items()},
        **{f"comparator.{name}": plug for name, plug in comparators.items()},
        **{name: kind.parameters for name, kind in TRANSFORMS.items() if kind.parameters.model_fields},
        **SHAPES,
    }  # fmt: skip
    definitions = definitions_of(models)
    of_a_line, field, present = (definitions.pop(name) for name in ("line", "field", "present"))
    for name in types:
        _complete_evaluator(definitions[f"evaluator.{name}"], name, of_a_line["properties"])
    alignments = {name: definitions.pop(name) for name in ALIGNMENTS}
    transforms = {
        name: {**definitions.pop(name, _NOTHING), "description": kind.does} for name, kind in TRANSFORMS.items()
    }
    words = {name: kind.does for name, kind in TRANSFORMS.items() if not needs_settings(kind.parameters)}
    in_suite = _comparator_schema(comparators, in_suite=True)
    return definitions | {
        "evaluator": _evaluator_schema(types),
        "field": {
            "anyOf": in_suite["anyOf"],
            "if": {"type": "object", "anyOf": [{"required": [name]} for name in NEIGHBOURS]},
            "then": field,
            "else": {"if": {"type": "null"}, "else": reference("comparator")},
        },
        "fields": {
            "type": ["object", "array"],
            "minItems": 1,
            "items": reference("path"),
            "minProperties": 1,
            "additionalProperties": reference("field"),
        },
        "comparator": in_suite,
        "comparator.definition": _comparator_schema(comparators, in_suite=False),
        "transform": word_or_map(words, transforms, {}, additionalProperties=False),
        "transforms": {"type": "array", "items": reference("transform")},
        "alignment": word_or_map(
            {name: schema["description"] for name, schema in alignments.items() if "required" not in schema},
            alignments,
            {},
            additionalProperties=False,
        ),
        "conditions": _conditions_schema(present),
        "path": {
            "description": "A path: dots (`vendor.name`), JSONPath (`$.vendor.name`) or JSON Pointer (`/vendor/name`).",
            "type": ["string", "integer"],
        },
        "paths": {"type": "array", "items": reference("path")},
        "path_or_paths": {"anyOf": [reference("path"), {**_SEVERAL, "items": reference("path")}]},
        "path_or_number": {"type": ["string", "number"]},
    }


def _complete_evaluator(schema: Schema, name: str, of_a_line: Schema) -> None:
    """Changes the schema of the type `name` in place: adds the settings of every evaluator (`of_a_line`), and old spellings of suites."""
    del schema["properties"]["type"]
    of_both = {
        key: {"anyOf": [own, of_a_line[key]], "description": f"{own['description']} {of_a_line[key]['description']}"}
        for key, own in schema["properties"].items()
        if key in of_a_line
    }
    schema["properties"] |= of_a_line | of_both
    patterns = schema.setdefault("patternProperties", {})
    patterns["^(type)$"] = {"type": "string", "pattern": _any_spelling([name])}
    for old, (today, taken) in _ONLY_IN_SUITES.get(name, {}).items():
        patterns[f"^({old})$"] = taken or schema["properties"][today]
        schema.setdefault("dependencies", {})[old] = {"properties": {today: False}}


def _evaluator_schema(types: Mapping[str, type[Evaluator]]) -> Schema:
    """The schema of a line under `evaluators:`: a type as a word, a one-key map, the long form, or as Agenta exports it."""
    today = {name: first_sentence(plug) for name, plug in types.items() if not plug.retired}
    alone = [name for name, plug in types.items() if not needs_settings(plug)]
    line = word_or_map(
        {name: description for name, description in today.items() if name in alone},
        {name: reference(f"evaluator.{name}") for name in today},
        {"type": "string", "pattern": _any_spelling(alone)},
        patternProperties={_any_spelling([name]): reference(f"evaluator.{name}") for name in types},
        additionalProperties=False,
    )
    long_form = {
        "properties": {
            "type": {
                "anyOf": [
                    {"enum": [*today], "enumDescriptions": [*today.values()]},
                    {"type": "string", "pattern": _any_spelling(types)},
                ]
            }
        },
        "allOf": [
            {
                "if": {"properties": {"type": {"type": "string", "pattern": _any_spelling([name])}}},
                "then": reference(f"evaluator.{name}"),
            }
            for name in types
        ],
    }
    below = {"required": ["data"], "properties": {"data": {"type": "object", "required": ["uri"]}}}
    exported = {"if": {"anyOf": [{"required": ["uri"]}, below]}, "else": line["then"]}
    return {**line, "then": {"if": {"required": ["type"]}, "then": long_form, "else": exported}}


def _any_spelling(names: Iterable[str]) -> str:
    """A pattern that fits these evaluator types in every spelling that loads, those of other systems included."""
    known = [*names]
    words = "|".join(map(re.escape, [*known, *(old for old, name in TYPES.items() if name in known)]))
    return f"^({words}|{_URI.format(words)})$"


def _comparator_schema(plugs: Mapping[str, type[Comparator]], *, in_suite: bool) -> Schema:
    """The schema of a comparator, a word or a one-key map. `in_suite`: it may be `skip`, `compound`, or one of the suite's own."""
    alone = {name: first_sentence(plug) for name, plug in plugs.items() if not _wants_options(plug)}
    keys = {name: reference(f"comparator.{name}") for name in plugs}
    old = {f"^({word})$": reference(f"comparator.{today}") for word, today in WORDS.items()}
    if not in_suite:
        return word_or_map(alone, keys, {}, patternProperties=old, additionalProperties=False)
    return word_or_map(
        {**alone, "skip": "The field is left out."},
        {**keys, "compound": reference("compound")},
        {"type": "string", "minLength": 1, "not": {"enum": [name for name in plugs if name not in alone]}},
        patternProperties={"^(skip)$": _NOTHING, **old},
        additionalProperties=False,
    )


def _wants_options(plug: type[Comparator]) -> bool:
    """Whether a comparator cannot be made without options."""
    try:
        plug()
    except ValidationError:
        return True
    return False


def _conditions_schema(present: Schema) -> Schema:
    """The JSON Schema of conditions, whose values are scalars, lists of them, or `present`."""
    value = {"type": ["string", "number", "boolean", "null"]}
    return {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": r"^(row|output|expected)\.[\s\S]"},
        "additionalProperties": {
            "if": {"type": "object"},
            "then": present,
            "else": {"minItems": 1, "items": value},
        },
    }


def needs_settings(model: type[BaseModel]) -> bool:
    """Whether some setting of the model has no value of its own, or the user makes up the names of settings."""
    of_own_names = model.model_config.get("extra") == "allow"
    return of_own_names or any(field.is_required() for field in model.model_fields.values())


def first_sentence(plug: type[object]) -> str:
    """The first sentence of the docstring of a plug."""
    line = " ".join(documentation(plug).partition("\n\n")[0].split())
    return re.split(r"(?<=[.:])\s", line)[0].removesuffix(":").removesuffix(".") + "."


def documentation(plug: type[object]) -> str:
    """The docstring of a plug."""
    return inspect.getdoc(plug) or ""
