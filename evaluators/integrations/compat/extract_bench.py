"""What extract-bench does in Python: `from evaluators.integrations.compat.extract_bench import evaluate_document`.

A schema without `evaluation_config` is read as extract-bench reads it: each type has its metric.
"""

from __future__ import annotations

from evaluators.api.extending import comparator, register
from evaluators.integrations.compat import given_documents
from evaluators.integrations.compat.evaluation import DocumentEvaluation, Evaluation
from evaluators.model.issues import Problems
from evaluators.model.rows import Comparison

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

evaluate = given_documents.in_dialect("evaluation_config", given_documents.evaluate)
evaluate_async = given_documents.in_dialect("evaluation_config", given_documents.evaluate_async)
evaluate_document = given_documents.in_dialect("evaluation_config", given_documents.evaluate_document)
evaluate_document_async = given_documents.in_dialect("evaluation_config", given_documents.evaluate_document_async)
