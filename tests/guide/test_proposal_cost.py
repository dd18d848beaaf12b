"""What proposals cost: calls for each expected value, which grow with the values and not with how many fields each row has."""

from __future__ import annotations

import cProfile
from pstats import Stats

import pytest

from evaluators.guide.draft import evaluators_for
from evaluators.scoring.fields.inference.proposals import DefaultAnswers

_MOST_CALLS = 700
"""For each value."""


@pytest.mark.parametrize(("rows", "fields"), [(400, 30), (100, 120)])
def test_numbers_in_text_cost_as_much_in_wide_documents_as_in_narrow_ones(rows: int, fields: int) -> None:
    expected = [{f"f{key}": f"{1000 + row * 7 + key:,}.5" for key in range(fields)} for row in range(rows)]
    outputs = [{key: text.replace(",", "") for key, text in one.items()} for one in expected]
    profile = cProfile.Profile()
    profile.runcall(evaluators_for, outputs, expected, {"output": "output", "expected": "expected"}, DefaultAnswers())
    calls = Stats(profile).total_calls  # type: ignore[attr-defined]  # the stubs of pstats lack it
    assert calls / (rows * fields) < _MOST_CALLS
