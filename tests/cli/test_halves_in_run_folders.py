"""Half of a surrogate pair in a run folder, which UTF-8 cannot hold: what is damaged by it is named, and is no bug of the program."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import cli

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
compare: {baseline: baseline.json}
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
FILES = [
    "run.json",
    "environment.json",
    "links.json",
    "rows.jsonl",
    "codes.jsonl",
    "outcomes.jsonl",
    "cells.jsonl",
    "answers.jsonl",
]
ENDINGS = "html csv jsonl json xml md report.json fields.csv repeats.csv confidence.csv"
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


def spoilt(text: str, lines: bool, chance: random.Random) -> str:
    """The text of a file with half of a pair at a place that is chosen by chance."""
    parts = text.splitlines() if lines else [text]
    index = chance.randrange(len(parts))
    value = json.loads(parts[index])
    parts[index] = json.dumps(with_half(value, chance.choice(list(places(value)))))
    return "\n".join(parts) + "\n"


def refused(words: list[str]) -> bool:
    """Whether a command says that the folder is damaged; it never ends as for a bug."""
    done = cli(*words)
    assert done.exit_code in (0, 1, 2, 3, 4), (words, done.stderr, done.exception)
    assert "bug in evaluators" not in done.output
    return done.exit_code in (2, 3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("file", FILES)
def test_half_a_pair_in_a_run_folder_is_no_bug(file: str, seed: int, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    whole = Path("runs/x", file).read_text(encoding="utf-8")
    links = Path("runs/x/links.json").read_text(encoding="utf-8")
    try:
        Path("runs/x", file).write_text(spoilt(whole, file.endswith("l"), random.Random(seed)), encoding="utf-8")
        for words in COMMANDS:
            refused(words)
    finally:
        Path("runs/x/links.json").write_text(links, encoding="utf-8")
        Path("runs/x", file).write_text(whole, encoding="utf-8")


@pytest.mark.parametrize("seed", range(20))
def test_half_a_pair_in_a_baseline_is_no_bug(seed: int, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    whole = Path("baseline.json").read_text(encoding="utf-8")
    try:
        Path("baseline.json").write_text(spoilt(whole, False, random.Random(seed)), encoding="utf-8")
        refused(["compare", "runs/y", "--suite", "suite.yaml"])
    finally:
        Path("baseline.json").write_text(whole, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "loc", "words"),
    [
        ("rows.jsonl", ("slices",), ["report", "runs/x", "-o", "made/x.csv"]),
        ("rows.jsonl", ("row",), ["compare", "runs/x", "runs/y"]),
        ("rows.jsonl", ("codes",), ["view", "runs/x", "--no-open"]),
        ("codes.jsonl", ("code",), ["report", "runs/x"]),
        ("outcomes.jsonl", ("row",), ["advice", "runs/x"]),
        ("run.json", ("rows",), ["track", "runs/x", "--to", "files"]),
        ("environment.json", ("seconds",), ["report", "runs/x"]),
    ],
)
def test_half_a_pair_where_no_text_can_stand_is_named(
    file: str, loc: tuple[str, ...], words: list[str], made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    path = Path("runs/x", file)
    whole = path.read_text(encoding="utf-8")
    first, *others = whole.splitlines() if file.endswith("l") else [whole]
    try:
        path.write_text("\n".join([json.dumps(with_half(json.loads(first), loc)), *others]) + "\n", encoding="utf-8")
        done = cli(*words)
    finally:
        path.write_text(whole, encoding="utf-8")
    assert done.exit_code == 2
    assert f"{path}{':1' if file.endswith('l') else ''}: this run folder is damaged" in done.stderr
