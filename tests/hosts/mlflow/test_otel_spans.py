"""The spans of the tracker `otel` go to a real MLflow server, and are read back by MLflow's own client."""

from __future__ import annotations

import mlflow
import pytest
from mlflow.entities import Trace

from evaluators.reports.tracking.plugs.otel import ERROR_TYPE, NAME, SCORE, OpenTelemetry
from tests.hosts.table import Figures, Found, assert_same_rows


@pytest.fixture
def trace(mlflow_store: str, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> Trace:
    """The run as a trace of the server, sent twice."""
    experiment = mlflow.get_experiment_by_name("spans")
    number = experiment.experiment_id if experiment else mlflow.create_experiment("spans")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"x-mlflow-experiment-id={number}")
    tracker = OpenTelemetry(endpoint=mlflow_store, events="spans", contents=True)
    link = tracker.send(ours.record)
    assert tracker.send(ours.record) == link
    (found,) = mlflow.search_traces(locations=[number], return_type="list")
    assert found.info.trace_id == f"tr-{link.run_id}"
    return found


def test_mlflow_takes_the_spans(trace: Trace, ours: Figures) -> None:
    rows = {
        span.span_id: span.attributes["evaluators.row.id"] for span in trace.data.spans if span.name.startswith("row ")
    }
    found: dict[str, dict[str, Found]] = {}
    for span in trace.data.spans:
        if span.parent_id in rows:
            said = span.attributes
            assert (span.status.status_code.name == "ERROR") == (ERROR_TYPE in said)
            found.setdefault(rows[span.parent_id], {})[said[NAME]] = Found(said.get(SCORE), ERROR_TYPE in said)
    assert_same_rows(found, ours)


def test_mlflow_shows_what_went_in_and_came_out(trace: Trace) -> None:
    (span,) = (span for span in trace.data.spans if span.name == "row unreadable")
    assert span.inputs == "Read the document unreadable."
    assert span.outputs == "I could not find an invoice."
    (evaluator,) = (one for one in trace.data.spans if one.parent_id == span.span_id and one.name == "evaluate header")
    assert evaluator.span_type == "EVALUATOR"
    assert "gen_ai.evaluation.result" in {event.name for event in evaluator.events}
