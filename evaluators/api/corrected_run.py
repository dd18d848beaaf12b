"""A run whose test set has corrections says what was corrected, and what its scores and its gates are without.

The rows are scored a second time against the expected answers as they stand in the test set: what a correction turns reaches needs,
composites, slices and gates, so that no short cut gives the same numbers. A suite that asks a judge is not run twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from evaluators.model.rows import MISSING
from evaluators.reports.conclusions import finish_run
from evaluators.runs.asking_run import asks_anybody
from evaluators.runs.driver import jobs_of, score, variants_of
from evaluators.runs.metrics import score_text
from evaluators.runs.observer import Observer
from evaluators.runs.preparing import Prepared
from evaluators.runs.result import CorrectedValue, Corrections, GateResult, RunResult, Uncorrected
from evaluators.runs.run_db import RunDb
from evaluators.scoring.values.json_text import to_text

if TYPE_CHECKING:
    from evaluators.runs.engines.engine import Crew

_JUDGED: Final = "a judge would be asked a second time"
_STOPPED: Final = "the run ended before its last row"


def with_corrections(result: RunResult, prepared: Prepared, crew: Crew, observer: Observer) -> RunResult:
    """The result with the corrections of its test set, the scores without them, and the values of its gates without them.

    The rows are scored a second time for that, by `crew`, of which `observer` is told. A result without corrections stays as it is. Where a
    judge would be asked, or the run was ended, the result says why not.
    """
    values = tuple(_corrected_values(prepared))
    if not prepared.test_set.config.corrections:
        return result
    corrections = Corrections(values)
    if not corrections.count:
        return replace(result, corrections=corrections)
    if asks_anybody(prepared.suite) or not result.complete:
        return replace(result, corrections=replace(corrections, why_not=_JUDGED if result.complete else _STOPPED))
    before = _score_uncorrected(prepared, crew, observer)
    if not before.complete:
        return replace(result, corrections=replace(corrections, why_not=_STOPPED))
    without = tuple(
        Uncorrected(evaluator.name, evaluator.mean, evaluator.pass_rate, evaluator.variant)
        for evaluator in before.evaluators
    )
    values_before = defaultdict[tuple[object, ...], list[float | None]](list)
    for gate in before.gates:
        values_before[_gate_key(gate)].append(gate.value)
    columns = {measure.name for measure in result.measures}  # no correction reaches them
    gates: list[GateResult] = []
    for gate in result.gates:
        if gate.target not in columns:
            before_ = values_before[_gate_key(gate)]  # several gates may have one key: they come in the same order
            gate = _with_value_before(gate, corrections.count, before_.pop(0) if before_ else None)
        gates.append(gate)
    return replace(result, corrections=replace(corrections, without=without), gates=tuple(gates))


def _corrected_values(prepared: Prepared) -> Iterator[CorrectedValue]:
    """Yields the corrected values of the test set, as the result lists them."""
    for correction in prepared.test_set.corrections:
        made = correction.correction
        yield CorrectedValue(
            made.id, correction.row, made.path, _json_text(made.old), _json_text(made.new), made.reason, correction.void
        )


def _json_text(value: Any) -> str:
    """A value as JSON text; an empty text where it is not there."""
    return "" if value is MISSING else to_text(value)


def _score_uncorrected(prepared: Prepared, crew: Crew, observer: Observer) -> RunResult:
    """Scores the same rows again, against the expected answers as the test set has them, and returns the result."""
    plain = replace(prepared, test_set=prepared.test_set.without_corrections())
    run = score(plain, variants_of(plain, jobs_of(plain), RunDb()), crew, Observer(stopped=observer.stopped))
    return finish_run(plain, run.results, "")


def _gate_key(gate: GateResult) -> tuple[object, ...]:
    """What identifies a gate in two results of one suite."""
    return gate.target, gate.metric, gate.limit, gate.variant, gate.slice, gate.label


def _with_value_before(gate: GateResult, count: int, value: float | None) -> GateResult:
    """The gate, whose message also has `value`, its value without the corrections. `count` is the number of corrections."""
    values = "1 corrected value" if count == 1 else f"{count:,} corrected values"
    return replace(gate, message=f"{gate.message}; {score_text(value)} without {values}")
