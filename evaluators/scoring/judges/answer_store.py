"""Answers that were paid for, in an SQLite file: they outlive a run that was stopped, and are never asked for again.

An answer is kept by a checksum of all that led to it, with the request that carried it and the whole reply, so that anybody
can look at what was sent. Several threads and processes may use one file at the same time.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from evaluators.model.rows import JSON
from evaluators.scoring.judges.judge import JudgeAnswer
from evaluators.scoring.values.json_text import compact, parse
from evaluators.scoring.values.sqlite_file import open_shared

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY, messages TEXT NOT NULL, reply TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, answer TEXT NOT NULL, request INTEGER NOT NULL REFERENCES requests (id)
) WITHOUT ROWID;
"""
_AT_ONCE: Final = 500


class AnswerStore:
    """The answers in one file; `:memory:` keeps them as long as the store. Raises OSError where there can be none."""

    def __init__(self, file: Path | str) -> None:
        self._lock = threading.Lock()
        try:
            self._connection = open_shared(file, _TABLES)
        except sqlite3.Error as error:
            raise OSError(f"{file}: {error}") from error
        weakref.finalize(self, self._connection.close)

    def answers_to(self, keys: Sequence[str]) -> dict[str, JudgeAnswer]:
        """The stored answers, by the keys of their questions; a question without one is left out."""
        answers: dict[str, JudgeAnswer] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            with self._lock, closing(self._connection.cursor()) as cursor:
                cursor.execute(f"SELECT key, answer FROM answers WHERE key IN ({marks})", some)
                answers |= {key: _cached_answer(text) for key, text in cursor}
        return answers

    def add(self, answers: Iterable[tuple[str, JudgeAnswer]], messages: JSON, reply: str) -> None:
        """Adds the answers that one request brought, by the keys of their questions, with the messages that were sent and the text of the
        reply. The first answer to a question stays. Nothing is written where there are no answers."""
        lines = [(key, compact(_stored_part(answer)).decode()) for key, answer in answers]
        if not lines:
            return
        with self._lock, closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                cursor.execute(
                    "INSERT INTO requests (messages, reply) VALUES (?, ?)",
                    (compact(messages).decode(), reply.encode("utf-8", "backslashreplace").decode()),
                )
                rows = [(key, text, cursor.lastrowid) for key, text in lines]
                cursor.executemany("INSERT OR IGNORE INTO answers (key, answer, request) VALUES (?, ?, ?)", rows)
                cursor.execute("COMMIT")
            except BaseException:
                cursor.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


def _stored_part(answer: JudgeAnswer) -> dict[str, Any]:
    """The stored part of an answer: all but its costs."""
    return {
        "score": answer.score, "passed": answer.passed, "reason": answer.reason,
        "details": dict(answer.details), "who": dict(answer.who),
    }  # fmt: skip


def _cached_answer(text: str) -> JudgeAnswer:
    """An answer as it was stored, marked as one that nobody was asked for again."""
    data: Any = parse(text)
    details: Mapping[str, Any] = data["details"]
    return JudgeAnswer(data["score"], data["passed"], data["reason"], details, data["who"], cached=True)
