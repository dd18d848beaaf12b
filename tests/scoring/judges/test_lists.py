"""Questions that cost are asked in lists: those of a chunk of rows together, and each different one once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

import evaluators
from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Needs
from evaluators.scoring.fields.listed_rows import ListedCheck
from evaluators.scoring.fields.schema_check import SchemaCheck
from evaluators.scoring.judges.asking import ask
from tests.kit import exported, lines_of, write_rows

XEVAL = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "x-eval-compare": "alike"},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "string", "x-eval-compare": "alike"}}},
        },
    },
}
CONFIG = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "evaluation_config": "alike"},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "string", "evaluation_config": "alike"}}},
        },
    },
}
COMPOUND = {"a": "alike", "items[*]": {"compound": {"fields": ["n", "m"], "compare": "alike"}}}
LISTED = {"a": "alike", "items[*].n": "alike"}
FAMILIES: dict[str, dict[str, Any]] = {
    "listed fields": {"json_multi_field_match": {"fields": LISTED}},
    "a compound of listed fields": {"json_multi_field_match": {"fields": COMPOUND}},
    "fields of a schema": {"schema_match": {"fields": LISTED}},
    "a compound of a schema": {"schema_match": {"fields": COMPOUND}},
    "x-eval": {"schema_match": {"schema": XEVAL}},
    "evaluation_config": {"schema_match": {"schema": CONFIG}},
    "paired items": {"schema_match": {"fields": {**LISTED, "items": {"align": "hungarian"}}}},
    "an evaluator of one's own": {"asking": {}},
}


class AsksTwice(Evaluator):
    """An evaluator that asks a comparator about the field `a`, and, where it matches, about the first item."""

    type: Literal["asking"] = "asking"
    asked_rows: ClassVar[list[Any]] = []

    def needs(self) -> Needs:
        return evaluators.Expected(self.column("expected")), evaluators.Output(self.column("output"), "object")

    def asking(self) -> evaluators.Asking:
        return evaluators.Asking(self.measure)

    def measure(self, expected: Any, output: Any) -> bool:
        return self._found(expected, output)[0]

    def reason(self, expected: Any, output: Any) -> str:
        return self._found(expected, output)[1]

    def _found(self, expected: Any, output: Any) -> tuple[bool, str]:
        comparator = COMPARATORS.find("alike")()

        def about(ours: Any, theirs: Any) -> Any:
            return ask(comparator, [evaluators.Question("a", ours, theirs, ours, theirs)])[0]

        first = about(expected["a"], output["a"])
        if not isinstance(first, Comparison) or not first.passed:
            return False, "the first question"
        second = about(expected["items"][0]["n"], output["items"][0]["n"])
        return isinstance(second, Comparison) and second.passed, "the second question"


@pytest.fixture(autouse=True)
def asks_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILTIN._registered, "asking", AsksTwice)


Calls = list[list[tuple[str, Any, Any]]]


def alike(expected: Any, actual: Any) -> bool:
    """A rule that matches about half of the pairs, whoever asks."""
    return len(json.dumps([expected, actual])) % 2 == 0


def register_batch(batch: Any = True, breaks: Callable[[Sequence[Any]], bool] = lambda questions: False) -> Calls:
    """The comparator `alike` as a batch; its calls."""
    calls: Calls = []

    def judge(questions: Any, params: Any) -> list[bool]:
        calls.append([(one.path, one.expected, one.actual) for one in questions])
        if breaks(questions):
            raise OSError("down")
        return [alike(one.expected, one.actual) for one in questions]

    evaluators.register("alike", judge, overwrite=True, batch=batch)
    return calls


def rows(count: int = 12) -> list[dict[str, Any]]:
    """Rows in which values come back."""
    return [
        {
            "id": str(number),
            "expected": {"a": f"x{number % 5}", "items": [{"n": f"{number % 4}-1", "m": "m"}, {"n": "two", "m": "m"}]},
            "output": {
                "a": f"{'y' * (number % 3 + 1)}", "items": [{"n": f"{number % 4}-1!", "m": "k"}, {"n": "2", "m": "k"}]
            },
        }
        for number in range(count)
    ]  # fmt: skip


def rows_file(folder: Path, count: int = 12) -> Path:
    return write_rows(folder / "rows.jsonl", rows(count))


def run(family: dict[str, Any], folder: Path, name: str = "run", **options: Any) -> Path:
    """The run folder of a family over the rows."""
    suite = evaluators.load({"evaluators": [family], **options.pop("suite", {})})
    suite.run(rows_file(folder), results=folder / "runs", name=name, **options)
    return folder / "runs" / name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_batch_gets_the_distinct_questions_of_a_chunk_in_one_call(family: str, tmp_path: Path) -> None:
    calls = register_batch()
    run(FAMILIES[family], tmp_path)
    rounds = 2 if family == "an evaluator of one's own" else 1  # what it asks next depends on an answer
    assert len(calls) == rounds
    asked = [json.dumps(one[1:]) for call in calls for one in call]
    assert len(asked) == len(set(asked)) > 4


@pytest.mark.parametrize("family", FAMILIES)
def test_lists_say_what_asking_row_by_row_says(family: str, tmp_path: Path) -> None:
    register_batch()
    together = run(FAMILIES[family], tmp_path, "together")
    register_batch("row")
    by_row = run(FAMILIES[family], tmp_path, "by row")
    evaluators.register("alike", lambda expected, actual, params: alike(expected, actual), overwrite=True)
    # a function that costs nothing helps to pair items, so that lists are paired otherwise
    plain = (
        run(FAMILIES[family], tmp_path, "plain")
        if family not in ("paired items", "an evaluator of one's own")
        else by_row
    )
    for word in ("rows", "codes", "outcomes"):
        assert exported(together, word) == exported(by_row, word)
    assert exported(together, "rows") == exported(plain, "rows")


def test_two_evaluators_that_do_not_wait_for_each_other_share_a_call(tmp_path: Path) -> None:
    calls = register_batch()
    first = {"json_multi_field_match": {"name": "one", "fields": {"a": "alike"}}}
    second = {"json_multi_field_match": {"name": "two", "fields": {"a": "alike", "items[0].n": "alike"}}}
    suite = evaluators.load({"evaluators": [first, second]})
    suite.run(rows_file(tmp_path))
    assert len(calls) == 1


def test_one_that_waits_asks_in_a_later_round_and_a_blocked_row_asks_nothing(tmp_path: Path) -> None:
    calls = register_batch()
    first = {"json_multi_field_match": {"name": "one", "fields": {"a": "alike"}}}
    second = {"json_multi_field_match": {"name": "two", "needs": ["one"], "fields": {"items[0].n": "alike"}}}
    suite = evaluators.load({"evaluators": [second, first]})
    result = suite.run(rows_file(tmp_path))
    assert [len(call) for call in calls] == [len({(one[1], one[2]) for one in call}) for call in calls]
    assert len(calls) == 2
    open_rows = [row for row in rows() if alike(row["expected"]["a"], row["output"]["a"])]
    assert 0 < len(open_rows) < 12
    asked = {(one[1], one[2]) for one in calls[1]}
    assert asked == {(row["expected"]["items"][0]["n"], row["output"]["items"][0]["n"]) for row in open_rows}
    assert result.evaluators[0].blocked == 12 - len(open_rows)


def test_a_call_that_fails_as_a_whole_costs_one_row(tmp_path: Path) -> None:
    poisoned = "x3"
    calls = register_batch(True, lambda questions: any(one.expected == poisoned for one in questions))
    folder = run(FAMILIES["fields of a schema"], tmp_path)
    assert len(calls[0]) > 10  # the whole chunk, which fails
    lines, codes = lines_of(folder, "rows"), lines_of(folder, "codes")
    bugs = [line["id"] for line in lines if codes[line["codes"][0]]["status"] == "bug"]
    assert bugs == [row["id"] for row in rows() if row["expected"]["a"] == poisoned]
    asked_again = [json.dumps(one[1:]) for call in calls[1:] for one in call if one[1] != poisoned]
    failed_rows = [call for call in calls[1:] if any(one[1] == poisoned for one in call)]
    assert len(failed_rows) == len(bugs)
    assert len(asked_again) - len(set(asked_again)) <= sum(len(call) for call in failed_rows)


def test_async_functions_run_at_once_within_their_bound(tmp_path: Path) -> None:
    running = most = 0
    gate: list[asyncio.Event] = []

    async def slow(expected: Any, actual: Any, params: Any) -> bool:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if not gate:
            gate.append(asyncio.Event())
        if running == 3:  # the bound is reached: everybody may go on
            gate[0].set()
        await asyncio.wait_for(gate[0].wait(), 10)
        running -= 1
        return alike(expected, actual)

    evaluators.register("alike", slow, at_once=3)
    run(FAMILIES["listed fields"], tmp_path)
    assert most == 3


@pytest.mark.parametrize("bad", [0, -1, True, 2.5])
def test_a_bound_is_a_whole_number_from_one_up(bad: Any) -> None:
    with pytest.raises(evaluators.Problems, match="at_once must be a whole number"):
        evaluators.register("alike", lambda expected, actual, params: True, at_once=bad)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_lists_are_the_same_for_any_number_of_workers(workers: int, tmp_path: Path) -> None:
    register_batch()
    alone = run(FAMILIES["x-eval"], tmp_path, "alone")
    several = run(FAMILIES["x-eval"], tmp_path, "several", workers=workers, engine="in_process")
    assert exported(alone, "answers") == exported(several, "answers") != ""


def test_rows_of_an_async_batch_are_asked_at_once(tmp_path: Path) -> None:
    running = most = 0
    gate: list[asyncio.Event] = []

    async def judge(questions: Any, params: Any) -> list[bool]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if not gate:
            gate.append(asyncio.Event())
        if running == 4:
            gate[0].set()
        await asyncio.wait_for(gate[0].wait(), 10)
        running -= 1
        return [alike(one.expected, one.actual) for one in questions]

    evaluators.register("alike", judge, batch="row", at_once=4)
    run(FAMILIES["fields of a schema"], tmp_path)
    assert most == 4


@pytest.mark.parametrize("bad", ["rows", 2, None])
def test_what_a_batch_may_be_is_checked(bad: Any) -> None:
    with pytest.raises(evaluators.Problems, match="batch must be true, false"):
        evaluators.register("alike", lambda questions, params: [], batch=bad)


def test_propagated_errors_stay_within_their_row(tmp_path: Path) -> None:
    def judge(questions: Any, params: Any) -> list[Any]:
        return [None if one.expected == "x3" else True for one in questions]

    evaluators.register("alike", judge, batch=True)
    schema = FAMILIES["x-eval"]["schema_match"]
    suite = evaluators.load({"evaluators": [{"schema_match": {**schema, "post_process": ["propagate_batch_errors"]}}]})
    suite.run(rows_file(tmp_path), results=tmp_path / "runs", name="run")
    lines = lines_of(tmp_path / "runs" / "run", "outcomes")
    by_row: dict[int, set[str]] = {}
    for line in lines:
        if "path" in line:
            by_row.setdefault(line["row"], set()).add(line["status"])
    broken = [row for row, statuses in by_row.items() if statuses == {"not_judged"}]
    assert broken == [int(row["id"]) + 1 for row in rows() if row["expected"]["a"] == "x3"]
    assert all(statuses == {"match"} for row, statuses in by_row.items() if row not in broken)


ONE_BY_ONE = "an evaluator of one's own"
CHECKS: tuple[type[ListedCheck | SchemaCheck], ...] = (ListedCheck, SchemaCheck)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != ONE_BY_ONE])
def test_the_rows_of_a_chunk_are_gone_through_once(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone_through = []
    for check in CHECKS:
        begin = check.begin

        def counted(self: Any, expected: Any, *columns: Any, begin: Any = begin) -> Any:
            gone_through.append(len(expected))
            return begin(self, expected, *columns)

        monkeypatch.setattr(check, "begin", counted)
    register_batch()
    run(FAMILIES[family], tmp_path)
    assert gone_through == [12]


def test_a_suite_that_asks_nothing_has_no_step_for_it() -> None:
    evaluators.register("alike", lambda expected, actual, params: True)
    suite = evaluators.load({"evaluators": [FAMILIES["listed fields"], "exact_match"]})
    assert "ask" not in suite.plan().describe()
    register_batch()
    assert (
        "what json_multi_field_match asks"
        in evaluators.load({"evaluators": [FAMILIES["listed fields"]]}).plan().describe()
    )
