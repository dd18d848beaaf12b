"""Two runs of one suite: how the figures of labels and of measures moved."""

from __future__ import annotations

from pathlib import Path

import evaluators
from evaluators.api.comparisons import open_side
from evaluators.reports.comparison_page import comparison_page
from evaluators.reports.text import page_text
from evaluators.runs.compare.comparing import compare_sides, variant_side
from evaluators.runs.compare.comparison import RunComparison, comparison_json
from evaluators.runs.compare.pairs import Side

EXPECTED = ["billing", "billing", "refund", "refund", "other", "other", "other", "other"]
FIRST = ["billing", "refund", "refund", "billing", "other", "other", "other", ""]
SECOND = ["billing", "billing", "refund", "billing", "other", "other", "other", ""]


def run(folder: Path, name: str, outputs: list[str], cost: str, expected: list[str] = EXPECTED) -> Side:
    lines = [f"T{place},{one},{given},{cost}" for place, (one, given) in enumerate(zip(expected, outputs, strict=True))]
    (folder / "rows.csv").write_text("\n".join(["id,expected,output,cost", *lines, ""]), encoding="utf-8")
    label = {"exact_match": {"name": "label"}}
    suite = {"test_set": str(folder / "rows.csv"), "evaluators": [label], "measures": {"cost": "row.cost"}}
    evaluators.load(suite).run(results=folder, name=name)
    return open_side(folder / name)


def compared(folder: Path) -> RunComparison:
    return compare_sides(run(folder, "first", FIRST, "0.5"), run(folder, "second", SECOND, "0.25"))


def test_each_label_says_how_its_figures_moved(tmp_path: Path) -> None:
    found = {(one.label, one.metric): (one.base, one.new) for one in compared(tmp_path).labels if not one.average}
    assert found == {
        ("billing", "precision"): (1 / 2, 2 / 3), ("billing", "recall"): (1 / 2, 1.0), ("billing", "f1"): (1 / 2, 4 / 5),
        ("refund", "precision"): (1 / 2, 1.0), ("refund", "recall"): (1 / 2, 1 / 2), ("refund", "f1"): (1 / 2, 2 / 3),
        ("other", "precision"): (1.0, 1.0), ("other", "recall"): (3 / 4, 3 / 4), ("other", "f1"): (6 / 7, 6 / 7),
    }  # fmt: skip


def test_the_page_names_what_moved_and_counts_the_rest(tmp_path: Path) -> None:
    text = page_text(comparison_page(compared(tmp_path)))
    part = text[text.index("Labels\n") : text.index("Measures\n")]
    lines = [line.split() for line in part.splitlines()]
    assert ["label", "refund", "2", "0.5000", "0.6667", "+0.1667", "0.5000", "→", "1.0000", "0.5000"] in lines
    assert "1 label has the same metrics." in part
    measures = [line.split() for line in text[text.index("Measures\n") :].splitlines()]
    assert ["cost", "mean", "0.5", "0.25", "-0.25", "-50.0", "%"] in measures


def test_a_label_that_only_one_run_has_is_not_compared(tmp_path: Path) -> None:
    base = run(tmp_path, "first", FIRST, "1")
    new = run(tmp_path, "second", SECOND, "1", ["billing", "billing", "refund", "refund", "late", "late", "late", "late"])
    labels = compare_sides(base, new, common=True).labels
    assert {one.label for one in labels if not one.average} == {"billing", "refund"}


def test_runs_without_labels_say_nothing_of_them(tmp_path: Path) -> None:
    alone = [f"only {place}" for place in range(8)]
    found = compare_sides(run(tmp_path, "a", FIRST, "1", alone), run(tmp_path, "b", SECOND, "1", alone))
    assert found.labels == ()
    assert '"labels"' not in comparison_json(found)


def test_variants_of_one_run_are_compared_by_label(tmp_path: Path) -> None:
    ids = [f"T{place}" for place in range(8)]
    rows = [f"{name},{one}" for name, one in zip(ids, EXPECTED, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["id,expected", *rows, ""]), encoding="utf-8")
    for model, outputs in (("old", FIRST), ("new", SECOND)):
        lines = [f"{name},{one}" for name, one in zip(ids, outputs, strict=True)]
        (tmp_path / f"{model}.csv").write_text("\n".join(["id,output", *lines, ""]), encoding="utf-8")
    files = {model: str(tmp_path / f"{model}.csv") for model in ("old", "new")}
    suite = {"test_set": {"file": str(tmp_path / "rows.csv"), "outputs": files}, "evaluators": ["exact_match"]}
    evaluators.load(suite).run(results=tmp_path, name="both")
    side = open_side(tmp_path / "both")
    found = compare_sides(variant_side(side, "old"), variant_side(side, "new"))
    assert [(one.base, one.new) for one in found.labels if (one.label, one.metric) == ("billing", "f1")] == [
        (1 / 2, 4 / 5)
    ]
