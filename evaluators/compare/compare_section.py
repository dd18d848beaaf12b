"""The section `compare` of a suite: how its runs are compared, and what a new one is held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from evaluators.compare.guard_config import CompareConfig
from evaluators.issues import Problems, problem
from evaluators.registry import suggestion
from evaluators.run.gate_targets import parse_target
from evaluators.run.gates import Target
from evaluators.settings import BadSettings, Detail, build
from evaluators.suite.evaluator_line import EvaluatorLine


class CompareSection(Struct, frozen=True):
    """The section `compare`, with the targets of its guards resolved."""

    config: CompareConfig = field(default_factory=CompareConfig)
    targets: Mapping[str, Target] = field(default_factory=dict)


def read_compare(data: Any, context: Mapping[str, Any]) -> CompareSection:
    """The settings under `compare`, with each guard's target resolved against the suite's evaluators."""
    config = build(CompareConfig, data, noun="compare")
    targets: dict[str, Target] = {}
    details: list[Detail] = []
    for written in config.guards:
        try:
            targets[written] = guarded_target(written, context["evaluators"])
        except Problems as error:
            if error.issues[0].code == "unknown-evaluator" and context["may_be_called"](written.partition(".")[0]):
                continue  # perhaps one that could not be read, and that is said where it stands
            details.extend(
                Detail(("guards", written), issue.message, issue.hint, True, issue.code) for issue in error.issues
            )
    if details:
        raise BadSettings(details)
    return CompareSection(config, targets)


def guarded_target(written: str, lines: Sequence[EvaluatorLine]) -> Target:
    """The evaluator and the field that a guard is about. Raises Problems (config) when the suite has none of that name."""
    target = parse_target(written, [line.name for line in lines], "guard")
    fields = next(line.settings.scored_fields().of_rows for line in lines if line.name == target.evaluator)
    if target.field is not None and target.field not in fields:
        raise problem(
            "unknown-field",
            f'the guard "{written}" names the field "{target.field}", and "{target.evaluator}" lists none of that path',
            hint=suggestion(target.field, fields) or (f"fields: {', '.join(fields)}" if fields else None),
        )
    return target
