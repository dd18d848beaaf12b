"""One side of a comparison: what a run says of each of its rows, read from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evaluators.model import Status, Verdict
from evaluators.run.record import RunRecord, read_record
from evaluators.run.result import ConfusionMatrix, MeasureStats, RunResult
from evaluators.value_class import NamedTuple, dataclass, field

SCORED: Final = ("scored", "unreadable", "blocked")
"""The standings of rows that count in the mean."""
_WRONG: Final = ("mismatch", "omission", "hallucination")
MEASURED: Final = ("match", *_WRONG, "error")
"""The statuses of fields that count."""


class RowVerdict(NamedTuple):
    """What one evaluator said of one row. Statuses are words, in the order of the evaluator's fields."""

    standing: str
    score: float | None
    passed: bool | None
    statuses: tuple[str, ...] = ()
    reason: str | None = None
    """Why the row has no score, where that is known."""
    values: tuple[int, ...] = ()
    """(place, right, measured) of each field of which the row has several values, one after the other."""

    @property
    def scored(self) -> bool:
        """The row counts in the mean."""
        return self.standing in SCORED and self.score is not None

    def right(self, place: int) -> bool | None:
        """Whether the field in that place is right; None where it was not measured."""
        status = self.statuses[place] if place < len(self.statuses) else ""
        if status == "match":
            return True
        if status in _WRONG or (status == "error" and self.standing in SCORED):
            return False
        return None

    def counted(self, place: int) -> tuple[int, int] | None:
        """(right, measured) of a field that has several values in the row; None for one value, or none."""
        for at in range(0, len(self.values), 3):
            if self.values[at] == place:
                return self.values[at + 1], self.values[at + 2]
        return None


@dataclass(slots=True)
class SideRows:
    """The rows of one run, or of one of its variants, as columns."""

    numbers: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    """Checksums of what rows give beside the output; empty texts where they are not known."""
    clusters: list[str] = field(default_factory=list)
    """What rows belong to; empty without clusters."""
    said: dict[str, list[RowVerdict]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Side:
    """One run."""

    label: str
    """What reports call it: its folder or its file."""
    name: str
    version: str
    test_set: str
    data_fingerprint: str
    complete: bool
    meaning: Mapping[str, Mapping[str, str]]
    fields: Mapping[str, tuple[str, ...]]
    """The listed fields of each evaluator, in the order of the suite."""
    cluster: str | None
    rows: Mapping[str | None, SideRows]
    """By variant; under None for a run without variants."""
    row_values: bool = True
    """The rows say how many values of a field are right, where a row has several."""
    measures: tuple[MeasureStats, ...] = ()
    """The measures over the run, or over its variants."""
    labels: tuple[ConfusionMatrix, ...] = ()
    """The label tables of the run, or of its variants."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(name for name in self.rows if name is not None)


def read_run_side(place: Path) -> Side:
    """The run in a run folder.

    Raises Problems (config) when there is none, or its record is damaged or of an earlier version.
    """
    record = read_record(place)
    fields = {one.name: one.fields for one in record.facts.evaluators}
    return side_of(record.result, str(place), {variant: _rows(record, variant) for variant in record.variants}, fields)


def side_of(
    result: RunResult, label: str, rows: Mapping[str | None, SideRows], fields: Mapping[str, tuple[str, ...]]
) -> Side:
    """A run and its rows as one side."""
    return Side(
        label, result.name, result.version, result.test_set, result.data_fingerprint, result.complete, result.meaning,
        {stats.name: fields.get(stats.name, ()) for stats in result.evaluators}, result.cluster, rows,
        measures=result.whole_measures, labels=result.confusion_matrices,
    )  # fmt: skip


def _rows(record: RunRecord, variant: str | None) -> SideRows:
    rows = SideRows(said={one.name: [] for one in record.facts.evaluators})
    columns = list(rows.said.values())
    known: dict[int, RowVerdict] = {}  # verdicts live as long as their table, which the rows share
    for row in record.rows(variant, explained=False):
        rows.numbers.append(row.number)
        rows.ids.append(row.id)
        rows.given.append(row.given)
        if row.cluster is not None:
            rows.clusters.append(row.cluster)
        for column, verdict in zip(columns, row.verdicts, strict=True):
            said = known.get(id(verdict))
            column.append(known.setdefault(id(verdict), _said(verdict)) if said is None else said)
    return rows


def _said(verdict: Verdict) -> RowVerdict:
    standing = verdict.standing.word
    reason = verdict.issue.message if verdict.issue is not None and standing not in SCORED else None
    return RowVerdict(
        standing,
        verdict.value,
        verdict.passed,
        tuple(Status(one).word for one in verdict.statuses),
        reason,
        verdict.values,
    )
