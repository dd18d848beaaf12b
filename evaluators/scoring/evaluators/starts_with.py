"""`starts_with`: the output begins with a text."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import Phrase, columns_named_by, phrase_of, phrase_text


class StartsWith(Evaluator):
    """Pass when the output begins with a given text.

    Use it when an answer must open in a certain way. The text is in the suite, or in a column of the row:
    `prefix: {column: greeting}`.

    Case counts unless `case_sensitive: false`. Spaces and line breaks count, also at the start of the output.
    """

    type: Literal["starts_with"] = "starts_with"
    prefix: Phrase
    """What the output must begin with."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""

    examples = (
        Example("the start is there", output="Hello world", settings={"prefix": "He"}, score=1.0),
        Example("case counts", output="Hello world", settings={"prefix": "HE"}, score=0.0),
        Example(
            "case set aside",
            output="Hello world",
            settings={"prefix": "HE", "case_sensitive": False},
            score=1.0,
        ),
        Example("a space comes first", output=" Hello", settings={"prefix": "He"}, score=0.0),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the beginning where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.prefix)

    def measure(self, text: str, *cells: object) -> bool:
        phrase = phrase_of(self.prefix, cells)
        if not self.case_sensitive:
            phrase, text = phrase.lower(), text.lower()
        return text.startswith(phrase)

    def reason(self, text: str, *cells: object) -> Reason:
        shown = phrase_text(self, self.prefix, phrase_of(self.prefix, cells))
        verb = "starts with" if self.measure(text, *cells) else "does not start with"
        return Reason(f'the output {verb} "{shown}"', {"prefix": shown})
