"""What struct-extract-eval has in Python, by its names: `from evaluators.compat.struct_extract_eval import evaluate, infer_schema`."""

from __future__ import annotations

from evaluators.api.extending import register, register_transform
from evaluators.compat.evaluation import Evaluation
from evaluators.compat.given_documents import evaluate, evaluate_async
from evaluators.compat.infer import infer_schema
from evaluators.fields.annotate import annotate_xeval
from evaluators.fields.expected_check import validate_gold
from evaluators.fields.post_process import NullHandling, propagate_batch_errors, reclassify_nulls
from evaluators.fields.references import resolve_schema_references
from evaluators.fields.type_defaults import reset_type_defaults, set_type_default
from evaluators.fields.xeval import parse_eval_schema
from evaluators.issues import Problems
from evaluators.model import ComparatorResult, Comparison, FieldStatus
from evaluators.model import Outcome as FieldResult

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
