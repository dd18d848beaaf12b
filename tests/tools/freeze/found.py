"""Suites and rows that the tests and the gallery have: recorded cases of other systems, tables of cases, suites of the gallery."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import yaml

import evaluators

Line = dict[str, Any]
Cells = dict[str, Any]
Parts = dict[str, Any]

ROOT: Final = Path(__file__).parents[3]
TESTS: Final = ROOT / "tests"
TOGETHER: Final = 16
"""How many cases share a suite; each has an evaluator of its own, which looks at its rows alone."""
OF_LINES: Final = {"agenta": "inputs", "galtea": "", "orbiter": ""}
WITHOUT_JUDGE: Final = {"string_semantic": "exact", "string_llm": "exact", "array_llm": "hungarian"}


def gallery() -> Iterator[Parts]:
    for path in sorted((ROOT / "configs" / "gallery").glob("*/suite.yaml")):
        folder = path.parent.relative_to(ROOT).as_posix()
        yield {"suite": path.name, "rows": None, "folder": folder}


def tables() -> Iterator[Parts]:
    """The tables of tests/scoring/evaluators, of what stands in place of what, and of listed fields."""
    folder = "tests/scoring/evaluators"
    judge = {"recorded": {"file": "answers.jsonl"}}
    for path in sorted((ROOT / folder).glob("*.yaml")):
        cases = [
            ({"type": path.stem, **(entry.get("settings") or {})}, [cells_of(entry)])
            for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
        ]
        more = {"judge": judge} if path.stem == "llm_judge" else {}
        for found in together(cases, more, folder):
            # a run looks at a schema that refers to itself a thousand times over, which takes seconds
            yield {**found, "folder": folder, "run": "$ref" not in json.dumps(found["suite"])}
    yield from together([*presence_cases(), *listed_cases()], {}, None)


def cells_of(entry: Line) -> Cells:
    return {
        **{role: entry[role] for role in ("output", "expected", "input") if role in entry},
        **entry.get("columns", {}),
    }


def presence_cases() -> Iterator[tuple[Line, list[Cells]]]:
    from tests.scoring.fields.test_presence_rules import FAMILIES, RULES  # data that the test holds

    for case in (case for rule in RULES for case in rule["cases"]):
        for family in case["families"]:
            kind, settings = FAMILIES[family]
            line = {"type": kind, **case.get("settings", settings), **case.get("more", {}).get(family, {})}
            yield line, [{"expected": json.dumps(case["expected"]), "output": json.dumps(case["output"])}]


def listed_cases() -> Iterator[tuple[Line, list[Cells]]]:
    for case in yaml.safe_load((TESTS / "scoring" / "fields" / "listed_fields.yaml").read_text(encoding="utf-8")):
        settings = {key: case[key] for key in ("fields", "both_missing", "transforms", "pass_at") if key in case}
        output = "no JSON" if case.get("unreadable") else json.dumps(case.get("output"))
        cells = {"expected": json.dumps(case.get("expected")), "output": output}
        yield {"type": "json_multi_field_match", **settings}, [{**case.get("cells", {}), **cells}]


def recorded() -> Iterator[Parts]:
    """The cases of tests/conformance that are a suite with rows: those of judges and of single functions are not."""
    folder = TESTS / "conformance"
    mapping = yaml.safe_load((folder / "mapping.yaml").read_text(encoding="utf-8"))
    for name, system in sorted(mapping["files"].items()):
        read = {"extract_bench": bench_case, "struct_extract_eval": x_eval_case}.get(system)
        given = [
            json.loads(text)
            for text in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
            if text.strip()
        ]
        if system in OF_LINES:
            known = mapping["evaluators"][system]
            cases = [line_case(system, line, known) for line in given]
        elif read is not None:
            cases = [read(line) for line in given]
        else:
            continue
        yield from together([case for case in cases if case is not None], {}, None)


def line_case(system: str, line: Line, known: dict[str, Any]) -> tuple[Line, list[Cells]] | None:
    """A case whose settings are those of a line of a suite."""
    entry = known.get(str(line.get("evaluator") or line.get("metric") or line.get("scorer")))
    if entry is None:
        return None
    own = {"type": entry["type"], **entry.get("settings", {})}
    if system == "galtea":
        return own, [{"output": line["actual_output"], "expected": line["expected_output"]}]
    if system == "orbiter":
        settings = {key: value for key, value in (line["params"] or {}).items() if key != "name"}
        return own | settings, [{"input": line["input"], "output": line["output"]}]
    settings, row = line["settings"] or {}, line["inputs"] if isinstance(line["inputs"], dict) else {}
    key = str(settings.get("correct_answer_key") or "correct_answer")
    return own | settings, [{**row, "output": line["output"], **({"expected": row[key]} if key in row else {})}]


def bench_case(line: Line) -> tuple[Line, list[Cells]] | None:
    settings = {"schema": line["schema"], "dialect": "evaluation_config", "fallback": WITHOUT_JUDGE}
    return {"type": "schema_match", **settings}, [
        {"expected": json.dumps(line["gold"]), "output": json.dumps(line["predicted"])}
    ]


def x_eval_case(line: Line) -> tuple[Line, list[Cells]] | None:
    if (
        line.get("fn") != "evaluate"
        or line.get("register")
        or not isinstance(line.get("schema"), dict)
        or "$float" in json.dumps(line)
    ):
        return None
    words = line.get("post_process")
    settings = {"post_process": words} if isinstance(words, list) and all(isinstance(word, str) for word in words) else {}
    if not isinstance(line["gold"], list) or not isinstance(line["extracted"], list):
        return None
    pairs = zip(line["gold"], line["extracted"], strict=False)
    rows = [{"expected": json.dumps(gold), "output": json.dumps(extracted)} for gold, extracted in pairs]
    return {"type": "schema_match", "schema": line["schema"], "dialect": "x-eval", **settings}, rows


def together(cases: Iterable[tuple[Line, list[Cells]]], more: Parts, folder: str | None) -> Iterator[Parts]:
    """Cases as suites: several in one, each for its own rows; one that cannot be read has a suite of its own."""
    readable: list[tuple[Line, list[Cells]]] = []
    refused: list[tuple[Line, list[Cells]]] = []
    for line, rows in cases:
        (readable if rows and can_be_read({"evaluators": [line], **more}, folder) else refused).append((line, rows))
    waiting = iter(readable)
    while some := list(islice(waiting, TOGETHER)):
        lines, cells = [], []
        for number, (line, rows) in enumerate(some):
            lines.append({**line, "name": f"e{number}", "when": {"row.case": f"c{number}"}})
            cells += [{**row, "case": f"c{number}"} for row in rows]
        roles = {role: role for role in ("input", "output", "expected") if any(role in row for row in cells)}
        yield {"suite": {"evaluators": lines, "test_set": {"columns": roles}, **more}, "rows": cells}
    for line, rows in refused:
        yield {"suite": {"evaluators": [line], **more}, "rows": rows}


def can_be_read(suite: Line, folder: str | None) -> bool:
    try:
        evaluators.loads(json.dumps(suite), folder=ROOT / folder if folder else None)
    except evaluators.Problems:
        return False
    return True
