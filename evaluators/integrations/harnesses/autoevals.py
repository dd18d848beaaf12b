"""autoevals and Braintrust: scorers for `Eval`.

    Eval("invoices", data=data, task=task, scores=suite_functions("suite.yaml"))

There is one scorer for the overall score and one for each evaluator of the suite. As functions for Braintrust they also give a score for
each field; as autoevals' own `Scorer`, which has one score, the fields are in the metadata. One that cannot measure a row raises, which
Braintrust keeps as an error of that scorer. A row that is left out has no score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of
from evaluators.reports.names import segment
from evaluators.reports.rows import FieldView
from evaluators.runs.overall import OVERALL

with needs("autoevals", "autoevals"):
    from autoevals import Score, Scorer


class PartScorer(Scorer):
    """One part of a suite: keys of `input` and `metadata` are columns."""

    def __init__(self, suite: AnySuite, part: str = OVERALL, *, columns: Places | None = None) -> None:
        """`part` is an evaluator by its name. Raises Problems with all that is wrong with the suite."""
        self.suite = scorer_of(suite, columns)
        self.part = self.suite.register_part(part)

    def _name(self) -> str:
        """The name of the score, which autoevals asks for."""
        return segment(self.part)

    def _run_eval_sync(
        self, output: Any, expected: Any = None, input: Any = None, metadata: Any = None, **more: Any
    ) -> Score:
        """The score. Raises RowError when something other than the output kept it from being measured."""
        whole, *fields = self.scores(output, expected, input, metadata, more)
        about = {**whole.metadata, "reason": whole.reason, "fields": {field.path: field.score for field in fields}}
        return Score(name=self._name(), score=whole.score, metadata=about)

    def scores(
        self, output: Any, expected: Any, input: Any, metadata: Any, more: Mapping[str, Any]
    ) -> tuple[FieldView, ...]:
        """The score of the part and those of its fields. Raises RowError when it could not be measured."""
        own = {"input": input, "output": output, "expected": expected, "metadata": metadata, **more}
        return self.suite.score_part(self.part, HostRow(own, output, expected, input, more=[metadata]))


def suite_scorers(suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> list[PartScorer]:
    """The overall score and every evaluator of a suite. They share one `suite`, and a row is scored once."""
    shared = scorer_of(suite, columns, overall)
    return [PartScorer(shared, part) for part in shared.parts]


def suite_functions(
    suite: AnySuite, *, columns: Places | None = None, overall: str | None = None
) -> list[Callable[..., list[Score]]]:
    """A function for Braintrust for each evaluator of a suite, and one for the overall score, called `overall`, where the suite or this
    gives it a name. Each function gives the score of its evaluator, and one for each field. `columns` says where the cells are found."""
    return [_function(scorer) for scorer in suite_scorers(suite, columns=columns, overall=overall)]


def _function(scorer: PartScorer) -> Callable[..., list[Score]]:
    """The function that Braintrust calls for one evaluator, or for the overall score; its name is that of the score."""

    def scores(input: Any, output: Any, expected: Any = None, metadata: Any = None, **more: Any) -> list[Score]:
        """The score of the part and those of its fields; what Braintrust gives in `more` may be a column, too. Raises RowError where the
        row could not be measured."""
        scores = scorer.scores(output, expected, input, metadata, more)
        return [
            Score(name=score.name, score=score.score, metadata={**score.metadata, "reason": score.reason})
            for score in scores
        ]

    scores.__name__ = segment(scorer.part)
    return scores
