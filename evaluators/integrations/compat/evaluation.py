"""What `evaluate` found, in the words of struct-extract-eval: a run of `schema_match`, row by row and field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from shutil import copytree
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.run_object import Run
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.rows import FieldStatus, Outcome, Result, RowStatus
from evaluators.reports.conclusions import GAPS
from evaluators.reports.document import Item, Listing, Page, Paragraph, Section
from evaluators.reports.format import FORMATS
from evaluators.reports.headline import Options
from evaluators.reports.outcomes import COMPARED, entries_of, evaluators_by_schema, outcomes_of, rows_by_schema
from evaluators.reports.report_files import folder_names, write_folder_files
from evaluators.reports.schema_sections import evaluation_sections, failed_section
from evaluators.reports.text import page_text
from evaluators.runs.metrics import rows_text
from evaluators.runs.record_lines import Recorded
from evaluators.runs.result import ArrayStats, Counts, EvaluatorStats, FieldStats
from evaluators.runs.run_folder import RunFolder
from evaluators.runs.store import open_text
from evaluators.scoring.fields.outcomes import ListOutcome
from evaluators.scoring.fields.row_metrics import METRICS
from evaluators.scoring.fields.wording import OURS

_WRITTEN = ("csv", "field_sums", "markdown", "report", "fields")


class Record(Struct, frozen=True):
    """One row: its results in the order of the document, and its metrics. What is undefined is None."""

    record_id: str | int
    status: RowStatus
    """Whether the row was scored, and why not where it was not."""
    problem: str | None
    field_results: tuple[Outcome, ...]
    arrays: tuple[ListOutcome, ...]
    outside: tuple[str, ...]
    """Places that the expected side has and the schema lacks; they are not scored."""
    precision: float | None
    recall: float | None
    f1: float | None
    mean_score: float | None
    overall_score: float | None
    field_score: float | None
    overall_pass_rate: float | None


class FieldMetrics(Struct, frozen=True):
    """One field of the schema over all rows. What is undefined is None."""

    path: str
    stats: FieldStats
    _evaluation: Evaluation

    @property
    def mean_score(self) -> float | None:
        """The mean of the field's scores, partial credit included; omissions and hallucinations are 0."""
        return self.stats.score

    @property
    def matches(self) -> int:
        """How many values of the field were right."""
        return self.stats.counts.match

    @property
    def mismatches(self) -> int:
        """How many values of the field were wrong; a value of the output that broke the comparison is wrong too."""
        return self.stats.counts.mismatch + self.stats.counts.error

    @property
    def omissions(self) -> int:
        """How many values of the field only the expected side had."""
        return self.stats.counts.omission

    @property
    def hallucinations(self) -> int:
        """How many values of the field only the output had."""
        return self.stats.counts.hallucination

    @property
    def precision(self) -> float | None:
        """The share of right values among those that the outputs have for the field."""
        return self.stats.precision

    @property
    def recall(self) -> float | None:
        """The share of right values among those that are expected for the field."""
        return self.stats.recall

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return self.stats.f1

    @property
    def array(self) -> ArrayStats | None:
        """How the items of a list were paired; None where the field is no list."""
        return self.stats.array

    @property
    def instances(self) -> Sequence[tuple[str | int, Outcome]]:
        """Every result of the field, each with the id of its row."""
        return self._evaluation.instances.get(self.path, ())


class MetricResult(Struct, frozen=True):
    """The result of one metric at one place of a document. `details` has what the comparator said beside its answer, too."""

    score: float | None
    passed: bool
    details: Mapping[str, Any]


class Evaluation(Struct, frozen=True, dict=True):
    """The metrics of some rows. What is undefined is None."""

    run: Run
    """The run: its metrics, rows, tables and reasons by the names of all runs."""
    ids: Sequence[str | int]
    notes: tuple[str, ...] = ()
    """What was read in another system's words, or guessed, of the schema."""

    @property
    def stats(self) -> EvaluatorStats:
        """The metrics of the one evaluator of the run."""
        return self.run.evaluators[0]

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The problems that kept rows from being measured, the first few of each kind, and then the warnings."""
        return (*self.problems, *self.warnings)

    @property
    def problems(self) -> tuple[Issue, ...]:
        """The problems that kept rows from being measured, the first few of each kind."""
        return tuple(issue for issue in self.run.issues if issue.code not in GAPS)

    @property
    def issue_counts(self) -> Mapping[str, int]:
        """How many problems there were of each kind, by code."""
        return self.run.result.issue_counts

    @property
    def warnings(self) -> tuple[Issue, ...]:
        """The warnings about the schema, the settings and the documents, which cost no row its score."""
        notes = [Issue("schema-note", Blame.CONFIG, note) for note in self.notes]
        gaps = [issue for issue in self.run.issues if issue.code in GAPS]
        return (*notes, *(issue for issue in self.run.result.warnings if issue.code != "schema-not-covered"), *gaps)

    @property
    def mean_precision(self) -> float | None:
        """The mean over rows of precision."""
        return self._mean("mean_precision")

    @property
    def mean_recall(self) -> float | None:
        """The mean over rows of recall."""
        return self._mean("mean_recall")

    @property
    def mean_f1(self) -> float | None:
        """The mean over rows of F1."""
        return self._mean("mean_f1")

    @property
    def mean_score(self) -> float | None:
        """The mean over rows of the mean over fields, with weights and partial credit."""
        return self._mean("mean_field_score")

    @property
    def overall_score(self) -> float | None:
        """The mean over rows of the score in which a list weighs as much as it has expected items."""
        return self._mean("overall_score")

    @property
    def field_score(self) -> float | None:
        """The mean over rows of the score in which a list weighs as much as any field."""
        return self._mean("field_score")

    @property
    def overall_pass_rate(self) -> float | None:
        """The mean over rows of the share of fields, and of whole lists, that pass."""
        return self._mean("overall_pass_rate")

    @property
    def micro_precision(self) -> float | None:
        """Precision over all fields of all rows."""
        return self.stats.micro_precision

    @property
    def micro_recall(self) -> float | None:
        """Recall over all fields of all rows."""
        return self.stats.micro_recall

    @property
    def micro_f1(self) -> float | None:
        """F1 over all fields of all rows."""
        return self.stats.micro_f1

    @property
    def total_records(self) -> int:
        """How many rows there are."""
        return self.stats.rows

    @property
    def total_fields(self) -> int:
        """How many fields were measured, over all rows."""
        return self._counts.n

    @property
    def total_omissions(self) -> int:
        """How many fields only the expected side had, over all rows."""
        return self._counts.omission

    @property
    def total_hallucinations(self) -> int:
        """How many fields only the output had, over all rows."""
        return self._counts.hallucination

    @cached_property
    def total_batch_errors(self) -> int:
        """How many fields a batch comparator, such as a judge, left without an answer."""
        results = (result for record in self.records for result in record.field_results)
        return sum(result.status is FieldStatus.NOT_JUDGED and bool(result.details.get("batch")) for result in results)

    @cached_property
    def total_evaluated(self) -> int:
        """How many things the overall score is over: fields outside of lists, and outermost lists."""
        return sum(len(entries_of(outcomes_of(scored))) for _, scored in self._explained_rows if scored is not None)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The rows, explained, in the order in which they were given."""
        return tuple(_record_of(record_id, *row) for record_id, row in zip(self.ids, self._explained_rows, strict=True))

    @cached_property
    def per_field(self) -> Mapping[str, FieldMetrics]:
        """The fields, by their place in the schema: `items[*].name`."""
        return {
            each.path: FieldMetrics(each.path, each, self)
            for each in self.stats.fields
            if each.array is None or each.counts.n
        }

    @property
    def arrays(self) -> Mapping[str, ArrayStats]:
        """The items of each array that was aligned, by its place in the schema."""
        return {each.path: each.array for each in self.stats.fields if each.array is not None}

    @cached_property
    def instances(self) -> Mapping[str, Sequence[tuple[str | int, Outcome]]]:
        """Every result with the id of its row, by the field's place in the schema."""
        outcomes: dict[str, list[tuple[str | int, Outcome]]] = {}
        for record in self.records:
            for result in record.field_results:
                outcomes.setdefault(result.place, []).append((record.record_id, result))
        return outcomes

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes a run folder: summary.txt, run.json, report.json, fields.csv, fields.md and the rows.

        Gives the folder that was written: the one that is named or, where that is taken, the next free one behind it, such as
        `nightly-2`. `force` replaces a run. Raises Problems (config) when it would replace anything else.
        """
        place, record = Path(folder).absolute(), self.run
        with _create_folder(place, force) as created:
            copytree(record.place, created.path, dirs_exist_ok=True)
            record = record.but(place=created.path, result=replace(record.result, name=place.name))
            options = Options(extra=failed_section(record))
            write_folder_files(created, record, _WRITTEN, options)
            # written once more: this summary is the format `text`, and not that of a run of a suite
            with open_text(created.path / "summary.txt") as stream:
                FORMATS.find("text")().write(record, stream, options)
            return created.finish(record.result, record.facts)

    def __str__(self) -> str:
        """A report for people: how many rows were scored, the totals, then the problems and the warnings."""
        scored = Paragraph(f"{self.stats.scored:,} of {rows_text(self.stats.rows)} scored")
        problems = [Item(f"{issue.where}: {issue.message}") for issue in self.problems]
        warnings = [Item(issue.message, (f"hint: {issue.hint}",) if issue.hint else ()) for issue in self.warnings]
        sections = [Section(None, (scored,)), *evaluation_sections(self.stats)]
        if problems:
            sections.append(Section("Problems", (Listing(tuple(problems)),)))
        if warnings:
            sections.append(Section("Warnings", (Listing(tuple(warnings)),)))
        return page_text(Page("Evaluation", tuple(sections))).rstrip("\n")

    @cached_property
    def _explained_rows(self) -> tuple[tuple[Result, Recorded | None], ...]:
        """The verdict of each row, with its explanation where there is one, in the order of rows."""
        rows = (rows_by_schema(self.run, stats) for stats in evaluators_by_schema(self.run))
        return tuple((verdict, outcomes) for each in rows for _, verdict, outcomes in each)

    @property
    def _counts(self) -> Counts:
        """The counts of all fields in all rows; zeros where nothing was counted."""
        return self.stats.counts or Counts()

    def _mean(self, name: str) -> float | None:
        """The mean over rows of a metric; None where no row has it."""
        metric = self.stats.metric(name)
        return metric.mean if metric is not None else None


class DocumentEvaluation(Evaluation, frozen=True, dict=True):
    """The metrics of one document, and every metric at every place."""

    @property
    def record(self) -> Record:
        """The document's results."""
        return self.records[0]

    @cached_property
    def results(self) -> Mapping[str, Mapping[str, MetricResult]]:
        """The metric results, by place (`items[0].name`) and metric. A list has a result of its own, by its alignment."""
        metrics: dict[str, dict[str, MetricResult]] = {}
        for _, scored in self._explained_rows:
            for view in outcomes_of(scored) if scored is not None else ():
                (outcome,) = view.outcomes
                metrics.setdefault(outcome.path, {})[outcome.metric] = _metric_result(outcome, view.array)
        return metrics


def _create_folder(path: Path, force: bool) -> RunFolder:
    """Makes a new run folder at `path`; with `force` it takes the place of a run. Raises Problems where it cannot be made, whose messages
    name arguments of Python in place of options."""
    try:
        return RunFolder.create(path.parent, path.name, force, folder_names)
    except Problems as error:
        raise Problems(
            replace(
                issue,
                message=issue.message.replace("--force", "force=True"),
                hint="take another folder" if issue.code == "not-a-run-folder" else issue.hint,
            )
            for issue in error.issues
        ) from error


def _record_of(record_id: str | int, verdict: Result, scored: Recorded | None) -> Record:
    """The row by its id, with what its fields say and its metrics; a metric without anything to count is None, and without `scored`
    there are no fields."""
    metrics = verdict.metrics or ((0, 0),) * len(METRICS)
    return Record(
        record_id,
        verdict.status,
        verdict.issue.message if verdict.issue is not None else None,
        scored.fields if scored is not None else (),
        scored.arrays if scored is not None else (),
        scored.outside if scored is not None else (),
        *(num / den if den else None for num, den in metrics),
    )


def _metric_result(outcome: Outcome, array: ListOutcome | None) -> MetricResult:
    """A metric at one place: its score, whether it passed, and what else is known. `array` adds how the items of a list were paired."""
    details: dict[str, Any] = {
        **{name: value for name, value in outcome.details.items() if name not in OURS or name in COMPARED},
        "status": outcome.status.word,
        "code": outcome.code,
        "reason": outcome.reason or "",
        "gold": outcome.gold_value,
        "extracted": outcome.extracted_value,
    }
    if array is not None:
        ratios = {"precision": array.precision, "recall": array.recall, "f1": array.f1}
        details |= {"matched": array.matched, "missing": array.missing, "extra": array.extra}
        details |= {name: None if metric is None else float(metric) for name, metric in ratios.items()}
    return MetricResult(outcome.score, outcome.passed, details)
