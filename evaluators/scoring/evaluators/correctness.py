"""`correctness`: the output is the right answer, or names what a right answer must name."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, Field, StrictBool

from evaluators.scoring.evaluators._cells import CellEvaluator
from evaluators.scoring.evaluators._evaluator import Example, Measured, Needs, Reason, Text
from evaluators.scoring.evaluators._phrases import Phrases, columns_named_by, reason_found, share_found
from evaluators.scoring.evaluators._texts import ExpectedColumn, LabelRule, Labels, label_rule


class Correctness(CellEvaluator):
    """Pass when the output is the expected answer, give or take case and spacing.

    Use it for short answers in plain words. The answer is the row's expected cell; `answer` gives one for all rows.
    With `keywords`, the score is instead the share of them that occur in the output (2 of 3 is 0.67); when `answer` is
    given too, it alone decides.

    Accents and punctuation count: "Paris." is not "Paris". With `normalize: false` case and spacing count as well.

    With `compare`, the two are compared as a field is, `compare: {numeric: {parse: true}}`: that alone says what is
    forgiven, and no labels are counted.

    A row whose expected cell is empty, null or not there is invalid, unless the test set says `empty_expected: value`.
    """

    type: Literal["correctness"] = "correctness"
    expected: ExpectedColumn = None
    """The column with the expected answer, when it is not the test set's own."""
    answer: str | None = Field(None, strict=True, validation_alias=AliasChoices("answer", "ground_truth"))
    """One answer for every row, in place of the expected column."""
    keywords: Phrases | None = None
    """Words or phrases to look for, in place of an answer; case does not count."""
    normalize: StrictBool = True
    """Whether case and spacing are set aside when the output is compared with the answer."""
    labels: Labels = None
    """Labels to count with precision, recall and F1: a list, or `off`. Without it, up to 50 short answers that come again are labels."""
    other: bool = Field(False, strict=True)
    """Expected answers outside the list of labels are meant, and counted as `(no label)`; without it they are a problem of the data."""

    examples = (
        Example(
            "case and spacing are set aside",
            output="  hello   world  ",
            settings={"answer": "Hello World"},
            score=1.0,
            source="orbiter, OutputCorrectnessScorer",
        ),
        Example(
            "two of three keywords",
            output="Python is great for AI applications",
            settings={"keywords": ["Python", "machine learning", "AI"]},
            score=2 / 3,
            source="orbiter, OutputCorrectnessScorer",
        ),
        Example("the expected cell", output="PARIS", expected="Paris", score=1.0),
        Example("punctuation counts", output="Paris.", expected="Paris", score=0.0),
        Example("everything counts", output="PARIS", expected="Paris", settings={"normalize": False}, score=0.0),
    )

    unnamed = "answer"
    texts_only = ("keywords", "labels", "other")
    beside_compare = ("normalize",)

    def usual_comparator(self) -> object:
        """The comparator that does what `normalize` says: without case and with single spaces, or exactly."""
        return {"normalized": {"case": "lower", "whitespace": "collapse"}} if self.normalize else "exact"

    def fixed_answer(self) -> str | None:
        return self.answer

    def takes_comparator(self) -> bool:
        """Whether it compares two cells as texts, which a comparator could do: not with an `answer` or `keywords` in the suite."""
        return self.answer is None and self.keywords is None and super().takes_comparator()

    def needs(self) -> Needs:
        """The output, and the column with the expected answer or with the keywords, where the suite does not write these. With a comparator
        (`tree`) it needs the cells as values, else as texts."""
        if self.tree is not None:
            return self.cell_needs(self.tree)
        output = Text(self.column("output"))
        if self.answer is not None:
            return (output,)
        if self.keywords is not None:
            return output, *columns_named_by(self.keywords)
        return output, Text(self.column("expected"))

    def label_rule(self) -> LabelRule | None:
        """The rule by which rows are counted by label; None where no text is compared with the row's expected one."""
        if self.answer is not None or self.keywords is not None or self.tree is not None:
            return None
        return label_rule(self.labels, _fold_text if self.normalize else str, other=self.other)

    def measure(self, text: str, *others: Any) -> Measured:
        """Whether the text is the answer; (found, all) of the keywords where only they are given. `others` is the expected text, or
        the cell with the keywords, where the suite writes neither."""
        if self.answer is None and self.keywords is not None:
            return share_found(text, self.keywords, others)
        answer = others[0] if self.answer is None else self.answer
        return bool(text == answer) or (self.normalize and _fold_text(text) == _fold_text(answer))

    def reason(self, text: str, *others: Any) -> Reason:
        if self.answer is None and self.keywords is not None:
            return reason_found(self, text, self.keywords, others, "keywords")
        match = self.measure(text, *others)
        message = "the output is the answer" if match else "the output is not the answer"
        if self.keywords is not None:
            message += '; "answer" is given, so the keywords were not looked for'
        return Reason(message, {"match": match})


def _fold_text(text: str) -> str:
    """The text in lower case, with single spaces."""
    return " ".join(text.lower().split())
