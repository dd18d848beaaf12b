"""A run as a program looks at it: metrics, rows, reasons and tables, whatever it was given as rows.

The metrics are those of the result; rows and reasons come from what the one pass recorded, in the run folder or, where none was asked
for, in a temporary one that goes away with the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from weakref import finalize

from evaluators.api.score_columns import columns_of, overall_of, verdict_columns
from evaluators.model.issues import Issue, problem
from evaluators.model.result_table import Kind, ResultTable
from evaluators.model.rows import MISSING, Result
from evaluators.reports.headline import headline
from evaluators.runs import reader
from evaluators.runs.metrics import full_name, rows_text, score_text
from evaluators.runs.result import EvaluatorStats, GateResult, RunResult
from evaluators.scoring.plan.graph import EvaluatorLine

if TYPE_CHECKING:
    from evaluators.api.shown_page import ShownPage
    from evaluators.reports.rows import RowView

_LISTED: Final = 5
_WRONG: Final = ("mismatch", "omission", "hallucination", "error")
_FAILURE_COLUMNS: Final[dict[str, Kind]] = {
    "row": "count", "id": "text", "evaluator": "text", "path": "text", "status": "text", "expected": "value",
    "output": "value", "reason": "text",
}  # fmt: skip


_NAMES: Final = (
    "advice", "causes", "complete", "confidence", "confusion_matrices", "evaluators", "exit_code", "failures", "fields", "folder",
    "gates", "issues", "judges", "measures", "n_rows", "name", "notes", "passed", "repeats", "report", "rows", "show", "slices",
    "table", "test_set", "to_arrow", "to_pandas", "variants", "warnings",
)  # fmt: skip
"""What completion offers: what a reader of a run looks for. The other figures of `RunResult` are there all the same."""


class Run(reader.Run):
    """A finished run. `run["header"]` has the metrics of an evaluator; what is not named here is as in `RunResult`.

    A run that `evaluate` or `Suite.run` gave; `Run(place)` reads the one in a run folder.
    """

    _index: Any = None

    @classmethod
    def from_result(
        cls,
        result: RunResult,
        recorded: reader.Run | None,
        lines: Sequence[EvaluatorLine],
        index: Any,
        let_go: Callable[[], None] | None,
    ) -> Self:
        """The run that was just scored, with what it recorded where that is on this machine.

        `lines` are the evaluators of the suite. `index` is that of the data frame that was given, or None; `let_go` is called when this run
        is not used any more. Without a record, whatever needs rows raises Problems.
        """
        hint = "its folder went to a store; fetch it from there"
        elsewhere = problem("no-record", "the rows of this run are not on this machine", where=result.folder, hint=hint)
        run = cls.of(Path(), result, elsewhere)
        if recorded is not None:
            run.__dict__.update({**recorded.__dict__, "result": result})
        run._evaluator_lines, run._index = tuple(lines), index
        if let_go is not None:
            finalize(run, let_go)
        return run

    @cached_property
    def _evaluator_lines(self) -> tuple[EvaluatorLine, ...]:
        """The evaluators of the suite that the run folder holds. Raises Problems where it cannot be read."""
        from evaluators.api.finished_run import recorded_suite  # a run that was just scored has its evaluators

        return recorded_suite(self).lines

    @property
    def passed(self) -> bool:
        """Whether no gate failed and everything was measured: the exit code of the command would be 0."""
        return self.result.exit_code == 0

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.result.rows

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.result.name

    @property
    def evaluators(self) -> tuple[EvaluatorStats, ...]:
        """The metrics of each evaluator, and of each variant."""
        return self.result.evaluators

    @property
    def gates(self) -> tuple[GateResult, ...]:
        """The results of the gates."""
        return self.result.gates

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The problems that kept something from being measured: the first few of each kind, in row order."""
        return self.result.issues

    @property
    def exit_code(self) -> int:
        """The exit code of `evaluators run` for this run."""
        return self.result.exit_code

    @property
    def folder(self) -> str | None:
        """The run folder that was asked for."""
        return self.result.folder

    def __getitem__(self, evaluator: str) -> EvaluatorStats:
        return self.result[evaluator]

    def __getattr__(self, name: str) -> Any:
        """Any other attribute is that of the result."""
        if name.startswith("_") or name == "result":
            raise AttributeError(name)
        return getattr(self.result, name)

    def __dir__(self) -> list[str]:
        return sorted({*_NAMES, *(name for name in super().__dir__() if name.startswith("_"))})

    def __eq__(self, other: object) -> bool:
        return self.result == (other.result if isinstance(other, Run) else other)

    __hash__ = None  # type: ignore[assignment]  # equal by its metrics, which hold dicts: no key of one

    @cached_property
    def rows(self) -> ResultTable:
        """The rows: `row` (its number), `id`, with variants `variant`, and then the columns of `to_pandas`."""
        return self._table(None, True)

    def _table(self, overall: str | None, fields: bool) -> ResultTable:
        """The rows as a table: number, id and variant, then the columns of each evaluator and of the overall score, which is that of the
        evaluator `overall` where one is named. Fields have columns only with `fields`."""
        kinds: dict[str, Kind] = {"row": "count", "id": "text", **self._variant_column}
        *about, verdicts = list(zip(*self._row_facts, strict=True)) or [()] * 4
        by_evaluator = list(zip(*verdicts, strict=True)) or [()] * len(self._evaluator_lines)
        columns = verdict_columns(self._evaluator_lines, by_evaluator, overall_of(self._evaluator_lines, overall), fields)
        own = [list(column) for column in about[: len(kinds)]]
        return ResultTable({**kinds, **columns_of(self._evaluator_lines, fields)}, columns=[*own, *columns])

    @property
    def _variant_column(self) -> dict[str, Kind]:
        """The column `variant` of tables; empty for a run without variants."""
        return {"variant": "text"} if self.result.variants else {}

    def to_arrow(self) -> Any:
        """A `pyarrow.Table` of the rows: `row`, `id`, with variants `variant`, and then the columns of `to_pandas`."""
        return self.rows.to_arrow()

    def to_pandas(self, *, overall: str | None = None, fields: bool = True) -> Any:
        """A `pandas.DataFrame` of the rows.

        For each evaluator it has `NAME.score`, `NAME.passed`, `NAME.status` and `NAME.error`, and for each field that the evaluator
        lists `NAME.FIELD` (its status) and `NAME.FIELD.score`; then the same four for the overall score, and with variants
        `variant`. The index is that of the data frame that was given; else the ids of the rows, or their numbers. `overall` names the
        evaluator whose score is the overall one; without `fields` the columns of fields are left out.
        """
        rows = self.rows if overall is None and fields else self._table(overall, fields)
        frame = rows.to_pandas(self._frame_index())
        return frame.drop(columns=[name for name in ("row", "id") if name in frame])

    @cached_property
    def fields(self) -> ResultTable:
        """The fields of all evaluators with their metrics, as `field_summary.csv` has them: `evaluator`, `path`, `n` (how often it was
        measured), `match`, `accuracy` and so on; with variants `variant`."""
        from evaluators.runs.metric_table import FIELD_METRICS

        leading_columns: dict[str, Kind] = {**self._variant_column, "evaluator": "text", "path": "text"}
        rows = [
            [
                *([stats.variant] if self.result.variants else ()),
                stats.name,
                field.path,
                *(metric.value(field) for metric in FIELD_METRICS),
            ]
            for stats in self.result.evaluators
            for field in stats.fields
        ]
        return ResultTable({**leading_columns, **{metric.name: metric.kind for metric in FIELD_METRICS}}, rows)

    def table(self, name: str) -> ResultTable:
        """A table of figures: `repeats.groups`, `repeats.passes`, `repeats.flips`, `confidence.bins`, `confidence.accept`, `labels` or
        `measures`. The reference page "Tables" says what their columns hold. Raises Problems for another name."""
        from evaluators.reports.data_tables import table_called  # who asks for metrics alone starts sooner

        return table_called(name).of(self)

    def report(self, *files: str | Path) -> list[str]:
        """Writes the run to files, as their endings say: `.html`, `.md`, `.csv` and whatever else `evaluators report -o` takes. Gives their
        places.

        Raises Problems: (config) for an ending without a format, a file that would be written over, and what the run did not record;
        (environment) where something cannot be written.
        """
        from evaluators.api.finished_run import write_report

        return write_report(self._record_folder, [str(file) for file in files])

    def show(self) -> ShownPage:
        """The page of the run, which a notebook shows in a frame. Raises Problems where the run has no record on this machine."""
        from evaluators.api.shown_page import shown_report

        return shown_report(self._record_folder)

    def advice(self) -> ShownPage:
        """All suggestions for the suite, each with what it would turn. Raises Problems (config) where the suite cannot be read again."""
        from evaluators.api.finished_run import advice_page
        from evaluators.api.shown_page import page_to_show

        return page_to_show(advice_page(self._record_folder))

    def failures(self, count: int | None = None) -> ResultTable:
        """What is wrong, row by row, and all that was recorded of it without a `count`: `row`, `id`, `evaluator`, `path` (None for the
        row as a whole), `status`, `expected`, `output`, `reason`; with variants `variant`."""
        variants = self._variant_column
        failed_lines = [line if variants else line[1:] for line in islice(self._failures(), count)]
        return ResultTable({**variants, **_FAILURE_COLUMNS}, failed_lines)

    @property
    def _record_folder(self) -> Path:
        """The folder with what the run recorded. Raises Problems where that is not on this machine."""
        _ = self.facts
        return self.place

    def _failures(self) -> Iterator[list[Any]]:
        """Yields the lines of `failures`: variant, row, id, evaluator, field, status, expected, output, reason.

        There is one for each wrong field of a row that failed; one for the row as a whole where no field is wrong, or where it could
        not be measured.
        """
        from evaluators.reports.rows import row_views  # who asks for metrics alone starts sooner

        for row in row_views(self):
            for result in row.evaluators:
                id_ = row.id or None if "id" in self.result.columns else None
                leading_cells = [row.variant, row.number, id_, result.evaluator]
                if result.issue is not None and result.status.kept_out:
                    yield [*leading_cells, None, result.status.word, None, None, result.issue.message]
                elif result.passed is False:
                    wrong = [field for field in result.fields if field.status.word in _WRONG]
                    for field in wrong:
                        yield [
                            *leading_cells, field.path, field.status.word, _or_none(field.expected), _or_none(field.actual), field.reason,
                        ]  # fmt: skip
                    if not wrong:
                        word = result.status.word
                        yield [
                            *leading_cells,
                            None,
                            "failed" if word == "scored" else word,
                            *self._whole_cells(row),
                            result.reason,
                        ]

    def _whole_cells(self, row: RowView) -> list[Any]:
        """The cells of a row with the expected answer and the output."""
        cells, columns = row.cells or {}, self.result.columns
        return [cells.get(columns.get(role, role)) for role in ("expected", "output")]

    @cached_property
    def _row_facts(self) -> list[tuple[int, str | None, str | None, Sequence[Result]]]:
        """(number, id, variant, verdicts) of every row, in order; the id is None where there is none."""
        named = "id" in self.result.columns
        return [
            (row.number, row.id or None if named else None, variant, row.verdicts)
            for variant in self.each_variant
            for row in self.each_row(variant, explained=False)
        ]

    def _frame_index(self) -> Any:
        """The index of a DataFrame of the rows: that of the DataFrame which was scored; or the ids, where every row has one; or else the
        numbers of the rows."""
        import pandas

        numbers, ids = [row[0] for row in self._row_facts], [row[1] for row in self._row_facts]
        if self._index is not None:
            return self._index.take([number - 1 for number in numbers])
        named = bool(ids) and all(id_ is not None for id_ in ids)
        return pandas.Index(ids, name="id") if named else pandas.Index(numbers, name="row")

    def __repr__(self) -> str:
        """A few lines for a Python prompt: the first sentence of its pages, the first evaluators with mean and pass rate, and the first
        causes of the exit code, each cut to 160 characters."""
        lines = [self._head_line(), *self._verdict_sentences()[:1]]
        means = self.result.evaluators
        width = max([len(full_name(stats)) for stats in means[:_LISTED]], default=0)
        for stats in means[:_LISTED]:
            lines.append(
                f"  {full_name(stats):{width}}  mean score {score_text(stats.mean)}, pass rate {score_text(stats.pass_rate)}, "
                f"{stats.scored:,} of {rows_text(stats.rows)} scored"
            )
        if len(means) > _LISTED:
            lines.append(f"  and {len(means) - _LISTED} more")
        lines += [f"  {cause}" for cause in self.result.causes[:3]]
        if len(self.result.causes) > 3:
            lines.append(f"  and {len(self.result.causes) - 3} more")
        return "\n".join(
            line if len(line) <= 160 else f"{line[:159]}…" for line in (each.split("\n")[0] for each in lines)
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence that pages begin with, a table of the evaluators, and the first causes of the exit code."""
        from html import escape

        kinds: dict[str, Kind] = {
            "evaluator": "text", "mean score": "score", "pass rate": "text", "scored": "count", "rows": "count",
        }  # fmt: skip
        means = self.result.evaluators
        table = ResultTable(
            kinds,
            [[full_name(stats), stats.mean, score_text(stats.pass_rate), stats.scored, stats.rows] for stats in means],
        )
        causes = "".join(f"<li>{escape(cause)}</li>" for cause in self.result.causes[:5])
        verdict = "".join(f"<p>{escape(sentence)}</p>" for sentence in self._verdict_sentences())
        return f"<p><b>{escape(self._head_line())}</b></p>{verdict}{table._repr_html_()}{f'<ul>{causes}</ul>' if causes else ''}"

    def _verdict_sentences(self) -> list[str]:
        """The sentences with which the pages of the run begin."""
        from evaluators.reports.sections.verdict import verdict_lines  # who prints no run starts sooner

        return list(verdict_lines(self.result))

    def _head_line(self) -> str:
        """The line that begins all texts about the run: its name, how it ended, and its rows."""
        code, end = self.result.exit_code, headline(self.result).partition(";")[0]
        text = f"{end} (exit code {code})" if code else end
        return f"{self.result.name}: {text}, {rows_text(self.result.rows)} of {self.result.test_set}"


def _or_none(value: object) -> Any:
    """The value; None where it is not there."""
    return None if value is MISSING else value
