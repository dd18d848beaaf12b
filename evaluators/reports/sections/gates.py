"""The gates of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evaluators.reports.document import Paragraph, Section, Tone, count_columns, table_of, text_column
from evaluators.reports.parts import list_part
from evaluators.reports.sections.evaluators import slice_text
from evaluators.runs.result import GateResult, RunResult
from evaluators.scoring.values.quoting import first_texts

VERDICTS: Final[dict[str, tuple[str, Tone]]] = {
    "failed": ("FAILED", "bad"), "undecided": ("UNDECIDED", "warning"), "warned": ("WARNING", "warning"),
    "passed": ("passed", "good"),
}  # fmt: skip
"""The verdicts of gates in the order of pages, each with its word and its tone."""
MOST_NAMED: Final = 5
"""Passed gates that the summary names where others did not pass."""


def gate_section(result: RunResult) -> tuple[Section, ...]:
    """The section with a table of the gates, failed ones first; empty without gates."""
    columns = (
        text_column("gate", lambda gate: gate.target),
        text_column("variant", optional=True),
        text_column("slice", lambda gate: slice_text(gate.slice), optional=True),
        text_column("verdict", lambda gate: VERDICTS[gate.verdict][0]),
        text_column("found", lambda gate: gate.message),
        text_column("limit"),
        *count_columns("n"),
    )
    gates = _sorted_by_verdict(result.gates)
    return (Section("Gates", (table_of(gates, columns, lambda gate: VERDICTS[gate.verdict][1]),)),) if gates else ()


def gate_part(result: RunResult) -> tuple[Section, ...]:
    """The part of the summary with a line for each gate, where all passed or warned; else empty, since `missed_gates` has them."""
    if missed_gates(result):
        return ()
    return list_part(([_gate_line(gate)] for gate in _sorted_by_verdict(result.gates)), 4)


def missed_gates(result: RunResult) -> tuple[Paragraph, ...]:
    """A line for each gate that failed, is undecided or warned, and one with the names of those that passed; nothing where no gate failed
    or is undecided."""
    ordered = _sorted_by_verdict(result.gates)
    if not any(gate.verdict in ("failed", "undecided") for gate in ordered):
        return ()
    passed = list(dict.fromkeys(_gate_name(gate, metric=True) for gate in ordered if gate.verdict == "passed"))
    names = f"{VERDICTS['passed'][0]}  {first_texts(passed, MOST_NAMED)}"
    lines = tuple(_gate_line(gate) for gate in ordered if gate.verdict != "passed")
    return (*lines, Paragraph(names, "good", "  ")) if passed else lines


def _sorted_by_verdict(gates: Iterable[GateResult]) -> list[GateResult]:
    return sorted(gates, key=lambda gate: list(VERDICTS).index(gate.verdict))


def _gate_line(gate: GateResult) -> Paragraph:
    """The line of a gate: its verdict, what it is about, what was found, its limit where the message does not say it, and over how many."""
    word, tone = VERDICTS[gate.verdict]
    limit = f"; {gate.limit}" if gate.verdict in ("undecided", "passed") else ""
    return Paragraph(f"{word}  {_gate_name(gate)}: {gate.message}{limit}; n {gate.n:,}", tone, "  ")


def _gate_name(gate: GateResult, metric: bool = False) -> str:
    """What a gate is about: its target, variant and slice; and its metric where that is not the usual one and is asked for."""
    usual = not metric or gate.metric in ("mean", "mean_score", "accuracy")
    about = ", ".join(
        filter(None, ("" if usual else gate.metric.replace("_", " "), gate.variant, slice_text(gate.slice)))
    )
    return f"{gate.target}{f' ({about})' if about else ''}"
