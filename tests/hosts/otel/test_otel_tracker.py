"""Runs sent over OTLP/HTTP: what the real exporters write is decoded from the wire."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluators.cli import command
from evaluators.tracking.conventions import ERROR_TYPE, EXPLANATION, LABEL, NAME, RESULT, SCORE, SPAN_KIND
from evaluators.tracking.plugs.otel import OpenTelemetry
from evaluators.tracking.run_metrics import metrics_of
from evaluators.tracking.tracker import run_key
from tests.hosts.otel.sink import Sink, listening, plain
from tests.hosts.table import Aggregate, Figures, Found, assert_same_figures, assert_same_rows, figures


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    return figures(tmp_path_factory.mktemp("table"))


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
    OpenTelemetry().send(ours.record)
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


def in_spans(sink: Sink) -> list[tuple[bytes, dict[str, Any]]]:
    return [(span.span_id, plain(event.attributes)) for span in sink.spans for event in span.events]


def test_spans_hold_the_same_events(sink: Sink, ours: Figures) -> None:
    OpenTelemetry().send(ours.record)
    assert in_spans(sink) == [(log.span_id, plain(log.attributes)) for log in sink.logs]
    assert {event.name for span in sink.spans for event in span.events} == {RESULT}


def test_the_span_of_the_run_has_every_figure(sink: Sink, ours: Figures) -> None:
    OpenTelemetry(trace_rows=0).send(ours.record)
    (span,) = sink.spans
    found = {name: value for name, value in plain(span.attributes).items() if not name.startswith("evaluators.param.")}
    metrics: dict[str, Any] = {}
    for event in span.events:
        said = plain(event.attributes)
        metrics |= {
            f"{said[NAME].replace('/', '.')}.{name.removeprefix('evaluators.')}": value for name, value in said.items()
        }
    wanted = metrics_of(ours.record.result)
    for name, value in wanted.items():
        dotted = name.replace("/", ".")
        assert metrics.get(dotted, found.get(f"evaluators.{dotted}")) == value, name
    assert_same_figures(
        {
            said[NAME].removeprefix("evaluator/"): Aggregate(
                said[SCORE], said["evaluators.pass_rate"], said["evaluators.rows.scored"]
            )
            for said in (plain(event.attributes) for event in span.events)
            if said[NAME].startswith("evaluator/") and "evaluators.field" not in said
        },
        ours,
    )
    fields = {
        (said["evaluators.evaluator"], said["evaluators.field"]): said.get(SCORE)
        for said in (plain(event.attributes) for event in span.events)
        if "evaluators.field" in said
    }
    assert fields[("header", "items[*].price")] == 3 / 7


def test_a_run_that_is_sent_again_is_the_same_to_the_byte(sink: Sink, ours: Figures) -> None:
    first = OpenTelemetry().send(ours.record)
    before, sink.bodies = sink.bodies, []
    assert OpenTelemetry().send(ours.record) == first
    assert sink.bodies == before


def test_rows_with_something_wrong_go_first(sink: Sink, ours: Figures) -> None:
    OpenTelemetry(trace_rows=2).send(ours.record)
    assert sorted(rows_of(sink).values()) == ["lacking", "wrong"]


def test_inputs_and_outputs_are_where_readers_of_spans_look(sink: Sink, ours: Figures) -> None:
    OpenTelemetry().send(ours.record)
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
    assert known is not None
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
    assert in_spans(sink) == []


def track(folder: Path, *words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(command, ["track", str(folder), "--to", "otel", *words])
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
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == f"sent to otel: no address (run {run_key(ours.record)})\n"
    assert len(sink.spans) == spans
