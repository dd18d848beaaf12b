"""A small suite cannot print without end: problems are bounded in number, and messages in length."""

from __future__ import annotations

import pickle
from contextlib import suppress
from typing import Any

import pytest

from evaluators.api.loading import load, loads
from evaluators.integrations.compat.given_documents import evaluate_document
from evaluators.model.issues import LONGEST, MOST_PROBLEMS, Problems

NAMES = ", ".join(f"{{exact_match: {{name: {'e' * 20}{number}, needs: [zz]}}}}" for number in range(800))
SUITES = {
    "unknown settings": "evaluators:\n- length: {" + ", ".join(f"k{number}: 1" for number in range(2_500)) + "}\n",
    "unknown types": "evaluators: [" + ", ".join(f"nope{number}" for number in range(2_500)) + "]",
    "needs among many names": f"evaluators: [{NAMES}]",
    "a long name": "evaluators: [" + "x" * 25_000 + "]",
    "a key that is given again and again": "{" + ", ".join(["a: 1"] * 2_500) + "}",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SUITES.values(), ids=SUITES.keys())
def test_what_is_said_of_a_small_suite_is_bounded(text: str) -> None:
    with pytest.raises(Problems) as caught:
        loads(text)
    assert len(caught.value.issues) <= MOST_PROBLEMS + 1
    assert all(
        len(issue.message) <= LONGEST + 1 and len(issue.hint or "") <= LONGEST + 1 for issue in caught.value.issues
    )
    assert len(str(caught.value)) < 600_000
    assert pickle.loads(pickle.dumps(caught.value)).issues == caught.value.issues


def test_the_last_line_says_how_many_more_there_are() -> None:
    with pytest.raises(Problems) as caught:
        loads(SUITES["unknown types"])
    assert caught.value.issues[-1].message == "and 2,300 more problems"


def test_presets_are_read_once_for_any_number_of_unknown_comparators() -> None:
    from evaluators.suites import extends

    extends._comparators_of_presets.cache_clear()
    fields = "".join(f"      field{n}: exakt{n}\n" for n in range(300))
    with pytest.raises(Problems):
        loads(f"evaluators:\n  - json_multi_field_match:\n     fields:\n{fields}")
    assert extends._comparators_of_presets.cache_info().misses == 1


@pytest.mark.parametrize(
    "suite",
    [
        {"name": "\ud800", "evaluators": ["contains_json"]},
        {"evaluators": [{"contains": {"substring": "a\udfff"}}]},
        {"evaluators": [{"\ud800": {}}]},
        {"evaluators": [{"schema_match": {"schema": {"type": ["\ud800"]}}}]},
        {"evaluators": [{"json_schema_valid": {"schema": {"enum": ["\ud800"]}}}]},
    ],
)
def test_half_a_surrogate_pair_is_a_problem_that_every_terminal_takes(suite: Any) -> None:
    with pytest.raises(Problems) as caught:
        load(suite)
    assert str(caught.value).encode()
    assert all(issue.message for issue in caught.value.issues)


@pytest.mark.parametrize("keyword", ["type", "required", "x-eval-compare", "pattern", "$ref", "properties", "enum"])
@pytest.mark.parametrize("junk", [["\ud800"], "\ud800", {"\ud800": {}}])
def test_half_a_surrogate_pair_in_a_schema_of_python_is_no_traceback(keyword: str, junk: Any) -> None:
    for schema in ({keyword: junk}, {"type": "object", "properties": {"a": {keyword: junk}}}):
        for dialect in ("x-eval", "evaluation_config"):
            with suppress(Problems):  # anything else is a finding
                evaluate_document(schema, {"a": 1}, {"a": 2}, dialect=dialect)
