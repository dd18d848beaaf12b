"""Recorded cases: what another system was asked, and what it answered, read from JSON lines.

One reader per system turns a line into a `Case`: the evaluator and its settings in the other system's words, the cells
of the row by our roles, and the recorded answer as an `Answer`, the same form in which ours is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from evaluators.model.rows import MISSING
from tests.kit import read_yaml

HERE: Final = Path(__file__).parent

Blame: TypeAlias = str
"""One of our words for whose move it is: config, testset, output, environment, bug."""


@dataclass(frozen=True)
class Answer:
    """What an evaluator says of one row.

    `blame` says why there is no score, `output` excepted: such a row scores 0.0 and is counted as unreadable. No score
    and no blame: nothing was measured. `fields` has a score by the path as it was written; None is not measured.
    """

    score: float | None = None
    passed: bool | None = None
    blame: Blame | None = None
    fields: Mapping[str, float | None] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    value: Any = None
    """What a function returned that is no score; with a blame, the places of what is wrong."""
    why: str = field(default="", compare=False)


@dataclass(frozen=True)
class Case:
    """One recorded case. `cells` are by role (output, expected, input) and by the names of the row's columns."""

    id: str
    system: str
    evaluator: str
    settings: Mapping[str, Any]
    cells: Mapping[str, Any]
    recorded: Answer
    line: Mapping[str, Any] = field(repr=False)

    @property
    def output(self) -> Any:
        return self.cells["output"]

    @property
    def expected(self) -> Any:
        return self.cells["expected"]


@cache
def mapping() -> dict[str, Any]:
    """What `mapping.yaml` says."""
    loaded = read_yaml(HERE / "mapping.yaml")
    assert isinstance(loaded, dict)
    return loaded


def _agenta(line: dict[str, Any]) -> Case:
    settings = line["settings"] or {}
    row = line["inputs"] if isinstance(line["inputs"], dict) else {}
    expected = row.get(str(settings.get("correct_answer_key") or "correct_answer"), MISSING)
    cells = {"input": MISSING, **row, "output": line["output"], "expected": expected}
    return Case(line["id"], "agenta", line["evaluator"], settings, cells, _agenta_answer(line["expected"]), line)


def _agenta_answer(told: dict[str, Any]) -> Answer:
    if isinstance(error := told.get("error"), dict):
        return _error("agenta", error["kind"], error.get("summary") or error["type"])
    if "aggregate_score" in told:
        fields = {path: value for path, value in told.items() if path != "aggregate_score"}
        return Answer(told["aggregate_score"], fields=fields)
    if "score" in told:
        return Answer(told["score"], told["success"])
    passed = told.get("success")
    return Answer(1.0 if passed else 0.0, passed)


def _galtea(line: dict[str, Any]) -> Case:
    cells = {"input": MISSING, "output": line["actual_output"], "expected": line["expected_output"]}
    told = line["expected"]
    recorded = _error("galtea", told["error"], line["why"]) if isinstance(told, dict) else Answer(float(told))
    return Case(line["id"], "galtea", line["metric"], {}, cells, recorded, line)


def _orbiter(line: dict[str, Any]) -> Case:
    cells = {"input": line["input"], "output": line["output"], "expected": MISSING}
    settings = {key: value for key, value in (line["params"] or {}).items() if key != "name"}
    told = line["expected"]
    if "error" in told:
        recorded = _error("orbiter", told["error"]["phase"], told["error"]["message"])
    else:
        recorded = Answer(told["score"], details=told["details"])
    return Case(line["id"], "orbiter", line["scorer"], settings, cells, recorded, line)


def _error(system: str, kind: str, why: str) -> Answer:
    blame: Blame = mapping()["errors"][system].get(kind, "bug")
    return Answer(0.0 if blame == "output" else None, False if blame == "output" else None, blame, why=f"{kind}: {why}")


READERS: Final[Mapping[str, Callable[[dict[str, Any]], Case]]] = {
    "agenta": _agenta,
    "galtea": _galtea,
    "orbiter": _orbiter,
}
