"""The commands about expected answers: `infer-schema` and `check-expected`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from evaluators import evaluate
from tests.data.extract_bench import unpack
from tests.kit import cli, folder_with, write_rows

ROWS = """\
id,output,expected
a,{},"{""name"": ""Ann"", ""age"": 30, ""tags"": [{""k"": 1}]}"
b,{},"{""name"": ""Bo"", ""age"": ""31"", ""tags"": []}"
"""
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
}


folder = folder_with({"rows.csv": ROWS, "schema.json": json.dumps(SCHEMA)})


def schema_of(result: Result) -> Any:
    return json.loads(result.stdout)


def test_a_schema_is_made_of_the_expected_answers_of_rows() -> None:
    found = cli("infer-schema", "rows.csv")
    assert found.exit_code == 0
    assert schema_of(found) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "x-eval-compare": "normalized"},
            "age": {"type": ["integer", "string"], "x-eval-compare": "exact"},
            "tags": {
                "type": "array",
                "x-eval-align": {"match_by": "hungarian"},
                "items": {"type": "object", "properties": {"k": {"type": "integer", "x-eval-compare": "numeric"}}},
            },
        },
    }
    assert found.stderr == (
        "schema: made of 2 expected answers of rows.csv\n"
        "To review:\n"
        "- age: several kinds of values: number, text\n"
        "- tags: a list, 1 item at most; no key tells its items apart: they are paired so that most of them fits\n"
        "- every `x-eval-compare` is what fits the answers that are there; change it where a field may differ more, or less\n"
    )


def test_the_words_of_the_other_dialect_are_written_when_asked() -> None:
    schema = schema_of(cli("infer-schema", "rows.csv", "--dialect", "evaluation_config"))
    properties = schema["properties"]
    assert properties["name"] == {"type": "string", "evaluation_config": "string_exact"}
    assert properties["tags"]["items"]["properties"]["k"]["evaluation_config"] == "integer_exact"
    expected = [{"name": "Bo", "age": 30, "tags": [{"k": 1}]}]
    assert evaluate(expected=expected, outputs=expected, schema=schema)["fields"].mean == 1


def test_a_file_is_never_written_over_without_force(folder: Path) -> None:
    first = cli("infer-schema", "rows.csv", "-o", "new.json")
    assert (first.exit_code, first.stdout.splitlines()[0]) == (0, "new.json: made of 2 expected answers of rows.csv")
    again = cli("infer-schema", "rows.csv", "-o", "new.json")
    assert (again.exit_code, "--force replaces it" in again.stderr) == (2, True)
    assert cli("infer-schema", "rows.csv", "-o", "new.json", "--force").exit_code == 0
    assert json.loads((folder / "new.json").read_text())["type"] == "object"


def test_an_existing_schema_is_resolved_and_completed(folder: Path) -> None:
    schema = {"$defs": {"n": {"type": "string"}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}}
    (folder / "own.json").write_text(json.dumps({"schema_definition": schema}), encoding="utf-8")
    found = cli("infer-schema", "own.json")
    assert schema_of(found)["properties"] == {"a": {"type": "string", "x-eval-compare": "exact"}}
    assert "made of the schema own.json" in found.stderr


@pytest.mark.parametrize(
    ("of", "compare"),
    [
        ("date", "date"),
        ("date-time", "date"),
        ("uri", "url"),
        ("email", {"normalized": {"accents": "keep", "whitespace": "trim"}}),
        ("time", "date"),
        ("hostname", "exact"),
    ],
)
def test_the_format_of_a_text_chooses_its_comparator(folder: Path, of: str, compare: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": of}, "b": {"type": "string"}}}
    (folder / "own.json").write_text(json.dumps(schema), encoding="utf-8")
    found = schema_of(cli("infer-schema", "own.json"))["properties"]
    assert (found["a"]["x-eval-compare"], found["b"]["x-eval-compare"]) == (compare, "exact")


def test_one_odd_answer_among_twenty_is_to_be_reviewed(folder: Path) -> None:
    odd = {"date": "(20/03/2024)", "total": "RM9.00"}
    documents = [*({"date": f"{day:02}/03/2024", "total": f"{day}.50"} for day in range(1, 20)), odd]
    write_rows(folder / "gold.jsonl", documents)
    found = cli("infer-schema", "gold.jsonl")
    compared = {key: one["x-eval-compare"] for key, one in schema_of(found)["properties"].items()}
    assert compared == {"date": {"date": {"formats": ["DD/MM/YYYY"]}}, "total": {"numeric": {"parse": True}}}
    for key, value in odd.items():
        line = next(one for one in found.stderr.splitlines() if one.startswith(f"- {key}: "))
        assert line.endswith(f'1 of 20 cannot be read so and has no score: "{value}"')


def test_an_existing_schema_keeps_its_dialect_and_its_words() -> None:
    unpack(Path(), "dataset/finance/credit_agreement")
    path = "dataset/finance/credit_agreement/credit_agreement-schema.json"
    text = cli("infer-schema", path).stdout
    assert "x-eval" not in text
    assert json.loads(text)["properties"].keys() == json.loads(Path(path).read_text())["properties"].keys()


@pytest.mark.parametrize("place", ["gold", "gold.json", "gold.jsonl", "rows.jsonl", "suite.yaml"])
def test_a_schema_is_made_of_documents_lists_and_suites(folder: Path, place: str) -> None:
    (folder / "gold" / "deep").mkdir(parents=True)
    for name in ("a", "deep/b"):
        (folder / "gold" / f"{name}.json").write_text('{"x": 1}', encoding="utf-8")
    (folder / "gold.json").write_text('[{"x": 1}, {"x": 2}]', encoding="utf-8")
    (folder / "gold.jsonl").write_text('{"x": 1}\n{"x": 2}\n', encoding="utf-8")
    (folder / "rows.jsonl").write_text('{"gold": {"x": 1}, "z": 1}\n{"gold": {"x": 2}}\n', encoding="utf-8")
    (folder / "suite.yaml").write_text("test_set: {expected: gold, outputs: out}\nevaluators: [exact_match]\n")
    found = cli("infer-schema", place)
    assert (found.exit_code, schema_of(found)["properties"].keys()) == (0, {"x"})
    assert f"made of 2 expected answers of {place}" in found.stderr


def test_an_answer_that_cannot_be_read_is_named_and_the_others_are_used(folder: Path) -> None:
    (folder / "rows.csv").write_text(ROWS + "c,{},oops\n", encoding="utf-8")
    found = cli("infer-schema", "rows.csv")
    assert found.exit_code == 3
    assert 'rows.csv row 4, column "expected": not JSON' in found.stderr
    assert "made of 2 expected answers" in found.stderr


def test_every_problem_of_the_expected_answers_is_named_with_its_place() -> None:
    found = cli("check-expected", "rows.csv", "--schema", "schema.json", "--strict-types")
    assert found.exit_code == 3
    assert found.stdout == (
        "rows.csv: looked at 2 expected answers, against schema.json\n"
        'warning: "city" is absent in 2 of 2; the schema declares it\n'
    )
    assert found.stderr == (
        'rows.csv row 2, column "expected", tags: the schema does not declare "tags", so it would not be scored\n'
        "  hint: add it to the schema, or take it out of the document\n"
        'rows.csv row 3, column "expected", age: "31" is text; the schema says integer\n'
        'rows.csv row 3, column "expected", tags: the schema does not declare "tags", so it would not be scored\n'
        "  hint: add it to the schema, or take it out of the document\n"
        "3 problems found.\n"
    )


def test_answers_that_fit_end_in_0(folder: Path) -> None:
    cli("infer-schema", "rows.csv", "-o", "own.json")
    found = cli("check-expected", "rows.csv", "--schema", "own.json")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.endswith("The expected answers fit the schema.\n")


def test_without_a_schema_there_is_nothing_to_check() -> None:
    found = cli("check-expected", "rows.csv")
    assert (found.exit_code, "name it: --schema schema.json" in found.stderr) == (2, True)


def test_a_bad_schema_is_a_mistake_of_the_command(folder: Path) -> None:
    (folder / "bad.json").write_text('{"type": "object", "properties": {"a": {"$ref": "#/nope"}}}', encoding="utf-8")
    found = cli("check-expected", "rows.csv", "--schema", "bad.json")
    assert found.exit_code == 2
    assert "bad.json #/properties/a" in found.stderr


UNREADABLE = """\
test_set: due.csv
evaluators:
  - json_multi_field_match: {fields: {due: date, total: {numeric: {parse: true}}}}
  - schema_match: {fields: {"items[*].on": date}}
  - type: schema_match
    name: with_schema
    schema:
      type: object
      additionalProperties: {type: string, x-eval-compare: exact}
      properties: {due: {type: string, x-eval-compare: date}}
"""


def test_expected_values_that_a_comparator_cannot_read_are_named(folder: Path) -> None:
    rows = [
        '{"due": "2024-01-31", "total": "12", "items": [{"on": "2024-01-31"}]}',
        '{"due": "n/a", "total": "many", "items": [{"on": "2024-01-31"}, {"on": "soon"}]}',
    ]
    lines = ["expected", *('"' + row.replace('"', '""') + '"' for row in rows)]
    (folder / "due.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "due.yaml").write_text(UNREADABLE, encoding="utf-8")
    found = cli("check-expected", "due.yaml")
    assert found.exit_code == 3
    assert 'against the fields of "json_multi_field_match", the fields of "schema_match", the schema of' in found.stdout
    where = 'due.csv row 3, column "expected"'
    for place, said in (
        ("due", 'the expected value "n/a" is not a date written as ISO 8601 (2024-05-31)'),
        ("total", 'the expected value "many" cannot be read as a number'),
        ("items[1].on", 'the expected value "soon" is not a date written as ISO 8601 (2024-05-31)'),
    ):
        assert f"{where}, {place}: {said}\n  hint: correct it" in found.stderr
    assert found.stderr.count("n/a") == 2
    assert "row 2" not in found.stderr


def test_the_schemas_of_a_suite_are_checked_row_by_row(folder: Path) -> None:
    unpack(folder, "dataset/sport", "dataset/hiring")
    (folder / "suite.yaml").write_text(
        "test_set:\n"
        "  expected: dataset/**/pdf+gold/*.json\n"
        "  outputs: outputs/*\n"
        "  attach:\n"
        "    schema: dataset/{folder}/*-schema.json\n"
        "evaluators:\n"
        "  - type: schema_match\n"
        "    schema: {column: schema}\n"
        "    fallback: {semantic: fuzzy, array_llm: hungarian}\n",
        encoding="utf-8",
    )
    found = cli("check-expected", "suite.yaml")
    assert found.exit_code == 3
    assert "looked at 12 expected answers" in found.stdout
    message = (
        'dataset/**/pdf+gold/*.json document "sport/swimming/ma_2023_sw_M-table2", events: '
        'the schema does not declare "events"'
    )
    assert message in found.stderr
    assert cli("check-expected", "suite.yaml", "--schema-column", "schema").exit_code == 3
    assert cli("check-expected", "suite.yaml", "--schema-column", "shema").exit_code == 3


@pytest.mark.parametrize(
    "words", [("infer-schema", "other.csv"), ("check-expected", "other.csv", "--schema", "schema.json")]
)
def test_the_hint_names_the_option_of_the_command(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "other.csv").write_text("id,right answer\na,{}\n", encoding="utf-8")
    found = cli(*words)
    assert (found.exit_code, found.stderr.splitlines()[1]) == (3, "  hint: say which one: --column NAME")
    assert cli(*words, "--column", "right answer").exit_code == 0
