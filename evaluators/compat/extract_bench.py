"""What extract-bench does in Python: `from evaluators.compat.extract_bench import evaluate_document`."""

from __future__ import annotations

from evaluators.api.extending import comparator, register
from evaluators.compat.evaluation import DocumentEvaluation, Evaluation
from evaluators.compat.given_documents import evaluate, evaluate_async, evaluate_document, evaluate_document_async
from evaluators.issues import Problems
from evaluators.model import Comparison

__all__ = [
    "Comparison",
    "DocumentEvaluation",
    "Evaluation",
    "Problems",
    "comparator",
    "evaluate",
    "evaluate_async",
    "evaluate_document",
    "evaluate_document_async",
    "register",
]
