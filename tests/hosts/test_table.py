"""The table that every host is given: its rows end in each way in which a row can end."""

from __future__ import annotations

import pytest

from evaluators.reports.tracking.metrics import metrics_of
from tests.hosts.table import Aggregate, Figures, Found, assert_same_figures, assert_same_rows


def test_every_way_in_which_a_row_can_end_is_there(ours: Figures) -> None:
    assert {id: row["header"].status for id, row in ours.rows.items()} == {
        "right": "scored", "wrong": "scored", "lacking": "scored", "unreadable": "unreadable", "invalid": "invalid",
        "blocked": "blocked", "skipped": "skipped", "judge failed": "unjudged", "fenced": "scored",
    }  # fmt: skip
    assert [id for id, row in ours.rows.items() if row["header"].error] == ["invalid", "judge failed"]


def test_the_figures_of_the_table(ours: Figures) -> None:
    every = metrics_of(ours.record.result, every=True)
    header = {name.removeprefix("evaluator/header/").removeprefix("header/"): value for name, value in every.items()}
    assert header["mean"] == (1 + 1 / 2 + 1 / 2 + 0 + 0 + 7 / 8) / 6
    assert header["pass_rate"] == 1 / 6
    assert [header[f"rows/{name}"] for name in ("total", "scored", "skipped", "invalid", "unjudged")] == [9, 6, 1, 1, 1]
    assert (header["unreadable"], header["blocked"]) == (1, 1)
    assert header["field/items.each.price/accuracy"] == 3 / 7
    assert every["slice/supplier/R_-26_D _-5b_north_-5d_/evaluator/header/rows/scored"] == 3
    assert ours.rows["lacking"]["header"].fields == {
        "number": "match", "vendor.name": "match", "items[*].price": "omission", "note": "omission",
    }  # fmt: skip


def found(ours: Figures) -> dict[str, dict[str, Found]]:
    return {id: {name: Found(one.score, one.error) for name, one in row.items()} for id, row in ours.rows.items()}


def test_a_host_that_says_the_same_agrees(ours: Figures) -> None:
    assert_same_rows(found(ours), ours)
    assert_same_figures({"header": Aggregate(2.875 / 6, 1 / 6, 6), "short": Aggregate(8 / 9)}, ours)


@pytest.mark.parametrize(
    ("id", "changed"),
    [
        ("right", Found(0.5)), ("right", Found(1.0, error=True)), ("invalid", Found(None)), ("invalid", Found(0.0, True)),
        ("skipped", Found(0.0)), ("judge failed", Found(None)), ("unreadable", Found(None)),
    ],
)  # fmt: skip
def test_a_host_that_says_otherwise_does_not(ours: Figures, id: str, changed: Found) -> None:
    theirs = found(ours)
    theirs[id]["header"] = changed
    with pytest.raises(AssertionError):
        assert_same_rows(theirs, ours)


def test_a_host_that_loses_a_row_does_not(ours: Figures) -> None:
    theirs = found(ours)
    del theirs["skipped"]
    with pytest.raises(AssertionError):
        assert_same_rows(theirs, ours)


@pytest.mark.parametrize(
    "said", [Aggregate(2.875 / 4), Aggregate(None), Aggregate(2.875 / 6, 1 / 4), Aggregate(2.875 / 6, scored=4)]
)
def test_a_host_with_another_denominator_does_not(ours: Figures, said: Aggregate) -> None:
    with pytest.raises(AssertionError):
        assert_same_figures({"header": said}, ours)
