"""`starts_with`: the output begins with a text."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictBool

from evaluators.builtin._evaluator import Check, Evaluator, Example, FromColumn, Needs, Text
from evaluators.builtin._phrases import Phrase, columns_of, phrase_of, readable_phrase, searchable
from evaluators.builtin._verdicts import yes_and_no
from evaluators.model import Score


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
        return Text(self.column("output")), *columns_of(self.prefix)

    def explain(self, text: str, *cells: object) -> Score:
        prefix = phrase_of(self.prefix, cells)
        ready = searchable(self.case_sensitive)
        holds = ready(text).startswith(ready(prefix))
        shown = readable_phrase(self, self.prefix, prefix)
        reason = f'the output starts with "{shown}"' if holds else f'the output does not start with "{shown}"'
        return Score.of(holds, reason, prefix=shown)

    def compile(self) -> Check:
        if isinstance(self.prefix, FromColumn):
            return super().compile()
        ready = searchable(self.case_sensitive)
        prefix = ready(self.prefix)
        yes, no = yes_and_no(self)
        if self.case_sensitive:
            return lambda text: yes if text.startswith(prefix) else no
        return lambda text: yes if text.lower().startswith(prefix) else no
