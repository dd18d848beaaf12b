"""`--repeat-judge K`: the first answer counts, and the summary says how often all of them agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import evaluators
from evaluators.reports.run_page import run_page
from evaluators.scoring.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.scoring.judges.repeats import combine_repeats, repeats_agree
from tests.kit import cli, lines_of, write_rows


class Fickle(Judge):
    """Sure of short outputs; of others it says yes at first, and then no."""

    seen: ClassVar[list[JudgeQuestion]] = []

    def answer(self, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        self.seen.extend(questions)
        return [JudgeAnswer(self.score(one), reason="so", tokens=(10, 2)) for one in questions]

    def score(self, question: JudgeQuestion) -> float:
        return float(len(question.payload["shown"]["output"]) < 5 or "repeat" not in question.params)


@pytest.fixture(autouse=True)
def fickle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGES._registered, "fickle", Fickle)
    Fickle.seen.clear()


def rows_file(folder: Path) -> Path:
    outputs = ["a", "b", "a longer one", "b", "another long one"]
    lines = [{"id": str(number), "output": output} for number, output in enumerate(outputs)]
    return write_rows(folder / "rows.jsonl", lines)


SUITE: dict[str, Any] = {"judge": "fickle", "evaluators": [{"llm_judge": {"name": "tone", "rubric": "Good?"}}]}


def test_the_first_answer_counts_and_the_others_say_how_sure_it_is(tmp_path: Path) -> None:
    result = evaluators.load(SUITE).run(rows_file(tmp_path), repeat_judge=3, results=tmp_path / "runs", name="run").result
    once = evaluators.load(SUITE).run(rows_file(tmp_path)).result
    assert result.evaluators[0].mean == once.evaluators[0].mean == 1.0
    text = str(run_page(result))
    assert "Of 4 questions that were put several times, 2 got the same verdict each time (0.5000, 95 % CI" in text
    assert "Repeated questions" not in str(run_page(once))


def test_every_answer_is_recorded_and_paid_for(tmp_path: Path) -> None:
    result = evaluators.load(SUITE).run(rows_file(tmp_path), repeat_judge=3, results=tmp_path / "runs", name="run").result
    lines = lines_of(tmp_path / "runs/run", "answers")
    assert [line["answer"]["details"]["repeats"] for line in lines] == [[1, 1, 1], [1, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert all("repeat" not in line["question"].get("params", {}) for line in lines)
    assert len(Fickle.seen) == 12
    assert len({one.key for one in Fickle.seen}) == 12
    assert result.environment is not None
    assert result.environment.asked is not None
    assert (result.environment.asked.questions, result.environment.asked.tokens_in) == (4, 120)


def test_two_workers_repeat_as_one_does(tmp_path: Path) -> None:
    answers = tmp_path / "said.jsonl"
    lines = [
        {"question": {"prompt": "llm_judge", "instructions": "Good?", "payload": {"shown": {"output": output}}, **more},
         "answer": {"score": score}}
        for output in ("a", "b", "a longer one", "another long one")
        for more, score in (({}, 1), ({"params": {"repeat": 2}}, 0))
    ]  # fmt: skip
    write_rows(answers, lines)
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "judge: {recorded: {file: said.jsonl}}\nevaluators: [llm_judge: {rubric: Good?}]\n", encoding="utf-8"
    )
    options = [str(suite), str(rows_file(tmp_path)), "--no-results", "--repeat-judge", "2", "--workers"]
    said = [cli("run", *options, workers).output for workers in ("1", "2")]
    assert said[0] == said[1]
    assert "Of 4 questions that were put several times, 0 got the same verdict each time" in " ".join(said[0].split())


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        ([JudgeAnswer(0.9), JudgeAnswer(0.6)], True),
        ([JudgeAnswer(0.9), JudgeAnswer(0.4)], False),
        ([JudgeAnswer(0.0, details={"points": 4}), JudgeAnswer(0.0, details={"points": 2})], False),
        ([JudgeAnswer(1.0, True), JudgeAnswer(1.0, True), JudgeAnswer(0.0, False)], False),
        ([JudgeAnswer(1.0), JudgeAnswer(error=unanswered_issue("judge-timeout", "late"))], None),
        ([JudgeAnswer(error=unanswered_issue("judge-timeout", "late")), JudgeAnswer(1.0)], None),
        (
            [
                JudgeAnswer(0.0, details={"criteria": [{"name": "a", "points": 1, "reason": "x"}]}),
                JudgeAnswer(0.0, details={"criteria": [{"name": "a", "points": 1, "reason": "y"}]}),
            ],
            True,
        ),
    ],
)
def test_verdicts_are_compared_and_not_their_reasons(answers: list[JudgeAnswer], wanted: bool | None) -> None:
    assert repeats_agree(combine_repeats(answers)) is wanted
