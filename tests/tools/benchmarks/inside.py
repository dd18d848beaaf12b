"""`python -m tests.tools.benchmarks.inside WORK [FILE]`: what can only be measured inside a process; prints figures as JSON.

`dots`, `fields` and `diff` score rows that are in memory already, and `schema_…` documents; `large` and `hostile` score one
document.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from evaluators.api.loading import loads
from evaluators.scoring.plan.suite_plan import Plan, compile_plan
from tests.data.extract_bench import SCHEMAS
from tests.tools.benchmarks import suites
from tests.tools.benchmarks.floor import Line
from tests.tools.benchmarks.rows import Row, rows
from tests.tools.pages.extract_bench import documents, evaluator, output

TURNS: Final = 7
CHUNK_ROWS: Final = 200
ROLES: Final = {"output": "output", "expected": "expected"}


def least(work: Callable[[], object], turns: int = TURNS) -> float:
    """The least seconds of several turns."""
    best = float("inf")
    for _ in range(turns):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def per_row(name: str, path: Path) -> dict[str, float]:
    """Microseconds per row, both documents parsed from text."""
    lines: list[Line] = msgspec.json.Decoder(Line).decode_lines(path.read_bytes())
    plan = compile_plan(loads(suites.text(name)).lines, ROLES)
    chunks = [lines[start : start + CHUNK_ROWS] for start in range(0, len(lines), CHUNK_ROWS)]

    def work() -> None:
        for chunk in chunks:
            columns: dict[str, list[Any]] = {
                "output": [line.output for line in chunk],
                "expected": [line.expected for line in chunk],
            }
            plan.run(columns, len(chunk))

    return {"µs": least(work) / len(lines) * 1e6}


def by_schema(name: str, path: Path) -> dict[str, float]:
    """Scoring alone, of documents just parsed, over reading a row and parsing its two documents."""
    blob = path.read_bytes()
    decoder, parse = msgspec.json.Decoder(Line), msgspec.json.decode
    texts = [line for line in decoder.decode_lines(blob) if _is_json(line.output)]
    check = loads(suites.text(name)).lines[0].settings.compile()

    def floor() -> None:
        for line in texts:
            parse(line.expected)
            parse(line.output)

    def scoring() -> None:
        for line in texts:
            check(parse(line.expected), parse(line.output))

    reading = least(lambda: decoder.decode_lines(blob))
    parsing, scored = least(floor), least(scoring)
    return {
        "scoring over the floor": (scored - parsing) / (reading + parsing),
        "µs": (scored - parsing) / len(texts) * 1e6,
    }


def extract_bench() -> dict[str, float]:
    """Milliseconds for a document of each schema of ExtractBench, its lists aligned item by item; parsing set aside."""
    found = {}
    for schema in SCHEMAS:
        check = evaluator(schema, "exact").compile()
        pairs = [(expected, output("mixed", schema, name)) for name, expected in documents(schema)]
        spent = sum(least(lambda: check(expected, other), 2) for expected, other in pairs)  # noqa: B023  # called at once
        found[schema] = spent / len(pairs) * 1e3
    return found


def _is_json(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except msgspec.DecodeError:
        return False


def large() -> dict[str, float]:
    """The diff of documents of 1 MB over parsing them: equal ones, and ones that differ here and there."""
    drawn = list(rows(2_000, seed=2))
    plan = compile_plan(loads(suites.text("diff")).lines, ROLES)
    figures = {}
    for what, other in (("few differences", _some_other(drawn)), ("every item changed", _all_other(drawn))):
        expected, output = json.dumps([json.loads(row.expected) for row in drawn]), json.dumps(other)
        parsing = least(lambda: (_parse(expected), _parse(output)))  # noqa: B023  # called at once
        figures[what] = (_one_row(plan, output, expected) - parsing) / parsing
    return figures


def _parse(text: str) -> object:
    return msgspec.json.decode(text)


def _some_other(drawn: Sequence[Row]) -> list[Any]:
    documents = [json.loads(row.expected) for row in drawn]
    return [{**one, "service": "?"} if number % 50 == 0 else one for number, one in enumerate(documents)]


def _all_other(drawn: Sequence[Row]) -> list[Any]:
    return [{**json.loads(row.expected), "service": "?", "extra": 1, "labels": []} for row in drawn]


def _one_row(plan: Plan, output: str, expected: str) -> float:
    return least(lambda: plan.run({"output": [output], "expected": [expected]}, 1))


HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "lists and strings never closed": lambda size: '["[",' * (size // 5),
    "lists inside lists, never closed": lambda size: "[" * size,
    "objects inside objects, never closed": lambda size: '{"a":' * (size // 5),
    "many lists in prose": lambda size: "[ and " * (size // 6),
    "many objects in prose": lambda size: "{a} " * (size // 4),
    "lists closed the wrong way round": lambda size: "[}" * (size // 2),
    "one string never closed": lambda size: '{"a": "' + "x" * size,
    "quotes alone": lambda size: '"' * size,
    "backslashes": lambda size: '{"a": "' + "\\" * size,
    "fences": lambda size: "```json\n" * (size // 8),
    "a long number": lambda size: '{"a": ' + "9" * min(size, 4_000) + "x" * size,
}
SIZE: Final = 256 * 1024


def hostile() -> dict[str, float]:
    """Time for twice the length over time for the length."""
    plan = compile_plan(loads(suites.text("five")).lines, ROLES)
    figures = {}
    for what, text in HOSTILE.items():
        short, long = text(SIZE), text(2 * SIZE)
        figures[what] = _one_row(plan, long, '{"a": 1}') / _one_row(plan, short, '{"a": 1}')
    return figures


def main() -> None:
    """Prints the figures as one JSON object."""
    gc.disable()
    work, *files = sys.argv[1:]
    if work == "large":
        found = large()
    elif work == "hostile":
        found = hostile()
    elif work == "extract_bench":
        found = extract_bench()
    elif work.startswith("schema_"):
        found = by_schema(work, Path(files[0]))
    else:
        found = per_row(work, Path(files[0]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
