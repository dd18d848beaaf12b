"""`regex_match`: a pattern is found in the output, or is not."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field, StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, FromColumn, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import columns_named_by, phrase_text
from evaluators.scoring.needs import Pattern, pattern_in
from evaluators.scoring.values.patterns import matcher


class RegexMatch(Evaluator):
    r"""Pass when a regular expression is found anywhere in the output.

    Use it for formats that a pattern describes: `\d{4}-\d{2}-\d{2}` for a date. To fit the whole output, start the pattern
    with `^` and end it with `\Z`; the usual `$` also fits before a line break at the very end. With `should_match: false`
    the evaluator passes when the pattern is not found.

    Case counts unless `case_sensitive: false`. A dot does not match a line break, `^` is the start of the output and not
    of a line. A search that runs out of its time leaves the row without a score.
    """

    type: Literal["regex_match"] = "regex_match"
    pattern: Annotated[Pattern, Field(validation_alias=AliasChoices("pattern", "regex_pattern"))]
    """The regular expression to look for. `row.NAME` or `{column: NAME}`: each row has its own in that column."""
    should_match: StrictBool = Field(True, validation_alias=AliasChoices("should_match", "regex_should_match"))
    """Whether the pattern should be found."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""
    timeout_seconds: float = Field(1.0, gt=0.0, le=3600.0, strict=True)
    """How long one search may take."""

    examples = (
        Example("found", output="Hello world", settings={"pattern": "^Hello"}, score=1.0),
        Example("anywhere in the output", output="Hello world", settings={"pattern": "lo w"}, score=1.0),
        Example(
            "case counts",
            output="The iPhone 6",
            settings={"pattern": ".*iphone.*"},
            score=0.0,
        ),
        Example(
            "case set aside",
            output="The iPhone 6",
            settings={"pattern": "iphone", "case_sensitive": False},
            score=1.0,
        ),
        Example(
            "a pattern that must not be there",
            output="As an AI model, I cannot",
            settings={"pattern": "As an AI", "should_match": False},
            score=0.0,
        ),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the pattern where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.pattern)

    def measure(self, text: str, *cells: object) -> bool:
        return self._finds(text, self._pattern(cells)) is self.should_match

    def reason(self, text: str, *cells: object) -> Reason:
        pattern = self._pattern(cells)
        match = self._finds(text, pattern)
        message = "the pattern was found" if match else "the pattern was not found"
        return Reason(message, {"pattern": phrase_text(self, self.pattern, pattern), "found": match})

    def _pattern(self, cells: tuple[object, ...]) -> str:
        """The pattern: that of the suite, or that in the row's cell."""
        return pattern_in(self.pattern, cells[0]) if isinstance(self.pattern, FromColumn) else self.pattern

    def _finds(self, text: str, pattern: str) -> bool:
        """Whether a pattern occurs in the text. Raises RowProblem where the search takes too long."""
        flags = "" if self.case_sensitive else "(?i)"
        return matcher(flags + pattern, "search", self.timeout_seconds)(text)
