"""What endpoints of chat completions say, as plugs have it in common: failures, the wait they ask for, and replies."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from evaluators.judges.chat import ChatFailure, ChatReply, ChatRequest
from evaluators.values.quoting import quote

_REFUSED: Final = (401, 402, 403, 404, 405)
_SHAPE: Final = (400, 415, 422, 501)
_TOO_MANY: Final = 429
_AGAIN: Final = (408, 409, 425, _TOO_MANY)
_MOST_QUOTED: Final = 200


def response_format(request: ChatRequest) -> dict[str, Any]:
    """How the request asks for JSON."""
    if request.structured == "json_schema":
        schema = {"name": "verdicts", "strict": True, "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {"response_format": {"type": "json_object"}} if request.structured == "json_object" else {}


def failure_of(status: int, headers: Any, body: object) -> ChatFailure:
    message = f"the endpoint answered {status}"
    inner = body.get("error", body) if isinstance(body, dict) else body
    said = inner.get("message") if isinstance(inner, dict) else inner
    if isinstance(said, str) and said.strip():
        message += f": {quote(' '.join(said.split()), _MOST_QUOTED)}"
    if status in _REFUSED or 300 <= status < 400:
        return ChatFailure(message, "judge-refused")
    again, after = status in _AGAIN or status >= 500, _after(headers)
    return ChatFailure(
        message, "judge-failed", again=again, after=after, shape=status in _SHAPE,
        busy=status == _TOO_MANY or (again and after is not None),
    )  # fmt: skip


def _after(headers: Any) -> float | None:
    """The seconds that the endpoint asks to wait: a number of them, or a date."""
    with suppress(TypeError, ValueError):
        return max(0.0, float(headers.get("retry-after-ms")) / 1000)
    given = headers.get("retry-after")
    with suppress(TypeError, ValueError):
        return max(0.0, float(given))
    with suppress(TypeError, ValueError):
        moment = parsedate_to_datetime(given)
        return max(0.0, (moment - datetime.now(moment.tzinfo or UTC)).total_seconds())
    return None


def reply_of(found: Any) -> ChatReply:
    """What a chat completion says. Raises ChatFailure for what is none."""
    if isinstance(found, str):  # what has another type than JSON comes as its text
        said = f"no chat completion but {quote(' '.join(found[:_MOST_QUOTED].split()))}" if found.strip() else "nothing"
        raise ChatFailure(f"the endpoint sent {said}", "judge-failed", again=True)
    try:
        choice = found.choices[0]
        text, ended = choice.message.content, choice.finish_reason
    except (AttributeError, IndexError, TypeError) as error:
        raise ChatFailure("the endpoint sent no chat completion", "judge-failed", again=True) from error
    usage = getattr(found, "usage", None)
    counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    sent, back = (one if isinstance(one, int) else 0 for one in counts)
    return ChatReply(text if isinstance(text, str) else None, (sent, back), ended == "length")
