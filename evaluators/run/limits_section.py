"""The section `limits` of a suite: how much a row and a run may cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from evaluators.limits import LIST_CELLS, PATH_STEPS, ROW_SECONDS, TEXT_LENGTH, WorkLimits
from evaluators.settings import Settings, build
from evaluators.values.text import SHORT


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
