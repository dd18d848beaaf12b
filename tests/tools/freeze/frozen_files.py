"""Files of frozen answers: written once, read, and held against the answers of today.

A file is a kind. Its first line says which code made it; each further line is a suite with its rows and its answers. An answer has a
name: that of its suite, a place, and the number of its row where it is of one: `schema_config/0012 row 3 explained.one`.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import yaml

from tests.tools.freeze.answers import answers_of, text_of
from tests.tools.freeze.kinds import ROOT, FrozenSuite

ENDING: Final = ".jsonl.xz"
CHANGED: Final = "changed.yaml"
NOTHING: Final = "nothing"
"""What stands for an answer that is not there."""


@dataclass(frozen=True)
class Difference:
    """One answer that was frozen, and what it is today: both as lines of JSON."""

    suite: FrozenSuite
    name: str
    was: str
    now: str


def kinds_in(folder: Path) -> list[str]:
    return sorted(path.name.removesuffix(ENDING) for path in folder.glob(f"*{ENDING}"))


def write(folder: Path, kind: str, header: Mapping[str, Any], suites: Iterable[FrozenSuite], most: int) -> int:
    """Writes a kind with the answers of the code that is imported, until it has so many rows. Returns how many it has."""
    lines, rows = [], 0
    for suite in suites:
        if rows >= most:
            break
        answers = answers_today(suite)
        rows += len(answers.get("rows", ()))
        told = {"id": suite.id, "suite": suite.suite, "rows": suite.rows, "folder": suite.folder, "run": suite.run}
        lines.append(f"{json.dumps(told, default=str)}\n{text_of(answers)}")
    folder.mkdir(parents=True, exist_ok=True)
    head = json.dumps({"kind": kind, **header, "suites": len(lines), "rows": rows})
    text = "\n".join([head, *lines]) + "\n"
    (folder / f"{kind}{ENDING}").write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    return rows


def header_of(folder: Path, kind: str) -> dict[str, Any]:
    with lzma.open(folder / f"{kind}{ENDING}", "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.loads(file.readline())
    return found


def read(folder: Path, kind: str, only: str | None = None) -> Iterator[tuple[FrozenSuite, dict[str, Any]]]:
    """Each suite of a kind with its frozen answers; `only` is the name of one, or its number."""
    with lzma.open(folder / f"{kind}{ENDING}", "rt", encoding="utf-8") as file:
        file.readline()
        for line in file:
            answers, suite = file.readline(), FrozenSuite(**json.loads(line))
            if only is None or only in (suite.id, suite.id.partition("/")[2]):
                yield suite, json.loads(answers)


def answers_today(suite: FrozenSuite) -> dict[str, Any]:
    """What the code that is imported answers, as it comes out of a file."""
    folder = ROOT / suite.folder if suite.folder is not None else None
    found: dict[str, Any] = json.loads(text_of(answers_of(suite.suite, suite.rows, folder, suite.run)))
    return found


def differences(suite: FrozenSuite, was: dict[str, Any]) -> list[Difference]:
    """Every answer of a suite that is not what it was."""
    frozen, today = named(suite.id, was), named(suite.id, answers_today(suite))
    return [
        Difference(suite, name, frozen.get(name, NOTHING), today.get(name, NOTHING))
        for name in dict.fromkeys((*frozen, *today))
        if frozen.get(name) != today.get(name)
    ]


def named(suite: str, answers: dict[str, Any]) -> dict[str, str]:
    """Each answer by its name: of every row what each evaluator says, what is recorded, and the outcome lines; figures of the run."""
    found = {f"{suite} {key}": text_of(value) for key, value in answers.items() if key not in ("rows", "run")}
    for number, row in enumerate(answers.get("rows", ())):
        for key, value in parts(row, ("explained", "recorded")):
            found[f"{suite} row {number} {key}"] = text_of(value)
    for key, value in parts(answers.get("run", {}), ("figures",)):
        found[f"{suite} run {key}"] = text_of(value)
    return found


def parts(data: dict[str, Any], inside: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The values of a map; those of the keys `inside` one by one."""
    for key, value in data.items():
        if key in inside and isinstance(value, dict):
            yield from ((f"{key}.{name}", one) for name, one in value.items())
        else:
            yield key, value


# Answers that changed on purpose


def changed_answers(folder: Path) -> dict[str, str]:
    """The new answer of each that changed, by its name, as a line of JSON."""
    file = folder / CHANGED
    entries = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else None
    return {entry["answer"]: NOTHING if entry["now"] == NOTHING else text_of(entry["now"]) for entry in entries or ()}


def unexplained(
    folder: Path, kind: str, only: str | None = None, part: int = 0, parts: int = 1
) -> tuple[list[Difference], list[str], int]:
    """What differs and is not among the changed answers, which of these are no change any more, and how many rows there were.

    Of three parts, each has every third suite.
    """
    changed = {name: now for name, now in changed_answers(folder).items() if name.startswith(f"{kind}/")}
    found: list[Difference] = []
    rows, seen, met = 0, set(), set()
    for suite, was in islice(read(folder, kind, only), part, None, parts):
        seen.add(suite.id)
        rows += len(was.get("rows", ()))
        for one in differences(suite, was):
            met.add(one.name)
            if changed.get(one.name) != one.now:
                found.append(one)
    return found, [name for name in changed if name not in met and name.split(" ")[0] in seen], rows
