"""CSV files."""

from __future__ import annotations

from typing import ClassVar

from evaluators.testsets.delimited import Delimited
from evaluators.value_class import dataclass


@dataclass(frozen=True)
class Csv(Delimited):
    """Comma-separated values with a header row; semicolons, tabs and bars are recognised."""

    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
