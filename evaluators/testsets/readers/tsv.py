"""TSV files."""

from __future__ import annotations

from typing import ClassVar

from evaluators.testsets.delimited import Delimited


class Tsv(Delimited, frozen=True):
    """Tab-separated values with a header row; quotes work as in CSV."""

    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".tab")
    usual: ClassVar[str | None] = "\t"
