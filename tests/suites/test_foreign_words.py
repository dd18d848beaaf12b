"""Other systems' words in a suite: they load, a note says today's word, and what a name implies is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.model.issues import Problems
from evaluators.suites.config import read_config
from evaluators.suites.source import loads
from tests.kit import problem_of


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
    issue = problem_of(lambda: read_config(loads(text)))
    assert (issue.where, issue.message) == ("suite.yaml:5:7", 'unknown setting "frob" for evaluator "regex_match"')


def test_what_a_name_implies_does_not_name_the_evaluator_and_gives_way() -> None:
    twins = ["JSON Field Match", "JSON Field Match (Strict)", {"OutputLengthScorer": {"max_length": 5, "pass_at": 1}}]
    lines = load({"evaluators": twins}).lines
    assert [line.name for line in lines] == ["json_field_match", "json_field_match_penalize", "length"]
    assert lines[2].settings.pass_at == 1


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
