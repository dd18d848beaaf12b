"""The judge `litellm`: a model of any provider that the library litellm knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from evaluators.model.settings import Name
from evaluators.scoring.judges.chat import (
    ChatFailure,
    ChatReply,
    ChatRequest,
    Send,
    failure_of,
    options_of,
    reply_of,
    timeout_failure,
)
from evaluators.scoring.judges.model_judge import ModelJudge


class Litellm(ModelJudge):
    """A model of any provider that the library litellm knows, named as it does: `anthropic/NAME`, `vertex_ai/NAME`.

    It needs the extra `litellm`. An endpoint that speaks the chat completions of OpenAI needs no such library:
    see `openai_compatible`. Without `api_key_env`, litellm looks for its provider's own variable.
    """

    library: ClassVar[str | None] = "litellm"
    extra: ClassVar[str] = "litellm"

    base_url: Name | None = None
    """The address, where it is not the provider's own."""

    @property
    def address(self) -> str:
        return self.base_url or "the provider that litellm finds for the model"

    @contextmanager
    def connection(self) -> Iterator[Send]:
        """Within the `with` block, a function that sends requests by litellm, whose network look-ups and notes are switched off."""
        self.check_library()
        # without it, the import goes to the network for a list of prices
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        import litellm

        litellm.telemetry = False
        litellm.suppress_debug_info = True
        key = self.api_key()

        def send(request: ChatRequest) -> ChatReply:
            """Sends one request, once, and returns its reply. Raises ChatFailure, which says whether another try may help."""
            try:
                completion = litellm.completion(
                    model=request.model, messages=request.messages, api_key=key, base_url=self.base_url,
                    timeout=self.timeout_seconds, num_retries=0, max_retries=0,
                    **self.parameters, **options_of(request),
                )  # fmt: skip
            except litellm.Timeout as error:
                raise timeout_failure(self.timeout_seconds) from error
            except litellm.APIConnectionError as error:
                raise ChatFailure(f"{self.address} cannot be reached", "judge-unreachable", again=True) from error
            except litellm.exceptions.APIError as error:
                raise failure_of(error.status_code, _headers(error), error.message) from error
            except Exception as error:  # what litellm raises has no base of its own, and many kinds
                status = getattr(error, "status_code", None)
                if not isinstance(status, int):
                    raise ChatFailure(f"litellm failed: {type(error).__name__}", "judge-failed") from error
                raise failure_of(status, _headers(error), getattr(error, "message", None)) from error
            return reply_of(completion)

        yield send


def _headers(error: Exception) -> Any:
    """The headers of the reply with which the provider refused, by which it may ask to wait; empty where there are none."""
    response = getattr(error, "response", None)
    return getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
