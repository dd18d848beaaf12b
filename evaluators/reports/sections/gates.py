"""The gates of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evaluators.reports.document import Paragraph, Section, Tone, count_columns, table_of, text_column
from evaluators.reports.parts import list_part
from evaluators.reports.sections.evaluators import slice_text
from evaluators.runs.result import GateResult, RunResult

VERDICTS: Final[dict[str, tuple[str, Tone]]] = {
    "failed": ("FAILED", "bad"), "undecided": ("UNDECIDED", "warning"), "warned": ("WARNING", "warning"),
    "passed": ("passed", "good"),
}  # fmt: skip
"""The verdicts of gates in the order of pages, each with its word and its tone."""


def gate_section(result: RunResult) -> tuple[Section, ...]:
    """The gates, failed ones first; nothing without gates."""
    columns = (
        text_column("gate", lambda gate: gate.target),
        text_column("variant", optional=True),
        text_column("slice", lambda gate: slice_text(gate.slice), optional=True),
        text_column("verdict", lambda gate: VERDICTS[gate.verdict][0]),
        text_column("found", lambda gate: gate.message),
        text_column("limit"),
        *count_columns("n"),
    )
    gates = _ordered(result.gates)
    return (Section("Gates", (table_of(gates, columns, lambda gate: VERDICTS[gate.verdict][1]),)),) if gates else ()


def gate_part(result: RunResult) -> tuple[Section, ...]:
    """The gates that warned, and those that passed."""
    return list_part(([_line(gate)] for gate in _ordered(result.gates) if gate.verdict in ("warned", "passed")), 4)


def missed_gates(result: RunResult) -> list[Paragraph]:
    """The gates that failed or are undecided."""
    missed = [gate for gate in result.gates if gate.verdict in ("failed", "undecided")]
    return [_line(gate) for gate in _ordered(missed)]


def _ordered(gates: Iterable[GateResult]) -> list[GateResult]:
    return sorted(gates, key=lambda gate: list(VERDICTS).index(gate.verdict))


def _line(gate: GateResult) -> Paragraph:
    """A gate with what it found, its limit and what that is over."""
    word, tone = VERDICTS[gate.verdict]
    about = ", ".join(filter(None, (gate.variant, slice_text(gate.slice))))
    limit = f"; {gate.limit}" if gate.verdict in ("undecided", "passed") else ""
    text = f"{word}  {gate.target}{f' ({about})' if about else ''}: {gate.message}{limit}; n {gate.n:,}"
    return Paragraph(text, tone, "  ")
