"""`ends_with`: the output ends with a text."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import Phrase, columns_named_by, phrase_of, phrase_text


class EndsWith(Evaluator):
    """Pass when the output ends with a given text.

    Use it when an answer must close in a certain way. The text is in the suite, or in a column of the row:
    `suffix: {column: closing}`.

    Case counts unless `case_sensitive: false`. Spaces and line breaks count, also at the end of the output.
    """

    type: Literal["ends_with"] = "ends_with"
    suffix: Phrase
    """What the output must end with."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""

    examples = (
        Example("the end is there", output="Hello world", settings={"suffix": "ld"}, score=1.0),
        Example("case counts", output="Hello world", settings={"suffix": "LD"}, score=0.0),
        Example(
            "case set aside",
            output="Hello world",
            settings={"suffix": "LD", "case_sensitive": False},
            score=1.0,
        ),
        Example("a full stop comes last", output="Hello world.", settings={"suffix": "world"}, score=0.0),
    )

    def needs(self) -> Needs:
        """The output as text, and the column with the ending where the suite names one."""
        return Text(self.column("output")), *columns_named_by(self.suffix)

    def measure(self, text: str, *cells: object) -> bool:
        phrase = phrase_of(self.suffix, cells)
        if not self.case_sensitive:
            phrase, text = phrase.lower(), text.lower()
        return text.endswith(phrase)

    def reason(self, text: str, *cells: object) -> Reason:
        shown = phrase_text(self, self.suffix, phrase_of(self.suffix, cells))
        verb = "ends with" if self.measure(text, *cells) else "does not end with"
        return Reason(f'the output {verb} "{shown}"', {"suffix": shown})
