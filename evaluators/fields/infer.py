"""A JSON Schema made of examples: what the values have in common, and what they do not.

Strategy: at each place the values of all documents are gathered, nulls set aside. The type is that of the first value;
whole numbers and other numbers together are `number`. Where the values have several types the schema cannot say so in
one word, and that is reported: someone has to look at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from evaluators.issues import Blame, Issue, problem
from evaluators.values.path_text import ANY, Step, display
from evaluators.values.quoting import quote

Schema: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[Step, ...]


def infer_schema(values: Iterable[Any]) -> Schema:
    """The schema of the values. Keys are sorted; a place where every value is null is text.

    Raises Problems (config) when there is no value at all.
    """
    return infer_with_issues(values)[0]


def infer_with_issues(values: Iterable[Any]) -> tuple[Schema, tuple[Issue, ...]]:
    """The schema of the values, and the places where they have several types or only nulls. Raises Problems as above."""
    listed = list(values)
    if not listed:
        hint = "give at least one expected document"
        raise problem("nothing-to-infer", "a schema cannot be made of no documents at all", hint=hint)
    issues: list[Issue] = []
    return _infer(listed, (), issues), tuple(issues)


def schema_type(value: Any) -> str:
    """The type of a value as JSON Schema names it. What JSON does not know is text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "string"


def _infer(values: Sequence[Any], place: Place, issues: list[Issue]) -> Schema:
    present = [value for value in values if value is not None]
    if not present:
        if values:
            issues.append(_only_nulls(place))
        return {"type": "string"}
    first_of: dict[str, Any] = {}
    for value in present:
        first_of.setdefault(schema_type(value), value)
    kind = next(iter(first_of))
    if kind in ("integer", "number"):
        kind = "integer" if "number" not in first_of else "number"
    if len({"number" if name == "integer" else name for name in first_of}) > 1:
        issues.append(_several_types(place, kind, first_of))
    if kind == "object":
        return {"type": "object", "properties": _properties(present, place, issues)}
    if kind == "array":
        items = [item for value in present if isinstance(value, list) for item in value]
        return {"type": "array", "items": _infer(items, (*place, ANY), issues)}
    return {"type": kind}


def _properties(values: Sequence[Any], place: Place, issues: list[Issue]) -> Schema:
    objects = [value for value in values if isinstance(value, dict)]
    keys = sorted({key for value in objects for key in value})
    return {key: _infer([value.get(key) for value in objects], (*place, key), issues) for key in keys}


def _only_nulls(place: Place) -> Issue:
    message = f"{display(place)} is null in every document; the schema says string"
    return Issue("only-nulls", Blame.TESTSET, message, hint="write the type it should have")


def _several_types(place: Place, kind: str, first_of: dict[str, Any]) -> Issue:
    where = display(place)
    shown = ", ".join(f"{name} ({quote(value, 30)})" for name, value in first_of.items())
    message = f"{where} has several types: {shown}; the schema says {kind}"
    hint = "correct the documents, or write a list of types in the schema"
    return Issue("several-types", Blame.TESTSET, message, hint=hint)
