"""Comparators and transforms of one's own: plain functions, asked wherever a comparator stands."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict

import evaluators
from evaluators import Blame, Comparison, FieldStatus, Problems, Question, RowProblem, TransformError
from evaluators.model.issues import Issue
from evaluators.model.rows import Result, RowStatus
from evaluators.model.settings import BadSettings, build
from evaluators.scoring.comparators._awaiting import result_of, stop_worker
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.evaluators.json_multi_field_match import JsonMultiFieldMatch
from evaluators.scoring.evaluators.schema_match import SchemaMatch
from evaluators.scoring.judges.asking import ask
from evaluators.scoring.plan.suite_plan import compile_plan
from evaluators.scoring.values import transforms


def scored(fields: Any, expected: Any, output: Any, **settings: Any) -> Result:
    """The score of one row, which the fast check must agree with."""
    settings_ = build(JsonMultiFieldMatch, {"fields": fields, **settings})
    found, verdict = settings_.explain(expected, output), settings_.compile()(expected, output)
    assert bytes(field.status for field in found.fields) == verdict.statuses
    assert (found.status, found.score) == (verdict.status, verdict.score)
    assert (found.issue and found.issue.message) == (verdict.issue and verdict.issue.message)
    return found


def status(fields: Any, expected: Any, output: Any) -> FieldStatus:
    return scored(fields, expected, output).fields[0].status


def returns(value: Any) -> Callable[..., Any]:
    return lambda expected, actual, params: value


def first_word(expected: Any, actual: Any, params: Any) -> bool:
    return bool(str(expected).split()[:1] == str(actual).split()[:1])


def test_a_function_is_a_comparator_at_once() -> None:
    evaluators.register("first_word", first_word)
    assert status({"a": "first_word"}, {"a": "Acme Inc"}, {"a": "Acme Group"}) is FieldStatus.MATCH
    assert status({"a": "first_word"}, {"a": "Acme Inc"}, {"a": "Apex Inc"}) is FieldStatus.MISMATCH


def test_the_decorator_takes_a_function_and_leaves_it_a_function() -> None:
    decorated = evaluators.comparator("first_word")(first_word)
    assert decorated is first_word
    assert status({"a": "first_word"}, {"a": "Acme Inc"}, {"a": "Acme"}) is FieldStatus.MATCH


def test_a_number_is_partial_credit_and_passes_at_one() -> None:
    evaluators.register("half", returns(0.5))
    evaluators.register("whole", returns(1))
    found = scored({"a": "half", "b": "whole"}, {"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert [field.status for field in found.fields] == [FieldStatus.MISMATCH, FieldStatus.MATCH]
    assert (found.num, found.den) == (3, 4)


def test_an_outcome_gives_its_own_reason() -> None:
    evaluators.register("near", returns(Comparison(0.9, True, "near enough", {"edits": 1})))
    found = scored({"a": "near"}, {"a": 1}, {"a": 2})
    assert (found.fields[0].status, found.fields[0].reason, found.fields[0].score) == (
        FieldStatus.MATCH,
        "near enough",
        0.9,
    )


def test_a_function_says_once_for_each_value_whether_it_can_read_what_is_expected() -> None:
    asked: list[Any] = []

    def readable(expected: Any, params: Any) -> bool | str:
        asked.append(expected)
        return True if isinstance(expected, int) else "it is no number"

    evaluators.register("about", lambda expected, actual, params: abs(expected - actual) < 2, readable=readable)
    for settings_ in (
        build(JsonMultiFieldMatch, {"fields": {"a": "about"}}),
        build(SchemaMatch, {"fields": {"a": "about"}}),
    ):
        check = settings_.compile()
        asked.clear()
        for output in ({"a": 1}, {"a": 2}, {"a": 9}, {}):
            assert check({"a": 1}, output).status is RowStatus.SCORED
            found = check({"a": "one"}, output)
            assert found.status is RowStatus.INVALID
            assert found.issue is not None
            assert found.issue.message == 'field "a": the expected value "one" cannot be read by "about": it is no number'
        assert asked == [1, "one"]
        assert check({"a": None}, {"a": None}).score == 1.0
        assert asked == [1, "one"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [(1, "says 1 when it is asked"), (None, "says null when it is asked"), (ZeroDivisionError(), "failed")],
)
def test_what_is_no_answer_about_an_expected_value_is_a_fault_of_the_comparator(answer: Any, said: str) -> None:
    def readable(expected: Any, params: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    evaluators.register("odd", returns(True), readable=readable)
    for output in ({"a": 1}, {"a": 2}, {}):
        found = scored({"a": "odd"}, {"a": 1}, output)
        assert found.status is RowStatus.BUG
        assert found.issue is not None
        assert said in found.issue.message
        assert '"odd"' in found.issue.message


@pytest.mark.parametrize("readable", [1, lambda: True, lambda expected: True])
def test_a_readable_that_cannot_be_called_is_refused(readable: Any) -> None:
    with pytest.raises(Problems, match="readable of comparator"):
        evaluators.register("odd", returns(True), readable=readable)


def test_an_answer_without_a_reason_gets_one() -> None:
    evaluators.register("never", returns(False))
    evaluators.register("always", returns(True))
    assert scored({"a": "never"}, {"a": 1}, {"a": 2}).fields[0].reason == "2 differs from 1"
    assert scored({"a": "always"}, {"a": 1}, {"a": 2}).fields[0].reason is not None


def test_null_is_seen_and_missing_is_not() -> None:
    seen = []

    def note(expected: Any, actual: Any, params: Any) -> bool:
        seen.append((expected, actual))
        return True

    evaluators.register("note", note)
    settings = build(JsonMultiFieldMatch, {"fields": {"a": "note", "b": "note", "c": "note"}})
    found = settings.explain({"a": None, "b": 1}, {"a": "x", "c": 1})
    assert [field.status for field in found.fields] == [
        FieldStatus.MATCH,
        FieldStatus.OMISSION,
        FieldStatus.HALLUCINATION,
    ]
    assert seen == [(None, "x")]


def test_equal_values_are_not_asked_about_unless_only_the_output_is_read() -> None:
    evaluators.register("never", returns(False))
    evaluators.register("never_at_all", returns(False), reads="output")
    assert status({"a": "never"}, {"a": 1}, {"a": 1}) is FieldStatus.MATCH
    assert status({"a": "never_at_all"}, {"a": 1}, {"a": 1}) is FieldStatus.MISMATCH


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (1.5, "returned the score 1.5; a score is a number from 0 to 1"),
        (-1, "returned the score -1; a score is a number from 0 to 1"),
        (math.nan, "returned the score nan; a score is a number from 0 to 1"),
        (None, "gave no answer; it must return true, false, a number from 0 to 1, or a Comparison"),
        ("yes", 'returned str "yes"; it must return true, false, a number from 0 to 1, or a Comparison'),
        (Comparison(math.inf, True), "returned the score inf; a score is a number from 0 to 1"),
        (Comparison("1", True), 'returned a Comparison with the score "1"; a score is a number from 0 to 1'),  # type: ignore[arg-type]  # the mistake that is tested
        (Comparison(1.0, 1), "returned a Comparison with passed=1; it must be true or false"),  # type: ignore[arg-type]  # the mistake that is tested
        (Comparison(1.0, True, ratio=(3, 2)), "returned a Comparison with the ratio (3, 2); it must lie between 0 and 1"),
    ],
)
def test_an_answer_that_is_none_costs_its_field_and_the_row_its_score(answer: Any, said: str) -> None:
    evaluators.register("odd", returns(answer))
    found = scored({"x.a": "odd", "b": "exact"}, {"x": {"a": 1}, "b": 1}, {"x": {"a": 2}, "b": 1})
    assert [field.status for field in found.fields] == [FieldStatus.NOT_JUDGED, FieldStatus.MATCH]
    assert found.fields[0].reason == f'field "x.a": comparator "odd" {said}'
    assert (found.score, found.status) == (None, RowStatus.BUG)


def test_an_exception_costs_its_field_and_names_the_comparator_and_the_place() -> None:
    def breaks(expected: Any, actual: Any, params: Any) -> bool:
        raise KeyError("unit")

    evaluators.register("breaks", breaks)
    found = scored({"items[*].a": "breaks", "b": "exact"}, {"items": [{"a": 1}], "b": 1}, {"items": [{"a": 2}], "b": 1})
    assert [field.status for field in found.fields] == [FieldStatus.NOT_JUDGED, FieldStatus.MATCH]
    assert found.issue is not None
    assert found.issue.message == 'field "items[*].a": comparator "breaks" failed: KeyError: \'unit\''
    assert found.issue.blame is Blame.BUG
    assert "def breaks" not in found.issue.message
    assert "KeyError" in (found.issue.hint or "")


def test_a_class_that_breaks_costs_its_field_too() -> None:
    class Breaks(Comparator):
        def compare(self, expected: Any, actual: Any) -> Any:
            return expected < actual

    evaluators.comparator("breaks")(Breaks)
    found = scored({"a": "breaks", "b": "exact"}, {"a": 1, "b": 1}, {"a": "x", "b": 1})
    assert [field.status for field in found.fields] == [FieldStatus.NOT_JUDGED, FieldStatus.MATCH]
    assert 'comparator "breaks" failed: TypeError' in (found.fields[0].reason or "")


@pytest.mark.parametrize(
    ("blame", "expected_status", "status"),
    [
        (Blame.OUTPUT, FieldStatus.ERROR, RowStatus.SCORED),
        (Blame.ENVIRONMENT, FieldStatus.NOT_JUDGED, RowStatus.UNJUDGED),
        (Blame.TESTSET, FieldStatus.NOT_JUDGED, RowStatus.INVALID),
    ],
)
def test_a_problem_that_the_function_raises_keeps_its_blame(
    blame: Blame, expected_status: FieldStatus, status: RowStatus
) -> None:
    def refuses(expected: Any, actual: Any, params: Any) -> bool:
        raise RowProblem(Issue("no-answer", blame, "the service is away"))

    evaluators.register("refuses", refuses)
    found = scored({"a": "refuses", "b": "exact"}, {"a": 1, "b": 1}, {"a": 2, "b": 1})
    assert (found.fields[0].status, found.status) == (expected_status, status)
    assert found.fields[0].reason == "the service is away"


async def slow_match(expected: Any, actual: Any, params: Any) -> float:
    await asyncio.sleep(0)
    return 1.0


def test_an_async_function_is_awaited_outside_a_loop_and_inside_one() -> None:
    evaluators.register("slow", slow_match)

    async def inside() -> FieldStatus:
        return status({"a": "slow"}, {"a": 1}, {"a": 2})

    assert status({"a": "slow"}, {"a": 1}, {"a": 2}) is FieldStatus.MATCH
    assert asyncio.run(inside()) is FieldStatus.MATCH


def test_an_awaited_function_may_itself_wait_for_another() -> None:
    async def inner() -> int:
        return 7

    async def outer() -> Any:
        return result_of(inner())

    assert result_of(outer()) == 7


def test_what_an_async_function_raises_is_its_fields_error() -> None:
    async def breaks(expected: Any, actual: Any, params: Any) -> bool:
        raise ValueError("no")

    evaluators.register("breaks", breaks)
    assert status({"a": "breaks"}, {"a": 1}, {"a": 2}) is FieldStatus.NOT_JUDGED


def test_params_reach_the_function_as_a_mapping() -> None:
    evaluators.register("within", lambda expected, actual, params: abs(expected - actual) <= params["most"])
    assert status({"a": {"within": {"most": 2}}}, {"a": 1}, {"a": 3}) is FieldStatus.MATCH
    assert status({"a": {"within": {"most": 1}}}, {"a": 1}, {"a": 3}) is FieldStatus.MISMATCH


def test_a_model_checks_the_params_when_the_suite_is_read() -> None:
    class Within(BaseModel):
        model_config = ConfigDict(extra="forbid")
        most: float = 2

    evaluators.register(
        "within", lambda expected, actual, params: abs(expected - actual) <= params["most"], params=Within
    )
    assert status({"a": "within"}, {"a": 1}, {"a": 3}) is FieldStatus.MATCH
    with pytest.raises(Problems) as caught:
        evaluators.loads("evaluators: [{json_multi_field_match: {fields: {a: {within: {mots: 1}}}}}]")
    assert caught.value.issues[0].message == 'unknown setting "mots" for comparator "within"'
    assert caught.value.issues[0].hint == 'did you mean "most"?'


def test_a_function_checks_the_params_when_the_suite_is_read() -> None:
    def read(params: dict[str, Any]) -> dict[str, Any]:
        return {"most": float(params["most"])}

    evaluators.register("within", lambda expected, actual, params: abs(expected - actual) <= params["most"], params=read)
    assert status({"a": {"within": {"most": "2"}}}, {"a": 1}, {"a": 3}) is FieldStatus.MATCH
    with pytest.raises(BadSettings) as caught:
        build(JsonMultiFieldMatch, {"fields": {"a": "within"}})
    assert caught.value.details[0].message == "comparator \"within\": KeyError: 'most'"


def test_a_batch_gets_all_the_pairs_of_a_row_in_one_call() -> None:
    calls: list[list[Question]] = []

    def together(questions: list[Question], params: Any) -> list[Any]:
        calls.append(questions)
        return [question.actual == "y" for question in questions]

    evaluators.register("together", together, batch=True)
    settings = build(
        JsonMultiFieldMatch,
        {
            "fields": {
                "items[*].a": {"compare": "together", "transforms": ["lowercase"]},
                "b": {"compare": "together", "transforms": ["lowercase"]},
                "c": "exact",
            }
        },
    )
    expected = {"items": [{"a": "P"}, {"a": "Q"}, {"a": "R"}], "b": "S", "c": 1}
    verdict = settings.compile()(expected, {"items": [{"a": "Y"}, {"a": "q"}, {"a": "N"}], "b": "Y", "c": 1})
    assert [question.path for question in calls[0]] == ["items[0].a", "items[2].a", "b"]
    assert calls[0][0] == Question("items[0].a", "p", "y", "P", "Y")
    assert verdict.statuses == bytes([FieldStatus.MISMATCH, FieldStatus.MATCH, FieldStatus.MATCH])
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([True], "returned 1 answers to 2 questions"),
        ({True: 1}, "returned dict; it must return a list with one answer per question"),
        (None, "returned NoneType; it must return a list with one answer per question"),
    ],
)
def test_a_batch_without_an_answer_per_question_costs_all_its_fields(answers: Any, said: str) -> None:
    evaluators.register("together", lambda questions, params: answers, batch=True)
    found = scored({"a": "together", "b": "together", "c": "exact"}, {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 3, "c": 1})
    assert [field.status for field in found.fields] == [FieldStatus.NOT_JUDGED, FieldStatus.NOT_JUDGED, FieldStatus.MATCH]
    assert said in (found.fields[0].reason or "")


def test_one_bad_answer_of_a_batch_costs_one_field() -> None:
    evaluators.register("together", lambda questions, params: [1.0, None, 7], batch=True)
    found = scored(
        {"a": "together", "b": "together", "c": "together"}, {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 3, "c": 4}
    )
    assert [field.status for field in found.fields] == [FieldStatus.MATCH, FieldStatus.NOT_JUDGED, FieldStatus.NOT_JUDGED]


def test_a_batch_may_be_async_and_may_break() -> None:
    async def together(questions: list[Question], params: Any) -> list[Any]:
        if params:
            raise OSError("down")
        return [True for _ in questions]

    evaluators.register("together", together, batch=True)
    assert status({"a": "together"}, {"a": 1}, {"a": 2}) is FieldStatus.MATCH
    assert status({"a": {"together": {"fail": True}}}, {"a": 1}, {"a": 2}) is FieldStatus.NOT_JUDGED


def test_a_batch_is_not_asked_how_the_items_of_lists_are_paired() -> None:
    asked: list[int] = []

    def together(questions: list[Question], params: Any) -> list[Any]:
        asked.append(len(questions))
        return [False for _ in questions]

    evaluators.register("together", together, batch=True)
    settings = build(JsonMultiFieldMatch, {"fields": {"l": {"align": "any_order"}, "l[*]": "together"}})
    verdict = settings.compile()({"l": ["Ann", "Bob", "Cy"]}, {"l": ["x", "BOB", "ann"]})
    assert asked == [2]
    assert verdict.statuses == bytes([FieldStatus.MISMATCH])


def test_a_comparator_that_is_no_batch_is_asked_one_by_one() -> None:
    def picky(expected: Any, actual: Any, params: Any) -> bool:
        if actual is None:
            raise RowProblem(Issue("x", Blame.TESTSET, "x"))
        return True

    evaluators.register("picky", picky)
    questions = [Question("a", 1, value, 1, value) for value in (2, None)]
    first, second = ask(COMPARATORS.find("picky")(), questions)
    assert first == Comparison(1.0, True, '2 passes "picky"')
    assert isinstance(second, RowProblem)
    assert ask(COMPARATORS.find("picky")(), []) == []


def test_an_earlier_function_is_replaced_only_when_asked_and_what_ships_never() -> None:
    evaluators.register("mine", returns(True))
    with pytest.raises(Problems, match="already registered"):
        evaluators.register("mine", returns(False))
    evaluators.register("mine", returns(False), overwrite=True)
    assert status({"a": "mine"}, {"a": 1}, {"a": 2}) is FieldStatus.MISMATCH
    with pytest.raises(Problems, match="ships with the package"):
        evaluators.register("exact", returns(True), overwrite=True)


@pytest.mark.parametrize("name", ["", " ", "skip", "weight", 7])
def test_a_name_that_fields_could_not_use_is_refused(name: Any) -> None:
    with pytest.raises(Problems, match="cannot be called"):
        evaluators.register(name, returns(True))


@pytest.mark.parametrize("f", [7, lambda expected, actual: True, lambda: True])
def test_what_cannot_be_called_with_three_values_is_refused(f: Any) -> None:
    with pytest.raises(Problems, match="must be a function"):
        evaluators.register("mine", f)


def test_a_function_goes_by_its_name_in_a_suite() -> None:
    evaluators.register("first_word", first_word)
    suite = evaluators.loads(
        "comparators: {lead: first_word}\nevaluators: [{json_multi_field_match: {fields: {a: lead}}}]"
    )
    result = suite.evaluate({"output": '{"a": "x 1"}', "expected": '{"a": "x 2"}'})
    assert result["json_multi_field_match"].score == 1.0


def test_a_transform_of_ones_own_changes_both_sides() -> None:
    evaluators.register_transform("digits", lambda value, params: "".join(filter(str.isdigit, value or "")))
    assert status({"a": {"transforms": ["digits"]}}, {"a": "+1 (23)"}, {"a": "123"}) is FieldStatus.MATCH


def test_a_transform_sees_null_and_its_params() -> None:
    evaluators.register_transform("default", lambda value, params: params["value"] if value is None else value)
    fields = {"a": {"transforms": [{"default": {"value": "none"}}]}}
    assert status(fields, {"a": None}, {"a": "none"}) is FieldStatus.MATCH


def test_a_transform_that_cannot_change_the_outputs_value_is_the_fields_error() -> None:
    def only_text(value: Any, params: Any) -> str:
        if not isinstance(value, str):
            raise TransformError("only text")
        return value.upper()

    evaluators.register_transform("only_text", only_text)
    fields = {"a": {"transforms": ["only_text"]}, "b": "exact"}
    found = scored(fields, {"a": "x", "b": 1}, {"a": 1, "b": 1})
    assert [field.status for field in found.fields] == [FieldStatus.ERROR, FieldStatus.MATCH]
    assert found.score == 0.5


def test_a_transform_that_breaks_costs_its_field() -> None:
    evaluators.register_transform("breaks", lambda value, params: value.upper())
    found = scored({"a": {"transforms": ["breaks"]}, "b": "exact"}, {"a": "x", "b": 1}, {"a": 1, "b": 1})
    assert [field.status for field in found.fields] == [FieldStatus.NOT_JUDGED, FieldStatus.MATCH]
    assert 'field "a": transform "breaks" failed: AttributeError' in (found.fields[0].reason or "")


def test_a_transform_is_replaced_as_a_comparator_is() -> None:
    evaluators.register_transform("mine", lambda value, params: value)
    with pytest.raises(Problems, match="already registered"):
        evaluators.register_transform("mine", lambda value, params: value)
    evaluators.register_transform("mine", lambda value, params: 1, overwrite=True)
    with pytest.raises(Problems, match="ships with the package"):
        evaluators.register_transform("strip", lambda value, params: value, overwrite=True)
    with pytest.raises(BadSettings) as caught:
        transforms.parse_transform("mien")
    assert caught.value.details[0].hint == 'did you mean "mine"?'


def test_a_transforms_params_are_checked_when_the_suite_is_read() -> None:
    class Cut(BaseModel):
        length: int

    evaluators.register_transform("cut", lambda value, params: value[: params["length"]], params=Cut)
    assert status({"a": {"transforms": [{"cut": {"length": 2}}]}}, {"a": "abc"}, {"a": "abd"}) is FieldStatus.MATCH
    with pytest.raises(BadSettings) as caught:
        transforms.parse_transform({"cut": {"length": "two"}})
    assert caught.value.details[0].loc == ("cut", "length")


def test_the_thread_that_awaits_may_rest_and_starts_again() -> None:
    before = threading.active_count()
    assert result_of(slow_match(1, 1, {})) == 1.0
    assert threading.active_count() > before or before > 1
    stop_worker()
    stop_worker()
    assert result_of(slow_match(1, 1, {})) == 1.0
    stop_worker()


WITH_WORKERS = """
import evaluators
from tests.test_extending import slow_match

evaluators.register("slow", slow_match)
suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"fields": {"a": "slow"}}}]})
print(suite.evaluate({"output": '{"a": 1}', "expected": '{"a": 2}'})["json_multi_field_match"].score)
print(suite.run("rows.jsonl", workers=2)["json_multi_field_match"].mean)
"""


@pytest.mark.slow
def test_functions_work_in_workers_also_after_an_async_one_was_used_here(tmp_path: Path) -> None:
    """In a program of its own: where other threads are running, workers are not forked, and know no function of the program."""
    row = {"output": '{"a": 1}', "expected": '{"a": 2}'}
    rows = "".join(json.dumps({"id": number, **row}) + "\n" for number in range(4))
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    house = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", WITH_WORKERS], cwd=tmp_path, env={**os.environ, "PYTHONPATH": house},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["1.0", "1.0"], done.stderr


class _Odd(evaluators.Evaluator):
    """Gives whatever score it is told."""

    type: str = "odd_score"
    gives: float

    def needs(self) -> Any:
        return (self.column("output"),)

    def measure(self, output: Any) -> Any:
        return self.gives


class _OddVerdict(_Odd):
    """The same, as a verdict."""

    type: str = "odd_verdict"

    def measure(self, output: Any) -> Any:
        return Result(RowStatus.SCORED, False, int(self.gives * 100) if self.gives == self.gives else -1, 100)


@pytest.mark.parametrize("gives", [-0.65, 1.5, math.nan, math.inf])
@pytest.mark.parametrize(("name", "plug"), [("odd_score", _Odd), ("odd_verdict", _OddVerdict)])
def test_a_score_outside_0_to_1_is_a_fault_of_its_evaluator(
    monkeypatch: pytest.MonkeyPatch, name: str, plug: Any, gives: float
) -> None:
    if name == "odd_verdict" and math.isinf(gives):
        return
    monkeypatch.setattr(BUILTIN, "_registered", {**BUILTIN._registered, name: plug})
    suite = evaluators.load({"evaluators": [{"type": name, "name": "mine", "gives": 0.5}]})
    line = suite.lines[0]
    bad = msgspec.structs.replace(line, settings=line.settings.model_copy(update={"gives": gives}))
    plan = compile_plan([bad], {"output": "output"})
    (found,) = plan.run({"output": ["x"]}, 1)[plan.evaluators[0].verdicts]
    assert (found.status, found.score) == (RowStatus.BUG, None)
    assert found.issue is not None
    assert found.issue.message.startswith(f'evaluator type "{name}" gave the score')
    assert plan.explain({"output": "x"})["mine"].issue == found.issue
    with pytest.raises(Problems, match="gave the score"):
        bad.settings.score("x")


@pytest.mark.parametrize(("gives", "said"), [
    ((3, 2), "gave the score 3/2"), ((-1, 2), "gave the score -1/2"), ("yes", "answered 'yes', which is no score"),
    (None, "answered None, which is no score"), ([1], "answered [1], which is no score"),
])  # fmt: skip
def test_an_answer_that_is_no_score_is_a_fault_of_its_evaluator(gives: Any, said: str) -> None:
    with pytest.raises(Problems, match=re.escape(said)):
        _Odd(gives=0.5).model_copy(update={"gives": gives}).score("x")


@pytest.mark.parametrize(("gives", "value", "passed"), [
    (True, 1.0, True), (False, 0.0, False), (1, 1.0, True), (0.5, 0.5, False), ((1, 3), 1 / 3, False), ((2, 2), 1.0, True),
    ((0, 0), None, None),
])  # fmt: skip
def test_what_measure_may_answer(gives: Any, value: float | None, passed: bool | None) -> None:
    score = _Odd(gives=0.5).model_copy(update={"gives": gives}).score("x")
    assert (score.score, score.passed) == (value, passed)


class _OddComparator(Comparator):
    """Gives an outcome outside 0 to 1."""

    def compare(self, expected: Any, actual: Any) -> Any:
        return Comparison(1.5, True)


@pytest.mark.parametrize("kind", [JsonMultiFieldMatch, SchemaMatch])
def test_a_class_that_scores_outside_0_to_1_costs_its_field(kind: Any) -> None:
    evaluators.comparator("odd")(_OddComparator)
    one = build(kind, {"fields": {"a": "odd"}})
    found, verdict = one.explain({"a": 1}, {"a": 2}), one.compile()({"a": 1}, {"a": 2})
    assert (found.status, verdict.status) == (RowStatus.BUG, RowStatus.BUG)
    assert 'comparator "odd" returned the score 1.5' in found.issue.message
    assert found.issue.message == verdict.issue.message


@pytest.mark.parametrize("score", [-1.0, 1.5, math.nan])
def test_a_post_processor_that_scores_outside_0_to_1_is_a_fault(score: float) -> None:
    def odd(results: list[Any]) -> list[Any]:
        return [replace(result, score=score) for result in results]

    one = build(SchemaMatch, {"fields": ["a"], "post_process": [odd]})
    with pytest.raises(Problems, match='the post-processor "odd" gave "a" the score'):
        one.score({"a": 1}, {"a": 1})
