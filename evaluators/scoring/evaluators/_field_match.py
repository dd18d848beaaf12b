"""What the two field-match types share: the scoring of top-level keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import Result, RowStatus
from evaluators.scoring.evaluators._evaluator import Expected, Needs, Output, ScoredFields, TreeEvaluator
from evaluators.scoring.fields.open_rows import OpenCheck
from evaluators.scoring.fields.open_tree import OpenTree
from evaluators.scoring.fields.row_checks import ScoredRow, ScoredRows
from evaluators.scoring.values.quoting import kind


class TopLevelMatch(TreeEvaluator):
    """An evaluator of top-level keys, which `tree` compares."""

    @cached_property
    def tree(self) -> OpenTree:
        """The settings by which the top-level keys of two documents are walked. Both types of top-level keys implement it."""
        raise NotImplementedError  # the contract: each type says how keys are compared

    def scored_fields(self) -> ScoredFields:
        """The fields that the documents have, at their top level; none are listed."""
        return ScoredFields(tree=self.tree, extra_keys_count=self.tree.penalize_extra)

    def needs(self) -> Needs:
        """The expected document, and the object in the output."""
        expected = Expected(self.column("expected"))
        return expected, Output(self.column("output"), "object", beside=expected)

    def check(self) -> KeyCheck:
        return KeyCheck(self.tree, self.pass_at)


class KeyCheck(OpenCheck):
    """The check of the top level of documents. An expected document that is no object costs its own row the score."""

    def score_row(self, *values: Any) -> ScoredRow:
        """The scored row of one pair of documents (expected, output). Raises RowProblem for an expected one that is no object."""
        _check_object(values[0])
        return super().score_row(*values)

    def row_to_explain(self, *values: Any) -> ScoredRows:
        """The row of one pair of documents, for its reasons. Raises RowProblem for an expected document that is no object."""
        _check_object(values[0])
        return super().row_to_explain(*values)

    def score(self, *columns: Sequence[Any]) -> list[ScoredRow]:
        """The scored rows of two columns, expected documents and outputs. A row whose expected document is no object is invalid."""
        odd = {at: document for at, document in enumerate(columns[0]) if document.__class__ is not dict}
        if odd:  # {} on both sides keeps their places, so that the other rows keep theirs
            columns = tuple([{} if at in odd else document for at, document in enumerate(side)] for side in columns)
        scored = super().score(*columns)
        for at, document in odd.items():
            scored[at] = ScoredRow(Result(RowStatus.INVALID, None, 0, 0, issue=_no_object(document)))
        return scored


def _no_object(expected: Any) -> Issue:
    """The test set's problem with an expected document that has no keys to compare."""
    return Issue("expected-not-object", Blame.TESTSET, f"an object was expected, the cell holds {kind(expected)}")


def _check_object(expected: Any) -> None:
    """Raises RowProblem for an expected document that is no object."""
    if expected.__class__ is not dict:
        raise RowProblem(_no_object(expected))
