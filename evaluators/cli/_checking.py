"""What the command `check` finds: in the suite alone, and in the rows of a test set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.reports.display import visible
from evaluators.running.run import check_gate_targets
from evaluators.running.suite import Suite
from evaluators.runs.figures import counted, rows_text
from evaluators.runs.result import RunResult
from evaluators.runs.verdict import Facts, exit_code
from evaluators.testsets.selection import Selection

LOOKED_AT: Final = 200
"""The rows that are tried unless all are asked for."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found in the rows of a test set. `partial` says that there may be more rows."""

    result: RunResult
    partial: bool
    notes: tuple[str, ...]

    @property
    def problems(self) -> tuple[Issue, ...]:
        """What keeps rows from being measured, and gaps that more rows cannot close."""
        result = self.result
        if not result.rows:
            none = Issue("no-rows", Blame.TESTSET, "there are no rows, so nothing can be measured", result.test_set)
            return (*result.issues, none)
        return result.issues if self.partial else (*result.issues, *result.warnings)

    @property
    def exit_code(self) -> int:
        """3 when the test set is at fault, 70 for a bug, 0 otherwise."""
        return exit_code(Facts(issues=self.problems))


def check_gates(suite: Suite) -> None:
    """Raises Problems (config) for gates about fields, slices or variants that the suite does not have."""
    outputs = suite.test_set.outputs
    check_gate_targets(suite, tuple(outputs) if isinstance(outputs, dict) else None)


def suite_words(suite: Suite) -> str:
    """The good news about a suite, and its notes."""
    name = suite.config.source.name
    head = f"{name}: no problems; {counted(len(suite.lines), 'evaluator')}, {counted(len(suite.gates), 'gate')}"
    return _lines([head, *(f"note: {note}" for note in suite.notes)])


def look(suite: Suite, test_set: str | None, whole: bool) -> Look:
    """Score some rows, or all, and keep what is wrong with them. Nothing is written.

    Raises Problems when the test set cannot be opened or lacks a column.
    """
    selection = Selection() if whole else Selection(limit=LOOKED_AT)
    result = suite.run(test_set, selection=selection)
    said = (*suite.notes, selection.sentence())
    notes = tuple(note for note in result.notes if note not in said)
    return Look(result, not whole and result.rows >= LOOKED_AT, notes)


def data_words(look: Look) -> str:
    """What was looked at and what was noticed: rows, columns, outputs that cannot be read, gaps, and the rest of a kind."""
    result = look.result
    rows = (
        f"the first {rows_text(result.rows)}; --all looks at every row"
        if look.partial
        else f"all {rows_text(result.rows)}"
    )
    return _lines(
        [
            f"{result.test_set}: looked at {rows}",
            f"columns: {', '.join(f'{role} = {column}' for role, column in result.columns.items())}",
            *(f"note: {note}" for note in look.notes),
            *_unreadable(result),
            *(f"warning: {issue}" for issue in (result.warnings if look.partial else ())),
            *_more(result),
            *([] if look.problems else ["The suite fits the test set."]),
        ]
    )


def _unreadable(result: RunResult) -> Iterable[str]:
    for stats in result.evaluators:
        if stats.unreadable:
            name = f"{stats.name} ({stats.variant})" if stats.variant else stats.name
            had = (
                "has an output that holds no usable JSON: it scores 0"
                if stats.unreadable == 1
                else ("have an output that holds no usable JSON: they score 0")
            )
            yield f"note: {name}: {rows_text(stats.unreadable)} {had}"


def _more(result: RunResult) -> Iterable[str]:
    """How many problems of each kind are beyond those that are shown."""
    for code, count in result.issue_counts.items():
        shown = [issue for issue in result.issues if issue.code == code]
        if count > len(shown) > 0:
            yield f"warning: {count:,} rows have this problem, {len(shown)} of them are shown below: {shown[0].message}"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{visible(part)}\n" for line in lines for part in line.splitlines())
