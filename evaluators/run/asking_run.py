"""The asking of one run: the file that its workers share, and somebody who tells how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluators.judges.session import AskingProgress, Session
from evaluators.run.preparing import Prepared
from evaluators.run.question_counts import asks

_EVERY_SECONDS = 0.2


@contextmanager
def asking(
    prepared: Prepared, before: Callable[[Prepared], None] | None, told: Callable[[AskingProgress], None] | None
) -> Iterator[Session | None]:
    """What the workers of a run share in a file, for as long as it goes; None where nobody is asked. `before` is called before the first
    question, `told` now and then."""
    if not asks(prepared.suite):
        yield None
        return
    import tempfile  # imported when used: most runs ask nobody

    if before is not None:
        before(prepared)
    with tempfile.TemporaryDirectory(prefix="evaluators-asking-", ignore_cleanup_errors=True) as folder:
        session = Session(Path(folder) / "session.sqlite")
        try:
            with _telling(session, told):
                yield session
        finally:
            session.close()


@contextmanager
def _telling(session: Session, tell: Callable[[AskingProgress], None] | None) -> Iterator[None]:
    """Somebody is told now and then how far it is."""
    if tell is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_EVERY_SECONDS):
            tell(session.so_far())

    thread = threading.Thread(target=watch, name="evaluators-asking", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
