"""`otel`: spans and events of OpenTelemetry, over OTLP/HTTP, to a collector or to any platform that takes them."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field, NonNegativeInt

from evaluators.model.issues import problem
from evaluators.model.settings import Name
from evaluators.reports.rows import FieldView, RowView, row_views, scores_of, wrong_rows_first
from evaluators.reports.tracking.attachments import environment_of, flat_params
from evaluators.reports.tracking.metrics import metric_groups
from evaluators.reports.tracking.sending import batches, with_progress
from evaluators.reports.tracking.tracker import Link, RowProgress, RowTracker, no_progress, run_key
from evaluators.runs.reader import Run
from evaluators.scoring.values.file_names import clip_name
from evaluators.scoring.values.json_text import to_text

if TYPE_CHECKING:
    from evaluators.reports.tracking.plugs._otlp_http import PatientSession

# Names that OpenTelemetry's conventions for generative AI give to evaluations, and those that readers of spans know beside them.
# The conventions are still in development. What changes there changes here.
RESULT: Final = "gen_ai.evaluation.result"
"""The event that says what one evaluation found."""
NAME: Final = "gen_ai.evaluation.name"
SCORE: Final = "gen_ai.evaluation.score.value"
LABEL: Final = "gen_ai.evaluation.score.label"
EXPLANATION: Final = "gen_ai.evaluation.explanation"
ERROR_TYPE: Final = "error.type"
SPAN_KIND: Final = "openinference.span.kind"
"""Read by Phoenix and MLflow, as are the two below."""
INPUT: Final = "input.value"
OUTPUT: Final = "output.value"
OURS: Final = "evaluators"
"""What attributes of our own begin with."""

_TEXT: Final = 20_000
"""Longer texts are cut: collectors refuse large attributes."""
_BATCH: Final = 200
_WARN: Final = 13
_INFO: Final = 9


class OpenTelemetry(RowTracker):
    """A trace for the run, sent over OTLP/HTTP: a span for the run, below it rows, below them evaluators; and the metrics
    of the run.

    Each evaluation of a row and of a field is an event `gen_ai.evaluation.result`: in its span, in the log, or both. A row that
    says which span its output comes from is below that span. Where it goes is said by the variables that all of OpenTelemetry
    reads, such as OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES, or here.
    """

    packages: ClassVar[tuple[str, ...]] = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")

    endpoint: Name | None = None
    """The address without `/v1/traces`; without one, what the variables say, and else http://localhost:4318."""
    trace_rows: NonNegativeInt = 100
    """How many rows are sent, of each variant, rows with something wrong first. There is no table here."""
    events: Literal["both", "spans", "logs"] = "both"
    """Where events are put. Phoenix and MLflow take spans alone, and neither logs nor metrics: `spans` suits them."""
    contents: bool = False
    """Whether inputs, outputs, expected answers and reasons, which quote them, are sent."""
    trace_column: Name = "trace_id"
    """The column of the test set with the trace that an output comes from, in 32 hexadecimal digits."""
    span_column: Name = "span_id"
    """The column with the span in it, in 16: the row is below that span, where both are there."""
    resource: Mapping[str, str] = Field(default_factory=dict)
    """Further attributes of the resource, such as `openinference.project.name` for a project of Phoenix."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Sends the spans, the log records and the metrics of the run, each unless the settings or OpenTelemetry's variables say otherwise.
        The same run has the same ids, so that it is the same trace when it is sent again. Raises Problems where something was not taken."""
        _check_protocol()
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        from evaluators.reports.tracking.plugs._otlp_http import PatientSession

        run, session = _Run(record, self, progress), PatientSession()
        with _collected_messages() as messages:
            if os.environ.get("OTEL_TRACES_EXPORTER") != "none":
                _export(
                    OTLPSpanExporter, self._address("traces"), batches(run.spans(), _BATCH), "traces", session, messages
                )
            if self._sends("LOGS"):
                _export(OTLPLogExporter, self._address("logs"), batches(run.logs(), _BATCH), "logs", session, messages)
            if self._sends("METRICS"):
                _export(OTLPMetricExporter, self._address("metrics"), [run.metrics()], "metrics", session, messages)
        if left_out := session.partial_problem():
            raise left_out
        return Link("otel", None, f"{run.trace_id:032x}")

    def _address(self, signal: str) -> str | None:
        """The address for `traces`, `logs` or `metrics`; None where the variables say it."""
        return None if self.endpoint is None else f"{self.endpoint.rstrip('/')}/v1/{signal}"

    def _sends(self, signal: str) -> bool:
        """Whether `LOGS` or `METRICS` are sent, by the settings and the variables."""
        return self.events != "spans" and os.environ.get(f"OTEL_{signal}_EXPORTER") != "none"


class _Node:
    """What a span is made from when it is sent: its name, its attributes, the node above it, and the events in it."""

    def __init__(self, path: str, name: str, kind: str, parent: _Node | None, attributes: Mapping[str, Any]) -> None:
        """`kind` is the kind of span, such as `CHAIN`, by OpenInference's words; the node of the run has no `parent`. A node goes with the
        trace and the span that its parent evaluates."""
        self.path = path
        """Its id comes from this."""
        self.name = name
        self.parent = parent
        self.attributes = {SPAN_KIND: kind, **attributes}
        self.events: list[dict[str, Any]] = []
        self.error: str | None = None
        self.evaluated: tuple[int, int] | None = parent.evaluated if parent is not None else None
        """The trace and the span that the output comes from."""


class _Run:
    """The spans and log records of a run. Each is made when it is sent, so that a long run does not fill the memory."""

    def __init__(self, record: Run, settings: OpenTelemetry, progress: RowProgress) -> None:
        """`progress` is told how many rows are done. The id of the trace is the key of the run, so it is the same whenever it is sent."""
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope

        self._record = record
        self._settings = settings
        self._progress = progress
        self._start, self._end = _times(record)
        self._resource = Resource.create(_resource(settings.resource, run_key(record)))
        self._scope = InstrumentationScope(OURS, record.result.version)
        self.trace_id = int(run_key(record), 16)

    def spans(self) -> Iterator[Any]:
        """The span of the run, then that of each row, followed by those of its evaluators. Their start times are a microsecond apart,
        so that they are shown in this order."""
        from opentelemetry.sdk.trace import Event, ReadableSpan
        from opentelemetry.trace import Link, Status, StatusCode

        inside = self._settings.events != "logs"
        for index, node in enumerate(self._nodes()):
            start = self._start if node.parent is None else self._start + index * 1000  # in order, where they are shown
            events = [Event(RESULT, event, start) for event in node.events] if inside else []
            is_row = node.parent is not None and node.parent.parent is None
            # a row that names the span of its output is below that span, and linked to the span of the run
            evaluated = self._evaluated_context(node) if is_row else None
            parent = evaluated or (self._context(node.parent) if node.parent is not None else None)
            links = [Link(self._context(node.parent))] if evaluated is not None and node.parent is not None else []
            yield ReadableSpan(
                node.name, self._context(node), parent, self._resource, node.attributes, events, links,
                status=Status(StatusCode.ERROR, node.error) if node.error else Status(),
                start_time=start, end_time=self._end if node.parent is None else start + 1000,
                instrumentation_scope=self._scope,
            )  # fmt: skip

    def logs(self) -> Iterator[Any]:
        """A log record for each event, in the context of the span that is evaluated, or else of the evaluator's."""
        from opentelemetry._logs import LogRecord, SeverityNumber
        from opentelemetry.sdk._logs import ReadableLogRecord
        from opentelemetry.trace import NonRecordingSpan, set_span_in_context

        for node in self._nodes():
            context = set_span_in_context(NonRecordingSpan(self._evaluated_context(node) or self._context(node)))
            for event in node.events:
                severity = SeverityNumber(_WARN if ERROR_TYPE in event else _INFO)
                record = LogRecord(
                    timestamp=self._end, observed_timestamp=self._end, context=context, severity_number=severity,
                    severity_text=severity.name, attributes=event, event_name=RESULT,
                )  # fmt: skip
                yield ReadableLogRecord(record, self._resource, self._scope)

    def metrics(self) -> Any:
        """The metrics of the run as gauges, each with what it is about."""
        from opentelemetry.sdk.metrics import export

        scope = export.ScopeMetrics(self._scope, list(self._gauges()), "")
        return export.MetricsData([export.ResourceMetrics(self._resource, [scope], "")])

    def _gauges(self) -> Iterator[Any]:
        """The metrics of the run as gauges, one for each name, with a point for each group that has it."""
        from opentelemetry.sdk.metrics.export import Gauge, Metric, NumberDataPoint

        run = {f"{OURS}.run_key": f"{self.trace_id:032x}", f"{OURS}.suite": self._record.result.name}
        points: dict[str, list[Any]] = {}
        for group in metric_groups(self._record.result, self._settings.figures == "all"):
            about = {**run, **{f"{OURS}.{name}": text for name, text in group.about.items()}}
            for name, value in group.metrics.items():
                point = NumberDataPoint(about, self._start, self._end, value, exemplars=[])
                points.setdefault(f"{OURS}.{_with_dots(name)}", []).append(point)
        for name, values in points.items():
            yield Metric(name, None, "1", Gauge(values))

    def _context(self, node: _Node) -> Any:
        """The context of a node's span; its id is a digest of the run and the node's path, so that a run sent again has the same ids."""
        from opentelemetry.trace import SpanContext, TraceFlags

        digest = hashlib.sha256(f"{self.trace_id:032x}/{node.path}".encode()).digest()
        trace_id = node.evaluated[0] if node.evaluated is not None else self.trace_id
        return SpanContext(trace_id, int.from_bytes(digest[:8]) or 1, False, TraceFlags(TraceFlags.SAMPLED))

    def _evaluated_context(self, node: _Node) -> Any:
        """The context of the span that the row's output comes from; None where the row names none."""
        from opentelemetry.trace import SpanContext, TraceFlags

        if node.evaluated is None:
            return None
        return SpanContext(*node.evaluated, True, TraceFlags(TraceFlags.SAMPLED))

    def _nodes(self) -> Iterator[_Node]:
        """The node of the run, and then the nodes of each row; progress is told row by row."""
        root = _node_of_run(self._record, self._settings)
        yield root
        total = sum(1 for _ in self._rows())
        for row in with_progress(self._rows(), total, self._progress):
            yield from _nodes_of_row(self._record, row, root, self._settings)

    def _rows(self) -> Iterator[RowView]:
        """The rows that are sent: of each variant the first `trace_rows`, those with something wrong first."""
        for variant in self._record.each_variant:
            yield from wrong_rows_first(row_views(self._record, (variant,)), self._settings.trace_rows)


def _node_of_run(record: Run, settings: OpenTelemetry) -> _Node:
    """The node of the run, with its settings and its metrics as attributes."""
    result = record.result
    attributes: dict[str, Any] = {f"{OURS}.run_key": run_key(record), f"{OURS}.complete": result.complete}
    attributes |= {
        f"{OURS}.param.{_with_dots(name)}": clip_name(text, _TEXT) for name, text in flat_params(record).items()
    }
    if settings.environment:
        attributes |= {f"{OURS}.environment.{name}": text for name, text in environment_of(record).items()}
    attributes |= {f"{OURS}.{_with_dots(name)}": value for name, value in settings.metrics(record).items()}
    return _Node("", f"evaluation {result.name}", "CHAIN", None, attributes)


def _nodes_of_row(record: Run, row: RowView, root: _Node, settings: OpenTelemetry) -> Iterator[_Node]:
    """The node of a row, and below it one for each evaluator, with the results of the evaluator and its fields as events.

    Without `settings.contents`, cells are left out, and of an error only its code is told.
    """
    columns = record.result.columns
    attributes: dict[str, Any] = {f"{OURS}.row.id": row.id, f"{OURS}.row.number": row.number}
    if row.variant is not None:
        attributes[f"{OURS}.variant"] = row.variant
    for role, name in (("input", INPUT), ("output", OUTPUT), ("expected", f"{OURS}.expected")):
        cell = (row.cells or {}).get(columns.get(role, ""))
        if cell is not None and settings.contents:
            attributes[name] = clip_name(cell if isinstance(cell, str) else to_text(cell), _TEXT)
    path = f"{row.variant or ''}/{row.number}"
    node = _Node(path, f"row {row.id}", "CHAIN", root, attributes)
    node.evaluated = _evaluated_span(row.cells or {}, settings)
    yield node
    evaluator: _Node | None = None
    for score in scores_of(record, row):
        result = _result_attributes(score, settings.contents)
        if evaluator is None or score.path is None:
            if evaluator is not None:
                yield evaluator
            evaluator = _Node(f"{path}/{score.name}", f"evaluate {score.evaluator}", "EVALUATOR", node, result)
            evaluator.error = (score.issue.message if settings.contents else score.issue.code) if score.issue else None
        evaluator.events.append(result)
    if evaluator is not None:
        yield evaluator


def _evaluated_span(cells: Mapping[str, Any], settings: OpenTelemetry) -> tuple[int, int] | None:
    """The trace and the span that a row names; None where one of them is not there, or is none."""
    ids = []
    for column, digits in ((settings.trace_column, 32), (settings.span_column, 16)):
        cell = cells.get(column)
        text = cell.strip() if isinstance(cell, str) else ""
        if re.fullmatch(rf"[0-9a-fA-F]{{{digits}}}", text) is None or not int(text, 16):
            return None
        ids.append(int(text, 16))
    return ids[0], ids[1]


def _result_attributes(view: FieldView, contents: bool) -> dict[str, Any]:
    """The attributes of one evaluation result, named as OpenTelemetry's conventions say; what it lacks has no attribute. Without
    `contents`, the reason is left out, for it quotes what is in the row."""
    attributes: dict[str, Any] = {NAME: view.name, LABEL: view.label}
    if view.score is not None:
        attributes[SCORE] = float(view.score)
    if view.reason is not None and contents:  # reasons quote what is in the row
        attributes[EXPLANATION] = clip_name(view.reason, _TEXT)
    if view.path is not None:
        attributes[f"{OURS}.field"] = view.path
    if view.issue is not None:
        attributes[ERROR_TYPE] = view.issue.code
    return attributes


def _export(
    kind: Any, address: str | None, parts: Iterable[Any], signal: str, session: PatientSession, messages: list[str]
) -> None:
    """Sends the `parts` one after the other with an exporter of this `kind`, and closes it. Counts in the session what was left out; raises
    Problems where a part was not taken. `address` is the collector's, None where OpenTelemetry's variables say it; `signal` is `traces`,
    `logs` or `metrics`; `messages` are those that the client has logged."""
    exporter = kind(endpoint=address, session=session)
    read, field = _partial_success(signal)
    try:
        for part in parts:
            if exporter.export(part).name != "SUCCESS":
                raise session.refusal(signal, messages[-1] if messages else "it was not taken")
            session.count_rejected(read, field)
    finally:
        exporter.shutdown()


def _partial_success(signal: str) -> tuple[Any, str]:
    """The decoder of a collector's answers to a `signal`, which is `traces`, `logs` or `metrics`, and the name of the member that counts
    what the collector left out."""
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    return {
        "traces": (ExportTraceServiceResponse.FromString, "rejected_spans"),
        "logs": (ExportLogsServiceResponse.FromString, "rejected_log_records"),
        "metrics": (ExportMetricsServiceResponse.FromString, "rejected_data_points"),
    }[signal]


@contextmanager
def _collected_messages() -> Iterator[list[str]]:
    """Within the `with` block, the log messages of the client are collected in a list and not printed."""
    messages: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    logger, handler = logging.getLogger("opentelemetry"), Kept()
    spread, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)
        logger.propagate = spread


def _check_protocol() -> None:
    """Raises Problems where OpenTelemetry's variables ask for another protocol than `http/protobuf`."""
    for name in (
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
        "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
        "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    ):
        if os.environ.get(name, "http/protobuf") != "http/protobuf":
            raise problem("otlp-protocol", f"{name} is {os.environ[name]}", hint="this tracker speaks http/protobuf")


def _resource(wanted: Mapping[str, str], key: str) -> dict[str, str]:
    """The attributes of the resource. The service has our name and the key of the run, unless somebody named it."""
    attributes = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    own = {"service.name": OURS, "service.instance.id": key}
    if "OTEL_SERVICE_NAME" in os.environ:
        del own["service.name"]
    return {**{name: value for name, value in own.items() if f"{name}=" not in attributes}, **wanted}


def _times(record: Run) -> tuple[int, int]:
    """When the run began and ended, in nanoseconds; now, where the run folder does not say."""
    known = record.result.environment
    if known is None:
        return (now := time.time_ns()), now
    start = round(datetime.fromisoformat(known.started).timestamp() * 1e9)
    return start, start + round(known.seconds * 1e9)


def _with_dots(name: str) -> str:
    return name.replace("/", ".")
