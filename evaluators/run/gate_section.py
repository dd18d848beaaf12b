"""The section `gates` of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluators.issues import Problems
from evaluators.run.gate_targets import parse_target
from evaluators.run.gates import MICRO, POOLED, Gate, GateConfig, MeasureGateConfig, Target
from evaluators.settings import BadSettings, Detail, bad, build, filled_texts, spell


def read_gates(data: Any, context: Mapping[str, Any]) -> tuple[Gate, ...]:
    """The gates, in the order of the file, each with its target resolved against the suite's evaluators."""
    if not isinstance(data, Mapping):
        raise bad(f"gates must be a map from a target to its limits; found {spell(data)}")
    names = [line.name for line in context["evaluators"]]
    gates: list[Gate] = []
    details: list[Detail] = []
    for key, limits in data.items():
        name, dot, rest = key.partition(".")
        written = f"{filled_texts().name(name)}{dot}{rest}"
        several = isinstance(limits, list)
        if limits == []:
            details.append(
                Detail((written,), f'the gate "{written}" has no limit', f"write {written}: {{fail_below: 0.9}}")
            )
        for index, one in enumerate(limits if several else [limits]):
            prefix = (written, index) if several else (written,)
            if not isinstance(one, Mapping):
                number = isinstance(one, (int, float)) and not isinstance(one, bool)
                limit = one if number else 0.9
                message = f'the limits of the gate "{written}" must be a map; found {spell(one)}'
                details.append(Detail(prefix, message, f"write {written}: {{fail_below: {limit}}}", code="bad-value"))
                continue
            try:
                if written in context["measures"]:
                    target = Target(written, None)
                    gates.append(Gate(written, target, build(MeasureGateConfig, one, noun="a gate on a measure")))
                else:
                    config = build(GateConfig, one, noun="a gate")
                    gates.append(Gate(written, parse_target(written, names, also=context["measures"]), config))
                context["notes"].extend(((key,), note) for note in _renamed(gates[-1], one.get("figure"), context))
            except BadSettings as error:
                details.extend(detail.under(*prefix) for detail in error.details)
            except Problems as error:
                unknown = error.issues[0].code == "unknown-evaluator"
                if unknown and context["may_be_called"](written.partition(".")[0]):
                    continue  # perhaps one that could not be read, and that is said where it stands
                details.extend(Detail((written,), issue.message, issue.hint, True, issue.code) for issue in error.issues)
    if details:
        raise BadSettings(details)
    return tuple(gates)


def _renamed(gate: Gate, written: object, context: Mapping[str, Any]) -> Iterator[str]:
    """What is said of a figure by a name of old."""
    word, figure = "_".join(str(written).lower().split()), gate.figure
    if gate.of_measure and word != figure and written is not None:
        yield f'the figure "{written}" is called "{figure}" here'
    elif figure in MICRO and word in POOLED:
        yield f'the figure "{written}" of an evaluator is called "{figure}" here'
    elif word == "mean_score" and gate.target.field is None:
        line = next(line for line in context["evaluators"] if line.name == gate.target.evaluator)
        if "mean_field_score" in line.settings.scored_fields().figures:
            yield f'"{written}" is the mean of the scores of rows; the mean over the fields of a row is "mean_field_score"'
