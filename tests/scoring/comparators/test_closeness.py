"""Numbers that JSON cannot write are near nothing, and break nothing."""

from __future__ import annotations

import pytest

from evaluators.scoring.comparators._closeness import Tolerance
from evaluators.scoring.comparators.numeric import Numeric

INFINITE, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    "tolerance",
    [
        None,
        Tolerance(rel=0.5),
        Tolerance(abs=1.0),
        Tolerance(abs=1.0, rel=0.5),
        Tolerance(abs=1.0, rel=0.5, either=True),
    ],
)
@pytest.mark.parametrize(
    ("expected", "actual"), [(INFINITE, 1), (1, INFINITE), (INFINITE, -INFINITE), (NAN, 1), (1, NAN)]
)
def test_infinity_and_nan_are_near_nothing(expected: float, actual: float, tolerance: Tolerance | None) -> None:
    numeric = Numeric(tolerance=tolerance)
    assert not numeric.compare(expected, actual)
    assert not numeric.answer(expected, actual).passed


def test_whole_numbers_of_any_size_are_compared() -> None:
    numeric = Numeric(tolerance=Tolerance(abs=1.0))
    assert numeric.compare(10**400, 10**400 + 1)
    assert not numeric.answer(10**400, 10**400 + 2).passed
    assert not numeric.compare(10**400, INFINITE)
