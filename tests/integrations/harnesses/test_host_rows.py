"""What a host gives becomes a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from evaluators.api.loading import load
from evaluators.integrations.harnesses._host_rows import HostRow, cells_of, value_of_role, with_usual_names
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING

ROLES = {"id", "input", "output", "expected"}


class City(BaseModel):
    name: str


@dataclass
class Town:
    name: str


@pytest.mark.parametrize(
    ("given", "cells"),
    [
        (HostRow({}, "a", "b", "c", 7), {"output": "a", "expected": "b", "input": "c", "id": 7}),
        (HostRow({}, {"city": "Oslo"}, {"city": "Oslo"}), {"output": {"city": "Oslo"}, "expected": {"city": "Oslo"}}),
        (HostRow({}, {"output": "a", "cost": 1}), {"output": "a"}),
        (HostRow({}, {"prediction": "a"}), {"output": "a"}),
        (HostRow({}, "a", {"expected_response": "b", "must": "c"}), {"output": "a", "expected": "b", "must": "c"}),
        (HostRow({}, "a", None), {"output": "a"}),
        (HostRow({}, "a", input={"question": "q"}), {"output": "a", "input": "q"}),
        (HostRow({}, "a", input={"question": "q", "shop": "s"}), {
            "output": "a", "input": {"question": "q", "shop": "s"}, "question": "q", "shop": "s"}),
        (HostRow({}, "a", more=[{"shop": "s", "output": "no"}]), {"output": "a", "shop": "s"}),
        (HostRow({}, City(name="Oslo"), Town("Oslo")), {"output": {"name": "Oslo"}, "expected": {"name": "Oslo"}}),
    ],
)  # fmt: skip
def test_what_a_host_gives_becomes_cells(given: HostRow, cells: dict[str, Any]) -> None:
    found = cells_of(given, {})
    assert {name: found.get(name) for name in cells} == cells
    assert ROLES & found.keys() == ROLES & cells.keys()


def test_columns_say_where_else_a_cell_is() -> None:
    own = {"inputs": {"shop": {"name": "Ada"}}, "outputs": {"text": "{}"}, "expectations": {"gold": "{}"}}
    columns = {"output": "outputs.text", "expected": "expectations.gold", "shop": "inputs.shop.name",
               "both": lambda given: [*given], "gone": "inputs.nowhere"}  # fmt: skip
    found = cells_of(HostRow(own, own["outputs"], own["expectations"]), columns)
    assert (found["output"], found["expected"], found["shop"]) == ("{}", "{}", "Ada")
    assert found["both"] == ["inputs", "outputs", "expectations"]
    assert "gone" not in found


def test_a_value_that_json_lacks_is_a_fault() -> None:
    assert isinstance(cells_of(HostRow({}, float("nan")), {})["output"], CellError)


def test_none_is_no_value() -> None:
    assert value_of_role("expected", None) is MISSING
    assert value_of_role("expected", {"expected": None}) is MISSING


def test_a_column_with_a_usual_name_is_the_cell_of_its_role() -> None:
    assert with_usual_names({"expected": "a"}, ["correct_answer", "shop"]) == {"expected": "a", "correct_answer": "a"}
    suite = load({"evaluators": [{"exact_match": {"correct_answer_key": "correct_answer"}}]})
    assert SuiteScorer(suite).score(HostRow({}, "a", "a")).overall.score == 1.0


def test_the_columns_that_a_suite_names_are_found_by_role() -> None:
    suite = load({"test_set": {"columns": {"output": "model_said", "expected": "gold"}}, "evaluators": ["exact_match"]})
    assert SuiteScorer(suite).score(HostRow({}, "a", "a")).overall.score == 1.0
    assert SuiteScorer(suite).score(HostRow({}, more=[{"model_said": "a", "gold": "b"}])).overall.score == 0.0
