"""`python -m tests.tools.benchmarks.agenta_handlers WORK FILE`: the same work by Agenta's handlers, without their tracing.

Runs in a Python that has the package agenta, which is not one of ours; prints microseconds per row. A row that a handler
refuses is counted as done.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tests.tools.benchmarks.suites import DOTS, MIXED

TURNS: Final = 3
WORK: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "dots": ("json_multi_field_match_v0", {"fields": list(DOTS)}),
    "fields": ("json_multi_field_match_v0", {"fields": list(MIXED)}),
    "diff": ("auto_json_diff_v0", {}),
}


def per_row(name: str, path: Path) -> float:
    """The least of several turns."""
    handler, settings = WORK[name]
    undecorated: Callable[..., object] = getattr(
        import_module("agenta.sdk.engines.running.handlers"), handler
    ).__wrapped__
    parameters = {**settings, "correct_answer_key": "expected"}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    best = float("inf")
    for _ in range(TURNS):
        start = time.perf_counter()
        for row in rows:
            try:
                undecorated(parameters=parameters, inputs=row, outputs=row["output"])
            except Exception:  # an output that is not JSON is refused in many ways
                continue
        best = min(best, time.perf_counter() - start)
    return best / len(rows) * 1e6


if __name__ == "__main__":
    print(json.dumps({"µs": per_row(sys.argv[1], Path(sys.argv[2]))}))
