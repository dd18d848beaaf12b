"""`contains`: a text occurs in the output."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import Phrase, columns_named_by, phrase_of, phrase_text
from evaluators.scoring.values.words_in_text import find_whole_words


class Contains(Evaluator):
    """Pass when a given text occurs anywhere in the output.

    Use it for something that every answer must mention. The text is in the suite, or in a column of the row:
    `substring: {column: must_have}`. For several texts see `contains_any` and `contains_all`.

    Case counts unless `case_sensitive: false`. Spaces and line breaks count, and a text is found inside words too, unless
    `whole_words: true`.
    """

    type: Literal["contains"] = "contains"
    substring: Phrase
    """What must occur in the output."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""
    whole_words: StrictBool = False
    """Whether a text is found as whole words alone: `12` does not hold `1`, `yesterday` no `yes`, and "not paid" does not say `paid`."""

    examples = (
        Example("it occurs", output="Hello world", settings={"substring": "lo wo"}, score=1.0),
        Example("case counts", output="Hello world", settings={"substring": "LO WO"}, score=0.0),
        Example(
            "case set aside",
            output="Hello world",
            settings={"substring": "LO WO", "case_sensitive": False},
            score=1.0,
        ),
        Example("accents count", output="Jose", settings={"substring": "José"}, score=0.0),
        Example("inside a word", output="It is 12.", settings={"substring": "1", "whole_words": True}, score=0.0),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the text to look for where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.substring)

    def measure(self, text: str, *cells: object) -> bool:
        phrase = phrase_of(self.substring, cells)
        if not self.case_sensitive:
            phrase, text = phrase.lower(), text.lower()
        return find_whole_words(text, phrase) >= 0 if self.whole_words else phrase in text

    def reason(self, text: str, *cells: object) -> Reason:
        shown = phrase_text(self, self.substring, phrase_of(self.substring, cells))
        verb = "contains" if self.measure(text, *cells) else "does not contain"
        return Reason(f'the output {verb} "{shown}"', {"substring": shown})
