"""`contains_all`: every one of several texts occurs in the output."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import (
    PhrasesOrCommas,
    columns_named_by,
    phrases_found_and_missing,
    phrases_of,
    quoted_phrases,
)
from evaluators.scoring.values.words_in_text import find_whole_words


class ContainsAll(Evaluator):
    """Pass when every one of the given texts occurs in the output.

    Use it when an answer must mention several things, and one that is left out makes it wrong. For partial credit see
    `keywords`.

    The texts are a list, one text with commas between them, or a column of the row:
    `substrings: {column: names, separator: ";"}`.

    Case counts unless `case_sensitive: false`. Blanks at both ends of a listed text are set aside, all others count. A
    text is found inside words too.
    """

    type: Literal["contains_all"] = "contains_all"
    substrings: PhrasesOrCommas
    """The texts to look for."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""
    whole_words: StrictBool = False
    """Whether a text is found as whole words alone: `12` does not hold `1`, `yesterday` no `yes`, and "not paid" does not say `paid`."""

    examples = (
        Example("all of them", output="Hello world", settings={"substrings": ["Hello", "world"]}, score=1.0),
        Example("one is missing", output="Hello world", settings={"substrings": ["Hello", "moon"]}, score=0.0),
        Example("one text with commas", output="Hello world", settings={"substrings": "Hello, world"}, score=1.0),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the texts to look for where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.substrings)

    def measure(self, text: str, *cells: object) -> bool:
        phrases = phrases_of(self.substrings, cells)
        if not self.case_sensitive:
            phrases, text = tuple(map(str.lower, phrases)), text.lower()
        if self.whole_words:
            return all(find_whole_words(text, phrase) >= 0 for phrase in phrases)
        return all(phrase in text for phrase in phrases)

    def reason(self, text: str, *cells: object) -> Reason:
        found, missing = phrases_found_and_missing(
            self, text, self.substrings, cells, self.case_sensitive, self.whole_words
        )
        message = f"missing: {quoted_phrases(missing)}" if missing else f"found {quoted_phrases(found)}"
        return Reason(message, {"found": found, "missing": missing})
