"""One request, tried until there is a reply: waits between tries, and the strictest form of structured output that is taken."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from evaluators.judges.chat import ChatFailure, ChatReply, ChatRequest, Send, Structured
from evaluators.value_class import replace

if TYPE_CHECKING:
    from evaluators.judges.model_judge import ModelJudge


class Tries:
    """One request, tried until there is a reply."""

    def __init__(self, judge: ModelJudge, send: Send, stopped: Callable[[], bool]) -> None:
        self.judge = judge
        self.send = send
        self.stopped = stopped
        self.repeated = 0

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply. Raises ChatFailure when the last try failed."""
        while True:
            try:
                return self._in_a_shape(request)
            except ChatFailure as failure:
                if not failure.again or self.repeated >= self.judge.retries or self.stopped():
                    raise
                seconds = _pause(self.repeated) if failure.after is None else failure.after
                if seconds > self.judge.longest_wait_seconds:
                    said = f"{failure}; it asks to wait {seconds:g} s, and longest_wait_seconds is less"
                    raise ChatFailure(said, "judge-failed", again=True) from failure
                self.repeated += 1
                self.judge.pause(seconds)

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
