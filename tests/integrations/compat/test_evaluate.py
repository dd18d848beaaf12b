"""`evaluate` from Python: the figures of a run, without files."""

from __future__ import annotations

import asyncio
import csv
import gc
import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.integrations.compat import extract_bench, struct_extract_eval
from evaluators.model.rows import FieldStatus, RowStatus

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-eval-transform": ["lowercase"]},
        "size": {"type": "number", "x-eval-compare": {"numeric": {"tolerance": {"abs": 1}}}},
        "note": {"type": "string", "x-eval-compare": {"fuzzy": {"at_least": 0.5, "partial": True}}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "items": {
            "type": "array",
            "x-eval-align": {"match_by": "hungarian"},
            "items": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}}},
        },
    },
}
EXTRACT_BENCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "evaluation_config": "string_exact"},
        "age": {"type": "integer"},
        "items": {"type": "array", "items": {"type": "integer"}},
    },
}
TEN = {"name": "Ann", "age": 30, "items": list(range(10))}
EIGHT = {"name": "Ann", "age": 30, "items": list(range(8))}

WORDS = st.sampled_from(["a", "A", "ab", "abc", ""])
NUMBERS = st.sampled_from([0, 1, 2, 2.5])
ITEMS = st.lists(st.fixed_dictionaries({}, optional={"sku": WORDS, "qty": st.integers(0, 2)}), max_size=3)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "name": WORDS | st.none(),
        "size": NUMBERS | WORDS,
        "note": WORDS,
        "tags": st.lists(WORDS, max_size=3) | st.none(),
        "items": ITEMS,
        "more": WORDS,
    },
)
OUTPUTS = DOCUMENTS | st.sampled_from(["sorry", "", '```json\n{"name": "a"}\n```', '{"tags": ["a"]}', None])
ROWS = st.lists(st.tuples(DOCUMENTS | st.sampled_from(['{"name": "a"}', "no JSON"]), OUTPUTS), min_size=1, max_size=8)


@given(rows=ROWS, nulls=st.sampled_from(["value", "absent"]))
def test_figures_are_those_of_a_run_to_the_last_bit(rows: list[tuple[Any, Any]], nulls: Any) -> None:
    expected, outputs = [one for one, _ in rows], [one for _, one in rows]
    found = struct_extract_eval.evaluate(expected, outputs, SCHEMA, nulls=nulls)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.jsonl"
        lines = [json.dumps({"id": n, "expected": one, "output": other}) for n, (one, other) in enumerate(rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        suite = evaluators.load({"evaluators": [{"schema_match": {"schema": SCHEMA, "nulls": nulls}}]})
        run = suite.run(file)
    assert found.stats == run["schema_match"]
    assert found.mean_f1 == next(one.mean for one in run["schema_match"].metrics if one.name == "mean_f1")


@given(rows=ROWS)
def test_the_totals_are_what_the_records_say(rows: list[tuple[Any, Any]]) -> None:
    found = struct_extract_eval.evaluate([one for one, _ in rows], [one for _, one in rows], SCHEMA)
    results = [result.status for record in found.records for result in record.field_results]
    assert found.total_records == len(rows) == len(found.records)
    assert found.total_omissions == results.count(FieldStatus.OMISSION)
    assert found.total_hallucinations == results.count(FieldStatus.HALLUCINATION)
    assert found.total_fields == sum(status not in (FieldStatus.SKIPPED, FieldStatus.NOT_JUDGED) for status in results)
    for path, figures in found.per_field.items():
        statuses = [result.status for _, result in figures.instances]
        assert figures.matches == statuses.count(FieldStatus.MATCH), path
        assert figures.mismatches == statuses.count(FieldStatus.MISMATCH) + statuses.count(FieldStatus.ERROR), path


def test_the_totals_of_extract_bench_are_those_of_its_page() -> None:
    found = extract_bench.evaluate_document(EXTRACT_BENCH, TEN, EIGHT)
    assert (found.field_score, found.overall_score) == (14 / 15, 10 / 12)
    assert (found.overall_pass_rate, found.total_evaluated) == (2 / 3, 3)


PLAIN = [
    ("number", 1.0, 1.0005, "number_tolerance", 1.0),
    ("number", 1.0, 1.0015, "number_tolerance", 0.0),
    ("integer", 3, 4, "integer_exact", 0.0),
    ("boolean", True, True, "boolean_exact", 1.0),
    ("string", "a", "a", "string_semantic", 1.0),
]


@pytest.mark.parametrize(("json_type", "expected", "output", "metric", "score"), PLAIN)
@pytest.mark.parametrize("given_as", ["a map", "a file"])
def test_extract_bench_compares_a_field_without_a_metric_as_its_page_says(
    json_type: str, expected: Any, output: Any, metric: str, score: float, given_as: str, tmp_path: Path
) -> None:
    schema: Any = {"type": "object", "properties": {"n": {"type": json_type}}}
    if given_as == "a file":
        (tmp_path / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
        schema = tmp_path / "schema.json"
    fallback = {"string_semantic": "fuzzy"} if json_type == "string" else None
    found = extract_bench.evaluate_document(schema, {"n": expected}, {"n": output}, fallback=fallback)
    (name,) = found.results["n"]
    assert (name if fallback is None else metric, found.overall_score) == (metric, score)
    assert found.warnings == ()
    many = extract_bench.evaluate([{"n": expected}], [{"n": output}], schema, fallback=fallback)
    assert many.overall_score == score
    later = asyncio.run(extract_bench.evaluate_document_async(schema, {"n": expected}, {"n": output}, fallback=fallback))
    assert later.results == found.results


def test_extract_bench_asks_a_model_about_text_that_names_no_metric() -> None:
    with pytest.raises(evaluators.Problems, match="1 field needs a judge"):
        extract_bench.evaluate([{"a": "x"}], [{"a": "y"}], {"type": "object", "properties": {"a": {"type": "string"}}})


def test_struct_extract_eval_compares_a_field_without_a_comparator_as_its_page_says() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number"}}}
    found = struct_extract_eval.evaluate([{"n": 1.0}], [{"n": 1.0005}], schema)
    assert (found.mean_f1, found.warnings) == (0.0, ())


@pytest.mark.parametrize(
    ("module", "words", "read_as"),
    [
        (extract_bench, {"x-eval-compare": "exact"}, "x-eval"),
        (struct_extract_eval, {"evaluation_config": "number_tolerance"}, "evaluation_config"),
    ],
)
def test_a_schema_in_the_words_of_the_other_system_is_read_by_them_and_that_is_said(
    module: Any, words: dict[str, str], read_as: str
) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number", **words}}}
    found = module.evaluate([{"n": 1.0}], [{"n": 1.0005}], schema)
    assert found.mean_f1 == float(read_as == "evaluation_config")
    assert f"it is read as {read_as}" in said(found, "schema-note")
    assert module.evaluate([{"n": 1.0}], [{"n": 1.0}], schema, dialect=read_as).warnings == ()


def test_a_schema_that_is_inferred_is_read_in_its_own_dialect_whoever_asks() -> None:
    assert extract_bench.evaluate([{"n": 1.0, "a": "x"}], [{"n": 1.0, "a": "x"}], "infer").mean_f1 == 1.0


def test_a_document_has_every_metric_at_every_place() -> None:
    found = extract_bench.evaluate_document(EXTRACT_BENCH, TEN, {**EIGHT, "name": "ann"})
    name, items = found.results["name"]["string_exact"], found.results["items"]["hungarian"]
    assert (name.score, name.passed, name.details["code"]) == (0.0, False, "mismatch")
    assert (items.score, items.details["matched"], items.details["missing"]) == (0.8, 8, 2)
    assert found.results["items[9]"]["integer_exact"].details["code"] == "extracted_missing"
    assert found.record.f1 == found.mean_f1


def test_two_metrics_at_one_place_are_both_there() -> None:
    metrics = [{"metric_id": "string_exact"}, {"metric_id": "string_case_insensitive"}]
    schema = {"type": "object", "properties": {"a": {"type": "string", "evaluation_config": {"metrics": metrics}}}}
    found = extract_bench.evaluate_document(schema, {"a": "abc"}, {"a": "ABC"})
    passed = {name: one.passed for name, one in found.results["a"].items()}
    assert passed == {"string_exact": False, "string_case_insensitive": True}


@pytest.mark.parametrize("batch", [False, True])
def test_what_a_comparator_of_ones_own_says_beside_its_answer_is_in_the_details(batch: bool) -> None:
    def shares(expected: str, actual: str, params: Any) -> evaluators.Comparison:
        common = sorted(set(expected) & set(actual))
        return evaluators.Comparison(0.5, False, "half", {"common": common, "code": "mine", "limit": params["limit"]})

    def each(questions: Any, params: Any) -> list[evaluators.Comparison]:
        return [shares(question.expected, question.actual, params) for question in questions]

    evaluators.register("shares", each if batch else shares, batch=batch)
    asked = {"metrics": [{"metric_id": "shares", "params": {"limit": 3}}, {"metric_id": "string_exact"}]}
    for dialect, compare in (("evaluation_config", asked), ("x-eval-compare", {"shares": {"limit": 3}})):
        schema = {"type": "object", "properties": {"a": {"type": "string", dialect: compare}}}
        details = extract_bench.evaluate_document(schema, {"a": "abc"}, {"a": "abd"}).results["a"]["shares"].details
        assert (details["common"], details["limit"]) == (["a", "b"], 3)
        assert (details["code"], details["reason"], details["gold"]) == ("mismatch", "half", "abc")


def test_rows_are_called_by_ids_by_a_key_or_from_zero() -> None:
    documents = [{"name": "a", "key": "k1"}, {"name": "b", "key": "k2"}]
    texts = [json.dumps(each) for each in documents]

    def names(**how: Any) -> list[str | int]:
        return [record.record_id for record in struct_extract_eval.evaluate(texts, documents, SCHEMA, **how).records]

    assert (names(), names(ids=["x", 7]), names(id_field="key")) == ([0, 1], ["x", 7], ["k1", "k2"])


@pytest.mark.parametrize(
    ("expected", "outputs", "how", "codes"),
    [
        ([{}], [{}, {}], {}, ["unequal-lengths"]),
        ([{}], [{}], {"ids": ["a", "b"]}, ["unequal-lengths"]),
        ([{}], [{}], {"ids": ["a"], "id_field": "key"}, ["two-ids"]),
        ([{}, {"key": True}, "no"], [{}, {}, {}], {"id_field": "key"}, ["no-id", "no-id", "no-id"]),
    ],
)
def test_rows_that_do_not_go_together_are_refused(
    expected: list[Any], outputs: list[Any], how: dict[str, Any], codes: list[str]
) -> None:
    with pytest.raises(evaluators.Problems) as caught:
        struct_extract_eval.evaluate(expected, outputs, SCHEMA, **how)
    assert [issue.code for issue in caught.value.issues] == codes


def test_everything_wrong_with_the_settings_is_said_at_once_with_its_place() -> None:
    schema = {"type": "object", "properties": {key: {"type": "string", "x-eval-compare": f"exat{key}"} for key in "ab"}}
    with pytest.raises(evaluators.Problems) as caught:
        struct_extract_eval.evaluate([{}], [{}], schema)
    places = [issue.where for issue in caught.value.issues]
    assert places == ["schema.properties.a.x-eval-compare", "schema.properties.b.x-eval-compare"]
    with pytest.raises(evaluators.Problems) as caught:
        struct_extract_eval.evaluate([{}], [{}], SCHEMA, comparators={"mine": "exat"})
    assert [issue.where for issue in caught.value.issues] == ["comparators.mine"]


def test_what_nobody_measured_is_undefined() -> None:
    found = struct_extract_eval.evaluate([], [], SCHEMA)
    assert (found.mean_f1, found.overall_score, found.micro_f1, found.total_fields) == (None, None, None, 0)
    found = struct_extract_eval.evaluate([{"more": 1}], [{}], SCHEMA)
    assert (found.records[0].precision, found.mean_precision, found.stats.not_measured) == (None, None, 1)


def test_a_bad_expected_answer_costs_its_row_and_is_said() -> None:
    found = struct_extract_eval.evaluate([{"name": "a"}, "not JSON"], [{"name": "a"}, {}], SCHEMA)
    assert (found.mean_f1, found.stats.invalid) == (1.0, 1)
    assert found.records[1].status is RowStatus.INVALID
    assert found.records[1].field_results == ()
    assert len(found.issues) == 1


def test_an_unreadable_output_scores_zero_and_omits_everything() -> None:
    (record,) = struct_extract_eval.evaluate([{"name": "a", "size": 1}], ["sorry"], SCHEMA).records
    assert (record.f1, record.overall_score, record.status) == (0.0, 0.0, RowStatus.UNREADABLE)
    assert [result.status for result in record.field_results] == [FieldStatus.OMISSION] * 2


def test_comparators_of_ones_own_are_names_with_options_or_functions() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "number", "x-eval-compare": "near"},
            "b": {"type": "string", "x-eval-compare": "first_letter"},
        },
    }
    own: dict[str, Any] = {
        "near": {"numeric": {"tolerance": {"abs": 5}}},
        "first_letter": lambda expected, actual, params: expected[:1] == actual[:1],
    }
    found = struct_extract_eval.evaluate([{"a": 1, "b": "Ada"}], [{"a": 3, "b": "A."}], schema, comparators=own)
    assert found.mean_f1 == 1.0


def test_post_processors_may_be_functions() -> None:
    def forgive(results: list[evaluators.Outcome]) -> list[evaluators.Outcome]:
        return [result for result in results if result.path != "size"]

    found = struct_extract_eval.evaluate(
        [{"name": "a", "size": 1}], [{"name": "a", "size": 9}], SCHEMA, post_process=[forgive]
    )
    assert (found.mean_f1, found.total_fields) == (1.0, 1)


def test_the_same_settings_have_one_fingerprint_wherever_a_function_stands() -> None:
    def forgiving() -> Any:
        return lambda results: results

    one, other = (
        struct_extract_eval.evaluate([{"name": "a"}], [{"name": "a"}], SCHEMA, post_process=[post_process])
        for post_process in (forgiving(), forgiving())
    )
    assert one.run.result.suite_fingerprint == other.run.result.suite_fingerprint


def test_a_post_processor_may_give_what_another_run_recorded() -> None:
    expected, outputs = [{"name": "a", "size": 1}] * 3, [{"name": "a", "size": 9}] * 3
    other = list(struct_extract_eval.evaluate(expected, outputs, SCHEMA).records[2].field_results)
    found = struct_extract_eval.evaluate(expected, outputs, SCHEMA, post_process=[lambda _: other])
    assert [[one.path for one in record.field_results] for record in found.records] == [["name", "size"]] * 3
    assert len({one.row for record in found.records for one in record.field_results}) == 3


def test_a_judge_that_is_not_there_has_a_substitute_that_is_named() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": "semantic"}}}
    found = struct_extract_eval.evaluate([{"a": "x"}], [{"a": "x"}], schema, fallback={"semantic": "fuzzy"})
    assert found.stats.fallbacks == {"fuzzy in place of semantic": 1}
    assert "1 field was scored by a substitute: fuzzy in place of semantic." in str(found)


def test_what_a_batch_leaves_open_is_counted() -> None:
    @evaluators.comparator("never_answers", batch=True)
    def never_answers(questions: list[Any], params: Any) -> list[Any]:
        return [None for _ in questions]

    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "x-eval-compare": "never_answers"} for name in ("a", "b")},
    }
    found = struct_extract_eval.evaluate([{"a": "x", "b": "y"}], [{"a": "p", "b": "q"}], schema)
    assert (found.total_batch_errors, found.mean_f1, found.total_fields) == (2, None, 0)


def test_a_schema_can_be_a_file_or_inferred(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(SCHEMA), encoding="utf-8")
    rows = [{"name": "a", "size": 1}]
    assert struct_extract_eval.evaluate(rows, rows, file).mean_f1 == 1.0
    assert struct_extract_eval.evaluate(rows, rows, str(file)).total_fields == 2
    assert struct_extract_eval.evaluate(rows, [{"name": "a", "size": 2}], "infer").mean_f1 == 0.5


def test_the_twins_for_event_loops_say_the_same() -> None:
    async def both() -> tuple[Any, Any]:
        rows = await struct_extract_eval.evaluate_async([TEN], [EIGHT], EXTRACT_BENCH)
        document = await extract_bench.evaluate_document_async(EXTRACT_BENCH, TEN, EIGHT)
        return rows.stats, document.stats

    rows, document = asyncio.run(both())
    assert rows == document == struct_extract_eval.evaluate([TEN], [EIGHT], EXTRACT_BENCH).stats


def test_a_saved_evaluation_is_a_run_folder(tmp_path: Path) -> None:
    found = struct_extract_eval.evaluate([TEN, TEN], [EIGHT, TEN], EXTRACT_BENCH, ids=["short", "whole"])
    folder = found.save(tmp_path / "first")
    assert sorted(path.name for path in folder.iterdir()) == [
        "environment.json", "field_summary.csv", "fields.csv", "fields.md", "report.json", "rows.csv", "run.db", "run.json",
        "suite", "summary.txt",
    ]  # fmt: skip
    with open(folder / "fields.csv", encoding="utf-8-sig", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert {line["row"] for line in lines} == {"short", "whole"}
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [row["id"] for row in report["rows"]] == ["short", "whole"]
    assert report["totals"]["overall_score"] == found.overall_score
    assert evaluators.compare(folder, folder).exit_code == 0


def test_rows_reasons_and_files_come_from_the_one_pass(tmp_path: Path) -> None:
    calls: list[tuple[Any, Any]] = []

    def same(expected: Any, actual: Any, params: Any) -> bool:
        calls.append((expected, actual))
        return bool(expected == actual)

    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": "same"}}}
    found = struct_extract_eval.evaluate([{"a": "x"}], [{"a": "y"}], schema, comparators={"same": same})
    asked = list(calls)
    assert [result.status for result in found.records[0].field_results] == ["mismatch"]
    assert found.per_field["a"].instances[0][1].expected == "x"
    found.save(tmp_path / "kept")
    assert calls == asked
    assert [(line["path"], line["status"]) for line in found.run.failures()] == [("a", "mismatch")]
    assert found.run.fields.column("n") == [1]
    assert evaluators.compare(found.run, tmp_path / "kept").broken == 0


def test_what_only_an_evaluation_needs_goes_away_with_it() -> None:
    found = struct_extract_eval.evaluate([TEN], [EIGHT], EXTRACT_BENCH)
    place = found.run.place
    assert place.is_dir()
    del found
    gc.collect()
    assert not place.exists()


def test_a_saved_document_is_one_report(tmp_path: Path) -> None:
    extract_bench.evaluate_document(EXTRACT_BENCH, TEN, EIGHT).save(tmp_path / "one")
    report = json.loads((tmp_path / "one" / "report.json").read_text(encoding="utf-8"))
    assert (report["overall_score"], report["outcomes"]["total_evaluated"]) == (10 / 12, 3)


def test_a_folder_that_is_no_run_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(evaluators.Problems, match="force=True replaces nothing but runs") as taken:
        struct_extract_eval.evaluate([TEN], [EIGHT], EXTRACT_BENCH).save(tmp_path / "notes", force=True)
    assert "--" not in str(taken.value)


def test_a_run_is_written_over_only_when_asked(tmp_path: Path) -> None:
    found = struct_extract_eval.evaluate([TEN], [EIGHT], EXTRACT_BENCH)
    assert [found.save(tmp_path / "one").name for _ in range(3)] == ["one", "one-2", "one-3"]
    assert found.save(tmp_path / "one", force=True) == tmp_path / "one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "one-2", "one-3"]


def test_every_name_of_the_public_api_is_there() -> None:
    assert all(getattr(evaluators, name) is not None for name in evaluators.__all__)


@pytest.mark.parametrize("documents", [{"name": "Ann"}, '{"name": "Ann"}', 3])
def test_one_document_is_no_list_of_documents(documents: Any) -> None:
    with pytest.raises(evaluators.Problems, match="must be a list of documents"):
        struct_extract_eval.evaluate(documents, [{}], {"type": "string"})


def test_what_kept_a_row_from_being_scored_is_printed() -> None:
    result = struct_extract_eval.evaluate(["{", {"a": "x"}], [{}, {"a": "x"}], {"properties": {"a": {"type": "string"}}})
    assert 'row 1, column "expected": not JSON' in str(result)
    assert "Problems" not in str(
        struct_extract_eval.evaluate([{"a": "x"}], [{}], {"properties": {"a": {"type": "string"}}})
    )


def test_every_field_of_a_result_has_a_mean_score_and_lists_stand_apart() -> None:
    schema = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
    result = struct_extract_eval.evaluate(
        [{"tags": ["a", "b"]}], [{"tags": ["a", "c"]}], struct_extract_eval.annotate_xeval(schema)
    )
    assert {path: field.mean_score for path, field in result.per_field.items()} == {"tags[*]": 0.5}
    assert result.arrays["tags"].matched == 1


ITEM = {"type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}}}
BY_KEY = {"type": "array", "x-eval-align": {"match_by": "key_field", "key": "sku"}, "items": ITEM}


def said(found: struct_extract_eval.Evaluation, code: str) -> str:
    """What is said with that code, which stands among the issues and in the text."""
    (issue,) = [issue for issue in found.issues if issue.code == code]
    assert issue in found.warnings
    assert " ".join(issue.message.split()) in " ".join(str(found).split())
    return issue.message


def test_what_the_schema_lacks_is_said() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    found = struct_extract_eval.evaluate([{"a": "x", "b": "y"}], [{"a": "x", "b": "z"}], schema)
    assert 'the schema lacks "b"' in said(found, "schema-lacks")
    schema["properties"] = {"a": {"type": "string", "evaluation_config": "string_exact"}}
    assert said(extract_bench.evaluate_document(schema, {"a": "x", "b": "y"}, {"a": "x"}), "schema-lacks")


def test_what_the_schema_asks_and_nobody_looks_at_is_said() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    }
    found = struct_extract_eval.evaluate([{"a": "x"}], [{"a": "x"}], schema)
    assert "`if`" in said(found, "schema-note")


@pytest.mark.parametrize(
    ("items", "code", "message"),
    [
        ([{"sku": "A", "n": 1}, {"n": 2}], "items-without-key", '"items" has no key "sku"'),
        ([{"sku": "A", "n": 1}, {"sku": "A", "n": 2}], "items-duplicate-key", 'the same key "sku"'),
        ([{"n": 1}, {"n": 2}], "key-found-nowhere", 'no item of "items" has the key "sku"'),
    ],
)
def test_items_that_a_key_does_not_tell_apart_are_said(items: list[Any], code: str, message: str) -> None:
    schema = {"type": "object", "properties": {"items": BY_KEY}}
    found = struct_extract_eval.evaluate(
        [{"items": items}], [{"items": [{"sku": "A", "n": 1}] if code != "key-found-nowhere" else items}], schema
    )
    assert message in said(found, code)


def test_lists_that_are_paired_approximately_are_said() -> None:
    schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": ITEM, "x-eval-align": {"match_by": "hungarian"}}},
    }
    items = [{"sku": str(n), "n": n} for n in range(1500)]
    found = struct_extract_eval.evaluate([{"items": items}], [{"items": [*items[1:], {"sku": "x", "n": -1}]}], schema)
    assert "too many items" in said(found, "items-too-long")


def test_a_saved_evaluation_has_its_warnings(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    folder = struct_extract_eval.evaluate([{"a": "x", "b": "y"}], [{"a": "x"}], schema).save(tmp_path / "kept")
    assert 'the schema lacks "b"' in (folder / "summary.txt").read_text(encoding="utf-8")
    kept = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert [one["code"] for one in kept["warnings"]] == ["schema-lacks"]
    assert kept["issues"] == []


def test_listed_fields_are_no_schema_that_could_lack_a_key(tmp_path: Path) -> None:
    suite = evaluators.load({"evaluators": [{"schema_match": {"name": "fields", "fields": ["a"]}}]})
    (tmp_path / "rows.jsonl").write_text('{"output": {"a": 1}, "expected": {"a": 1, "b": 2}}\n', encoding="utf-8")
    assert suite.run(tmp_path / "rows.jsonl").warnings == ()


@pytest.mark.parametrize(
    "value", [date(2024, 5, 1), datetime(2024, 5, 1), Decimal("8.00")], ids=lambda one: type(one).__name__
)
def test_values_of_python_are_refused_with_how_a_model_is_dumped(value: Any) -> None:
    schema = {"type": "object", "properties": {"due": {"type": "array", "items": {"type": "string"}}}}
    dumped, plain = {"due": ["2024-05-01", value]}, {"due": ["2024-05-01"]}
    suite = evaluators.load({"evaluators": [{"schema_match": {"name": "fields", "fields": ["due"]}}]})
    calls: list[Callable[[], object]] = [
        lambda: struct_extract_eval.evaluate([plain], [dumped], schema),
        lambda: struct_extract_eval.evaluate([dumped], [plain], schema),
        lambda: extract_bench.evaluate_document(schema, plain, dumped),
        lambda: suite.evaluate({"expected": plain, "output": dumped}),
    ]
    for call in calls:
        with pytest.raises(evaluators.Problems, match=r"\$\.due\[1\]: \w+ is a type of Python's") as refused:
            call()
        assert 'mode="json"' in str(refused.value)
