"""The questions of one run to judges: the session file that its workers share, and the reports of its progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evaluators.runs.observer import Observer
from evaluators.runs.preparing import Prepared
from evaluators.scoring.judges.session import AskingProgress, Session

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

_EVERY_SECONDS = 0.2


@contextmanager
def asking(prepared: Prepared, observer: Observer) -> Iterator[Session | None]:
    """Opens the session that the workers of a run share in a temporary file, and deletes it after the block; yields None where the
    suite asks nobody. Calls `before_asking` of the observer first, and its `asked` now and then while the block runs."""
    if not asks_anybody(prepared.suite):
        yield None
        return
    import tempfile  # imported when used: most runs ask nobody

    observer.before_asking(prepared)
    with tempfile.TemporaryDirectory(prefix="evaluators-asking-", ignore_cleanup_errors=True) as folder:
        session = Session(Path(folder) / "session.sqlite")
        try:
            with _reporting(session, observer.asked):
                yield session
        finally:
            session.close()


@contextmanager
def _reporting(session: Session, tell: Callable[[AskingProgress], None] | None) -> Iterator[None]:
    """Calls `tell` with the progress of the session every `_EVERY_SECONDS`, in a thread, while the block runs; without `tell`
    it does nothing."""
    if tell is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_EVERY_SECONDS):
            tell(session.progress())

    thread = threading.Thread(target=watch, name="evaluators-asking", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def asks_anybody(suite: LoadedSuite) -> bool:
    """Whether rows may have questions for a judge, a batch or an async function."""
    return any(line.settings.asking() is not None for line in suite.lines)
