"""The judge `openai_compatible`: a model behind an address that speaks the chat completions of OpenAI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Self
from urllib.parse import urlsplit

from pydantic import model_validator

from evaluators.issues import extra_hint, problem
from evaluators.judges.chat import (
    ChatFailure,
    ChatReply,
    ChatRequest,
    Send,
    failure_of,
    late,
    limit_reply,
    reply_of,
    response_format,
)
from evaluators.judges.model_judge import ModelJudge
from evaluators.settings import Name, bad
from evaluators.values.quoting import quote

_NO_KEY: Final = "none"


class OpenaiCompatible(ModelJudge):
    """A model behind an address that speaks the chat completions of OpenAI: a server of one's own, or a provider.

    It needs the extra `judge`. Expected and found values of the fields that ask a judge are sent to the address;
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
            openai.DefaultHttpxClient(
                follow_redirects=False, event_hooks={"response": [limit_reply(self.timeout_seconds)]}
            ) as http,
            openai.OpenAI(
                base_url=self.base_url, api_key=self.api_key() or _NO_KEY, max_retries=0,
                timeout=self.timeout_seconds, http_client=http,
            ) as client,
        ):  # fmt: skip
            yield partial(self._complete, client)

    def _complete(self, client: Any, request: ChatRequest) -> ChatReply:
        openai = _openai()
        body: dict[str, Any] = {"model": request.model, "messages": request.messages, **response_format(request)}
        for name in ("temperature", "max_tokens"):
            if (value := getattr(request, name)) is not None:
                body[name] = value
        try:
            found = client.chat.completions.create(
                **body, extra_body=dict(self.parameters) or None,
                extra_headers={"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()},
            )  # fmt: skip
        except openai.APITimeoutError as error:
            raise late(self.timeout_seconds) from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            if isinstance(cause, ChatFailure):
                raise cause from error
            raise ChatFailure(f"{self.address} cannot be reached: {cause}", "judge-unreachable", again=True) from error
        except openai.APIStatusError as error:
            raise failure_of(error.status_code, error.response.headers, error.body) from error
        except (
            openai.OpenAIError,
            ValueError,
            TypeError,
            RecursionError,
        ) as error:  # a body that is no JSON, or no chat completion
            raise ChatFailure("the endpoint sent no chat completion", "judge-failed", again=True) from error
        return reply_of(found)


def _openai() -> Any:
    try:
        import openai
    except ImportError as error:
        raise problem(
            "missing-extra", 'the judge "openai_compatible" needs a package that is not installed', where="judge",
            hint=extra_hint("judge"),
        ) from error  # fmt: skip
    return openai
