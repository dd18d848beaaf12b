"""`array_llm`: what a judge claims of two lists counts only where it adds up."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from msgspec.structs import replace

import evaluators
from evaluators.integrations.compat import struct_extract_eval
from evaluators.runs.record_lines import outcome_line, records_by_evaluator
from evaluators.scoring.fields.outcomes import ListOutcome
from evaluators.scoring.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion
from evaluators.scoring.judges.messages import messages_of, prompt_of
from evaluators.scoring.judges.replies import BadReply, verdicts_in
from tests.kit import cli, write_rows

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
    write_rows(file, [{"id": "1", "expected": {"t": expected}, "output": {"t": output}}])
    compare = {"array_llm": options} if options else "array_llm"
    lines = [{"json_multi_field_match": {"fields": {"t": compare}}}]
    return (
        evaluators.load({"judge": "claims", "evaluators": lines}).run(file, results=tmp_path / "runs", name="run").result
    )


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


ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "evaluation_config": "string_exact"},
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string", "evaluation_config": {
            "metrics": [{"metric_id": "string_fuzzy", "params": {"threshold": 0.9}}]}}},
    },
}  # fmt: skip
SCALAR = {"type": "integer"}


def evaluated(
    items: Any, expected: Any, output: Any, *, of_list: Any = "array_llm", **settings: Any
) -> struct_extract_eval.Evaluation:
    schema = {
        "type": "object",
        "properties": {
            "a": SCALAR, "b": SCALAR, "list": {"type": "array", "items": items, "evaluation_config": of_list},
        },
    }  # fmt: skip
    document = {"a": 1, "b": 2}
    return struct_extract_eval.evaluate(
        [{**document, "list": expected}], [{**document, "list": output}], schema, judge={"claims": {}}, **settings
    )


def mean(found: struct_extract_eval.Evaluation, name: str) -> float | None:
    figure = found.stats.metric(name)
    return None if figure is None else figure.mean


def coded(*codes: str) -> list[dict[str, Any]]:
    return [{"code": code, "name": "x"} for code in codes]


def test_a_judged_list_weighs_as_much_as_it_has_expected_items(tmp_path: Path) -> None:
    Claims.claimed = {"matched": 2, "missed": 1, "spurious": 1, "pairs": [[0, 0], [2, 1]]}
    found = evaluated(ITEM, coded("p", "q", "r"), coded("p", "r", "s"))
    assert mean(found, "overall_score") == pytest.approx(4 / 5)
    assert mean(found, "field_score") == pytest.approx((2 + 2 / 3) / 3)
    array = found.arrays["list"]
    assert (array.matched, array.missing, array.extra, array.results_passed) == (2, 1, 1, 0)
    folder = found.save(tmp_path / "report")
    assert "list [FAIL] score=0.667" in (folder / "summary.txt").read_text(encoding="utf-8")
    table = csv.DictReader((folder / "fields.csv").read_text(encoding="utf-8").splitlines())
    (line,) = [one for one in table if one["normalized_path"] == "list"]
    assert [line[name] for name in ("metric_id", "matched", "missed_gold", "spurious_pred")] == [
        "array_llm",
        "2",
        "1",
        "1",
    ]
    assert [round(float(line[name]), 4) for name in ("score", "precision", "recall", "f1")] == [0.6667] * 4
    assert "as told" in line["reasoning"]
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (outcome,) = [one for one in report["field_outcomes"] if one["normalized_path"] == "list"]
    breakdown = outcome["array_breakdown"]
    assert breakdown["matched_items"] == coded("p", "r")
    assert (breakdown["missed_gold_items"], breakdown["spurious_pred_items"]) == (coded("q"), coded("s"))
    assert report["outcomes"]["total_evaluated"] == 3
    assert report["outcomes"]["llm_stats"]["call_count"] == 1
    assert [one["normalized_path"] for one in report["field_outcomes"]] == ["a", "b", "list"]


PUBLISHED = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "evaluation_config": "string_exact"},
        "age": {"type": "integer"},
        "items": {"type": "array", "items": {"type": "string"}, "evaluation_config": "array_llm"},
    },
}


def published_run(
    tmp_path: Path, claimed: dict[str, Any], expected: list[str], output: list[str]
) -> evaluators.RunResult:
    """A run over one row by the schema that extract-bench's page has."""
    Claims.claimed = claimed
    documents = {
        "expected": {"name": "A", "age": 3, "items": expected},
        "output": {"name": "A", "age": 3, "items": output},
    }
    write_rows(tmp_path / "rows.jsonl", [{"id": "1", **documents}])
    suite = evaluators.load({"judge": "claims", "evaluators": [{"schema_match": {"schema": PUBLISHED}}]})
    return suite.run(tmp_path / "rows.jsonl", results=tmp_path / "runs", name="run").result


def test_every_statement_about_a_judged_list_is_about_its_items(tmp_path: Path) -> None:
    expected, output = [f"item {at}" for at in range(10)], [f"thing {at}" for at in range(9)]
    result = published_run(tmp_path, {"matched": 8, "missed": 2, "spurious": 1}, expected, output)
    (stats,) = result.evaluators
    assert stats.counts is not None
    assert (stats.counts.match, stats.counts.mismatch, stats.counts.omission, stats.counts.hallucination) == (10, 0, 2, 1)
    assert stats.micro_precision == pytest.approx(10 / 11)
    assert stats.micro_recall == pytest.approx(10 / 12)
    assert stats.micro_f1 == pytest.approx(20 / 23)
    named = {one.name: one.mean for one in stats.metrics}
    assert (named["mean_precision"], named["mean_recall"], named["mean_f1"]) == pytest.approx((10 / 11, 10 / 12, 20 / 23))
    assert (named["field_score"], named["overall_pass_rate"]) == pytest.approx(
        (2.8 / 3, 1.0)
    )  # as extract-bench has them
    field = next(one for one in stats.fields if one.path == "items")
    assert (field.accuracy, field.score) == pytest.approx((8 / 11, 8 / 11))
    assert result.judges[0].scores == (0, 0, 0, 0, 1)  # 0.8, not what the judge wrote beside its counts
    text = (tmp_path / "runs" / "run" / "summary.txt").read_text(encoding="utf-8")
    assert "right in every row" not in text
    assert "scores: 1 from 0.8 to 1.0" in cli("report", str(tmp_path / "runs" / "run"), "-v").output
    row = json.loads((tmp_path / "rows.jsonl").read_text(encoding="utf-8"))
    suite = evaluators.load({"judge": "claims", "evaluators": [{"schema_match": {"schema": PUBLISHED}}]})
    said = suite.evaluate(row)["schema_match"]
    assert said.reason == "10 of 13 fields right; first difference: items, 8 matched, 2 missed, 1 spurious: as told"


def test_a_list_that_lacks_an_item_is_not_said_to_be_missing(tmp_path: Path) -> None:
    published_run(tmp_path, {"matched": 1, "missed": 1, "spurious": 0}, ["car", "boat"], ["automobile"])
    text = cli("report", str(tmp_path / "runs" / "run"), "-v").output
    assert "1 × items, row 1: 1 matched, 1 missed, 0 spurious: as told" in text
    assert "missing: [" not in text


def test_a_list_that_passes_with_a_part_of_its_score_is_not_said_to_be_right(tmp_path: Path) -> None:
    Claims.claimed = {"matched": 1, "missed": 1, "spurious": 1}
    score(tmp_path, {"at_least": 0.5}, output=["automobile", "plane"])
    text = " ".join(cli("report", str(tmp_path / "runs" / "run"), "-v").output.split())
    assert "is right in every row" not in text
    assert "counts as right in every row, some with a part of the score: mean json_multi_field_match 0.5000." in text


@pytest.mark.parametrize(
    ("claimed", "expected", "output", "counts", "status"),
    [
        ({"matched": 2, "missed": 0, "spurious": 0}, ["a", "b"], ["c", "d"], (4, 0, 0, 0), "match"),
        ({"matched": 2, "missed": 0, "spurious": 1}, ["a", "b"], ["c", "d", "e"], (4, 0, 0, 1), "hallucination"),
        ({"matched": 1, "missed": 1, "spurious": 0}, ["a", "b"], ["c"], (3, 0, 1, 0), "omission"),
        ({"matched": 1, "missed": 1, "spurious": 1}, ["a", "b"], ["c", "d"], (3, 0, 1, 1), "mismatch"),
        ({}, ["a", "b"], None, (2, 0, 2, 0), "omission"),
        ({}, None, ["a", "b"], (2, 0, 0, 2), "hallucination"),
        ({}, ["a", "b"], "a, b", (2, 0, 2, 1), "mismatch"),
        ({}, "a, b", ["a", "b"], (2, 1, 0, 0), "mismatch"),
        ({}, [], [], (3, 0, 0, 0), "match"),
    ],
)
def test_items_of_a_judged_list_are_counted_one_by_one(
    claimed: dict[str, Any], expected: Any, output: Any, counts: tuple[int, ...], status: str
) -> None:
    Claims.claimed = claimed
    found = evaluated({"type": "string"}, expected, output, of_list={
        "metrics": [{"metric_id": "array_llm", "params": {"at_least": 0.5}}]})  # fmt: skip
    stats = found.stats.counts
    assert stats is not None
    assert (stats.match, stats.mismatch, stats.omission, stats.hallucination) == counts
    (result,) = [one for one in found.records[0].field_results if one.path == "list"]
    assert result.status.word == status


def test_an_answer_that_does_not_add_up_has_no_score_among_those_of_the_judge(tmp_path: Path) -> None:
    result = published_run(tmp_path, {"matched": 7, "missed": 0, "spurious": 0}, ["a", "b"], ["c"])
    assert (result.judges[0].unanswered, sum(result.judges[0].scores)) == (1, 0)


@pytest.mark.parametrize(
    ("at_least", "extra_items", "overall", "passed"),
    [(0.7, "ignore", 4 / 5, 0), (0.6, "ignore", 4 / 5, 1), (0.6, "penalize", (2 + 3 * 0.5) / 5, 0)],
)
def test_a_judged_list_passes_as_its_metric_says(
    tmp_path: Path, at_least: float, extra_items: str, overall: float, passed: int
) -> None:
    Claims.claimed = {"matched": 2, "missed": 1, "spurious": 1, "pairs": [[0, 0], [2, 1]]}
    metric = {"metrics": [{"metric_id": "array_llm", "params": {"pass_threshold": at_least, "extra_items": extra_items}}]}
    found = evaluated(ITEM, coded("p", "q", "r"), coded("p", "r", "s"), of_list=metric)
    assert mean(found, "overall_score") == pytest.approx(overall)
    assert found.arrays["list"].results_passed == passed
    text = (found.save(tmp_path / "report") / "summary.txt").read_text(encoding="utf-8")
    assert f"list [{'PASS' if passed else 'FAIL'}]" in text


@pytest.mark.parametrize(
    ("expected", "output", "items", "overall"),
    [
        (coded("p", "q"), coded("p", "q"), (2, 0, 0), 1.0),
        (coded("p", "q", "r"), [], (0, 3, 0), 2 / 5),
        (coded("p", "q", "r"), None, (0, 3, 0), 2 / 5),
        ([], coded("p"), (0, 0, 1), 2 / 3),
    ],
)
def test_a_list_that_needs_no_question_has_its_items_too(
    expected: Any, output: Any, items: tuple[int, int, int], overall: float
) -> None:
    found = evaluated(ITEM, expected, output)
    array = found.arrays["list"]
    assert (array.matched, array.missing, array.extra) == items
    assert mean(found, "overall_score") == pytest.approx(overall)
    assert Claims.asked == []


def test_two_empty_lists_are_one_entry_that_is_right() -> None:
    found = evaluated(ITEM, [], [])
    assert (mean(found, "overall_score"), found.stats.results, found.stats.results_passed) == (1.0, 3, 3)


def test_another_metric_of_a_judged_list_is_an_entry_of_its_own() -> None:
    Claims.claimed = {"matched": 1, "missed": 1, "spurious": 1, "pairs": [[0, 0]]}
    both = {"metrics": [{"metric_id": "array_llm"}, {"metric_id": "exact"}]}
    found = evaluated(ITEM, coded("p", "q"), coded("p", "r"), of_list=both)
    assert mean(found, "overall_score") == pytest.approx((2 + 2 * 0.5 + 0) / 5)
    assert (found.stats.results, found.stats.results_passed) == (4, 2)
    assert found.stats.counts is not None
    assert (found.stats.counts.match, found.stats.counts.n) == (3, 6)  # two scalars, three items, and what the other says


def test_a_judged_list_inside_items_is_no_entry() -> None:
    Claims.claimed = {"matched": 1, "missed": 1, "spurious": 1, "pairs": [[0, 0]]}
    inner = {"type": "object", "properties": {"n": SCALAR, "l": {
        "type": "array", "items": {"type": "string"}, "evaluation_config": "array_llm"}}}  # fmt: skip
    found = evaluated(inner, [{"n": 1, "l": ["a", "b"]}], [{"n": 1, "l": ["a", "c"]}], of_list=None)
    assert found.stats.results == 3
    assert mean(found, "overall_score") == pytest.approx(2 / 3)
    assert set(found.arrays) == {"list", "list[*].l"}


@pytest.mark.parametrize(
    ("named", "asked"), [("string_exact", 1), ("string_case_insensitive", 1), ("string_semantic", 0)]
)
def test_lists_that_differ_in_case_alone_are_equal_where_their_items_do_not_tell_case_apart(
    named: str, asked: int
) -> None:
    Claims.claimed = {"matched": 0, "missed": 1, "spurious": 1, "pairs": []}
    item = {"type": "object", "properties": {"code": {"type": "string", "evaluation_config": named}}}
    found = evaluated(item, [{"code": "ab12"}], [{"code": "AB12"}])
    assert (len(Claims.asked), found.arrays["list"].matched) == (asked, 1 - asked)
    assert evaluated({"type": "string", "evaluation_config": named}, ["ab"], ["AB"]).arrays["list"].matched == 1 - asked


def test_the_metrics_of_the_items_are_told_to_the_judge() -> None:
    evaluated(ITEM, coded("p"), coded("q", "r"), of_list={"metrics": [
        {"metric_id": "array_llm", "params": {"additional_instructions": "Codes count."}}]})  # fmt: skip
    (question,) = Claims.asked
    assert question.params == {
        "items": {"code": "string_exact", "name": "string_semantic", "tags[*]": "string_fuzzy {threshold: 0.9}"}
    }
    prompt = prompt_of("array_llm")
    assert prompt is not None
    text = messages_of(prompt, [question])[1]["content"]
    told = '- id 1, how parts of an item are compared: {"code": "string_exact", "name": "string_semantic", '
    assert told in text.partition("=== data")[0]
    assert '- id 1: "Codes count."' in text


def test_a_recursive_schema_and_a_choice_tell_what_their_items_are_compared_by() -> None:
    part: dict[str, Any] = {"type": "object", "properties": {
        "n": {"type": "string", "evaluation_config": "string_exact"},
        "kids": {"type": "array", "items": {"$ref": "#/$defs/part"}},
    }}  # fmt: skip
    choice = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/part"}}, {"type": "null"}]}
    schema = {
        "$defs": {"part": part},
        "type": "object",
        "properties": {"l": {**choice, "evaluation_config": "array_llm"}},
    }
    Claims.claimed = {"matched": 0, "missed": 1, "spurious": 1, "pairs": []}
    struct_extract_eval.evaluate([{"l": [{"n": "a"}]}], [{"l": [{"n": "b"}]}], schema, judge={"claims": {}})
    assert Claims.asked[-1].params == {"items": {"n": "string_exact", "kids[*].n": "string_exact"}}


def test_an_old_record_of_a_judged_list_is_read(tmp_path: Path) -> None:
    """What a run folder says of a list comes back as it was scored, its threshold and its surplus included."""
    array = ListOutcome(
        "l", "l", "array_llm", "mismatch", 2, 1, 1, 2, (), extra_items=True, comparator="array_llm", pass_at=(1, 2)
    )
    line = msgspec.json.decode(b'{"row":3,"evaluator":"e",' + outcome_line(array, 1_000)[1:], type=ListOutcome)
    (found,) = records_by_evaluator([line])["e"].arrays
    assert (found.passed, found.score) == (True, Fraction(1, 2))
    assert found == replace(array, row=3, evaluator="e")


@pytest.mark.parametrize("metric", ["string_semantic", "string_llm", "semantic"])
def test_null_costs_no_question_in_an_evaluation_config(metric: str) -> None:
    kinds = ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]})
    for kind in kinds:
        schema = {"type": "object", "properties": {"a": {**kind, "evaluation_config": metric}}}
        documents = [{"a": "x"}, {"a": None}, {}], [{"a": None}, {"a": "x"}, {"a": None}]
        found = struct_extract_eval.evaluate(*documents, schema, judge={"claims": {}})
        assert mean(found, "field_score") == 0.0
        assert [row.field_results[0].details["code"] for row in found.records] == [
            "extracted_null", "gold_null", "gold_missing",
        ]  # fmt: skip
    assert Claims.asked == []
    assert score_of_null_elsewhere() == 1


def score_of_null_elsewhere() -> int:
    """In `fields:`, the instructions of a field may say what null means."""
    lines = [{"json_multi_field_match": {"fields": {"t": {"string_llm": {"instructions": "null is as good as none"}}}}}]
    evaluators.load({"judge": "claims", "evaluators": lines}).evaluate({"expected": {"t": "none"}, "output": {"t": None}})
    return len(Claims.asked)


CANNOT_BE_A_LIST: list[dict[str, Any]] = [
    {"type": "string"}, {"type": ["string", "null"]}, {"type": "object", "properties": {}}, {"enum": ["a", "b"]},
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
]  # fmt: skip


@pytest.mark.parametrize("kind", CANNOT_BE_A_LIST)
@pytest.mark.parametrize("said", ["evaluation_config", "x-eval-compare"])
@pytest.mark.parametrize("suite", [{"judge": {"claims": {}}}, {"fallback": {"array_llm": "hungarian"}}])
def test_a_list_metric_is_refused_where_no_list_can_stand(kind: dict[str, Any], said: str, suite: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"a": {**kind, said: "array_llm"}}}
    with pytest.raises(
        evaluators.Problems, match=r'"array_llm" compares two lists, and the schema says (string|object|null)'
    ):
        struct_extract_eval.evaluate([{"a": "x"}], [{"a": "x"}], schema, **suite)


def test_a_list_metric_is_no_default_of_another_type() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    with pytest.raises(evaluators.Problems, match="compares two lists"):
        struct_extract_eval.evaluate([{}], [{}], schema, judge={"claims": {}}, defaults={"string": "array_llm"})


@pytest.mark.parametrize("written", ["2", "2.0", '"2"', '"2.0"'])
def test_a_count_may_be_written_as_a_decimal_or_as_text(written: str) -> None:
    prompt = prompt_of("array_llm")
    assert prompt is not None
    pairs = "[[0, 0], [1, 1]]"
    reply = f'{{"verdicts": [{{"id": 1, "reason": "x", "matched": {written}, "missed": 0, "spurious": 1.0, "pairs": {pairs}}}]}}'
    (found,) = verdicts_in(reply, prompt, 1)
    assert isinstance(found, JudgeAnswer)
    assert (found.details["matched"], found.details["spurious"]) == (2, 1)
    (refused,) = verdicts_in(reply.replace("1.0", "1.5"), prompt, 1)
    assert isinstance(refused, BadReply)
