"""What holds for every tracker, and what `files` writes: real runs of the gallery, sent for real."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from evaluators.api.execute import finish
from evaluators.api.loading import load, loads
from evaluators.model.issues import Problems
from evaluators.reports.names import field_name
from evaluators.reports.tracking.metrics import MOST_MAIN, metrics_of, nest, overall_metrics
from evaluators.reports.tracking.plugs.files import Files
from evaluators.reports.tracking.recorded_suite import overall_scores
from evaluators.reports.tracking.tracker import TRACKERS, Tracker
from evaluators.runs.reader import Run
from tests.gallery import GALLERY
from tests.kit import read_yaml

TOPICS = sorted(place.parent.name for place in GALLERY.glob("*/suite.yaml") if place.parent.name != "extract_bench")

WITHOUT_HOST = ("files",)
"""Trackers that need no other package. What holds for every tracker is tested for the others in `tests/hosts`."""


def record_of(topic: str, place: Path, name: str = "x") -> Run:
    done = finish(load(GALLERY / topic / "suite.yaml"), results=place / "runs", name=name)
    assert done.folder is not None
    return Run(done.folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def numbers(data: Any) -> Iterator[Any]:
    for value in data.values():
        yield from numbers(value) if isinstance(value, dict) else [value]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("name", WITHOUT_HOST)
def test_sending_a_run_twice_gives_the_same(name: str, here: Path) -> None:
    tracker = TRACKERS.find(name)()
    record = record_of("invoice_extraction", here.parent)
    before = contents(record.place)
    first = tracker.send(record)
    written = contents(here)
    again = tracker.send(record_of("invoice_extraction", here.parent, "later"))
    assert again == first
    assert first.platform == name
    assert contents(here) == written
    assert contents(record.place) == before


@pytest.mark.parametrize("name", TRACKERS.shipped_names())
def test_a_tracker_says_what_it_is(name: str) -> None:
    assert (TRACKERS.find(name).__doc__ or "").strip()


@pytest.mark.parametrize("topic", TOPICS)
def test_every_suite_of_the_gallery_is_written_with_its_own_figures(topic: str, here: Path) -> None:
    record = record_of(topic, here.parent)
    Files.model_validate({"metrics": "all"}).send(record)
    text = (here / "metrics" / "metrics.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert text == json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    every = list(numbers(found))
    assert all(isinstance(value, int | float) and math.isfinite(value) for value in every)
    of_rows = overall_metrics(overall_scores(record))
    assert len(every) == len({*metrics_of(record.result, every=True), *of_rows})
    for stats in record.result.evaluators:
        own = found["variant"][stats.variant] if stats.variant else found
        figures = own.get(stats.name, {}) | own["evaluator"][stats.name]
        rows = figures["rows"]
        assert rows["total"] == stats.rows == sum(rows.values()) - rows["total"]
        assert (rows["scored"], rows["invalid"], rows["unjudged"], rows["skipped"]) == (
            stats.scored, stats.invalid, stats.unjudged, stats.skipped,
        )  # fmt: skip
        assert (figures["unreadable"], figures.get("mean"), figures.get("pass_rate")) == (
            stats.unreadable, stats.mean, stats.pass_rate,
        )  # fmt: skip
        assert {figure: one.get("mean") for figure, one in figures.get("metric", {}).items()} == {
            one.name: one.mean for one in stats.metrics
        }
        assert {name: (one.get("accuracy"), one["n"]) for name, one in figures.get("field", {}).items()} == {
            field_name(one.path): (one.accuracy, one.counts.n) for one in stats.fields
        }


@pytest.mark.parametrize("topic", TOPICS)
def test_the_plot_has_a_line_for_each_field_with_its_own_path(topic: str, here: Path) -> None:
    record = record_of(topic, here.parent)
    Files().send(record)
    with open(here / "metrics" / "plots" / "fields.csv", encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert [(line["variant"], line["evaluator"], line["path"]) for line in lines] == [
        (stats.variant or "", stats.name, field.path) for stats in record.result.evaluators for field in stats.fields
    ]
    metrics = metrics_of(record.result, every=True)
    for line in lines:
        assert metrics.get(f"{line['name']}/accuracy") == (float(line["accuracy"]) if line["accuracy"] else None)
        assert metrics[f"{line['name']}/omission"] == int(line["omission"])


@pytest.mark.parametrize("topic", TOPICS)
def test_the_layout_names_the_files_that_are_there(topic: str, here: Path) -> None:
    record = record_of(topic, here.parent)
    Files(folder="a/b").send(record)
    layout = read_yaml(here / "a/b/dvc.yaml")
    plots = layout.get("plots", [])
    assert (layout["metrics"], layout["params"]) == (["metrics.json"], ["params.yaml"])
    assert bool(plots) == any(stats.fields for stats in record.result.evaluators)
    for plot in plots:
        ((file, settings),) = plot.items()
        with open(here / "a/b" / file, encoding="utf-8", newline="") as stream:
            assert {settings["x"], settings["y"]} <= {*next(csv.reader(stream))}


@pytest.mark.parametrize("topic", TOPICS)
def test_the_parameters_are_the_suite_as_it_is_written(topic: str, here: Path) -> None:
    record = record_of(topic, here.parent)
    Files().send(record)
    params = read_yaml(here / "metrics" / "params.yaml")
    written = read_yaml(GALLERY / topic / "suite.yaml")
    assert list(params["evaluators"]) == list({stats.name: stats for stats in record.result.evaluators})
    assert list(params["evaluators"].values()) == written["evaluators"]
    assert params["suite"]["test_set"] == written["test_set"]
    assert params["run"]["suite_fingerprint"] == record.result.suite_fingerprint
    assert params["run"]["test_set_fingerprint"] == record.result.data_fingerprint


def test_values_of_variables_are_not_told(here: Path) -> None:
    (here / "rows.csv").write_text("id,output,expected\n1,Oslo,Oslo\n", encoding="utf-8")
    text = 'test_set: "${PLACE}.csv"\nname: "${SECRET:-unnamed}"\nevaluators: [exact_match]\n'
    (here / "suite.yaml").write_text(text, encoding="utf-8")
    suite = load(here / "suite.yaml", environment={"PLACE": str(here / "rows"), "SECRET": "hush"})
    done = finish(suite, results=here / "runs", name="x")
    assert done.folder is not None
    Files().send(Run(done.folder))
    params = (here / "metrics" / "params.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(params)["suite"] == {"test_set": "${PLACE}.csv", "name": "${SECRET:-unnamed}"}
    assert str(here) not in params


def test_a_run_of_rows_without_a_score_keeps_its_denominators(here: Path) -> None:
    rows = [
        '1,"{""a"": 1}","{""a"": 1}"', '2,"{""a"": 2}","{""a"": 1}"', '3,prose,"{""a"": 1}"', '4,"{""a"": 1}","{a}"',
        '5,"{""a"": 1}",',
    ]  # fmt: skip
    (here / "rows.csv").write_text("\n".join(["id,output,expected", *rows, ""]), encoding="utf-8")
    suite = loads("test_set: rows.csv\nevaluators: [{json_multi_field_match: {name: f, fields: [a]}}]", folder=here)
    done = finish(suite, results=here / "runs", name="x")
    assert done.folder is not None
    found = metrics_of(Run(done.folder).result)
    about = {name.removeprefix("evaluator/f/").removeprefix("f/"): value for name, value in found.items()}
    assert (about["rows/total"], about["rows/scored"], about["rows/invalid"], about["unreadable"]) == (5, 3, 2, 1)
    assert (about["mean"], about["field/a/accuracy"], about["field/a/n"]) == (1 / 3, 1 / 3, 3)
    assert (found["run/rows"], found["run/complete"], found["run/exit_code"]) == (5, 1, 3)


@pytest.mark.parametrize("name", ["metrics.json", "params.yaml", "dvc.yaml", "plots/fields.csv"])
def test_a_file_of_somebody_else_is_not_replaced(name: str, here: Path) -> None:
    record = record_of("support_replies", here.parent)
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).write_text("mine\n", encoding="utf-8")
    with pytest.raises(Problems, match=f"there is a {name} that this tracker did not write"):
        Files(folder=".").send(record)
    assert contents(here) == {name: b"mine\n"}


def test_counts_of_nothing_and_slices_are_written_only_when_asked_for(here: Path) -> None:
    record = record_of("support_replies", here.parent)
    Files().send(record)
    few = json.loads((here / "metrics" / "metrics.json").read_text(encoding="utf-8"))
    names = {*metrics_of(record.result)}
    Files.model_validate({"metrics": "all"}).send(record)
    every = json.loads((here / "metrics" / "metrics.json").read_text(encoding="utf-8"))
    left_out = {name: value for name, value in metrics_of(record.result, every=True).items() if name not in names}
    assert left_out
    assert all(value == 0 or "slice/" in name for name, value in left_out.items())
    assert ("slice" in every, "slice" in few) == (bool(record.result.slices), False)
    assert every["run"]["exit_code"] == few["run"]["exit_code"] == 0


SEVERAL = """
test_set: rows.csv
evaluators:
  - {type: exact_match, name: evaluator}
  - {type: length, name: mean, max: 4}
  - all_of: {name: both, of: [evaluator, mean]}
  - {type: starts_with, name: alone, prefix: O}
gates:
  both: {fail_below: 0.9}
"""


def test_the_main_metrics_are_six_with_the_failed_gates_and_the_main_evaluator_first(here: Path) -> None:
    rows = "id,output,expected\n1,Oslo,Oslo\n2,Roma,Rome\n3,Orlando,Orlando\n4,Bern,Bern\n"
    (here / "rows.csv").write_text(rows, encoding="utf-8")
    (here / "suite.yaml").write_text(SEVERAL, encoding="utf-8")
    done = finish(load(here / "suite.yaml"), results=here / "runs", name="x")
    assert done.folder is not None
    tracker = Tracker()
    # overall is the mean of both and alone: 1, 0, 1/2 and 1/2; the parts of both are in it
    assert tracker.metrics(Run(done.folder)) == {
        "_-65_valuator/mean": 3 / 4, "mean/mean": 3 / 4, "gates/failed": 1, "overall/mean": 2 / 4, "overall/pass_rate": 1 / 4,
        "overall/scored": 4,
    }  # fmt: skip
    assert (
        Tracker.model_validate({"metrics": "all"}).metrics(Run(done.folder)).items()
        > tracker.metrics(Run(done.folder)).items()
    )
    assert (
        nest(Tracker.model_validate({"metrics": "all"}).metrics(Run(done.folder)))["evaluator"]["mean"]["rows"]["scored"]
        == 4
    )


def test_main_metrics_of_a_model_have_the_names_of_a_run_of_one(here: Path) -> None:
    record = record_of("comparing_models", here.parent)
    every = Tracker().metrics(record)
    assert record.result.variants
    assert len(every) <= MOST_MAIN
    for variant in record.result.variants:
        own = Tracker().metrics(record, variant)
        named = {name if name == "gates/failed" else f"variant/{variant}/{name}": value for name, value in own.items()}
        shared = (every.keys() & named) - {"gates/failed"}
        assert len(shared) > 1
        assert {name: named[name] for name in shared} == {name: every[name] for name in shared}
        assert own["overall/scored"] == record.result.rows


def test_metrics_go_over_the_rows_of_each_variant_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = record_of("comparing_models", here.parent)
    first, *_ = record.result.variants
    read: list[str | None] = []
    verdicts = Run.verdicts
    monkeypatch.setattr(Run, "verdicts", lambda run, variant=None: (read.append(variant), verdicts(run, variant))[1])
    Tracker().metrics(record, first)
    assert read == [first]
    read.clear()
    Files().metrics(record)
    assert read == [*record.result.variants]


def test_a_setting_has_the_name_of_its_page_and_no_other() -> None:
    with pytest.raises(ValidationError, match="figures"):
        Files.model_validate({"figures": "all"})
