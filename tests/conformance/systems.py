"""How the cases of each system are read and answered.

Those of Agenta, Galtea and orbiter are lines of a suite. A system whose cases are schemas, or calls of functions, has a
module of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.conformance import cases, extract_bench, ours, x_eval_cases
from tests.conformance.cases import Answer, Case, mapping

READERS: Final[Mapping[str, Callable[[dict[str, Any]], Case]]] = {
    **cases.READERS,
    extract_bench.SYSTEM: extract_bench.read_case,
    x_eval_cases.SYSTEM: x_eval_cases.read,
}
ANSWERS: Final[Mapping[str, Callable[[Case], Answer]]] = {
    extract_bench.SYSTEM: extract_bench.answer,
    x_eval_cases.SYSTEM: x_eval_cases.answer,
}
"""Who answers the cases that are no line of a suite."""


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a file whose name `mapping.yaml` knows."""
    read = READERS[mapping()["files"][path.stem]]
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield read(json.loads(line))


def answer(case: Case) -> Answer:
    """Our answer to a case."""
    return ANSWERS.get(case.system, ours.answer)(case)
