"""Freezes the figures of whole runs, and compares today's with frozen ones, to the last bit.

    python -m tests.tools.freeze.figures make FOLDER [--rows 1000] [--workers 1] [--only NAME]
    python -m tests.tools.freeze.figures compare FOLDER [--rows 1000] [--workers 2] [--only NAME]

`make` runs suites over the gallery, drawn suites and made-up files of so many rows with everything that figures are counted from, and
writes the run.json of each, without what says where and when it was. To freeze another commit, put its folder first:
`PYTHONPATH=FOLDER:. python -m tests.tools.freeze.figures make …`, started elsewhere. `compare` runs the same suites again and prints
the places at which figures differ; it ends with 1 where there is one. Files are cut into several splits.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import evaluators
from evaluators import Problems
from evaluators.testsets import delimited
from evaluators.testsets.readers import jsonl
from tests.runs.drawn_runs import Drawing

ROOT: Final = Path(__file__).parents[3]
DRAWN: Final = range(9000, 9040)
SPLITS: Final = 7
ELSEWHERE: Final = ("folder", "record", "version", "written", "meaning", "suite_fingerprint")
"""Keys of run.json that are no figures."""
GONE: Final = {"digits": None, "sampled": False}
"""Keys that figures had while some were counted from a part of the rows; frozen runs have them with these values."""


class Case(NamedTuple):
    """A suite and its rows."""

    name: str
    suite: Path
    rows: Path | None


def gallery() -> Iterator[Case]:
    for path in sorted((ROOT / "configs" / "gallery").glob("*/suite.yaml")):
        yield Case(f"gallery-{path.parent.name}", path, None)


def drawn(folder: Path, rows: int) -> Iterator[Case]:
    """Drawn suites that can be read, over rows of JSON lines."""
    for seed in DRAWN:
        drawing = Drawing(seed, min(rows, 600))
        suite, file = folder / f"drawn-{seed}.json", folder / f"drawn-{seed}.jsonl"
        suite.write_text(json.dumps(drawing.suite))
        file.write_bytes(drawing.jsonl(documents=bool(seed % 2)))
        yield Case(suite.stem, suite, file)


def made_up(folder: Path, rows: int) -> Iterator[Case]:
    """One file of every kind of cell under suites that count it in all ways."""
    table, lines = folder / "made.csv", folder / "made.jsonl"
    cells = [*made_rows(rows)]
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(cells[0]))
        writer.writeheader()
        writer.writerows(cells)
    lines.write_text("".join(f"{json.dumps(typed(row))}\n" for row in cells), encoding="utf-8")
    suites: dict[str, dict[str, Any]] = {
        "plain": EVERYTHING,
        "clusters": EVERYTHING | {"statistics": {"cluster": "row.group"}},
        "few-clusters": EVERYTHING | {"statistics": {"cluster": "row.supplier"}},
        "repeats": EVERYTHING | {"repeats": {"by": "row.group", "k": [1, 2, 3]}},
        "repeated-ids": EVERYTHING | {"repeats": "id", "test_set": {"columns": COLUMNS | {"id": "group"}}},
    }
    for name, suite in suites.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(suite))
        yield Case(f"made-{name}", path, table)
        if "repeat" not in name:
            yield Case(f"made-{name}-of-lines", path, lines)


COLUMNS: Final = {"id": "id", "output": "output", "expected": "expected"}
EVERYTHING: Final[dict[str, Any]] = {
    "name": "everything",
    "test_set": {"columns": COLUMNS},
    "evaluators": [
        {"json_multi_field_match": {"name": "header", "fields": {
            "invoice": "exact", "vendor.name": "normalized", "gross": {"compare": "numeric", "confidence": "meta.gross"},
            "date": "exact", "lines[*].sku": "exact", "note": {"compare": "fuzzy", "optional": True},
        }}},
        {"json_diff_match": {"name": "whole", "extra_fields": "penalize"}},
        {"schema_match": {"name": "schema", "fields": {
            "invoice": "exact", "gross": {"compare": "numeric", "confidence": "meta.gross"}, "vendor.name": {"fuzzy": {"partial": True}},
        }}},
        {"json_field_match": {"name": "top"}},
        {"exact_match": {"name": "label", "output": "label", "expected": "kind"}},
        {"exact_match": {"name": "listed", "output": "label", "expected": "kind", "labels": ["invoice", "receipt"],
                         "when": {"row.kind": ["invoice", "order"]}}},
        {"correctness": {"name": "wide", "output": "id", "expected": "group"}},
        {"length": {"name": "length", "max": 90}},
        {"weighted_mean": {"name": "all", "of": {"header": 2, "label": 1}, "pass_at": 0.6}},
    ],
    "slices": ["row.supplier", "row.place", "row.kind"],
    "measures": {"cost": "row.cost", "seconds": {"column": "row.seconds", "decimal": ","}, "tokens": "row.tokens"},
    "confidence": {"column": "row.conf", "max_errors": 0.3},
    "gates": {
        "header": [
            {"metric": "precision", "fail_below": 0.5, "using": "lower_bound"},
            {"metric": "micro_f1", "fail_below": 0.9, "using": "lower_bound"},
            {"each_slice": "row.supplier", "fail_below": 0.5},
        ],
        "header.gross": {"metric": "recall", "fail_below": 0.9, "using": "lower_bound"},
        "whole": {"metric": "precision", "fail_below": 0.9, "using": "lower_bound"},
        "whole.vendor.name": {"metric": "f1", "fail_below": 0.9, "using": "lower_bound"},
        "label": {"metric": "macro_f1", "fail_below": 0.5},
        "cost": {"metric": "p95", "fail_above": 3},
    },
}  # fmt: skip


def made_rows(count: int, seed: int = 7) -> Iterator[dict[str, str]]:
    """Rows with lists, empty values, cells that are no JSON, ids that lack or come again, numbers of two readings."""
    random = Random(seed)
    for row in range(count):
        expected: dict[str, Any] = {
            "invoice": f"INV-{row}", "vendor": {"name": f"Vendor {row % 97}"}, "gross": round(row * 1.37, 2),
            "date": f"2026-{row % 12 + 1:02d}-{row % 28 + 1:02d}", "lines": [{"sku": f"s{row + at}"} for at in range(row % 4)],
            "note": random.choice(["", None, "a note", [], "another"]),
        }  # fmt: skip
        output = json.loads(json.dumps(expected))
        right = _spoiled(output, random)
        output["meta"] = {"gross": random.choice([0.5, 0.91, 1, "0.7", 2, None, round(random.random(), 4)])}
        kind = random.choice(["invoice", "receipt", "order"])
        yield {
            "id": "" if random.random() < 0.01 else f"r{row // 2 * 2 if random.random() < 0.02 else row}",
            "output": json.dumps(output) if random.random() > 0.02 else random.choice(["oops", "", "[1]", "{"]),
            "expected": json.dumps(expected) if random.random() > 0.01 else random.choice(["", "nothing", "[]"]),
            "label": kind if random.random() < 0.8 else random.choice(["invoice", "receipt", "other", " ", ""]),
            "kind": kind,
            "supplier": random.choice(["a", "b", "TRUE", "true", "", " ", "(other values)"]),
            "place": f"p{random.randrange(max(8, count // 5))}",
            "group": random.choice(["", " ", f"g{row // 5}", f"g{row // 5}", f"g{row // 5}", f"g{row // 7}"]),
            "cost": random.choice(["", "1.5", "1,5", "1.234,50", "x", f"{random.random():.3f}", f"{random.random():.3f}", "$2"]),
            "seconds": f"{random.randrange(9000) / 1000}".replace(".", ","),
            "tokens": random.choice(["", str(random.randrange(400)), "-3", "1e3", "12"]),
            "conf": random.choice(["", "high", str(round(min(1, max(0, random.gauss(0.9 if right else 0.6, 0.1))), 3)), "1.2"][: 4]),
        }  # fmt: skip


def _spoiled(output: dict[str, Any], random: Random) -> bool:
    """Makes some outputs wrong. Whether it is right still."""
    draw = random.random()
    if draw < 0.08:
        output["gross"] += 1
    elif draw < 0.13:
        del output["date"]
    elif draw < 0.18:
        output["more"] = {"made": "up"}
    elif draw < 0.23:
        output["lines"] = [*output["lines"][1:], {"sku": "x", "extra": 1}]
    elif draw < 0.28:
        output["note"] = random.choice([None, "invented", ""])
    elif draw < 0.33:
        output["vendor"] = {"name": f"{output['vendor']['name']}s"}
    else:
        return True
    return False


def typed(row: dict[str, str]) -> dict[str, Any]:
    """The same row with numbers, documents and nothing at all where texts stand for them."""
    found: dict[str, Any] = dict(row)
    for name in ("output", "expected", "conf", "tokens"):
        try:
            found[name] = json.loads(row[name])
        except ValueError:
            continue
    if not row["cost"]:
        del found["cost"]
    return found


def figures_of(case: Case, workers: int) -> Any:
    """The run.json of a case without what is no figure; the messages of what could not be run."""
    try:
        suite = evaluators.load(case.suite)
        with TemporaryDirectory(prefix="freeze") as folder:
            if case.rows is not None:
                delimited.SPLIT_BYTES = jsonl.SPLIT_BYTES = case.rows.stat().st_size // SPLITS + 1
            suite.run(case.rows, results=folder, name="run", workers=workers, formats=())
            found = json.loads((Path(folder) / "run" / "run.json").read_text(encoding="utf-8"))
    except Problems as problems:
        return {"refused": [issue.message for issue in problems.issues]}
    return {key: value for key, value in found.items() if key not in ELSEWHERE}


def differences(frozen: Any, found: Any, place: str = "") -> Iterator[str]:
    """The places at which two JSON values differ."""
    if isinstance(frozen, dict) and isinstance(found, dict):
        for key in sorted(frozen.keys() | found.keys()):
            if key not in found and key in GONE and frozen[key] == GONE[key]:
                continue
            yield from differences(frozen.get(key, "(not there)"), found.get(key, "(not there)"), f"{place}.{key}")
    elif isinstance(frozen, list) and isinstance(found, list) and len(frozen) == len(found):
        for at, (one, other) in enumerate(zip(frozen, found, strict=True)):
            yield from differences(one, other, f"{place}[{at}]")
    elif frozen != found or type(frozen) is not type(found):
        yield f"{place}: {json.dumps(frozen)[:160]} → {json.dumps(found)[:160]}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.freeze.figures", description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("make", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", default="", help="cases with this in their names")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    differing = 0
    with TemporaryDirectory(prefix="freeze-rows") as folder:
        place = Path(folder)
        for case in (*gallery(), *drawn(place, asked.rows), *made_up(place, asked.rows)):
            if asked.only not in case.name:
                continue
            found: Any = figures_of(case, asked.workers)
            frozen = asked.folder / f"{case.name}.{asked.rows}.json"
            if asked.command == "make":
                frozen.write_text(json.dumps(json.loads(json.dumps(found).replace(folder, "FOLDER"))), encoding="utf-8")
                continue
            known = json.loads(frozen.read_text(encoding="utf-8"))
            more = [*differences(known, json.loads(json.dumps(found).replace(folder, "FOLDER")))]
            differing += bool(more)
            print(
                f"{case.name}: {len(more)} differ" if more else f"{case.name}: the same",
                *more[:5],
                sep="\n  ",
                flush=True,
            )
    print(f"{differing} cases differ" if asked.command == "compare" else "frozen")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
