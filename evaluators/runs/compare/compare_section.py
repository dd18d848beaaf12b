"""The section `compare` of a suite: how its runs are compared, and what a new one is held to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from evaluators.model.issues import Problems, problem
from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, Name, Settings, build
from evaluators.runs.gate_targets import EVERY, of_every_field, parse_target
from evaluators.runs.gates import Target
from evaluators.scoring.plan.graph import EvaluatorLine

Rule: TypeAlias = Literal["significant_drop", "broken_rows"]
Count: TypeAlias = Annotated[int, Field(strict=True, ge=0)]


class RegressionCheck(Settings):
    """The limits of one evaluator, or of one field."""

    max_drop: Annotated[float, Field(strict=True, ge=0.0, le=1.0)] | None = None
    """The comparison fails when the mean, or the accuracy of the field, is lower by more than this. Of every field at once, it fails
    for each field that is lower by more than this and clearly worse, corrected for the number of fields."""
    max_broken_rows: Count | None = None
    """The comparison fails when more rows than this were right and are wrong now."""

    @model_validator(mode="after")
    def _check_has_limit(self) -> RegressionCheck:
        """Returns the check as it is. Raises ValueError where it sets no limit."""
        if self.max_drop is None and self.max_broken_rows is None:
            raise ValueError("a regression check needs max_drop or max_broken_rows")
        return self


class CompareConfig(Settings):
    """How a new run is compared with a base, and what makes the comparison fail."""

    baseline: Name | None = None
    """The run folder, relative to this file, that a run is compared with when no other base is named."""
    fail_on: tuple[Rule, ...] = ("significant_drop",)
    """What fails: an evaluator or a field that is clearly worse; rows that were right and are wrong now; or nothing, []."""
    max_broken_rows: Count | None = None
    """How many broken rows are allowed. To set it is to ask for the rule broken_rows; without it, none is allowed."""
    regression_checks: Mapping[str, RegressionCheck] = Field(default_factory=dict)
    """Further limits, for one evaluator or one field: `header.total: {max_drop: 0.01, max_broken_rows: 0}`. For each field of one
    evaluator: `header.*`; for each field of all: `fields.*`."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that hold for the whole comparison."""
        rules: tuple[Rule, ...] = ("broken_rows",) if self.max_broken_rows is not None else ()
        return tuple(dict.fromkeys((*self.fail_on, *rules)))


def read_compare(data: Any, context: Mapping[str, Any]) -> CompareConfig:
    """Reads the section `compare` of a suite. Raises BadSettings with every mistake, such as a regression check on something that the suite
    does not have."""
    config, fields = build(CompareConfig, data, noun="compare"), listed_fields(context["evaluators"])
    details: list[Detail] = []
    for written in config.regression_checks:
        try:
            regression_check_target(written, fields)
        except Problems as error:
            if error.issues[0].code == "unknown-evaluator" and context["may_be_called"](written.partition(".")[0]):
                continue  # perhaps one that could not be read, and that is said where it stands
            details.extend(
                Detail(("regression_checks", written), issue.message, issue.hint, True, issue.code)
                for issue in error.issues
            )
    if details:
        raise BadSettings(details)
    return config


def listed_fields(lines: Sequence[EvaluatorLine]) -> dict[str, tuple[str, ...]]:
    """The fields that each evaluator lists, by its name."""
    return {line.name: line.settings.scored_fields().of_rows for line in lines}


def regression_check_target(written: str, fields: Mapping[str, Sequence[str]]) -> Target:
    """The target of a regression check, which the suite spells `written`. `fields` are those of each evaluator.

    `header.*` is every field of an evaluator and `fields.*` every field there is, unless an evaluator is called `fields`.

    Raises Problems (config) for a name that is not among them.
    """
    if (every := of_every_field(written, fields, "regression check")) is not None:
        return Target(every, EVERY)
    target = parse_target(written, fields, "regression check")
    known = fields[target.evaluator]
    if target.field is not None and target.field not in known:
        named = f'names the field "{target.field}", and "{target.evaluator}" lists none of that path'
        hint = suggestion(target.field, known) or (f"fields: {', '.join(known)}" if known else None)
        raise problem("unknown-field", f'the regression check "{written}" {named}', hint=hint)
    return target
