"""struct-extract-eval's way to make a JSON Schema of examples: what the values have in common, without how they are compared.

At each place the values of all documents are gathered, nulls set aside. The type is that of the first value; whole numbers and
other numbers together are `number`; a place where every value is null is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from evaluators.fields.schema_types import schema_type
from evaluators.issues import problem

Schema: TypeAlias = dict[str, Any]


def infer_schema(values: Iterable[Any]) -> Schema:
    """The schema of the values, its keys sorted. Raises Problems (config) when there is no value at all."""
    listed = list(values)
    if not listed:
        hint = "give at least one expected document"
        raise problem("nothing-to-infer", "a schema cannot be made of no documents at all", hint=hint)
    return _infer(listed)


def _infer(values: Sequence[Any]) -> Schema:
    present = [value for value in values if value is not None]
    types = [schema_type(value) for value in present]
    kind = types[0] if types else "string"
    if kind in ("integer", "number"):
        kind = "number" if "number" in types else "integer"
    if kind == "object":
        objects = [value for value in present if isinstance(value, dict)]
        keys = sorted({key for value in objects for key in value})
        return {"type": "object", "properties": {key: _infer([value.get(key) for value in objects]) for key in keys}}
    if kind == "array":
        return {
            "type": "array",
            "items": _infer([item for value in present if isinstance(value, list) for item in value]),
        }
    return {"type": kind}
