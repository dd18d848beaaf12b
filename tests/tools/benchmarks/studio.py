"""`python -m tests.tools.benchmarks.studio`: from a key to the verdicts, for 50, 500 and 5,000 rows, and for wide and long data.

A key is a change of the form: it is written into the text, the text is read, the rows are scored, and what changed is told. Printed are
the processor time and the time on the wall of the third of three changes, in milliseconds; below it, those of opening the file, and of
opening the last row that was scored.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, TypeVar

import msgspec

from evaluators.studio.messages import Score, Scored, SetField
from evaluators.studio.studio import Studio
from tests.kit import write_rows

SIZES: Final = (
    (50, 20, 50), (500, 20, 500), (5_000, 20, 5_000), (200, 200, 200), (200_000, 20, 50), (200_000, 20, None), (200_000, 200, 50),
)  # fmt: skip
"""Rows of the file, fields, and how many rows are scored."""
Kind = TypeVar("Kind")
WORDS: Final = ("Alpha", "beta", 12.5, "2024-01-09")


def main() -> None:
    """Prints a line for each size."""
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(folder := Path(temporary))
        studio = Studio(folder, "", folder)
        for rows, fields, scored in SIZES:
            file = Path(f"rows-{rows}-{fields}.jsonl")
            if not file.exists():
                write_rows(file, made(rows, fields))
            (folder / "suite.yaml").write_text(suite(file, fields), encoding="utf-8")
            opened = measured(lambda: studio.open("suite.yaml"))[1:]
            found, *times = key(studio, suite(file, fields), scored)
            last = measured(lambda found=found: studio.scores.row(found.id, found.rows))[1:]
            asked = "all" if scored is None else f"the first {scored:,}"
            size = len(msgspec.json.encode(found))
            print(f"{rows:>7,} rows × {fields:>3} fields, {asked:>15}: {shown(times)}, {size:7,} bytes")
            for name, each in (("the file is opened", opened), ("the last row is opened", last)):
                print(f"{name:>46}: {shown(each)}")
        studio.close()


def made(rows: int, fields: int) -> Iterator[dict[str, str]]:
    """Rows in which one field of twenty is written in another case."""
    random = Random(1)
    for number in range(rows):
        wanted = {f"f{at}": random.choice(WORDS) for at in range(fields)}
        given = {**wanted, **{name: str(wanted[name]).lower() for name in random.sample([*wanted], max(1, fields // 20))}}
        yield {"id": str(number), "output": json.dumps(given), "expected": json.dumps(wanted)}


def suite(file: Path, fields: int) -> str:
    """A suite that compares every field."""
    lines = "".join(f"      f{at}: exact\n" for at in range(fields))
    return f"test_set: {file}\nevaluators:\n  - type: json_multi_field_match\n    name: all\n    fields:\n{lines}"


def key(studio: Studio, text: str, rows: int | None) -> tuple[Scored, float, float]:
    """What the last of three changes came to, with its processor time and its time on the wall."""
    before = ""
    for comparator in ("fuzzy", "normalized", "numeric"):
        change = SetField(0, "f1", compare=comparator)

        def score(change: SetField = change, text: str = text, before: str = before) -> tuple[str, Scored]:
            text = studio.edit(text, "suite.yaml", change).text
            return text, studio.score(Score(text, "suite.yaml", "one", rows, before))

        (text, found), spent, wall = measured(score)
        before = found.id
    return found, spent, wall


def measured(act: Callable[[], Kind]) -> tuple[Kind, float, float]:
    """What something gives, with its processor time and its time on the wall, in milliseconds."""
    spent, wall = time.process_time(), time.perf_counter()
    found = act()
    return found, (time.process_time() - spent) * 1000, (time.perf_counter() - wall) * 1000


def shown(times: Sequence[float]) -> str:
    """Both times in words."""
    spent, wall = times
    return f"{spent:8.0f} ms of a processor, {wall:8.0f} ms"


if __name__ == "__main__":
    main()
