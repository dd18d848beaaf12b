"""The settings of a comparison: what a new run is held to. Every suite is read with them, so little is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from evaluators.settings import Name, Settings

Rule: TypeAlias = Literal["significant_drop", "broken_rows"]
Count: TypeAlias = Annotated[int, Field(strict=True, ge=0)]


class GuardConfig(Settings):
    """What one evaluator, or one field, is held to."""

    max_drop: Annotated[float, Field(strict=True, ge=0.0, le=1.0)] | None = None
    """The comparison fails when the mean, or the accuracy of the field, is lower by more than this."""
    max_broken_rows: Count | None = None
    """The comparison fails when more rows than this were right and are wrong now."""

    @model_validator(mode="after")
    def _makes_sense(self) -> GuardConfig:
        if self.max_drop is None and self.max_broken_rows is None:
            raise ValueError("a guard needs max_drop or max_broken_rows")
        return self


class CompareConfig(Settings):
    """How a new run is compared with a base, and what makes the comparison fail."""

    baseline: Name | None = None
    """The baseline file, relative to this file: what a run is compared with when no other base is named."""
    fail_on: tuple[Rule, ...] = ("significant_drop",)
    """What fails: an evaluator or a field that is clearly worse; rows that were right and are wrong now; or nothing, []."""
    max_broken_rows: Count | None = None
    """How many broken rows are allowed. To set it is to ask for the rule broken_rows; without it, none is allowed."""
    guards: Mapping[str, GuardConfig] = Field(default_factory=dict)
    """Further limits, for one evaluator or one field: `header.total: {max_drop: 0.01, max_broken_rows: 0}`."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that hold for the whole comparison."""
        asked: tuple[Rule, ...] = ("broken_rows",) if self.max_broken_rows is not None else ()
        return tuple(dict.fromkeys((*self.fail_on, *asked)))
