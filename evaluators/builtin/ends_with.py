"""`ends_with`: the output ends with a text."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.builtin._evaluator import Check, Evaluator, Example, FromColumn, Needs, Text
from evaluators.builtin._phrases import Phrase, columns_of, phrase_of, readable_phrase, searchable
from evaluators.builtin._verdicts import yes_and_no
from evaluators.model import Score


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
        return Text(self.column("output")), *columns_of(self.suffix)

    def explain(self, text: str, *cells: object) -> Score:
        suffix = phrase_of(self.suffix, cells)
        ready = searchable(self.case_sensitive)
        holds = ready(text).endswith(ready(suffix))
        shown = readable_phrase(self, self.suffix, suffix)
        reason = f'the output ends with "{shown}"' if holds else f'the output does not end with "{shown}"'
        return Score.of(holds, reason, suffix=shown)

    def compile(self) -> Check:
        if isinstance(self.suffix, FromColumn):
            return super().compile()
        ready = searchable(self.case_sensitive)
        suffix = ready(self.suffix)
        yes, no = yes_and_no(self)
        if self.case_sensitive:
            return lambda text: yes if text.endswith(suffix) else no
        return lambda text: yes if text.lower().endswith(suffix) else no
