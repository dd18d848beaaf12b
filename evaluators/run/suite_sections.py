"""The sections `measures`, `repeats` and `limits` of a suite: numbers that are in a column already, which rows are outputs of one
question, and how much a row and a run may cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, field_validator

from evaluators.limits import LIST_CELLS, PATH_STEPS, ROW_SECONDS, TEXT_LENGTH, WorkLimits
from evaluators.run.measures import Decimal, NumericColumn
from evaluators.run.repeats import BY_ID, Repeats
from evaluators.settings import BadSettings, Detail, Settings, bad, build, read_each, spell
from evaluators.values.text import SHORT


class NumericColumnConfig(Settings):
    """One measure in its long form."""

    column: Annotated[str, Field(pattern=r"^row\.\s*\S")]
    """The column that holds the numbers: `row.cost_usd`."""
    decimal: Decimal = "auto"
    """The mark before decimals: a point, a comma, or (`auto`) the one with which more cells are numbers."""

    @field_validator("column", mode="before")
    @classmethod
    def _a_column(cls, value: object) -> object:
        if isinstance(value, str) and not (value.startswith("row.") and value[4:].strip()):
            raise bad(f'a measure is a column, written row.COLUMN; found "{value}"', hint=f"write row.{value}")
        return value


def read_measures(data: Any, context: Mapping[str, Any]) -> tuple[NumericColumn, ...]:
    """The measures, in the order of the file. No measure is called like an evaluator."""
    if not isinstance(data, Mapping):
        raise bad(f"measures must be a map from your names to columns; found {spell(data)}", hint=_EXAMPLE)
    evaluators = {line.name for line in context["evaluators"]}

    def read(name: str, body: object) -> NumericColumn:
        if name in evaluators:
            message, hint = (
                f'"{name}" is the name of an evaluator and of a measure',
                "gates and reports call both by their names",
            )
            raise BadSettings([Detail((), message, f"choose another name: {hint}", True, "duplicate-name")])
        if not name.strip() or "." in name:
            raise BadSettings([Detail((), f'a measure cannot be called "{name}"', "leave out the dot", True)])
        return _measure(name, body)

    return read_each(data.items(), read)


_EXAMPLE = "measures: {cost: row.cost_usd}"


def _measure(name: str, body: object) -> NumericColumn:
    if not isinstance(body, (str, Mapping)):
        raise bad(f'the measure "{name}" must be a column, written row.COLUMN; found {spell(body)}', hint=_EXAMPLE)
    settings = {"column": body} if isinstance(body, str) else dict(body)
    try:
        config = build(NumericColumnConfig, settings, noun="a measure")
    except BadSettings as error:
        short = isinstance(body, str)
        raise BadSettings([_placed(detail) if short else detail for detail in error.details]) from error
    return NumericColumn(name, config.column.removeprefix("row."), config.decimal)


def _placed(detail: Detail) -> Detail:
    """The detail of a measure in its short form: the value itself is to blame."""
    return Detail(detail.loc[1:], detail.message, detail.hint, False, detail.code)


class RepeatsConfig(Settings):
    """Which rows are several outputs of one question."""

    by: Annotated[str, Field(pattern=r"^(id|row\.\s*\S.*)$")]
    """The column whose cell is the same in all rows of one question: `row.question_id`, or `id` for the rows' ids."""
    k: tuple[Annotated[int, Field(ge=1, strict=True)], ...] = ()
    """The numbers of outputs that pass@k and pass^k are given for; without it from 1 to the size of the smallest group. Groups with
    fewer outputs are counted out."""

    @field_validator("by", mode="before")
    @classmethod
    def _a_column(cls, value: object) -> object:
        if isinstance(value, str) and value != BY_ID and not (value.startswith("row.") and value[4:].strip()):
            raise bad(
                f'the rows of one question are named by a column, written row.COLUMN, or by their id; found "{value}"',
                hint=f"write row.{value}",
            )
        return value

    @field_validator("k", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return [value] if isinstance(value, int) and not isinstance(value, bool) else value


def read_repeats(data: Any, context: Mapping[str, Any]) -> Repeats:
    """Which rows are outputs of one question. Where `statistics` names a cluster, it is the same column."""
    short = isinstance(data, str)
    try:
        config = build(RepeatsConfig, {"by": data} if short else data, noun="repeats")
    except BadSettings as error:
        raise BadSettings([_placed(detail) if short else detail for detail in error.details]) from error
    by, sections = config.by.removeprefix("row."), context["sections"]
    of_ids = config.by == BY_ID
    if of_ids and sections.get("test_set") is not None:
        by = sections["test_set"].columns.named().get(BY_ID, BY_ID)
    statistics = sections.get("statistics")
    if statistics is not None and statistics.column not in (None, by):
        message = f'`statistics` clusters rows by "{statistics.column}", and `repeats` by "{by}"'
        raise bad(message, hint="leave out statistics: intervals go by the groups of repeats")
    return Repeats(by, tuple(sorted(set(config.k))), of_ids)


class LimitsConfig(Settings):
    """How much a row and a run may cost. What is over a limit is unjudged: it has no score, and is counted apart."""

    row_seconds: float = Field(ROW_SECONDS, gt=0.0, allow_inf_nan=False, strict=True)
    """Seconds of processor time that one evaluator may spend on one row."""
    run_seconds: float | None = Field(None, gt=0.0, allow_inf_nan=False, strict=True)
    """Seconds from the beginning of a run, after which the remaining rows are not judged; no end without it."""
    text_length: int = Field(TEXT_LENGTH, ge=SHORT, strict=True)
    """How many characters each of two texts may have whose letters are compared, as `fuzzy`, `similarity` and `levenshtein` do."""
    list_cells: int = Field(LIST_CELLS, ge=1, strict=True)
    """How much two lists may come to, items × items × values of an item, and still have each item compared with each."""
    path_steps: int = Field(PATH_STEPS, ge=1, strict=True)
    """How many values one JSONPath query may look at in one document."""


def read_limits(data: Any, context: Mapping[str, Any]) -> WorkLimits:
    """The settings under `limits`."""
    found = build(LimitsConfig, data, noun="limits")
    return WorkLimits(found.row_seconds, found.run_seconds, found.text_length, found.list_cells, found.path_steps)
