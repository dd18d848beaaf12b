"""One request, tried until there is a reply: waits between tries, and the strictest form of structured output that is taken.

An endpoint that is busy gets no request of anybody before its pause is over: who is sent away says so in the session of the run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from evaluators.judges.asking_session import Session
from evaluators.judges.chat import ChatFailure, ChatReply, ChatRequest, Send, Structured
from evaluators.value_class import replace

if TYPE_CHECKING:
    from evaluators.judges.model_judge import ModelJudge


class Tries:
    """One request, tried until there is a reply."""

    def __init__(
        self, judge: ModelJudge, send: Send, stopped: Callable[[], bool], session: Session, whom: Hashable
    ) -> None:
        self.judge = judge
        self.send = send
        self.stopped = stopped
        self.session = session
        self.whom = repr(whom)
        self.repeated = 0
        self._waited_for = 0.0
        """The end of the pause that was waited for last, on the clock of all workers."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply. Raises ChatFailure when the last try failed."""
        while True:
            self._wait_with_all()
            try:
                return self._in_a_shape(request)
            except ChatFailure as failure:
                if not failure.again or self.repeated >= self.judge.retries or self.stopped():
                    raise
                longest = self.judge.longest_wait_seconds
                seconds = min(_pause(self.repeated), longest) if failure.after is None else failure.after
                if seconds > longest:
                    said = f"{failure}; it asks to wait {seconds:g} s, and longest_wait_seconds is less"
                    raise ChatFailure(said, "judge-failed", again=True) from failure
                self.repeated += 1
                if failure.busy:
                    until = time.time() + seconds
                    if self.session.pause(self.whom, until) == until:
                        self._waited_for = until
                self.judge.pause(seconds)

    def _wait_with_all(self) -> None:
        """Waits while whoever is asked wants a pause, which a request of somebody else may have been told."""
        while (until := self.session.paused_until(self.whom)) != self._waited_for and not self.stopped():
            self._waited_for = until
            left = until - time.time()
            if left > 0:
                self.judge.pause(left)

    def _in_a_shape(self, request: ChatRequest) -> ChatReply:
        """The reply, with the strictest form of structured output that the endpoint takes."""
        judge = self.judge
        shape: Structured = (
            judge.shapes.get(request.model, "json_schema") if judge.structured == "auto" else judge.structured
        )
        while True:
            try:
                reply = self.send(replace(request, structured=shape))
            except ChatFailure as failure:
                if not failure.shape or judge.structured != "auto" or shape == "none":
                    raise
                shape = "json_object" if shape == "json_schema" else "none"
            else:
                judge.shapes[request.model] = shape
                return reply


def _pause(number: int) -> float:
    """Seconds to wait before a further try: 1, 2, 4 and so on, less a part by chance, so that not all come back at once."""
    return float(2**number) * random.uniform(0.5, 1.0)
