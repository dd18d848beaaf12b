"""Runs sent over OTLP/HTTP: what the real exporters write is decoded from the wire."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from evaluators.reports.tracking.metrics import metrics_of
from evaluators.reports.tracking.plugs.otel import (
    ERROR_TYPE,
    EXPLANATION,
    LABEL,
    NAME,
    RESULT,
    SCORE,
    SPAN_KIND,
    OpenTelemetry,
)
from evaluators.reports.tracking.tracker import run_key
from tests.hosts.otel.sink import Sink, listening, plain
from tests.hosts.table import Aggregate, Figures, Found, assert_same_figures, assert_same_rows
from tests.kit import cli


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sink]:
    """A receiver, named as users of OpenTelemetry name theirs."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    with listening() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.address)
        yield found


def root(sink: Sink) -> Any:
    (found,) = (span for span in sink.spans if not span.parent_span_id)
    return found


def rows_of(sink: Sink) -> dict[bytes, str]:
    """The ids of rows, by their spans."""
    return {
        span.span_id: plain(span.attributes)["evaluators.row.id"] for span in sink.spans if span.name.startswith("row ")
    }


def test_each_row_has_a_span_and_below_it_each_evaluator(sink: Sink, ours: Figures) -> None:
    link = OpenTelemetry().send(ours.record)
    rows, found = rows_of(sink), dict[str, dict[str, Found]]()
    for span in sink.spans:
        if span.parent_span_id in rows:
            said = plain(span.attributes)
            assert said[SPAN_KIND] == "EVALUATOR"
            assert (span.status.code == 2) == (ERROR_TYPE in said)
            found.setdefault(rows[span.parent_span_id], {})[said[NAME]] = Found(said.get(SCORE), ERROR_TYPE in said)
    assert_same_rows(found, ours)
    assert {span.trace_id.hex() for span in sink.spans} == {link.run_id} == {run_key(ours.record)}
    assert len({span.span_id for span in sink.spans}) == len(sink.spans) == 1 + 9 * 6


def test_events_are_log_records_of_the_spans_that_they_are_about(sink: Sink, ours: Figures) -> None:
    OpenTelemetry(contents=True).send(ours.record)
    rows = rows_of(sink)
    spans = {span.span_id: rows[span.parent_span_id] for span in sink.spans if span.parent_span_id in rows}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for log in sink.logs:
        assert (log.event_name, log.trace_id.hex()) == (RESULT, run_key(ours.record))
        if log.span_id in spans:
            said = plain(log.attributes)
            assert (log.severity_text == "WARN") == (ERROR_TYPE in said)
            found.setdefault(spans[log.span_id], {})[said[NAME]] = said
    assert_same_rows(
        {
            id: {name: Found(said.get(SCORE), ERROR_TYPE in said) for name, said in one.items() if "/" not in name}
            for id, one in found.items()
        },
        ours,
    )
    price = found["lacking"]["page/field/items.each.price"]
    assert (price[SCORE], price[LABEL], price["evaluators.field"]) == (0.5, "omission", "items[*].price")
    assert price[EXPLANATION] == "items[1].price: missing in the output"
    assert found["judge failed"]["header"][ERROR_TYPE] == "judge-silent"
    assert found["skipped"]["header"][LABEL] == "skipped"
    assert in_spans(sink) == [(log.span_id, plain(log.attributes)) for log in sink.logs]


def in_spans(sink: Sink) -> list[tuple[bytes, dict[str, Any]]]:
    return [(span.span_id, plain(event.attributes)) for span in sink.spans for event in span.events]


def test_the_span_of_the_run_has_its_figures_and_no_events(sink: Sink, ours: Figures) -> None:
    OpenTelemetry(trace_rows=0).send(ours.record)
    (span,) = sink.spans
    assert not span.events
    assert not sink.logs
    found = plain(span.attributes)
    for name, value in ours.main.items():
        assert found[f"evaluators.{name.replace('/', '.')}"] == value, name


def points_of(sink: Sink) -> list[tuple[str, dict[str, Any], float]]:
    return [
        (metric.name, plain(point.attributes), getattr(point, point.WhichOneof("value")))
        for metric in sink.metrics
        for point in metric.gauge.data_points
    ]


@pytest.mark.parametrize("which", ["main", "all"])
def test_totals_are_metrics_with_what_they_are_about(sink: Sink, ours: Figures, which: Any) -> None:
    OpenTelemetry.model_validate({"trace_rows": 0, "metrics": which}).send(ours.record)
    found = points_of(sink)
    assert len(found) == len(metrics_of(ours.record.result, which == "all"))
    means = {
        said["evaluators.evaluator"]: Aggregate(value)
        for name, said, value in found
        if name == "evaluators.mean" and "evaluators.slice" not in said and "evaluators.field" not in said
    }
    assert_same_figures(means, ours)
    (price,) = (
        value for name, said, value in found if name == "evaluators.accuracy"
        and (said.get("evaluators.evaluator"), said.get("evaluators.field")) == ("header", "items[*].price")
    )  # fmt: skip
    assert price == 3 / 7
    assert {said["evaluators.run_key"] for _, said, _ in found} == {run_key(ours.record)}
    assert any("evaluators.slice" in said for _, said, _ in found) is (which == "all")


def test_what_a_collector_left_out_is_told(sink: Sink, ours: Figures) -> None:
    partial = ExportTraceServiceResponse()
    partial.partial_success.rejected_spans = 7
    partial.partial_success.error_message = "quota"
    sink.answers["/v1/traces"] = partial.SerializeToString()
    code, said = track(ours.folder)
    assert code == 3
    assert "left out 7 of what it took: quota" in said
    assert sink.logs
    assert sink.metrics


def test_a_wrong_key_is_named_with_the_address(sink: Sink, ours: Figures) -> None:
    sink.refused["/v1/traces"] = 401
    code, said = track(ours.folder)
    assert code == 3
    assert f"{sink.address}/v1/traces refuses the key, or there is none (401 Unauthorized)" in said
    assert "OTEL_EXPORTER_OTLP_HEADERS" in said
    assert "events: spans" not in said


def test_a_collector_that_refuses_for_now_is_asked_again(sink: Sink, ours: Figures) -> None:
    sink.later = [429, 429, 503, 0]
    assert track(ours.folder)[0] == 0
    assert len({span.span_id for span in sink.spans}) == 1 + 9 * 6


def test_a_row_is_below_the_span_that_it_evaluates(sink: Sink, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(
        f"id,output,expected,trace_id,span_id\n1,a,a,{'ab' * 16},{'cd' * 8}\n2,a,b,{'0' * 32},{'cd' * 8}\n3,a,b,,\n",
        encoding="utf-8",
    )
    (tmp_path / "suite.yaml").write_text("evaluators: [exact_match]\nresults: {documents: all}\n", encoding="utf-8")
    files = (str(tmp_path / "suite.yaml"), str(tmp_path / "rows.csv"))
    ended = cli("run", *files, "--results", str(tmp_path), "--name", "x", "--track", "otel")
    assert ended.exit_code == 0, ended.output
    by_name = {span.name: span for span in sink.spans}
    top, first, second = (by_name[name] for name in ("evaluation suite", "row 1", "row 2"))
    assert (first.trace_id.hex(), first.parent_span_id.hex()) == ("ab" * 16, "cd" * 8)
    assert [link.span_id for link in first.links] == [top.span_id]
    assert (second.trace_id, second.parent_span_id) == (top.trace_id, top.span_id)
    below = [span for span in sink.spans if span.parent_span_id == first.span_id]
    assert [span.trace_id.hex() for span in below] == ["ab" * 16]
    places = {(log.trace_id.hex(), log.span_id.hex()) for log in sink.logs}
    assert ("ab" * 16, "cd" * 8) in places
    assert len(places) == 3


def test_contents_of_rows_are_sent_only_when_somebody_asks(sink: Sink, ours: Figures) -> None:
    OpenTelemetry().send(ours.record)
    contents = (b"Read the document", b"I could not find an invoice", b"A-4", b"A-7")
    assert not [one for one in contents for _, body in sink.bodies if one in body]
    sink.bodies.clear()
    OpenTelemetry(contents=True).send(ours.record)
    assert all(any(one in body for _, body in sink.bodies) for one in contents)


def test_a_run_that_is_sent_again_is_the_same_to_the_byte(sink: Sink, ours: Figures) -> None:
    first = OpenTelemetry().send(ours.record)
    before, sink.bodies = sink.bodies, []
    assert OpenTelemetry().send(ours.record) == first
    assert sink.bodies == before


def test_inputs_and_outputs_are_where_readers_of_spans_look(sink: Sink, ours: Figures) -> None:
    OpenTelemetry(contents=True).send(ours.record)
    (span,) = (span for span in sink.spans if span.name == "row unreadable")
    said = plain(span.attributes)
    assert (said["input.value"], said["output.value"]) == (
        "Read the document unreadable.",
        "I could not find an invoice.",
    )
    assert said["evaluators.expected"].startswith('{"number": "A-4"')


def test_the_machine_is_told_only_when_somebody_asks(sink: Sink, ours: Figures) -> None:
    OpenTelemetry().send(ours.record)
    known = ours.record.result.environment
    assert not any(known.folder.encode() in body for _, body in sink.bodies)
    told = {name: value for name, value in sink.resource("/v1/traces").items() if not name.startswith("telemetry.sdk.")}
    assert told == {"service.name": "evaluators", "service.instance.id": run_key(ours.record)}
    sink.bodies.clear()
    OpenTelemetry(environment=True).send(ours.record)
    assert plain(root(sink).attributes)["evaluators.environment.folder"] == known.folder


def test_the_variables_of_the_platform_count(sink: Sink, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-mlflow-experiment-id=7")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "nightly")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "team=billing")
    monkeypatch.setenv("OTEL_LOGS_EXPORTER", "none")
    OpenTelemetry(resource={"openinference.project.name": "invoices"}).send(ours.record)
    assert {header["x-mlflow-experiment-id"] for header in sink.headers} == {"7"}
    assert {header["content-encoding"] for header in sink.headers} == {"gzip"}
    assert sink.logs == []
    found = sink.resource("/v1/traces")
    assert (found["service.name"], found["team"], found["openinference.project.name"]) == (
        "nightly",
        "billing",
        "invoices",
    )


def test_the_suite_wins_over_the_variables(sink: Sink, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    OpenTelemetry(endpoint=sink.address, events="logs").send(ours.record)
    assert sink.logs
    assert not in_spans(sink)


def track(folder: Path, *words: str) -> tuple[int, str]:
    ended = cli("track", str(folder), "--to", "otel", *words)
    return ended.exit_code, ended.output


def test_a_platform_without_logs_is_named_with_what_to_do(sink: Sink, ours: Figures) -> None:
    sink.refused["/v1/logs"] = 405
    code, said = track(ours.folder)
    assert code == 3
    assert 'the run could not be sent to "otel"' in said
    assert "405" in said
    assert "`events: spans` sends no logs" in said
    sink.bodies.clear()
    OpenTelemetry(events="spans").send(ours.record)
    assert sink.spans


def test_a_collector_that_is_away_loses_nothing(sink: Sink, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    before = {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()}
    code, said = track(ours.folder)
    assert code == 3
    assert 'the run could not be sent to "otel"' in said
    assert {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()} == before


def test_another_protocol_is_refused(sink: Sink, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    code, said = track(ours.folder)
    assert code == 3
    assert "OTEL_EXPORTER_OTLP_PROTOCOL is grpc" in said


@pytest.mark.parametrize(("rows", "spans"), [("0", 1), ("3", 19)])
def test_the_command_line_says_how_many_rows(sink: Sink, ours: Figures, rows: str, spans: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "evaluators", "track", str(ours.folder), "--to", "otel", "--trace-rows", rows],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (0, "sending to otel")
    assert ended.stdout == f"sent to otel: no address (run {run_key(ours.record)})\n"
    assert len(sink.spans) == spans
