"""The command `convert`: what it writes, what it refuses, and tables that say what it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from evaluators.guide.converting.converter import CONVERTERS, MappingStatus
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.suites.foreign_words import IMPLIED, TYPES
from tests.kit import cli

SYSTEMS = ("agenta", "galtea", "openai", "orbiter", "promptfoo")


pytestmark = pytest.mark.usefixtures("folder")


def call(*words: str) -> Result:
    return cli("convert", *words)


def write(name: str, text: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_five_systems_are_known() -> None:
    assert CONVERTERS.names() == SYSTEMS


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_line_of_a_table_names_an_evaluator_or_says_why_not(system: str) -> None:
    tables = CONVERTERS.find(system).tables
    for word in tables[0].words:
        assert word.here in BUILTIN.names() or (word.status is MappingStatus.NONE and word.note), word.theirs
    for table in tables:
        assert len({word.theirs for word in table.words}) == len(table.words)
        assert all(word.note for word in table.words if word.here is None), table.title


def test_agentas_table_says_what_its_names_mean_in_a_suite() -> None:
    table = CONVERTERS.find("agenta").tables[0]
    for slug, today in TYPES.items():
        if not slug.startswith(("auto_", "field_match")):
            continue
        line = table.find(slug)
        assert line is not None, slug
        assert line.here == today


def test_galteas_and_orbiters_names_mean_in_a_suite_what_their_tables_say() -> None:
    for system in ("galtea", "orbiter"):
        for word in CONVERTERS.find(system).tables[0].words:
            if word.theirs in TYPES:
                assert word.here == TYPES[word.theirs], word.theirs
                assert word.always.get("extra_fields") == IMPLIED[word.theirs].get("extra_fields")


def test_the_suite_goes_to_standard_output_and_the_summary_beside_it() -> None:
    write("x.json", json.dumps({"uri": "agenta:builtin:auto_exact_match:v0", "parameters": {}}))
    made = call("agenta", "x.json")
    assert made.exit_code == 0
    assert made.stdout.endswith("evaluators:\n  - type: exact_match\n")
    assert made.stderr == "x.json: 1 mapped, 0 mapped with a note, 0 without a counterpart\n"


def test_nothing_is_written_over_another_file() -> None:
    write("x.json", '{"uri": "auto_exact_match"}')
    write("suite.yaml", "mine")
    made = call("agenta", "x.json", "-o", "suite.yaml")
    assert (made.exit_code, Path("suite.yaml").read_text(encoding="utf-8")) == (2, "mine")
    assert "there is such a file already" in made.stderr
    assert call("agenta", "x.json", "-o", "suite.yaml", "--force").exit_code == 0


@pytest.mark.parametrize(("name", "text", "said"), [
    ("x.json", "{", "x.json:1:1"),
    ("x.json", "{}", "there is no evaluator and no test set of Agenta"),
    ("x.json", '{"uri": "agenta:builtin:auto_ai_critique:v0"}', "x.json:1:2: auto_ai_critique: it has no prompt_template"),
    ("none.json", None, "there is no such file"),
])  # fmt: skip
def test_a_file_without_anything_to_convert_is_refused(name: str, text: str | None, said: str) -> None:
    if text is not None:
        write(name, text)
    made = call("agenta", name)
    assert made.exit_code == 2, made.output
    assert said in made.stderr


def test_a_system_that_there_is_not_gets_a_suggestion() -> None:
    made = call("promtfoo", "x.yaml")
    assert made.exit_code == 2
    assert 'did you mean "promptfoo"?' in made.stderr


def test_python_is_read_and_never_run() -> None:
    write(
        "bad.py",
        "open('ran', 'w')\nfrom orbiter.eval import OutputLengthScorer\nraise SystemExit\nOutputLengthScorer(max_length=5)\n",
    )
    assert call("orbiter", "bad.py").exit_code == 0
    assert not Path("ran").exists()


@pytest.mark.parametrize("argument", ["LIMIT + 1", "**options", "limit()", "[n for n in x]", "late"])
def test_what_is_no_literal_is_named_with_its_place(argument: str) -> None:
    given = argument if argument.startswith("**") else f"max_length={argument}"
    write("evals.py", f"OutputRelevanceScorer()\nOutputLengthScorer({given})\nlate = 3\nfor limit in x: pass\n")
    made = call("orbiter", "evals.py")
    assert made.exit_code == 0, made.output
    assert "evals.py:2:" in made.stderr
    assert "is no literal, and the program is not run to work it out" in made.stderr
    assert "type: length" not in made.stdout


def test_an_endless_sum_of_texts_is_no_literal() -> None:
    many = " + ".join(["'a'"] * 2000)
    write("evals.py", f"OutputRelevanceScorer()\nOutputCorrectnessScorer(ground_truth={many})\n")
    made = call("orbiter", "evals.py")
    assert made.exit_code in (0, 2), made.output
    assert "very many parts" in made.stderr or "not Python" in made.stderr


def test_a_name_stands_for_the_literal_above_it() -> None:
    write("evals.py", "LIMIT = 7\nBIG = LIMIT\nOutputLengthScorer(max_length=BIG)\nLIMIT = 9\n")
    assert "max: 7" in call("orbiter", "evals.py").stdout


def test_paths_start_at_the_folder_of_the_suite() -> None:
    write("config/app.yaml", "tests: [{providerOutput: '{}', assert: [{type: is-json, value: 'file://s.json'}]}]\n")
    write("config/s.json", '{"type": "object"}')
    made = call("promptfoo", "config/app.yaml", "-o", "suites/one.yaml", "--rows", "data/rows.csv")
    assert made.exit_code == 0, made.output
    text = Path("suites/one.yaml").read_text(encoding="utf-8")
    assert 'schema: "../config/s.json"' in text
    assert 'file: "../data/rows.csv"' in text
    assert cli("run", "suites/one.yaml", "--no-results").exit_code == 0


def test_names_are_made_apart_and_may_stand_in_a_suite() -> None:
    both = [{"name": "a.b", "uri": "auto_exact_match"}, {"name": "a_b", "uri": "auto_contains_json"}]
    write("x.json", json.dumps(both))
    text = call("agenta", "x.json").stdout
    assert [line.strip() for line in text.splitlines() if "name: a" in line] == ["name: a_b", "name: a_b_2"]


def test_a_text_that_looks_like_a_variable_of_the_environment_stays_text() -> None:
    write("x.json", json.dumps({"uri": "auto_contains", "parameters": {"substring": "${HOME}"}}))
    assert (
        'substring: "$${HOME}"'
        in call(
            "agenta",
            "x.json",
        ).stdout
    )


def test_json_that_yaml_refuses_is_read_all_the_same() -> None:
    write("x.json", '{\n\t"uri": "auto_exact_match",\n\t"name": "tabs"\n}')
    assert "name: tabs" in call("agenta", "x.json").stdout


RECOGNISED = {
    "promptfoo": ("p.yaml", "prompts: [a]\nproviders: [echo]\ntests:\n  - assert: [{type: is-json}]\n"),
    "agenta": ("a.json", '{"uri": "agenta:builtin:auto_exact_match:v0"}'),
    "galtea": ("g.yaml", "metrics: [JSON Field Match]\n"),
    "openai": (
        "e.json",
        '{"testing_criteria": [{"type": "string_check", "input": "{{ sample.output_text }}", "reference": "a", "operation": "eq"}]}',
    ),
    "orbiter": ("o.py", "from orbiter import scorers\nFormatValidationScorer('json')\n"),
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_file_tells_of_which_system_it_is(system: str) -> None:
    write(*RECOGNISED[system])
    alone, named = call(RECOGNISED[system][0]), call(system, RECOGNISED[system][0])
    assert alone.exit_code == 0, alone.output
    assert alone.stdout == named.stdout


@pytest.mark.parametrize(
    "text", ["evaluators: [exact_match]\n", "from orbiter import x\nmetrics = ['JSON Field Match']\n"]
)
def test_a_file_that_tells_nothing_or_two_things_needs_the_name_of_its_system(text: str) -> None:
    told = call(write("x.py", text))
    assert told.exit_code == 2
    assert "name the system: evaluators convert" in told.output


def test_a_file_that_is_not_there_and_a_system_that_is_not_known_are_told_apart() -> None:
    assert "nothing.yaml" in call("nothing.yaml").output
    told = call("promptfo", write("p.yaml", "tests: []\n"))
    assert told.exit_code == 2
    assert 'did you mean "promptfoo"' in told.output


def test_a_suite_names_no_schema_that_is_not_there() -> None:
    write(*RECOGNISED["agenta"])
    assert "suite.schema.json" not in call("a.json").stdout


@pytest.mark.parametrize(
    "template",
    [
        [
            {"role": "system", "content": "Judge."},
            {"role": "user", "content": "{{prediction}} for {{correct_answer}}, {{inputs.city}}"},
        ],
        "Judge.\n\n{prediction} for {correct_answer}, {city}",
    ],
)
def test_the_prompt_of_agentas_critique_is_a_rubric(template: object) -> None:
    definition = {
        "uri": "agenta:builtin:auto_ai_critique:v0",
        "parameters": {"prompt_template": template, "threshold": 0.7},
    }
    write("x.json", json.dumps([definition, {"uri": "auto_exact_match"}]))
    made = call("agenta", "x.json")
    assert made.exit_code == 0, made.output
    assert '  #   rubric: "Judge.\\n\\n{{output}} for {{expected}}, {{city}}"' in made.stdout
    assert "  #   pass_at: 0.7" in made.stdout


def test_metrics_of_galtea_are_named_in_lists_maps_and_python() -> None:
    write(
        "m.yaml", "metrics:\n  - JSON Field Match\n  - {name: 'json field match (normalized, strict)', threshold: 0.8}\n"
    )
    write("m.py", "run(metrics=['JSON Field Match (Strict)', {'name': 'BLEU'}])\n")
    made = call("galtea", "m.yaml", "m.py")
    assert made.exit_code == 0, made.output
    assert made.stdout.count("extra_fields: penalize") == 2
    assert "pass_at: 0.8" in made.stdout
    assert "m.py:1:13  BLEU: no counterpart" in made.stderr


def test_a_test_of_galtea_becomes_the_test_set() -> None:
    write("test.csv", ',instance_id,input,expected_output,tag\n0,i1,fill,"{""a"": 1}",easy\n')
    made = call("galtea", "test.csv")
    assert made.exit_code == 0, made.output
    assert "json_field_match_normalized" in made.stdout
    assert 'slices: ["row.tag"]' in made.stdout.replace("[row.tag]", '["row.tag"]')
    assert "has no column with the model's outputs" in made.stderr


def test_rows_of_exported_evaluations_have_the_numbers_that_a_spreadsheet_shows() -> None:
    header = "Score,Metric,Input,Output,Expected Output"
    write("evaluations.csv", f"{header}\n1,JSON Field Match,fill,{{}},{{}}\n1,BLEU,fill,a,a\n")
    assert 'evaluations.csv row 3, column "Metric"  BLEU: no counterpart' in call("galtea", "evaluations.csv").stderr
