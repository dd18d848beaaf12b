"""What the scoring of one row's documents comes to: a result per unit, a summary per array, and what was not scored."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from evaluators.fields.tree import FieldNode
from evaluators.issues import RowProblem
from evaluators.model import MISSING, Outcome
from evaluators.values.confusion import Confusion


class ArrayResult(Struct, frozen=True):
    """What became of the items of one array.

    An item is *matched* when it is paired and everything that was measured in the pair matches; a pair that is not
    matched is one missing and one extra item.
    """

    path: str
    field: str
    """The array's place in the schema."""
    rule: str
    """How its items were paired."""
    matched: int
    missing: int
    extra: int
    paired: int
    weight: Fraction
    code: str
    """The reason code of the array as a whole."""
    alike: bool = False
    """No items are measured, and the place itself is right: both lists are empty but for what is skipped, both are null, or both
    are the same text."""
    notes: tuple[str, ...] = ()
    """What is worth saying of the keys that pair its items: items without one, or with that of another item."""
    expected: object = MISSING
    actual: object = MISSING
    pairs: tuple[tuple[int, int], ...] = ()
    """The items that match, each by its index in the expected list and in the output's."""
    surplus_counts: bool = False
    """Items that only the output has lower the score."""
    metric: str | None = None
    """What says of the whole list which items match, and has a result at the same path; None where items are compared."""
    pass_at: Fraction = Fraction(1)
    """The score from which on it passes."""
    unmeasured: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    """The items in which nothing was measured, by their indexes in the expected list and in the output's. They are not counted."""

    @property
    def surplus(self) -> int:
        """Items of the output without a partner."""
        return self.extra - (self.paired - self.matched)

    @property
    def score(self) -> Fraction:
        """The share of expected items that match; without expected items 1 where the sides are alike, else 0.

        Where the surplus counts, it is the share of the expected items and the surplus ones together.
        """
        return list_score(self.matched, self.missing, self.surplus if self.surplus_counts else 0, self.alike)

    @property
    def passed(self) -> bool:
        """The score is enough. It is 1 where every expected item matches, and where the surplus counts there is none."""
        return self.score >= self.pass_at

    def says(self, result: Outcome) -> bool:
        """Whether a result at its own path, or below, is part of what it says: all but that of another metric of the list."""
        return self.metric is None or result.path != self.path or result.details.get("metric") == self.metric

    @property
    def items(self) -> Confusion:
        """The items as counts: a pair that does not match is one missing and one invented."""
        return Confusion(self.matched, 0, self.missing, self.extra)

    @property
    def precision(self) -> Fraction | None:
        """Matched among the items of the output; 0 where there are none, and some are missed."""
        return self.items.exact("precision")

    @property
    def recall(self) -> Fraction | None:
        """Matched among the expected items; 0 where there are none, and some are made up."""
        return self.items.exact("recall")

    @property
    def f1(self) -> Fraction | None:
        """Precision and recall in one figure."""
        return self.items.exact("f1")


class Scored(Struct, frozen=True):
    """The documents of one row, scored."""

    fields: tuple[Outcome, ...]
    arrays: tuple[ArrayResult, ...] = ()
    """Every array in which something was measured, outer ones before inner ones."""
    outside: tuple[str, ...] = ()
    """The places that the expected side has and the schema lacks, each once. They are not scored."""
    problem: RowProblem | None = None
    """Why the row has no score: the first result that something else than the output kept from being measured."""


class Documents(NamedTuple):
    """Every result of one row, beside the tree that scored it."""

    root: FieldNode
    scored: Scored


def list_score(matched: int, missed: int, surplus: int, alike: bool) -> Fraction:
    """The score of a list in the totals, `matched / (matched + missed + surplus)`; without items 1 where both sides are alike."""
    whole = matched + missed + surplus
    return Fraction(matched, whole) if whole else Fraction(int(alike))
