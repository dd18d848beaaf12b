"""What is found wrong at once is what the whole scoring finds wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.rows import Outcome
from evaluators.scoring.fields.outcomes import WRONG
from evaluators.scoring.fields.schema_scoring import SchemaScoring
from evaluators.scoring.fields.tree import FieldNode
from tests.scoring.fields.alone import score_document, wrong_by
from tests.scoring.fields.random_trees import pairs


def wrong_in(root: FieldNode, expected: Any, output: Any) -> list[Outcome]:
    """The wrong results of the whole scoring: the reference."""
    return [result for result in score_document(root, expected, output).fields if result.status in WRONG]


@given(pairs(), st.randoms(use_true_random=False))
def test_the_wrong_results_are_those_of_the_whole_row(drawn: tuple[FieldNode, Any, Any], chance: Any) -> None:
    root, expected, output = drawn
    whole = wrong_in(root, expected, output)
    scoring = SchemaScoring(root, "f1", 1.0)
    assert wrong_by(scoring, expected, output) == whole
    wanted = {name for name in (*scoring.row_fields, "") if chance.random() < 0.4}
    listed = set(scoring.row_fields)
    assert wrong_by(scoring, expected, output, wanted) == [
        result for result in whole if (result.field if result.field in listed else "") in wanted
    ]
