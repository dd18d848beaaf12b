"""Exports of Label Studio: what `init` makes of them, and how many rows a run of its suite passes."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from evaluators import load
from tests.kit import cli

FIRST = {"type": "choices", "value": {"choices": ["a"]}}


@pytest.mark.parametrize(
    "late", [{"type": "choices", "value": {"choices": ["a", "b"]}}, {"type": "rating", "value": {"rating": 3}}]
)
def test_tasks_far_down_that_say_more_are_compared_too(late: dict[str, Any], tmp_path: Path) -> None:
    rows = [_task(FIRST, FIRST)] * 240 + [_task(late, FIRST)] * 10
    assert _passed(rows, tmp_path)[1]["fields"] == (240, 250)


def _passed(tasks: list[dict[str, Any]], folder: Path) -> tuple[str, dict[str, tuple[int, int]]]:
    """What `init` says of the tasks, and how many of how many rows pass each evaluator of its suite."""
    file, suite = folder / "r.json", folder / "s.yaml"
    file.write_text(json.dumps(tasks), encoding="utf-8")
    made = cli("init", str(file), "--suite", str(suite))
    assert made.exit_code == 0, made.output
    scores = load(str(suite)).run().result.evaluators
    return " ".join(made.output.split()), {one.name: (one.passed, one.scored) for one in scores}


def _task(answer: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    results = [[{"from_name": "s", "to_name": "t", **one}] for one in (answer, output)]
    return {"annotations": [{"result": results[0]}], "predictions": [{"result": results[1]}]}


_IDS = count()
RELATION = {"type": "relation", "from_id": "1", "to_id": "2", "direction": "right"}


def _choice(control: str, *choices: str) -> dict[str, Any]:
    """A result with an id of its own, as each side makes them."""
    return {
        "id": f"{next(_IDS):x}ab",
        "from_name": control,
        "to_name": "t",
        "type": "choices",
        "value": {"choices": choices},
    }


def _span(start: int, label: str, control: str = "l", to: str = "t") -> dict[str, Any]:
    value = {"start": start, "end": start + 3, "labels": [label]}
    return {"id": f"{next(_IDS):x}ab", "from_name": control, "to_name": to, "type": "labels", "value": value}


def _rows(*sides: tuple[list[Any], list[Any]]) -> list[dict[str, Any]]:
    """Tasks with these results of an annotation and of a prediction."""
    return [{"annotations": [{"result": answer}], "predictions": [{"result": output}]} for answer, output in sides]


A, B = [_choice("s", "a")], [_choice("s", "b")]
SPANS = [_span(0, "PER"), _span(7, "LOC")]
CASES: dict[str, tuple[list[dict[str, Any]], dict[str, tuple[int, int]], list[str]]] = {
    "an empty annotation is no reason to compare lists": (
        _rows(*[(A, A), (B, A)] * 10, ([], A)),
        {"label": (10, 20)},
        ["note: 1 row with nothing in annotations[0] is skipped"],
    ),
    "a prediction without results is wrong": (_rows(*[(A, A), (B, A)] * 10, (A, [])), {"label": (10, 21)}, []),
    "two answers are not right by their first": (
        _rows(*[(A, [_choice("s", "a")]), (B, A)] * 10, ([_choice("s", "a", "b")], [_choice("s", "a")])),
        {"fields": (10, 21)},
        [],
    ),
    "ids do not count": (
        _rows(*[([_span(n, "PER")], [_span(n, "PER")]) for n in range(3)], ([RELATION, *SPANS], [_span(0, "PER")])),
        {"fields": (3, 4)},
        ["note: 1 row with relations between results, which are not compared"],
    ),
    "a relation in every annotation": (
        _rows(*[([*SPANS, RELATION], [_span(7, "LOC"), _span(0, "PER")]), ([*SPANS, RELATION], SPANS[:1])] * 2),
        {"fields": (2, 4)},
        [],
    ),
    "answers of two controls that are swapped": (
        _rows(*[([_choice("u", "yes"), _choice("s", "no")], [_choice("s", "yes"), _choice("u", "no")])] * 5),
        {"fields": (0, 5)},
        [],
    ),
    "two controls in another order": (
        _rows(*[([_choice("u", "yes"), _choice("s", "no")], [_choice("s", "no"), _choice("u", "yes")])] * 5),
        {"fields": (5, 5)},
        [],
    ),
    "one control in each task, and a model that fills another": (
        _rows(*[([_choice("u", "no")], [_choice("s", "no")]), (A, [_choice("s", "a")])] * 5),
        {"fields": (5, 10)},
        [],
    ),
    "one control, and a model that fills another": (
        _rows(*[([_choice("u", "no")], [_choice("s", "no")])] * 5),
        {"fields": (0, 5)},
        [],
    ),
    "spans of two controls": (
        _rows(
            ([_span(0, "X"), _span(7, "X"), _span(9, "X", "m")], [_span(9, "X", "m"), _span(7, "X"), _span(0, "X")]),
            ([_span(0, "X"), _span(7, "X"), _span(9, "X", "m")], [_span(9, "X"), _span(7, "X"), _span(0, "X", "m")]),
        ),
        {"fields": (1, 2)},
        [],
    ),
    "spans in two texts": (
        _rows(
            ([_span(0, "X"), _span(0, "X", to="u")], [_span(0, "X", to="u"), _span(0, "X")]),
            ([_span(0, "X"), _span(0, "X", to="u")], [_span(0, "X"), _span(0, "X")]),
        ),
        {"fields": (1, 2)},
        [],
    ),
    "annotations before the place that is compared": (
        [
            *[{"annotations": [{"was_cancelled": True, "result": A}, {"result": A}], "predictions": [{"result": A}]}] * 4,
            *_rows((A, A), (B, B)),
        ],
        {"label": (4, 4)},
        ["note: 2 rows have theirs before annotations[1], and are not compared"],
    ),
    "predictions without a list": (
        [*_rows(*[(A, A), (B, B)] * 3), {"annotations": [{"result": A}], "predictions": [{"result": None}]}],
        {"label": (6, 7)},
        ["note: 1 row without a list of results in predictions[0]"],
    ),
    "the same results in another order": (
        [
            {
                "annotations": [{"result": SPANS}, {"result": [*SPANS[::-1], RELATION]}],
                "predictions": [{"result": SPANS}],
            }
        ],
        {"fields": (1, 1)},
        ["in 0 of them another says something else"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_tasks_of_label_studio(case: str, tmp_path: Path) -> None:
    tasks, passed, notes = CASES[case]
    output, scores = _passed(tasks, tmp_path)
    assert {name: scores.get(name) for name in passed} == passed, (scores, output)
    for note in notes:
        assert note in output
    assert "cancelled predictions" not in output
