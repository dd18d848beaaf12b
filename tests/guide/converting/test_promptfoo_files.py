"""Files of promptfoo and of others: the table of what they become, and drawn ones of which no row and no value is lost."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from tests.kit import cli, read_yaml, write_files

CASES = read_yaml(Path(__file__).with_name("promptfoo_files.yaml"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_files_become_rows_and_evaluators(case: dict[str, Any]) -> None:
    write_files(Path(), case["files"])
    made = cli("convert", *case.get("convert", ["promptfooconfig.yaml"]), "-o", "suite.yaml", "--rows", "rows.csv")
    said = " ".join(made.output.split())
    assert made.exit_code == case.get("exit", 0), made.output
    assert [text for text in case.get("said", ()) if text not in said] == [], said
    assert [text for text in case.get("never", ()) if text in said] == [], said
    if made.exit_code:
        return
    if "rows" in case:
        assert Path("rows.csv").read_text(encoding="utf-8").splitlines() == case["rows"]
    suite = read_yaml(Path("suite.yaml"))
    if "evaluators" in case:
        assert suite["evaluators"] == case["evaluators"]
    assert cli("check", "suite.yaml").exit_code == cli("run", "suite.yaml", "--no-results").exit_code == 0
    if "scores" in case:
        found = evaluators.load("suite.yaml").run().evaluators
        assert {stats.name: stats.mean and round(stats.mean, 4) for stats in found} == case["scores"]


CASE = {"input": "q", "actualOutput": "a", "expectedOutput": "a", "metricsData": []}
OLD_CASE = {"input": "q", "actual_output": "a", "expected_output": "a", "metrics_data": []}
SAMPLE = {"id": 1, "input": "a", "target": "a", "output": {"choices": [{"message": {"content": "a"}}]}}
RESULTS = [
    {"testFile": None, "testCases": [CASE, {**CASE, "actualOutput": "b"}]},
    {"testRunData": {"testCases": [CASE, {**CASE, "actualOutput": "b"}]}, "testRunLink": None},
    {"test_results": [OLD_CASE, {**OLD_CASE, "actual_output": "b"}], "confident_link": None},
    {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [SAMPLE, {**SAMPLE, "id": 2, "target": "b"}]},
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("results", RESULTS, ids=["deepeval", "its latest run", "deepeval in Python", "Inspect"])
def test_what_is_said_of_other_results_leads_to_a_suite_that_scores_them(results: dict[str, Any]) -> None:
    Path("log.json").write_text(json.dumps(results), encoding="utf-8")
    command, *line = re.findall(r"`([^`]+)`", cli("convert", "log.json").output.replace("\n", " "))
    assert cli(*command.split()[1:]).exit_code == 0
    suite = Path("suite.yaml").read_text(encoding="utf-8")
    for written in line:
        suite = re.sub(r"(?m)^    output: \S+", f"    {written}", suite)
    Path("suite.yaml").write_text(suite, encoding="utf-8")
    assert {stats.mean for stats in evaluators.load("suite.yaml").run().evaluators} == {0.5}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "[", "**", "file://", ".", "../" * 400], ids=range(7))
def test_what_is_no_name_of_a_file_is_no_file(name: str) -> None:
    Path("config.json").write_text(json.dumps({"prompts": ["a"], "tests": [name]}), encoding="utf-8")
    assert cli("convert", "promptfoo", "config.json").exit_code == 2


TEXTS = st.sampled_from([
    "Oslo", "oslo", "a, b", 'say "x"', "[1]", '["a"]', '{"a": 1}', "null", "true", "1.0", "1", "zwei\nZeilen", "=1+1", "é", "a: b", "#",
    "${HOME}", "a", "x" * 40,
])  # fmt: skip
ANSWERED = {
    "equals": lambda output, value: output == value,
    "contains": lambda output, value: value in output,
    "icontains": lambda output, value: value.lower() in output.lower(),
    "starts-with": lambda output, value: output.startswith(value),
    "contains-any": lambda output, value: any(one.strip() in output for one in value.split(",")),
    "not-contains": lambda output, value: value not in output,
}
"""What promptfoo says of an output, by the type of an assertion."""
ASSERTION = st.tuples(st.sampled_from(list(ANSWERED)), TEXTS)
VARIABLES = st.lists(
    st.sampled_from(["q", "expected", "contains", "answer", "prediction", "question", "prompt", "verdict", "Output"]),
    unique=True,
)
ROW = st.fixed_dictionaries(
    {"output": TEXTS, "asserts": st.lists(ASSERTION, max_size=4), "cells": st.lists(TEXTS, min_size=9, max_size=9)}
)
ROWS = st.lists(ROW, min_size=1, max_size=8).filter(lambda rows: any(row["asserts"] for row in rows))


def converted(name: str) -> tuple[list[dict[str, str]], str]:
    """The rows that a file becomes, where the suite fits them, and what is said."""
    made = cli("convert", "promptfoo", name, "-o", "suite.yaml", "--rows", "rows.csv", "--force")
    assert made.exit_code == 0, made.output
    assert cli("check", "suite.yaml").exit_code == cli("run", "suite.yaml", "--no-results").exit_code == 0
    with open("rows.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), made.output


def every_value_reached_its_row(drawn: list[dict[str, Any]], rows: list[dict[str, str]], variables: list[str]) -> None:
    suite = evaluators.load("suite.yaml")
    assert len(rows) == len(drawn)
    for one, row in zip(drawn, rows, strict=True):
        assert [row[name] for name in variables] == one["cells"][: len(variables)]
        assert row["output"] == one["output"]
        found = [(re.sub(r"_\d+$", "", name), result.passed) for name, result in suite.evaluate(row).results.items()]
        wanted = [
            (type_.replace("-", "_"), ANSWERED[type_](row["output"], value))
            for type_, value in dict.fromkeys(one["asserts"])
        ]
        assert sorted(pair for pair in found if pair[1] is not None and pair[0] != "overall") == sorted(wanted)


def number_of_evaluators(drawn: list[dict[str, Any]], type_: str) -> int:
    """How many evaluators an assertion becomes whose values may stand in columns: as many as one row has, or as there are values."""
    values = [{value for kind, value in row["asserts"] if kind == type_} for row in drawn]
    return min(max(map(len, values)), len(set().union(*values)))


def no_more_than_needed(drawn: list[dict[str, Any]]) -> None:
    named = [re.sub(r"_\d+$", "", line.name) for line in evaluators.load("suite.yaml").lines]
    for type_ in ("equals", "contains", "icontains", "starts-with", "contains-any"):
        assert named.count(type_.replace("-", "_")) == number_of_evaluators(drawn, type_)


@pytest.mark.usefixtures("folder")
@given(ROWS, VARIABLES)
def test_every_expected_cell_of_a_table_reaches_its_row(drawn: list[dict[str, Any]], variables: list[str]) -> None:
    most = max(len(row["asserts"]) for row in drawn)
    with open("tests.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["__providerOutput", *variables, *(f"__expected{number or ''}" for number in range(most))])
        for row in drawn:
            texts = [value if type_ == "equals" else f"{type_}: {value}" for type_, value in row["asserts"]]
            writer.writerow([row["output"], *row["cells"][: len(variables)], *texts, *[""] * (most - len(texts))])
    every_value_reached_its_row(drawn, converted("tests.csv")[0], variables)
    no_more_than_needed(drawn)


@pytest.mark.usefixtures("folder")
@given(ROWS, VARIABLES, st.data())
def test_every_result_is_a_row_with_its_output_its_verdict_and_its_assertions(
    drawn: list[dict[str, Any]], variables: list[str], data: st.DataObject
) -> None:
    results = [
        {
            "testIdx": number,
            "vars": dict(zip(variables, row["cells"], strict=False)),
            "prompt": {"raw": f"prompt {number}"},
            "response": {"output": row["output"]},
            "success": data.draw(st.booleans()),
            "testCase": {"assert": [{"type": type_, "value": value} for type_, value in row["asserts"]]},
        }
        for number, row in enumerate(drawn)
    ]
    Path("results.json").write_text(json.dumps({"results": {"version": 3, "results": results}}), encoding="utf-8")
    rows, said = converted("results.json")
    every_value_reached_its_row(drawn, rows, variables)
    no_more_than_needed(drawn)
    column = "verdict_2" if "verdict" in variables else "verdict"
    assert [row[column] for row in rows] == ["pass" if one["success"] else "fail" for one in results]
    passed = [all(ANSWERED[type_](row["output"], value) for type_, value in row["asserts"]) for row in drawn]
    alike = sum(ours == one["success"] for ours, one, row in zip(passed, results, drawn, strict=True) if row["asserts"])
    assert f"verdicts: {alike} of {sum(map(bool, (row['asserts'] for row in drawn)))} row" in said
