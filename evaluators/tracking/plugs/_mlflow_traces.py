"""Rows as traces of MLflow, with a feedback for every evaluator and field; and feedback on traces that were there before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from evaluators.issues import Problems, problem
from evaluators.run.record import RunRecord
from evaluators.tracking.assessments import AssessedRow, Assessment, assessed_rows
from evaluators.tracking.metric_names import fitted
from evaluators.tracking.tracker import run_key

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Feedback

ROW: Final = "evaluators.row"
_RUN: Final = "mlflow.assessment.sourceRunId"
_TAG: Final = 250
_STORE: Final = "MLFLOW_TRACKING_URI"


@contextmanager
def traces_go_to(uri: str) -> Iterator[None]:
    """Traces go to this store while the context lasts, and all of them are there at its end, also when it is left by an error.

    What the program or the environment had named before holds again afterwards.
    """
    import mlflow

    of_environment = os.environ.pop(_STORE, None)
    of_program = mlflow.get_tracking_uri() if mlflow.is_tracking_uri_set() else None
    mlflow.set_tracking_uri(uri)
    try:
        yield
    finally:
        mlflow.flush_trace_async_logging()
        mlflow.set_tracking_uri(of_program)
        if of_environment is not None:
            os.environ[_STORE] = of_environment


def send_traces(
    client: MlflowClient, record: RunRecord, experiment: str, run_id: str, most: int, column: str | None
) -> None:
    """Gives traces their feedback: those that `column` names, else a new one for each of the first `most` rows.

    What was sent before is left as it is. Raises Problems (testset) when `column` names no trace in any row.
    """
    if column is None:
        _on_new_traces(client, record, experiment, run_id, most)
        return
    found = 0
    for row in assessed_rows(record):
        trace_id = (row.row.cells or {}).get(column)
        if isinstance(trace_id, str) and trace_id.strip():
            _assess(client, trace_id.strip(), run_id, record, row)
            found += 1
    if not found:
        raise _no_ids(column)


def _on_new_traces(client: MlflowClient, record: RunRecord, experiment: str, run_id: str, most: int) -> None:
    import mlflow

    there = {trace.info.tags.get(ROW): trace.info.trace_id for trace in _traces_of(client, experiment, run_id)}
    rows = [(_row_name(row), row) for row in assessed_rows(record, most)]
    made = {name: _trace(client, record, experiment, run_id, name, row) for name, row in rows if name not in there}
    mlflow.flush_trace_async_logging()
    for name, row in rows:
        _assess(client, {**there, **made}[name], run_id, record, row)


def _traces_of(client: MlflowClient, experiment: str, run_id: str) -> Iterator[Any]:
    token = None
    while True:
        page = client.search_traces(
            locations=[experiment], run_id=run_id, include_spans=False, max_results=500, page_token=token
        )  # fmt: skip
        yield from page
        token = page.token
        if not token:
            return


def _row_name(row: AssessedRow) -> str:
    return str(row.row.number) if row.variant is None else f"{row.variant}/{row.row.number}"


def _trace(client: MlflowClient, record: RunRecord, experiment: str, run_id: str, name: str, row: AssessedRow) -> str:
    """A trace of a row: what the model was given, and what it answered."""
    cells, roles = dict(row.row.cells or {}), record.result.columns
    output = cells.pop(roles["output"], None) if "output" in roles else None
    tags = {ROW: name, "evaluators.id": row.row.id, "evaluators.run_key": run_key(record)}
    for each in row.assessments:
        if each.path is None:
            tags[fitted(f"evaluators.status.{each.name}", _TAG)] = each.label
    if row.variant is not None:
        tags["evaluators.variant"] = row.variant
    span = client.start_trace(row.row.id or name, inputs=cells, tags=tags, experiment_id=experiment, run_id=run_id)
    client.end_trace(span.trace_id, outputs=output)
    return str(span.trace_id)


def _assess(client: MlflowClient, trace_id: str, run_id: str, record: RunRecord, row: AssessedRow) -> None:
    import mlflow

    known = client.get_trace(trace_id, display=False).info.assessments or ()
    there = {one.name for one in known if (one.metadata or {}).get(_RUN) == run_id}
    for feedback in _feedbacks(row.assessments, run_id, record):
        if feedback.name not in there:
            mlflow.log_assessment(trace_id, feedback)


def _feedbacks(assessments: Iterable[Assessment], run_id: str, record: RunRecord) -> Iterator[Feedback]:
    """A feedback for each score, and for each error. What was left out of the row has none."""
    from mlflow.entities import AssessmentError, AssessmentSource, Feedback

    for one in assessments:
        if not one.measured:
            continue
        error = None if one.error is None else AssessmentError(one.error.code, one.error.message)
        about = {_RUN: run_id, "status": one.label, "suite": record.result.suite_fingerprint}
        if one.path is not None:
            about["path"] = one.path
        if one.passed is not None:
            about["passed"] = "true" if one.passed else "false"
        yield Feedback(
            name=fitted(one.name, _TAG), value=one.score, error=error, rationale=one.reason, metadata=about,
            source=AssessmentSource(source_type="CODE", source_id=f"evaluators/{one.evaluator}"),
        )  # fmt: skip


def _no_ids(column: str) -> Problems:
    return problem(
        "no-trace-ids",
        f'no kept row has the id of a trace in the column "{column}"',
        hint="`trace_column` names the column with MLflow's trace ids; `results: {documents: all}` keeps the cells of all rows",
    )
