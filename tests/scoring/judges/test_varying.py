"""An evaluation never contradicts itself, however often a function of the user's changes its mind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

import evaluators
from evaluators import Comparison, FieldStatus, Outcome
from evaluators.integrations.compat import extract_bench, struct_extract_eval
from evaluators.scoring.comparators._comparator import Comparator
from tests.kit import lines_of

EXPECTED = [{"a": f"x{number}", "items": [{"n": f"{number}1"}, {"n": f"{number}2"}]} for number in range(9)]
OUTPUTS = [{"a": f"y{number}", "items": [{"n": f"{number}2!"}, {"n": f"{number}1!"}]} for number in range(9)]


@pytest.fixture
def asked() -> Counter[str]:
    """How often each pair was asked about, by comparators that never answer the same twice."""
    seen: Counter[str] = Counter()
    calls = count()

    def score(*pair: Any) -> float:
        seen[json.dumps(pair)] += 1
        return next(calls) % 5 / 4

    async def waits(expected: Any, actual: Any, params: Any) -> float:
        return score(expected, actual)

    @evaluators.comparator("class")
    class OfClass(Comparator):
        """Compares by chance."""

        def compare(self, expected: Any, actual: Any) -> Any:
            return score(expected, actual) == 1

    @evaluators.comparator("batch class")
    class OfBatch(Comparator):
        """Compares by chance, many at once."""

        batch: ClassVar[Any] = True

        def compare_all(self, questions: Any) -> list[Any]:
            return [score(one.expected, one.actual) for one in questions]

    @evaluators.comparator("wordy")
    class Wordy(Comparator):
        """Words the same comparison otherwise each time."""

        def compare(self, expected: Any, actual: Any) -> Any:
            return score(expected, actual) == 1

        def reason(self, expected: Any, actual: Any, found: Comparison) -> str:
            return f"for the time {next(calls)}"

    evaluators.register("function", lambda expected, actual, params: score(expected, actual))
    evaluators.register("batch", lambda questions, params: [score(*one[1:3]) for one in questions], batch=True)
    evaluators.register("row", lambda questions, params: [score(*one[1:3]) for one in questions], batch="row")
    evaluators.register("async", waits)
    evaluators.register("unsure", lambda expected, actual, params: True, readable=lambda e, p: next(calls) % 7 != 0)
    evaluators.register_transform("moody", lambda value, params: next(calls) % 3)
    return seen


def schema(word: str, *changes: str) -> dict[str, Any]:
    text = {"type": "string", "x-eval-compare": word, **({"x-eval-transform": list(changes)} if changes else {})}
    items = {"type": "array", "items": {"type": "object", "properties": {"n": text}}}
    return {"type": "object", "properties": {"a": text, "items": items}}


MOODS = count()


def moody(results: list[Outcome]) -> list[Outcome]:
    """A post-processor that changes its mind: every other result is right, and other ones each time it is called."""
    mood = next(MOODS)
    return [_said(one, (mood + place) % 2 == 0) for place, one in enumerate(results)]


def _said(result: Outcome, right: bool) -> Outcome:
    return replace(result, status=FieldStatus.MATCH if right else FieldStatus.MISMATCH, score=float(right))


def scored_by(word: str) -> Callable[[], struct_extract_eval.Evaluation]:
    return lambda: struct_extract_eval.evaluate(EXPECTED, OUTPUTS, schema(word))


CASES: dict[str, Callable[[], struct_extract_eval.Evaluation]] = {
    **{
        word: scored_by(word) for word in ("function", "batch", "row", "async", "class", "batch class", "wordy", "unsure")
    },
    "a transform": lambda: struct_extract_eval.evaluate(EXPECTED, OUTPUTS, schema("exact", "moody")),
    "a post-processor": lambda: struct_extract_eval.evaluate(EXPECTED, OUTPUTS, schema("exact"), post_process=[moody]),
}


def f1_of(record: Any) -> float | None:
    """F1 as the results of a record say."""
    found = Counter(result.status for result in record.field_results)
    if found[FieldStatus.NOT_JUDGED]:
        return None
    wrong = (
        2 * (found[FieldStatus.MISMATCH] + found[FieldStatus.ERROR])
        + found[FieldStatus.OMISSION]
        + found[FieldStatus.HALLUCINATION]
    )
    return 2 * found[FieldStatus.MATCH] / (2 * found[FieldStatus.MATCH] + wrong)


@pytest.mark.parametrize("case", CASES)
def test_figures_records_fields_and_the_saved_folder_are_of_one_answer(
    case: str, asked: Counter[str], tmp_path: Path
) -> None:
    found = CASES[case]()
    assert [record.f1 for record in found.records] == [pytest.approx(f1_of(record)) for record in found.records]
    measured = [record.f1 for record in found.records if record.f1 is not None]
    assert found.mean_f1 == pytest.approx(sum(measured) / len(measured))
    for field in found.per_field.values():
        assert field.matches == sum(result.status is FieldStatus.MATCH for _, result in field.instances)
    found.save(tmp_path / "saved")
    lines = lines_of(tmp_path / "saved", "outcomes")
    words = [result.status.word for record in found.records for result in record.field_results]
    assert [line["status"] for line in lines if "path" in line] == words
    assert set(asked.values()) <= {1}


@pytest.mark.parametrize("word", ["function", "batch", "row", "async", "class", "batch class", "wordy"])
def test_a_document_of_its_own_says_one_thing(word: str, asked: Counter[str]) -> None:
    found = extract_bench.evaluate_document(schema(word), EXPECTED[0], OUTPUTS[0])
    statuses = {result.path: result.status.word for result in found.record.field_results}
    shown = {path: metrics[word].details["status"] for path, metrics in found.results.items() if path in statuses}
    assert shown == statuses
    assert found.record.f1 == pytest.approx(f1_of(found.record))
    assert found.mean_f1 == found.record.f1
    assert set(asked.values()) == {1}
