"""The comparator `regex`: the output's text fits a pattern, whatever the expected value is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, StrictBool

from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import Comparator, Pair
from evaluators.scoring.needs import FromColumn, Pattern, pattern_in
from evaluators.scoring.values.patterns import matcher
from evaluators.scoring.values.quoting import quote, with_kind


class Regex(Comparator):
    """The output's text fits a pattern (a regular expression).

    The expected value is not looked at: use it to check the shape of a value, not whether it is right. The pattern may
    fit anywhere in the text; `full: true` wants it to fit the whole text. A search that takes too long gives the row no
    score.
    """

    reads: ClassVar[Literal["both", "output"]] = "output"
    slow: ClassVar[bool] = True

    pattern: Pattern
    """The pattern. `(?i)` at its start sets case aside. `row.NAME` or `{column: NAME}`: each row has its own in
    that column, and it stands in the place of the expected value."""
    full: StrictBool = False
    """`true`: the pattern must fit the text from its first to its last character."""
    timeout_seconds: float = Field(1.0, gt=0, strict=True, allow_inf_nan=False)
    """How long one search may take."""

    examples = (
        Pair("the shape is right", "INV-0001", "INV-1234", True, {"pattern": "^INV-[0-9]+$"}),
        Pair("the shape is wrong", "INV-0001", "1234", False, {"pattern": "^INV-[0-9]+$"}),
        Pair("anywhere in the text", None, "see INV-7 there", True, {"pattern": "INV-[0-9]+"}),
        Pair("the whole text", None, "see INV-7 there", False, {"pattern": "INV-[0-9]+", "full": True}),
        Pair("only text fits a pattern", None, 1234, False, {"pattern": "[0-9]+"}),
        Pair("a pattern of the row", "^INV", "INV-7", True, {"pattern": {"column": "shape"}}),
    )

    @property
    def answers_column(self) -> str | None:
        """The column with the pattern of each row; None where the suite has one pattern."""
        return self.pattern.column if isinstance(self.pattern, FromColumn) else None

    def answers_in(self, cell: Any, expected: Any) -> Sequence[str]:
        """The pattern of a row, as the only item: it takes the place of the expected value."""
        return (self._pattern(cell),)

    def compare(self, expected: Any, actual: Any) -> bool:
        return actual.__class__ is str and self._fits(self._pattern(expected))(actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        if not isinstance(actual, str):
            return f"a pattern fits text only; {with_kind(actual)}"
        verb = "fits" if comparison.passed else "does not fit"
        pattern = expected if isinstance(self.pattern, FromColumn) else self.written(self.pattern)
        return f'{quote(actual)} {verb} the pattern "{pattern}"'

    def _pattern(self, cell: Any) -> str:
        """The pattern: that of the suite, or that in the row's `cell`. Raises RowProblem for one that cannot be used."""
        return pattern_in(self.pattern, cell) if isinstance(self.pattern, FromColumn) else self.pattern

    def _fits(self, pattern: str) -> Callable[[str], bool]:
        """A function that says whether a text fits a pattern."""
        return matcher(pattern, "full" if self.full else "search", self.timeout_seconds)
