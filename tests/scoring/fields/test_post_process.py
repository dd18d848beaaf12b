"""What post-processors make of the results of a row."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model.issues import Problems
from evaluators.model.rows import FieldStatus, Outcome
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.trees import leaf, obj, tree

A = obj({"a": leaf()})


@pytest.mark.parametrize("returned", [None, "results", [1]])
def test_a_post_processor_that_returns_something_else_is_a_config_problem(returned: Any) -> None:
    def broken(results: list[Outcome]) -> Any:
        return returned

    with pytest.raises(Problems, match='the post-processor "broken" returned') as refused:
        score_document(tree(A), {"a": 1}, {"a": 1}, [broken])
    assert refused.value.issues[0].code == "post-process-result"


def test_a_problem_that_a_post_processor_settles_is_none() -> None:
    def forgiving(results: list[Outcome]) -> list[Outcome]:
        return [Outcome(one.path, FieldStatus.SKIPPED) for one in results]

    def breaking(results: list[Outcome]) -> list[Outcome]:
        return [Outcome(one.path, FieldStatus.NOT_JUDGED, reason="unsure") for one in results]

    assert score_document(tree(A), {"a": 1}, {"a": 1}, [breaking, forgiving]).problem is None
    assert score_document(tree(A), {"a": 1}, {"a": 1}, [breaking]).problem is not None
