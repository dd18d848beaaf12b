"""What tests of many rooms need: rows and files in a folder, the command line in this process, and golden files."""

from __future__ import annotations

import csv
import difflib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from click.testing import CliRunner, Result

from evaluators.api.loading import load
from evaluators.cli import command
from evaluators.model.issues import Issue, Problems, problem
from evaluators.reports.format import FORMATS
from evaluators.reports.headline import Options
from evaluators.runs.compare.comparison import RunComparison
from evaluators.runs.reader import Run
from evaluators.runs.result import RunResult

EVERY_FIGURE: Final[Mapping[str, object]] = {
    "repeats": "row.question",
    "confidence": "row.sure",
    "evaluators": [
        {"json_multi_field_match": {"name": "form", "fields": {"total": {"compare": "exact", "confidence": "sure"}, "fax": "exact"}}},
        {"rules": {"add up": {"sum": ["a", "b"], "equals": "total"}}},
        {"grounded": {"source": "mail", "fields": ["a", "total"]}},
    ],
}  # fmt: skip
"""A suite that asks for rates, repeats, confidences, rules and sources, for the rows below."""
EVERY_FIGURE_ROWS: Final = [
    {"id": str(number), "question": question, "output": output, "expected": expected, "sure": sure, "mail": f"3, 2, 5, {question}"}
    for number, (question, output, expected, sure) in enumerate([
        ("q1", {"a": 3, "b": 2, "total": 5, "fax": "1", "sure": 0.9}, {"a": 3, "b": 2, "total": 5, "fax": None}, 0.9),
        ("q1", {"a": 3, "b": 2, "total": 5, "fax": None, "sure": 0.8}, {"a": 3, "b": 2, "total": 5, "fax": None}, 0.8),
        ("q2", {"a": 3, "b": 2, "total": 6, "fax": None, "sure": 0.3}, {"a": 3, "b": 2, "total": 5, "fax": "1"}, 0.3),
        ("q2", "no idea", {"a": 3, "b": 2, "total": 5, "fax": None}, None),
    ])
]  # fmt: skip


def write_rows(file: Path, rows: Iterable[object]) -> Path:
    """The file, with these rows as JSON lines."""
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(row)}\n" for row in rows)
    return file


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Text files in a folder, by their names, which may have folders in them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def write(name: str | Path, text: str) -> Path:
    """The file, with this text; folders on the way are made."""
    write_files(Path(), {str(name): text})
    return Path(name)


def read_yaml(file: Path) -> Any:
    """What a YAML file holds, such as a table of cases. Read by the parser in C, as every worker reads every table."""
    return yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)


def read_csv(file: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, with or without the mark that Excel wants, as text by column."""
    with open(file, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def run(folder: Path, suite: Mapping[str, Any], rows: Iterable[object]) -> RunResult:
    """The result of a suite over rows, which are in the file `rows.jsonl` of the folder."""
    return load(suite).run(write_rows(folder / "rows.jsonl", rows)).result


def folder_with(files: Mapping[str, str]) -> Any:
    """A fixture of all tests of a module, called `folder`: the test is in a folder of its own, which has these files."""

    @pytest.fixture(autouse=True, name="folder")
    def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        write_files(tmp_path, files)
        return tmp_path

    return folder


def quick_first(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Values of a parameter: the tests of the first ones are in the default tier, those of all others are slow."""
    every = list(values)
    return [*every[:quick], *(pytest.param(value, marks=pytest.mark.slow) for value in every[quick:])]


def tables_of(file: Path) -> list[str]:
    """What the tables of a run hold, without the checksums of what it was run with."""
    with closing(sqlite3.connect(file)) as db:
        return [line for line in db.iterdump() if 'INTO "about"' not in line]


def exported(folder: Path, word: str, variant: str | None = None) -> str:
    """The text that a format writes of the run in a folder."""
    stream = StringIO(newline="")
    FORMATS.find(word)().write(Run(folder), stream, Options(variant=variant))
    return stream.getvalue()


def lines_of(folder: Path, word: str, variant: str | None = None) -> list[Any]:
    """The lines that a format writes of the run in a folder, as JSON."""
    return [json.loads(line) for line in exported(folder, word, variant).splitlines()]


def change_table(folder: Path, *statements: str) -> None:
    """Changes the `run.db` in a folder as whoever means harm, or a fault of a disk, might."""
    with closing(sqlite3.connect(folder / "run.db")) as db, db:
        for statement in statements:
            db.execute(statement)


def problem_of(call: Callable[[], object]) -> Issue:
    """The one problem that a call ends with."""
    with pytest.raises(Problems) as caught:
        call()
    (issue,) = caught.value.issues
    return issue


def cli(*words: str, stdin: str | bytes | None = None, **environment: str | None) -> Result:
    """What `evaluators WORDS` prints and how it ends, in this process. A variable of the environment that is None is not set."""
    return CliRunner(env=environment).invoke(command, words, input=stdin)


def written(name: str, result: RunResult, options: Options = Options()) -> str:
    """The file of a format that asks for the figures of a run alone."""
    stream = StringIO(newline="")
    FORMATS.find(name)().write(Run.of(Path(), result, problem("no-rows", "there are figures alone")), stream, options)
    return stream.getvalue()


def comparison_written(name: str, comparison: RunComparison) -> str:
    """The file of a format for a comparison."""
    stream = StringIO(newline="")
    FORMATS.find(name)().write_comparison(comparison, stream)
    return stream.getvalue()


def golden(file: Path, text: str) -> None:
    """The text is what stands in the file. Else the test fails with the difference; with REGENERATE=1 it writes the file anew."""
    before = file.read_bytes().decode() if file.is_file() else ""
    if text == before:
        return
    if regenerated := bool(os.environ.get("REGENERATE")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    said = "is written anew" if regenerated else "differs; REGENERATE=1 writes it anew"
    changed = difflib.unified_diff(before.splitlines(), text.splitlines(), "as it was", "as it is now", lineterm="")
    pytest.fail(f"{file} {said}:\n" + "\n".join(changed), pytrace=False)
