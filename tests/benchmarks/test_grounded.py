"""The mails whose values are looked up: what is right is found in each of them, and what was made wrong is not."""

from __future__ import annotations

import json
from typing import Any

from evaluators.scoring.values.passages import leaves
from tests.tools.benchmarks.grounded import grounded, rows

COUNT = 300


def looked_up(drawn: list[dict[str, Any]]) -> tuple[int, int]:
    """How many values are found, and how many are looked for."""
    verdicts = grounded().check().verdicts([json.loads(row["output"]) for row in drawn], [row["mail"] for row in drawn])
    return sum(one.num for one in verdicts), sum(one.den for one in verdicts)


def test_every_right_value_is_found() -> None:
    found, looked_for = looked_up(list(rows(COUNT, 0.0)))
    assert found == looked_for > 5 * COUNT


def test_values_that_were_made_wrong_are_not_found() -> None:
    right, wrong = list(rows(COUNT, 0.0)), list(rows(COUNT, 0.2))
    pairs = [
        (leaves(json.loads(one["output"])), leaves(json.loads(other["output"])))
        for one, other in zip(right, wrong, strict=True)
    ]
    made_wrong = sum(one != other for pair in pairs for one, other in zip(*pair, strict=True))
    found, looked_for = looked_up(wrong)
    assert [row["mail"] for row in right] == [row["mail"] for row in wrong]
    assert 0.99 * made_wrong <= looked_for - found <= made_wrong > 300
