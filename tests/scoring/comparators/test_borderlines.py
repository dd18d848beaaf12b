"""No rounding decides a borderline pair: the fast answers are held to exact fractions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.comparators._comparator import COMPARATORS

decimals = st.decimals(-1000, 1000, places=3).map(float)
numbers = st.one_of(decimals, st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
limits = st.decimals(0, 10, places=3).map(float)


def as_written(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


@given(numbers, numbers, limits, limits)
def test_a_tolerance_means_what_its_decimals_say(expected: float, actual: float, most: float, part: float) -> None:
    gap = abs(as_written(actual) - as_written(expected))
    within = gap <= as_written(most)
    within_part = gap <= as_written(part) * abs(as_written(expected))
    numeric = COMPARATORS.find("numeric")

    def close(**tolerance: float) -> object:
        return numeric.model_validate({"tolerance": tolerance}).compare(expected, actual)

    assert close(abs=most) is within
    assert close(rel=part) is within_part
    assert close(abs=most, rel=part) is (within and (within_part or expected == 0))
    assert close(abs=most, rel=part, either=True) is (within or within_part)


@given(decimals, limits)
def test_a_number_at_its_limit_is_within(expected: float, most: float) -> None:
    at_limit = float(as_written(expected) + as_written(most))
    compare = COMPARATORS.find("numeric").model_validate({"tolerance": {"abs": most}}).compare
    assert compare(expected, at_limit)
    assert not compare(expected, float(as_written(at_limit) + Fraction(1, 1000)))


def edits(a: str, b: str) -> int:
    """Levenshtein's distance, by its definition."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, above = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


words = st.text("abcé", max_size=12)
thresholds = st.integers(0, 100).map(lambda percent: percent / 100)


@given(words, words, thresholds)
def test_similarity_meets_its_threshold_exactly(a: str, b: str, at_least: float) -> None:
    longest = max(len(a), len(b))
    similarity = 1 - Fraction(edits(a, b), longest) if longest else Fraction(1)
    matches = similarity >= Fraction(str(at_least))
    fuzzy = COMPARATORS.find("fuzzy")
    assert fuzzy.model_validate({"at_least": at_least}).compare(a, b) is matches
    partial = fuzzy.model_validate({"at_least": at_least, "partial": True}).answer(a, b)
    assert partial.passed is matches
    assert partial.ratio is not None
    assert Fraction(*partial.ratio) == similarity
