"""How long a tracker tries again when a server refuses for now, and how several requests are under way at once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

Entry = TypeVar("Entry")

TOTAL_SECONDS: Final = 120.0
"""No request is tried for longer than this, with all its waits."""
FIRST_SECONDS: Final = 5.0
"""A server that never answered yet may not be there at all: no request to it is tried for longer than this."""
REFUSED_FOR_NOW: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""The status of an answer after which the same request may be taken later."""
REFUSED_FOR_GOOD: Final = frozenset({401, 403})
"""The status of an answer to a wrong key."""
_LONGEST_PAUSE: Final = 16.0
_END: Final = object()


def pause_seconds(tried: int, retry_after: str | None = None) -> float:
    """The seconds to wait before a request is tried again, after `tried` further tries: what the server asks for in its header
    `Retry-After`, else 0.5, 1, 2 and so on, less a part by chance."""
    asked_for = _retry_after_seconds(retry_after)
    return min(0.5 * 2.0**tried, _LONGEST_PAUSE) * random.uniform(0.5, 1.0) if asked_for is None else asked_for


def _retry_after_seconds(retry_after: str | None) -> float | None:
    """The seconds to wait by the text of a `Retry-After` header, a number of seconds or a date; a date in the past is 0. None without a
    header, and for any other text."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None


def in_parallel(work: Callable[[Entry], object], entries: Iterable[Entry], at_once: int) -> Iterator[Entry]:
    """Does the work for each entry, at most `at_once` at a time, and gives each entry whose work is done.

    What the work raises is raised here, and nothing more is begun. Ctrl-C does not wait for what is under way.
    """
    waiting: SimpleQueue[Any] = SimpleQueue()
    done: SimpleQueue[tuple[Entry, BaseException | None]] = SimpleQueue()

    def worker() -> None:
        """Works on entries until `_END` comes, and reports each with its error, or with None."""
        while (entry := waiting.get()) is not _END:
            try:
                work(entry)
                done.put((entry, None))
            except BaseException as error:
                done.put((entry, error))

    for _ in range(at_once):
        Thread(target=worker, daemon=True).start()
    under_way = 0
    try:
        for entry in entries:
            if under_way == at_once:
                yield _next_finished(done)
                under_way -= 1
            waiting.put(entry)
            under_way += 1
        for _ in range(under_way):
            yield _next_finished(done)
    finally:
        for _ in range(at_once):
            waiting.put(_END)


def _next_finished(done: SimpleQueue[tuple[Entry, BaseException | None]]) -> Entry:
    """The next entry whose work is done, awaited; raises what its work raised."""
    entry, error = done.get()
    if error is not None:
        raise error
    return entry
