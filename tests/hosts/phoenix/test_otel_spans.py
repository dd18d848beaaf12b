"""The spans of the tracker `otel` go to a real Phoenix server, and are read back by Phoenix's own client."""

from __future__ import annotations

import threading
import time
from typing import Any

from phoenix.client import Client

from evaluators.reports.tracking.plugs.otel import ERROR_TYPE, NAME, SCORE, OpenTelemetry
from tests.hosts.table import Figures, Found, assert_same_rows

PROJECT = "spans of a run"


def stored(client: Any, count: int) -> list[Any]:
    """The spans of the project. Phoenix takes them first, and stores them a moment later."""
    until, pause = time.monotonic() + 300, threading.Event()
    while time.monotonic() < until:
        if PROJECT in {one["name"] for one in client.projects.list()}:
            found = client.spans.get_spans(project_identifier=PROJECT, limit=1000)
            if len(found) >= count:
                return list(found)
        pause.wait(0.2)
    raise AssertionError(f"Phoenix did not store {count} spans")


def test_phoenix_takes_the_spans_once(phoenix_store: str, ours: Figures) -> None:
    client, count = Client(base_url=phoenix_store), 1 + 9 * 6
    tracker = OpenTelemetry(
        endpoint=phoenix_store, events="spans", contents=True, resource={"openinference.project.name": PROJECT}
    )
    link = tracker.send(ours.record)
    stored(client, count)
    assert tracker.send(ours.record) == link
    spans = stored(client, count)
    assert len(spans) == count
    assert {span["context"]["trace_id"] for span in spans} == {link.run_id}
    said = {span["context"]["span_id"]: span["attributes"] for span in spans}
    rows = {
        span["context"]["span_id"]: span["attributes"]["evaluators.row.id"]
        for span in spans
        if span["name"].startswith("row ")
    }
    found: dict[str, dict[str, Found]] = {}
    for span in spans:
        if span.get("parent_id") in rows:
            own = said[span["context"]["span_id"]]
            assert span["span_kind"] == "EVALUATOR"
            assert (span["status_code"] == "ERROR") == (ERROR_TYPE in own)
            found.setdefault(rows[span["parent_id"]], {})[own[NAME]] = Found(own.get(SCORE), ERROR_TYPE in own)
    assert_same_rows(found, ours)
    (unreadable,) = (span for span in spans if span["name"] == "row unreadable")
    assert unreadable["attributes"]["output.value"] == "I could not find an invoice."
    events = [event for span in spans for event in span["events"]]
    assert {event["name"] for event in events} == {"gen_ai.evaluation.result"}
