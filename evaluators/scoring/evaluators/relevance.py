"""`relevance`: how much of the question comes back in the output."""

from __future__ import annotations

from typing import Final, Literal
from unicodedata import category

from evaluators.model.issues import CellError, RowProblem
from evaluators.model.rows import JSON, Missing
from evaluators.model.settings import Name
from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Measured, Needs, Reason, Text
from evaluators.scoring.needs import NO_EXPECTED, text_of

_PART_OF_A_WORD: Final = frozenset("#%&@/\\")
"""Marks that belong to what they stand beside, as in C# or 5%."""


class Relevance(Evaluator):
    """Score the share of the input's words that occur in the output: 3 of 4 is 0.75.

    Use it as a cheap sign that an answer is about its question. Each different word counts once; set `pass_at` to what
    you can expect, because a good answer seldom repeats the whole question.

    Case does not count, nor does punctuation at either end of a word: "programming?" is "programming". Forms of a word
    are different words: "program" is not "programs". Whole words are compared, so "cat" does not occur in "category". An
    input without words scores 0, and so does null.
    """

    type: Literal["relevance"] = "relevance"
    input: Name | None = None
    """The column with the input, when it is not the test set's own."""

    examples = (
        Example(
            "three of four words",
            input="What is Python programming?",
            output="Python is a popular programming language used for many tasks.",
            score=0.75,
            source="orbiter, OutputRelevanceScorer",
        ),
        Example("nothing in common", input="alpha beta", output="gamma delta", score=0.0),
        Example("a repeated word counts once", input="Hello HELLO hello", output="hello", score=1.0),
    )

    def needs(self) -> Needs:
        return self.column("input"), Text(self.column("output"))

    def measure(self, question: JSON | Missing, text: str) -> Measured:
        """(shared, all): how many of the question's different words occur in the text, and how many there are; False without words."""
        wanted = _words(_input_text(question))
        return (len(wanted & _words(text)), len(wanted)) if wanted else False

    def reason(self, question: JSON | Missing, text: str) -> Reason:
        wanted, words = _words(_input_text(question)), _words(text)
        if not wanted:
            return Reason("the input has no words", {"overlap": 0, "input_words": 0})
        common, missing = len(wanted & words), sorted(wanted - words)
        message = f"{common} of the input's {len(wanted)} words occur in the output"
        return Reason(message, {"overlap": common, "input_words": len(wanted), "missing": missing})


def _input_text(cell: JSON | Missing) -> str:
    """The input as text, empty for null. Raises RowProblem where there is no input at all."""
    text = "" if cell is None else text_of(cell, NO_EXPECTED)
    if isinstance(text, CellError):
        raise RowProblem(text.issue)
    return text


def _words(text: str) -> set[str]:
    """The different words of a text, in lower case and without punctuation around them."""
    return {_trim_punctuation(word) for word in text.lower().split()}


def _trim_punctuation(word: str) -> str:
    """The word without the punctuation at its ends. A word of nothing but punctuation stays."""
    if word.isalnum():
        return word
    start, end = 0, len(word)
    while start < end and _is_punctuation(word[start]):
        start += 1
    while end > start and _is_punctuation(word[end - 1]):
        end -= 1
    return word[start:end] or word


def _is_punctuation(mark: str) -> bool:
    """Whether a character is a punctuation mark that is no part of words."""
    return category(mark).startswith("P") and mark not in _PART_OF_A_WORD
