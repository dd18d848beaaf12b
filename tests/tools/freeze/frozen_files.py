"""Files of frozen answers: written once, read, and held against the answers of today.

A file is a kind. Its first line says which code made it; each further line is a suite with its rows and its answers. An answer has a
name: that of its suite, a place, and the number of its row where it is of one: `schema_config/0012 row 3 explained.one`.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
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
    frozen, today = (named(suite.id, comparable(answers)) for answers in (was, answers_today(suite)))
    return [
        Difference(suite, name, frozen.get(name, NOTHING), today.get(name, NOTHING))
        for name in dict.fromkeys((*frozen, *today))
        if frozen.get(name) != today.get(name)
    ]


def comparable(answers: Any) -> Any:
    """Answers without the differences of whole documents in words, which explained answers had and the fields of such a row say one by
    one; without how two objects, or two lists, differ, which is said by what is inside of them and was by how they begin; and with
    `null instead of "x"` for what was `null is null; "x" is text`."""
    if isinstance(answers, list):
        return [*map(comparable, answers)]
    if not isinstance(answers, dict):
        return _with_plain_null(_without_contents(answers)) if isinstance(answers, str) else answers
    if isinstance(details := answers.get("details"), dict) and "differences" in details:
        rest = {key: value for key, value in details.items() if key != "differences"}
        answers = {key: value for key, value in answers.items() if key != "details"} | ({"details": rest} if rest else {})
    return {key: comparable(value) for key, value in answers.items()}


_OF_CONTENTS: Final = re.compile(
    r" differs from [\[{]|the (?:objects|lists) differ: |are an? (?:object|list), and they differ"
)


def _without_contents(text: str) -> str:
    before, first, said = text.rpartition("first difference: ")
    return f"{before}{first}…" if _OF_CONTENTS.search(said) else text


_NULL_AND_KIND: Final = re.compile(r"null is null; (?!expected )(.*?) is (?:text|an? [a-z]+)")
_KIND_AND_NULL: Final = re.compile(r" is (?:text|an? [a-z]+); null is null")


def _with_plain_null(text: str) -> str:
    text = _KIND_AND_NULL.sub(" instead of null", _NULL_AND_KIND.sub(r"null instead of \1", text))
    return text.replace("null is null", "the value is null")


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


@cache
def changed_answers(folder: Path) -> dict[str, dict[str, Any]]:
    """What is said of each answer that changed, by its name: the new answer, or its places that are new."""
    file = folder / CHANGED
    entries = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader) if file.exists() else None
    return {entry["answer"]: entry for entry in entries or ()}


def is_told(one: Difference, entry: dict[str, Any] | None) -> bool:
    """Whether the answer is now what an entry says."""
    if entry is None:
        return False
    if "now" in entry:
        return one.now == (NOTHING if entry["now"] == NOTHING else text_of(comparable(entry["now"])))
    if NOTHING in (one.was, one.now):
        return False
    return text_of(new_places(json.loads(one.was), json.loads(one.now))) == text_of(comparable(entry["places"]))


def add_changes(folder: Path, found: Iterable[Difference], reason: str) -> None:
    """Writes down what answers have become, each with the reason."""
    with (folder / CHANGED).open("a", encoding="utf-8") as file:
        for one in found:
            now = NOTHING if one.now == NOTHING else json.loads(one.now)
            entry = {"now": now} if NOTHING in (one.was, one.now) else {"places": new_places(json.loads(one.was), now)}
            for key, value in {"answer": one.name, **entry, "reason": reason}.items():
                text = yaml.safe_dump({key: value}, default_flow_style=True, width=10**6).strip()[1:-1]
                file.write(f"{'-' if key == 'answer' else ' '} {text}\n")


def new_places(was: Any, now: Any, path: str = "") -> dict[str, Any]:
    """What is new in an answer, by place. Of a list of another length it is the items between those that are as they were."""
    found: dict[str, Any] = {}
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*was, *now)):
            found |= new_places(was.get(key, NOTHING), now.get(key, NOTHING), f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for at, (one, other) in enumerate(zip(was, now, strict=True)):
            found |= new_places(one, other, f"{path}[{at}]")
    elif isinstance(was, list) and isinstance(now, list):
        first = _alike(was, now)
        last = _alike(was[first:][::-1], now[first:][::-1])
        found[f"{path}[{first}:{len(was) - last}]"] = now[first : len(now) - last]
    elif text_of(was) != text_of(now):
        found[path] = now
    return found


def _alike(was: list[Any], now: list[Any]) -> int:
    """How many items are the same from the start."""
    unlike = (at for at, (one, other) in enumerate(zip(was, now, strict=False)) if text_of(one) != text_of(other))
    return next(unlike, min(len(was), len(now)))


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
            if not is_told(one, changed.get(one.name)):
                found.append(one)
    return found, [name for name in changed if name not in met and name.split(" ")[0] in seen], rows
