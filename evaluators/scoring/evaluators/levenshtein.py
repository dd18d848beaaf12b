"""`levenshtein`: how little has to be typed to turn the output into the expected answer."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field, StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Measured, Needs, Reason, Text
from evaluators.scoring.evaluators._texts import ExpectedColumn, LabelRule, Labels, label_rule
from evaluators.scoring.values.text import refuse_long


class Levenshtein(Evaluator):
    """Score how close the output is to the expected answer, character by character.

    The distance is the number of characters to insert, delete or replace. The score is 1 minus the distance divided by
    the length of the longer text: "hello world!" for "hello world" is 1 step in 12 characters, 0.92. It passes at 0.5
    unless `pass_at` says otherwise. Use it for answers that should be copied almost to the letter.

    Every character weighs the same, so a wrong digit costs as little as a missing comma. The same words in another order
    are far apart: for those see `similarity`. Case counts unless `case_sensitive: false`.

    A row whose expected cell is empty, null or not there is invalid, unless the test set says `empty_expected: value`.
    """

    type: Literal["levenshtein"] = "levenshtein"
    pass_at: float = Field(0.5, ge=0.0, le=1.0, strict=True, validation_alias=AliasChoices("pass_at", "threshold"))
    """A row passes when its score is at least this."""
    expected: ExpectedColumn = None
    """The column with the expected answer, when it is not the test set's own."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""
    labels: Labels = None
    """Labels to count with precision, recall and F1: a list, or `off`. Without it, up to 50 short answers that come again are labels."""
    other: bool = Field(False, strict=True)
    """Expected answers outside the list of labels are meant, and counted as `(no label)`; without it they are a problem of the data."""

    examples = (
        Example("the same", output="hello world", expected="hello world", score=1.0, passed=True),
        Example("one character more", output="hello world!", expected="hello world", score=11 / 12, passed=True),
        Example("half of it", output="bcde", expected="abcd", score=0.5, passed=True),
        Example("another text", output="hola mundo", expected="hello world", score=3 / 11, passed=False),
    )

    def needs(self) -> Needs:
        return Text(self.column("output")), Text(self.column("expected"))

    def label_rule(self) -> LabelRule | None:
        """The rule by which rows are counted by label; without case, unless case counts."""
        return label_rule(self.labels, str if self.case_sensitive else str.lower, other=self.other)

    def measure(self, text: str, expected: str) -> Measured:
        """(alike, all): the length of the longer text without the distance, and that length; True for equal texts."""
        if text == expected:
            return True
        distance, longest = self._distance(text, expected)
        return longest - distance, longest

    def reason(self, text: str, expected: str) -> Reason:
        distance, longest = self._distance(text, expected)
        message = f"{distance} of {longest} characters differ" if longest else "both texts are empty"
        return Reason(message, {"distance": distance, "length": longest})

    def _distance(self, text: str, expected: str) -> tuple[int, int]:
        """(distance, longest): how many characters to change to make the texts equal, and the length of the longer one."""
        from rapidfuzz.distance import Levenshtein as Measure

        if not self.case_sensitive:
            text, expected = text.lower(), expected.lower()
        if text != expected:
            refuse_long(text, expected)
        return int(Measure.distance(text, expected)), max(len(text), len(expected))
