"""What the two field-match types share: the scoring of top-level keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
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
from evaluators.fields.open_check import OpenCheck, lost_output
from evaluators.fields.open_rows import explain_open
from evaluators.fields.open_tree import OpenTree
from evaluators.fields.path_check import ScoredRow
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, Score, Standing, Verdict
from evaluators.values.quoting import kind


class TopLevelMatch(TreeEvaluator):
    """An evaluator of top-level keys, which `tree` compares."""

    parts: ClassVar[bool] = False
    """Equal parts of the two objects are one object; see `Output`."""

    @cached_property
    def tree(self) -> OpenTree:
        """What counts among the top-level keys. Implemented by `json_field_match` and `json_field_match_normalized`."""
        raise NotImplementedError  # the contract: each type says how keys are compared

    def scored_fields(self) -> ScoredFields:
        surplus = SurplusRules(keys=self.tree.penalize_extra)
        return ScoredFields(tree=self.tree, surplus=surplus)

    def needs(self) -> Needs:
        expected = Expected(self.column("expected"))
        return expected, Output(self.column("output"), "object", beside=expected, parts=self.parts)

    def explain(self, expected: Any, output: Any) -> Score:
        return explain_keys(self.tree, expected, output)

    def compile(self) -> Check:
        return KeyCheck(self.tree, self.pass_at)

    def unreadable(self) -> Unreadable:
        return Unreadable(self._explain_missing, lost=lost_output)

    def _explain_missing(self, issue: Issue, expected: Any, _: Any) -> Score:
        return explain_keys(self.tree, expected, MISSING, issue)


def explain_keys(tree: OpenTree, expected: Any, output: Any, unreadable: Issue | None = None) -> Score:
    """The share of the expected top-level keys that match; an empty expected object is a match, and says so. An unreadable output
    costs every expected key.

    Raises RowProblem when the expected document is no object.
    """
    if not isinstance(expected, dict):
        raise RowProblem(no_object(expected))
    return explain_open(tree, expected, output, unreadable)


def no_object(expected: Any) -> Issue:
    """The test set's problem with an expected document that has no keys to compare."""
    return Issue("expected-not-object", Blame.TESTSET, f"an object was expected, the cell holds {kind(expected)}")


EMPTY_EXPECTED = Verdict(Standing.SCORED, True, 1, 1, counts=(0, 0, 0, 0))
"""The verdict of a row that expects nothing: 1.0, counted apart, since nothing was compared."""


class KeyCheck(OpenCheck):
    """The check of an open tree of depth 1, in which an empty expected object is a match. Every expected document is an object."""

    def __call__(self, *values: Any) -> Verdict:
        if values[0].__class__ is not dict:
            raise RowProblem(no_object(values[0]))
        return super().__call__(*values)

    def score(self, *columns: Sequence[Any]) -> list[ScoredRow]:
        apart: dict[int, ScoredRow | None] = {}
        for at, (expected, output) in enumerate(zip(*columns, strict=True)):
            if expected.__class__ is not dict:
                apart[at] = ScoredRow(Verdict(Standing.INVALID, None, 0, 0, issue=no_object(expected)))
            elif not expected and self.tree.vacuous(expected, output):
                apart[at] = None
        if not apart:
            return super().score(*columns)
        found = super().score(*[[{} if at in apart else one for at, one in enumerate(side)] for side in columns])
        for at, row in apart.items():
            found[at] = found[at]._replace(verdict=EMPTY_EXPECTED) if row is None else row
        return found
