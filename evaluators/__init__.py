"""A declarative engine that scores structured output.

`load` reads a suite; a suite evaluates one row or runs over a test set. Every evaluator type also works on its own, from
its module in `evaluators.builtin`. Nothing heavy is imported until it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

_WHERE: Final = {
    "load": "evaluators.api.loading",
    "loads": "evaluators.api.loading",
    "Suite": "evaluators.api.loading",
    "compare": "evaluators.api.comparisons",
    "Comparison": "evaluators.compare.comparison",
    "Selection": "evaluators.testsets.selection",
    "Row": "evaluators.model",
    "RowResult": "evaluators.model",
    "Result": "evaluators.model",
    "Score": "evaluators.model",
    "FieldResult": "evaluators.model",
    "Outcome": "evaluators.model",
    "ComparatorResult": "evaluators.model",
    "NullHandling": "evaluators.fields.post_process",
    "Status": "evaluators.model",
    "__version__": "evaluators.model",
    "Standing": "evaluators.model",
    "MISSING": "evaluators.model",
    "RunResult": "evaluators.run.result",
    "Issue": "evaluators.issues",
    "Blame": "evaluators.issues",
    "Problems": "evaluators.issues",
    "Evaluator": "evaluators.builtin._evaluator",
    "Example": "evaluators.builtin._evaluator",
    "Asking": "evaluators.builtin._evaluator",
    "Learning": "evaluators.builtin._evaluator",
    "Unreadable": "evaluators.builtin._evaluator",
    "ScoredFields": "evaluators.builtin._scored_fields",
    "Column": "evaluators.builtin._evaluator",
    "Text": "evaluators.builtin._evaluator",
    "Expected": "evaluators.builtin._evaluator",
    "Output": "evaluators.builtin._evaluator",
    "Comparator": "evaluators.comparators._comparator",
    "COMPARATORS": "evaluators.comparators._comparator",
    "Question": "evaluators.comparators._comparator",
    "RowProblem": "evaluators.issues",
    "TransformError": "evaluators.values.transforms",
    "evaluator": "evaluators.api.extending",
    "comparator": "evaluators.api.extending",
    "evaluate": "evaluators.api.evaluate",
    "evaluate_async": "evaluators.api.evaluate",
    "evaluate_document": "evaluators.api.evaluate",
    "evaluate_document_async": "evaluators.api.evaluate",
    "Evaluation": "evaluators.api.evaluation",
    "DocumentEvaluation": "evaluators.api.evaluation",
    "infer_schema": "evaluators.fields.infer",
    "annotate_xeval": "evaluators.fields.xeval.annotate_xeval",
    "set_type_default": "evaluators.fields.xeval.defaults",
    "reset_type_defaults": "evaluators.fields.xeval.defaults",
    "parse_eval_schema": "evaluators.fields.xeval.read_xeval",
    "resolve_schema_references": "evaluators.fields.references",
    "validate_gold": "evaluators.fields.expected_check",
    "reclassify_nulls": "evaluators.fields.post_process",
    "propagate_batch_errors": "evaluators.fields.post_process",
    "register": "evaluators.api.extending",
    "register_transform": "evaluators.api.extending",
    "register_file": "evaluators.api.plug_files",
}

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluators.api.comparisons import compare
    from evaluators.api.evaluate import evaluate, evaluate_async, evaluate_document, evaluate_document_async
    from evaluators.api.evaluation import DocumentEvaluation, Evaluation
    from evaluators.api.extending import comparator, evaluator, register, register_transform
    from evaluators.api.loading import Suite, load, loads
    from evaluators.api.plug_files import register_file
    from evaluators.builtin._evaluator import (
        Asking,
        Column,
        Evaluator,
        Example,
        Expected,
        Learning,
        Output,
        Text,
        Unreadable,
    )
    from evaluators.builtin._scored_fields import ScoredFields
    from evaluators.comparators._comparator import COMPARATORS, Comparator, Question
    from evaluators.compare.comparison import Comparison
    from evaluators.fields.expected_check import validate_gold
    from evaluators.fields.infer import infer_schema
    from evaluators.fields.post_process import NullHandling, propagate_batch_errors, reclassify_nulls
    from evaluators.fields.references import resolve_schema_references
    from evaluators.fields.xeval.annotate_xeval import annotate_xeval
    from evaluators.fields.xeval.defaults import reset_type_defaults, set_type_default
    from evaluators.fields.xeval.read_xeval import parse_eval_schema
    from evaluators.issues import Blame, Issue, Problems, RowProblem
    from evaluators.model import (
        MISSING,
        ComparatorResult,
        FieldResult,
        Outcome,
        Result,
        Row,
        RowResult,
        Score,
        Standing,
        Status,
        __version__,
    )
    from evaluators.run.result import RunResult
    from evaluators.testsets.selection import Selection
    from evaluators.values.transforms import TransformError

__all__ = [
    "COMPARATORS",
    "MISSING",
    "Asking",
    "Blame",
    "Column",
    "Comparator",
    "ComparatorResult",
    "Comparison",
    "DocumentEvaluation",
    "Evaluation",
    "Evaluator",
    "Example",
    "Expected",
    "FieldResult",
    "Issue",
    "Learning",
    "NullHandling",
    "Outcome",
    "Output",
    "Problems",
    "Question",
    "Result",
    "Row",
    "RowProblem",
    "RowResult",
    "RunResult",
    "Score",
    "ScoredFields",
    "Selection",
    "Standing",
    "Status",
    "Suite",
    "Text",
    "TransformError",
    "Unreadable",
    "__version__",
    "annotate_xeval",
    "comparator",
    "compare",
    "evaluate",
    "evaluate_async",
    "evaluate_document",
    "evaluate_document_async",
    "evaluator",
    "infer_schema",
    "load",
    "loads",
    "parse_eval_schema",
    "propagate_batch_errors",
    "reclassify_nulls",
    "register",
    "register_file",
    "register_transform",
    "reset_type_defaults",
    "resolve_schema_references",
    "set_type_default",
    "validate_gold",
]


def __getattr__(name: str) -> Any:
    """Names of the public API are imported when they are asked for."""
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    from evaluators.builtin import find_class

    return find_class(name)


def __dir__() -> list[str]:
    from evaluators.builtin import class_names

    return sorted([*__all__, *class_names()])


class _Package(ModuleType):
    """Keeps `compare` of the public API, which is the name of a room as well.

    Importing `evaluators.compare` would otherwise put the package where the function is looked for.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name == "compare" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        """A function that uses the package is sent to other processes; they import it."""
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = _Package
