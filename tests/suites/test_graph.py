"""Which evaluator waits for which."""

from __future__ import annotations

import pytest

from evaluators.model.issues import Problems
from evaluators.scoring.plan.graph import edges, in_dependency_order
from evaluators.suites.config import SuiteConfig, read_config
from evaluators.suites.source import loads


def suite(text: str) -> SuiteConfig:
    return read_config(loads(text))


def problems(text: str) -> list[str]:
    with pytest.raises(Problems) as caught:
        suite(text)
    return [f"{issue.where}: {issue.message} | {issue.hint}" for issue in caught.value.issues]


def test_an_evaluator_comes_after_what_it_waits_for() -> None:
    found = suite(
        """
evaluators:
  - all_of: {name: last, of: [diff, json]}
  - json_diff_match: {name: diff, needs: json}
  - contains_json: {name: json}
  - exact_match
"""
    )
    assert [line.name for line in in_dependency_order(found.lines)] == ["json", "diff", "last", "exact_match"]
    assert {(edge.before, edge.after) for edge in edges(found.lines)} == {
        ("json", "diff"), ("diff", "last"), ("json", "last"),
    }  # fmt: skip


def test_the_order_of_the_file_is_kept_where_nothing_waits() -> None:
    found = suite("evaluators: [exact_match, contains_json, json_diff_match]")
    assert [line.name for line in in_dependency_order(found.lines)] == ["exact_match", "contains_json", "json_diff_match"]


def test_a_name_that_nobody_has_is_shown_with_the_nearest() -> None:
    text = """\
evaluators:
  - contains_json
  - json_diff_match: {needs: [contains_jsn]}
  - weighted_mean: {of: {json_diff_match: 1, zebra: 2}}
  - all_of: {of: [contains_json, json_dif_match]}
"""
    assert problems(text) == [
        (
            'suite.yaml:3:31: "json_diff_match" needs "contains_jsn", and no evaluator has that name'
            ' | did you mean "contains_json"?'
        ),
        (
            'suite.yaml:4:46: "weighted_mean" needs "zebra", and no evaluator has that name'
            " | it can need contains_json, json_diff_match, all_of"
        ),
        (
            'suite.yaml:5:34: "all_of" needs "json_dif_match", and no evaluator has that name'
            ' | did you mean "json_diff_match"?'
        ),
    ]


def test_evaluators_that_need_each_other_are_named_in_a_loop() -> None:
    text = """\
evaluators:
  - contains_json: {name: a, needs: [c]}
  - contains_json: {name: b, needs: [a]}
  - all_of: {name: c, of: [b]}
  - exact_match: {needs: [exact_match]}
"""
    assert problems(text) == [
        "suite.yaml:2:5: evaluators need each other: a → c → b → a | take one of these needs away",
        "suite.yaml:5:5: evaluators need each other: exact_match → exact_match | take one of these needs away",
    ]


def test_names_that_nobody_has_and_loops_are_said_together() -> None:
    text = """\
evaluators:
  - exact_match: {needs: [nobody]}
  - all_of: {name: a, of: [b]}
  - all_of: {name: b, of: [a]}
"""
    assert [line.partition(" | ")[0] for line in problems(text)] == [
        'suite.yaml:2:27: "exact_match" needs "nobody", and no evaluator has that name',
        "suite.yaml:3:5: evaluators need each other: a → b → a",
    ]


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("length: {max: many}", ["mine", "other"]),
        ("length: {name: mine, max: many}", ["length", "length_3", "other"]),
        ("lenght: {max: 3}", []),
        ("[length]", []),
    ],
)
def test_a_name_that_no_unreadable_line_can_have_is_unknown(line: str, unknown: list[str]) -> None:
    found = problems(f"evaluators:\n  - {line}\n  - exact_match: {{needs: [length, length_3, mine, other]}}")
    assert [text.split('"')[3] for text in found if "no evaluator has that name" in text] == unknown
