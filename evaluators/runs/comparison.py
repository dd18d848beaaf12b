"""What a comparison of two runs found: the document that its reports and files are made from.

Everything is counted over pairs: the rows that both runs scored. A difference is always that of the new run less that of
the base, so a positive one is a gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evaluators.runs.result import Interval

Finding: TypeAlias = Literal["better", "worse", "no clear difference", "the same", "not measured"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One evaluator, or one of its fields, in two runs.

    `base` and `new` are means over the pairs: of scores, or of right and wrong for a field. `broken` and `fixed` count
    pairs that passed (were right) in one run only.
    """

    evaluator: str
    field: str | None
    pairs: int
    base: float | None
    new: float | None
    difference: float | None
    interval: Interval | None
    p: float | None
    """How often chance alone would make a difference as large."""
    p_corrected: float | None
    """The same, corrected for the number of evaluators, or of fields, that were tested."""
    finding: Finding
    fixed: int
    broken: int
    unpaired: int
    """Rows that only one of the runs measured."""
    detectable: float | None
    """The smallest true difference that so many pairs would show four times out of five; None with fewer than six changes."""
    variant: str | None = None


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row of which some verdict changed."""

    id: str
    number: int
    """The row's number in the new run."""
    broken: tuple[str, ...]
    """The evaluators that passed in the base and fail now."""
    fixed: tuple[str, ...]
    fields: tuple[str, ...]
    """What became of the fields of those evaluators, such as `header.total: match → mismatch`."""
    variant: str | None = None


@dataclass(frozen=True, slots=True)
class GuardResult:
    """One rule that the new run is held to."""

    rule: str
    """As settings spell it: significant_drop, broken_rows, max_drop, max_broken_rows."""
    target: str | None
    verdict: Literal["passed", "failed", "undecided"]
    message: str
    variant: str | None = None


@dataclass(frozen=True, slots=True)
class RankedVariant:
    """One variant among others, by one evaluator."""

    variant: str
    rank: int
    """1 + the number of variants that are clearly better."""
    mean: float
    interval: Interval | None
    passed: int
    alike: tuple[str, ...]
    """The variants that it cannot be told apart from."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All variants of one run, by one evaluator, over the rows that every one of them scored."""

    evaluator: str
    rows: int
    variants: tuple[RankedVariant, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same question, or variants of one run."""

    base: str
    new: str
    name: str
    """The name of the suite."""
    rows: int
    """The rows that are in both runs, each variant counted."""
    fixed: int
    """Rows of which some verdict became right and none wrong."""
    broken: int
    """Rows of which some verdict became wrong."""
    unchanged: int
    evaluators: tuple[Difference, ...] = ()
    fields: tuple[Difference, ...] = ()
    changed: tuple[ChangedRow, ...] = ()
    guards: tuple[GuardResult, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    incomparable: tuple[str, ...] = ()
    """Why the runs cannot be compared; nothing is compared then."""
    notes: tuple[str, ...] = ()
    exit_code: int = 0
    causes: tuple[str, ...] = ()
    cluster: str | None = None
    data: Mapping[str, str] = field(default_factory=dict)
    """The fingerprints of the test sets, under base and new."""
