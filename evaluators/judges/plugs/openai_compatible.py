"""The judge `openai_compatible`: a model behind an address that speaks the chat completions of OpenAI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, Final, Self
from urllib.parse import urlsplit

from pydantic import model_validator

from evaluators.issues import problem
from evaluators.judges.model_judge import ChatFailure, ChatReply, ChatRequest, ModelJudge, Send
from evaluators.settings import bad
from evaluators.settings_model import Name
from evaluators.values.quoting import quote

_REFUSED: Final = (401, 402, 403, 404, 405)
_SHAPE: Final = (400, 415, 422, 501)
_AGAIN: Final = (408, 409, 425, 429)
_NO_KEY: Final = "none"


class OpenaiCompatible(ModelJudge):
    """A model behind an address that speaks the chat completions of OpenAI: a server of one's own, or a provider.

    It needs `pip install "evaluators[judge]"`. Expected and found values of the fields that ask a judge are sent to the address;
    nothing else of a row is, and nothing at all where no field asks.
    """

    base_url: Name
    """The address, up to and with its version: `http://127.0.0.1:8000/v1`."""

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        try:
            parts = urlsplit(self.base_url)
            port = parts.port
        except ValueError as error:
            raise bad(f"base_url is no address: {error}", "base_url") from error
        if parts.username is not None or parts.password is not None or parts.query:
            hint = "a key comes from an environment variable: api_key_env: NAME"
            raise bad("base_url must hold no user, no password and no query", "base_url", hint=hint)
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            hint = "write base_url: http://127.0.0.1:8000/v1"
            raise bad(
                f"base_url must be an address that begins with http; found {quote(self.base_url)}", "base_url", hint=hint
            )
        return self

    @property
    def address(self) -> str:
        return self.base_url

    def ready(self) -> None:
        """Raises Problems (config) for a key that is not set, and for a package that is not there."""
        super().ready()
        _openai()

    @contextmanager
    def connected(self) -> Iterator[Send]:
        openai = _openai()
        with (
            # a redirect would send rows elsewhere; repeats are made by the judge itself
            openai.DefaultHttpxClient(follow_redirects=False) as http,
            openai.OpenAI(
                base_url=self.base_url, api_key=self.api_key() or _NO_KEY, max_retries=0,
                timeout=self.timeout_seconds, http_client=http,
            ) as client,
        ):  # fmt: skip
            yield partial(self._complete, client)

    def _complete(self, client: Any, request: ChatRequest) -> ChatReply:
        openai = _openai()
        body: dict[str, Any] = {"model": request.model, "messages": request.messages, **_shape(request)}
        for name in ("temperature", "max_tokens"):
            if (value := getattr(request, name)) is not None:
                body[name] = value
        try:
            found = client.chat.completions.create(
                **body, extra_body=dict(self.parameters) or None,
                extra_headers={"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()},
            )  # fmt: skip
        except openai.APITimeoutError as error:
            message = f"no reply within {self.timeout_seconds:g} s"
            raise ChatFailure(message, "judge-timeout", again=True) from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise ChatFailure(f"{self.address} cannot be reached: {cause}", "judge-unreachable", again=True) from error
        except openai.APIStatusError as error:
            raise _failure(error.status_code, error.response.headers, error.body) from error
        except (openai.OpenAIError, ValueError, TypeError) as error:  # a body that is no JSON, or no chat completion
            raise ChatFailure("the endpoint sent no chat completion", "judge-failed", again=True) from error
        return _reply(found)


def _openai() -> Any:
    try:
        import openai
    except ImportError as error:
        raise problem(
            "missing-extra", 'the judge "openai_compatible" needs a package that is not installed', where="judge",
            hint='pip install "evaluators[judge]"',
        ) from error  # fmt: skip
    return openai


def _shape(request: ChatRequest) -> dict[str, Any]:
    """How the request asks for JSON."""
    if request.structured == "json_schema":
        schema = {"name": "verdicts", "strict": True, "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return {"response_format": {"type": "json_object"}} if request.structured == "json_object" else {}


def _failure(status: int, headers: Any, body: object) -> ChatFailure:
    message = f"the endpoint answered {status}"
    inner = body.get("error", body) if isinstance(body, dict) else body
    said = inner.get("message") if isinstance(inner, dict) else inner
    if isinstance(said, str) and said.strip():
        message += f": {quote(' '.join(said.split()), 200)}"
    if status in _REFUSED or 300 <= status < 400:
        return ChatFailure(message, "judge-refused")
    again = status in _AGAIN or status >= 500
    return ChatFailure(message, "judge-failed", again=again, after=_after(headers), shape=status in _SHAPE)


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


def _reply(found: Any) -> ChatReply:
    """What a chat completion says. Raises ChatFailure for what is none."""
    try:
        choice = found.choices[0]
        text, ended = choice.message.content, choice.finish_reason
    except (AttributeError, IndexError, TypeError) as error:
        raise ChatFailure("the endpoint sent no chat completion", "judge-failed", again=True) from error
    usage = getattr(found, "usage", None)
    counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    sent, back = (one if isinstance(one, int) else 0 for one in counts)
    return ChatReply(text if isinstance(text, str) else None, (sent, back), ended == "length")
