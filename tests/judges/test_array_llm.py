"""`array_llm`: what a judge claims of two lists counts only where it adds up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import evaluators
from evaluators.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion

EXPECTED, OUTPUT = ["car", "boat"], ["automobile", "ship", "plane"]


class Claims(Judge):
    """Says of every pair of lists what a test wants it to say."""

    claimed: ClassVar[dict[str, Any]] = {}
    asked: ClassVar[list[JudgeQuestion]] = []

    def answer(self, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        self.asked.extend(questions)
        return [JudgeAnswer(0.0, details=self.claimed, reason="as told") for _ in questions]


@pytest.fixture(autouse=True)
def claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGES._registered, "claims", Claims)
    monkeypatch.setattr(Claims, "claimed", {"matched": 2, "missed": 0, "spurious": 1})
    Claims.asked.clear()


def score(
    tmp_path: Path, options: dict[str, Any] | None = None, expected: Any = EXPECTED, output: Any = OUTPUT
) -> evaluators.RunResult:
    file = tmp_path / "rows.jsonl"
    file.write_text(
        json.dumps({"id": "1", "expected": {"t": expected}, "output": {"t": output}}) + "\n", encoding="utf-8"
    )
    compare = {"array_llm": options} if options else "array_llm"
    lines = [{"json_multi_field_match": {"fields": {"t": compare}}}]
    return evaluators.load({"judge": "claims", "evaluators": lines}).run(file, results=tmp_path / "runs", name="run")


def outcome(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "runs" / "run" / "outcomes.jsonl").read_text().splitlines()[0])
    return found


@pytest.mark.parametrize(
    ("claimed", "options", "wanted"),
    [
        ({"matched": 2, "missed": 0, "spurious": 1}, {}, 1.0),
        ({"matched": 1, "missed": 1, "spurious": 2}, {"at_least": 0.5}, 0.5),
        ({"matched": 2, "missed": 0, "spurious": 1}, {"extra_items": "penalize", "at_least": 0.6}, 2 / 3),
        ({"matched": 2.0, "missed": 0.0, "spurious": 1.0, "pairs": [[0, 0], [1, 1]]}, {}, 1.0),
    ],
)
def test_the_score_is_the_share_of_expected_items(
    tmp_path: Path, claimed: dict[str, Any], options: dict[str, Any], wanted: float
) -> None:
    Claims.claimed = claimed
    (stats,) = score(tmp_path, options).evaluators
    assert stats.mean == pytest.approx(wanted)
    assert len(Claims.asked) == 1


@pytest.mark.parametrize(
    ("claimed", "why"),
    [
        ({"matched": 7, "missed": 0, "spurious": 0}, "7 matched and 0 missed, and the expected list has 2"),
        ({"matched": 2, "missed": 0, "spurious": 5}, "2 matched and 5 spurious, and the output list has 3"),
        ({"matched": 1.5, "missed": 0.5, "spurious": 1}, '"matched" must be a count'),
        ({"matched": -1, "missed": 3, "spurious": 4}, '"matched" must be a count'),
        ({}, '"matched" must be a count'),
        ({"matched": 2, "missed": 0, "spurious": 1, "pairs": [[0, 0]]}, "2 matched, and 1 pairs"),
        ({"matched": 2, "missed": 0, "spurious": 1, "pairs": [[0, 0], [1, 0]]}, "belongs to two"),
        ({"matched": 2, "missed": 0, "spurious": 1, "pairs": [[0, 0], [1, 9]]}, "no pair of the places 1 and 9"),
        ({"matched": 2, "missed": 0, "spurious": 1, "pairs": ["car", "boat"]}, "two places of items"),
    ],
)
def test_counts_that_do_not_add_up_are_an_error_of_the_field(tmp_path: Path, claimed: dict[str, Any], why: str) -> None:
    Claims.claimed = claimed
    result = score(tmp_path)
    assert result.evaluators[0].unjudged == 1
    assert result.exit_code == 3
    assert any(why in issue.message for issue in result.issues)


@pytest.mark.parametrize(
    ("expected", "output", "wanted"),
    [(["Car", "a  boat"], ["car", "A boat"], 1.0), (["car"], [], 0.0), ([], ["car"], 0.0), (["car"], "car", 0.0)],
)
def test_what_is_known_is_not_asked(tmp_path: Path, expected: Any, output: Any, wanted: float) -> None:
    assert score(tmp_path, None, expected, output).evaluators[0].mean == wanted
    assert Claims.asked == []


def test_the_counts_and_the_pairs_are_recorded(tmp_path: Path) -> None:
    Claims.claimed = {"matched": 1, "missed": 1, "spurious": 2, "pairs": [[1, 1]]}
    score(tmp_path)
    found = outcome(tmp_path)
    assert found["reason"].endswith("1 matched, 1 missed, 2 spurious: as told")
    answers = (tmp_path / "runs" / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["answer"]["details"] for line in answers] == [Claims.claimed]
