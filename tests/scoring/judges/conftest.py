from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scoring.judges.chat_server import ChatServer, chat_server


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that speaks chat completions."""
    with chat_server() as found:
        yield found
