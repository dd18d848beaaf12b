"""CSV files."""

from __future__ import annotations

from typing import ClassVar

from evaluators.testsets.delimited import Delimited


class Csv(Delimited, frozen=True):
    """Comma-separated values with a header row; semicolons, tabs and bars are recognised."""

    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
