"""Metrics by what they are about: none is lost, and paths are as results spell them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluators.api.loading import load
from evaluators.reports.tracking.attachments import attachments, note_of, row_table
from evaluators.reports.tracking.metrics import MetricGroup, metric_groups, metrics_of
from tests.hosts.table import Figures
from tests.kit import EVERY_FIGURE, EVERY_FIGURE_ROWS


def group(ours: Figures, name: str) -> MetricGroup:
    (found,) = (one for one in metric_groups(ours.record.result, every=True) if one.name == name)
    return found


@pytest.mark.parametrize("of", ["the table", "every figure"])
def test_every_metric_is_about_one_thing(ours: Figures, of: str) -> None:
    result = ours.record.result if of == "the table" else load(EVERY_FIGURE).run(EVERY_FIGURE_ROWS).result
    found = {
        f"{one.name}/{name}".removeprefix("/"): value
        for one in metric_groups(result, every=True)
        for name, value in one.metrics.items()
    }
    named = {name.removeprefix("evaluator/") if _is_headline(name) else name: value for name, value in found.items()}
    assert named == metrics_of(result, every=True)


def test_the_headline_of_an_evaluator_comes_first(ours: Figures) -> None:
    assert [*group(ours, "evaluator/header").metrics][:2] == ["mean", "pass_rate"]


def _is_headline(name: str) -> bool:
    return (
        name.endswith(("/mean", "/pass_rate"))
        and name.partition("evaluator/")[2].count("/") == 1
        and "slice/" not in name
    )


def test_what_a_metric_is_about_is_spelt_as_in_the_results(ours: Figures) -> None:
    field = group(ours, "evaluator/header/field/items.each.price")
    assert field.about == {"evaluator": "header", "field": "items[*].price"}
    assert field.metrics["accuracy"] == 3 / 7
    part = group(ours, "slice/supplier/R_-26_D _-5b_north_-5d_/evaluator/header")
    assert part.about == {"evaluator": "header", "slice_column": "supplier", "slice": "R&D [north]"}
    assert part.metrics["rows/scored"] == 3
    assert group(ours, "").metrics["run/rows"] == 9


def test_platforms_get_the_run_folder_with_a_page_and_without_the_machine(ours: Figures) -> None:
    table = row_table(ours.record)
    with attachments(ours.record, table) as files:
        own = {file.relative_to(ours.folder).as_posix() for file in ours.folder.rglob("*") if file.is_file()}
        assert {*files} == {"rows.json", "metrics.json", "run/report.html"} | {
            f"run/{name}" for name in own - {"environment.json"}
        }
        whole = json.loads(files["rows.json"].read_text(encoding="utf-8"))
        assert whole == table
        assert files["run/report.html"].read_text(encoding="utf-8").startswith("<!doctype html>")
        made = files["run/report.html"]
    assert not made.exists()
    with attachments(ours.record, table, environment=True) as files:
        assert files["run/environment.json"] == Path(ours.folder / "environment.json")


def test_a_note_begins_with_what_the_run_came_to(ours: Figures) -> None:
    title, said = note_of(ours.record, 8_000).split("\n\n")[:2]
    assert title == "# table: FAILED"
    assert "values right" in said
    assert len(note_of(ours.record, 300)) <= 300


def test_every_figure_has_a_name_of_its_own_and_what_it_is_over() -> None:
    result = load(EVERY_FIGURE).run(EVERY_FIGURE_ROWS).result
    named = metrics_of(result)
    (form,) = (one for one in metric_groups(result) if one.name == "evaluator/form")
    (total,) = (one for one in metric_groups(result) if one.name == "evaluator/form/field/total")
    assert (form.metrics["invented_rate"], form.metrics["expected_empty"]) == (1 / 3, 3)
    assert (form.metrics["left_empty_rate"], form.metrics["expected_filled"]) == (2 / 5, 5)
    assert [form.metrics[f"repeats/{name}"] for name in ("pass_at_2", "pass_all_2", "groups_at_2")] == [1 / 2, 0, 2]
    assert [named[f"evaluator/form/field/fax/repeats/{name}"] for name in ("flips", "groups", "share")] == [1, 2, 1 / 2]
    assert (form.metrics["confidence/n"], form.metrics["confidence/missing"]) == (3, 1)
    assert (total.metrics["n"], total.metrics["confidence/n"], total.metrics["confidence/auroc"]) == (4, 3, 1)
    (grounded,) = (one for one in metric_groups(result) if one.name == "evaluator/grounded")
    assert {f"metric/{name}_rate/{part}" for name in ("chance", "not_given") for part in ("mean", "n")} <= {
        *grounded.metrics
    }
    assert named["evaluator/rules/field/as-path.add up/n"] == 4
