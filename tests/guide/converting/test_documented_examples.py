"""The worked examples of each system's documentation: converted, checked and run, they give the score that is documented.

The examples have the values of the systems' own pages: Agenta's "JSON Multi-Field Match" and "JSON Diff Match", Galtea's "JSON
Field Match (Normalized)", orbiter's page of rule-based scorers, and promptfoo's "Weighted assertions".
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import evaluators
from tests.kit import cli

PERSON = {"name": "John Doe", "email": "john@example.com", "address": {"city": "New York", "zip": "10001"}}
ANSWERED = {"name": "John Doe", "email": "jane@example.com", "address": {"city": "New York", "zip": "10002"}}


pytestmark = pytest.mark.usefixtures("folder")


def write_rows(name: str, rows: list[dict[str, Any]]) -> None:
    with open(name, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def converted(*words: str) -> dict[str, tuple[float | None, float | None]]:
    """Converts, checks and runs. Gives each evaluator's mean score and pass rate."""
    made = cli("convert", *words, "-o", "suite.yaml")
    assert made.exit_code == 0, made.output
    checked = cli("check", "suite.yaml")
    assert checked.exit_code == 0, checked.output
    result = evaluators.load("suite.yaml").run()
    return {stats.name: (stats.mean, stats.pass_rate) for stats in result.evaluators}


def score_of(found: dict[str, tuple[float | None, float | None]], name: str) -> float | None:
    mean = found[name][0]
    return None if mean is None else round(mean, 2)


def test_agenta_finds_half_of_the_fields() -> None:
    definitions = [
        {
            "slug": "entities",
            "data": {
                "uri": "agenta:builtin:json_multi_field_match:v0",
                "parameters": {
                    "fields": ["name", "email", "address.city", "address.zip"],
                    "correct_answer_key": "correct_answer",
                },
            },
        },
        {"name": "json", "evaluator_key": "auto_contains_json", "settings_values": {}},
        {"slug": "diff", "uri": "agenta:builtin:auto_json_diff:v0", "parameters": {"predict_keys": True}},
    ]
    Path("evaluators.json").write_text(json.dumps(definitions), encoding="utf-8")
    row = {"__id__": "t1", "question": "who?", "correct_answer": json.dumps(PERSON), "output": json.dumps(ANSWERED)}
    write_rows("testset.csv", [row])
    found = converted("agenta", "evaluators.json", "testset.csv")
    assert found == {"entities": (0.5, 0.0), "json": (1.0, 1.0), "diff": (0.5, 1.0)}


def test_agentas_exported_test_set_alone_proposes_its_fields() -> None:
    testset = {"testset": {"data": {"testcases": [{"id": "a", "data": {"correct_answer": json.dumps(PERSON)}}]}}}
    Path("testset.json").write_text(json.dumps(testset), encoding="utf-8")
    made = cli("convert", "agenta", "testset.json", "-o", "suite.yaml", "--rows", "rows.csv")
    assert made.exit_code == 0, made.output
    assert "fields: [address, email, name]" in Path("suite.yaml").read_text(encoding="utf-8")
    assert Path("rows.csv").read_text(encoding="utf-8").splitlines()[0] == "id,correct_answer,output"
    assert "fill the column output" in made.output


def test_galteas_exported_evaluations_give_the_scores_they_hold() -> None:
    def row(metric: str, score: float, output: Any, expected: Any) -> dict[str, Any]:
        return {
            "Score": score, "Metric": metric, "Input": "fill the form", "Output": output if isinstance(output, str) else json.dumps(output),
            "Expected Output": json.dumps(expected), "Version": "v1",
        }  # fmt: skip

    normalized, exact = "JSON Field Match (Normalized)", "JSON Field Match"
    rows = [
        row(normalized, 1.0, {"name": "Jose", "answer": "SI"}, {"name": "José", "answer": "si"}),
        row(normalized, 0.5, {"age": "30", "city": "oslo"}, {"age": 30, "city": "Oslo"}),
        row(normalized, 0.0, {"roles": ["user", "admin"]}, {"roles": ["ADMIN", "USER"]}),
        row(normalized, 1.0, 'Here: ```json\n{"a": null, "b": 1}\n```', {"a": None}),
        row(exact, 0.0, {"name": "Jose"}, {"name": "José"}),
        row(f"{exact} (Strict)", 0.5, {"a": 1, "b": 2}, {"a": 1}),
        row("Factual Accuracy", 0.9, "yes", {"a": 1}),
    ]
    write_rows("evaluations.csv", rows)
    found = converted("galtea", "evaluations.csv")
    wanted: dict[str, list[float]] = {}
    for one in rows:
        wanted.setdefault(one["Metric"], []).append(one["Score"])
    assert {name: mean for name, (mean, _) in found.items()} == {
        "JSON Field Match (Normalized)": sum(wanted[normalized]) / 4,
        "JSON Field Match": 0.0,
        "JSON Field Match (Strict)": 0.5,
    }
    assert found["JSON Field Match (Normalized)"][1] == 0.75  # passes at 0.5, as in Galtea


ORBITER = '''
import asyncio
from orbiter.eval import (
    FormatValidationScorer, OutputCompletenessScorer, OutputCorrectnessScorer, OutputLengthScorer, OutputRelevanceScorer,
    SchemaValidationScorer,
)

person = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}
report = """
# Introduction
What this is about.
# Methodology
How it was done.
# Results
What came out.
"""

async def score_all():
    as_json = FormatValidationScorer("json")
    await as_json.score("json right", None, '{"key": "value"}')
    await as_json.score("json wrong", None, "not json")
    await FormatValidationScorer(fmt="xml").score("xml", None, "<root><item>text</item></root>")
    await FormatValidationScorer("markdown").score("markdown", None, "# Hello\\n\\nSome **bold** text")
    schema = SchemaValidationScorer(person)
    await schema.score("schema right", None, '{"name": "Alice", "age": 30}')
    await schema.score("schema wrong", None, '{"name": "Bob"}')
    exact = OutputCorrectnessScorer(ground_truth="Hello World", name="exact")
    await exact.score("exact", None, "  hello   world  ")
    words = OutputCorrectnessScorer(keywords=["Python", "machine learning", "AI"], name="words")
    await words.score("words", None, "Python is great for AI applications")
    size = OutputLengthScorer(min_length=10, max_length=100)
    await size.score("long enough", None, "This is a valid length response.")
    await size.score("too short", None, "Short")
    about = OutputRelevanceScorer()
    await about.score("about", "What is Python programming?", "Python is a popular programming language used for many tasks.")
    whole = OutputCompletenessScorer(required_sections=["introduction", "methodology", "results", "conclusion"])
    await whole.score("whole", None, report)

asyncio.run(score_all())
'''


def test_orbiters_examples_give_their_scores() -> None:
    Path("scoring.py").write_text(ORBITER, encoding="utf-8")
    found = converted("orbiter", "scoring.py", "--rows", "rows.csv")
    assert {name: score_of(found, name) for name in found} == {
        "format_json": 0.5, "format_xml": 1.0, "format_markdown": 1.0, "schema": 0.5, "exact": 1.0, "words": 0.67,
        "length": 0.5, "relevance": 0.75, "completeness": 0.75,
    }  # fmt: skip


PROMPTFOO = """\
prompts: ['{{answer}}']
providers: [echo]
tests:
  - vars: {answer: Goodbye world}
    threshold: THRESHOLD
    assert:
      - {type: equals, value: Hello world, weight: 2}
      - {type: contains, value: world, weight: 1}
"""


@pytest.mark.parametrize(("threshold", "pass_rate"), [("0.5", 0.0), ("0.2", 1.0)])
def test_promptfoos_weighted_assertions_give_a_third(threshold: str, pass_rate: float) -> None:
    Path("promptfooconfig.yaml").write_text(PROMPTFOO.replace("THRESHOLD", threshold), encoding="utf-8")
    found = converted("promptfoo", "promptfooconfig.yaml", "--rows", "rows.csv")
    assert (found["equals"][0], found["contains"][0]) == (0.0, 1.0)
    assert (score_of(found, "overall"), found["overall"][1]) == (0.33, pass_rate)


def test_every_finding_has_a_line_and_a_column() -> None:
    Path("scoring.py").write_text(ORBITER.replace('"json"', "kind()"), encoding="utf-8")
    made = cli("convert", "orbiter", "scoring.py")
    (said,) = [line for line in made.stderr.splitlines() if "kind()" in line]
    assert re.match(r"  scoring\.py:23:38  FormatValidationScorer: no counterpart: `kind\(\)` is no literal", said)
