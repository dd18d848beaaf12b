"""The judge `embedding` without a model: what it refuses, and what it says of a folder that holds none."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from evaluators.issues import Problems, extra_hint
from evaluators.judges.judge import JudgeQuestion, read_judge
from evaluators.judges.plugs.embedding import numbers_in, what_else, why_not
from evaluators.settings import BadSettings


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("42", "numbers and dates"), ("1,000.50", "numbers and dates"), ("1989-01-02", "numbers and dates"),
        ("2 January 1989", "dates"), ("Jan 2, 1989", "dates"), ("2nd of January 1989", "dates"), ("May 2024", "dates"),
        ("INV-2024-001", "codes"), ("DE89370400440532013000", "codes"), ("2024-01-02T10:00:00Z", "codes"), ("A1 B2", "codes"),
        ("", "a text without words"), ("—", "a text without words"),
        ("New York", None), ("42 EUR", None), ("room 12 on the left", None), ("Maybe in 2024", None), ("Zürich", None),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_text(text: str, what: str | None) -> None:
    assert what_else(text) == what


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (JudgeQuestion("semantic", "car", 4), "compares texts; found 4"),
        (JudgeQuestion("semantic", "car", ["a"]), "compares texts"),
        (JudgeQuestion("semantic", "car", None), "compares texts"),
        (JudgeQuestion("semantic", "car", "A-12"), 'is not asked about codes; found "A-12"'),
        (JudgeQuestion("semantic", "car", "auto", instructions="Be strict."), "cannot follow instructions"),
        (JudgeQuestion("string_llm", "car", "auto"), 'cannot answer "string_llm"'),
        (JudgeQuestion("llm_judge", payload={"shown": {"output": "x"}}), 'cannot answer "llm_judge"'),
    ],
)
def test_what_nearness_says_nothing_about_is_refused(question: JudgeQuestion, why: str, tmp_path: Path) -> None:
    judge = read_judge({"embedding": {"model": str(tmp_path)}}, None)
    assert why in str(why_not(question))
    (answer,) = judge.answer([question])  # no model is needed to refuse
    assert answer.error is not None
    assert answer.error.code == "not-for-embedding"
    assert answer.error.blame == "environment"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("42 EUR", "EUR 42", True), ("42 EUR", "43 EUR", False), ("1,000 EUR", "1000 EUR", True), ("1.5 m", "15 m", False),
        ("1.000 EUR", "1000 EUR", False), ("two of 2", "2", True), ("7 of 7", "7", False), ("no number", "none", True),
    ],
)  # fmt: skip
def test_numbers_of_texts_are_told_apart(one: str, other: str, same: bool) -> None:
    assert (numbers_in(one) == numbers_in(other)) is same


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, 'there is no "config.json" in it'),
        ({"config.json": "{}", "tokenizer.json": "{}"}, 'there is no "model.safetensors" in it'),
        (
            {"config.json": '{"model_type": "gpt2"}', "tokenizer.json": "{}", "model.safetensors": ""},
            "kind that is known: gpt2",
        ),
        ({"config.json": "[", "tokenizer.json": "{}", "model.safetensors": ""}, "of a kind that is known"),
        (
            {
                "config.json": '{"model_type": "bert", "hidden_act": "relu"}',
                "tokenizer.json": "",
                "model.safetensors": "",
            },
            'activation "relu"',
        ),
    ],
)
def test_a_folder_without_a_model_is_refused_before_row_1(files: dict[str, str], why: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    judge = read_judge({"embedding": {"model": "."}}, tmp_path)
    with pytest.raises(Problems, match=why):
        judge.ready()


@pytest.mark.skipif(find_spec("tokenizers") is not None, reason="the packages are installed here")
def test_packages_that_are_missing_are_named_with_what_to_type(tmp_path: Path) -> None:
    files: dict[str, Any] = {"config.json": {"model_type": "bert"}, "tokenizer.json": {}, "model.safetensors": {}}
    for name, data in files.items():
        (tmp_path / name).write_text(json.dumps(data), encoding="utf-8")
    judge = read_judge({"embedding": {"model": "."}}, tmp_path)
    with pytest.raises(Problems) as problems:
        judge.ready()
    assert problems.value.issues[0].hint == extra_hint("embedding")
    (answer,) = judge.answer([JudgeQuestion("semantic", "car", "auto")])
    assert answer.error is not None
    assert answer.error.code == "missing-extra"


def test_a_model_must_be_named() -> None:
    with pytest.raises(BadSettings, match='"model"'):
        read_judge("embedding", None)
