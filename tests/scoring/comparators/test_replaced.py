"""What `register` protects and replaces, and struct-extract-eval's page, run as it is printed (its imports changed)."""

from __future__ import annotations

from typing import Any

import pytest

import evaluators
from evaluators import Problems, register
from evaluators.integrations.compat.struct_extract_eval import (
    NullHandling,
    annotate_xeval,
    evaluate,
    infer_schema,
    reclassify_nulls,
)

PAGE = '''
from evaluators import register
from evaluators import ComparatorResult

def compare_date(gold, extracted, params):
    """Compare dates regardless of format."""
    from datetime import datetime
    formats = params.get("formats", ["%Y-%m-%d", "%b %d, %Y"])
    def parse(val):
        for fmt in formats:
            try:
                return datetime.strptime(str(val), fmt)
            except ValueError:
                continue
        return None
    g, e = parse(gold), parse(extracted)
    return ComparatorResult(
        score=1.0 if (g and e and g == e) else 0.0,
        comparator="date",
    )

register("date", compare_date)
register("date", compare_date, overwrite=True)
'''
SCHEMA = {
    "type": "object",
    "properties": {"day": {"type": "string", "x-eval-compare": {"date": {"formats": ["%Y-%m-%d", "%b %d, %Y"]}}}},
}


def statuses(output: str) -> list[str]:
    return [
        one.status.word for one in evaluate([{"day": "2024-05-31"}], [{"day": output}], SCHEMA).records[0].field_results
    ]


@pytest.mark.parametrize("own", [False, True])
def test_the_page_registers_its_date_and_its_formats_are_read_either_way(own: bool) -> None:
    """struct-extract-eval, Custom comparators."""
    if own:
        exec(PAGE, {})
    assert statuses("May 31, 2024") == ["match"]
    assert statuses("Jun 1, 2024") == ["mismatch"]


def test_a_run_says_that_a_comparator_was_replaced_or_which_format_it_read() -> None:
    suite: dict[str, Any] = {"evaluators": [{"schema_match": {"schema": SCHEMA}}]}
    notes = evaluators.load(suite).notes
    assert [note.rpartition(": ")[2] for note in notes] == [
        'the date format "%Y-%m-%d" is "YYYY-M-D" here',
        'the date format "%b %d, %Y" is "MMM D, YYYY" here',
    ]
    exec(PAGE, {})
    (note,) = evaluators.load(suite).notes
    assert note.endswith('the comparator "date" is one of your own; the one that ships is not used')


@pytest.mark.parametrize("name", ["exact", "numeric", "one_of", "oneof"])
def test_three_comparators_and_their_other_names_are_kept(name: str) -> None:
    """struct-extract-eval: built-in comparators (exact, numeric, oneof) cannot be overwritten."""
    for overwrite in (False, True):
        with pytest.raises(Problems, match="ships with the package and cannot be replaced"):
            register(name, lambda gold, extracted, params: True, overwrite=overwrite)


def test_another_comparator_that_ships_is_replaced_on_request_alone() -> None:
    with pytest.raises(Problems, match="ships with the package") as raised:
        register("fuzzy", lambda gold, extracted, params: True)
    assert raised.value.issues[0].hint == "overwrite=True replaces it"
    register("fuzzy", lambda gold, extracted, params: gold[0] == extracted[0], overwrite=True)
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": "fuzzy"}}}
    found = evaluate([{"a": "invoice"}, {"a": "invoice"}], [{"a": "island"}, {"a": "nvoice"}], schema)
    assert [record.field_results[0].status for record in found.records] == ["match", "mismatch"]
    preset = {"type": "object", "properties": {"a": {"type": "string", "evaluation_config": "string_fuzzy"}}}
    assert evaluate([{"a": "invoice"}], [{"a": "invoise"}], preset).records[0].field_results[0].status == "match"


@pytest.mark.parametrize("name", ["auto_exact_match", "JSON Field Match", "FormatValidationScorer"])
def test_other_names_of_evaluators_are_kept(name: str) -> None:
    with pytest.raises(Problems, match="is another name of the evaluator type"):
        evaluators.evaluator(name)


def test_gold_and_extracted_may_be_given_by_their_names() -> None:
    """struct-extract-eval, Quick start and API: evaluate(gold, extracted, schema)."""
    gold = [
        {"method": "sputtering", "temperature": 300, "lab_id": "A1"},
        {"method": "evaporation", "temperature": 450, "lab_id": "B2"},
    ]
    extracted = [
        {"method": "sputtering", "temperature": 301, "lab_id": "A1"},
        {"method": "evaporation", "temperature": 460, "lab_id": "B3"},
    ]
    schema = annotate_xeval(infer_schema(gold))
    call: Any = evaluate
    result = call(gold=gold, extracted=extracted, schema=schema)
    assert (result.mean_precision, result.mean_recall, result.mean_f1) == (0.5, 0.5, 0.5)
    wrong = [one for one in result.records[1].field_results if one.status == "mismatch"]
    assert [(one.path, one.gold_value, one.extracted_value, one.comparator) for one in wrong] == [
        ("lab_id", "B2", "B3", "exact"), ("temperature", 450, 460, "numeric"),
    ]  # fmt: skip


@pytest.mark.parametrize(("both_absent_skip", "status"), [(True, "skipped"), (False, "match")])
def test_nulls_are_handled_in_the_pages_words(both_absent_skip: bool, status: str) -> None:
    """struct-extract-eval, reclassify_nulls and NullHandling."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "x-eval-compare": "exact"},
            "b": {"type": "string", "x-eval-compare": "exact"},
        },
    }
    handling = NullHandling(absent_values=[None, "n/a"], both_absent_skip=both_absent_skip)
    found = evaluate(
        [{"a": None, "b": "x"}],
        [{"a": "n/a", "b": None}],
        schema,
        post_process=lambda results: reclassify_nulls(results, handling),
    )
    assert [one.status for one in found.records[0].field_results] == [status, "omission"]
