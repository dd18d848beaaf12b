"""Seeded fuzzers, one for each surface that takes what strangers write. Each makes one input and looks at the answer.

The answer to any input is a value, or `Problems` that each have a message. Anything else that is raised is a finding.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from evaluators.api.loading import load, loads
from evaluators.api.suite import Suite
from evaluators.integrations.compat.given_documents import evaluate_document
from evaluators.model.issues import Problems
from evaluators.model.rows import RowStatus
from evaluators.runs.reader import Run
from evaluators.scoring.values.paths import parse
from evaluators.scoring.values.yaml_text import load_untrusted

Fuzzer: TypeAlias = Callable[[Random, Path], None]
"""Makes one input from the random numbers; the folder is its own to write into."""

SUITE: Final = """\
comparators: {money: {numeric: {tolerance: {abs: 0.01}}}}
evaluators:
  - contains_json
  - length: {max: 4000, when: {row.kind: [a, b]}}
  - json_multi_field_match:
      name: header
      needs: [contains_json]
      transforms: [strip]
      fields: {a: exact, "b.c": {normalized: {case: ignore}}, items: {align: {hungarian: {cells: 500}}}, "items[*].n": money}
  - json_diff_match: {extra_fields: penalize, skip: ["items[*].n"]}
  - schema_match: {fields: {items: {align: any_order}, "items[*].n": fuzzy, a: {regex: {pattern: "^[a-z]+$"}}}}
  - json_schema_valid: {schema: {type: object, properties: {a: {type: string}}, uniqueItems: true}}
  - weighted_mean: {of: [header, json_diff_match]}
slices: [row.kind]
gates: {header: {fail_below: 0.5}}
"""
TEXTS: Final = """\
name: "@"
description: "@"
evaluators:
  - exact_match: {name: "@"}
  - contains: {substring: "@"}
  - starts_with: {prefix: "@"}
  - keywords: {keywords: ["@", "@"]}
  - completeness: {sections: ["@"]}
  - json_multi_field_match: {fields: {a: {one_of: {values: ["@", "@"]}}, b: {boolean: {words: {"true": ["@"], "false": ["no"]}}}}}
  - schema_match: {fields: {a: {one_of: {values: ["@"]}}}}
  - json_schema_valid: {schema: {properties: {a: {enum: ["@", "@"]}, b: {const: "@"}, items: {type: array, title: "@"}}}}
"""
"""A suite of texts: each @ may be anything."""
HIDDEN: Final = "qxv7hiddenzzk9covert"
"""What a variable holds that nobody is to see."""
SCHEMA: Final = {
    "type": "object",
    "required": ["a"],
    "properties": {
        "a": {"type": "string", "evaluation_config": "string_exact"},
        "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/item"}]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}, "x-eval-align": {"match_by": "hungarian"}},
    },
    "$defs": {"item": {"type": "object", "properties": {"n": {"type": "number"}, "next": {"$ref": "#/$defs/item"}}}},
}
DOCUMENT: Final = {"a": "abc", "b": {"c": "É", "n": 1.5}, "items": [{"n": 1}, {"n": 2.0}, {"n": None}]}
PIECES: Final = (
    "{", "}", "[", "]", ":", ",", '"', "'", "\\", "\n", "\t", "\r", "- ", "  ", "#", "&a ", "*a", "!!x ", "|", ">", "%", "@",
    "$", "..", "[*]", "[?(@.a)]", "/", "~", "~1", "null", "true", "1e999", "-0", "NaN", "\\ud800", "\x00", "\x1c", "\u200b",
    "\ufeff", "\u0301", "é", "日", "\U0001f600", "${HOME}", "=1+1", ",,", '""', "a", "0", "9" * 30, "x" * 300,
)  # fmt: skip


def spliced(random: Random, text: str, pieces: int = 4) -> str:
    """The text with some pieces cut out, doubled or put in."""
    for _ in range(random.randint(1, pieces)):
        at, length = random.randint(0, len(text)), random.choice((0, 0, 1, 2, 8, 40))
        piece = random.choice((random.choice(PIECES), text[at : at + length] * 2, chr(random.randrange(0x3000))))
        text = text[:at] + piece + text[at + length :]
    return text


def spliced_bytes(random: Random, data: bytes) -> bytes:
    """The same for bytes."""
    for _ in range(random.randint(1, 4)):
        at, length = random.randint(0, len(data)), random.choice((0, 1, 3, 20))
        piece = random.choice((random.choice(PIECES).encode("utf-8", "surrogatepass"), random.randbytes(2), b""))
        data = data[:at] + piece + data[at + length :]
    return data


def changed(random: Random, value: Any, depth: int = 0) -> Any:
    """A JSON value with something in it that is something else."""
    if isinstance(value, dict) and value and random.random() < 0.8:
        key = random.choice(list(value))
        rest = {name: inner for name, inner in value.items() if name != key}
        name = random.choice((key, key, key, random.choice(PIECES), random.choice(list(value))))
        return {**rest, name: changed(random, value[key], depth + 1)}
    if isinstance(value, list) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        return [*value[:at], changed(random, value[at], depth + 1), *value[at + random.randint(0, 1) :]]
    others = (
        None,
        True,
        0,
        -1,
        1.5,
        10**400,
        "",
        random.choice(PIECES),
        [],
        {},
        [{}],
        {"$ref": "#"},
        {"a": 1},
        [value, value],
    )
    return random.choice(others)


def fuzz_suites(random: Random, folder: Path) -> None:
    """A suite with pieces cut out and put in; where it loads, a row is scored."""
    suite = answered(lambda: loads(spliced(random, SUITE), environment={}))
    if suite is not None:
        scored(suite, json.dumps(DOCUMENT), json.dumps(DOCUMENT))


def fuzz_environment(random: Random, folder: Path) -> None:
    """A suite in which texts come from the environment: what a variable holds is in no message and in no reason."""
    secret = HIDDEN + (spliced(random, "") if random.random() < 0.5 else "")
    data = load_untrusted(random.choice((SUITE, TEXTS)))
    if "name" in data:
        data = with_texts(random, data)
    else:
        data = with_variable(random, data)
    refused = ""
    try:
        suite = load(data, environment={"SECRET": secret})
    except Problems as error:
        refused = str(error)
    assert HIDDEN not in refused
    if refused:
        return
    assert not any(HIDDEN in note for note in suite.notes)
    outputs = (json.dumps(changed(random, DOCUMENT)), json.dumps(DOCUMENT), "prose")
    cells = {"output": random.choice(outputs), "expected": json.dumps(DOCUMENT), "kind": "a"}
    for name, result in suite.evaluate(cells).results.items():
        assert HIDDEN not in name
        assert result.status is not RowStatus.BUG, result.issue
        fields = result.fields if result.score is not None else ()
        said = [result.reason if result.score is not None else "", *(one.reason for one in fields)]
        assert not any(HIDDEN in str(text) for text in said), said


def with_texts(random: Random, value: Any) -> Any:
    """The data of a suite with each text @ either from the environment or a text of its own."""
    if isinstance(value, dict):
        return {key: with_texts(random, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_texts(random, inner) for inner in value]
    return random.choice(("${SECRET}", "x${SECRET}", "abc", "é")) if value == "@" else value


def with_variable(random: Random, value: Any) -> Any:
    """The data of a suite with a text of it from the environment. Paths of fields stay: they are named as the documents do."""
    if isinstance(value, dict) and value:
        key = random.choice([key for key in value if key not in ("skip", "slices")] or list(value))
        return {**value, key: with_variable(random, value[key])}
    if isinstance(value, list) and value:
        at = random.randrange(len(value))
        return [*value[:at], with_variable(random, value[at]), *value[at + 1 :]]
    return random.choice(("${SECRET}", "x ${SECRET}", "(${SECRET}", "${SECRET:-a}[["))


def fuzz_cells(random: Random, folder: Path) -> None:
    """Outputs and expected answers."""
    text = json.dumps(DOCUMENT)
    document = json.dumps(changed(random, DOCUMENT))
    scored(_whole(), random.choice((spliced(random, text), document)), random.choice((text, spliced(random, text))))


def fuzz_schemas(random: Random, folder: Path) -> None:
    """A schema of either dialect."""
    schema: Any = SCHEMA
    for _ in range(random.randint(1, 3)):
        schema = changed(random, schema)
    answered(lambda: evaluate_document(schema, DOCUMENT, changed(random, DOCUMENT)))
    answered(lambda: load({"evaluators": [{"json_schema_valid": {"schema": schema}}]}).evaluate({"output": DOCUMENT}))


def fuzz_paths(random: Random, folder: Path) -> None:
    """A path in any of the three spellings, asked of a document."""
    text = spliced(random, random.choice(("a.b[*].c", "$.items[?(@.n > 1)].n", "/items/0/n", "$..n", '["odd key"].x')))
    try:
        path = parse(text)
    except ValueError as error:
        if not str(error):
            raise AssertionError("a path is refused without a word") from error
        return
    path.get(DOCUMENT)


def fuzz_files(random: Random, folder: Path) -> None:
    """A CSV or JSON lines file, scored by a whole run."""
    rows = [
        {"id": str(number), "output": json.dumps(DOCUMENT), "expected": json.dumps(DOCUMENT), "kind": "a"}
        for number in range(3)
    ]
    if random.random() < 0.5:
        path, text = folder / "rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows)
    else:
        head, quoted = ",".join(rows[0]), '"' + json.dumps(DOCUMENT).replace('"', '""') + '"'
        path, text = folder / "rows.csv", head + "\n" + "".join(f"{number},{quoted},{quoted},a\n" for number in range(3))
    path.write_bytes(spliced_bytes(random, text.encode()))
    found = answered(lambda: _whole().run(path))
    assert found is None or found.exit_code != 70, found.issues


def fuzz_run_folders(random: Random, folder: Path) -> None:
    """A run folder in which one file was changed, read again."""
    made, place = folder / "made", folder / "place"
    if not made.exists():
        row = {"output": '{"a": 1}', "expected": '{"a": 2}', "kind": "a"}
        lines = [json.dumps({"id": f"r{number}", **row}) + "\n" for number in range(3)]
        (folder / "rows.jsonl").write_text("".join(lines), encoding="utf-8")
        _whole().run(folder / "rows.jsonl", results=made)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(made, place)
    file = random.choice(sorted(each for each in place.rglob("*") if each.is_file()))
    if file.name == "run.db" and random.random() < 0.8:
        splice_line(random, file)
    else:
        file.write_bytes(spliced_bytes(random, file.read_bytes()))
    answered(lambda: [*Run(place).each_row()])


def splice_line(random: Random, file: Path) -> None:
    """Changes a text in one of the tables of a run."""
    table, column = random.choice([("verdicts", "verdict"), ("outcomes", "line"), ("cells", "line"), ("rows0", "id")])
    with closing(sqlite3.connect(file)) as db, db:
        (text,) = random.choice(db.execute(f"select {column} from {table}").fetchall())
        spliced = spliced_bytes(random, str(text).encode()).decode("utf-8", "replace")
        with suppress(sqlite3.IntegrityError):  # two of a key
            db.execute(f"update {table} set {column} = ? where {column} = ?", (spliced, text))


FUZZERS: Final[dict[str, Fuzzer]] = {
    "suites": fuzz_suites,
    "environment": fuzz_environment,
    "cells": fuzz_cells,
    "schemas": fuzz_schemas,
    "paths": fuzz_paths,
    "files": fuzz_files,
    "run folders": fuzz_run_folders,
}
_known: list[Suite] = []


def _whole() -> Suite:
    if not _known:
        _known.append(loads(SUITE, environment={}))
    return _known[0]


def answered(ask: Callable[[], Any]) -> Any:
    """The answer; None where there are problems, each of which has a message."""
    try:
        return ask()
    except Problems as error:
        if not error.issues or not all(issue.message for issue in error.issues):
            raise AssertionError("refused without a word") from error
        return None


def scored(suite: Suite, output: str, expected: str) -> None:
    """Every evaluator has a score or says why not, and none is a bug."""
    found = answered(lambda: suite.evaluate({"output": output, "expected": expected, "kind": "a"}))
    for result in found.results.values() if found is not None else ():
        assert result.status is not RowStatus.BUG, result.issue
        value = result.score if result.score is not None else None
        assert value is None or 0 <= value <= 1
