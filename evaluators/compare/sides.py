"""One side of a comparison: a run, or one of its variants, with its rows in memory as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from evaluators.model import Result
from evaluators.run.record import RunRecord
from evaluators.run.result import RunResult

Said: TypeAlias = Result | None
"""What a run says of a row; None where it does not have the row."""


class SideRows(Struct):
    """The rows of one run, or of one of its variants, as columns."""

    numbers: list[int] = []
    ids: list[str] = []
    given: list[str] = []
    """Checksums of what rows give beside the output; empty texts where they are not known."""
    clusters: list[str] = []
    """What rows belong to; empty without clusters."""
    said: Mapping[str, list[Result]] = {}


class Side(Struct, frozen=True):
    """One run."""

    label: str
    """What reports call it: its folder or its file."""
    result: RunResult
    fields: Mapping[str, tuple[str, ...]]
    """The listed fields of each evaluator, in the order of the suite."""
    rows: Mapping[str | None, SideRows]
    """By variant; under None for a run without variants."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(name for name in self.rows if name is not None)


def side_of(run: RunRecord, label: str) -> Side:
    """A run with its rows. Raises Problems (config) where its files are damaged."""
    fields = {one.name: one.fields for one in run.facts.evaluators}
    names = dict.fromkeys(stats.name for stats in run.result.evaluators)
    rows = {variant: _rows(run, variant) for variant in run.variants}
    return Side(label, run.result, {name: fields[name] for name in names}, rows)


def _rows(run: RunRecord, variant: str | None) -> SideRows:
    verdicts = run.verdicts(variant)
    lines = list(run.row_lines(variant, verdicts))
    codes = zip(*(line.codes for line in lines), strict=True) if lines else [()] * len(verdicts)
    names = [one.name for one in run.facts.evaluators]
    return SideRows(
        [line.row for line in lines],
        [line.id for line in lines],
        [line.checksum or "" for line in lines],
        [line.cluster for line in lines if line.cluster is not None],
        {name: [known[code] for code in column] for name, known, column in zip(names, verdicts, codes, strict=True)},
    )
