"""One row of a schema on its own: its results, and the check that counts them one by one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace

from evaluators.model.rows import Outcome
from evaluators.scoring.comparators._answer_cache import cache_in_force
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.listed_rows import ListedRows
from evaluators.scoring.fields.outcomes import Scored
from evaluators.scoring.fields.post_process import Processor
from evaluators.scoring.fields.row_checks import ChunkCheck, release_rows
from evaluators.scoring.fields.schema_check import SchemaCheck
from evaluators.scoring.fields.schema_rows import SchemaRows
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.tree import FieldNode


def score_document(root: FieldNode, expected: Any, output: Any, processors: Sequence[Processor] = ()) -> Scored:
    """All results of a row."""
    return scored_by(SchemaScoring(root, "f1", 1.0, tuple(processors)), expected, output)


def scored_by(scoring: SchemaScoring, expected: Any, output: Any) -> Scored:
    """All results of a row."""
    with cache_in_force():
        rows = _looked_at(scoring, expected, output)
        try:
            return rows.outcomes_of(0)
        finally:
            rows.release()


def wrong_by(scoring: SchemaScoring, expected: Any, output: Any, wanted: Collection[str] | None = None) -> list[Outcome]:
    """The results of a row that are wrong, of the places that are wanted; None is all."""
    rows = _looked_at(scoring, expected, output)
    try:
        return rows.wrong_outcomes(0, {""}, ()) if wanted is None else rows.wrong_outcomes(0, wanted, scoring.row_fields)
    finally:
        rows.release()


def _looked_at(scoring: SchemaScoring, expected: Any, output: Any) -> SchemaRows:
    """A row that was scored, and is not counted."""
    rows = SchemaCheck(scoring).begin([expected], [output])
    rows.settle()
    return rows


def counted_one_by_one(scoring: SchemaScoring) -> SchemaCheck:
    """A check of the same that counts results: a post-processor looks at them, and changes nothing."""
    return SchemaCheck(replace(scoring, processors=(*scoring.processors, list)))


def wrong_of(one: Evaluator, wanted: Collection[str], *values: Any) -> list[Outcome]:
    """What an evaluator finds wrong in a row, of the fields that are wanted."""
    check = one.compile()
    assert isinstance(check, ChunkCheck)
    found = check.score(*([value] for value in values))
    try:
        assert found[0].rows is not None
        return found[0].rows.wrong_outcomes(found[0].at, wanted, one.scored_fields().of_rows)
    finally:
        release_rows(found)


def settled_fields(tree: ListedTree, expected: Any, output: Any) -> list[Outcome]:
    """What became of every listed field of a row."""
    rows = ListedRows(tree, [expected], [output], [{}])
    try:
        rows.settle()
        return rows.outcomes(0)
    finally:
        rows.release()
