"""A JSON Schema made of expected documents, which says for every field how it is compared, and what a person should look at.

The comparators and alignments are those of the lines that `init` writes for the same documents, so a suite of either gives the
same metrics.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from evaluators.model.issues import problem
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from evaluators.scoring.fields.inference.suggested_lines import SeenPlace, SuggestedLine, lines_of, nulls_of, shape_of
from evaluators.scoring.fields.schema_keywords import schema_type
from evaluators.scoring.values.path_text import ANY, Step

Schema: TypeAlias = dict[str, Any]


class InferredSchema(Struct, frozen=True):
    """A schema, and what was unclear, in sentences."""

    schema: Schema
    unclear: tuple[str, ...]


def infer_schema(documents: Iterable[Any], defaults: Mapping[str, Any] | None = None) -> Schema:
    """The schema of expected documents, with how each field is compared.

    `defaults` are comparators by JSON type, in place of those that fit the values. Raises Problems (config) when there is no
    document at all.
    """
    return inferred_schema(documents, defaults).schema


def inferred_schema(documents: Iterable[Any], defaults: Mapping[str, Any] | None = None) -> InferredSchema:
    """The inferred schema, with notes on what the documents leave open."""
    root = shape_of(documents)
    if not root.met:
        hint = "give at least one expected document"
        raise problem("nothing-to-infer", "a schema cannot be made of no documents at all", hint=hint)
    likeliest = DefaultAnswers()
    lines = {line.steps: line for line in lines_of(root, likeliest)}
    meaning = nulls_of(root, likeliest)
    schema = _schema(root, (), lines, defaults or {})
    if meaning is not None and meaning.word == "absent":
        schema = {**schema, "x-eval-nulls": "absent"}
    return InferredSchema(schema, (*likeliest.said, *_review_notes(lines.values(), lists=True)))


def _schema(
    node: SeenPlace, path: tuple[Step, ...], lines: Mapping[tuple[Step, ...], SuggestedLine], defaults: Mapping[str, Any]
) -> Schema:
    """The schema of a place and of all below it. `lines` are the suggested lines by path. `defaults`, by JSON type and `multi` for several
    types, go before the suggested comparator."""
    line = lines.get(path)
    if line is not None and not _has_alignment(line):
        types = _types(node)
        chosen = defaults.get(types[0] if len(types) == 1 else "multi", line.compare)
        return {"type": types[0] if len(types) == 1 else types, "x-eval-compare": copy.deepcopy(chosen)}
    if node.items is not None:
        align = {"x-eval-align": _alignment(line.compare["align"])} if line is not None else {}
        return {"type": "array", **align, "items": _schema(node.items, (*path, ANY), lines, defaults)}
    keys = node.keys.items()
    return {"type": "object", "properties": {key: _schema(child, (*path, key), lines, defaults) for key, child in keys}}


def plain_schema(documents: Iterable[Any]) -> InferredSchema:
    """The types of expected documents and of what stands in them, the first of several, without how they are compared."""
    root = shape_of(documents)
    return InferredSchema(_types_alone(root), tuple(_review_notes(lines_of(root, DefaultAnswers()), lists=False)))


def _types_alone(node: SeenPlace) -> Schema:
    """The schema of a place and of all below it: its type, the first of several, with `properties` of an object and `items` of a list."""
    if node.kinds == ("objects",) and not node.keyed_by_data:
        return {"type": "object", "properties": {key: _types_alone(child) for key, child in node.keys.items()}}
    if node.kinds == ("lists",) and node.items is not None:
        return {"type": "array", "items": _types_alone(node.items)}
    return {"type": _types(node)[0]}


def _alignment(align: Any) -> dict[str, Any]:
    """An alignment of `fields:` in the words of `x-eval-align`."""
    if isinstance(align, str):
        return {"match_by": align}
    ((how, options),) = align.items()
    return {"match_by": how, **options}


def _types(node: SeenPlace) -> list[str]:
    """The JSON types that stand at a place, null set aside; whole numbers beside others are numbers."""
    types = dict.fromkeys(map(schema_type, node.scalars))
    if "number" in types:
        types.pop("integer", None)
    if node.objects:
        types["object"] = None
    if node.lists:
        types["array"] = None
    return list(types) or ["string"]


def _review_notes(lines: Iterable[SuggestedLine], lists: bool) -> Iterator[str]:
    """Notes for a person to review: fields of several kinds, fields that are always null, and how `lists` are paired."""
    for line in lines:
        if line.null or line.several or (lists and _has_alignment(line)):
            yield f"{line.path}: {line.why}"


def _has_alignment(line: SuggestedLine) -> bool:
    """Whether a suggested line says how a list is paired."""
    return isinstance(line.compare, dict) and "align" in line.compare
