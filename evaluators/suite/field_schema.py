"""The schema of what `fields:` is made of: paths, comparators, transforms, alignments and conditions."""

from __future__ import annotations

from functools import cache
from typing import Final

from pydantic import ValidationError

from evaluators.comparators._comparator import COMPARATORS, Comparator
from evaluators.fields.compound import WORD as COMPOUND
from evaluators.fields.named_comparators import NEIGHBOURS, WORDS
from evaluators.judges.judged_comparator import JUDGED_COMPARATORS
from evaluators.limits import LIST_CELLS
from evaluators.suite.model_schema import (
    Schema,
    described,
    documentation,
    first_sentence,
    hoisted,
    needs_settings,
    one_key,
    reference,
    refused_word,
    section_schema,
    suggested,
    with_examples,
)
from evaluators.values.transforms import TRANSFORMS

_NOTHING: Final[Schema] = {"type": ["object", "null"], "maxProperties": 0}
_SKIP: Final = {"skip": "The field is left out."}


def field_definitions() -> dict[str, Schema]:
    """The definitions that settings refer to: `fields`, `path`, `transforms`, `conditions` and what they are made of."""
    definitions: dict[str, Schema] = {}
    spelled = "A path: dots (`vendor.name`), JSONPath (`$.vendor.name`) or JSON Pointer (`/vendor/name`)."
    own = {
        "path": {**described(spelled), "type": ["string", "integer"]},
        "paths": {"type": "array", "items": reference("path")},
        "conditions": _conditions(),
        "alignment": _alignment(),
        "transform": _transform(definitions),
        "transforms": {"type": "array", "items": reference("transform")},
        **{f"comparator.{name}": _comparator_options(plug, definitions) for name, plug in _plugs().items()},
        "compound": _compound(),
        "comparator": _comparator(in_suite=True),
        "comparator.definition": _comparator(in_suite=False),
        "field": _field(),
        "fields": _fields(),
    }
    return {**definitions, **own}


def _comparator_options(plug: type[Comparator], definitions: dict[str, Schema]) -> Schema:
    found = hoisted(section_schema(plug), definitions)
    found = with_examples(found, [example.options for example in plug.examples])
    return {
        **found,
        **described(documentation(plug)),
        "type": "object" if needs_settings(plug) else ["object", "null"],
    }


def _comparator(*, in_suite: bool) -> Schema:
    """A comparator by its word or by a one-key map. In the fields of a suite it may be `skip`, or one of the suite's own."""
    names = tuple(_plugs())
    known: Schema = {name: reference(f"comparator.{name}") for name in names}
    if in_suite:
        known["skip"] = {**_NOTHING, "doNotSuggest": True}
        known[COMPOUND] = reference("compound")
    for old, today in WORDS.items():
        note = f'"{old}" is called "{today}" here.'
        known[old] = reference(f"comparator.{today}", doNotSuggest=True, deprecationMessage=note)
    listed = f"Known: {', '.join(names)}."
    short = {
        "properties": known,
        "additionalProperties": False,
        "errorMessage": f"This is not a comparator that takes options. {listed}",
    }
    several = 'A comparator is a word, or a map with one key; weight and the like go beside "compare".'
    other: Schema = {"type": "string", "minLength": 1} if in_suite else {"enum": [*_alone()]}
    word: Schema = {
        "if": {"enum": [name for name in names if name not in _alone()]},
        "then": refused_word("This comparator cannot do without options: write {NAME: {OPTION: VALUE}}."),
        "else": {**other, "errorMessage": f"This is not a comparator. {listed}"},
    }
    offered = {**_alone(), **(_SKIP if in_suite else {})}
    return {**suggested(offered), "if": {"type": "object"}, "then": one_key(short, several), "else": word}


def _compound() -> Schema:
    keys: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True}
    compare = "How they are compared: a comparator. Without it, exactly."
    return {
        **described("Keys of the object at this path that are compared as one value."),
        "type": "object",
        "properties": {
            "fields": {**keys, **described("The keys, in the order in which their values are read.")},
            "compare": reference("comparator", **described(compare)),
        },
        "required": ["fields"],
        "additionalProperties": False,
        "errorMessage": "compound takes fields, a list of two keys or more, and compare.",
    }


@cache
def _alone() -> dict[str, str]:
    """The comparators that need no options, and what each does."""
    return {name: first_sentence(plug) for name, plug in _plugs().items() if not _wants_options(plug)}


@cache
def _plugs() -> dict[str, type[Comparator]]:
    """The comparators that ship with the package, those included that need a judge."""
    own = {name: COMPARATORS.shipping(name) for name in COMPARATORS.shipped()}
    return own | {name: JUDGED_COMPARATORS.find(name) for name in JUDGED_COMPARATORS.shipped()}


def _wants_options(plug: type[Comparator]) -> bool:
    try:
        plug()
    except ValidationError:
        return True
    return False


def _field() -> Schema:
    known = ", ".join(NEIGHBOURS)
    flag = {"type": "boolean", "default": False}
    settings: dict[str, tuple[str, Schema]] = {
        "compare": ("How the two values are compared: a comparator. Without it, exactly.", reference("comparator")),
        "weight": ("How much the field counts in the score of the row.", {"type": "number", "minimum": 0, "default": 1}),
        "required": ("`true`: a row never passes while this field does not match.", flag),
        "optional": ("`true`: it is no problem when no row has this field.", flag),
        "transforms": ("What is done to both values before they are compared.", reference("transforms")),
        "align": ("How the items of this list are paired.", reference("alignment")),
        "when": ("In which rows the field counts.", reference("conditions")),
    }
    long: Schema = {
        "properties": {key: {**schema, **described(text)} for key, (text, schema) in settings.items()},
        "additionalProperties": False,
        "errorMessage": f'Beside the settings of a field, the comparator goes under "compare". Known: {known}.',
    }
    has_neighbour = {"type": "object", "anyOf": [{"required": [name]} for name in NEIGHBOURS]}
    return {
        **suggested({**_alone(), **_SKIP}),
        "if": has_neighbour,
        "then": long,
        "else": {"if": {"type": "null"}, "else": reference("comparator")},
        "defaultSnippets": [
            {
                "label": "compare, with settings",
                "description": "A comparator with a weight.",
                "body": {"compare": "${1:exact}", "weight": "^${2:1}"},
            }
        ],
    }


def _fields() -> Schema:
    return {
        "type": ["object", "array"],
        "minItems": 1,
        "items": reference("path"),
        "minProperties": 1,
        "additionalProperties": reference("field"),
    }


def _transform(definitions: dict[str, Schema]) -> Schema:
    alone = {name: kind.does for name, kind in TRANSFORMS.items() if not needs_settings(kind.parameters)}
    known: Schema = {}
    for name, kind in TRANSFORMS.items():
        schema = hoisted(section_schema(kind.parameters), definitions)
        known[name] = {**schema, **described(kind.does), "type": "object" if name not in alone else ["object", "null"]}
    unknown = f"This is not a transform. Known: {', '.join(TRANSFORMS)}."
    several = "A transform is a word, or a map with one key. Each has a place of its own in the list."
    word: Schema = {
        "if": {"enum": [name for name in TRANSFORMS if name not in alone]},
        "then": refused_word("This transform cannot do without settings: write {NAME: {SETTING: VALUE}}."),
        "else": {"enum": [*alone], "errorMessage": unknown},
    }
    short = {"properties": known, "additionalProperties": False, "errorMessage": unknown}
    return {**suggested(alone), "if": {"type": "object"}, "then": one_key(short, several), "else": word}


_ALIGNMENTS: Final = {
    "ordered": "Item by item, in the order of the lists.",
    "any_order": "The order does not count.",
    "hungarian": "As many items as possible are right; the other pairs agree best over the whole list.",
}
_CELLS: Final = {
    "description": "How much two lists may come to, items × items × values of an item, and still have each item compared "
    "with each. In longer ones equal items are paired first, the others in list order.",
    "type": "integer",
    "minimum": 1,
    "default": LIST_CELLS,
}


def _alignment() -> Schema:
    unknown = f"An alignment is {', '.join(_ALIGNMENTS)}, hungarian: {{at_least: 0.5}}, or key_field: {{key: PATH}}."
    any_order = {
        "description": _ALIGNMENTS["any_order"],
        "type": ["object", "null"],
        "properties": {"cells": _CELLS},
        "additionalProperties": False,
    }
    ordered = {"description": _ALIGNMENTS["ordered"], **_NOTHING}
    short: Schema = {
        "properties": {
            "ordered": ordered,
            "any_order": any_order,
            "hungarian": _hungarian(),
            "key_field": _key_field(),
        },
        "additionalProperties": False,
        "errorMessage": unknown,
    }
    return {
        **suggested(_ALIGNMENTS),
        "if": {"type": "object"},
        "then": one_key(short, "An alignment is a word, or a map with one key."),
        "else": {"enum": [*_ALIGNMENTS], "errorMessage": unknown},
        "defaultSnippets": [{"label": "key_field: …", "body": {"key_field": {"key": "${1:id}"}}}],
    }


def _key_field() -> Schema:
    place = {
        "description": "The path, inside an item, of what identifies it; or several paths, in a list.",
        "type": ["string", "integer", "array"],
        "items": reference("path"),
        "minItems": 1,
    }
    return {
        "description": "Items with the same key are a pair.",
        "type": "object",
        "properties": {
            "key": place,
            "transforms": reference("transforms", description="What is done to a key before keys are compared."),
            "keyless": {
                "description": "Items without a key: in list order with each other (ordered), or with nothing (apart).",
                "enum": ["ordered", "apart"],
                "default": "ordered",
            },
        },
        "required": ["key"],
        "additionalProperties": False,
    }


def _hungarian() -> Schema:
    least = {
        "description": "Pairs that agree less than this, as F1, stay apart.",
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 1,
    }
    ask = {
        "description": "A judge is asked about items that no other comparator could pair (leftover). Without it nobody is asked.",
        "enum": ["leftover"],
    }
    return {
        "description": _ALIGNMENTS["hungarian"],
        "type": ["object", "null"],
        "properties": {"at_least": least, "ask": ask, "cells": _CELLS},
        "additionalProperties": False,
    }


def _conditions() -> Schema:
    present = {
        "type": "object",
        "properties": {"present": {"type": "boolean", "description": "Whether there is a value at all."}},
        "required": ["present"],
        "additionalProperties": False,
        "errorMessage": "A condition is a value, a list of values, or {present: true}.",
    }
    values = {
        "minItems": 1,
        "items": {
            "type": ["string", "number", "boolean", "null"],
            "errorMessage": "The values of a condition are texts, numbers, true, false or null.",
        },
    }
    return {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {
            "pattern": r"^(row|output|expected)\.[\s\S]",
            "patternErrorMessage": "A condition starts with row.COLUMN, output.PATH or expected.PATH.",
        },
        "additionalProperties": {"if": {"type": "object"}, "then": present, "else": values},
    }
