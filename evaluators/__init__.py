"""A declarative engine that scores structured output.

`load` reads a suite; a suite evaluates one row or runs over a test set. Every evaluator type also works on its own, from
its module in `evaluators.scoring.evaluators`. Nothing heavy is imported until it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

_WHERE: Final = {
    "load": "evaluators.api.loading",
    "loads": "evaluators.api.loading",
    "Suite": "evaluators.api.suite",
    "compare": "evaluators.api.comparisons",
    "RunComparison": "evaluators.runs.compare.comparison",
    "Selection": "evaluators.testsets.selection",
    "Row": "evaluators.model.rows",
    "RowResult": "evaluators.model.rows",
    "Result": "evaluators.model.rows",
    "Outcome": "evaluators.model.rows",
    "Comparison": "evaluators.model.rows",
    "ComparatorResult": "evaluators.model.rows",
    "FieldStatus": "evaluators.model.rows",
    "__version__": "evaluators.model.rows",
    "RowStatus": "evaluators.model.rows",
    "MISSING": "evaluators.model.rows",
    "RunResult": "evaluators.runs.result",
    "Issue": "evaluators.model.issues",
    "Blame": "evaluators.model.issues",
    "Problems": "evaluators.model.issues",
    "Evaluator": "evaluators.scoring.evaluators._evaluator",
    "Example": "evaluators.scoring.evaluators._evaluator",
    "Asking": "evaluators.scoring.evaluators._evaluator",
    "SchemaInference": "evaluators.scoring.evaluators._evaluator",
    "Reason": "evaluators.model.rows",
    "Unreadable": "evaluators.scoring.evaluators._evaluator",
    "ScoredFields": "evaluators.scoring.evaluators._scored_fields",
    "Column": "evaluators.scoring.evaluators._evaluator",
    "Text": "evaluators.scoring.evaluators._evaluator",
    "Expected": "evaluators.scoring.evaluators._evaluator",
    "Output": "evaluators.scoring.evaluators._evaluator",
    "Comparator": "evaluators.scoring.comparators._comparator",
    "COMPARATORS": "evaluators.scoring.comparators._comparator",
    "Pair": "evaluators.scoring.comparators._comparator",
    "Question": "evaluators.scoring.comparators._comparator",
    "RowProblem": "evaluators.model.issues",
    "TransformError": "evaluators.scoring.values.transforms",
    "evaluator": "evaluators.api.extending",
    "comparator": "evaluators.api.extending",
    "evaluate": "evaluators.api.evaluate",
    "evaluate_pair": "evaluators.api.evaluate",
    "Run": "evaluators.api.run_object",
    "infer_schema": "evaluators.scoring.fields.inference.schema",
    "register": "evaluators.api.extending",
    "register_transform": "evaluators.api.extending",
    "register_file": "evaluators.api.extending",
}

_STRUCT: Final = "evaluators.integrations.compat.struct_extract_eval"
_BENCH: Final = "evaluators.integrations.compat.extract_bench"
_MOVED: Final = {
    **dict.fromkeys(
        (
            "evaluate_async", "annotate_xeval", "set_type_default", "reset_type_defaults", "parse_eval_schema", "validate_gold",
            "resolve_schema_references", "reclassify_nulls", "propagate_batch_errors", "NullHandling", "Evaluation",
        ),
        _STRUCT,
    ),
    **dict.fromkeys(("evaluate_document", "evaluate_document_async", "DocumentEvaluation"), _BENCH),
}  # fmt: skip
"""Names of other systems, and where they are."""

if TYPE_CHECKING:
    from evaluators.api.comparisons import compare
    from evaluators.api.evaluate import evaluate, evaluate_pair
    from evaluators.api.extending import comparator, evaluator, register, register_file, register_transform
    from evaluators.api.loading import load, loads
    from evaluators.api.run_object import Run
    from evaluators.api.suite import Suite
    from evaluators.model.issues import Blame as Blame
    from evaluators.model.issues import Issue as Issue
    from evaluators.model.issues import Problems
    from evaluators.model.issues import RowProblem as RowProblem
    from evaluators.model.rows import MISSING as MISSING
    from evaluators.model.rows import ComparatorResult as ComparatorResult
    from evaluators.model.rows import Comparison, FieldStatus, Result, Row, RowResult, __version__
    from evaluators.model.rows import Outcome as Outcome
    from evaluators.model.rows import Reason as Reason
    from evaluators.model.rows import RowStatus as RowStatus
    from evaluators.runs.compare.comparison import RunComparison
    from evaluators.runs.result import RunResult as RunResult
    from evaluators.scoring.comparators._comparator import COMPARATORS as COMPARATORS
    from evaluators.scoring.comparators._comparator import Comparator as Comparator
    from evaluators.scoring.comparators._comparator import Pair as Pair
    from evaluators.scoring.comparators._comparator import Question as Question
    from evaluators.scoring.evaluators._evaluator import Asking as Asking
    from evaluators.scoring.evaluators._evaluator import Column as Column
    from evaluators.scoring.evaluators._evaluator import Evaluator as Evaluator
    from evaluators.scoring.evaluators._evaluator import Example as Example
    from evaluators.scoring.evaluators._evaluator import Expected as Expected
    from evaluators.scoring.evaluators._evaluator import Output as Output
    from evaluators.scoring.evaluators._evaluator import SchemaInference as SchemaInference
    from evaluators.scoring.evaluators._evaluator import Text as Text
    from evaluators.scoring.evaluators._evaluator import Unreadable as Unreadable
    from evaluators.scoring.evaluators._scored_fields import ScoredFields as ScoredFields
    from evaluators.scoring.fields.inference.schema import infer_schema
    from evaluators.scoring.values.transforms import TransformError as TransformError
    from evaluators.testsets.selection import Selection

__all__ = [
    "Comparison",
    "FieldStatus",
    "Problems",
    "Result",
    "Row",
    "RowResult",
    "Run",
    "RunComparison",
    "Selection",
    "Suite",
    "__version__",
    "comparator",
    "compare",
    "evaluate",
    "evaluate_pair",
    "evaluator",
    "infer_schema",
    "load",
    "loads",
    "register",
    "register_file",
    "register_transform",
]


def __getattr__(name: str) -> Any:
    """The object of a public name, imported when it is first asked for.

    Raises AttributeError for an unknown name. A name of another system is no part of this package: the error, ImportError in
    `from evaluators import …`, says which module has it.
    """
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in _MOVED:
        # Python has words of its own for a name that cannot be imported, unless it is told that importing is what failed
        kind = ImportError if sys._getframe(1).f_code.co_name == "_handle_fromlist" else AttributeError
        raise kind(f"evaluators has no {name}; write: from {_MOVED[name]} import {name}")
    from evaluators.scoring.evaluators import find_class

    return find_class(name)


def __dir__() -> list[str]:
    """The public names and the classes of the evaluator types, sorted, for completion."""
    from evaluators.scoring.evaluators import class_names

    return sorted([*__all__, *class_names()])
