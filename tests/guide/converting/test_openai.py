"""The graders of OpenAI Evals, one after the other, and its items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import evaluators
from tests.kit import cli, write_rows

OUTPUT, LABEL = "{{ sample.output_text }}", "{{ item.label }}"


pytestmark = pytest.mark.usefixtures("folder")


def convert(*graders: dict[str, Any], rows: list[dict[str, Any]] | None = None) -> Result:
    """The suite for graders, and for items if there are any."""
    body = {"object": "eval", "name": "tickets", "testing_criteria": list(graders)}
    Path("eval.json").write_text(json.dumps(body), encoding="utf-8")
    words = ["convert", "openai", "eval.json", "-o", "suite.yaml", "--force"]
    if rows is not None:
        write_rows(Path("items.jsonl"), rows)
        words += ["items.jsonl", "--rows", "rows.csv"]
    return cli(*words)


def scores() -> dict[str, float | None]:
    return {stats.name: stats.mean for stats in evaluators.load("suite.yaml").run().evaluators}


def check(operation: str, reference: str = LABEL, **more: Any) -> dict[str, Any]:
    return {
        "type": "string_check", "name": "it", "input": OUTPUT, "reference": reference, "operation": operation, **more,
    }  # fmt: skip


def row(answer: str, **item: Any) -> dict[str, Any]:
    return {"item": item, "sample": {"output_text": answer}}


@pytest.mark.parametrize(
    ("grader", "passes", "fails"),
    [
        (check("eq"), "Hardware", "hardware"),
        (check("eq", "yes"), "yes", "Yes"),
        (check("ne", "sorry."), "sorry!", "sorry."),
        (check("like"), "it is Hardware", "it is hardware"),
        (check("ilike"), "it is HARDWARE", "it is Software"),
        (check("like", "ware"), "Hardware", "WARE"),
        (check("eq", OUTPUT, input=LABEL), "Hardware", "hardware"),
    ],
)
def test_a_string_check_passes_and_fails_as_there(grader: dict[str, Any], passes: str, fails: str) -> None:
    def mean_of(output: str) -> float | None:
        assert convert(grader, rows=[row(output, label="Hardware")]).exit_code == 0
        return scores()["it"]

    assert (mean_of(passes), mean_of(fails)) == (1.0, 0.0)


def test_a_text_similarity_keeps_its_threshold_and_says_that_it_is_near() -> None:
    similar = {
        "type": "text_similarity", "name": "near", "input": OUTPUT, "reference": LABEL, "evaluation_metric": "fuzzy_match",
        "pass_threshold": 0.8,
    }  # fmt: skip
    told = convert(similar, rows=[row("Hardwar", label="Hardware"), row("Soft", label="Hardware")])
    assert "near to it: edits here, another measure of the same texts there" in told.output
    (stats,) = evaluators.load("suite.yaml").run().evaluators
    assert (stats.passed, stats.failed) == (1, 1)


LABELS = {
    "type": "label_model", "name": "tone", "model": "m", "labels": ["kind", "rude"], "passing_labels": ["kind"],
    "input": [{"role": "developer", "content": "Is it kind?"}, {"role": "user", "content": f"{OUTPUT} to {LABEL}"}],
}  # fmt: skip
SCORE = {
    "type": "score_model", "name": "good", "model": "m", "range": [1, 5], "pass_threshold": 4,
    "input": [{"role": "user", "content": [{"type": "input_text", "text": f"Grade {OUTPUT}"}]}],
}  # fmt: skip


ASKED = 'The labels are kind, rude. The score is 1 for kind, and 0 for any other label."'


def test_graders_that_are_models_are_rubrics_of_a_judge_that_is_not_named_yet() -> None:
    assert convert(LABELS, SCORE, check("eq")).exit_code == 0
    lines = Path("suite.yaml").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(("  # -", "  #   "))] == [
        "  # - type: llm_judge",
        "  #   name: tone",
        '  #   rubric: "Is it kind?\\n\\n{{output}} to {{label}}\\n\\n' + ASKED,
        "  # - type: llm_judge",
        "  #   name: good",
        '  #   rubric: "Grade {{output}}"',
        "  #   scale: [1, 5]",
        "  #   pass_at: 0.75",
    ]


@pytest.mark.parametrize(
    ("grader", "said"),
    [
        ({"type": "python", "name": "mine", "source": "def grade(sample, item): return 1"}, "python: no counterpart: a program of yours"),
        ({"type": "frobnicate"}, "frobnicate: no counterpart: this converter does not know it"),
        (check("eq", "it is {{ item.label }}"), "a text around a template is not put together here"),
        (check("eq", "{{ item.a.b }}"), "are columns; found item.a.b"),
        (check("ne"), "that an output differs from a column is not checked here"),
        (check("eq", input="a text"), "its input is a text, not a template"),
        ({"type": "text_similarity", "input": OUTPUT, "reference": LABEL, "evaluation_metric": "bleu"}, "metrics of shared word groups"),
        ({"type": "score_model", "input": [], "model": "m"}, "its input has no text"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_here_is_named_with_its_place(grader: dict[str, Any], said: str) -> None:
    told = convert(grader, check("eq"))
    assert told.exit_code == 0, told.output
    assert said in told.output
    assert "eval.json:1:" in told.output


def test_items_are_rows_and_output_items_bring_the_answers_of_their_run() -> None:
    items = [
        row("Hardware", label="Hardware", output="x"),
        {"datasource_item_id": 7, "datasource_item": {"label": "Software"},
         "sample": {"output": [{"role": "assistant", "content": "Software"}]}},
        {"item": {"label": "Other"}},
    ]  # fmt: skip
    assert convert(check("eq"), rows=items).exit_code == 0
    assert Path("rows.csv").read_text(encoding="utf-8").splitlines() == [
        "id,label,output_item,output", "1,Hardware,x,Hardware", "7,Software,,Software", "3,Other,,",
    ]  # fmt: skip


def test_an_eval_is_known_by_its_criteria_and_named_when_it_is_given_as_a_suite() -> None:
    convert(check("eq"))
    alone = cli("convert", "eval.json")
    assert (alone.exit_code, "type: exact_match" in alone.output) == (0, True)
    told = cli("run", "eval.json")
    assert told.exit_code == 2
    assert "this is a file of openai, not a suite" in told.output
