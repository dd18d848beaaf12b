from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.runs.metrics import beside_limit, mean_interval_text, score_text
from evaluators.runs.result import Interval


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.93333, "0.9333"), (1.0, "1.0000"), (0.99999, "0.9999"), (0.00001, "0.0001"), (0.0, "0.0000"), (None, "–")],
)
def test_only_a_perfect_score_prints_as_one(value: float | None, text: str) -> None:
    assert score_text(value) == text


def test_an_interval_is_of_fractions() -> None:
    assert mean_interval_text(Interval(0.8812, 0.9641)) == "[0.8812, 0.9641]"
    assert mean_interval_text(None) == "–"


def test_a_figure_that_misses_a_limit_never_prints_as_the_limit() -> None:
    assert beside_limit(0.98996, 0.99) == "0.98996"
    assert beside_limit(0.99, 0.99) == "0.9900"
    assert beside_limit(0.9899999999999999, 0.99) == "0.9899999999999999"


@given(st.floats(0, 1), st.floats(0, 1))
def test_text_beside_a_limit_is_on_the_same_side_of_it(value: float, limit: float) -> None:
    text = float(beside_limit(value, limit))
    if value != limit:
        assert text != limit
        assert (text < limit) == (value < limit)
