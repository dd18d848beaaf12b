"""How the cases of each system are read and answered.

Those of Agenta, Galtea and orbiter are lines of a suite. A system whose cases are schemas, or calls of functions, has a
module of its own.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.conformance import cases, extract_bench, judged, ours, x_eval_cases
from tests.conformance.cases import Answer, Case, mapping

READERS: Final[Mapping[str, Callable[[dict[str, Any]], Case]]] = {
    **cases.READERS,
    extract_bench.SYSTEM: extract_bench.read_case,
    judged.EXTRACT_BENCH: judged.read_extract_bench,
    judged.ORBITER: judged.read_orbiter,
    x_eval_cases.SYSTEM: x_eval_cases.read,
}
ANSWERS: Final[Mapping[str, Callable[[Case], Answer]]] = {
    extract_bench.SYSTEM: extract_bench.answer,
    judged.EXTRACT_BENCH: judged.answer_extract_bench,
    judged.ORBITER: judged.answer_orbiter,
    x_eval_cases.SYSTEM: x_eval_cases.answer,
}
"""Who answers the cases that are no line of a suite."""


@dataclass(frozen=True)
class Unread(Case):
    """A line that could not be read as a case, and why."""

    why: str = ""


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a file whose name `mapping.yaml` knows. A line that cannot be read is there too, as `Unread`."""
    system = mapping()["files"][path.stem]
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield case_of(system, line, f"{path.name} line {number}")


def case_of(system: str, text: str, place: str) -> Case:
    """A line as a case; one that cannot be read is `Unread`, and named by its place where it has no name."""
    line: Any = None
    try:
        line = json.loads(text)
        return READERS[system](line)
    except Exception as error:  # a line is guarded as a row is: whatever is in it, the others are looked at
        line = line if isinstance(line, dict) else {}
        name = str(line.get("id", line.get("case", place)))
        return Unread(name, system, "", {}, {}, Answer(), line, broke(error))


def broke(error: Exception) -> str:
    """An error as the report names it: its kind, its words, and where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = "".join(f" ({Path(frame.filename).name}:{frame.lineno})" for frame in last)
    return f"broke with {type(error).__name__}: {error}{where}"


def answer(case: Case) -> Answer:
    """Our answer to a case."""
    return ANSWERS.get(case.system, ours.answer)(case)
