"""No command writes over a file that it reads, however the file is called.

A command with `-o` needs a line in `COMMANDS`, which a test demands: then each file that it reads is tried under each of its names.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from evaluators.cli import command as program
from evaluators.scoring.values.files import is_read, note_listing, noting_reads
from tests.kit import cli, write

SUITE = """
extends: base.yaml
test_set: {file: rows.csv, output: {file: given.jsonl}, attach: {note: "notes/{id}.txt"}}
evaluators:
  - schema_match: {schema: schema.json}
  - llm_judge: {rubric: "is it good?", judge: {recorded: {file: answers.jsonl}}}
compare: {baseline: baseline}
"""
ASKS = """
test_set: rows.csv
judge: {openai_compatible: {base_url: "http://127.0.0.1:9/v1", model: m, api_key_env: KEY, env_file: key.env, prices: prices.yaml}}
evaluators:
  - llm_judge: {rubric: "is it good?", output: expected}
"""
FILES = {
    "suite.yaml": SUITE,
    "base.yaml": "evaluators: [contains_json]\n",
    "schema.json": json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}}),
    "rows.csv": 'id,expected\n1,"{""a"": 1}"\n2,"{""a"": 2}"\n',
    "given.jsonl": '{"id": "1", "output": {"a": 1}}\n{"id": "2", "output": {"a": 3}}\n',
    "notes/1.txt": "one",
    "notes/2.txt": "two",
    "answers.jsonl": "",
    "simple.yaml": "test_set: 'all/*.csv'\nevaluators: [exact_match]\ncompare: {baseline: baseline}\n",
    "all/one.csv": "id,output,expected\n1,1,1\n",
    "all/two.csv": "id,output,expected\n2,1,2\n",
    "asks.yaml": ASKS,
    "key.env": "KEY=abc\n",
    "prices.yaml": "currency: EUR\nmodels: {m: {input: 1, output: 2}}\n",
    "of-file.yaml": "prompts: ['{{q}}']\nproviders: [echo]\ntests: cases.csv\n",
    "cases.csv": "q,__expected\na,Oslo\n",
    "tests.yaml": "prompts: ['{{q}}']\nproviders: [echo]\ntests: [{vars: {q: x}, assert: [{type: equals, value: y}]}]\n",
}
OF_RUN = [f"runs/{{}}/{name}" for name in ("run.json", "environment.json", "run.db", "suite/simple.yaml")]
SIMPLE = ["simple.yaml", "all/one.csv", "all/two.csv"]
COMMANDS: dict[str, list[tuple[list[str], list[str]]]] = {
    "run": [
        (["run", "simple.yaml", "--no-results", "-o", "@"], [*SIMPLE, "baseline/run.json"]),
        (
            ["run", "suite.yaml", "-q", "-o", "@"],
            ["suite.yaml", "base.yaml", "schema.json", "rows.csv", "given.jsonl", "notes/1.txt", "answers.jsonl", "baseline/run.json"],
        ),
        (["run", "asks.yaml", "--no-results", "-o", "@"], ["asks.yaml", "key.env", "prices.yaml", "rows.csv"]),
    ],
    "report": [(["report", "runs/x", "-o", "@"], [*SIMPLE, "baseline/run.json", *(one.format("x") for one in OF_RUN)])],
    "compare": [
        (["compare", "runs/x", "runs/y", "-o", "@"], [*SIMPLE, *(one.format(run) for one in OF_RUN for run in "xy")]),
        (["compare", "baseline", "runs/y", "-o", "@"], ["baseline/run.json", "all/one.csv"]),
        (["compare", "runs/y", "--suite", "simple.yaml", "-o", "@"], [*SIMPLE, "baseline/run.json"]),
    ],
    "convert": [(["convert", "of-file.yaml", "--force", "--rows", "@"], ["of-file.yaml", "cases.csv"]),
                (["convert", "tests.yaml", "--force", "-o", "@"], ["tests.yaml"]),
                (["convert", "tests.yaml", "--force", "--rows", "@"], ["tests.yaml"])],
    "init": [(["init", "all/one.csv", "--force", "-o", "@"], ["all/one.csv"]),
             (["init", "--expected", "all/one.csv", "--outputs-from", "all/two.csv", "--force", "-o", "@"], ["all/two.csv"])],
    "infer-schema": [(["infer-schema", "given.jsonl", "--column", "output", "--force", "-o", "@"], ["given.jsonl"]),
                     (["infer-schema", "simple.yaml", "--force", "-o", "@"], SIMPLE)],
    "schema": [(["schema", "-o", "@"], list(FILES))],
}  # fmt: skip
"""For each command with `-o`: command lines, with @ for the place that is written, and the files that they read."""
CASES = [(words, file) for lines in COMMANDS.values() for words, files in lines for file in files]
IDS = [f"{' '.join(words)} = {file}" for words, file in CASES]
FIRST_FILES = [(words, files[0]) for lines in COMMANDS.values() for words, files in lines]


def test_every_command_that_writes_a_file_is_tried() -> None:
    context = click.Context(program, **program.context_settings)
    writing = set()
    for name in program.list_commands(context):
        found = program.get_command(context, name)
        assert found is not None
        if any("-o" in one.opts for one in found.get_params(context)):
            writing.add(name)
    assert writing == set(COMMANDS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, with two runs and a baseline."""
    folder, before = tmp_path_factory.mktemp("made"), Path.cwd()
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    os.chdir(folder)
    try:
        for name in "xy":
            assert cli("run", "simple.yaml", "-q", "--name", name).exit_code == 0
        assert cli("compare", "runs/x", "--suite", "simple.yaml", "--update-baseline").exit_code == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(made)
    before = {*made.iterdir()}
    yield made
    for one in {*made.iterdir()} - before:
        shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()


def other_names(file: str, here: Path, addresses: bool) -> Iterator[str]:
    """A file under other names: links get an ending that every command takes."""
    links: dict[str, Callable[[Path, Path], None]] = {"symlink": os.symlink, "hard": os.link}
    for kind, make in links.items():
        for ending in (".json", ".csv"):
            make(here / file, here / f"{kind}{ending}")
            yield f"{kind}{ending}"
    os.symlink(here, here / "again")
    yield from (f"no/../{file}", str(here / file), f"again/{file}")
    if addresses:
        yield (here / file).as_uri()


def contents(here: Path) -> dict[str, bytes]:
    """Every file, without the store that a judge keeps its answers in."""
    return {
        str(one): one.read_bytes() for one in sorted(here.rglob("*")) if one.is_file() and ".evaluators" not in one.parts
    }


def assert_not_written_over(words: list[str], name: str, here: Path) -> None:
    before = contents(here)
    done = cli(*[name if word == "@" else word for word in words])
    assert done.exit_code == 2, (name, done.stdout, done.stderr)
    assert contents(here) == before, name
    if name.endswith((".json", ".csv")) and words[0] != "schema":
        assert "not written over" in done.stderr, name


@pytest.mark.parametrize(("words", "file"), CASES, ids=IDS)
def test_a_file_that_is_read_is_not_written_over(words: list[str], file: str, here: Path) -> None:
    assert_not_written_over(words, file, here)
    os.symlink(here / file, here / "link.csv")
    assert_not_written_over(words, "link.csv", here)


@pytest.mark.parametrize(
    ("words", "file"),
    [pytest.param(*case, marks=() if case in FIRST_FILES else pytest.mark.slow) for case in CASES],
    ids=IDS,
)
def test_a_file_is_known_under_each_of_its_names(words: list[str], file: str, here: Path) -> None:
    for name in other_names(file, here, words[0] in ("run", "report", "compare")):
        assert_not_written_over(words, name, here)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


ROWS = "id,output,expected\n1,1,1\n2,1,2\n"
OF_VARIANTS = """
test_set:
  file: gold.csv
  outputs: {gpt: {file: rows.gpt.csv}, claude: {file: rows.claude.csv}}
evaluators: [exact_match]
"""


def test_what_a_format_writes_for_each_variant_is_not_written_over_either(own: Path) -> None:
    write("suite.yaml", OF_VARIANTS)
    write("gold.csv", "id,expected\n1,a\n2,b\n")
    for name in ("gpt", "claude"):
        write(f"rows.{name}.csv", "id,output\n1,a\n2,a\n")
    before = contents(own)
    done = cli("run", "suite.yaml", "--no-results", "-o", "rows.csv")
    assert (done.exit_code, contents(own)) == (2, before)
    assert "rows.gpt.csv: this file is read" in done.stderr
    assert cli("run", "suite.yaml", "--name", "x", "-o", "scored.csv").exit_code == 0
    before = contents(own)
    done = cli("report", "runs/x", "-o", "rows.csv")
    assert (done.exit_code, contents(own)) == (2, before)


@pytest.mark.parametrize(
    ("suite", "files", "target"),
    [
        ("test_set: 'data/*.csv'", {"data/a.csv": ROWS}, "data/rows.csv"),
        ("test_set: data", {"data/a.csv": ROWS}, "data/rows.csv"),
        (
            "test_set: {file: gold.csv, outputs: 'out/*.csv'}",
            {"gold.csv": "id,expected\n1,a\n", "out/gpt.csv": "id,output\n1,a\n"},
            "out/rows.csv",
        ),
        (
            "test_set: {file: gold.csv, outputs: out}",
            {"gold.csv": "id,expected\n1,a\n", "out/gpt.csv": "id,output\n1,a\n"},
            "out/rows.jsonl",
        ),
        ("test_set: {expected: gold, output: out}", {"gold/a.json": "{}", "out/a.json": "{}"}, "out/run.json"),
        (
            "test_set: {expected: 'gold/*.json', output: 'out/*.json'}",
            {"gold/a.json": "{}", "out/a.json": "{}"},
            "gold/metrics.json",
        ),
        (
            "test_set: {file: gold.csv, attach: {note: 'notes/{id}*.csv'}}",
            {"gold.csv": ROWS, "notes/1.csv": "x", "notes/2.csv": "y"},
            "notes/1-scored.csv",
        ),
    ],
)
def test_what_a_run_has_written_among_its_rows_is_not_read_the_next_time(
    suite: str, files: dict[str, str], target: str, own: Path
) -> None:
    write("suite.yaml", f"{suite}\nevaluators: [exact_match]\n")
    for name, text in files.items():
        write(name, text)
    first = cli("run", "suite.yaml", "--format", "json", "--name", "x", "-o", target)
    assert Path(target).exists() or list(Path(target).parent.glob("rows.*.*")), first.stderr
    again = cli("run", "suite.yaml", "--format", "json", "--name", "y", "-o", target)
    assert again.exit_code == first.exit_code, again.stderr
    one, other = json.loads(first.stdout), json.loads(again.stdout)
    for key in ("rows", "evaluators", "data_fingerprint", "issues"):
        assert one[key] == other[key]


def test_a_run_that_is_replaced_holds_nothing_that_is_read(own: Path) -> None:
    write("suite.yaml", "test_set: rows.csv\nevaluators: [exact_match]\n")
    write("rows.csv", ROWS)
    assert cli("run", "suite.yaml", "--name", "x").exit_code == 0
    before = contents(own)
    done = cli("run", "suite.yaml", "runs/x/rows.csv", "--name", "x", "--force")
    assert (done.exit_code, contents(own)) == (2, before)
    assert "--force would remove the folder" in done.stderr
    assert cli("run", "suite.yaml", "--name", "x", "--force").exit_code == 0


def test_a_baseline_is_renewed_and_no_other_file_is(own: Path) -> None:
    write("suite.yaml", "test_set: rows.csv\nevaluators: [exact_match]\ncompare: {baseline: base}\n")
    write("wrong.yaml", "extends: suite.yaml\ncompare: {baseline: rows.csv}\n")
    write("rows.csv", ROWS)
    assert cli("run", "suite.yaml", "--name", "x").exit_code == 0
    for _ in range(2):
        assert cli("compare", "runs/x", "--suite", "suite.yaml", "--update-baseline").exit_code == 0
    done = cli("compare", "runs/x", "--suite", "wrong.yaml", "--update-baseline")
    assert (done.exit_code, Path("rows.csv").read_text(encoding="utf-8")) == (2, ROWS)


def test_what_is_made_of_a_run_is_renewed_in_its_folder(own: Path) -> None:
    write("suite.yaml", "test_set: rows.csv\nevaluators: [exact_match]\n")
    write("rows.csv", ROWS)
    for name in "xy":
        assert cli("run", "suite.yaml", "--name", name, "-o", "all.csv").exit_code == 0
    for _ in range(2):
        assert cli("report", "runs/x", "-o", "runs/x/report.html", "-o", "runs/x/rows.csv").exit_code == 0
        assert cli("view", "runs/x", "--no-open").exit_code == 0
        assert cli("compare", "runs/x", "runs/y", "-o", "runs/y/compare.html").exit_code == 0
        assert cli("track", "runs/x", "--to", "files").exit_code == 0
    assert cli("compare", "runs/x", "runs/y", "-o", "runs/y/summary.txt").exit_code == 2


@pytest.mark.parametrize("name", ["metrics.json", "params.yaml", "dvc.yaml", "plots/fields.csv"])
def test_a_tracker_writes_over_no_file_of_others(name: str, own: Path) -> None:
    write("suite.yaml", "test_set: rows.csv\nevaluators: [exact_match]\n")
    write("rows.csv", ROWS)
    write(f"metrics/{name}", "mine")
    cli("run", "suite.yaml", "--name", "x", "--track", "files")
    assert cli("track", "runs/x", "--to", "files").exit_code in (2, 3)
    assert Path("metrics", name).read_text(encoding="utf-8") == "mine"


def test_a_report_is_not_put_among_the_rows_of_its_run(own: Path) -> None:
    write("suite.yaml", "test_set: data\nevaluators: [exact_match]\n")
    write("data/a.csv", ROWS)
    assert cli("run", "suite.yaml", "--name", "x").exit_code == 0
    done = cli("report", "runs/x", "-o", "data/rows.csv")
    assert done.exit_code == 2
    assert "would be one of the test set's the next time" in done.stderr
    assert not Path("data/rows.csv").exists()


@pytest.mark.parametrize("words", [[], ["--results", "other"]])
def test_a_file_is_known_by_the_runs_in_the_folder_that_the_suite_names(words: list[str], own: Path) -> None:
    write("suite.yaml", "test_set: data\nevaluators: [exact_match]\nresults: {folder: kept}\n")
    write("data/a.csv", ROWS)
    assert cli("run", "suite.yaml", "-o", "data/rows.csv").exit_code == 0
    for more in ([], ["-o", "data/rows.csv"]):
        done = cli("run", "suite.yaml", *words, *more)
        assert done.exit_code == 0, done.stderr
        assert "2 rows of data" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "runs/x", "runs/y"],
        ["compare"],
        ["compare", "runs/y", "--suite", "suite.yaml"],
        ["compare", "base", "runs/y"],
    ],
)
@pytest.mark.parametrize("target", ["data/c.csv", "data/in/c.json"])
def test_a_comparison_is_not_put_among_the_rows_of_its_runs(words: list[str], target: str, own: Path) -> None:
    write("suite.yaml", "test_set: data\nevaluators: [exact_match]\ncompare: {baseline: base}\n")
    write("data/a.csv", ROWS)
    for name in "xy":
        assert cli("run", "suite.yaml", "--name", name).exit_code == 0
    assert cli("compare", "runs/x", "--suite", "suite.yaml", "--update-baseline").exit_code == 0
    done = cli(*words, "-o", target)
    assert done.exit_code == 2
    assert "would be one of the test set's the next time" in done.stderr
    assert not Path(target).exists()
    assert cli(*words, "-o", "c.json").exit_code == 0


def test_a_schema_is_not_put_among_the_answers_that_it_is_made_of(own: Path) -> None:
    write("gold/a.json", '{"a": 1}')
    done = cli("infer-schema", "gold", "-o", "gold/schema.json")
    assert (done.exit_code, Path("gold/schema.json").exists()) == (2, False)
    assert "would be one of the test set's the next time" in done.stderr
    assert cli("infer-schema", "gold", "-o", "schema.json").exit_code == 0


def test_an_address_that_is_read_is_known_by_its_text() -> None:
    with noting_reads():
        note_listing(lambda: ["s3://bucket/rows.csv"])
        assert is_read("s3://bucket/rows.csv")
        assert not is_read("s3://bucket/other.csv")
    assert not is_read("s3://bucket/rows.csv")
