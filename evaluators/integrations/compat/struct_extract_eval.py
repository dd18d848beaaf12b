"""What struct-extract-eval has in Python, by its names: import `evaluate`, `infer_schema` and the others from here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evaluators.api.extending import register, register_transform
from evaluators.integrations.compat.evaluation import Evaluation
from evaluators.integrations.compat.given_documents import evaluate, evaluate_async
from evaluators.model.issues import Problems, problem
from evaluators.model.rows import ComparatorResult, Comparison, FieldStatus
from evaluators.model.rows import Outcome as FieldResult
from evaluators.scoring.fields.expected_check import validate_gold
from evaluators.scoring.fields.post_process import NullHandling, propagate_batch_errors, reclassify_nulls
from evaluators.scoring.fields.references import resolve_schema_references
from evaluators.scoring.fields.schema_keywords import schema_type
from evaluators.scoring.fields.type_defaults import annotate_xeval, reset_type_defaults, set_type_default
from evaluators.scoring.fields.xeval import parse_eval_schema

__all__ = [
    "ComparatorResult",
    "Comparison",
    "Evaluation",
    "FieldResult",
    "FieldStatus",
    "NullHandling",
    "Problems",
    "annotate_xeval",
    "evaluate",
    "evaluate_async",
    "infer_schema",
    "parse_eval_schema",
    "propagate_batch_errors",
    "reclassify_nulls",
    "register",
    "register_transform",
    "reset_type_defaults",
    "resolve_schema_references",
    "set_type_default",
    "validate_gold",
]


def infer_schema(values: Iterable[Any]) -> dict[str, Any]:
    """The JSON Schema that fits the expected documents, with every key that any of them has, sorted. It names no comparators;
    `evaluators.infer_schema` does.

    At each place the values of all documents are gathered, nulls set aside. The type is that of the first value; whole numbers and
    other numbers together are `number`; a place where every value is null is text. Raises Problems (config) when there is no value.
    """
    listed = list(values)
    if not listed:
        hint = "give at least one expected document"
        raise problem("nothing-to-infer", "a schema cannot be made of no documents at all", hint=hint)
    return _infer(listed)


def _infer(values: Sequence[Any]) -> dict[str, Any]:
    """The JSON Schema of values at one place, nulls set aside; the type is that of the first, and without any it is text."""
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
