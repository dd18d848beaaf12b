"""Tables of figures for spreadsheets and programs, each declared once: what a CSV file, a data frame and the reference have of it.

A column is called like the key in `run.json`; an interval has two, which end in `_low` and `_high`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.issues import problem
from evaluators.model.registry import suggestion
from evaluators.model.result_table import Kind, ResultTable
from evaluators.runs.intervals import wilson
from evaluators.runs.metric_table import FLIP_METRICS, LABEL_METRICS, MEASURE_METRICS, PASS_METRICS, Metric
from evaluators.runs.reader import Run
from evaluators.runs.repeats import Attempts

Line: TypeAlias = Mapping[str, Any]


class DataTable(Struct, frozen=True):
    """A table: its name, what a line is about, and its columns, each with what it holds."""

    name: str
    says: str
    columns: Mapping[str, tuple[Kind, str]]
    lines: Callable[[Run], Iterable[Line]]

    @property
    def label(self) -> tuple[str, ...]:
        """The suffix of its file's name among the tables of its format: `groups` of `repeats.groups`; empty for a single table."""
        return tuple(self.name.split(".")[1:])

    def rows(self, run: Run) -> Iterator[list[Any]]:
        """The cells of each line, in the order of the columns; None where there is nothing."""
        return ([line[name] for name in self.columns] for line in self.lines(run))

    def of(self, run: Run) -> ResultTable:
        """The table of a run, with the kind of each column; its rows are made as they are read."""
        return ResultTable({name: kind for name, (kind, _) in self.columns.items()}, self.rows(run))


def table_called(name: str) -> DataTable:
    """The table of that name. Raises Problems (config) where there is none."""
    if name in TABLES:
        return TABLES[name]
    hint = suggestion(name, TABLES) or f"known: {', '.join(TABLES)}"
    raise problem("unknown-table", f'there is no table "{name}"', hint=hint)


def _flat(item: Struct, **beside: Any) -> Line:
    """The members of a struct as a line, after the cells `beside` them. An interval, whose name ends in `ci`, is two numbers, `_low` and
    `_high`, both None where there is none."""
    columns = dict(beside)
    for name in item.__struct_fields__:
        value = getattr(item, name)
        if name.endswith("ci"):
            columns[f"{name}_low"], columns[f"{name}_high"] = (
                (value.low, value.high) if value is not None else (None, None)
            )
        else:
            columns[name] = value
    return columns


def _groups(run: Run) -> Iterator[Line]:
    """A line for each group of rows, by variant and evaluator: its attempts, how many passed, and how many could not be measured.

    `share` and its interval are None where a row of the group could not be measured.
    """
    for variant in run.each_variant:
        verdicts = run.verdicts(variant)
        groups: list[dict[str, Attempts]] = [{} for _ in verdicts]
        for line in run.row_lines(variant, verdicts):
            for attempts, known, code in zip(groups, verdicts, line.codes, strict=True):
                status = known[code].status
                if (name := line.cluster or "").strip() and (status.scored or status.kept_out):
                    attempts.setdefault(name, Attempts()).add(known[code], 1)
        for evaluator, of_evaluator in zip(run.facts.evaluators, groups, strict=True):
            for group, each in of_evaluator.items():
                ci = wilson(each.passed, each.scored) if each.is_complete else None
                yield {
                    "variant": variant, "evaluator": evaluator.name, "group": group, "attempts": each.scored,
                    "passed": each.passed, "share": each.passed / each.scored if each.is_complete else None,
                    "ci_low": ci.low if ci else None, "ci_high": ci.high if ci else None,
                    "kept_out": each.kept_out,
                }  # fmt: skip


def _labels(run: Run) -> Iterator[Line]:
    """A line for each label of each confusion matrix, and then one for each average over labels."""
    for matrix in run.result.confusion_matrices:
        for average, every in ((False, matrix.labels), (True, matrix.averages)):
            for table in every:
                yield _flat(table, variant=matrix.variant, evaluator=matrix.evaluator, average=average)


def _measures(run: Run) -> Iterator[Line]:
    """A line for each measure of all rows or of a slice, with the column and the value of the slice."""
    for measure in run.result.measures:
        column, value = measure.slice or (None, None)
        yield {**_flat(measure), "measure": measure.name, "slice_column": column, "slice_value": value}


def _repeat_lines(name: str, run: Run) -> Iterator[Line]:
    """The lines of a run for one list of its repeats: `name` is the attribute, `passes` or `fields`."""
    for repeat in run.result.repeats:
        for each in getattr(repeat, name):
            yield _flat(each, variant=repeat.variant, evaluator=repeat.evaluator)


def _confidence_lines(name: str, run: Run) -> Iterator[Line]:
    """The lines of a run for one list of its confidences: `name` is the attribute, `bins` or `accept`.

    In a line of `accept`, `chosen` is true where its threshold is the chosen one; the table of bins does not show that member.
    """
    for confidence in run.result.confidence:
        rows = confidence.n + confidence.missing + confidence.unusable
        about = {key: getattr(confidence, key) for key in ("variant", "evaluator", "field", "source")}
        for each in getattr(confidence, name):
            chosen = getattr(each, "threshold", None) == confidence.threshold
            yield _flat(each, **about, rows=rows, chosen=chosen)


_ABOUT: Final[dict[str, tuple[Kind, str]]] = {
    "variant": ("text", "the variant, where there are several"), "evaluator": ("text", "the evaluator"),
}  # fmt: skip
_OF_FIELD: Final[dict[str, tuple[Kind, str]]] = {
    **_ABOUT, "field": ("text", "the field whose confidence it is; empty for that of the row"),
    "source": ("text", "where the confidence stands"),
}  # fmt: skip


def _ci(what: str, name: str = "ci", kind: Kind = "score") -> dict[str, tuple[Kind, str]]:
    """The two columns of an interval, lower and upper end: for each name its kind and its meaning."""
    return {
        f"{name}_low": (kind, f"the lower end of the 95 % CI of {what}"),
        f"{name}_high": (kind, "its upper end"),
    }


def _metric_columns(metrics: Iterable[Metric]) -> dict[str, tuple[Kind, str]]:
    """The columns of metrics, each followed by its interval."""
    columns: dict[str, tuple[Kind, str]] = {}
    for metric in metrics:
        meaning = metric.meaning.removesuffix(".") or metric.word
        columns[metric.name] = metric.kind, meaning[0].lower() + meaning[1:]
        if metric.ci:
            columns |= _ci(f"the {metric.word}" if metric.word.isalpha() else metric.word, metric.ci, metric.kind)
    return columns


REPEATS: Final = (
    DataTable(
        "repeats.groups",
        "A line for each group of outputs of one question and each evaluator, in the order of the test set.",
        {
            **_ABOUT, "group": ("text", "the cell that the outputs have in common"), "attempts": ("count", "outputs that were scored"),
            "passed": ("count", "those that pass"), "share": ("score", "passed / attempts; empty where a row could not be measured"),
            **_ci("the share"), "kept_out": ("count", "rows that could not be measured"),
        },
        _groups,
    ),
    DataTable(
        "repeats.passes",
        "A line for each k and each evaluator.",
        {
            **_ABOUT, "k": ("count", "how many outputs of a question"), **_metric_columns(PASS_METRICS),
        },
        partial(_repeat_lines, "passes"),
    ),
    DataTable(
        "repeats.flips",
        "A line for each field that is right in one output of a question and wrong in another, the most frequent first.",
        {
            **_ABOUT, "path": ("text", "the field"), **_metric_columns(FLIP_METRICS),
        },
        partial(_repeat_lines, "fields"),
    ),
)  # fmt: skip
CONFIDENCE: Final = (
    DataTable(
        "confidence.bins",
        "A line for each tenth from 0 to 1 in which there is a confidence: the reliability table.",
        {
            **_OF_FIELD, "low": ("score", "the lower end of the bin"), "high": ("score", "its upper end, which only the last bin includes"),
            "n": ("count", "rows with such a confidence"), "right": ("count", "those that are right"),
            "confidence": ("score", "their mean confidence"), "accuracy": ("score", "right / n"), **_ci("the accuracy"),
        },
        partial(_confidence_lines, "bins"),
    ),
    DataTable(
        "confidence.accept",
        "A line for each confidence from which on rows may be accepted.",
        {
            **_OF_FIELD, "threshold": ("score", "the least confidence that is accepted"), "accepted": ("count", "rows with at least that"),
            "rows": ("count", "all rows with a label, those without a usable confidence included"),
            "share": ("score", "accepted / rows"), "errors": ("count", "the accepted rows that are wrong"),
            "error_rate": ("score", "errors / accepted"), **_ci("the error rate"),
            "chosen": ("passed", "whether this is the smallest threshold that `max_errors` allows, surely"),
        },
        partial(_confidence_lines, "accept"),
    ),
)  # fmt: skip
LABELS: Final = (
    DataTable(
        "labels",
        "A line for each label of each evaluator that has labels, then for each average over them.",
        {
            **_ABOUT, "label": ("text", "the label; of an average: `macro`, `micro` or `weighted`"),
            "average": ("passed", "whether it is an average over the labels"), **_metric_columns(LABEL_METRICS),
        },
        _labels,
    ),
)  # fmt: skip
MEASURES: Final = (
    DataTable(
        "measures",
        "A line for each measure, then for each measure in each slice.",
        {
            "variant": _ABOUT["variant"], "slice_column": ("text", "the column of the slice; empty for all rows"),
            "slice_value": ("text", "the cell that the rows of the slice have"), "measure": ("text", "the measure"),
            **_metric_columns(MEASURE_METRICS),
        },
        _measures,
    ),
)  # fmt: skip
TABLES: Final = {table.name: table for table in (*REPEATS, *CONFIDENCE, *LABELS, *MEASURES)}
