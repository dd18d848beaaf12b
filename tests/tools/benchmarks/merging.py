"""`python -m tests.tools.benchmarks.merging [SPLITS]`: what it costs to merge the results of very many splits; prints figures as JSON.

Some splits of made-up rows are scored; their results, over and over under other numbers, stand for those of a test set that no
machine here could hold. They are merged as a cluster's would be: read from bytes, out of order, by one process.
"""

from __future__ import annotations

import json
import pickle
import random
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, Final

from evaluators.api.loading import load
from evaluators.api.suite import Suite
from evaluators.integrations.compat.given_documents import ROLES
from evaluators.runs.driver import Merger, memory_variant
from evaluators.runs.job import Job, run_split
from evaluators.runs.split_result import Part
from evaluators.testsets.columns import Columns
from evaluators.testsets.memory_rows import memory_rows
from evaluators.testsets.reader import Split
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

ROWS: Final = 200
"""Rows of a split that is scored. A result hardly grows with them: it holds counts."""
KINDS: Final = 16
"""Splits that are scored."""
UNDER_WAY: Final = 64
"""Results that may overtake each other: what a cluster works on at once."""
FIELDS: Final = ["a", "b", "c", "d.e", "items[0].n"]


def suite_of(**more: Any) -> Suite:
    """Four evaluators, labels among them."""
    labelled = {"exact_match": {"name": "label", "output": "said", "expected": "label"}}
    evaluators = [labelled, {"json_multi_field_match": {"fields": FIELDS}}, "json_diff_match", "length"]
    return load({"name": "merged", "evaluators": evaluators, **more})


def table(split: int, paths: int, slices: int) -> dict[str, list[str]]:
    """The rows of a split: documents with some fields, `paths` of them only here, and a column with `slices` values."""
    drawn = random.Random(split)
    expected, output = [], []
    for _ in range(ROWS):
        document: dict[str, Any] = {name: drawn.randrange(3) for name in "abc"} | {"d": {"e": "x"}, "items": [{"n": 1}]}
        document |= {f"p{split * paths + drawn.randrange(paths)}": 1} if paths else {}
        expected.append(json.dumps(document))
        output.append(json.dumps({**document, "a": drawn.randrange(3), "c": drawn.randrange(9)}))
    kinds = [f"kind {drawn.randrange(max(1, slices))}" for _ in range(ROWS)]
    said, label = ([f"label {drawn.randrange(5)}" for _ in range(ROWS)] for _ in range(2))
    return {"output": output, "expected": expected, "kind": kinds, "said": said, "label": label}


class Synthetic:
    """A job whose splits are those that were scored, over and over."""

    def __init__(self, paths: int = 0, slices: int = 0) -> None:
        self.suite = suite_of(slices=["row.kind"]) if slices else suite_of()
        tables = [table(split, paths, slices) for split in range(KINDS)]
        jobs = [
            Job(
                suite=self.suite.for_workers(), roles=ROLES, reading=self.suite.reading, slices=self.suite.config.slices,
                table=TestSet("rows", memory_rows(columns), Columns(), TestSetConfig()),
            )
            for columns in tables
        ]  # fmt: skip
        self.job = jobs[0]
        self.texts = [pickle.dumps(run_split(job, Split("rows", 1), lines=self.suite.lines)) for job in jobs]

    def parts(self, count: int) -> Iterator[Part]:
        """As many parts, read from bytes, a little out of order."""
        drawn = random.Random(1)
        for start in range(0, count, UNDER_WAY):
            numbers = list(range(start, min(start + UNDER_WAY, count)))
            drawn.shuffle(numbers)
            for number in numbers:
                part: Part = pickle.loads(self.texts[number % KINDS])
                part.sums.index = number
                yield part

    def merged(self, count: int) -> Merger:
        """Everything of so many splits."""
        merging = Merger(memory_variant("rows", self.job, self.suite.lines))
        for part in self.parts(count):
            merging.take(part)
        assert merging.count_figures(count).sums.rows == count * ROWS
        return merging


def per_split(count: int) -> dict[str, float]:
    """Time and memory of a driver that merges so many results, and what reading them alone takes."""
    made = Synthetic()
    made.merged(100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    made.merged(count)
    took = time.process_time() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    start = time.process_time()
    for _ in made.parts(count):
        pass
    reading = time.process_time() - start
    size = sum(map(len, made.texts)) / len(made.texts)
    return {"seconds": took, "µs per split": took / count * 1e6, "µs of them reading": reading / count * 1e6,
            "bytes per result": size, "MB more": grown}  # fmt: skip


def held(build: Callable[[], object]) -> float:
    """The bytes that what is built holds."""
    tracemalloc.start()
    kept = build()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return float(size)


def per_thing() -> dict[str, float]:
    """The bytes that a driver holds for one more path of open documents, and for one more value of a slice."""
    plain, paths, slices = Synthetic(), Synthetic(paths=500), Synthetic(slices=150)
    base = held(lambda: plain.merged(KINDS))
    of_paths, of_slices = held(lambda: paths.merged(KINDS)), held(lambda: slices.merged(KINDS))
    known_paths = max(len(one.documents.paths) for one in paths.merged(KINDS).total.evaluators)
    known_slices = len(slices.merged(KINDS).total.slice_empties["kind"])
    return {
        "bytes per path": (of_paths - base) / known_paths, "paths": known_paths,
        "bytes per slice value": (of_slices - base) / known_slices, "slice values": known_slices,
    }  # fmt: skip


if __name__ == "__main__":
    splits = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(json.dumps({**per_split(splits), **per_thing()}))
