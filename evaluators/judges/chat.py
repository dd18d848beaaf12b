"""One request to a model and its reply, as plugs send them, and why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from evaluators.judges.messages import Messages
from evaluators.value_class import dataclass

Structured = Literal["json_schema", "json_object", "none"]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request, as a plug sends it."""

    model: str
    messages: Messages
    temperature: float | None
    max_tokens: int | None
    schema: Mapping[str, Any]
    structured: Structured
    """How the endpoint is asked to keep to the schema."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back."""

    text: str | None
    tokens: tuple[int, int] = (0, 0)
    cut_off: bool = False


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
