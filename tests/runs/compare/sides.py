"""Runs in memory that tests compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import FieldStatus, Result, RowStatus
from evaluators.runs.compare.pairs import Side, SideRows
from evaluators.runs.record_lines import RowLine
from evaluators.runs.result import EvaluatorStats, RunResult


def said(
    status: str, score: float | None, passed: bool | None, statuses: Sequence[str] = (), reason: str | None = None,
    values: Sequence[int] = (),
) -> Result:  # fmt: skip
    """What a run says of a row, in words."""
    num, den = (0, 0) if score is None else Fraction(score).limit_denominator(10_000).as_integer_ratio()
    issue = None if reason is None else Issue("no-score", Blame.TESTSET, reason)
    letters = bytes(FieldStatus[word.upper()] for word in statuses)
    return Result(RowStatus[status.upper()], passed, num, den, letters, issue=issue, values=tuple(values))


def made_rows(
    numbers: Sequence[int], ids: Sequence[str], given: Sequence[str], clusters: Sequence[str] = (),
    said: Mapping[str, Sequence[Result]] = {},
) -> SideRows:  # fmt: skip
    """Rows given as columns."""
    known = {name: list(dict.fromkeys(column)) for name, column in said.items()}
    lines = [
        RowLine(
            row=number, id=ids[at], checksum=given[at] or None, cluster=clusters[at] if clusters else None,
            codes=[known[name].index(column[at]) for name, column in said.items()],
        )
        for at, number in enumerate(numbers)
    ]  # fmt: skip
    return SideRows(lines, known)


def made_side(
    label: str, rows: SideRows | Mapping[str, SideRows], fields: Mapping[str, tuple[str, ...]],
    meaning: Mapping[str, Mapping[str, str]] | None = None, **changes: object,
) -> Side:  # fmt: skip
    """A run with its rows; `changes` are those of its result."""
    by_variant: dict[str | None, SideRows] = {None: rows} if isinstance(rows, SideRows) else dict(rows.items())
    stats = tuple(EvaluatorStats(name, "exact_match", *[0] * 11, None, None, None) for name in fields)
    result = RunResult("invoices", "sha256:1", "sha256:0", "0.1.0", "rows.csv", 0, {}, stats, meaning=meaning or {})
    variants = tuple(name for name in by_variant if name is not None)
    return Side(label, replace(result, variants=variants, **changes), fields, by_variant)  # type: ignore[arg-type]  # changes are fields of a result
