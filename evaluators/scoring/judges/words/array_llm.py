"""The comparator `array_llm` of extract-bench: a judge says which items of two lists belong together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal, Self

import msgspec
from pydantic import AliasChoices, Field

from evaluators.model.issues import RowProblem
from evaluators.model.rows import Comparison
from evaluators.model.settings import spell
from evaluators.scoring.comparators._comparator import Question
from evaluators.scoring.judges.judge import ITEMS, JudgeAnswer, JudgeQuestion, unanswered_issue
from evaluators.scoring.judges.judged_comparator import JudgedComparator, ListTotals, match_but_for_case_and_spaces
from evaluators.scoring.values.equality import json_equal

_FORGIVING: Final = frozenset((
    "semantic", "string_semantic", "numeric", "number_exact", "number_tolerance", "integer_exact", "boolean",
    "boolean_exact", "date", "skip",
))  # fmt: skip
"""Comparators to which texts that differ in case and spaces alone are the same, or that compare no words."""


class ArrayLlm(JudgedComparator):
    """A judge looks at two whole lists and says which items belong together; the field earns the share that was found.

    The score is the number of matched items, divided by the expected ones. Items that only the output has cost nothing, unless
    `extra_items: penalize` counts them too. Lists that are equal match without a question; so do lists that differ in case and
    spaces alone, unless `items` names a comparator that tells these apart. In `schema_match` the list weighs as much as it has
    expected items in the overall score, and each item counts on its own in precision, recall and F1.

    An aligned list (`align: hungarian`) says more, costs nothing, and counts each field of an item. Use this where no rule
    can tell which items belong together.

    What the judge claims must add up: found and missing items are the expected ones, found and surplus items those of
    the output, and no item belongs to two. An answer in which they do not is none: the field is an error.
    """

    at_least: float = Field(0.7, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the lists match."""
    extra_items: Literal["ignore", "penalize"] = "ignore"
    """Whether items that only the output has lower the score."""
    items: Mapping[str, Any] | None = None
    """How the parts of an item are compared, for the judge to know: `{code: string_exact}`. A schema that says it of its items is
    enough."""

    def compare_without_judge(self, question: Question) -> Comparison | None:
        """The comparison where no judge is needed: a side is no list, one list is empty, or they are equal, perhaps but
        for case and spaces. None where a judge decides."""
        expected, actual = question.expected, question.actual
        if not isinstance(expected, list) or not isinstance(actual, list):
            return Comparison(0.0, False, "one of the two is no list")
        if json_equal(expected, actual):
            return self._comparison_of_equals(question, "equal")
        if not self._counts_case_and_spaces and (answer := match_but_for_case_and_spaces(question)):
            return self._comparison_of_equals(question, answer.reason)
        if expected and actual:
            return None
        return self._comparison_of(Claimed(0, len(expected), len(actual)), "one of the lists is empty")

    def params(self) -> dict[str, Any]:
        """The parameters that go to the judge, with the rules for the parts of an item."""
        return {**super().params(), **({ITEMS: dict(self.items)} if self.items else {})}

    def with_item_rules(self, rules: Mapping[str, Any]) -> Self:
        """A copy with these rules for the parts of an item; itself where the suite says them already."""
        if self.items is not None:
            return self
        comparator = self.model_copy(update={"items": rules})
        comparator.__dict__.pop("identity", None)
        return comparator

    @cached_property
    def _counts_case_and_spaces(self) -> bool:
        """Whether case and spaces may count in some part of an item, by the comparators that `items` names."""
        return any(
            _word_of_rule(rule) not in _FORGIVING
            for rules in (self.items or {}).values()
            for rule in (rules if isinstance(rules, list | tuple) else [rules])
        )

    def _comparison_of_equals(self, question: Question, reason: str | None) -> Comparison:
        """The comparison of two equal lists, in which each item is paired with the item at its index."""
        size = len(question.expected)
        details: dict[str, Any] = {**Claimed(size, 0, 0).counts, "pairs": [[at, at] for at in range(size)]}
        return Comparison(1.0, True, reason, details)

    def list_totals(self) -> ListTotals:
        return ListTotals(self.extra_items == "penalize", Fraction(str(self.at_least)))

    def why_refused(self, question: Question, answer: JudgeAnswer) -> str | None:
        """Why an answer cannot be used: its pairs and counts do not fit the two lists. None for one that can."""
        try:
            read_claims(answer.details, question.expected, question.actual)
        except ValueError as error:
            return f"it does not add up: {error}"
        return None

    def score_of(self, question: Question, answer: JudgeAnswer) -> float | None:
        """The score of the pairs that the judge claims; None where they do not fit the two lists."""
        try:
            return self._comparison_of(read_claims(answer.details, question.expected, question.actual), None).score
        except ValueError:
            return None

    def comparison_of_answer(self, question: JudgeQuestion, answer: JudgeAnswer) -> Comparison | RowProblem:
        """The comparison that an answer makes, or the problem where its pairs do not fit the two lists."""
        try:
            claimed = read_claims(answer.details, question.expected, question.actual)
        except ValueError as error:
            message = f"the judge's verdict on the two lists does not add up: {error}"
            return RowProblem(unanswered_issue("bad-answer", message, "the field is an error, and no score is guessed"))
        return self._comparison_of(claimed, answer.reason)

    def _comparison_of(self, claimed: Claimed, reason: str | None) -> Comparison:
        """The comparison of two lists for the counts that a judge claims. Its score is the share of items that match."""
        whole = claimed.matched + claimed.missed + (claimed.spurious if self.extra_items == "penalize" else 0)
        share = Fraction(claimed.matched, whole) if whole else Fraction(0)
        counted = f"{claimed.matched} matched, {claimed.missed} missed, {claimed.spurious} spurious"
        details: dict[str, Any] = dict(claimed.counts)
        if claimed.pairs is not None:
            details["pairs"] = [list(pair) for pair in claimed.pairs]
        reason = f"{counted}: {reason}" if reason else counted
        return Comparison(float(share), share >= Fraction(str(self.at_least)), reason, details, share.as_integer_ratio())


def _word_of_rule(rule: object) -> str:
    """The comparator that a rule names: the first word of `string_fuzzy {threshold: 0.9}`, or the key of a one-key map."""
    return next(iter(map(str, rule)), "") if isinstance(rule, Mapping) else str(rule).split(" ")[0]


class Claimed(msgspec.Struct, frozen=True):
    """The counts and pairs that a judge's verdict on two lists claims."""

    matched: int
    missed: int
    spurious: int
    pairs: tuple[tuple[int, int], ...] | None = None
    """The places of items that belong together, in the expected list and in the output's; None where it names none."""

    @property
    def counts(self) -> dict[str, int]:
        """The three counts by name."""
        return {"matched": self.matched, "missed": self.missed, "spurious": self.spurious}


def read_claims(details: Mapping[str, Any], expected: Sequence[Any], actual: Sequence[Any]) -> Claimed:
    """The counts of a judge's verdict, and the pairs that it names (None where it names none), read from its `details`. Raises ValueError,
    in words, where they do not add up to the items of the two lists."""
    matched, missed, spurious = (_count(details, name) for name in ("matched", "missed", "spurious"))
    for side, whole, unmatched, name in (
        ("expected", len(expected), missed, "missed"), ("output", len(actual), spurious, "spurious"),
    ):  # fmt: skip
        if matched + unmatched != whole:
            raise ValueError(f"{matched} matched and {unmatched} {name}, and the {side} list has {whole}")
    pairs = _pairs(details["pairs"], len(expected), len(actual)) if details.get("pairs") is not None else None
    if pairs is not None and len(pairs) != matched:
        raise ValueError(f"{matched} matched, and {len(pairs)} pairs")
    return Claimed(matched, missed, spurious, pairs)


def _count(details: Mapping[str, Any], name: str) -> int:
    """The count `name` among the details of an answer, as a whole number. Raises ValueError for what is no count."""
    value = details.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f'"{name}" must be a count; found {spell(value)}')
    return value


def _pairs(data: object, rows: int, columns: int) -> tuple[tuple[int, int], ...]:
    """The pairs (place in the expected list, place in the output's) that a judge named, sorted. The lists have `rows` and `columns` items.
    Raises ValueError for what is no pair, for a place that no item has, and for two pairs that share an item."""
    listed = data if isinstance(data, list) else [data]  # what is no list is refused as one that is no pair
    pairs = [
        (item[0], item[1]) for item in listed if isinstance(item, list) and [type(part) for part in item] == [int, int]
    ]
    if len(pairs) != len(listed):
        raise ValueError(f"a pair is two places of items; found {spell(data)}")
    for one, other in pairs:
        if not (0 <= one < rows and 0 <= other < columns):
            raise ValueError(f"there is no pair of the places {one} and {other}")
    if len({one for one, _ in pairs}) < len(pairs) or len({other for _, other in pairs}) < len(pairs):
        raise ValueError("an item belongs to two others")
    return tuple(sorted(pairs))
