"""Answers are recorded in the run folder, and a suite is scored again with them, without its judge."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import evaluators
from evaluators import Problems
from evaluators.model.issues import Blame
from evaluators.model.settings import build
from evaluators.runs.reader import Run
from evaluators.scoring.judges.answer_lines import read_answers
from evaluators.scoring.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.testsets.readers import jsonl
from tests.kit import change_table, exported, lines_of, problem_of, write_rows

FIELDS = {"title": "semantic", "total": "numeric"}
ROWS = [
    {"id": "a", "expected": {"title": "car", "total": 1}, "output": {"title": "automobile", "total": 1}},
    {"id": "b", "expected": {"title": "boat", "total": 1}, "output": {"title": "ship", "total": 2}},
    {"id": "c", "expected": {"title": "car", "total": 1}, "output": {"title": "automobile", "total": 1}},
    {"id": "d", "expected": {"title": "car", "total": 1}, "output": {"title": " CAR", "total": 1}},
    {"id": "e", "expected": {"title": "car", "total": 1}, "output": {"title": "down", "total": 1}},
]
ASKED: list[list[JudgeQuestion]] = []


class Opinion(Judge):
    """A judge that is a rule: longer outputs are better, and it is unwell when it reads `down`."""

    lenient: bool = False

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        ASKED.append(list(questions))
        return [self._one(question) for question in questions]

    def _one(self, question: JudgeQuestion) -> JudgeAnswer:
        who = {"judge": "opinion", "model": str(question.params.get("model", "small")), "prompt": f"{question.prompt} 1"}
        if question.actual == "down":
            return JudgeAnswer(
                error=unanswered_issue("judge-down", "the judge did not answer", "try later"), who=who, retries=2
            )
        score = 1.0 if self.lenient else min(1.0, len(str(question.actual)) / 8)
        return JudgeAnswer(score, reason=f"{len(str(question.actual))} letters", who=who, tokens=(10, 3), seconds=0.5)


@pytest.fixture(autouse=True)
def judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGES._registered, "opinion", Opinion)
    ASKED.clear()


def rows_file(folder: Path, times: int = 1) -> Path:
    return write_rows(folder / "rows.jsonl", ROWS * times)


def suite_file(folder: Path, judge: Any, fields: Any = None, kind: str = "json_multi_field_match") -> Path:
    file = folder / "suite.json.yaml"
    fields = fields or FIELDS
    file.write_text(json.dumps({"judge": judge, "evaluators": [{kind: {"fields": fields}}]}), encoding="utf-8")
    return file


def run(folder: Path, name: str, judge: Any, **options: Any) -> Path:
    suite = evaluators.load(suite_file(folder, judge, options.pop("fields", None), options.pop("kind", "schema_match")))
    suite.run(rows_file(folder, options.pop("times", 1)), results=folder / "runs", name=name, **options)
    return folder / "runs" / name


def test_questions_answers_who_and_places_are_in_the_run_folder(tmp_path: Path) -> None:
    found = lines_of(run(tmp_path, "one", "opinion"), "answers")
    who = {"judge": "opinion", "model": "small", "prompt": "semantic 1"}
    assert found[0] == {
        "places": [[1, "schema_match", "title"], [3, "schema_match", "title"]],
        "who": who,
        "question": {"prompt": "semantic", "expected": "car", "actual": "automobile"},
        "answer": {"score": 1.0, "reason": "10 letters"},
    }
    assert found[1]["answer"] == {"score": 0.5, "reason": "4 letters"}
    assert found[2]["answer"] == {
        "error": {
            "code": "judge-down", "blame": "environment", "message": "the judge did not answer", "hint": "try later"
        }
    }  # fmt: skip
    assert len(found) == 3
    assert [len(call) for call in ASKED] == [3]


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
def test_a_recorded_run_gives_the_same_figures_and_bytes_without_the_judge(kind: str, tmp_path: Path) -> None:
    first = run(tmp_path, "first", "opinion", kind=kind)
    ASKED.clear()
    again = run(tmp_path, "again", {"recorded": {"run": str(first)}}, kind=kind)
    assert ASKED == []
    for word in ("rows", "codes", "outcomes", "cells", "answers"):
        assert exported(first, word) == exported(again, word) != "", word
    one, other = Run(first).result, Run(again).result
    assert one.evaluators == other.evaluators
    (tmp_path / "written.jsonl").write_text(exported(first, "answers"), encoding="utf-8")
    from_file = run(tmp_path, "file", {"recorded": {"file": "written.jsonl"}}, kind=kind)
    assert exported(from_file, "codes") == exported(first, "codes")


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_the_answers_are_the_same_bytes_for_any_number_of_workers(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", 4_000)
    times = 40
    answers = tmp_path / "written.jsonl"
    known = [
        {"question": {"prompt": "semantic", "expected": ours, "actual": theirs}, "answer": {"score": score}}
        for ours, theirs, score in (("car", "automobile", 1.0), ("boat", "ship", 0.5))
    ]
    write_rows(answers, known)
    judge = {"recorded": {"file": str(answers)}}
    one = run(tmp_path, "one", judge, times=times)
    several = run(tmp_path, "several", judge, times=times, workers=workers)
    assert exported(one, "answers") == exported(several, "answers") != ""
    asked = [json.loads((folder / "environment.json").read_text())["asked"] for folder in (one, several)]
    assert asked[0] == asked[1]
    assert asked[0]["questions"] > 3  # there are several chunks, and each of them asks
    assert sum(len(line.places) for line in Run(one).answers()) == 4 * times


def test_a_field_without_an_answer_is_an_error_and_its_row_has_no_score(tmp_path: Path) -> None:
    folder = run(tmp_path, "one", "opinion")
    stats = Run(folder).result.evaluators[0]
    assert (stats.unjudged, stats.scored) == (1, 4)
    assert Run(folder).result.exit_code == 3


def test_one_field_may_have_a_model_and_instructions_of_its_own(tmp_path: Path) -> None:
    fields = {"title": {"semantic": {"model": "large", "instructions": "vehicles", "at_least": 0.4}}, "total": "semantic"}
    rows = [{"expected": {"title": "car", "total": "one"}, "output": {"title": "ship", "total": "two"}}]
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    suite = evaluators.load(suite_file(tmp_path, "opinion", fields))
    suite.run(file)
    (call,) = ASKED  # both fields go to the judge together
    assert [(one.prompt, one.path, one.instructions, dict(one.params), one.row) for one in call] == [
        ("semantic", "title", "vehicles", {"model": "large"}, 0), ("semantic", "total", None, {}, 0),
    ]  # fmt: skip


def test_a_question_that_was_not_recorded_is_named(tmp_path: Path) -> None:
    first = run(tmp_path, "first", "opinion")
    suite = evaluators.load(suite_file(tmp_path, {"recorded": {"run": "runs/first"}}))
    found = suite.evaluate({"expected": {"title": "car", "total": 1}, "output": {"title": "train", "total": 1}})
    issue = found["json_multi_field_match"].issue
    assert issue is not None
    assert (issue.code, issue.blame) == ("not-recorded", Blame.ENVIRONMENT)
    assert 'no answer to "semantic" about "car" and "train"' in issue.message
    assert first.is_dir()


GOOD = '{"question": {"prompt": "semantic"}, "answer": {"score": 1}}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "an object is expected"),
        ('{"answer": {"score": 1}}', '"question" must be an object; found nothing'),
        ('{"question": {}, "answer": 1}', '"answer" must be an object; found 1'),
        ('{"question": {"promt": "x"}, "answer": {"score": 1}}', 'a question has no "promt"'),
        ('{"question": {"prompt": 1}, "answer": {"score": 1}}', '"prompt" of a question must be text'),
        ('{"question": {"params": []}, "answer": {"score": 1}}', '"params" of a question must be an object'),
        ('{"question": {}, "answer": {"score": 2}}', "a number from 0 to 1; found 2"),
        ('{"question": {}, "answer": {"score": true}}', "a number from 0 to 1; found true"),
        ('{"question": {}, "answer": {}}', "a number from 0 to 1; found null"),
        ('{"question": {}, "answer": {"score": 1, "passed": 1}}', '"passed" of an answer is true or false'),
        ('{"question": {}, "answer": {"score": 1, "reason": 1}}', '"reason" of an answer is text'),
        ('{"question": {}, "answer": {"score": 1, "details": 1}}', '"details" of an answer is an object'),
        ('{"question": {}, "answer": {"error": {}}}', "an error has a code, a blame and a message"),
        ('{"question": {}, "answer": {"error": {"code": "a", "blame": [], "message": "m"}}}', "an error has a code"),
        ('{"question": {}, "answer": {"score": 1}, "who": 1}', '"who" must be an object'),
        ('{"question": {}, "answer": {"score": 1}, "places": 1}', '"places" must be a list'),
        ('{"question": {}, "answer": {"score": 1}, "places": [[1, 2, 3]]}', "a place is a row, an evaluator and a path"),
        ('{"question": {}, "answer": {"score": 1}, "places": [[true, "a", "b"]]}', "a place is a row"),
    ],
)
def test_a_damaged_line_is_refused_with_its_number(line: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(f"{GOOD}\n\n{line}\n", encoding="utf-8")
    issue = problem_of(lambda: list(read_answers(file)))
    assert issue.where == f"{file}:3"
    assert said in issue.message
    with pytest.raises(Problems, match=r"answers\.jsonl:3"):
        run(tmp_path, "one", {"recorded": {"file": "answers.jsonl"}})


def test_a_damaged_run_folder_is_refused_with_the_line(tmp_path: Path) -> None:
    folder = run(tmp_path, "one", "opinion")
    change_table(folder, """update answers set line = replace(line, '"score":0.5', '"score":"half"')""")
    where = f"{folder / 'run.db'}, line 2 of answers"
    with pytest.raises(Problems) as raised:
        list(Run(folder).answers())
    assert raised.value.issues[0].where == where
    with pytest.raises(Problems) as raised:
        run(tmp_path, "two", {"recorded": {"run": str(folder)}})
    assert where in raised.value.issues[0].message


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ("recorded", 'needs "file" or "run"; found neither'),
        ({"recorded": {"file": "a", "run": "b"}}, 'needs "file" or "run"; found both'),
        ({"recorded": {"file": "missing.jsonl"}}, "the answers cannot be read"),
        ({"recorded": {"run": "missing"}}, "there are no answers in it"),
        ({"recorded": {"fiel": "x"}}, 'unknown setting "fiel"'),
        ("recordd", 'unknown judge "recordd"'),
        (["recorded"], "expected the name of a judge"),
    ],
)
def test_a_judge_that_cannot_be_used_is_said_before_row_1(judge: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(Problems) as raised:
        run(tmp_path, "one", judge)
    assert len(raised.value.issues) == 1  # the fields that need it are not complained about as well
    assert said in raised.value.issues[0].message
    assert "suite.json.yaml:1:" in str(raised.value.issues[0].where)


def test_answers_of_batches_and_async_functions_are_recorded_and_those_of_plain_ones_are_not(tmp_path: Path) -> None:
    async def later(expected: Any, actual: Any, params: Any) -> float:
        return params["score"]

    evaluators.register("later", later)
    evaluators.register("many", lambda questions, params: [None for _ in questions], batch=True)
    evaluators.register("plain", lambda expected, actual, params: True)
    rows = [{"expected": {"a": "x", "b": "x", "c": "x"}, "output": {"a": "y", "b": "y", "c": "y"}}]
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    fields = {"a": {"later": {"score": 0.5}}, "b": "many", "c": "plain"}
    suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"name": "f", "fields": fields}}]})
    suite.run(file, results=tmp_path / "runs", name="one")
    assert lines_of(tmp_path / "runs" / "one", "answers") == [
        {
            "places": [[1, "f", "a"]],
            "who": {"comparator": "later", "options": {"score": 0.5}},
            "question": {"expected": "x", "actual": "y"},
            "answer": {"score": 0.5, "passed": False, "reason": '"y" differs from "x"'},
        },
        {
            "places": [[1, "f", "b"]],
            "who": {"comparator": "many"},
            "question": {"expected": "x", "actual": "y"},
            "answer": {"error": {"code": "bad-answer", "blame": "bug", "message": lines_message()}},
        },
    ]


def lines_message() -> str:
    return 'comparator "many" gave no answer; it must return true, false, a number from 0 to 1, or a Comparison'


def test_a_run_that_asks_nobody_has_no_answers(tmp_path: Path) -> None:
    folder = run(tmp_path, "one", "opinion", fields={"total": "numeric"})
    assert json.loads((folder / "environment.json").read_text())["asked"] is None
    assert list(Run(folder).answers()) == []


def test_a_judge_that_breaks_is_asked_again_row_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Fragile(Opinion):
        """Breaks where it reads `down`."""

        def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
            ASKED.append(list(questions))
            if any(one.actual == "down" for one in questions):
                raise OSError("gone")
            return [self._one(one) for one in questions]

    monkeypatch.setitem(JUDGES._registered, "fragile", Fragile)
    stats = Run(run(tmp_path, "one", "fragile")).result.evaluators[0]
    assert (stats.scored, stats.bugs) == (4, 1)
    assert [len(call) for call in ASKED] == [3, 1, 1, 1]  # row c has its answer from row a


@pytest.mark.parametrize("score", [float("nan"), 1.5, -0.1, None, True, "1"])
def test_an_answer_that_is_none_is_an_error(score: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Confused(Judge):
        """Answers nonsense."""

        def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
            return [JudgeAnswer(score) for _ in questions]

    monkeypatch.setitem(JUDGES._registered, "confused", Confused)
    stats = Run(run(tmp_path, "one", "confused")).result.evaluators[0]
    assert (stats.scored, stats.unjudged) == (1, 4)


def test_a_run_folder_is_read_without_the_recording(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text("", encoding="utf-8")
    folder = run(tmp_path, "one", {"recorded": {"file": "answers.jsonl"}})
    (tmp_path / "answers.jsonl").unlink()
    assert list(evaluators.load(next((folder / "suite").iterdir())).lines[0].settings.scored_fields().of_rows) == [
        "title",
        "total",
    ]
    with pytest.raises(Problems, match="cannot be read"):
        run(tmp_path, "two", {"recorded": {"file": "answers.jsonl"}})


def test_a_judge_that_is_not_ready_is_a_problem_of_the_row_where_a_row_is_scored_alone(tmp_path: Path) -> None:
    suite = evaluators.load(suite_file(tmp_path, {"recorded": {"file": "missing.jsonl"}}))
    issue = suite.evaluate({"expected": {"title": "car"}, "output": {"title": "ship"}})["json_multi_field_match"].issue
    assert issue is not None
    assert (issue.blame, issue.code) == (Blame.ENVIRONMENT, "no-answers")


def test_answers_are_read_from_plain_files_of_a_sensible_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, long, run = tmp_path / "pipe.jsonl", tmp_path / "long.jsonl", tmp_path / "run"
    os.mkfifo(pipe)
    long.write_text("\n" * 11, encoding="utf-8")
    monkeypatch.setattr("evaluators.scoring.judges.answer_lines.MOST_BYTES", 10)
    for file, said in (
        (pipe, "it is a pipe, and only a file can be read"),
        (Path("/dev/zero"), "and only a file can be read"),
        (tmp_path, "it is a folder"),
        (long, "it is larger than"),
    ):
        with pytest.raises(Problems, match=said):
            list(read_answers(file))
    run.mkdir()
    (run / "run.db").symlink_to(long)
    judge = build(JUDGES.find("recorded"), {"run": str(run)})
    with pytest.raises(Problems, match="there are no answers in it"):
        judge.answer([JudgeQuestion("semantic", "a", "b")])


@pytest.mark.parametrize("own", [False, True], ids=["the suite's judge", "an evaluator's own judge"])
def test_a_replay_is_compared_with_its_own_run(tmp_path: Path, own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Opinion, "meaning", lambda self: {"address": "http://somewhere", "lenient": self.lenient})
    file = rows_file(tmp_path)

    def run(name: str, judge: dict[str, Any]) -> Path:
        line = {"llm_judge": {"name": "tone", "rubric": "Good?", **({"judge": judge} if own else {})}}
        suite = {"evaluators": [line], **({} if own else {"judge": judge})}
        evaluators.load(suite).run(file, results=tmp_path / "runs", name=name)
        return tmp_path / "runs" / name

    first = run("first", {"opinion": {}})
    again = run("again", {"recorded": {"run": str(first)}})
    third = run("third", {"recorded": {"run": str(again)}})
    for other in (again, third):
        assert not evaluators.compare(first, other).incomparable
    another = evaluators.compare(first, run("lenient", {"opinion": {"lenient": True}})).incomparable
    assert any("judge → lenient" in one for one in another) or own
    assert not any("the test set is read otherwise" in one for one in another)
