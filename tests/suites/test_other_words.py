"""Names by which people call comparators and evaluators lead to the right ones; any other leads to those to start with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.scoring.comparators._comparator import COMPARATORS, START_HERE
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.evaluators._evaluator import START_HERE as EVALUATORS
from evaluators.scoring.fields import named_comparators
from evaluators.scoring.values.quoting import flow_text
from evaluators.suites import foreign_words
from tests.kit import problem_of, read_yaml

TABLE: dict[str, dict[Any, str]] = read_yaml(Path(__file__).with_suffix(".yaml"))
SUITES = {
    "comparators": "evaluators:\n  - json_multi_field_match:\n      fields: {{name: {}, other: exact}}\n",
    "evaluators": "evaluators:\n  - {}\n",
}


def hint_of(text: str) -> str:
    issue = problem_of(lambda: loads(text))
    assert issue.hint is not None
    return issue.hint


@pytest.mark.parametrize(
    ("kind", "word", "written"), [(kind, *one) for kind, words in TABLE.items() for one in words.items()]
)
def test_what_people_call_it_leads_to_what_works(kind: str, word: object, written: str) -> None:
    hint = hint_of(SUITES[kind].format(flow_text(word)))
    dash = "- " if kind == "evaluators" else ""
    assert hint.startswith(f"write {dash}{written}")
    assert hint.removeprefix(f"write {dash}{written}")[:2] in ("", " (", ", ")
    loads(SUITES[kind].format(written))


def test_with_a_judge_what_texts_mean_is_compared_by_it() -> None:
    judge = "judge: {openai_compatible: {base_url: 'http://localhost:1/v1', model: m}}\n"
    suite = f"{judge}evaluators:\n  - schema_match: {{fields: {{name: meaning}}}}\n"
    assert hint_of(suite) == "write semantic (the two values mean the same, as the judge sees it)"


def test_a_name_that_has_options_leads_to_a_name() -> None:
    assert hint_of(SUITES["comparators"].format("{contains: {pattern: a}}")).startswith("write regex (")


def test_a_name_like_no_other_leads_to_those_to_start_with() -> None:
    for kind, names in (("comparators", START_HERE), ("evaluators", EVALUATORS)):
        head, *lines = hint_of(SUITES[kind].format("qqq")).splitlines()
        assert f"evaluators list {kind}" in head
        assert [line.partition(":")[0].strip() for line in lines] == list(names)
        assert all(line.endswith(".") for line in lines)


def test_a_word_leads_to_one_name_and_is_none_itself() -> None:
    for called, names in ((named_comparators._CALLED, COMPARATORS), (foreign_words._CALLED, BUILTIN)):
        words = [word for line in called.values() for word in line.split()]
        assert len(words) == len(set(words))
        assert not [word for word in words if word in names or word in foreign_words.TYPES]
