"""A program is answered in words of Python: the argument to write, and no option of a command or section of a suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import evaluators
from evaluators.integrations.batch.batch_plan import batch_plan

ROWS = [{"x": "a", "y": "a"}]
SUITE = {"evaluators": ["exact_match"]}


def score_frame() -> Any:
    pandas = pytest.importorskip("pandas")
    import evaluators.integrations.harnesses.pandas  # noqa: F401  # registers the accessor

    return pandas.DataFrame(ROWS).evaluators.score(SUITE)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: evaluators.evaluate(ROWS * 2, SUITE), "columns"),
        (score_frame, "columns"),
        (lambda: batch_plan(SUITE, ["x", "y"]), "roles"),
    ],
)
def test_columns_are_asked_for_by_their_argument(call: Callable[[], Any], argument: str) -> None:
    with pytest.raises(evaluators.Problems) as caught:
        call()
    hint = f'say which one: {argument}={{"output": "NAME", "expected": "NAME"}}'
    assert [issue.hint for issue in caught.value.issues] == [hint, hint]
