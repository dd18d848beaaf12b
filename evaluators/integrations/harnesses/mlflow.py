"""MLflow: a scorer for `mlflow.genai.evaluate`, and metrics for tables in `mlflow.models.evaluate`.

    scores = SuiteFeedback("suite.yaml")
    mlflow.genai.evaluate(data=rows, scorers=[scores])
    scores.suite.metrics()

Each score is a feedback: the overall one, each evaluator's, each field's. MLflow averages the rows that have a number, and the run has
`overall/mean`, `overall/pass_rate`, `overall/scored` and `header/mean` as a run that the tracker `mlflow` sends; `scores.suite` has our
metrics, with the rows that have none.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from pydantic import PrivateAttr

from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._row_scores import RowScores, names_of
from evaluators.integrations.harnesses._scorer import AnySuite, SuiteScorer, scorer_of
from evaluators.model.rows import MISSING
from evaluators.reports.names import field_name, segment
from evaluators.reports.rows import FieldView
from evaluators.runs.overall import OVERALL
from evaluators.scoring.values.json_text import to_text

with needs("mlflow", "mlflow"):
    from mlflow.entities import AssessmentError, AssessmentSource, AssessmentSourceType, Feedback
    from mlflow.genai.scorers import Scorer
    from mlflow.metrics import MetricValue, make_metric


class SuiteFeedback(Scorer):
    """A suite as an MLflow scorer. `outputs` is the output, `expectations` the expected answer, keys of `inputs` are columns."""

    name: str = OVERALL
    """MLflow asks the scorer that is called as a feedback how to add its values up."""
    _suite: SuiteScorer = PrivateAttr()
    _passed: list[bool | None] = PrivateAttr(default_factory=list)
    """Whether rows with an overall score passed, in the order in which they were scored."""

    def __init__(
        self, suite: AnySuite, *, columns: Places | None = None, overall: str | None = None, **rest: Any
    ) -> None:
        """`columns` are places such as `inputs.shop` or `expectations.gold`. Raises Problems with all that is wrong with the suite."""
        super().__init__(**{"aggregations": ["mean", self._pass_rate_metric(), scored], **rest})
        self._suite = scorer_of(suite, columns, overall)

    @property
    def suite(self) -> SuiteScorer:
        """The scorer behind this one, which has our own metrics of the rows that were scored."""
        return self._suite

    def __call__(
        self, *, inputs: Any = None, outputs: Any = None, expectations: Any = None, trace: Any = None
    ) -> list[Feedback]:
        """Scores one row and gives a feedback for each score, the overall one first, then evaluators, then fields. The row counts in the
        metrics of `suite`, and its verdict in the pass rate where it has an overall score."""
        own = {"inputs": inputs, "outputs": outputs, "expectations": expectations, "trace": trace}
        scores = self._suite.score(HostRow(own, outputs, expectations or MISSING, inputs))
        if scores.overall.score is not None:
            self._passed.append(scores.overall.passed)
        whole, fields = scores.overall, [score for score in scores.every_score if score.path is not None]
        named = [score for score in scores.every_score if score.path is None and score.name != whole.name]
        return [
            _feedback(score, self._suite.suite) for score in (whole, *named, *fields)
        ]  # in this order a table of runs has its columns

    def _pass_rate_metric(self) -> Any:
        """A function for MLflow that gives the pass rate of an evaluation. MLflow hands it the scores of the rows, which are
        the last ones that were scored: so it looks at as many of the overall verdicts that were noted, from the end."""

        def pass_rate(values: list[float]) -> float | None:
            """The share of rows that pass, among as many rows as there are values; None where none is decided."""
            first = max(0, len(self._passed) - len(values))
            decided = [passed for passed in self._passed[first:] if passed is not None]
            return decided.count(True) / len(decided) if decided else None

        return pass_rate


def scored(values: list[float]) -> float:
    """How many rows have a score."""
    return float(len(values))


def table_metrics(suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> list[Any]:
    """Metrics for `mlflow.models.evaluate(extra_metrics=…)`: one for each score whose name depends on the suite alone.

    `predictions` are the outputs, `targets` the expected answers, and the columns that the suite names are taken from the data, from the
    places that `columns` names; `overall` names the evaluator that is the overall score. The aggregates are ours: the mean and the pass
    rate over the scored rows, and how many these are. Such a metric has no slash in its name: `header.field.number`.
    """
    table = _Table(scorer_of(suite, columns, overall))
    return [
        make_metric(eval_fn=table.function(name), greater_is_better=True, name=name.replace("/", "."))
        for name in names_of(table.suite.suite.lines, table.suite.fields)
    ]


class _Table:
    """One table for all of its metrics: it is scored when it is not the one of last time."""

    def __init__(self, suite: SuiteScorer) -> None:
        self.suite = suite
        self._cells: dict[str, list[Any]] | None = None
        self._scores: list[RowScores] = []

    def function(self, name: str) -> Any:
        """The function of one metric. Its signature names the columns that the suite reads."""

        columns = [column for column in self.suite.suite.named_columns() if column.isidentifier()]
        wanted = list(dict.fromkeys(["predictions", "targets", "metrics", *columns]))

        def value(*values: Any) -> Any:
            """The metric over a table, whose columns come in the order of `wanted`. A row that has no such score is None."""
            columns = dict(zip(wanted, values, strict=True))
            del columns["metrics"]
            rows = self._score_rows({"output": columns.pop("predictions"), "expected": columns.pop("targets"), **columns})
            views = [next((score for score in row.every_score if score.name == name), None) for row in rows]
            return MetricValue(
                scores=[view.score if view is not None else None for view in views],
                justifications=[
                    (view.error or view.reason or view.label) if view is not None else None for view in views
                ],
                aggregate_results=self._aggregates(name),
            )

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(each, kind) for each in wanted])
        value.__signature__ = signature  # type: ignore[attr-defined]  # functions have one
        return value

    def _score_rows(self, columns: Mapping[str, Any]) -> list[RowScores]:
        """Scores the rows of a table, by its columns, and gives their scores. A table that equals the one before is not scored again; any
        other resets `suite`, for a new run, and is remembered with its scores."""
        cells = {name: list(values) for name, values in columns.items() if values is not None}
        if cells != self._cells:
            self.suite.reset()
            rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
            self._scores = [
                self.suite.score(HostRow(row, row["output"], row.get("expected", MISSING), more=[row])) for row in rows
            ]
            self._cells = cells
        return self._scores

    def _aggregates(self, name: str) -> dict[str, float]:
        """The aggregates of the score called `name` over the rows: of an evaluator its mean, pass rate and count, of a field its accuracy
        and count. Those without a value are left out; the overall score has none."""
        result = self.suite.result()
        mine = [evaluator for evaluator in result.evaluators if segment(evaluator.name) == name]
        if mine:
            metrics = {"mean": mine[0].mean, "pass_rate": mine[0].pass_rate, "scored": mine[0].scored}
        else:
            fields = {
                f"{segment(evaluator.name)}/field/{field_name(each.path)}": each
                for evaluator in result.evaluators
                for each in evaluator.fields
            }
            field = fields.get(name)
            metrics = {"accuracy": field.accuracy, "measured": field.counts.n} if field is not None else {}
        return {key: float(value) for key, value in metrics.items() if value is not None}


def _feedback(view: FieldView, suite: Suite) -> Feedback:
    """A score as a feedback of MLflow, with its error, its reason, its label and the fingerprint of the suite."""
    error = (
        AssessmentError(error_code=view.status.word.upper(), error_message=view.error) if view.error is not None else None
    )
    metadata = {key: value if isinstance(value, str) else to_text(value) for key, value in view.metadata.items()}
    return Feedback(
        name=view.name,
        value=view.score,
        error=error,
        rationale=view.reason,
        source=AssessmentSource(source_type=AssessmentSourceType.CODE, source_id=f"evaluators/{suite.name}"),
        metadata={**metadata, "label": view.label, "suite_fingerprint": suite.fingerprint},
    )
