"""`exact_match`: the output is the expected answer, nothing more and nothing less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import Field

from evaluators.model.rows import MISSING
from evaluators.scoring.evaluators._cells import CellEvaluator
from evaluators.scoring.evaluators._evaluator import NOTHING, Example, Measured, Needs
from evaluators.scoring.evaluators._texts import (
    ExpectedColumn,
    Forgiven,
    LabelRule,
    Labels,
    TextChange,
    forgiving_reader,
    label_rule,
    text_changes,
)
from evaluators.scoring.needs import NO_OUTPUT
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.quoting import kind

_EXCERPT: Final = 20
"""Characters of a text that a reason quotes where it differs."""


class ExactMatch(CellEvaluator):
    """Pass when the output equals the expected answer exactly.

    Use it for labels, codes, yes or no, and other short answers with one right spelling.

    Nothing is forgiven unless `forgive` names it: spaces, case, accents and the final full stop count. A text is never
    read as JSON, so two JSON texts that differ in spacing differ; compare those with `json_multi_field_match` or
    `json_diff_match`. Where the test set holds JSON values (numbers, lists, objects), the order of keys does not count
    and the order of lists does; 1 equals 1.0, and neither `true` nor the text "1" equals 1.

    Numbers, dates and other values that may be written in several ways are compared by `compare`, as those of a field are:
    `compare: {numeric: {parse: true}}`, `compare: date`. It alone then says what is forgiven, and no labels are counted.

    A row whose expected cell is empty, null or not there is invalid, unless the test set says `empty_expected: value`: then
    an empty output is right.
    """

    type: Literal["exact_match"] = "exact_match"
    expected: ExpectedColumn = None
    """The column with the expected answer, when it is not the test set's own."""
    labels: Labels = None
    """Labels to count with precision, recall and F1: a list, or `off`. Without it, up to 50 short answers that come again are labels."""
    other: bool = Field(False, strict=True)
    """Expected answers outside the list of labels are meant, and counted as `(no label)`; without it they are a problem of the data."""

    forgive: tuple[Forgiven, ...] = ()
    """What two texts may differ in and be the same: `case`, `spaces`, `final_punctuation`, `underscores` (`_` or `-` for a space)."""

    examples = (
        Example("the same text", output="Paris", expected="Paris", score=1.0, source="Agenta, Exact Match"),
        Example("case differs", output="paris", expected="Paris", score=0.0),
        Example("another answer", output="Rome", expected="Paris", score=0.0),
        Example("a space at the end", output="Paris ", expected="Paris", score=0.0),
        Example("the order of keys is free", output={"a": 1, "b": 2}, expected={"b": 2, "a": 1}, score=1.0),
        Example(
            "a full stop and capitals forgiven",
            output="Paris.",
            expected="paris",
            settings={"forgive": ["case", "final_punctuation"]},
            score=1.0,
        ),
        Example(
            "the same number",
            output="1,200.50 €",
            expected="1200.5",
            settings={"compare": {"numeric": {"parse": {"thousands": ",", "currency": True}}}},
            score=1.0,
        ),
        Example("two JSON texts", output='{"city": "Rome", "n": 1}', expected='{"city": "Oslo", "n": 1}', score=0.0),
        Example("a text is not an object", output='{"a": 1}', expected={"a": 1}, score=0.0),
    )

    unnamed = "labels"
    texts_only = ("forgive", "labels", "other")

    def needs(self) -> Needs:
        """The output and the expected cell as they stand; where a comparator compares them, what it needs."""
        return (self.column("output"), self.column("expected")) if self.tree is None else self.cell_needs(self.tree)

    def label_rule(self) -> LabelRule | None:
        """The rule by which rows are counted by label, with what `forgive` sets aside; None where a comparator compares the cells."""
        if self.tree is not None:
            return None
        return label_rule(self.labels, forgiving_reader(self.forgive) if self.forgive else str, other=self.other)

    def text_changes(self) -> Sequence[TextChange]:
        """The differences that it could forgive beside those of `forgive`; none where a comparator compares the cells."""
        if self.tree is not None:
            return ()
        others = self.model_dump(mode="json", exclude={"type", "forgive"}, exclude_unset=True)
        return text_changes(self.forgive, others)

    def measure(self, output: Any, expected: Any) -> Measured:
        """Whether the output equals the expected answer, but for what `forgive` names in texts; scores 0 where the output is missing."""
        if output.__class__ is str and expected.__class__ is str:
            return output == expected or (bool(self.forgive) and self._equal_once_forgiven(output, expected))
        if output is MISSING:
            return NOTHING
        # under `empty_expected: value` an empty expected cell is the empty text, and null an empty answer
        return json_equal(output, expected) or (output is None and expected == "")

    def reason(self, output: Any, expected: Any) -> str:
        if output is MISSING:
            return NO_OUTPUT.issue.message
        if not self.measure(output, expected):
            return _difference(output, expected)
        but = f" but for {', '.join(self.forgive)}" if isinstance(output, str) and output != expected else ""
        return f"the output equals the expected answer{but}"

    def _equal_once_forgiven(self, output: str, expected: str) -> bool:
        """Whether two texts are equal once the differences that `forgive` names are set aside."""
        read = forgiving_reader(self.forgive)
        return read(output) == read(expected)


def _difference(output: Any, expected: Any) -> str:
    """A sentence on how an output differs from the expected answer: kind, values of JSON, spaces, case, or the first character."""
    if not (isinstance(output, str) and isinstance(expected, str)):
        kinds = kind(output), kind(expected)
        if kinds[0] != kinds[1]:
            return f"the output is {kinds[0]}, the expected answer is {kinds[1]}"
        return difference_text(expected, output)
    read, wanted = _parse_container(output), _parse_container(expected)
    if isinstance(read, dict | list) and read.__class__ is wanted.__class__:
        return "only how the JSON is written differs" if json_equal(read, wanted) else difference_text(wanted, read)
    place = _shared_length(output, expected)
    character, expected_character = output[place : place + 1], expected[place : place + 1]
    # where letters differ in more than spaces or case, so do the texts
    if not (character.strip() and expected_character.strip()) and output.split() == expected.split():
        return "only spaces or line breaks differ"
    if character.casefold()[:1] == expected_character.casefold()[:1] and output.casefold() == expected.casefold():
        return "only upper and lower case differ"
    if character and expected_character:
        return f"differs from character {place + 1}: {_excerpt(output, place)} instead of {_excerpt(expected, place)}"
    if len(output) > len(expected):
        return f"the output goes on after the expected answer: {_excerpt(output, len(expected))}"
    return f"the output stops early: {_excerpt(expected, len(output))} is missing"


def _parse_container(text: str) -> object:
    """The object or list that a text holds; None for another text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse(text)
    except NotJSON:
        return None


def _shared_length(output: str, expected: str) -> int:
    """The length of the beginning that both texts share, found by halving: texts may be long."""
    alike, most = 0, min(len(output), len(expected))
    while alike < most:
        half = (alike + most + 1) // 2
        if output.startswith(expected[alike:half], alike):
            alike = half
        else:
            most = half - 1
    return alike


def _excerpt(text: str, start: int) -> str:
    """The text from `start` on in quotes, at most `_EXCERPT` characters of it."""
    end = start + _EXCERPT
    return f'"{text[start:end]}{"…" if len(text) > end else ""}"'
