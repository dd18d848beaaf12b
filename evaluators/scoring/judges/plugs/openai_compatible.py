"""The judge `openai_compatible`: a model behind an address that speaks the chat completions of OpenAI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Self
from urllib.parse import urlsplit

from pydantic import model_validator

from evaluators.model.settings import Name, bad
from evaluators.scoring.judges.chat import (
    ChatFailure,
    ChatReply,
    ChatRequest,
    Send,
    failure_of,
    limit_reply,
    options_of,
    reply_of,
    timeout_failure,
)
from evaluators.scoring.judges.model_judge import ModelJudge
from evaluators.scoring.values.quoting import quote

_NO_KEY: Final = "none"


class OpenaiCompatible(ModelJudge):
    """A model behind an address that speaks the chat completions of OpenAI: a server of one's own, or a provider.

    It needs the extra `judge`. Expected and found values of the fields that ask a judge are sent to the address;
    nothing else of a row is, and nothing at all where no field asks.
    """

    library: ClassVar[str | None] = "openai"
    extra: ClassVar[str] = "judge"

    base_url: Name
    """The address, up to and with its version: `http://127.0.0.1:8000/v1`."""

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        """Gives the settings back. Raises BadSettings for a `base_url` that is no plain web address, or holds a user, a password or a
        query."""
        if any(character.isspace() or not character.isprintable() for character in self.base_url):
            hint = "write it in one line without spaces; %20 stands for a space"
            raise bad(
                f"base_url holds a space, or a sign that cannot be seen; found {quote(self.base_url)}",
                "base_url",
                hint=hint,
            )
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

    @contextmanager
    def connection(self) -> Iterator[Send]:
        """Within the `with` block, a function that sends requests by the library openai over one connection."""
        self.check_library()
        import openai

        nobody = {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}

        def send(request: ChatRequest) -> ChatReply:
            """Sends one request, once, and returns its reply. Raises ChatFailure, which says whether another try may help."""
            messages: Any = request.messages
            try:
                completion = client.chat.completions.create(
                    model=request.model, messages=messages, **options_of(request),
                    extra_body=dict(self.parameters) or None, extra_headers=nobody,
                )  # fmt: skip
            except openai.APITimeoutError as error:
                raise timeout_failure(self.timeout_seconds) from error
            except openai.APIConnectionError as error:
                cause = error.__cause__ or error
                if isinstance(cause, ChatFailure):
                    raise cause from error
                message = f"{self.address} cannot be reached: {cause}"
                raise ChatFailure(message, "judge-unreachable", again=True) from error
            except openai.APIStatusError as error:
                raise failure_of(error.status_code, error.response.headers, error.body) from error
            except (openai.OpenAIError, ValueError, TypeError, RecursionError) as error:  # no JSON, or no chat completion
                raise ChatFailure("the endpoint sent no chat completion", "judge-failed", again=True) from error
            return reply_of(completion)

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
            yield send
