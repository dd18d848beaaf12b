"""Whatever a field can do, a cell can: the whole cell is compared as a field of that value is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING, Result
from evaluators.model.settings import build
from evaluators.scoring.evaluators._cells import cell_value
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator
from tests.laws.structures import DOCUMENTS, ONE_SIDED, TRANSFORMS, TWO_SIDED

FILLED = DOCUMENTS.filter(lambda value: cell_value(value) is not MISSING)


def scored(evaluator: Evaluator, output: Any, expected: Any) -> Result | tuple[str, str]:
    """The result; the code and the message of what keeps the row from being scored."""
    try:
        return evaluator.score(output, expected)
    except Problems as problems:
        issue = problems.issues[0]
        return issue.code, issue.message


@pytest.mark.parametrize("name", ["exact_match", "correctness"])
@given(
    compare=st.sampled_from(TWO_SIDED + ONE_SIDED),
    transforms=st.lists(st.sampled_from(TRANSFORMS), max_size=2),
    output=FILLED,
    expected=FILLED,
)
def test_a_cell_is_compared_as_a_field_is(name: str, compare: Any, transforms: Any, output: Any, expected: Any) -> None:
    cell = build(BUILTIN.find(name), {"compare": compare, "transforms": transforms})
    line = {"compare": compare, "transforms": transforms}
    field = build(BUILTIN.find("json_multi_field_match"), {"fields": {"answer": line}})
    found, wanted = scored(cell, output, expected), scored(field, {"answer": output}, {"answer": expected})
    if isinstance(found, tuple) or isinstance(wanted, tuple):
        assert found == wanted
        return
    (one,), (other,) = found.fields, wanted.fields
    assert (one.status, one.score, one.reason, one.comparator) == (
        other.status,
        other.score,
        other.reason,
        other.comparator,
    )
    assert (found.score, found.passed, found.statuses) == (wanted.score, wanted.passed, wanted.statuses)
