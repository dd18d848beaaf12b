"""What the two field-match types share: the scoring of top-level keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property, partial
from typing import Any, ClassVar

from evaluators.builtin._evaluator import (
    Check,
    Expected,
    Needs,
    Output,
    ScoredFields,
    SurplusRules,
    TreeEvaluator,
    Unreadable,
)
from evaluators.fields.open_check import OpenCheck, WrongLeaves, explain_open
from evaluators.fields.open_tree import OpenTree
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, FieldResult, Score, Standing, Verdict
from evaluators.values.quoting import kind


class TopLevelMatch(TreeEvaluator):
    """An evaluator of top-level keys, which `tree` compares."""

    parts: ClassVar[bool] = False
    """Equal parts of the two objects are one object; see `Output`."""

    @cached_property
    def tree(self) -> OpenTree:
        """What counts among the top-level keys. Implemented by `json_field_match` and `json_field_match_normalized`."""
        raise NotImplementedError  # the contract: each type says how keys are compared

    @cached_property
    def wrong_leaves(self) -> WrongLeaves:
        """What evidence is made with."""
        return WrongLeaves(self.tree)

    def scored_fields(self) -> ScoredFields:
        surplus = SurplusRules(keys=self.tree.penalize_extra)
        return ScoredFields(tree=self.tree, surplus=surplus, wrong=self._wrong)

    def needs(self) -> Needs:
        expected = Expected(self.column("expected"))
        return expected, Output(self.column("output"), "object", beside=expected, parts=self.parts)

    def _wrong(self, verdict: Verdict, wanted: Collection[str], *values: Any) -> Iterable[FieldResult]:
        expected, output = values
        return self.wrong_leaves(expected, output, wanted)

    def explain(self, expected: Any, output: Any) -> Score:
        return explain_keys(self.tree, expected, output)

    def compile(self) -> Check:
        return compile_keys(self.tree, self.pass_at)

    def unreadable(self) -> Unreadable:
        return Unreadable(partial(explain_missing_keys, self.tree), compile_missing)


def explain_keys(tree: OpenTree, expected: Any, output: Any) -> Score:
    """The share of the expected top-level keys that match; an empty expected object is a match, and says so.

    Raises RowProblem when the expected document is no object.
    """
    if not isinstance(expected, dict):
        raise no_object(expected)
    if vacuous(tree, expected, output):
        return Score(
            1.0, reason="the expected object is empty, so nothing was compared", details={"empty_expected": True}
        )
    return explain_open(tree, expected, output)


def no_object(expected: Any) -> RowProblem:
    """The test set's problem with an expected document that has no keys to compare, ready to raise."""
    message = f"an object was expected, the cell holds {kind(expected)}"
    return RowProblem(Issue("expected-not-object", Blame.TESTSET, message))


def vacuous(tree: OpenTree, expected: Any, output: Any) -> bool:
    """Nothing is expected, and nothing in the output counts against it."""
    return not expected and output is not MISSING and not (tree.penalize_extra and output)


EMPTY_EXPECTED = Verdict(Standing.SCORED, True, 1, 1, counts=(0, 0, 0, 0))
"""The verdict of a row that expects nothing: 1.0, counted apart, since nothing was compared."""


def compile_keys(tree: OpenTree, pass_at: float) -> OpenCheck:
    """The fast check of top-level keys."""
    return KeyCheck(tree, pass_at)


class KeyCheck(OpenCheck):
    """The check of an open tree of depth 1, in which an empty expected object is a match."""

    def __call__(self, expected: Any, output: Any) -> Verdict:
        if expected.__class__ is not dict:
            raise no_object(expected)
        if not expected and vacuous(self.tree, expected, output):
            return EMPTY_EXPECTED
        counts = self.count(expected, output)
        return self._known.get(counts) or self._verdict(counts)


def explain_missing_keys(tree: OpenTree, issue: Issue, expected: Any, _: Any = MISSING) -> Score:
    """What an unreadable output costs: every expected key."""
    if not isinstance(expected, dict):
        raise no_object(expected)
    missing = explain_open(tree, expected, MISSING)
    return Score(0.0, False, missing.fields, issue.message, standing=Standing.UNREADABLE)


def compile_missing(check: Check) -> Check:
    """The fast form: the verdict of an output that has nothing, with a score of 0."""

    def missing(expected: Any, _: Any) -> Verdict:
        return check(expected, MISSING)._replace(standing=Standing.UNREADABLE, passed=False, num=0, den=1)

    return missing
