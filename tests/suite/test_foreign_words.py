"""Other systems' words in a suite: they load, a note says today's word, and what a name implies is said."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
import yaml

from evaluators.api.loading import load
from evaluators.issues import Problems
from evaluators.suite.config import read_config
from evaluators.suite.foreign_words import HINTS, hint_for
from evaluators.suite.source import loads


def settings_of(line: Any) -> dict[str, Any]:
    (read,) = load({"evaluators": [line]}).lines
    return read.settings.model_dump(exclude_defaults=True) | {"name": read.name, "pass_at": read.settings.pass_at}


@pytest.mark.parametrize("line", [
    {"uri": "agenta:builtin:auto_json_diff:v0", "parameters": {"compare_schema_only": True, "threshold": None}, "name": "shape"},
    {"slug": "shape", "data": {"uri": "agenta:builtin:auto_json_diff:v0", "parameters": {"compare_schema_only": True}, "schemas": {}}},
    {"id": "1", "slug": "shape", "uri": "auto_json_diff", "parameters": {"compare_schema_only": True}, "flags": None},
])  # fmt: skip
def test_an_evaluator_as_agenta_exports_it_is_read(line: Mapping[str, Any]) -> None:
    assert settings_of(line) == {"name": "shape", "compare_schema_only": True, "pass_at": 0.5}


def test_an_exported_evaluator_may_wait_for_another_one() -> None:
    lines = ["contains_json", {"uri": "auto_exact_match", "parameters": {}, "name": "a.b", "needs": ["contains_json"]}]
    last = load({"evaluators": lines}).lines[1]
    assert (last.name, last.needs) == ("a_b", ("contains_json",))


def test_a_setting_of_an_exported_evaluator_is_placed() -> None:
    text = "evaluators:\n  - uri: auto_regex_test\n    parameters:\n      regex_pattern: a\n      frob: 1\n"
    with pytest.raises(Problems) as raised:
        read_config(loads(text))
    (issue,) = raised.value.issues
    assert (issue.where, issue.message) == ("suite.yaml:5:7", 'unknown setting "frob" for evaluator "regex_match"')


@pytest.mark.parametrize(("name", "type_", "strict"), [
    ("JSON Field Match", "json_field_match", "ignore"),
    ("JSON Field Match (Normalized)", "json_field_match_normalized", "ignore"),
    ("JSON Field Match (Strict)", "json_field_match", "penalize"),
    ("JSON Field Match (Normalized, Strict)", "json_field_match_normalized", "penalize"),
])  # fmt: skip
def test_a_metric_of_galtea_says_what_its_name_says(name: str, type_: str, strict: str) -> None:
    suite = load({"evaluators": [name]})
    settings: Any = suite.lines[0].settings
    assert (settings.type, settings.extra_fields, settings.pass_at) == (type_, strict, 0.5)
    assert f'evaluators[0]: "{name}" says "pass_at: 0.5"; "{type_}" alone does not' in suite.notes


def test_what_a_name_implies_does_not_name_the_evaluator_and_gives_way() -> None:
    twins = ["JSON Field Match", "JSON Field Match (Strict)", {"OutputLengthScorer": {"max_length": 5, "pass_at": 1}}]
    lines = load({"evaluators": twins}).lines
    assert [line.name for line in lines] == ["json_field_match", "json_field_match_penalize", "length"]
    assert lines[2].settings.pass_at == 1


@pytest.mark.parametrize(
    "header", [["Input", "Output", "Expected Output"], ["question", "Actual Output", "Ground Truth"]]
)
def test_the_columns_of_an_export_are_found(header: list[str]) -> None:
    from evaluators.testsets.columns import guess_columns

    found = guess_columns(header, {}, needed=("output", "expected"))
    assert [found.input, found.output, found.expected] == header


def test_agentas_similarity_says_that_it_counts_otherwise() -> None:
    (note,) = [one for one in load({"evaluators": ["auto_similarity_match"]}).notes if "characters" in one]
    assert note.endswith('"method: characters" compares characters too')
    told = load({"evaluators": [{"auto_similarity_match": {"method": "characters"}}]}).notes
    assert not [one for one in told if "shared words" in one]


@pytest.mark.parametrize("other", ["reference", "answer"])
def test_correct_answer_wins_where_agentas_page_names_it(other: str) -> None:
    """Agenta, Configuration: `correct_answer_key`, the column with the correct answer."""
    from evaluators.testsets.columns import guess_columns

    found = guess_columns(["id", other, "output", "correct_answer"], {}, needed=("output", "expected"))
    assert found.expected == "correct_answer"


def test_two_plain_names_for_the_expected_answer_are_asked_about() -> None:
    from evaluators.testsets.columns import guess_columns

    with pytest.raises(Problems, match="2 columns could be the expected answer"):
        guess_columns(["output", "correct_answer", "expected"], {}, needed=("output", "expected"))


def test_the_older_form_of_an_exported_evaluator_is_read() -> None:
    line = {
        "id": "1",
        "name": "shape",
        "evaluator_key": "auto_json_diff",
        "settings_values": {"compare_schema_only": True},
    }
    assert settings_of(line) == {"name": "shape", "compare_schema_only": True, "pass_at": 0.5}


JUDGE: Mapping[str, Any] = {"openai_compatible": {"base_url": "http://127.0.0.1:1/v1", "model": "m"}}


def lines_in(hint: str) -> list[Any]:
    """The line of a suite that a hint gives: the longest part from its dash on that is YAML."""
    text = hint[hint.index("- ") :]
    for end in range(len(text), 0, -1):
        if text[end - 1] == "}":
            with suppress(yaml.YAMLError):
                found: list[Any] = yaml.safe_load(text[:end])
                return found
    raise AssertionError(hint)


@pytest.mark.parametrize("name", HINTS)
def test_a_name_that_is_not_read_says_what_to_write(name: str) -> None:
    with pytest.raises(Problems) as raised:
        load({"evaluators": [name]})
    (issue,) = raised.value.issues
    assert issue.hint == HINTS[name]
    if " - " in HINTS[name] and "…" not in HINTS[name]:
        parts = [{"exact_match": {"name": "answer"}}, {"length": {"name": "polite"}}]
        suite = load({"judge": JUDGE, "evaluators": [*parts, *lines_in(HINTS[name])]})
        assert len(suite.lines) == 3, "the line can be written as it is"


def test_the_hint_goes_by_the_slug_of_an_address() -> None:
    assert hint_for("agenta:custom:code:v0") == hint_for("auto_custom_code_run")
    assert hint_for("agenta:builtin:auto_ai_critique:latest") == HINTS["auto_ai_critique"]
    assert hint_for("exact_mach") is None
