"""A receiver of OTLP over HTTP on this machine: what arrives is decoded and kept."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Sink:
    """What arrived."""

    address: str = ""
    refused: dict[str, int] = field(default_factory=dict)
    """Paths that are answered with an error, and which."""
    answers: dict[str, bytes] = field(default_factory=dict)
    """What is answered to a path in place of nothing."""
    later: list[int] = field(default_factory=list)
    """The status of the first answers; for 0 the connection is dropped."""
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def spans(self) -> list[Any]:
        """All spans."""
        return [span for one in self._resources("/v1/traces") for scope in one.scope_spans for span in scope.spans]

    @property
    def logs(self) -> list[Any]:
        """All log records."""
        return [log for one in self._resources("/v1/logs") for scope in one.scope_logs for log in scope.log_records]

    @property
    def metrics(self) -> list[Any]:
        """All metrics."""
        return [one for some in self._resources("/v1/metrics") for scope in some.scope_metrics for one in scope.metrics]

    def resource(self, path: str) -> dict[str, Any]:
        """The attributes of the resource that a path was sent."""
        return plain(self._resources(path)[0].resource.attributes)

    def _resources(self, path: str) -> list[Any]:
        found: list[Any] = []
        for one, body in self.bodies:
            if one == path == "/v1/traces":
                found += ExportTraceServiceRequest.FromString(body).resource_spans
            elif one == path == "/v1/logs":
                found += ExportLogsServiceRequest.FromString(body).resource_logs
            elif one == path == "/v1/metrics":
                found += ExportMetricsServiceRequest.FromString(body).resource_metrics
        return found


def plain(attributes: Any) -> dict[str, Any]:
    """Attributes as a map."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def listening() -> Iterator[Sink]:
    """A sink on a free port of this machine."""
    sink = Sink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that http.server calls
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            status = sink.later.pop(0) if sink.later else sink.refused.get(self.path, 200)
            if status == 0:
                self.close_connection = True
                return
            if status == 200:
                sink.headers.append({name.lower(): value for name, value in self.headers.items()})
                sink.bodies.append((self.path, body))
            self.send_response(status)
            answer = sink.answers.get(self.path, b"") if status == 200 else b""
            if status == 429:
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sink.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield sink
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
