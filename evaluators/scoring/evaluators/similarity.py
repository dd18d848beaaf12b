"""`similarity`: how much two texts have in common."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field, StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Measured, Needs, Reason, Text
from evaluators.scoring.evaluators._texts import ExpectedColumn, LabelRule, Labels, label_rule
from evaluators.scoring.values.text import refuse_long


class Similarity(Evaluator):
    """Score how much the output has in common with the expected answer, between 0 and 1.

    It passes at 0.5 unless `pass_at` says otherwise. Two ways to count:

    - `method: words` (used unless you choose): the different words that both texts have, divided by the different words
      that either has. Order and repetition do not count. Use it for free wording.
    - `method: characters`: the characters that both texts have in the same order, counted in both, divided by the length
      of the two together. Use it for names and codes with small slips.

    Words are what is between spaces, so punctuation belongs to the word: "Paris." is not "Paris". Meaning is not
    understood: "not valid" is close to "valid". Case counts unless `case_sensitive: false`.

    A row whose expected cell is empty, null or not there is invalid, unless the test set says `empty_expected: value`.
    """

    type: Literal["similarity"] = "similarity"
    pass_at: float = Field(
        0.5, ge=0.0, le=1.0, strict=True, validation_alias=AliasChoices("pass_at", "threshold", "similarity_threshold")
    )
    """A row passes when its score is at least this."""
    expected: ExpectedColumn = None
    """The column with the expected answer, when it is not the test set's own."""
    method: Literal["words", "characters"] = "words"
    """Whether shared words or shared characters are counted."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""
    labels: Labels = None
    """Labels to count with precision, recall and F1: a list, or `off`. Without it, up to 50 short answers that come again are labels."""
    other: bool = Field(False, strict=True)
    """Expected answers outside the list of labels are meant, and counted as `(no label)`; without it they are a problem of the data."""

    examples = (
        Example("the same", output="hello world", expected="hello world", score=1.0, passed=True),
        Example("two words of six", output="a b x y", expected="a b c d", score=2 / 6, passed=False),
        Example("order does not count", output="world hello", expected="hello world", score=1.0, passed=True),
        Example(
            "characters",
            output="hello world!",
            expected="hello world",
            settings={"method": "characters"},
            score=22 / 23,
            passed=True,
        ),
    )

    def needs(self) -> Needs:
        return Text(self.column("output")), Text(self.column("expected"))

    def label_rule(self) -> LabelRule | None:
        """The rule by which rows are counted by label; without case, unless case counts."""
        return label_rule(self.labels, str if self.case_sensitive else str.lower, other=self.other)

    def measure(self, text: str, expected: str) -> Measured:
        """(shared, all): the words, or the characters, that both texts share, and those of both; True for two empty texts."""
        text, expected = self._fold_case(text), self._fold_case(expected)
        if self.method == "words":
            ours, theirs = set(text.split()), set(expected.split())
            return (len(ours & theirs), len(ours | theirs)) if ours or theirs else True
        return (2 * _shared_length(text, expected), len(text) + len(expected)) if text or expected else True

    def reason(self, text: str, expected: str) -> Reason:
        text, expected = self._fold_case(text), self._fold_case(expected)
        return _reason_of_words(text, expected) if self.method == "words" else _reason_of_characters(text, expected)

    def _fold_case(self, text: str) -> str:
        """The text; in lower case unless case counts."""
        return text if self.case_sensitive else text.lower()


def _reason_of_words(text: str, expected: str) -> Reason:
    """The reason of a score by words: how many both texts have, and which only one has."""
    ours, theirs = set(text.split()), set(expected.split())
    if not ours | theirs:
        return Reason("neither text has words")
    message = f"{len(ours & theirs)} of {len(ours | theirs)} different words are in both texts"
    return Reason(message, {"missing": sorted(theirs - ours), "added": sorted(ours - theirs)})


def _reason_of_characters(text: str, expected: str) -> Reason:
    """The reason of a score by characters: how many both texts have in the same order."""
    if not text + expected:
        return Reason("both texts are empty")
    shared = _shared_length(text, expected)
    message = f"{shared} characters are in both texts in the same order ({len(text)} and {len(expected)} in all)"
    return Reason(message, {"shared": shared})


def _shared_length(text: str, expected: str) -> int:
    """The number of characters that both texts have in the same order."""
    from rapidfuzz.distance import LCSseq

    if text != expected:
        refuse_long(text, expected)
    return int(LCSseq.similarity(text, expected))
