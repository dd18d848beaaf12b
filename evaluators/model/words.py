"""The words for what became of a field, of a row and of a run: the one table that text, CSV, pages, trackers and the glossary read.

It goes by the words for programs, which JSON and stored rows write, in the order of the statuses' numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

Tone: TypeAlias = Literal["none", "good", "wrong", "missing", "extra", "fault"]


class FieldWord(Struct, frozen=True):
    """The words for the status of a field, as pages show them."""

    plain: str
    """The word itself."""
    meaning: str
    """As the glossary has it."""
    sign: str
    """What stands for it where there is room for one letter: it says the same to those who do not see colours."""
    tone: Tone
    """What colours it on a page."""
    of_reason: str
    """How a sentence about one field goes on after its path."""


class RowWord(Struct, frozen=True):
    """The words for the status of a row, as pages show them."""

    plain: str
    meaning: str
    sentence: str = ""
    """What a page says of a row that ended so."""
    of_reason: str = ""
    """What stands before the reason, where a problem is the reason."""
    of_score: str = ""
    """Why there is no score, in the place of one."""


FIELD_WORDS: Final[Mapping[str, FieldWord]] = {
    "not_measured": FieldWord("not measured", "neither side has it", "·", "none", "is not measured"),
    "match": FieldWord("right", "both sides have it, and the values are alike", "✓", "good", "is right"),
    "mismatch": FieldWord("wrong", "both sides have it, and the values differ", "✕", "wrong", "is wrong"),
    "omission": FieldWord("missing", "only the expected side has it", "−", "missing", "is missing"),
    "hallucination": FieldWord("extra", "only the output has it", "+", "extra", "is extra"),
    "skipped": FieldWord("skipped", "the suite leaves it out", "○", "none", "is skipped"),
    "error": FieldWord(
        "error", "the output's value could not be compared; it counts as wrong", "!", "wrong", "is an error"
    ),
    "not_judged": FieldWord(
        "not judged", "something else kept the field from being compared; the row has no score", "?", "fault",
        "could not be judged",
    ),
}  # fmt: skip
ROW_WORDS: Final[Mapping[str, RowWord]] = {
    "scored": RowWord("scored", "it has a score, and counts in the mean"),
    "unreadable": RowWord(
        "unreadable", "the output holds no JSON that the evaluator can use; scored 0",
        "The output could not be read, so the row scores 0.", "the output could not be read: ",
    ),
    "blocked": RowWord(
        "blocked", "an evaluator that this one needs did not pass; scored 0",
        "An evaluator that this one needs did not pass, so the row scores 0.", "blocked: ",
    ),
    "skipped": RowWord(
        "skipped", "the suite leaves it out, for example by `when`", "The suite leaves this row out.", "skipped: ",
        "the suite leaves this row out",
    ),
    "not_measured": RowWord(
        "not measured", "there was nothing to compare", "There is nothing to measure in this row.", "not measured: ",
        "there is nothing to measure in this row",
    ),
    "invalid": RowWord(
        "invalid", "the expected answer, or another cell of the test set, cannot be used; no score",
        "The test set is at fault, so there is no score.", "the test set is at fault: ", "the test set is at fault",
    ),
    "unjudged": RowWord(
        "unjudged", "a judge or the machine gave no answer; no score", "Something outside kept the row from being judged.",
        "could not be judged: ", "something outside kept it from being judged",
    ),
    "bug": RowWord(
        "bug", "a fault of the program, or of a function of your own; no score",
        "A fault in the program kept the row from being scored.", "a fault in the program: ", "a fault in the program",
    ),
}  # fmt: skip
VERDICT_WORDS: Final[Mapping[bool, RowWord]] = {
    True: RowWord("passed", "its score is at least `pass_at`"),
    False: RowWord("failed", "its score is less than `pass_at`; it counts in the mean"),
}
"""How a scored row ended, by whether it passed."""


_PLAIN: Final = {word: words_of.plain for words in (ROW_WORDS, FIELD_WORDS) for word, words_of in words.items()}


def plain_word(word: str) -> str:
    """The word for people where a word for programs is given; any other text as it is."""
    return _PLAIN.get(word, word)
