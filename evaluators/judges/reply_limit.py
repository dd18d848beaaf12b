"""How much of a reply is read, and for how long: an endpoint may never stop sending."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from evaluators.judges.chat import ChatFailure

MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a reply, unpacked."""


def limit_reply(seconds: float) -> Callable[[Any], None]:
    """What is called with a response whose body is still to be read: reading it then raises ChatFailure over a limit."""

    def limit(response: Any) -> None:
        read = response.iter_bytes
        response.iter_bytes = lambda *options: _limited(read(*options), time.monotonic() + seconds, seconds)

    return limit


def late(seconds: float) -> ChatFailure:
    """There was no reply in time."""
    return ChatFailure(f"no reply within {seconds:g} s", "judge-timeout", again=True)


def _limited(blocks: Iterator[bytes], end: float, seconds: float) -> Iterator[bytes]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > MOST_BYTES:
            raise ChatFailure(f"the reply is longer than {MOST_BYTES >> 20} MiB", "judge-too-long")
        if time.monotonic() > end:
            raise late(seconds)
        yield block
