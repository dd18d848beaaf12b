"""What chance finds is the same however rows are cut and whoever scores them, and it is what looking everything up comes to."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import evaluators
from evaluators.runs.exact_sums import plus
from evaluators.runs.row_samples import LEAST_ROWS, MOST_CHARS, MOST_ROWS, RowSample
from tests.kit import write_rows

SUITE: Any = {"evaluators": [{"grounded": {"source": "mail", "fields": ["total", "name"]}}]}
NAMES = ("Ann", "Bob", "Cy", "Dee")


def rows_of(count: int, seed: int = 1) -> list[dict[str, Any]]:
    draw = Random(seed)
    return [
        {
            "id": str(number),
            "mail": f"row {number}: {draw.randint(1, 9)} to {draw.choice(NAMES)}, and {draw.randint(1, 9)}",
            "output": {"total": draw.randint(1, 9), "name": draw.choice(NAMES)},
        }
        for number in range(count)
    ]  # fmt: skip


def chance(rows: Any, suite: Any = SUITE, **options: Any) -> tuple[float | None, int]:
    found = evaluators.evaluate(rows, suite, **options).result.evaluators[0].metric("chance_rate")
    assert found is not None
    return found.mean, found.n


def test_of_few_rows_every_value_is_looked_up_in_every_other_source() -> None:
    rows = rows_of(20)
    alone = evaluators.load({"evaluators": [{"grounded": {"source": "mail"}}]})
    shares = []
    for row in rows:
        others = [other["mail"] for other in rows if other["mail"] != row["mail"]]
        looked_up = [
            alone.evaluate({"output": {name: value}, "mail": mail})["grounded"].num
            for mail in others
            for name, value in row["output"].items()
        ]
        shares.append(Fraction(sum(looked_up), len(looked_up)))
    assert chance(rows) == (float(sum(shares) / len(shares)), 20)


def test_neither_order_nor_workers_change_what_chance_finds(tmp_path: Path) -> None:
    rows = rows_of(600)
    mean, count = chance(rows)
    assert count == MOST_ROWS
    assert chance(rows[::-1]) == (mean, count)
    file = write_rows(tmp_path / "rows.jsonl", rows)
    assert chance(str(file), workers=2) == (mean, count)


def test_another_seed_chooses_other_rows() -> None:
    suite = {"evaluators": [{"grounded": {"source": "mail", "seed": 2}}]}
    first, second = chance(rows_of(600), suite), chance(rows_of(600), SUITE)
    assert first != second


def test_one_row_has_no_others() -> None:
    assert chance(rows_of(1)) == (None, 0)


def test_samples_of_parts_come_to_the_sample_of_all() -> None:
    draw = Random(3)
    rows = {f"{draw.getrandbits(64):016x}": "x" * draw.randint(1, MOST_CHARS // LEAST_ROWS * 2) for _ in range(90)}
    whole = RowSample(dict(rows))
    whole.limit()
    for cut in (1, 30, 89):
        parts = [RowSample(dict(list(rows.items())[:cut])), RowSample(dict(list(rows.items())[cut:]))]
        for part in parts:
            part.limit()
        assert sorted(plus(*parts).rows) == sorted(whole.rows)
    assert LEAST_ROWS <= len(whole.rows) < 90


def test_a_gate_holds_chance_and_what_is_not_given_to_a_limit() -> None:
    for metric in ("chance_rate", "not_given_rate"):
        gate = {"metric": metric, "fail_above": 0.0}
        (found,) = evaluators.evaluate(
            [*rows_of(40), {"id": "x", "mail": "y", "output": {}}], {**SUITE, "gates": {"grounded": gate}}
        ).result.gates
        assert (found.verdict, found.metric) == ("failed", metric)
