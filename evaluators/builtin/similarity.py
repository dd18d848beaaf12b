"""`similarity`: how much two texts have in common."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field, StrictBool

from evaluators.builtin._column_settings import ExpectedColumn
from evaluators.builtin._evaluator import Evaluator, Example, Needs, Text
from evaluators.builtin._labels import LabelRule, Labels, label_rule
from evaluators.model import Score
from evaluators.values.edit_limit import refuse_long


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
        return label_rule(self.labels, str if self.case_sensitive else str.lower, other=self.other)

    def explain(self, text: str, expected: str) -> Score:
        if not self.case_sensitive:
            text, expected = text.lower(), expected.lower()
        return _shared_words(text, expected) if self.method == "words" else _shared_characters(text, expected)


def _shared_words(text: str, expected: str) -> Score:
    ours, theirs = set(text.split()), set(expected.split())
    shared, either = ours & theirs, ours | theirs
    if not either:
        return Score(1.0, reason="neither text has words")
    return Score.share(
        len(shared),
        len(either),
        f"{len(shared)} of {len(either)} different words are in both texts",
        missing=sorted(theirs - ours),
        added=sorted(ours - theirs),
    )


def _shared_characters(text: str, expected: str) -> Score:
    from rapidfuzz.distance import LCSseq

    total = len(text) + len(expected)
    if not total:
        return Score(1.0, reason="both texts are empty")
    if text != expected:
        refuse_long(text, expected)
    shared = int(LCSseq.similarity(text, expected))
    reason = f"{shared} characters are in both texts in the same order ({len(text)} and {len(expected)} in all)"
    return Score.share(2 * shared, total, reason, shared=shared)
