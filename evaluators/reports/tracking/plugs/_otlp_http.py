"""Requests of OpenTelemetry's exporters: tried again where a collector refuses for now, and what it answered, in words."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import requests

from evaluators.model.issues import Problems, problem
from evaluators.reports.tracking.patience import FIRST_SECONDS, REFUSED_FOR_GOOD, TOTAL_SECONDS, pause_seconds
from evaluators.scoring.values.addresses import without_password

_REFUSED_FOR_NOW: Final = frozenset({429, 502, 503, 504})
"""What OTLP takes for refused for now."""
_INSTEAD: Final = {
    "logs": "`events: spans` sends no logs, which some platforms refuse",
    "metrics": "OTEL_METRICS_EXPORTER=none or `events: spans` sends no metrics, which some platforms refuse",
}


class PatientSession(requests.Session):
    """Sends a request again where the collector asks to come later, and remembers what it answered."""

    url: str = ""
    answer: requests.Response | None = None
    """The latest answer; None where there was none to the latest request."""
    answered: bool = False
    rejected: int = 0
    """How much collectors left out of what they took."""
    why: str = ""

    def send(self, request: Any, **options: Any) -> Any:
        """Sends a request, and again while a collector refuses for now and there is time. Returns the answer, and keeps it in `answer` and
        the address in `url`. There is more time once a collector has `answered`.

        Raises what requests raises, and ConnectionError where nobody answers in time.
        """
        started, self.url, self.answer = time.monotonic(), without_password(request.url or ""), None
        for tried in count():
            after: str | None = None
            answer: requests.Response | None = None
            try:
                answer = super().send(request, **options)
            except requests.ConnectionError:
                pass
            else:
                self.answered, after = True, answer.headers.get("Retry-After")
            seconds = pause_seconds(tried, after)
            spent = time.monotonic() - started + seconds
            in_time = spent <= (TOTAL_SECONDS if self.answered else FIRST_SECONDS)
            if answer is None and not in_time:
                raise requests.ConnectionError(f"nobody answers at {self.url}")
            if answer is not None and (answer.status_code not in _REFUSED_FOR_NOW or not in_time):
                self.answer = answer
                return answer
            time.sleep(seconds)
        raise AssertionError("there is always a next try")

    def count_rejected(self, read: Callable[[bytes], Any], field: str) -> None:
        """Adds to `rejected` what the latest answer says was left out, and keeps why. `read` decodes the answer; `field` names its member
        with the count."""
        try:
            partial = read(self.answer.content if self.answer is not None else b"").partial_success
        except Exception:  # whatever a decoder raises: the sending has succeeded, and only this detail is unknown
            return
        self.rejected += getattr(partial, field)
        self.why = self.why or (partial.error_message if getattr(partial, field) else "")

    def refusal(self, signal: str, message: str) -> Problems:
        """The problem that the latest request was not taken, with why and what to do. `signal` is what was sent; `message` is said where no
        address is known."""
        if self.answer is None:
            hint = "OTEL_EXPORTER_OTLP_ENDPOINT, or `endpoint` in the suite, names the collector"
            return problem("otlp-away", f"nobody answers at {self.url}" if self.url else message, hint=hint)
        status = f"{self.answer.status_code} {self.answer.reason or ''}".strip()
        if self.answer.status_code in REFUSED_FOR_GOOD:
            hint = "OTEL_EXPORTER_OTLP_HEADERS has the key, such as authorization=Bearer%20KEY"
            return problem("wrong-key", f"{self.url} refuses the key, or there is none ({status})", hint=hint)
        return problem("otlp-refused", f"{self.url} refuses what is sent ({status})", hint=_INSTEAD.get(signal))

    def partial_problem(self) -> Problems | None:
        """The problem that collectors left something out; None where they took all."""
        if not self.rejected:
            return None
        why = f": {self.why}" if self.why else ""
        hint = "the rest arrived; what is sent again has the same ids"
        return problem(
            "otlp-partial", f"the collector at {self.url} left out {self.rejected:,} of what it took{why}", hint=hint
        )
