"""`contains`: a text occurs in the output."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.builtin._evaluator import Check, Evaluator, Example, FromColumn, Needs, Text
from evaluators.builtin._phrases import Phrase, columns_of, phrase_of, readable_phrase, searchable
from evaluators.builtin._verdicts import yes_and_no
from evaluators.model import Score


class Contains(Evaluator):
    """Pass when a given text occurs anywhere in the output.

    Use it for something that every answer must mention. The text is in the suite, or in a column of the row:
    `substring: {column: must_have}`. For several texts see `contains_any` and `contains_all`.

    Case counts unless `case_sensitive: false`. Spaces and line breaks count, and a text is found inside words too.
    """

    type: Literal["contains"] = "contains"
    substring: Phrase
    """What must occur in the output."""
    case_sensitive: StrictBool = True
    """Whether upper and lower case are different."""

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
    )

    def needs(self) -> Needs:
        return Text(self.column("output")), *columns_of(self.substring)

    def explain(self, text: str, *cells: object) -> Score:
        substring = phrase_of(self.substring, cells)
        ready = searchable(self.case_sensitive)
        holds = ready(substring) in ready(text)
        shown = readable_phrase(self, self.substring, substring)
        reason = f'the output contains "{shown}"' if holds else f'the output does not contain "{shown}"'
        return Score.of(holds, reason, substring=shown)

    def compile(self) -> Check:
        if isinstance(self.substring, FromColumn):
            return super().compile()
        ready = searchable(self.case_sensitive)
        substring = ready(self.substring)
        yes, no = yes_and_no(self)
        if self.case_sensitive:
            return lambda text: yes if substring in text else no
        return lambda text: yes if substring in text.lower() else no
