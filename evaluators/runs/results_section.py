"""The sections `results` and `statistics` of a suite: what a run leaves, and which rows belong together; and how it reads outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from evaluators.model.limits import WorkLimits
from evaluators.model.settings import Name, Settings, bad, build
from evaluators.runs.number_cells import Decimal
from evaluators.scoring.plan.need_steps import Reading
from evaluators.suites.config import SuiteConfig
from evaluators.testsets.test_set_config import TestSetConfig


def column_check(name: str, subject: str, key: str = "", also: str | None = None, of_output: str = "") -> Any:
    """A pydantic validator for a settings class: the setting `name` must be a column, written `row.COLUMN`, or the word `also`.

    `subject` begins its message; in the hint, `key` stands before the column, and `of_output` says what to write for a place in the
    output.
    """

    def check(value: object) -> object:
        """The value as it is. Raises BadSettings, which says what to write where it is a text of another form."""
        if isinstance(value, str) and value != also and not (value.startswith("row.") and value[4:].strip()):
            word = ", or by their id" if also is not None else ""
            hint = f"write {key}row.{value}"
            if value.startswith(("output.", "expected.")):
                hint = f"a place in a document is no column: write {key}row. and the name of a column{of_output}"
            raise bad(f'{subject}, written row.COLUMN{word}; found "{value}"', hint=hint)
        return value

    return field_validator(name, mode="before")(check)


class ResultsConfig(Settings):
    """Where the results of a run go, and which files are written."""

    folder: Name = "runs"
    """The folder that holds the run folders, relative to the suite; without it `runs`, where the command is run."""
    name: Name | None = None
    """The name of this run's folder; date, time and a fingerprint of the suite without it."""
    formats: tuple[str, ...] = ()
    """Further files that are written beside run.json, summary.txt and run.db; `csv` is rows.csv at any size, `field_sums`
    field_summary.csv, `repeats` and `confidence` are tables of these sections, `parquet` is rows.parquet, and `rows`, `codes`,
    `outcomes`, `cells` and `answers` are JSON lines of what run.db holds."""
    decimal: Decimal = "auto"
    """The mark before decimals in the CSV files: a point, a comma, or (`auto`) that of the test set's own cells. Where they have no
    decimals, a comma goes with semicolons between cells, and a point with everything else."""
    lowest_fields: int = Field(10, ge=0, strict=True)
    """How many of the lowest-scoring fields the summary lists."""
    evidence: Literal["first", "all"] | Annotated[int, Field(ge=1, strict=True)] = "first"
    """How many rows with a wrong result are recorded for each field of more than 1,000 rows: `first` is 200, `all` is all of them."""
    documents: Literal["auto", "all", "none"] = "auto"
    """The rows whose cells are kept: all, or none; auto is all of up to 1,000 rows, and of rows that cannot be read again."""
    reasoning_length: int | None = Field(None, ge=0, strict=True)
    """How many characters of a judge's reason are kept; all of it without this."""


class StatisticsConfig(Settings):
    """What intervals are to know of the rows."""

    cluster: Annotated[str, Field(pattern=r"^row\.\s*\S")] | None = None
    """The column that says which rows belong together, such as the pages of one document: `row.doc_id`."""

    _a_column = column_check("cluster", "the groups of rows are named by a column", "cluster: ")

    @property
    def column(self) -> str | None:
        """The name of the column that clusters rows, without `row.`; None where none does."""
        return None if self.cluster is None else self.cluster.removeprefix("row.")


def read_results_settings(data: Any, context: Mapping[str, Any]) -> ResultsConfig:
    """Reads the settings under `results`. Raises BadSettings with every mistake; that its formats exist is checked elsewhere."""
    return build(ResultsConfig, data, noun="results")


def read_statistics(data: Any, context: Mapping[str, Any]) -> StatisticsConfig:
    """Reads the settings under `statistics`. Raises BadSettings with every mistake."""
    return build(StatisticsConfig, data, noun="statistics")


def reading_of(config: SuiteConfig) -> Reading:
    """How outputs are read where an evaluator says nothing else, from the sections `test_set` and `limits` of a suite."""
    test_set: TestSetConfig = config.sections.get("test_set") or TestSetConfig.model_construct()
    limits = config.sections.get("limits") or WorkLimits()
    return Reading(test_set.parse, test_set.unreadable_output, test_set.empty_expected, test_set.pick, limits)
