"""A function of the user's is asked once for each pair of values, whatever is written, reported or looked at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pytest

import evaluators
from evaluators.api.execute import finish
from evaluators.api.run_options import RunOptions
from evaluators.integrations.compat import struct_extract_eval
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Needs, Reason
from tests.kit import lines_of, write_rows

FILES = ("a.html", "a.csv", "a.jsonl", "a.md", "a.xml")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """What a comparator of the user's was asked, which never answers the same twice: `picky`, and `picky_batch`."""
    monkeypatch.setattr(COMPARATORS, "_registered", dict(COMPARATORS._registered))
    seen: Counter[Any] = Counter()
    answers = count()

    def score() -> float:
        return next(answers) % 5 / 4

    def picky(expected: Any, actual: Any, params: Any) -> float:
        seen[json.dumps([expected, actual])] += 1
        return score()

    def picky_batch(questions: Any, params: Any) -> list[float]:
        seen[json.dumps([[one.path, one.expected, one.actual] for one in questions])] += 1
        return [score() for _ in questions]

    evaluators.register("picky", picky)
    evaluators.register("picky_batch", picky_batch, batch=True)
    return seen


def rows_file(folder: Path) -> Path:
    rows = []
    for number in range(12):
        expected = {"a": f"x{number % 5}", "items": [{"n": f"{number}-1"}, {"n": f"{number}-2"}]}
        output = {"a": f"y{number % 3}", "items": [{"n": f"{number}-2!"}, {"n": f"{number}-1!"}]}
        rows.append({"id": str(number), "expected": expected, "output": output})
    return write_rows(folder / "rows.jsonl", rows)


FAMILIES: dict[str, Callable[[str], dict[str, Any]]] = {
    "listed fields": lambda word: {"json_multi_field_match": {"fields": {"a": word, "items[*].n": word}}},
    "a schema": lambda word: {"schema_match": {"fields": {"a": word, "items[*].n": word}}},
    "paired items": lambda word: {
        "schema_match": {"fields": {"a": word, "items": {"align": "hungarian"}, "items[*].n": word}}
    },
}


@pytest.mark.parametrize("word", ["picky", "picky_batch"])
@pytest.mark.parametrize("family", FAMILIES)
def test_whatever_is_written_each_question_is_asked_once(
    family: str, word: str, tmp_path: Path, asked: Counter[Any]
) -> None:
    suite = evaluators.load({"evaluators": [FAMILIES[family](word)]})
    request = RunOptions(
        results=tmp_path / "runs", name="x", formats=("csv", "markdown", "html"),
        files=tuple(tmp_path / name for name in FILES), hardest=3, summary=True,
    )  # fmt: skip
    finish(suite, str(rows_file(tmp_path)), **request)
    assert asked
    assert set(asked.values()) == {1}


def test_what_is_recorded_is_the_answer_that_was_scored(tmp_path: Path, asked: Counter[Any]) -> None:
    suite = evaluators.load({"evaluators": [FAMILIES["listed fields"]("picky")]})
    words = tmp_path / "words.jsonl"
    request = RunOptions(results=tmp_path / "runs", name="x", files=(words,))
    folder = finish(suite, str(rows_file(tmp_path)), **request).folder
    assert folder is not None
    outcomes = lines_of(folder, "outcomes")
    scored = [json.loads(line) for line in words.read_text().splitlines()]
    for row in scored:
        said = {line["path"]: line["status"] for line in outcomes if line["row"] == row["row"] and "path" in line}
        assert said.items() <= row["results"]["json_multi_field_match"]["fields"].items()


def test_an_evaluation_never_contradicts_itself(tmp_path: Path, asked: Counter[Any]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": "picky"}}}
    found = struct_extract_eval.evaluate([{"a": f"x{n}"} for n in range(9)], [{"a": f"y{n}"} for n in range(9)], schema)
    figures = [record.f1 for record in found.records]
    matches = [record.field_results[0].status.word == "match" for record in found.records]
    assert figures == [float(match) for match in matches]
    assert found.mean_f1 == pytest.approx(sum(matches) / 9)
    found.save(tmp_path / "saved")
    lines = lines_of(tmp_path / "saved", "outcomes")
    assert [line["status"] == "match" for line in lines if "path" in line] == matches
    assert set(asked.values()) == {1}


def test_a_row_that_is_scored_alone_is_asked_once(asked: Counter[Any]) -> None:
    suite = evaluators.load({"evaluators": [FAMILIES["listed fields"]("picky")]})
    suite.evaluate({"expected": {"a": "x", "items": [{"n": 1}]}, "output": {"a": "y", "items": [{"n": 2}]}})
    assert set(asked.values()) == {1}


ASKED: Counter[str] = Counter()
GIVEN: dict[str, float] = {}


class Moody(Evaluator):
    """Scores by chance, and counts how often it is asked."""

    type: Literal["moody"] = "moody"

    def needs(self) -> Needs:
        return (self.column("id"),)

    def measure(self, id: Any) -> float:
        ASKED[id] += 1
        GIVEN[id] = sum(ASKED.values()) % 3 / 2
        return GIVEN[id]

    def reason(self, id: Any) -> Reason:
        return Reason("moody", {"gave": GIVEN[id]})


def test_an_evaluator_of_the_users_is_asked_once_for_each_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILTIN._registered, "moody", Moody)
    ASKED.clear()
    words = tmp_path / "words.jsonl"
    request = RunOptions(results=tmp_path / "runs", name="x", files=(words,), hardest=3)
    finish(evaluators.load({"evaluators": ["moody"]}), str(rows_file(tmp_path)), **request)
    assert set(ASKED.values()) == {1}
    results = [json.loads(line)["results"]["moody"] for line in words.read_text().splitlines()]
    assert [result["score"] for result in results] == [result["details"]["gave"] for result in results]
