"""The sections `results` and `statistics` of a suite: where results go, and what intervals are to know of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from evaluators.settings import Name, Settings, bad, build


class ResultsConfig(Settings):
    """Where the results of a run go, and which files are written."""

    folder: Name = "runs"
    """The folder that holds the run folders, relative to the suite; without it `runs`, where the command is run."""
    name: Name | None = None
    """The name of this run's folder; date, time and a fingerprint of the suite without it."""
    formats: tuple[str, ...] = ()
    """Further files that are written beside run.json, summary.txt and the rows; `csv` is rows.csv at any size, and
    `field_sums` field_summary.csv."""
    lowest_fields: int = Field(5, ge=0, strict=True)
    """How many of the lowest-scoring fields the summary lists."""
    rows: Literal["auto", "jsonl", "parquet"] = "auto"
    """How rows are stored; auto is Parquet for large files when pyarrow is installed, else JSON lines."""
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

    @field_validator("cluster", mode="before")
    @classmethod
    def _a_column(cls, value: object) -> object:
        if isinstance(value, str) and not (value.startswith("row.") and value[4:].strip()):
            raise bad(
                f'the groups of rows are named by a column, written row.COLUMN; found "{value}"',
                hint=f"write cluster: row.{value}",
            )
        return value

    @property
    def column(self) -> str | None:
        """The column's own name."""
        return None if self.cluster is None else self.cluster.removeprefix("row.")


def read_results(data: Any, context: Mapping[str, Any]) -> ResultsConfig:
    """The settings under `results`. Whether there are such formats is for those to say who write them."""
    if isinstance(data, Mapping) and data.get("documents") == "wrong":
        context["notes"].append((("documents",), '"documents: wrong" is called "documents: auto" here'))
        data = {**data, "documents": "auto"}
    found = build(ResultsConfig, data, noun="results")
    if "csv" not in found.formats or "field_sums" in found.formats:
        return found
    text = '"csv" means rows.csv; field_summary.csv is called "field_sums", and is written as well'
    context["notes"].append((("formats",), text))
    return found.model_copy(update={"formats": (*found.formats, "field_sums")})


def read_statistics(data: Any, context: Mapping[str, Any]) -> StatisticsConfig:
    """The settings under `statistics`."""
    return build(StatisticsConfig, data, noun="statistics")
