"""What became of every field of a row, as fields.csv, report.json and the tables of outcomes list it: one outcome per unit and
metric, and one per array. A run has a part for each schema evaluator and variant.

An array's outcome stands before those of its items. Its score is the share of expected items that match; precision and F1
stand beside it. *Entries* are the outcomes that the overall score, the field score and the overall pass rate are over: what stands
outside of arrays, and each outermost array as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from evaluators.fields.counts import MEASURED
from evaluators.fields.frame import places_above
from evaluators.fields.scored import ListOutcome, Scored
from evaluators.issues import CellError
from evaluators.model import MISSING, FieldStatus, Outcome, RowStatus
from evaluators.reports.documents import document_of
from evaluators.reports.headline import Options
from evaluators.run.metrics import counted
from evaluators.run.reader import RecordedRow, Run
from evaluators.run.record_lines import Recorded
from evaluators.run.result import EvaluatorStats

LISTED: Final = MEASURED | {FieldStatus.NOT_JUDGED}
COMPARED: Final = ("compared_expected", "compared_actual")


Listed: TypeAlias = tuple[Outcome, ListOutcome | None, bool]
"""An outcome, the list of which it says how many items are right, and whether it is an entry."""


def outcomes_of(scored: Scored) -> Iterator[Listed]:
    """The outcomes of one row, in the order of the document."""
    arrays = {array.path: array for array in scored.arrays}
    told: set[str] = set()
    for result in scored.fields:
        if result.status not in LISTED:
            continue
        inside = False
        for place in places_above(result.path):
            array = arrays.get(place)
            if array is None or not array.says(result):
                continue
            if array.comparator is not None:
                status = result.status if result.passed is array.passed else _status_of(array)
                yield replace(result, status=status, score=float(array.score)), array, not inside
            elif place not in told:
                told.add(place)
                yield _of_array(array), array, not inside
            inside = True
        own = arrays.get(result.path)
        if own is not None and own.says(result) and (own.alike or own.comparator is not None):
            continue  # the array says it
        yield result, None, not inside and not result.details.get("outside")


def failed_of(scored: Scored) -> Iterator[Outcome]:
    """What is wrong in one row, each thing once.

    An array of which one side has nothing is said as a whole, and any other by what is wrong in its items.
    """
    whole: set[str] = set()
    for outcome, array, _ in outcomes_of(scored):
        if outcome.passed or any(place in whole for place in places_above(outcome.path)):
            continue
        if array is None or array.comparator is not None:
            yield outcome
        elif outcome.code not in ("match", "mismatch"):
            whole.add(outcome.path)
            yield outcome


def entries_of(outcomes: Iterable[Listed]) -> list[Outcome]:
    """The outcomes that the totals are over."""
    return [one for one, _, entry in outcomes if entry and one.status is not FieldStatus.NOT_JUDGED]


def full_path(path: str) -> str:
    """The path as JSONPath spells it. An item that only the output has is `[+2]`, which JSONPath cannot say."""
    return path if path == "$" else f"${'' if path.startswith('[') else '.'}{path}"


def array_items(array: ListOutcome) -> tuple[list[object], list[object], list[object]]:
    """The items of an array: the expected ones that match, the expected ones that do not, and the output's that do not.

    Items in which nothing was measured are none of them."""
    expected = array.expected if isinstance(array.expected, list) else []
    output = array.actual if isinstance(array.actual, list) else []
    kept, used = {row for row, _ in array.pairs}, {column for _, column in array.pairs}
    rows, columns = (range(len(side)) for side in (expected, output))
    aside = array.unmeasured or ((), ())
    missing = [row for row in rows if row not in kept and row not in aside[0]]
    extra = [column for column in columns if column not in used and column not in aside[1]]
    return (
        [item for row, item in enumerate(expected) if row in kept],
        [expected[row] for row in missing],
        [output[column] for column in extra],
    )


def _of_array(array: ListOutcome) -> Outcome:
    """What is said of a list whose items are compared."""
    whole = array.matched + array.missing
    found = f"{array.matched} of {counted(whole, 'expected item')} right" if whole else "no items are expected"
    if array.actual is MISSING:
        found = "the output does not have the list"
    return Outcome(
        array.path, _status_of(array), float(array.score), field=array.field, reason="; ".join((found, *array.notes)),
        expected=array.expected, actual=array.actual, details={"metric": array.align, "code": array.code},
    )  # fmt: skip


def _status_of(array: ListOutcome) -> FieldStatus:
    """A list of which one side has nothing is missing or extra, as its items are."""
    if array.passed:
        return FieldStatus.MATCH
    if array.missing and array.code.startswith("extracted_"):
        return FieldStatus.OMISSION
    return FieldStatus.HALLUCINATION if array.extra and array.code.startswith("gold_") else FieldStatus.MISMATCH


class ReportPart(Struct, frozen=True):
    """What one evaluator says of one variant: its metrics, and its rows as often as somebody asks for them."""

    record: Run
    place: int
    """The evaluator's place in the record."""
    variant: str | None
    stats: EvaluatorStats
    label: tuple[str, ...]
    """What tells it from the other parts of the run, for names of files."""

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


def part_of(record: Run, options: Options) -> ReportPart:
    """The part of a run that a file is about."""
    wanted = options.evaluator, options.variant
    return next(part for part in parts_of(record) if (part.stats.name, part.variant) == wanted)
