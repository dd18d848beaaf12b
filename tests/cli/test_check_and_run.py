"""`check` and `run` agree on what is a problem: over the table of mistakes, and over drawn suites and rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluators.reports.tracking.tracker import TRACKERS, Tracker
from evaluators.runs.engines.engine import ENGINES, Engine
from tests.cli.test_everyday_mistakes import RIGHT, TABLE
from tests.kit import cli, read_yaml, write_files


class LackingTracker(Tracker):
    """A platform whose client is not installed."""

    packages = ("no_such_package",)


class LackingEngine(Engine):
    """Workers whose package is not installed."""

    packages = ("no_such_package",)


ROWS = [
    RIGHT,
    'id,input,output,expected,n,sure,note\n1,a,"{""a"": 1, ""b"": [{""k"": 1}]}","{""a"": 1, ""b"": [{""k"": 1}]}",1,0.9,x\n',
    'id,input,output,expected,n,sure,note\n2,b,"{""a"": 2}","{""a"": 1, ""b"": []}",2,0.5,y\n',
    "id,input,output,expected,n,sure,note\n1,a,Oslo,Oslo,1,0.9,x\n1,a,Rome,Rom,x,2,y\n,c,,Bern,,,\n",
    'output,expected\n"{""a"": null}","{""a"": 1, ""b"": null}"\n"{""a"": 1, ""b"": 3}","{""a"": ""x"", ""b"": 2}"\n',
    'id,output,expected\n1,"{""l"": [{""k"": 1}, {""k"": 1}, {}]}","{""l"": [{""k"": 1}, {""k"": 1}], ""x"": 3}"\n',
    "output,answer,expected\na,b,c\n",
    "output,expected\n",
    "other\nx\n",
]
EVALUATORS: list[Any] = [
    "exact_match",
    "json_diff_match",
    {"correctness": {"labels": ["Oslo", "Bern"]}},
    {"correctness": {"name": "number", "compare": {"numeric": {"parse": True}}}},
    {"json_multi_field_match": {"fields": {"a": "exact", "b": "exact"}}},
    {"json_multi_field_match": {"name": "nowhere", "fields": ["zz"]}},
    {"schema_match": {"name": "align", "fields": {"a": "numeric", "b": {"align": "any_order"}, "b[*].k": "exact"}}},
    {"schema_match": {"name": "lacks", "schema": {"type": "object", "properties": {"a": {"type": "integer"}, "q": {"type": "string"}}}}},
    {"schema_match": {"name": "keys", "fields": {"l": {"align": {"key_field": {"key": "k"}}}, "l[*].k": "exact"}}},
    {"schema_match": {"name": "no key", "fields": {"l": {"align": {"key_field": {"key": "z"}}}, "l[*].k": "exact"}}},
    {"contains": {"substring": {"column": "note"}}},
    {"contains": {"name": "when", "substring": "o", "when": {"row.n": 1}}},
    {"exact_match": {"name": "never", "when": {"row.note": "zzz"}}},
    {"format_valid": {"format": "json"}},
    {"rules": {"add": {"sum": ["a", "b"], "equals": "a"}}},
    {"grounded": {"source": "note", "fields": ["a"]}},
    {"weighted_mean": {"name": "mean", "of": {"exact_match": 1}}},
    {"exact_match": {"name": "misspelt", "pas_at": 1}},
    {"llm_judge": {"rubric": "is kind"}},
]  # fmt: skip
SECTIONS: dict[str, list[Any]] = {
    "gates": [{"exact_match": {"fail_below": 0.1}}, {"json_multi_field_match.a": {"fail_below": 0.1}}],
    "slices": [["row.note"], ["note"]],
    "measures": [{"cost": "row.n"}, {"cost": "row.zz"}],
    "repeats": ["row.input", "id"],
    "confidence": ["row.sure", "row.zz"],
    "tracking": [["files"], ["lacking"], ["misspelt"]],
    "results": [{"folder": "other://bucket/runs"}, {"formats": ["html"]}, {"formats": ["misspelt"]}],
    "engine": ["in_process", "lacking", "misspelt"],
    "limits": [{"list_cells": 3}, {"misspelt": 1}],
    "name": ["cities", 3],
}  # fmt: skip
TEST_SETS: list[Any] = [
    {"file": "rows.csv"},
    {"file": "rows.csv", "columns": {"expected": "answer"}},
    {"file": "rows.csv", "columns": {"expected": "output"}},
    {"file": "rows.csv", "empty_expected": "value"},
    {"file": "rows.csv", "header_row": 9},
]


@st.composite
def suites(draw: st.DrawFn) -> dict[str, Any]:
    named = draw(st.lists(st.sampled_from(sorted(SECTIONS)), max_size=2, unique=True))
    return {
        "test_set": draw(st.sampled_from(TEST_SETS)),
        "evaluators": draw(st.lists(st.sampled_from(EVALUATORS), min_size=1, max_size=3, unique_by=json.dumps)),
        **{section: draw(st.sampled_from(SECTIONS[section])) for section in named},
    }


@pytest.fixture
def lacking(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tracker and an engine whose packages are not installed here, and a folder to be in."""
    monkeypatch.setattr(TRACKERS, "_registered", {})  # what a test registers goes with it
    monkeypatch.setattr(ENGINES, "_registered", {})
    TRACKERS.register("lacking", LackingTracker)
    ENGINES.register("lacking", LackingEngine)


def agree() -> None:
    """The two commands end alike: a gate that fails is no problem of the suite, but ends a run with 1 whatever else there is, so the run
    is asked again without gates; of two problems either may come first. A package that is not installed is a warning of `check`, and
    what `run` does without it is what counts."""
    checked, run = cli("check", "suite.yaml", "rows.csv"), cli("run", "suite.yaml", "rows.csv")
    if "needs a package that is not installed" in run.output:
        assert run.exit_code == 2
        assert "warning: the " in checked.output or checked.exit_code == 2
        run = cli("run", "suite.yaml", "rows.csv", "--track", "none", "--engine", "in_process")
    if run.exit_code == 1:
        suite = read_yaml(Path("suite.yaml"))
        Path("ungated.yaml").write_text(yaml.safe_dump({**suite, "gates": {}}, sort_keys=False), "utf-8")
        run = cli("run", "ungated.yaml", "rows.csv", "--track", "none", "--engine", "in_process")
    codes = {checked.exit_code, run.exit_code}
    assert len(codes) == 1 or codes == {2, 3}, f"{checked.output}\n{run.output}"


@pytest.mark.usefixtures("lacking")
@given(suites(), st.sampled_from(ROWS))
def test_what_check_calls_faulty_does_not_run_and_what_it_passes_does(suite: dict[str, Any], rows: str) -> None:
    write_files(Path(), {"suite.yaml": yaml.safe_dump(suite, sort_keys=False), "rows.csv": rows})
    agree()
    asked, unasked = cli("check", "suite.yaml", "--all"), cli("check", "suite.yaml")
    assert asked.exit_code == unasked.exit_code, f"{asked.output}\n{unasked.output}"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("evaluator", EVALUATORS, ids=str)
def test_rows_that_an_evaluator_cannot_score_are_a_problem_for_both(evaluator: Any) -> None:
    for rows in ROWS:
        write_files(Path(), {"suite.yaml": yaml.safe_dump({"evaluators": [evaluator]}), "rows.csv": rows})
        agree()


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize("section", [{name: value} for name, values in SECTIONS.items() for value in values], ids=str)
def test_a_section_that_a_run_refuses_is_a_problem_for_both(section: dict[str, Any]) -> None:
    fields = {"json_multi_field_match": {"fields": ["a"]}}
    for evaluators in (["exact_match"], ["exact_match", fields]):
        suite = {"test_set": "rows.csv", "evaluators": evaluators, **section}
        write_files(Path(), {"suite.yaml": yaml.safe_dump(suite), "rows.csv": ROWS[1]})
        agree()


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize(
    ("section", "message", "without"),
    [
        (
            {"tracking": ["lacking", "files"]},
            'the tracker "lacking" needs a package that is not installed',
            "--track none",
        ),
        ({"engine": "lacking"}, 'the engine "lacking" needs a package that is not installed', "--engine in_process"),
    ],
)
@pytest.mark.parametrize("words", [(), ("--all",)])
def test_a_package_that_is_not_installed_here_is_a_warning_of_check_and_a_problem_of_run(
    section: dict[str, Any], message: str, without: str, words: tuple[str, ...]
) -> None:
    suite = {"test_set": "rows.csv", "evaluators": ["exact_match"], **section}
    write_files(Path(), {"suite.yaml": yaml.safe_dump(suite), "rows.csv": ROWS[1]})
    checked, run = cli("check", "suite.yaml", *words), cli("run", "suite.yaml")
    assert (checked.exit_code, run.exit_code) == (0, 2)
    assert f"warning: {message}\n  hint: pip install " in checked.stdout
    assert f"without it: `evaluators run … {without}`" in checked.stdout.replace("\n    ", " ")
    assert message in run.stderr
    assert cli("run", "suite.yaml", *without.split()).exit_code == 0


RUN = [
    entry for entry in TABLE if "command" not in entry and entry.get("rows", RIGHT) is not None and "before" not in entry
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("entry", RUN, ids=lambda entry: entry["it"])
def test_a_usual_mistake_is_one_for_both(entry: dict[str, Any]) -> None:
    suite = entry.get("suite", "evaluators: [exact_match]\n")
    write_files(Path(), {"suite.yaml": suite, "rows.csv": entry.get("rows", RIGHT), **entry.get("files", {})})
    agree()
