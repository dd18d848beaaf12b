"""Words of other systems load with a note that names today's word; a name of theirs that is elsewhere is refused with its import."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import pytest

import evaluators
from evaluators.api.loading import load
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.suites.foreign_words import TYPES, old_settings

SCHEMA: Final = {"schema_match": {"name": "s", "fields": {"a": "exact"}}}


def gated(line: dict[str, Any], target: str, metric: str) -> dict[str, Any]:
    return {"evaluators": [line], "gates": {target: {"metric": metric, "fail_below": 0.5}}}


OLD: Final[tuple[tuple[dict[str, Any], str, str], ...]] = (
    (gated(SCHEMA, "s", "precision"), "gates.s", '"micro_precision"'),
    (gated(SCHEMA, "s", "recall"), "gates.s", '"micro_recall"'),
    (gated(SCHEMA, "s", "f1"), "gates.s", '"micro_f1"'),
    (gated(SCHEMA, "s", "mean_score"), "gates.s", '"mean_field_score"'),
    ({"evaluators": [{"json_diff_match": {"predict_keys": True}}]}, "evaluators[0]", '"extra_fields: ignore"'),
    ({"evaluators": [{"json_multi_field_match": {"fields": {"a": {"oneof": {"values": ["x"]}}}}}]}, "evaluators[0]", '"one_of"'),
    *(({"evaluators": [_line]}, "evaluators[0]", f'"{TYPES[_old]}"') for _old, _line in (
        ("auto_exact_match", "auto_exact_match"), ("JSON Field Match", "JSON Field Match"),
        ("field_match_test", {"field_match_test": {"field": "a"}}),
    )),
)  # fmt: skip


@pytest.mark.parametrize(("suite", "place", "today"), OLD, ids=lambda one: one if isinstance(one, str) else "")
def test_another_spelling_loads_with_a_note_that_names_todays_word(suite: dict[str, Any], place: str, today: str) -> None:
    assert [note for note in load(suite).notes if note.startswith(f"{place}: ") and today in note]


@pytest.mark.parametrize("name", BUILTIN.names())
def test_every_other_spelling_of_a_setting_loads_with_a_note(name: str) -> None:
    plug = BUILTIN.find(name)
    settings = next((dict(one.settings) for one in plug.examples if one.settings), {})
    given = {
        "expected": "answer",
        "score": "f1",
        "pass_at": 0.5,
        "should_match": True,
        "min": 1,
        "max": 9,
        "skip": ["a"],
        "fallback": {"semantic": "fuzzy"},
        **settings,
    }
    for old, today in old_settings(name).items():
        others = {key: value for key, value in settings.items() if key not in (old, today)}
        judge = (
            {"judge": {"openai_compatible": {"model": "any", "base_url": "http://localhost/v1"}}}
            if name == "llm_judge"
            else {}
        )
        suite = load({"evaluators": [{name: {**others, old: given.get(today, given.get(old))}}], **judge})
        assert f'evaluators[0]: the setting "{old}" of "{name}" is called "{today}" here' in suite.notes


@pytest.mark.parametrize("name", sorted(evaluators._MOVED))
def test_a_name_of_another_system_is_refused_with_its_import(name: str) -> None:
    line = f"from {evaluators._MOVED[name]} import {name}"
    with pytest.raises(AttributeError) as asked:
        getattr(evaluators, name)
    with pytest.raises(ImportError) as imported:
        exec(f"from evaluators import {name}", {})
    assert str(asked.value).endswith(line)
    assert str(imported.value).endswith(line)
    assert name in import_module(evaluators._MOVED[name]).__all__
