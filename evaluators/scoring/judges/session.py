"""What all workers of one run share while they ask: who asks what at present, what was spent, and how far they are.

It is a small SQLite file that lives as long as the run. A question that somebody else of the run is asking is waited for, so
that equal questions are asked once however many workers there are; and a budget holds for the run, not for each worker.
Outside of a run, a judge has a session of its own.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from evaluators.model.issues import Issue

if TYPE_CHECKING:
    import sqlite3


_TABLES: Final = """
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS judges (
    judge TEXT PRIMARY KEY, sent INTEGER NOT NULL, tokens INTEGER NOT NULL,
    answered INTEGER NOT NULL, cached INTEGER NOT NULL, failed INTEGER NOT NULL, requests INTEGER NOT NULL, cost INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pauses (whom TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
"""


class AskingProgress(msgspec.Struct, frozen=True):
    """The progress of a run's questions."""

    sent: int = 0
    """Questions that were sent, or are about to be."""
    tokens: int = 0
    """What they cost, as far as it is known."""
    answered: int = 0
    cached: int = 0
    failed: int = 0
    requests: int = 0
    """Those that were sent, repeated ones included."""


class StoppedAsking(BaseException):
    """The run was stopped while questions were asked. Not an Exception: it is no row's problem."""


class Session:
    """The claims and the spending of one run. `:memory:` is for one process."""

    def __init__(self, file: Path | str = ":memory:", stopped: Callable[[], bool] = lambda: False) -> None:
        """Opens the file of the session, or makes it; without a file the session is in memory, for this process alone."""
        from evaluators.scoring.values.sqlite_file import open_shared  # imported when used: most runs ask nobody

        self.file = file
        self.stopped = stopped
        """Whether the run was told to stop."""
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection = open_shared(file, _TABLES)
        weakref.finalize(self, self._connection.close)
        self.failed_in_a_row: dict[str, int] = {}
        """Requests without a reply since the last one that had one, in this worker, by who is asked."""
        self.known: dict[str, dict[str, Any]] = {}
        """A `JudgeAnswer` that was read from the store, by judge and key: each is read once."""
        self.given_up: dict[str, Issue] = {}
        """Why nothing further is sent, by who is asked."""

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Within the `with` block, the connection for this thread alone, with several statements that count as one: after an error, none
        of them counts."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def claim(self, keys: Sequence[str], owner: str) -> set[str]:
        """The keys that `owner` may ask about: those that no other owner has claimed. They are claimed by this call."""
        with self._transaction() as connection:
            rows = [(key, owner) for key in keys]
            connection.executemany("INSERT OR IGNORE INTO claims (key, owner) VALUES (?, ?)", rows)
            mine = {key for (key,) in connection.execute("SELECT key FROM claims WHERE owner = ?", (owner,))}
        return mine.intersection(keys)

    def release(self, keys: Sequence[str]) -> None:
        """Gives up the claims on these questions: they are answered, or another owner may ask them."""
        with self._transaction() as connection:
            connection.executemany("DELETE FROM claims WHERE key = ?", [(key,) for key in keys])

    def release_process(self, process: int) -> None:
        """Gives up the claims of a process that has ended, so that no other process waits for it."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM claims WHERE owner LIKE ?", (f"{process}-%",))

    def reserve(
        self, judge: str, spending: tuple[int, int, int], most: tuple[int | None, int | None, int | None]
    ) -> bool:
        """Counts a request as spent on a judge, unless the run then spends more than `most` on it. Both are (questions, tokens, units of
        money); None in `most` is no limit. Returns whether it was counted, so that the request may be sent."""
        self.count(judge)
        with self._lock:
            cursor = self._connection.execute(
                "UPDATE judges SET sent = sent + ?1, tokens = tokens + ?2, cost = cost + ?3 WHERE judge = ?7"
                " AND (?4 IS NULL OR sent + ?1 <= ?4) AND (?5 IS NULL OR tokens + ?2 <= ?5) AND (?6 IS NULL OR cost + ?3 <= ?6)",
                (*spending, *most, judge),
            )
            return cursor.rowcount == 1

    def count(
        self,
        judge: str,
        *,
        tokens: int = 0,
        answered: int = 0,
        cached: int = 0,
        failed: int = 0,
        requests: int = 0,
        cost: int = 0,
    ) -> None:
        """Adds to the counts of questions to a judge. `tokens` and `cost` are what a request took beyond its estimate, negative where it
        took less; their sums stay at 0 or more."""
        with self._lock:
            self._connection.execute(
                "INSERT INTO judges VALUES (?, 0, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " cost = MAX(0, cost + excluded.cost),"
                " tokens = MAX(0, tokens + excluded.tokens), answered = answered + excluded.answered,"
                " cached = cached + excluded.cached, failed = failed + excluded.failed, requests = requests + excluded.requests",
                (judge, tokens, answered, cached, failed, requests, cost),
            )

    def pause(self, whom: str, until: float) -> float:
        """Sets a pause: no worker sends a request to an endpoint (`whom`) before a time, as `time.time()` counts.

        Gives the latest such time.
        """
        with self._lock:
            self._connection.execute(
                "INSERT INTO pauses VALUES (?, ?) ON CONFLICT DO UPDATE SET until = MAX(until, excluded.until)",
                (whom, until),
            )
        return self.paused_until(whom)

    def paused_until(self, whom: str) -> float:
        """The time before which no request is sent to an endpoint (`whom`); 0 without a pause."""
        with self._lock:
            row = self._connection.execute("SELECT until FROM pauses WHERE whom = ?", (whom,)).fetchone()
        return 0.0 if row is None else float(row[0])

    def progress(self) -> AskingProgress:
        """The counts of questions so far, of all judges and workers together."""
        with self._lock:
            row = self._connection.execute(
                "SELECT SUM(sent), SUM(tokens), SUM(answered), SUM(cached), SUM(failed), SUM(requests) FROM judges"
            ).fetchone()
        return AskingProgress(*(count or 0 for count in row))

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


@contextmanager
def session_in(file: str | None, stopped: Callable[[], bool] = lambda: False) -> Iterator[Session | None]:
    """The session in a file, open within the `with` block; None where `file` is None. Its judges ask no further once `stopped` says so."""
    if file is None:
        yield None
        return
    session = Session(file, stopped)
    try:
        yield session
    finally:
        session.close()
