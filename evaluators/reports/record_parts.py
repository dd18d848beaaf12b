"""The record of a run as the parts that reports of outcomes are made from: one for each schema evaluator and variant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from evaluators.issues import CellError
from evaluators.model import MISSING, RowStatus
from evaluators.reports.recorded import document_of
from evaluators.run.reader import RecordedRow, Run
from evaluators.run.record_lines import Recorded
from evaluators.run.result import EvaluatorStats


class ReportPart(Struct, frozen=True):
    """What one evaluator says of one variant: its figures, and its rows as often as somebody asks for them."""

    record: Run
    place: int
    """The evaluator's place in the record."""
    variant: str | None
    stats: EvaluatorStats
    label: tuple[str, ...]
    """What tells it from the other parts of the run, for names of files."""

    def file(self, name: str) -> str:
        """The name of a file that each part has for itself: `fields.csv`, or `fields.gpt.csv`."""
        stem, dot, suffix = name.rpartition(".")
        return ".".join((stem, *self.label)) + dot + suffix

    def rows(self) -> Iterator[tuple[RecordedRow, Recorded | None]]:
        """The rows, each with what its documents came to; None where there was nothing to compare: a bad expected answer, a row that
        was left out."""
        for row in self.record.each_row(self.variant):
            found, status = row.recorded.get(self.stats.name), row.verdicts[self.place].status
            compared = found is not None and status not in _LEFT_OUT and (found.fields or found.schema)
            yield row, found if compared else None

    def document(self, row: RecordedRow, how: Literal["expected", "output"]) -> object:
        """The expected document of a row, or its output; MISSING where there is none."""
        reading = next((each for each in self.record.facts.evaluators[self.place].readings if each.how == how), None)
        value = document_of(reading, row.cells) if reading is not None and row.cells is not None else MISSING
        return MISSING if isinstance(value, CellError) else value

    @property
    def outcomes(self) -> int:
        """How many outcomes there are, arrays apart."""
        counts = self.stats.counts
        return counts.n + counts.not_judged if counts else 0

    @property
    def wrong(self) -> int:
        """How many of them are wrong."""
        return self.outcomes - (self.stats.counts.match if self.stats.counts else 0)


_LEFT_OUT: Final = (RowStatus.BLOCKED, RowStatus.SKIPPED)


def parts_of(record: Run) -> list[ReportPart]:
    """What each evaluator with a schema says of each variant."""
    listed = [(place, one.name) for place, one in enumerate(record.facts.evaluators) if one.by_schema]
    stats = {(each.name, each.variant): each for each in record.result.evaluators}
    return [
        ReportPart(
            record, place, variant, stats[name, variant],
            (*([name] if len(listed) > 1 else []), *([variant] if variant is not None else [])),
        )
        for variant in record.each_variant
        for place, name in listed
    ]  # fmt: skip
