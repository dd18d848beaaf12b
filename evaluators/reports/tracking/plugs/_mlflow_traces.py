"""Rows as traces of MLflow, with a feedback for every evaluator and field; and feedback on traces that were there before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from evaluators.model.issues import Problems, problem
from evaluators.reports.names import fit_name
from evaluators.reports.rows import RowView, row_views, scores_of, whole_view, wrong_rows_first
from evaluators.reports.tracking.sending import with_progress
from evaluators.reports.tracking.tracker import RowProgress, RowTracker, run_key
from evaluators.runs.reader import Run

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Assessment as Assessed
    from mlflow.entities import Expectation, Feedback

ROW: Final = "evaluators.row"
EXPECTED: Final = "expected_response"
_RUN: Final = "mlflow.assessment.sourceRunId"
_TAG: Final = 250
_STORE: Final = "MLFLOW_TRACKING_URI"


@contextmanager
def traces_go_to(uri: str) -> Iterator[None]:
    """Inside the `with`, MLflow sends traces to the store at `uri`; at its end all have been sent, also after an error.

    Then the store that the program or the environment had named before is set again.
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
    client: MlflowClient,
    record: Run,
    runs: Mapping[str | None, str],
    experiment: str,
    settings: RowTracker,
    column: str | None,
    progress: RowProgress,
) -> None:
    """Gives traces their feedback: those that `column` names, else a new one for each of the first `settings.trace_rows` rows.

    `runs` are the ids of the runs by variant, and `experiment` is the id of theirs; `progress` is told how many rows are done. What was
    sent before is left as it is. Raises Problems (testset) when `column` names no trace in any row.
    """
    if column is None:
        _send_new_traces(client, record, runs, experiment, settings, progress)
        return
    rows = [(trace_id, row) for row in row_views(record) if (trace_id := _trace_id(row, column))]
    for trace_id, row in with_progress(rows, len(rows), progress):
        known = client.get_trace(trace_id, display=False).info.assessments or ()
        _assess(trace_id, known, runs[row.variant], _feedbacks(row, runs[row.variant], record))
    if not rows:
        raise _no_ids(column)


def _trace_id(row: RowView, column: str) -> str | None:
    """The id of a trace in a column of a row; None or empty where the cell holds none or was not kept."""
    cell = (row.cells or {}).get(column)
    return cell.strip() if isinstance(cell, str) else None


def _send_new_traces(
    client: MlflowClient,
    record: Run,
    runs: Mapping[str | None, str],
    experiment: str,
    settings: RowTracker,
    progress: RowProgress,
) -> None:
    """Makes a trace for each row, those with something wrong first, and puts expectations and feedback on it.

    A row whose trace is there already gets no second one. `runs` has the id of the run of each variant; of each variant at most
    `settings.trace_rows` rows are sent.
    """
    import mlflow

    rows = [
        (runs[variant], str(row.number) if variant is None else f"{variant}/{row.number}", row)
        for variant in record.each_variant
        for row in wrong_rows_first(row_views(record, (variant,)), settings.trace_rows)
    ]
    progress(0, len(rows))
    there = {
        (run_id, trace.info.tags.get(ROW)): trace.info
        for run_id in dict.fromkeys(runs.values())
        for trace in _traces_of(client, experiment, run_id)
    }
    made = {
        (run_id, name): _create_trace(client, record, experiment, run_id, name, row, settings.environment)
        for run_id, name, row in rows
        if (run_id, name) not in there
    }
    mlflow.flush_trace_async_logging()
    for run_id, name, row in with_progress(rows, len(rows), progress):
        known = there.get((run_id, name))
        trace_id = known.trace_id if known is not None else made[run_id, name]
        wanted = [*_expectations(row, run_id, record), *_feedbacks(row, run_id, record)]
        _assess(trace_id, (known.assessments or ()) if known is not None else (), run_id, wanted)


def _traces_of(client: MlflowClient, experiment: str, run_id: str) -> Iterator[Any]:
    """All traces of a run without their spans, asked for page by page. `experiment` and `run_id` are MLflow's ids."""
    token = None
    while True:
        page = client.search_traces(
            locations=[experiment], run_id=run_id, include_spans=False, max_results=500, page_token=token
        )  # fmt: skip
        yield from page
        token = page.token
        if not token:
            return


def _create_trace(
    client: MlflowClient, record: Run, experiment: str, run_id: str, name: str, row: RowView, environment: bool
) -> str:
    """Makes the trace of a row, called `name`, and returns its id. Its output is that of the row. Its inputs are the input column, and the
    remaining cells are attributes of its span; without an input column they are the inputs. The expected answer and the id are left out.
    With `environment` it also says on which machine, by which program, it was made."""
    cells, roles = dict(row.cells or {}), record.result.columns
    output = cells.pop(roles["output"], None) if "output" in roles else None
    cells.pop(roles.get("expected", ""), None)
    cells.pop(roles.get("id", ""), None)
    inputs = cells.pop(roles["input"], None) if "input" in roles else None
    tags = {ROW: name, "evaluators.id": row.id, "evaluators.run_key": run_key(record)}
    for each in map(whole_view, row.evaluators):
        tags[fit_name(f"evaluators.status.{each.name}", _TAG)] = each.label
    if row.variant is not None:
        tags["evaluators.variant"] = row.variant
    span = client.start_trace(
        row.id or name, span_type="LLM", inputs=cells if inputs is None else inputs, tags=tags, experiment_id=experiment,
        run_id=run_id, attributes={} if inputs is None else {f"evaluators.column.{column}": cell for column, cell in cells.items()},
    )  # fmt: skip
    _replace_source(span.trace_id, source_of(record, environment))
    client.end_trace(span.trace_id, outputs=output)
    return str(span.trace_id)


def source_of(record: Run, environment: bool) -> dict[str, str]:
    """The tags on the user, the suite, and the commit of its folder, by MLflow's names; with `environment` also the program and the
    state of its folder, as MLflow's own clients send them."""
    from mlflow.tracing.utils.environment import resolve_env_metadata

    known = record.result.environment
    machine = resolve_env_metadata()
    tags = {
        "mlflow.user": machine.get("mlflow.user", ""),
        "mlflow.source.name": PurePath(known.suite).name if known is not None else "",
        "mlflow.source.type": "LOCAL",
        "mlflow.source.git.commit": known.commit if known is not None else "",
    }
    tags["mlflow.source.name"] = tags["mlflow.source.name"] or record.result.name
    return {name: text for name, text in ({**tags, **machine} if environment else tags).items() if text}


def _replace_source(trace_id: str, source: Mapping[str, str]) -> None:
    """Puts the tags of `source_of` into a trace that is being made, in place of those that MLflow's client writes there by itself."""
    from mlflow.tracing.trace_manager import InMemoryTraceManager
    from mlflow.utils.mlflow_tags import TRACE_RESOLVE_TAGS_ALLOWLIST

    with InMemoryTraceManager.get_instance().get_trace(trace_id) as trace:
        for name in TRACE_RESOLVE_TAGS_ALLOWLIST:
            trace.info.trace_metadata.pop(name, None)
        trace.info.trace_metadata |= source


def _assess(trace_id: str, known: Iterable[Assessed], run_id: str, wanted: Iterable[Assessed]) -> None:
    """Adds to a trace those `wanted` assessments that it does not have from this run; `known` are those that it has."""
    import mlflow

    there = {assessment.name for assessment in known if (assessment.metadata or {}).get(_RUN) == run_id}
    for assessment in wanted:
        if assessment.name not in there:
            mlflow.log_assessment(trace_id, assessment)


def _expectations(row: RowView, run_id: str, record: Run) -> Iterator[Expectation]:
    """The expected answer of a row, under the name that MLflow's own scorers look for; nothing where the row has none. `run_id` is noted
    beside it, as the run that it was sent with."""
    from mlflow.entities import AssessmentSource, Expectation

    expected = (row.cells or {}).get(record.result.columns.get("expected", ""))
    if expected is not None and expected != "":
        yield Expectation(
            name=EXPECTED, value=expected, metadata={_RUN: run_id},
            source=AssessmentSource(source_type="CODE", source_id=record.result.test_set),
        )  # fmt: skip


def _feedbacks(row: RowView, run_id: str, record: Run) -> Iterator[Feedback]:
    """A feedback for each score of a row, and for each error in place of one. Evaluators and fields that left the row out have none.
    `run_id` is noted beside each, as the run that it was sent with."""
    from mlflow.entities import AssessmentError, AssessmentSource, Feedback

    for score in scores_of(record, row):
        if not score.is_measured:
            continue
        error = None if score.issue is None else AssessmentError(score.issue.code, score.issue.message)
        about = {_RUN: run_id, "status": score.label, "suite": record.result.suite_fingerprint}
        if score.path is not None:
            about["path"] = score.path
        if score.passed is not None:
            about["passed"] = "true" if score.passed else "false"
        yield Feedback(
            name=fit_name(score.name, _TAG), value=score.score, error=error, rationale=score.reason, metadata=about,
            source=AssessmentSource(source_type="CODE", source_id=f"evaluators/{score.evaluator}"),
        )  # fmt: skip


def _no_ids(column: str) -> Problems:
    """The problem that no row has the id of a trace in the named column."""
    return problem(
        "no-trace-ids",
        f'no kept row has the id of a trace in the column "{column}"',
        hint="`trace_column` names the column with MLflow's trace ids; `results: {documents: all}` keeps the cells of all rows",
    )
