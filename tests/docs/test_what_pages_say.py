"""Sentences of the pages that no example of theirs shows, held against what happens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from evaluators import load
from evaluators.api.loading import loads
from evaluators.model.issues import Problems
from evaluators.model.limits import LIST_CELLS
from evaluators.runs.result import RunResult
from tests import kit

DOCS = Path(__file__).parents[2] / "docs"
FIELDS = {"shop": "exact", "items[*].name": "exact", "items[*].qty": "numeric"}
ITEM = {"shop": "Sol", "items": [{"name": "A", "qty": 3}]}


def page(name: str) -> str:
    """A page, its lines joined."""
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def run(folder: Path, suite: Any, *pairs: tuple[Any, Any]) -> RunResult:
    """A run over pairs of output and expected answer; the column `shop` has a and b in turn."""
    lines = [
        {"id": f"r{row}", "shop": "ab"[row % 2], "output": output, "expected": expected}
        for row, (output, expected) in enumerate(pairs)
    ]
    return kit.run(folder, suite, lines)


def figures(folder: Path, output: Any, expected: Any, fields: Any) -> dict[str, Any]:
    (stats,) = run(folder, {"evaluators": [{"schema_match": {"fields": fields}}]}, (output, expected)).evaluators
    return {
        **{one.name: one.mean for one in stats.metrics},
        "f1": stats.micro_f1,
        "recall": stats.micro_recall,
        "counts": stats.counts,
    }


@pytest.mark.parametrize(
    ("evaluator", "by_slice"),
    [
        ({"json_multi_field_match": {"fields": ["shop", "city"]}}, True),
        ({"schema_match": {"fields": ["shop", "city"]}}, False),
        ({"schema_match": {"schema": {"properties": {"shop": {"type": "string"}, "city": {"type": "string"}}}}}, False),
        ("json_diff_match", False),
        ("json_field_match", False),
        ("json_field_match_normalized", False),
    ],
)
def test_slices_have_fields_where_the_page_says_so(evaluator: Any, by_slice: bool, tmp_path: Path) -> None:
    suite = {"evaluators": [evaluator], "slices": ["row.shop"]}
    right = {"shop": "x", "city": "y"}
    found = run(tmp_path, suite, (right, right), ({"shop": "x", "city": "z"}, right))
    (whole,) = found.evaluators
    assert len(whole.fields) == 2
    for one in found.slices:
        assert (one.mean, one.pass_rate, one.micro_precision, one.micro_f1) != (None, None, None, None)
        assert [field.path for field in one.fields] == (["shop", "city"] if by_slice else [])
        assert [figure.name for figure in one.metrics] == [figure.name for figure in whole.metrics]
    gate = {f"{whole.name}.city": {"fail_below": 0.1, "each_slice": "row.shop"}}
    if by_slice:
        assert run(tmp_path, {**suite, "gates": gate}, (right, right)).gates
    else:
        with pytest.raises(Problems, match="counts its fields over the whole run only"):
            run(tmp_path, {**suite, "gates": gate}, (right, right))
    said = page("reference/language.md").partition("## slices")[2].partition("## measures")[0]
    having, _, lacking = said.partition("Fields of `schema_match`")
    assert f"`{whole.type}`" in (having if by_slice else f"`schema_match`{lacking}")


def test_what_is_invented_in_the_two_further_totals(tmp_path: Path) -> None:
    fields = {"a": {"compare": "exact", "weight": 3}, "b": "exact"}
    named = figures(tmp_path, {"a": 1, "b": 2}, {"a": 1}, fields)
    unnamed = figures(tmp_path, {"a": 1, "zz": 2}, {"a": 1}, fields)
    assert (named["overall_score"], named["field_score"], named["mean_field_score"]) == (0.75, 0.75, 0.75)
    assert (unnamed["overall_score"], unnamed["field_score"], unnamed["mean_field_score"]) == (1, 1, 0.75)
    surplus = {**ITEM, "items": [*ITEM["items"], {"name": "B", "qty": 1}]}
    paired = {"items": [{"name": "A"}], "shop": "Sol"}
    assert figures(tmp_path, surplus, ITEM, FIELDS)["overall_score"] == 1
    assert figures(tmp_path, ITEM, paired, FIELDS)["overall_score"] == 0.5
    partial = {"a": {"fuzzy": {"at_least": 0.5, "partial": True}}}
    assert figures(tmp_path, {"a": "abcdefgh"}, {"a": "abcdefgx"}, partial)["field_score"] == 0.875


def test_writing_less_of_an_item_without_a_partner_raises_what_the_table_says(tmp_path: Path) -> None:
    text = (DOCS / "how-to" / "lists.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `(\[.*?\])` \| (\d) \| (\d) \| (\d) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    outputs: list[list[Any]] = [[{"name": "A", "qty": 2}], [{"qty": 2}], []]
    assert [line[0] for line in lines] == ["[{name: A, qty: 2}]", "[{qty: 2}]", "[]"]
    for (_, *counts, free, best), items in zip(lines, outputs, strict=True):
        for how, said in (("any_order", free), ("hungarian", best)):
            found = figures(tmp_path, {"shop": "Sol", "items": items}, ITEM, {**FIELDS, "items": {"align": how}})
            assert said == f"{round(found['f1'], 3):g}, {round(found['mean_field_score'], 3):g}"
            if how == "any_order":
                result = found["counts"]
                assert counts == [str(each) for each in (result.match, result.omission, result.hallucination)]
                assert found["recall"] == pytest.approx(1 / 3)


def test_the_items_of_a_list_are_counted_together(tmp_path: Path) -> None:
    pair = ({"hobbies": ["a", "b"]}, {"hobbies": ["a", "c"]})
    suite: dict[str, Any] = {"evaluators": [{"auto_json_diff": {"name": "diff"}}], "gates": {}}
    suite["gates"] = {"diff.hobbies.0": {"fail_below": 0.5}}
    found = run(tmp_path, suite, pair)
    assert [field.path for field in found.evaluators[0].fields] == ["hobbies[*]"]
    assert found.gates[0].message.startswith('write "hobbies[*]"')
    result = loads("evaluators: [json_diff_match]").evaluate({"output": pair[0], "expected": pair[1]})["json_diff_match"]
    assert [field.path for field in result.fields] == ["hobbies[0]", "hobbies[1]"]
    assert "`hobbies.0` is `hobbies[0]`" in page("switching/agenta.md")


def test_settings_of_a_model_that_a_schema_of_extract_bench_may_name() -> None:
    def read(**params: Any) -> None:
        config = {"metrics": [{"metric_id": "string_semantic", "params": params}]}
        schema = {"properties": {"a": {"type": "string", "evaluation_config": config}}}
        suite = {"judge": {"recorded": {"file": "answers.jsonl"}}, "evaluators": [{"schema_match": {"schema": schema}}]}
        load(suite)

    read(model="m", pass_threshold=0.5, temperature=0, max_tokens=9, additional_instructions="be kind")
    last = page("switching/extract-bench.md").partition("## What has no counterpart")[2]
    for name in ("prompt_template", "structured_output_schema"):
        assert f"`{name}`" in last
        with pytest.raises(Problems, match=f'unknown setting "{name}"'):
            read(**{name: "x"})
    assert not re.search(r"`(model|pass_threshold|temperature)`", last)


@pytest.mark.parametrize("name", ["switching/struct-extract-eval.md", "contributing/every-difference.md"])
def test_pages_give_the_limit_of_lists_that_are_paired_exactly(name: str) -> None:
    assert f"up to {LIST_CELLS:,} cells" in page(name)


@pytest.mark.parametrize("file", sorted(DOCS.rglob("*.md")), ids=lambda file: str(file.relative_to(DOCS)))
def test_no_page_says_that_lists_of_any_length_are_paired_exactly(file: Path) -> None:
    assert "lists of any length" not in " ".join(file.read_text(encoding="utf-8").split())
