"""The sections `measures`, `repeats`, `confidence` and `limits` of a suite: numbers that are in a column already, which rows are outputs
of one question, how sure the model was, and how much a row and a run may cost. Most suites have none of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, field_validator

from evaluators.model.limits import DEPTH, LIST_CELLS, PATH_STEPS, ROW_SECONDS, TEXT_LENGTH, WorkLimits
from evaluators.model.settings import BadSettings, Detail, Settings, bad, build, read_each, spell
from evaluators.runs.confidence import Confidence
from evaluators.runs.confidence_steps import confidence_paths
from evaluators.runs.number_cells import Decimal, NumericColumn
from evaluators.runs.repeats import BY_ID, Repeats
from evaluators.runs.results_section import column_check
from evaluators.scoring.values.text import SHORT

Built = TypeVar("Built", bound=Settings)
_OF_FIELD: Final = "; a field has its own beside compare, a path in the output: confidence: meta.total"


class NumericColumnConfig(Settings):
    """One measure in its long form."""

    column: Annotated[str, Field(pattern=r"^row\.\s*\S")]
    """The column that holds the numbers: `row.cost_usd`."""
    decimal: Decimal = "auto"
    """The mark before decimals: a point, a comma, or (`auto`) the one with which more cells are numbers."""

    _a_column = column_check("column", "a measure is a column")


def read_measures(data: Any, context: Mapping[str, Any]) -> tuple[NumericColumn, ...]:
    """Reads the section `measures` of a suite: the measures in the order of the file. Raises BadSettings with every mistake; a measure that
    is called like an evaluator is one."""
    if not isinstance(data, Mapping):
        raise bad(f"measures must be a map from your names to columns; found {spell(data)}", hint=_EXAMPLE)
    evaluators = {line.name for line in context["evaluators"]}

    def read_measure(name: str, body: object) -> NumericColumn:
        """The column of a measure. Raises BadSettings for the name of an evaluator, an empty one, and one with a dot."""
        if name in evaluators:
            message, hint = (
                f'"{name}" is the name of an evaluator and of a measure',
                "gates and reports call both by their names",
            )
            raise BadSettings([Detail((), message, f"choose another name: {hint}", True, "duplicate-name")])
        if not name.strip() or "." in name:
            raise BadSettings([Detail((), f'a measure cannot be called "{name}"', "leave out the dot", True)])
        return _measure(name, body)

    return read_each(data.items(), read_measure)


_EXAMPLE = "measures: {cost: row.cost_usd}"


def _measure(name: str, body: object) -> NumericColumn:
    """A measure, written as a column or with settings. Raises BadSettings where it is something else."""
    if not isinstance(body, (str, Mapping)):
        raise bad(f'the measure "{name}" must be a column, written row.COLUMN; found {spell(body)}', hint=_EXAMPLE)
    config = _short_or_long(NumericColumnConfig, "column", body, "a measure")
    return NumericColumn(name, config.column.removeprefix("row."), config.decimal)


def _short_or_long(config: type[Built], name: str, data: object, noun: str) -> Built:
    """The settings of a section from its long form, a map, or its short form: a text, which is the setting `name`. In the short
    form a problem points at the text."""
    if not isinstance(data, str):
        return build(config, data, noun=noun)
    try:
        return build(config, {name: data}, noun=noun)
    except BadSettings as error:
        details = [Detail(detail.loc[1:], detail.message, detail.hint, False, detail.code) for detail in error.details]
        raise BadSettings(details) from error


class RepeatsConfig(Settings):
    """Which rows are several outputs of one question."""

    by: Annotated[str, Field(pattern=r"^(id|row\.\s*\S.*)$")]
    """The column whose cell is the same in all rows of one question: `row.question_id`, or `id` for the rows' ids."""
    k: tuple[Annotated[int, Field(ge=1, strict=True)], ...] = ()
    """The numbers of outputs that pass@k and pass^k are given for; without it from 1 to the size of the smallest group. Groups with
    fewer outputs are counted out."""

    _a_column = column_check("by", "the rows of one question are named by a column", also=BY_ID)

    @field_validator("k", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        """A list of one number for a number; any other value as it is."""
        return [value] if isinstance(value, int) and not isinstance(value, bool) else value


def read_repeats(data: Any, context: Mapping[str, Any]) -> Repeats:
    """Reads the section `repeats` of a suite: which rows are outputs of one question. Raises BadSettings for mistakes, and where
    `statistics` names another column."""
    config = _short_or_long(RepeatsConfig, "by", data, "repeats")
    by, sections = config.by.removeprefix("row."), context["sections"]
    of_ids = config.by == BY_ID
    if of_ids and sections.get("test_set") is not None:
        by = sections["test_set"].columns.named().get(BY_ID, BY_ID)
    statistics = sections.get("statistics")
    if statistics is not None and statistics.column not in (None, by):
        message = f'`statistics` clusters rows by "{statistics.column}", and `repeats` by "{by}"'
        raise bad(message, hint="leave out statistics: intervals go by the groups of repeats")
    return Repeats(by, tuple(sorted(set(config.k))), of_ids)


class ConfidenceConfig(Settings):
    """How sure the model was, held against what was right."""

    column: Annotated[str, Field(pattern=r"^row\.\s*\S")] | None = None
    """The column with the confidence in each row, a number from 0 to 1: `row.conf`. Fields may have their own: a path in the output."""
    max_errors: Annotated[float, Field(gt=0.0, lt=1.0, strict=True)] = 0.02
    """The share of errors among the accepted rows that a threshold may let pass."""

    _a_column = column_check("column", "a confidence is a column", of_output=_OF_FIELD)


def read_confidence(data: Any, context: Mapping[str, Any]) -> Confidence:
    """Reads the section `confidence` of a suite. Raises BadSettings for mistakes, and where neither the section nor a field says where a
    confidence is."""
    config = _short_or_long(ConfidenceConfig, "column", data, "confidence")
    if config.column is None and not any(map(confidence_paths, context["evaluators"])):
        raise bad("confidence names no column, and no field has one of its own", hint="write confidence: row.conf")
    return Confidence(None if config.column is None else config.column.removeprefix("row."), config.max_errors)


class LimitsConfig(Settings):
    """How much a row and a run may cost. What is over a limit of time or work is unjudged: it has no score, and is counted apart."""

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
    depth: int = Field(DEPTH, ge=1, le=DEPTH, strict=True)
    """How deep objects and lists may be nested. A deeper output is unreadable, a deeper expected document invalid."""


def read_limits(data: Any, context: Mapping[str, Any]) -> WorkLimits:
    """Reads the section `limits` of a suite. Raises BadSettings with every mistake."""
    limits = build(LimitsConfig, data, noun="limits")
    return WorkLimits(
        limits.row_seconds, limits.run_seconds, limits.text_length, limits.list_cells, limits.path_steps, limits.depth
    )
