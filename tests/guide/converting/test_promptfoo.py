"""promptfoo's assertions, one after the other, and what else its files say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import evaluators
from evaluators.guide.converting.converter import CONVERTERS, MappingStatus
from tests.kit import cli, read_yaml

CASES = read_yaml(Path(__file__).with_name("promptfoo.yaml"))


pytestmark = pytest.mark.usefixtures("folder")


def convert(config: Any, *words: str) -> str:
    """The suite for a configuration."""
    Path("config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    made = cli("convert", "promptfoo", "config.yaml", "-o", "suite.yaml", "--force", *words)
    assert made.exit_code == 0, made.output
    return Path("suite.yaml").read_text(encoding="utf-8")


def scores() -> dict[str, float | None]:
    return {stats.name: stats.mean for stats in evaluators.load("suite.yaml").run().evaluators}


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_an_assertion_passes_and_fails_as_there(case: dict[str, Any]) -> None:
    def mean_of(output: str) -> float | None:
        test = {"vars": {"answer": "x"}, "providerOutput": output, "assert": [case["assert"]]}
        convert({"tests": [test]}, "--rows", "rows.csv")
        (mean,) = scores().values()
        return mean

    assert (mean_of(case["passes"]), mean_of(case["fails"])) == (1.0, 0.0)


def test_every_assertion_with_a_counterpart_has_a_case() -> None:
    words = CONVERTERS.find("promptfoo").tables[0].words
    mapped = {word.theirs for word in words if word.status is not MappingStatus.NONE and word.here != "llm_judge"}
    assert mapped == {case["assert"]["type"] for case in CASES} | {"assert-set"}


def test_a_default_assertion_is_for_all_rows_and_another_for_its_own() -> None:
    text = convert(
        {
            "defaultTest": {"assert": [{"type": "contains", "value": "{{who}}"}]},
            "tests": [
                {"vars": {"who": "a"}, "assert": [{"type": "is-json"}]},
                {"vars": {"who": ["b", "c"]}, "options": {"disableDefaultAsserts": True}},
            ],
        },
        "--rows", "rows.csv",
    )  # fmt: skip
    assert 'substring: {column: who}\n    when: {row.id: ["1"]}' in text.replace("\n  ", "\n    ").replace(
        "      ", "    "
    ) or ('when: {row.id: ["1"]}' in text)
    assert Path("rows.csv").read_text(encoding="utf-8").splitlines() == ["id,who,output", "1,a,", "2,b,", "3,c,"]


def test_variables_inside_a_text_are_filled_in_for_each_row() -> None:
    text = convert(
        {
            "prompts": ["{{answer}}"],
            "providers": "echo",
            "defaultTest": {"assert": [{"type": "equals", "value": "Hello {{ who }}"}]},
            "tests": [{"vars": {"who": "Ann", "answer": "Hello Ann"}}, {"vars": {"who": "Bo", "answer": "Hello"}}],
        },
        "--rows", "rows.csv",
    )  # fmt: skip
    assert "expected: expected" in text
    assert Path("rows.csv").read_text(encoding="utf-8").splitlines()[1] == "1,Ann,Hello Ann,Hello Ann,Hello Ann"
    assert scores() == {"equals": 0.5}


def test_an_assert_set_is_a_composite_of_its_own() -> None:
    both = [{"type": "contains", "value": "a"}, {"type": "contains", "value": "b"}]
    group = {"type": "assert-set", "threshold": 0.5, "weight": 3, "metric": "either", "assert": both}
    convert({"tests": [{"providerOutput": "a", "assert": [group, {"type": "is-json"}]}]}, "--rows", "rows.csv")
    found = {stats.name: (stats.mean, stats.pass_rate) for stats in evaluators.load("suite.yaml").run().evaluators}
    assert (found["either"], found["overall"]) == ((0.5, 1.0), (0.375, 0.0))


def test_a_test_file_brings_its_assertions_along() -> None:
    Path("tests.csv").write_text(
        'city,__expected,__expected2,__metric\nParis,contains:Paris,"contains-any:France,Italy",m\nRome,Rome,,\n',
        encoding="utf-8",
    )
    config = {"prompts": ["{{city}}"], "providers": ["echo"], "tests": "file://tests.csv"}
    convert(config, "--rows", "rows.csv")
    assert scores() == {"m": 1.0, "m_2": 0.0, "equals": 1.0, "overall": 0.75}


@pytest.mark.parametrize(
    ("written", "passes", "fails"),
    [
        ("contains: Paris", "Paris", "paris"),
        ("equals:  42 ", "42", " 42"),
        ("not-contains: Rome", "Paris", "Rome"),
        ("starts-with: The", "The end", "the The"),
        ("regex: ^4", "42", "24"),
        ("contains-any: Rome , Oslo", "Oslo", "Bern"),
    ],
)
def test_spaces_around_what_follows_the_colon_of_an_assertion_say_nothing(written: str, passes: str, fails: str) -> None:
    def mean_of(reply: str) -> float | None:
        Path("tests.csv").write_text(f'reply,__expected\n{reply},"{written}"\n', encoding="utf-8")
        convert({"prompts": ["{{reply}}"], "providers": ["echo"], "tests": "file://tests.csv"}, "--rows", "rows.csv")
        return scores().popitem()[1]

    assert (mean_of(passes), mean_of(fails)) == (1.0, 0.0)


def test_a_list_is_json_that_an_output_contains_and_the_note_says_that_it_is_none_there() -> None:
    text = convert(
        {"tests": [{"providerOutput": "so: [1, 2]", "assert": [{"type": "contains-json"}]}]}, "--rows", "rows.csv"
    )
    assert scores() == {"contains_json": 1.0}
    assert "a list counts here and not there" in " ".join(text.split())


JUDGED = [
    (
        {"type": "llm-rubric", "value": "is kind to {{who}}", "threshold": 0.8},
        {"rubric": "is kind to {{who}}", "pass_at": 0.8},
    ),
    ({"type": "llm-rubric", "value": "is kind"}, {"rubric": "is kind"}),
    ({"type": "g-eval", "value": ["is kind", "is short"]}, {"rubric": "is kind\nis short", "pass_at": 0.7}),
]


@pytest.mark.parametrize(("asserted", "settings"), JUDGED)
def test_what_asks_a_model_is_a_comment_that_runs_when_a_judge_is_named(
    asserted: dict[str, Any], settings: dict[str, Any]
) -> None:
    tests = [
        {"vars": {"who": "Ann"}, "providerOutput": "Dear Ann", "assert": [asserted, {"type": "contains", "value": "Ann"}]}
    ]
    text = convert({"tests": tests}, "--rows", "rows.csv")
    assert scores() == {"contains": 1.0}
    Path("answers.jsonl").write_text("", encoding="utf-8")
    named = text.replace("# judge: {openai_compatible:", "judge: {recorded: {file: answers.jsonl}} #").replace(
        "  # - type", "  - type"
    )
    named = "\n".join(
        line.replace("  #   ", "    ", 1) if line.startswith("  #   ") else line for line in named.splitlines()
    )
    suite = evaluators.loads(named)
    (line,) = [one for one in suite.config.lines if one.settings.type == "llm_judge"]
    found = line.settings.model_dump(include=set(settings))
    assert found == settings


def test_a_file_in_which_everything_asks_a_model_becomes_a_suite_of_comments() -> None:
    text = convert({"tests": [{"assert": [{"type": "llm-rubric", "value": "is kind"}]}]}, "--rows", "rows.csv")
    assert "Every check asks a judge: the suite has no evaluator until one is named." in text
    assert '  #   rubric: "is kind"' in text


def test_a_rubric_with_an_expression_has_no_counterpart() -> None:
    text = convert({"tests": [{"assert": [{"type": "llm-rubric", "value": "{{ a | upper }}"}, {"type": "is-json"}]}]})
    assert "no counterpart: only the names of variables are filled in, no expressions" in " ".join(text.split())


@pytest.mark.parametrize("word", ["run", "check"])
def test_a_file_of_promptfoo_in_place_of_a_suite_is_told_with_the_command_that_converts_it(word: str) -> None:
    Path("promptfooconfig.yaml").write_text("prompts: ['{{a}}']\nproviders: [echo]\ntests: []\n", encoding="utf-8")
    told = cli(word, "promptfooconfig.yaml")
    assert told.exit_code == 2
    assert "promptfooconfig.yaml:1:1: this is a file of promptfoo, not a suite" in told.output
    assert "evaluators convert promptfooconfig.yaml -o suite.yaml --rows rows.csv" in told.output
    assert "1 problem found." in told.output


def test_a_suite_with_one_key_of_promptfoo_is_a_suite_with_a_mistake() -> None:
    Path("suite.yaml").write_text("tests: rows.csv\nevaluators: [contains_json]\n", encoding="utf-8")
    told = cli("check", "suite.yaml")
    assert 'unknown setting "tests"' in told.output
    assert "promptfoo" not in told.output


def test_a_template_is_the_assertion_that_it_names() -> None:
    config = {
        "assertionTemplates": {"polite": {"type": "icontains", "value": "please"}},
        "tests": [{"providerOutput": "PLEASE", "assert": [{"$ref": "#/assertionTemplates/polite"}]}],
    }
    convert(config, "--rows", "rows.csv")
    assert scores() == {"icontains": 1.0}


def test_what_has_no_counterpart_is_a_comment_at_its_place() -> None:
    text = convert({
        "tests": [{"assert": [
            {"type": "llm-rubric", "value": "is polite"},
            {"type": "is-json"},
            {"type": "contains", "value": "x", "transform": "output.trim()"},
            {"type": "regex", "value": "(unclosed"},
            {"type": "not-is-json"},
            {"type": "frobnicate"},
        ]}],
        "scenarios": [],
        "defaultTest": "file://default.yaml",
    })  # fmt: skip
    comments = " ".join(line.strip().removeprefix("# ") for line in text.splitlines() if line.strip().startswith("#"))
    for said in (
        "config.yaml:3:5 llm-rubric: mapped with a note: it asks a judge",
        "config.yaml:6:5 contains: no counterpart: only a plain path of the output is taken over, not output.trim()",
        "config.yaml:9:5 regex: no counterpart: ",
        "config.yaml:11:5 not-is-json: no counterpart: its opposite is not checked here",
        "config.yaml:12:5 frobnicate: no counterpart: this converter does not know it",
        "config.yaml:13:1 scenarios: no counterpart: write the tests out",
        "config.yaml:14:14 defaultTest, file://default.yaml: no counterpart: there is no such file",
    ):
        assert said in " ".join(comments.split()), said
    assert [line.strip() for line in text.splitlines() if line.strip().startswith("- type")] == ["- type: format_valid"]


def test_a_weight_or_a_threshold_that_cannot_be_is_brought_within_its_limits() -> None:
    asserted = [{"type": "contains", "value": "a", "weight": -2}, {"type": "contains", "value": "b", "weight": 1}]
    text = convert({"tests": [{"threshold": 7, "providerOutput": "b", "assert": asserted}]}, "--rows", "rows.csv")
    assert "-2 is below 0, so 0 is taken" in text
    assert "7 is above 1, so 1 is taken" in text
    assert scores()["overall"] == 1.0


def test_a_table_of_tests_alone_is_of_promptfoo_and_is_read() -> None:
    Path("tests.csv").write_text(
        'output,__expected1,__expected2\nParis is it,contains: Paris,not-contains: Rome\n"[1]",is-json,\n'
    )
    made = cli("convert", "tests.csv", "-o", "suite.yaml", "--rows", "rows.csv")
    assert made.exit_code == 0, made.output
    assert Path("rows.csv").read_text(encoding="utf-8").splitlines()[0].startswith("id,output")
    assert evaluators.load("suite.yaml").run("rows.csv", results=None).n_rows == 2


@pytest.mark.parametrize("header", ["reply,__expected", '"__expected2";reply', "\ufeff__expected,x"])
def test_a_table_of_tests_in_place_of_a_suite_names_convert(header: str) -> None:
    Path("tests.csv").write_text(f"{header}\n", encoding="utf-8")
    told = cli("run", "tests.csv")
    assert told.exit_code == 2
    assert "evaluators convert tests.csv -o suite.yaml --rows rows.csv" in told.output
