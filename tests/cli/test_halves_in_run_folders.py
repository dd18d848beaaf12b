"""Half of a surrogate pair in a run folder, which UTF-8 cannot hold: what is damaged by it is named, and is no bug of the program."""

from __future__ import annotations

import gc
import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.kit import change_table, cli, quick_first

SUITE = """
test_set: rows.csv
evaluators:
  - schema_match: {name: f, fields: {a: exact, l: {align: any_order}, 'l[*].k': exact}}
  - exact_match: {name: m, labels: [prose, other]}
  - llm_judge: {name: j, rubric: "Is it polite?"}
judge: {recorded: {file: answers.jsonl}}
slices: [row.s]
repeats: row.g
confidence: row.c
measures: {p: row.c}
gates: {f: {fail_below: 0.1}}
compare: {baseline: baseline}
results: {documents: all}
"""
ROWS = """id,output,expected,s,g,c
1,"{""a"": 1}","{""a"": 1}",x,q,0.5
2,"{""a"": 2, ""l"": [{""k"": 1}]}","{""a"": 1, ""l"": [{""k"": 2}]}",y,q,0.7
3,prose,"{""a"": 1}",y,r,0.7
"""
ANSWER = {
    "question": {"prompt": "llm_judge", "instructions": "Is it polite?", "payload": {"shown": {"output": '{"a": 1}'}}},
    "answer": {"score": 1},
}
FILES = ["run.json", "environment.json", "links.json"]
LINES = {"verdicts": "verdict", "outcomes": "line", "cells": "line", "answers": "line"}
"""The tables of `run.db` that hold JSON, with the column that does."""
TEXTS = ["id", "cluster", "slice0", "measure0"]
"""The columns of its rows that hold text."""
ENDINGS = "html csv jsonl json xml md report.json fields.csv repeats.csv confidence.csv "
ENDINGS += "rows.jsonl codes.jsonl outcomes.jsonl cells.jsonl answers.jsonl parquet"
OTHER_FILES = [word for ending in ENDINGS.split() for word in ("-o", f"made/x.{ending}")]
COMMANDS = (
    ["report", "runs/x"],
    ["report", "runs/x", "-v"],
    ["report", "runs/x", *OTHER_FILES],
    ["compare", "runs/x", "runs/y"],
    ["compare", "runs/y", "runs/x"],
    ["view", "runs/x", "--no-open"],
    ["advice", "runs/x"],
    ["track", "runs/x", "--to", "files"],
    ["calibrate", "runs/x", "--human", "s"],
    ["runs"],
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with every file that a run folder may have, and a baseline."""
    folder, before = tmp_path_factory.mktemp("made"), Path.cwd()
    for name, text in {"suite.yaml": SUITE, "rows.csv": ROWS, "answers.jsonl": json.dumps(ANSWER) + "\n"}.items():
        (folder / name).write_text(text, encoding="utf-8")
    os.chdir(folder)
    try:
        for name in "xy":
            assert cli("run", "suite.yaml", "--name", name).exit_code == 3  # nobody answered the other questions
        assert cli("track", "runs/x", "--to", "files").exit_code == 0
        assert cli("compare", "runs/x", "--suite", "suite.yaml", "--update-baseline").exit_code == 0
    finally:
        os.chdir(before)
    return folder


def places(value: Any, loc: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, from the whole on."""
    yield loc
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*loc, key))


def with_half(value: Any, loc: tuple[Any, ...]) -> Any:
    """The value with half of a pair at one place."""
    if not loc:
        return "\ud800"
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[loc[0]] = with_half(value[loc[0]], loc[1:])
    return changed


def spoilt(text: str, chance: random.Random) -> str:
    """JSON text with half of a pair at a place that is chosen by chance."""
    value = json.loads(text)
    return json.dumps(with_half(value, chance.choice(list(places(value)))))


@contextmanager
def kept(*files: Path) -> Iterator[None]:
    """The files are afterwards as they were before."""
    gc.collect()  # an error that was looked at keeps the file open that was being read
    before = {file: file.read_bytes() for file in files}
    try:
        yield
    finally:
        for file, data in before.items():
            file.write_bytes(data)


def refused(words: list[str]) -> bool:
    """Whether a command says that the folder is damaged; it never ends as for a bug."""
    done = cli(*words)
    assert done.exit_code in (0, 1, 2, 3, 4), (words, done.stderr, done.exception)
    assert "bug in evaluators" not in done.output
    return done.exit_code in (2, 3)


@pytest.mark.parametrize("seed", quick_first(range(6), 2))
@pytest.mark.parametrize("name", FILES)
def test_half_a_pair_in_a_file_of_a_run_is_no_bug(
    name: str, seed: int, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    file = Path("runs/x", name)
    with kept(file, Path("runs/x/links.json")):
        file.write_text(spoilt(file.read_text(encoding="utf-8"), random.Random(seed)) + "\n", encoding="utf-8")
        for words in COMMANDS:
            refused(words)


@pytest.mark.parametrize("seed", quick_first(range(6), 2))
@pytest.mark.parametrize("table", LINES)
def test_half_a_pair_in_a_line_of_a_table_is_no_bug(
    table: str, seed: int, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    chance, column = random.Random(seed), LINES[table]
    with kept(Path("runs/x/run.db"), Path("runs/x/links.json")):
        with closing(sqlite3.connect("runs/x/run.db")) as db, db:
            text = chance.choice(db.execute(f"select {column} from {table}").fetchall())[0]
            db.execute(f"update {table} set {column} = ? where {column} = ?", (spoilt(text, chance), text))
        for words in COMMANDS:
            refused(words)


@pytest.mark.parametrize("column", TEXTS)
def test_half_a_pair_in_a_column_of_rows_is_no_bug(column: str, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    with kept(Path("runs/x/run.db"), Path("runs/x/links.json")):
        change_table(Path("runs/x"), f"update rows0 set {column} = cast(x'eda080' as text) where row = 3")
        for words in COMMANDS:
            refused(words)
        done = cli("report", "runs/x", "-o", "made/x.csv")
    assert (done.exit_code, "run.db: this run folder is damaged" in done.stderr) == (2, True)


@pytest.mark.parametrize("seed", range(20))
def test_half_a_pair_in_a_baseline_is_no_bug(seed: int, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    file = Path("baseline/run.json")
    with kept(file):
        file.write_text(spoilt(file.read_text(encoding="utf-8"), random.Random(seed)), encoding="utf-8")
        refused(["compare", "runs/y", "--suite", "suite.yaml"])


@pytest.mark.parametrize(
    ("name", "loc", "words"),
    [
        ("verdicts", ("status",), ["report", "runs/x", "-o", "made/x.csv"]),
        ("outcomes", (), ["advice", "runs/x"]),
        ("run.json", ("rows",), ["track", "runs/x", "--to", "files"]),
        ("environment.json", ("seconds",), ["report", "runs/x"]),
    ],
)
def test_half_a_pair_where_no_text_can_stand_is_named(
    name: str, loc: tuple[str, ...], words: list[str], made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    file = Path("runs/x", name if name in FILES else "run.db")
    with kept(file):
        if name in FILES:
            file.write_text(json.dumps(with_half(json.loads(file.read_text(encoding="utf-8")), loc)), encoding="utf-8")
        else:
            with closing(sqlite3.connect(file)) as db, db:
                text = db.execute(f"select {LINES[name]} from {name} limit 1").fetchone()[0]
                spoilt_text = json.dumps(with_half(json.loads(text), loc))
                db.execute(f"update {name} set {LINES[name]} = ? where {LINES[name]} = ?", (spoilt_text, text))
        done = cli(*words)
    assert done.exit_code == 2
    said = {"verdicts": f"{file}, verdicts", "outcomes": f"{file}, line 1 of outcomes"}.get(name, str(file))
    assert f"{said}: this run folder is damaged" in done.stderr
