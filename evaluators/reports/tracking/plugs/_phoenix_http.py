"""Phoenix's own client, which asks again where Phoenix refuses for now."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

import httpx

from evaluators.model.issues import problem
from evaluators.reports.tracking.patience import (
    FIRST_SECONDS,
    REFUSED_FOR_GOOD,
    REFUSED_FOR_NOW,
    TOTAL_SECONDS,
    pause_seconds,
)
from evaluators.scoring.values.addresses import without_password


class PatientClient(httpx.Client):
    """Sends a request again after a lost connection, and where the server asks to come later."""

    answered: bool = False
    """The server is there: some request was answered."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Sends a request, and again while the server refuses for now and there is time. Returns the answer.

        Raises what httpx raises, and Problems (environment) where the key is not taken.
        """
        started = time.monotonic()
        for tried in count():
            try:
                answer = super().send(request, **options)
            except httpx.TransportError:
                seconds = pause_seconds(tried)
                if _creates_each_time(request) or not self._in_time(started, seconds):
                    raise
            else:
                self.answered = True
                if answer.status_code in REFUSED_FOR_GOOD:
                    raise self._refusal(answer.status_code)
                seconds = pause_seconds(tried, answer.headers.get("Retry-After"))
                if answer.status_code not in REFUSED_FOR_NOW or not self._in_time(started, seconds):
                    return answer
            time.sleep(seconds)
        raise AssertionError("there is always a next try")

    def _in_time(self, started: float, seconds: float) -> bool:
        """Whether a request that was begun at `started` may be tried again after a pause of so many seconds."""
        spent = time.monotonic() - started + seconds
        return spent <= (TOTAL_SECONDS if self.answered else FIRST_SECONDS)

    def _refusal(self, status: int) -> Exception:
        place = without_password(str(self.base_url)).rstrip("/")
        hint = "PHOENIX_API_KEY is the key, and PHOENIX_CLIENT_HEADERS are further headers"
        return problem("wrong-key", f"Phoenix at {place} refuses the key, or there is none (status {status})", hint=hint)


def _creates_each_time(request: httpx.Request) -> bool:
    """Whether a request makes something new each time it is sent: an experiment. That may be there although the answer was lost."""
    return bool(request.method == "POST" and request.url.path.endswith("/experiments"))
