"""`python -m tests.tools.benchmarks.studio`: from a key to the verdicts, for 50, 500 and 5,000 rows, and for wide and long data.

A key is a change of the form: it is written into the text, the text is read, the rows are scored, and what changed is told. Printed are
the processor time and the time on the wall of the third of three changes, in milliseconds.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from evaluators.studio.messages import Score, SetField
from evaluators.studio.studio import Studio
from tests.kit import write_rows

SIZES: Final = ((50, 20, 50), (500, 20, 500), (5_000, 20, 5_000), (200, 200, 200), (200_000, 20, 50), (200_000, 20, None))
"""Rows of the file, fields, and how many rows are scored."""
WORDS: Final = ("Alpha", "beta", 12.5, "2024-01-09")


def main() -> None:
    """Prints a line for each size."""
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        studio = Studio(Path(temporary), "", Path(temporary))
        for rows, fields, scored in SIZES:
            file = Path(f"rows-{rows}-{fields}.jsonl")
            if not file.exists():
                write_rows(file, made(rows, fields))
            spent, wall, size = key(studio, suite(file, fields), scored)
            asked = "all" if scored is None else f"the first {scored:,}"
            print(
                f"{rows:>7,} rows × {fields:>3} fields, {asked:>15}: {spent:8.0f} ms of a processor, {wall:8.0f} ms, {size:7,} bytes"
            )
        studio.close()


def made(rows: int, fields: int) -> list[dict[str, str]]:
    """Rows in which one field of twenty is written in another case."""
    random, found = Random(1), []
    for number in range(rows):
        wanted = {f"f{at}": random.choice(WORDS) for at in range(fields)}
        given = {**wanted, **{name: str(wanted[name]).lower() for name in random.sample([*wanted], max(1, fields // 20))}}
        found.append({"id": str(number), "output": json.dumps(given), "expected": json.dumps(wanted)})
    return found


def suite(file: Path, fields: int) -> str:
    """A suite that compares every field."""
    lines = "".join(f"      f{at}: exact\n" for at in range(fields))
    return f"test_set: {file}\nevaluators:\n  - type: json_multi_field_match\n    name: all\n    fields:\n{lines}"


def key(studio: Studio, text: str, rows: int | None) -> tuple[float, float, int]:
    """Processor time and time on the wall of the last of three changes, and the bytes of its answer."""
    before, spent, wall, size = "", 0.0, 0.0, 0
    for comparator in ("fuzzy", "normalized", "numeric"):
        spent, wall = time.process_time(), time.perf_counter()
        text = studio.edit(text, "suite.yaml", SetField(0, "f1", compare=comparator)).text
        found = studio.score(Score(text, "suite.yaml", "one", rows, before))
        size = len(msgspec.json.encode(found))
        spent, wall, before = time.process_time() - spent, time.perf_counter() - wall, found.id
    return spent * 1000, wall * 1000, size


if __name__ == "__main__":
    main()
