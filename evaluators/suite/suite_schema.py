"""The JSON Schema of the YAML language, for editors: completion, hover and messages while a suite is typed.

Draft 7, which every editor reads. Where a value has several shapes, `if` tells them apart and one branch speaks, so that
a mistake has one message; `enum` lists the known words, and a `pattern` without suggestions takes those that only still
load. What a schema cannot know (names that the suite makes up, paths, patterns, rules between two settings) is left to
the reader of the suite. The sections of rooms above are given by the caller.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from evaluators.comparators._comparator import COMPARATORS
from evaluators.fields.named_comparators import NEIGHBOURS
from evaluators.suite.evaluator_schema import evaluator_definitions
from evaluators.suite.field_schema import field_definitions
from evaluators.suite.model_schema import (
    DEFINITIONS,
    Schema,
    add_definition,
    described,
    hoisted,
    reference,
    section_schema,
)
from evaluators.suite.presets import preset_names

__all__ = ["or_text", "per_target", "schema_text", "section_schema", "suite_schema"]


_ABOVE: Final = {
    "test_set": "The rows: a CSV file or another kind of test set, and which columns play which role.",
    "measures": "Numbers that are in a column already, such as cost or latency: `{cost: row.cost_usd}`.",
    "gates": "Limits on the figures of a run: `EVALUATOR: {fail_below: 0.9}`, or `EVALUATOR.FIELD` for one field.",
    "statistics": "What intervals are to know of the rows: which of them belong together.",
    "compare": "How a run is compared with another, and what makes the comparison fail.",
    "results": "Where the results of a run go, and in which formats.",
    "judge": "Who answers what no rule can: `{recorded: {run: runs/NAME}}` plays back what was answered before.",
    "engine": "Where rows are scored: `{processes: {workers: 4}}`, or a cluster: `{dask: {address: tcp://…}}`.",
    "limits": "How much time and work a row may cost: what is over a limit is unjudged.",
    "tracking": "Where a finished run is sent: `[files]`, or `[{files: {folder: metrics}}]`.",
}
"""What the sections are that other rooms read."""


def suite_schema(sections: Mapping[str, Schema]) -> Schema:
    """The schema of a suite. `sections` gives the schemas of the sections that other rooms read, by key.

    Only what ships with the package is listed, so that the schema is the same on every machine.
    """
    definitions = field_definitions()
    for name, definition in evaluator_definitions().items():
        add_definition(name, definition, definitions)
    above = {
        key: {**or_nothing(hoisted(schema, definitions)), **described(_ABOVE[key], always=True)}
        for key, schema in sections.items()
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "description": "A suite: which evaluators score the rows of a test set, and what the figures must reach.",
        "type": "object",
        "properties": {**_own_sections(), **above},
        "additionalProperties": False,
        "if": {"anyOf": [{"required": ["extends"]}, {"required": ["comparators"]}]},
        "else": {"required": ["evaluators"]},
        "defaultSnippets": [
            {
                "label": "a small suite",
                "description": "One evaluator over a CSV file.",
                "body": {"test_set": {"file": "${1:rows.csv}"}, "evaluators": ["${2:exact_match}"]},
            }
        ],
        DEFINITIONS: dict(sorted(definitions.items())),
    }


def schema_text(schema: Schema) -> str:
    """The schema as the text of a file: the same bytes every time."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def per_target(schema: Schema) -> Schema:
    """The schema of a section that maps targets to one thing, or to a list of them."""
    nested: dict[str, Schema] = {}
    inner = hoisted(schema, nested)
    one_or_more = {"if": {"type": "array"}, "then": {"items": inner}, "else": inner}
    return {"type": "object", "additionalProperties": one_or_more, **({DEFINITIONS: nested} if nested else {})}


def per_name(schema: Schema) -> Schema:
    """The schema of a section that maps names to columns, each written as `row.COLUMN` or with its settings."""
    inner: Schema = {"if": {"type": "object"}, "then": schema, "else": {"type": "string", **_column("a measure")}}
    return {"type": "object", "additionalProperties": inner}


def or_text(schema: Schema) -> Schema:
    """The schema of a section that may also be one text."""
    nested: dict[str, Schema] = {}
    inner = hoisted(schema, nested)
    either: Schema = {
        "if": {"type": "object"},
        "then": inner,
        "else": {"type": "string", "errorMessage": "This must be text, or a map."},
    }
    return either | ({DEFINITIONS: nested} if nested else {})


def or_nothing(schema: Schema) -> Schema:
    """The schema of a section that may be left empty, as one is whose lines are all commented out."""
    if "else" in schema:
        return {**schema, "else": or_nothing(schema["else"])}
    if "type" not in schema:
        return {"if": {"type": "null"}, "else": schema}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*dict.fromkeys([*kinds, "null"])]}


def _own_sections() -> Schema:
    presets = [f"preset:{name}" for name in preset_names()]
    a_slice = _column("a slice")
    sections: dict[str, tuple[str, Schema]] = {
        "version": (
            "The version of the language: 1, also when it is left out.",
            {"const": 1, "errorMessage": "This is version 1 of the language: write version: 1, or leave it out."},
        ),
        "name": ("What the run is called. Without it, the name of the file.", {"type": ["string", "null"]}),
        "description": ("A note for people. It changes nothing.", {"type": ["string", "null"]}),
        "extends": (
            "What this suite starts from: `preset:NAME`, a path relative to this file, or a list of them.",
            {"type": ["string", "array"], "items": {"type": "string", "examples": presets}, "examples": presets},
        ),
        "comparators": (
            "Your own names for a comparator and its options: `money: {numeric: {tolerance: {abs: 0.01}}}`.",
            {
                "type": ["object", "null"],
                "propertyNames": {
                    "pattern": rf"^(?!({'|'.join([*COMPARATORS.shipped(), 'skip', *NEIGHBOURS])})$)\s*\S",
                    "patternErrorMessage": "That name is taken by the language: choose another name.",
                },
                "additionalProperties": reference("comparator.definition"),
            },
        ),
        "evaluators": (
            "What scores each row: a list of evaluators, each a word, a word with its settings, or a map with `type`.",
            {"type": "array", "minItems": 1, "items": reference("evaluator")},
        ),
        "slices": (
            "Columns by whose values every figure is also given: `[row.supplier]`.",
            {"type": ["array", "string", "null"], "items": {"type": "string", **a_slice}, **a_slice},
        ),
    }
    return {key: {**described(text), **schema} for key, (text, schema) in sections.items()}


def _column(what: str) -> Schema:
    """A text that names a column."""
    return {
        "pattern": r"^row\.\s*\S",
        "patternErrorMessage": f"{what[:1].upper()}{what[1:]} is a column, written row.COLUMN.",
    }
