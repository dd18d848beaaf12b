"""What goes wrong between a store elsewhere and this machine, and trying again.

A connection that is refused or cut, a server that is busy: tried again a few times, with pauses. What is left of it is a
`StoreFault`, an OSError whose text is for people and holds no address. A piece of a file comes whole or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from evaluators.issues import Problems
from evaluators.testsets.byte_store import StoreFault
from evaluators.values.addresses import with_shown_addresses

Value = TypeVar("Value")

PAUSES_SECONDS: Final = (0.5, 2.0, 4.0)
"""How long to wait before each further try."""


class PassingFault(OSError):
    """A store did not give or take a file just now."""


def tried(work: Callable[[], Value]) -> Value:
    """What the work gives, which is tried again while its faults pass.

    Raises StoreFault when the last try failed, and at once for a fault that does not pass; FileNotFoundError and
    IsADirectoryError as they are.
    """
    for pause in (*PAUSES_SECONDS, None):
        try:
            with faults_told():
                return work()
        except PassingFault as error:
            if pause is None:
                raise StoreFault(f"{error} (tried {len(PAUSES_SECONDS) + 1} times)") from None
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


@contextmanager
def faults_told() -> Iterator[None]:
    """Turns what libraries of stores raise, each in its own way, into the faults of this module."""
    try:
        yield
    except (Problems, FileNotFoundError, IsADirectoryError, StoreFault, PassingFault, ImportError):
        raise
    except PermissionError as error:
        raise StoreFault(f"the store does not allow it: {_said(error)}") from None
    except TimeoutError:
        raise PassingFault("the store did not answer in time") from None
    except Exception as error:  # botocore, aiohttp, google and azure have no common kind
        raise (PassingFault if _passes(error) else StoreFault)(_said(error)) from None


def _passes(error: Exception) -> bool:
    """Whether the same request may work a moment later."""
    status = getattr(error, "status", None) or getattr(error, "status_code", None) or getattr(error, "code", None)
    if isinstance(status, int):
        return passing_status(status)
    return isinstance(error, ConnectionError) or any(
        word in kind.__name__ for kind in type(error).__mro__ for word in _PASSING
    )


_PASSING: Final = (
    "ClientConnection", "ClientPayload", "ServerDisconnected", "ClientOSError", "EndpointConnection", "ConnectionClosed",
    "HTTPClientError", "IncompleteRead", "ResponseStreaming", "ServiceRequestError", "ServiceResponseError", "Timeout",
)  # fmt: skip
"""Parts of the names of errors that say that a connection was not made, or was cut."""


def passing_status(status: int) -> bool:
    """Whether an answer of a web server says that it is busy or ailing."""
    return status in (408, 425, 429) or status >= 500


def _said(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = " ".join(with_shown_addresses(text).split()) or type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST: Final = 300
