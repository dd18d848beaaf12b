"""`otel`: spans and events of OpenTelemetry, over OTLP/HTTP, to a collector or to any platform that takes them."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar, Final, Literal

from pydantic import Field, NonNegativeInt

from evaluators.issues import problem
from evaluators.run.record import RunRecord
from evaluators.settings import Name
from evaluators.tracking.assessments import AssessedRow, Assessment, assessed_rows
from evaluators.tracking.conventions import (
    ERROR_TYPE,
    EXPLANATION,
    INPUT,
    LABEL,
    NAME,
    OURS,
    OUTPUT,
    RESULT,
    SCORE,
    SPAN_KIND,
)
from evaluators.tracking.params import environment_of, flat_params
from evaluators.tracking.subjects import subjects_of
from evaluators.tracking.tracker import Link, Platform, run_key
from evaluators.values.json_text import to_text

_TEXT: Final = 20_000
"""Longer texts are cut: collectors refuse large attributes."""
_BATCH: Final = 200
_WARN: Final = 13
_INFO: Final = 9


class OpenTelemetry(Platform):
    """A trace for the run, sent over OTLP/HTTP: a span for the run with its figures, below it rows, below them evaluators.

    Each evaluation of a row, of a field and of the whole run is an event `gen_ai.evaluation.result`: in its span, in the log, or
    both. Where it goes is said by the variables that all of OpenTelemetry reads, such as OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES, or here.
    """

    packages: ClassVar[tuple[str, ...]] = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")

    endpoint: Name | None = None
    """The address without `/v1/traces`; without one, what the variables say, and else http://localhost:4318."""
    trace_rows: NonNegativeInt = 100
    """How many rows are sent, of each variant, rows with something wrong first. There is no table here."""
    events: Literal["both", "spans", "logs"] = "both"
    """Where events are put. Phoenix and MLflow take spans alone: `spans`, or OTEL_LOGS_EXPORTER=none, suits them."""
    resource: Mapping[str, str] = Field(default_factory=dict)
    """Further attributes of the resource, such as `openinference.project.name` for a project of Phoenix."""

    def send(self, record: RunRecord) -> Link:
        """Sends spans and events. The same run has the same ids, so that it is the same trace when it is sent again."""
        _check_protocol()
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        run = _Run(record, self)
        with _messages() as said:
            if os.environ.get("OTEL_TRACES_EXPORTER") != "none":
                _export(OTLPSpanExporter(endpoint=self._address("traces")), run.spans(), said)
            if self._logs():
                _export(OTLPLogExporter(endpoint=self._address("logs")), run.logs(), said)
        return Link("otel", None, f"{run.trace_id:032x}")

    def _address(self, signal: str) -> str | None:
        return None if self.endpoint is None else f"{self.endpoint.rstrip('/')}/v1/{signal}"

    def _logs(self) -> bool:
        return self.events != "spans" and os.environ.get("OTEL_LOGS_EXPORTER") != "none"


class _Node:
    """A span before it is one: what it is about, and the events in it."""

    def __init__(self, path: str, name: str, kind: str, parent: _Node | None, attributes: Mapping[str, Any]) -> None:
        self.path = path
        """Its id comes from this."""
        self.name = name
        self.parent = parent
        self.attributes = {SPAN_KIND: kind, **attributes}
        self.events: list[dict[str, Any]] = []
        self.error: str | None = None


class _Run:
    """The spans and log records of a run. Each is made when it is sent, so that a long run does not fill the memory."""

    def __init__(self, record: RunRecord, settings: OpenTelemetry) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope

        self._record = record
        self._settings = settings
        self._start, self._end = _times(record)
        self._resource = Resource.create(_resource(settings.resource, run_key(record)))
        self._scope = InstrumentationScope(OURS, record.result.version)
        self.trace_id = int(run_key(record), 16)

    def spans(self) -> Iterator[Any]:
        """The span of the run, then rows, each with its evaluators."""
        from opentelemetry.sdk.trace import Event, ReadableSpan
        from opentelemetry.trace import Status, StatusCode

        inside = self._settings.events != "logs"
        for place, node in enumerate(self._nodes()):
            start = self._start if node.parent is None else self._start + place * 1000  # in order, where they are shown
            events = [Event(RESULT, one, start) for one in node.events] if inside else []
            yield ReadableSpan(
                node.name, self._context(node), self._context(node.parent) if node.parent else None, self._resource,
                node.attributes, events, status=Status(StatusCode.ERROR, node.error) if node.error else Status(),
                start_time=start, end_time=self._end if node.parent is None else start + 1000,
                instrumentation_scope=self._scope,
            )  # fmt: skip

    def logs(self) -> Iterator[Any]:
        """A log record for each event, in the context of its span."""
        from opentelemetry._logs import LogRecord, SeverityNumber
        from opentelemetry.sdk._logs import ReadableLogRecord
        from opentelemetry.trace import NonRecordingSpan, set_span_in_context

        for node in self._nodes():
            context = set_span_in_context(NonRecordingSpan(self._context(node)))
            for one in node.events:
                severity = SeverityNumber(_WARN if ERROR_TYPE in one else _INFO)
                said = LogRecord(
                    timestamp=self._end, observed_timestamp=self._end, context=context, severity_number=severity,
                    severity_text=severity.name, attributes=one, event_name=RESULT,
                )  # fmt: skip
                yield ReadableLogRecord(said, self._resource, self._scope)

    def _context(self, node: _Node) -> Any:
        from opentelemetry.trace import SpanContext, TraceFlags

        digest = hashlib.sha256(f"{self.trace_id:032x}/{node.path}".encode()).digest()
        return SpanContext(self.trace_id, int.from_bytes(digest[:8]) or 1, False, TraceFlags(TraceFlags.SAMPLED))

    def _nodes(self) -> Iterator[_Node]:
        root = _node_of_run(self._record, self._settings.environment)
        yield root
        for row in assessed_rows(self._record, self._settings.trace_rows):
            yield from _nodes_of_row(self._record, row, root)


def _node_of_run(record: RunRecord, environment: bool) -> _Node:
    """The run: its settings and its own figures as attributes, and an event for each evaluator and each field of it."""
    result = record.result
    attributes: dict[str, Any] = {f"{OURS}.run_key": run_key(record), f"{OURS}.complete": result.complete}
    attributes |= {f"{OURS}.param.{_dotted(name)}": _cut(text) for name, text in flat_params(record).items()}
    if environment:
        attributes |= {f"{OURS}.environment.{name}": text for name, text in environment_of(record).items()}
    node = _Node("", f"evaluation {result.name}", "CHAIN", None, attributes)
    for subject in subjects_of(result):
        figures = {f"{OURS}.{_dotted(name)}": value for name, value in subject.metrics.items()}
        if not subject.name:
            node.attributes |= figures
            continue
        score = subject.metrics.get("accuracy" if "field" in subject.about else "mean_score")
        about = {f"{OURS}.{name}": text for name, text in subject.about.items()}
        node.events.append({NAME: subject.name, **({} if score is None else {SCORE: float(score)}), **about, **figures})
    return node


def _nodes_of_row(record: RunRecord, found: AssessedRow, root: _Node) -> Iterator[_Node]:
    row, columns = found.row, record.result.columns
    attributes: dict[str, Any] = {f"{OURS}.row.id": row.id, f"{OURS}.row.number": row.number}
    if found.variant is not None:
        attributes[f"{OURS}.variant"] = found.variant
    for role, name in (("input", INPUT), ("output", OUTPUT), ("expected", f"{OURS}.expected")):
        cell = (row.cells or {}).get(columns.get(role, ""))
        if cell is not None:
            attributes[name] = _cut(cell if isinstance(cell, str) else to_text(cell))
    path = f"{found.variant or ''}/{row.number}"
    node = _Node(path, f"row {row.id}", "CHAIN", root, attributes)
    yield node
    evaluator: _Node | None = None
    for one in found.assessments:
        result = _result(one)
        if evaluator is None or one.path is None:
            if evaluator is not None:
                yield evaluator
            evaluator = _Node(f"{path}/{one.name}", f"evaluate {one.evaluator}", "EVALUATOR", node, result)
            evaluator.error = one.error.message if one.error else None
        evaluator.events.append(result)
    if evaluator is not None:
        yield evaluator


def _result(one: Assessment) -> dict[str, Any]:
    """An assessment in the words of the conventions. Where there is no score, none is there."""
    found: dict[str, Any] = {NAME: one.name, LABEL: one.label}
    if one.score is not None:
        found[SCORE] = float(one.score)
    if one.reason is not None:
        found[EXPLANATION] = _cut(one.reason)
    if one.path is not None:
        found[f"{OURS}.field"] = one.path
    if one.error is not None:
        found[ERROR_TYPE] = one.error.code
    return found


def _export(exporter: Any, whole: Iterable[Any], said: list[str]) -> None:
    """Sends everything, some at a time. Raises Problems (environment) where something was not taken."""
    rest = iter(whole)
    try:
        while some := list(islice(rest, _BATCH)):
            if exporter.export(some).name != "SUCCESS":
                why = said[-1] if said else "it was not taken"
                raise problem("otlp-refused", why, hint="`events: spans` sends no logs, which some platforms refuse")
    finally:
        exporter.shutdown()


@contextmanager
def _messages() -> Iterator[list[str]]:
    """What the client says, which it would print otherwise."""
    said: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    logger, handler = logging.getLogger("opentelemetry"), Kept()
    spread, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)
        logger.propagate = spread


def _check_protocol() -> None:
    for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL"):
        if os.environ.get(name, "http/protobuf") != "http/protobuf":
            raise problem("otlp-protocol", f"{name} is {os.environ[name]}", hint="this tracker speaks http/protobuf")


def _resource(wanted: Mapping[str, str], key: str) -> dict[str, str]:
    """The attributes of the resource. The service has our name and the key of the run, unless somebody named it."""
    said = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    own = {"service.name": OURS, "service.instance.id": key}
    if "OTEL_SERVICE_NAME" in os.environ:
        del own["service.name"]
    return {**{name: value for name, value in own.items() if f"{name}=" not in said}, **wanted}


def _times(record: RunRecord) -> tuple[int, int]:
    """When the run began and ended, in nanoseconds; now, where the run folder does not say."""
    known = record.result.environment
    if known is None:
        return (now := time.time_ns()), now
    start = round(datetime.fromisoformat(known.started).timestamp() * 1e9)
    return start, start + round(known.seconds * 1e9)


def _dotted(name: str) -> str:
    return name.replace("/", ".")


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
