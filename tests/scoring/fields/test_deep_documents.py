"""Documents that are nested very deeply are one row's problem, and the fast scorer says the same of them as the slow one."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.model.limits import DEPTH
from evaluators.model.rows import RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator
from tests.kit import write_rows
from tests.laws.schemas import exact, tallied
from tests.laws.structures import evaluator
from tests.reference.settled import settle

NODE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-eval-compare": "exact"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    },
}


DEEPEST = (DEPTH - 1) // 2
"""Parts of parts in a document of the depth that suites allow: an object and a list each, and the innermost object."""


def schema(how: str) -> dict[str, Any]:
    """A schema of parts that have parts."""
    node = deepcopy(NODE)
    node["properties"]["parts"]["x-eval-align"] = {"match_by": how}
    return {"$defs": {"node": node}, "$ref": "#/$defs/node"}


def parts(depth: int, name: str) -> dict[str, Any]:
    document: dict[str, Any] = {"name": name}
    for number in range(depth):
        document = {"name": str(number), "parts": [document]}
    return document


def agreed(one: Evaluator, expected: Any, output: Any) -> Any:
    """The fast verdict, which is the slow one."""
    found = one.compile()(expected, output)
    assert exact(found) == exact(settle(one, one.explain(expected, output)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("depth", [10, 60, DEEPEST])
def test_lists_in_order_are_scored_at_any_depth(depth: int) -> None:
    found = agreed(evaluator("schema_match", {"schema": schema("ordered")}), parts(depth, "a"), parts(depth, "b"))
    assert (found.status, found.counts) == (RowStatus.SCORED, (depth, 1, 0, 0))


@pytest.mark.slow
def test_what_only_the_output_has_is_counted_at_any_depth() -> None:
    one = evaluator("schema_match", {"fields": ["name"]})
    assert agreed(one, {"name": "a"}, {"name": "a", "more": parts(DEEPEST - 1, "b")}).counts == (1, 0, 0, DEEPEST)


@pytest.mark.parametrize("depth", [10, DEEPEST])
def test_whole_documents_are_scored_at_any_depth(depth: int) -> None:
    one = evaluator("json_diff_match", {})
    found = agreed(one, parts(depth, "a"), parts(depth, "b"))
    assert (found.status, found.counts) == (RowStatus.SCORED, (depth, 1, 0, 0))
    assert agreed(one, parts(depth, "a"), {"name": "0"}).counts == (0, 1, depth, 0)


def test_aligned_lists_that_are_nested_too_deeply_are_the_problem_of_their_row() -> None:
    one = evaluator("schema_match", {"schema": schema("hungarian")})
    found = agreed(one, parts(400, "a"), parts(400, "b"))
    assert (found.status, found.issue.code) == (RowStatus.UNJUDGED, "nested-too-deeply")
    assert agreed(one, parts(20, "a"), parts(20, "b")).counts == (20, 0, 1, 1)


@pytest.mark.slow
def test_a_check_goes_on_after_a_row_that_is_nested_too_deeply() -> None:
    one = evaluator("schema_match", {"schema": schema("hungarian")})
    check, undisturbed = one.compile(), one.compile()
    rows = [(parts(2, "a"), parts(2, "b")), (parts(400, "a"), parts(400, "b")), (parts(2, "a"), parts(2, "a"))]
    found = [exact(check(*row)) for row in rows]
    assert [found[0], found[2]] == [exact(undisturbed(*rows[0])), exact(undisturbed(*rows[2]))]
    assert tallied(check) == tallied(undisturbed)


@pytest.mark.parametrize("how", ["ordered", "hungarian"])
@pytest.mark.parametrize("depth", [400, 5_000])
def test_a_row_that_is_nested_too_deeply_never_ends_the_run(tmp_path: Path, how: str, depth: int) -> None:
    deep = ['{"parts": [' * depth + f'{{"name": "{name}"}}' + "]}" * depth for name in "ab"]
    rows = [
        {"id": "1", "expected": '{"name": "a"}', "output": '{"name": "a"}'},
        {"id": "2", "expected": deep[0], "output": deep[1]},
        {"id": "3", "expected": '{"name": "a"}', "output": deep[1]},
        {"id": "4", "expected": '{"name": "a"}', "output": '{"name": "b"}'},
    ]
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    suite = load({"evaluators": [{"schema_match": {"schema": schema(how)}}]})
    (stats,) = suite.run(file, results=tmp_path / "runs").evaluators
    assert (stats.rows, stats.bugs) == (4, 0)
    assert stats.scored >= 2
