"""One request to a model and its reply, as plugs send them, and why there is none.

What endpoints of chat completions have in common is here, too: failures, the wait they ask for, replies, and how much of one is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, TypeAlias

import msgspec

from evaluators.scoring.judges.messages import Messages
from evaluators.scoring.values.quoting import quote

Structured: TypeAlias = Literal["json_schema", "json_object", "none"]

MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a reply, unpacked: an endpoint may never stop sending."""
_MOST_TOKENS: Final = 10**9
"""A count of tokens from here on is none."""
_REFUSED: Final = (401, 402, 403, 404, 405)
_SHAPE: Final = (400, 415, 422, 501)
_TOO_MANY: Final = 429
_AGAIN: Final = (408, 409, 425, _TOO_MANY)
_MOST_QUOTED: Final = 200


class ChatRequest(msgspec.Struct, frozen=True):
    """One request, as a plug sends it."""

    model: str
    messages: Messages
    temperature: float | None
    max_tokens: int | None
    schema: Mapping[str, Any]
    structured: Structured
    """How the endpoint is asked to keep to the schema."""


class ChatReply(msgspec.Struct, frozen=True):
    """The reply of an endpoint."""

    text: str | None
    tokens: tuple[int, int] = (0, 0)
    cut_off: bool = False
    cached_tokens: int = 0
    """Those of the request that the endpoint had kept from an earlier one."""


class ChatFailure(Exception):
    """Why there is no reply, as a plug found it."""

    def __init__(
        self,
        message: str,
        code: Literal["judge-refused", "judge-failed", "judge-timeout", "judge-too-long", "judge-unreachable"],
        *,
        again: bool = False,
        after: float | None = None,
        shape: bool = False,
        busy: bool = False,
    ) -> None:
        """Takes the message, the code of the issue, and what the failure means for further tries."""
        super().__init__(message)
        self.code: str = code
        self.again = again
        """Trying again may help."""
        self.after = after
        """So many seconds are to be waited before, as the endpoint says."""
        self.shape = shape
        """The request itself was refused: the endpoint may not know structured output."""
        self.busy = busy
        """No other request is to be sent either until the pause is over."""


Send: TypeAlias = Callable[[ChatRequest], ChatReply]


def options_of(request: ChatRequest) -> dict[str, Any]:
    """The options of a chat request beside model and messages: temperature, length, and how it asks for JSON."""
    options: dict[str, Any] = {"temperature": request.temperature, "max_tokens": request.max_tokens}
    if request.structured == "json_schema":
        schema = {"name": "verdicts", "strict": True, "schema": request.schema}
        options["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.structured == "json_object":
        options["response_format"] = {"type": "json_object"}
    return {name: value for name, value in options.items() if value is not None}


def failure_of(status: int, headers: Any, body: object) -> ChatFailure:
    """The failure that an endpoint's answer stands for, by its status: a refusal, which no other try can help, or one that may go away.
    It has the message in the `body`, if there is one, and the wait that the `headers` ask for."""
    message = f"the endpoint answered {status}"
    inner = body.get("error", body) if isinstance(body, dict) else body
    theirs = inner.get("message") if isinstance(inner, dict) else inner
    if isinstance(theirs, str) and theirs.strip():
        message += f": {quote(' '.join(theirs.split()), _MOST_QUOTED)}"
    if status in _REFUSED or 300 <= status < 400:
        return ChatFailure(message, "judge-refused")
    again, after = status in _AGAIN or status >= 500, _seconds_to_wait(headers)
    return ChatFailure(
        message, "judge-failed", again=again, after=after, shape=status in _SHAPE,
        busy=status == _TOO_MANY or (again and after is not None),
    )  # fmt: skip


def _seconds_to_wait(headers: Any) -> float | None:
    """The seconds that the endpoint asks to wait before the next try: a number of them, or a date; None where it asks for nothing."""
    with suppress(TypeError, ValueError):
        return max(0.0, float(headers.get("retry-after-ms")) / 1000)
    header = headers.get("retry-after")
    with suppress(TypeError, ValueError):
        return max(0.0, float(header))
    with suppress(TypeError, ValueError):
        moment = parsedate_to_datetime(header)
        return max(0.0, (moment - datetime.now(moment.tzinfo or UTC)).total_seconds())
    return None


def reply_of(completion: Any) -> ChatReply:
    """The text and token counts of a chat completion. A count that is missing, or no count, is 0; the text may be None. Raises ChatFailure
    for anything else."""
    if isinstance(completion, str):  # what has another type than JSON comes as its text
        what = (
            f"no chat completion but {quote(' '.join(completion[:_MOST_QUOTED].split()))}"
            if completion.strip()
            else "nothing"
        )
        raise ChatFailure(f"the endpoint sent {what}", "judge-failed", again=True)
    try:
        choice = completion.choices[0]
        text, ended = choice.message.content, choice.finish_reason
    except (AttributeError, IndexError, TypeError) as error:
        raise ChatFailure("the endpoint sent no chat completion", "judge-failed", again=True) from error
    usage = getattr(completion, "usage", None)
    cached_tokens = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None), cached_tokens)
    sent, back, cached = (count if isinstance(count, int) and 0 <= count < _MOST_TOKENS else 0 for count in counts)
    return ChatReply(text if isinstance(text, str) else None, (sent, back), ended == "length", cached)


def limit_reply(seconds: float) -> Callable[[Any], None]:
    """A function that changes a response whose body is not read yet: reading the body then raises ChatFailure where it is too long, or
    takes more than so many seconds."""

    def limit(response: Any) -> None:
        """Replaces the response's `iter_bytes` by one that raises ChatFailure over a limit of size or time."""
        read = response.iter_bytes
        response.iter_bytes = lambda *options: _limit_blocks(read(*options), time.monotonic() + seconds, seconds)

    return limit


def timeout_failure(seconds: float) -> ChatFailure:
    """The failure that no reply came within so many seconds."""
    return ChatFailure(f"no reply within {seconds:g} s", "judge-timeout", again=True)


def _limit_blocks(blocks: Iterator[bytes], end: float, seconds: float) -> Iterator[bytes]:
    """The blocks of a reply. Raises ChatFailure where it is too long, or not complete by `end`, as `time.monotonic` counts."""
    size = 0
    for block in blocks:
        size += len(block)
        if size > MOST_BYTES:
            raise ChatFailure(f"the reply is longer than {MOST_BYTES >> 20} MiB", "judge-too-long")
        if time.monotonic() > end:
            raise timeout_failure(seconds)
        yield block
