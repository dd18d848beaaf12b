"""Outputs that live in MLflow: the table of a run, or traces."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from pydantic import PositiveInt, model_validator

from evaluators.model.issues import problem
from evaluators.model.settings import Name, bad
from evaluators.scoring.needs import ROLES
from evaluators.testsets.platforms.fetching import Cells, PlatformRows, PlatformSource, row_cells

if TYPE_CHECKING:
    from mlflow import MlflowClient

_TABLES: Final = "mlflow.loggedArtifacts"
_EXPECTED: Final = ("expected", "expected_response", "expected_output", "ground_truth")
_PAGE: Final = 200


class MLflowRows(PlatformRows):
    """The table of a run in MLflow, or traces. `{mlflow: {run: ID}}`, `{mlflow: {traces: EXPERIMENT}}`."""

    platform: ClassVar[str] = "mlflow"

    uri: Name | None = None
    """Where the server or the store is; without it, what MLflow's variables say."""
    run: Name | None = None
    """The id of a run: its table, or with `traces` its traces alone."""
    table: Name | None = None
    """The file of the table among the run's artifacts; not needed where the run has one table."""
    traces: Name | None = None
    """The name of an experiment: its traces. Each is a row: `id` and `trace_id`, `input`, `output`, `expected`, and its tags."""
    filter: Name | None = None
    """Only traces for which this holds, in MLflow's own words: `tags.stage = 'test'`."""
    limit: PositiveInt | None = None
    """No more traces than so many, the latest ones."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        """Refuses settings that go with another kind of rows."""
        if self.run is None and self.traces is None:
            raise bad('a "run" or "traces" must be named', hint="{mlflow: {run: ID}} or {mlflow: {traces: EXPERIMENT}}")
        if self.traces is not None and self.table is not None:
            raise bad('"table" and "traces" cannot be together', hint="keep one of them")
        if self.traces is None and (self.filter is not None or self.limit is not None):
            raise bad('"filter" and "limit" belong to "traces"', hint="{mlflow: {traces: EXPERIMENT, limit: 100}}")
        return self

    def source(self) -> PlatformSource:
        """The rows of the run or of the traces that the settings name."""
        import mlflow

        client = mlflow.MlflowClient(tracking_uri=self.uri)
        if self.traces is None:
            return PlatformSource(f"MLflow run {self.run}", self._rows_of_table(client), ())
        name = f"MLflow traces of {self.traces}" + (f", run {self.run}" if self.run else "")
        return PlatformSource(name, self._rows_of_traces(client, self.traces), ROLES)

    def _rows_of_table(self, client: MlflowClient) -> Iterator[Cells]:
        """The rows of a table that a run has logged: the named one, or the only one there is. A cell that is null is left out."""
        from tempfile import TemporaryDirectory  # brings much along, and settings alone do not need it

        run = client.get_run(str(self.run))
        file = self.table or _only_table(run.data.tags.get(_TABLES), str(self.run))
        with (
            TemporaryDirectory() as folder,
            open(client.download_artifacts(self.run, file, folder), encoding="utf-8") as text,
        ):
            table = json.load(text)
        for row in table["data"]:
            yield {name: cell for name, cell in zip(table["columns"], row, strict=True) if cell is not None}

    def _rows_of_traces(self, client: MlflowClient, experiment: str) -> Iterator[Cells]:
        """The rows of the traces of an experiment, the oldest first; of more than `limit`, the newest."""
        known = client.get_experiment_by_name(experiment)
        if known is None:
            raise problem("no-such-experiment", f'MLflow has no experiment "{experiment}"', where="test_set")
        records: list[Any] = []
        token = None
        while self.limit is None or len(records) < self.limit:
            page = client.search_traces(
                locations=[known.experiment_id], run_id=self.run, filter_string=self.filter, max_results=_PAGE, page_token=token,
                order_by=["timestamp_ms DESC"], flush=True,
            )  # fmt: skip
            records += page
            token = page.token
            if not token:
                break
        records.sort(key=_time_of_trace)
        return map(_row, records if self.limit is None else records[-self.limit :])


def _only_table(tag: str | None, run: str) -> str:
    """The one table that the tag of a run names. Raises Problems where it names none, or several."""
    tables = [artifact["path"] for artifact in json.loads(tag or "[]") if artifact.get("type") == "table"]
    if len(tables) != 1:
        message = "has no table" if not tables else f"has several tables: {', '.join(tables)}"
        hint = f"{{mlflow: {{run: {run}, table: FILE}}}} names one"
        raise problem("which-table", f"the run {run} {message}", where="test_set", hint=hint)
    return str(tables[0])


def _time_of_trace(trace: Any) -> tuple[int, int, str]:
    """The key by which traces are ordered in time: when the trace began, to the millisecond, then its first span, then its id."""
    return trace.info.request_time, min((span.start_time_ns for span in trace.data.spans), default=0), trace.info.trace_id


def _row(trace: Any) -> dict[str, Any]:
    """The cells of a trace: input and output of its root span, expectations and tags."""
    info = trace.info
    root = next((span for span in trace.data.spans if span.parent_id is None), None)
    answers = {
        assessment.name: assessment.expectation.value
        for assessment in info.assessments or ()
        if getattr(assessment, "expectation", None)
    }
    tags = {f"tags.{name}": value for name, value in info.tags.items() if not name.startswith("mlflow.")}
    expectations = {f"expectation.{name}": value for name, value in answers.items()}
    inputs = root.inputs if root is not None else None
    return row_cells(
        {"id": info.trace_id, "input": inputs, "output": root.outputs if root is not None else None, "expected": _expected(answers)},
        {"trace_id": info.trace_id}, expectations, tags,
    )  # fmt: skip


def _expected(answers: Mapping[str, Any]) -> Any:
    """The expectation with a usual name, or the only one; None where there are several others, or none."""
    named = [answers[name] for name in _EXPECTED if name in answers]
    return (named or ([*answers.values()] if len(answers) == 1 else [None]))[0]
