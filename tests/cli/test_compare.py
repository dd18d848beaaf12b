"""`evaluators compare` as a person starts it, on small files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from click.testing import Result

import evaluators
from evaluators.model.issues import Problems
from tests.kit import change_table, cli, write_rows

SUITE = """
name: cities
test_set: {columns: {id: id}}
evaluators:
  - type: json_multi_field_match
    name: city
    fields: {city: exact, zip: exact}
compare:
  baseline: baselines/main
  max_broken_rows: 1
  regression_checks:
    city.zip: {max_drop: 0.02}
"""
RIGHT, NO_ZIP = '{"city": "Rome", "zip": "1"}', '{"city": "Rome", "zip": "2"}'
Start = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["evaluators"])
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")

    def start(*words: str) -> Result:
        return cli(*words, GITHUB_STEP_SUMMARY=None)

    def score(name: str, outputs: Iterable[str], expected: str = RIGHT) -> None:
        rows = (
            {"id": f"C-{place}", "page": place // 3, "output": output, "expected": expected}
            for place, output in enumerate(outputs)
        )
        write_rows(tmp_path / f"{name}.jsonl", rows)
        done = start("run", "suite.yaml", f"{name}.jsonl", "--name", name, "-q")
        assert done.exit_code == 0, done.output

    score("good", [RIGHT] * 12)
    score("bad", [NO_ZIP] * 3 + [RIGHT] * 9)
    score("worse", [NO_ZIP] * 9 + [RIGHT] * 3)
    score("shorter", [RIGHT] * 10)
    score("other", [RIGHT] * 12, expected=NO_ZIP)
    return start


def test_two_runs_are_compared_row_by_row(run: Start) -> None:
    done = run("compare", "runs/good", "runs/bad")
    assert done.exit_code == 0
    assert "12 rows in both runs: 0 fixed, 3 broken, 9 unchanged" in done.output
    assert "- row 1 (C-0): broken: city\n  zip: right → wrong\n  zip is wrong (" in done.output


def test_a_field_that_is_mended_in_a_row_that_still_fails_is_shown(run: Start, tmp_path: Path) -> None:
    outputs = {"both": '{"city": "Bonn", "zip": "2"}', "one": NO_ZIP}
    for name, output in outputs.items():
        row = {"id": "C-0", "output": output, "expected": RIGHT}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
        assert run("run", "suite.yaml", f"{name}.jsonl", "--name", name, "-q").exit_code == 0
    page = run("compare", "runs/both", "runs/one").output
    assert "0 fixed, 0 broken, 1 unchanged (1 with changed values)" in page
    assert "- row 1 (C-0): passes or fails as before\n  city: wrong → right\n" in page
    table = run("compare", "runs/good", "runs/one", "--common", "--format", "csv").output
    assert '"broken","city","","","","","city.zip: match → mismatch","city: zip is wrong (' in table


def test_a_clear_drop_ends_with_1(run: Start) -> None:
    done = run("compare", "runs/good", "runs/worse", "-q")
    assert done.exit_code == 1
    assert done.output.startswith(
        "cities: FAILED; 0 fixed, 9 broken of 12 rows (significant_drop: clearly worse: city by"
    )
    assert run("compare", "runs/good", "runs/worse", "-q", "--fail-on", "nothing").exit_code == 0


@pytest.mark.parametrize("words", [("--max-broken-rows", "2"), ("--max-drop", "city.zip=0.1"), ("--suite", "suite.yaml")])
def test_what_fails_is_said_on_the_command_line_or_in_the_suite(run: Start, words: tuple[str, ...]) -> None:
    assert run("compare", "runs/good", "runs/bad", *words).exit_code == 1


def test_the_rules_of_a_suite_give_way_to_the_command_line(run: Start) -> None:
    words = ("--suite", "suite.yaml", "--max-broken-rows", "3", "--max-drop", "city.zip=0.3")
    assert run("compare", "runs/good", "runs/bad", *words).exit_code == 0


def test_runs_of_other_rows_or_other_questions_end_with_4(run: Start) -> None:
    shorter = run("compare", "runs/good", "runs/shorter")
    assert shorter.exit_code == 4
    assert "- 2 rows are in the base only: C-10, C-11" in shorter.output
    other = run("compare", "runs/good", "runs/other")
    assert other.exit_code == 4
    assert "12 rows have another expected answer" in other.output
    common = run("compare", "runs/good", "runs/shorter", "--common")
    assert common.exit_code == 3
    assert "2 rows are lost, scored in the base and not in the new run (absent 2): C-10, C-11" in common.output
    assert run("compare", "runs/shorter", "runs/good", "--common").exit_code == 0


@pytest.mark.slow
def test_a_suite_that_means_something_else_ends_with_4(run: Start, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE.replace("zip: exact", "zip: normalized"), encoding="utf-8")
    assert run("run", "suite.yaml", "good.jsonl", "--name", "again", "-q").exit_code == 0
    done = run("compare", "runs/good", "runs/again")
    assert done.exit_code == 4
    assert '- the evaluator "city" has other settings: fields → zip' in done.output


def test_a_baseline_is_written_and_compared_with(run: Start, tmp_path: Path) -> None:
    done = run("compare", "runs/good", "--suite", "suite.yaml", "--update-baseline")
    assert done.output == "baselines/main: the baseline is now runs/good, with 12 rows.\n"
    assert run("compare", "runs/good", "--suite", "suite.yaml", "-q").exit_code == 0
    assert run("compare", "runs/bad", "--suite", "suite.yaml", "-q").exit_code == 1
    assert run("compare", "baselines/main", "runs/good", "-q").exit_code == 0


def test_metrics_alone_are_compared_and_rules_about_rows_are_not(run: Start, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "runs" / "good" / "run.json", tmp_path / "good.json")
    done = run("compare", "good.json", "runs/bad")
    assert done.exit_code == 4
    assert "- significant_drop needs the rows of both runs, and the base has metrics alone" in done.output
    names = ("a.md", "a.txt", "a.json", "a.csv", "a.xml", "a.html")
    done = run(
        "compare", "good.json", "runs/bad", "--fail-on", "nothing", *[word for name in names for word in ("-o", name)]
    )
    assert done.exit_code == 0
    assert "evaluator    base     new  difference             95 % CI\n" in done.output
    assert all((tmp_path / name).stat().st_size for name in names)
    assert (
        run("compare", "good.json", "runs/bad", "--fail-on", "nothing", "--max-drop", "city=0.001", "-q").exit_code == 1
    )


def test_files_are_written_as_their_names_say(run: Start, tmp_path: Path) -> None:
    names = ("a.md", "a.txt", "a.json", "a.csv", "a.xml")
    done = run("compare", "runs/good", "runs/bad", *[word for name in names for word in ("-o", name)])
    assert done.exit_code == 0
    assert all((tmp_path / name).stat().st_size for name in names)
    assert done.output.endswith("- a.md\n- a.txt\n- a.json\n- a.csv\n- a.xml\n")
    assert run("compare", "runs/good", "runs/bad", "-o", "a.pdf").exit_code == 2


@pytest.mark.parametrize("kind", ["markdown", "json", "csv", "github"])
def test_what_is_printed_can_be_chosen(run: Start, kind: str) -> None:
    done = run("compare", "runs/good", "runs/bad", "--format", kind)
    starts = {"markdown": "# cities", "json": "{", "csv": "\ufeff", "github": "::notice title=evaluators::"}
    assert done.output.startswith(starts[kind])


def test_github_gets_a_step_summary(run: Start, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    env = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary)}
    for words in (
        ("compare", "runs/good", "runs/worse", "--format", "github"),
        ("run", "suite.yaml", "bad.jsonl", "--no-results", "--format", "github"),
    ):
        printed = cli(*words, **env).output
        assert all(line.startswith("::") for line in printed.splitlines())
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n# cities: FAILED\n")
    assert "\n# cities: finished\n" in text


def test_mistakes_are_named(run: Start) -> None:
    for words, said in (
        (("compare", "runs/good"), "needs two runs"),
        (("compare", "runs/good", "runs/bad", "runs/worse"), "3 are named"),
        (("compare", "runs/good", "runs/nowhere"), "there is no such run"),
        (("compare", "runs/good", "suite.yaml"), "not a run"),
        (("compare", "runs/good", "--suite", "suite.yaml"), "there is no such run"),
        (("compare", "runs/good", "runs/bad", "--fail-on", "significant_dorp"), 'did you mean "significant_drop"?'),
        (("compare", "runs/good", "runs/bad", "--max-drop", "city.zpi=0.1"), 'did you mean "zip"?'),
        (("compare", "runs/good", "runs/bad", "--max-drop", "city=7"), "with a number from 0 to 1"),
        (("compare", "runs/good", "--variants"), "no variants to compare"),
        (("compare", "runs/good", "--update-baseline"), "--update-baseline takes one run"),
    ):
        done = run(*words)
        assert done.exit_code == 2, words
        assert said in done.output, done.output


def test_variants_are_ranked(run: Start, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE.replace("{columns: {id: id}}", "{file: good.jsonl, columns: {id: id}, "
        "outputs: {a: good.jsonl, b: bad.jsonl, c: worse.jsonl}}"), encoding="utf-8")  # fmt: skip
    assert run("run", "suite.yaml", "--name", "models", "-q").exit_code == 0
    every = run("compare", "runs/models", "--variants")
    assert every.exit_code == 0
    assert "city          1  a" in every.output
    assert run("compare", "runs/models", "--variants", "a", "c").output.startswith("cities: clearly worse\n")
    assert 'did you mean "a"' not in run("compare", "runs/models", "--variants", "z", "a").output


def test_a_regression_check_of_a_suite_must_name_what_there_is(run: Start, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE.replace("city.zip:", "city.zpi:"), encoding="utf-8")
    done = run("check", "suite.yaml")
    assert done.exit_code == 2
    assert 'suite.yaml:12:5: the regression check "city.zpi" names the field "zpi"' in done.output


def test_rows_of_one_cluster_count_as_one(run: Start, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(SUITE + "statistics: {cluster: row.page}\n", encoding="utf-8")
    for name in ("good", "worse"):
        assert run("run", "suite.yaml", f"{name}.jsonl", "--name", f"{name}-pages", "-q").exit_code == 0
    done = run("compare", "runs/good-pages", "runs/worse-pages")
    assert done.exit_code == 0, "three of four pages are no proof"
    assert "rows of one page count as one" in done.output


def test_python_compares_as_the_command_does(run: Start, tmp_path: Path) -> None:
    found = evaluators.compare("runs/good", "runs/worse", max_drop={"city": 0.1})
    assert (found.broken, found.exit_code) == (9, 1)
    assert [one.field for one in found.fields] == ["city", "zip"]
    assert evaluators.compare("runs/good", "runs/bad", suite=evaluators.load("suite.yaml"), fail_on=()).exit_code == 1
    with pytest.raises(Problems):
        evaluators.compare("runs/good", "runs/nowhere")


def test_a_damaged_file_of_rows_is_named(run: Start, tmp_path: Path) -> None:
    change_table(tmp_path / "runs" / "bad", "update rows0 set code0 = 70")
    done = run("compare", "runs/good", "runs/bad")
    assert done.exit_code == 2
    assert (
        "run.db, rows: this run folder is damaged, or was not written by a run: row 1: the table of codes" in done.output
    )
    (tmp_path / "runs" / "bad" / "run.db").unlink()
    assert "there is no run.db" in run("compare", "runs/good", "runs/bad").output
    figures = json.loads((tmp_path / "runs" / "bad" / "run.json").read_text(encoding="utf-8"))
    del figures["record"]
    (tmp_path / "runs" / "bad" / "run.json").write_text(json.dumps(figures), encoding="utf-8")
    assert "score the test set again" in run("compare", "runs/good", "runs/bad").output


@pytest.mark.parametrize("kept", [True, False])
def test_rows_that_are_paired_by_their_places_are_said_to_be_with_the_column_that_would_pair_them(
    run: Start, tmp_path: Path, kept: bool
) -> None:
    rows = "".join(f"q{at},{at},{at}\n" for at in range(5))
    results = "" if kept else "results: {documents: none}\n"
    (tmp_path / "plain.yaml").write_text(f"evaluators: [exact_match]\n{results}", encoding="utf-8")
    for name, more in (("before", ""), ("after", "new,9,9\n")):
        (tmp_path / f"{name}.csv").write_text(f"question,output,expected\n{more}{rows}", encoding="utf-8")
        done = run("run", "plain.yaml", f"{name}.csv", "--name", name, "-q")
        assert done.exit_code == 0, done.output
    column = (
        'the column "question" would pair them: write `columns: {id: question}`'
        if kept
        else "write `columns: {id: COLUMN}`"
    )
    for common, code in (((), 4), (("--common",), 3)):
        done = run("compare", "runs/before", "runs/after", *common)
        assert done.exit_code == code, done.output
        said = " ".join(done.output.split())
        assert "rows were paired by their places, for want of an id" in said
        assert column in said
