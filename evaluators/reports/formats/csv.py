"""The sums per field as a table for spreadsheets and plots: `field_summary.csv`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Final

from evaluators.reports.csv_cells import write_csv
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.run.result import ArrayStats, EvaluatorStats, FieldStats, RunResult

if TYPE_CHECKING:
    from evaluators.compare.comparison import Difference, RunComparison

HEAD: Final = (
    "variant", "slice_column", "slice_value", "evaluator", "field", "n", "match", "mismatch", "omission",
    "hallucination", "error", "skipped", "not_measured", "not_judged", "accuracy", "precision", "recall", "f1",
    "mean_score", "items_matched", "items_missing", "items_extra", "items_precision", "items_recall", "items_f1",
)  # fmt: skip


COMPARED: Final = (
    "variant", "evaluator", "field", "pairs", "base", "new", "difference", "ci_low", "ci_high", "p_value", "p_value_corrected", "verdict",
    "fixed", "broken", "unpaired", "minimum_detectable_effect", "rank", "lost", "gained", "settled",
)  # fmt: skip


class CsvTable(Format):
    """One line per field of every evaluator, variant and slice."""

    words = ("csv",)

    def render(self, result: RunResult, options: Options) -> str:
        """The table, with exact figures; an undefined one is an empty cell."""
        stream = StringIO(newline="")
        write_csv(stream, (HEAD, *_rows((*result.evaluators, *result.slices))))
        return stream.getvalue()

    def compared(self, comparison: RunComparison) -> str:
        """One line per evaluator and per field, with exact figures; an undefined one is an empty cell."""
        stream = StringIO(newline="")
        differences = (*comparison.evaluators, *comparison.fields)
        write_csv(stream, (COMPARED, *map(_difference_cells, differences), *_ranked_cells(comparison)))
        return stream.getvalue()

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`field_summary.csv`."""
        return {"field_summary.csv": self.render(result, options)}


def _rows(figures: Iterable[EvaluatorStats]) -> Iterable[tuple[str, ...]]:
    for stats in figures:
        column, value = stats.slice or ("", "")
        for field in stats.fields:
            yield stats.variant or "", column.removeprefix("row."), value, stats.name, *_cells(field)


def _cells(field: FieldStats) -> tuple[str, ...]:
    counts = field.counts
    sums = (
        counts.n, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.error,
        counts.skipped, counts.not_measured, counts.not_judged,
    )  # fmt: skip
    figures = (field.accuracy, field.precision, field.recall, field.f1, field.mean_score)
    return field.path, *map(str, sums), *map(_exact, figures), *_item_cells(field.array)


def _item_cells(array: ArrayStats | None) -> tuple[str, ...]:
    if array is None:
        return ("",) * 6
    counts = (array.matched, array.missing, array.extra)
    return *map(str, counts), *map(_exact, (array.precision, array.recall, array.f1))


def _difference_cells(one: Difference) -> tuple[str, ...]:
    low, high = (one.ci.low, one.ci.high) if one.ci else (None, None)
    exact = (one.base, one.new, one.difference, low, high, one.p_value, one.p_value_corrected)
    counts = (one.fixed, one.broken, one.unpaired)
    return (
        one.variant or "", one.evaluator, one.field or "", str(one.pairs), *map(_exact, exact), one.verdict,
        *map(str, counts), _exact(one.minimum_detectable_effect), "", str(one.lost), str(one.gained), str(one.settled),
    )  # fmt: skip


def _ranked_cells(comparison: RunComparison) -> Iterable[tuple[str, ...]]:
    for ranking in comparison.rankings:
        for one in ranking.variants:
            low, high = (one.ci.low, one.ci.high) if one.ci else (None, None)
            figures = map(_exact, (None, one.mean, None, low, high, None, None))
            yield (
                one.variant,
                ranking.evaluator,
                "",
                str(ranking.rows),
                *figures,
                "",
                "",
                "",
                "",
                "",
                str(one.rank),
                "",
                "",
                "",
            )
        for aside in ranking.unranked:
            yield (
                aside.variant,
                ranking.evaluator,
                "",
                str(aside.others - aside.lacking),
                *[""] * 7,
                "not ranked",
                *[""] * 8,
            )


def _exact(figure: float | None) -> str:
    return "" if figure is None else repr(figure)
