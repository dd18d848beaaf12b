"""The rows that are measured are the same everywhere, and the floor and the product read the same ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from evaluators import load
from tests.tools.benchmarks import suites
from tests.tools.benchmarks.floor import floor
from tests.tools.benchmarks.goals import Finding
from tests.tools.benchmarks.rows import FORMATS, rows, write

COUNT = 300


def test_the_first_rows_are_the_same_however_many_are_asked_for() -> None:
    assert list(islice(rows(1_000), 50)) == list(rows(50))


def test_another_seed_gives_other_rows() -> None:
    assert list(rows(5, seed=1)) != list(rows(5, seed=2))


def test_the_rows_are_mixed_as_described() -> None:
    drawn = list(rows(2_000))
    assert _share(drawn, [row.output == row.expected for row in drawn]) == pytest.approx(0.24, abs=0.03)
    assert _share(drawn, [not row.expected.isascii() for row in drawn]) == pytest.approx(0.5, abs=0.04)
    assert _share(drawn, ["```" in row.output for row in drawn]) == pytest.approx(0.10, abs=0.02)
    assert all(len(json.loads(row.expected)) == 12 for row in drawn)


def _share(drawn: Sequence[object], holds: list[bool]) -> float:
    return sum(holds) / len(drawn)


@pytest.mark.parametrize("format_", FORMATS)
def test_the_floor_and_the_product_read_the_same_rows(format_: str, tmp_path: Path) -> None:
    file = write(tmp_path, COUNT, (format_,))[format_]
    rows_read, parsed = floor(file)
    result = load(suites.write(tmp_path)["exact"]).run(file)
    contains = next(one for one in result.evaluators if one.name == "contains_json")
    assert result.n_rows == rows_read == COUNT
    assert contains.passed >= parsed > 0.95 * COUNT


def test_a_figure_beyond_its_bar_is_missed() -> None:
    assert Finding("a", 1.5, "×", 1.7).met
    assert not Finding("a", 1.8, "×", 1.7).met
    assert not Finding("a", 1.8, "×", 1.85, "at least").met
