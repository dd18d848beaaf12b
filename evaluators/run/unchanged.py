"""Whether the files of a test set are the same at the end of a run as at its beginning."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from evaluators.issues import Blame, Issue, Problems
from evaluators.testsets.byte_source import ByteSource, reading
from evaluators.testsets.byte_store import LocalFiles

if TYPE_CHECKING:
    from evaluators.testsets.remote_files import RemoteFiles

CUT_CODES: Final = frozenset(["quote-not-closed", "text-after-quote", "uneven-quotes"])
"""What is said of a file whose end is gone, and is not the fault of its quotes when somebody wrote to it meanwhile."""


_CHANGED: Final = "test-set-changed"


FileMark: TypeAlias = str | None
"""How a file that was written to is told without reading it, as text; None where that cannot be told."""


def file_marks(files: Iterable[ByteSource]) -> tuple[FileMark, ...]:
    """The marks of files as they are now."""
    files = list(files)
    try:
        marks = _marks(files)
    except Problems:  # a store that cannot be asked
        return (None,) * len(files)
    return tuple(map(_text, map(marks.get, files)))


def _text(mark: _FileState | str | None) -> FileMark:
    if isinstance(mark, _FileState):
        return f"{mark.size} bytes, written at {mark.modified}"
    return None if mark is None or mark.isdigit() else mark  # a store that tells a size only tells no versions apart


class _FileState(NamedTuple):
    size: int
    modified: int
    file: int


class FileMarks:
    """What changes with files, as it is when this is made: size, time of modification and identity, or what a store says.

    Raises Problems (environment) when a store cannot be asked.
    """

    def __init__(self, files: Iterable[ByteSource]) -> None:
        self._marks = {source: mark for source, mark in _marks(list(files)).items() if mark is not None}

    def changed(self) -> tuple[Issue, ...]:
        """An issue for each file that has changed, or may have changed, since the run began."""
        try:
            now = _marks(list(self._marks))
        except Problems as error:
            return error.issues
        return tuple(_said(source, mark, now[source]) for source, mark in self._marks.items() if now[source] != mark)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Raises Problems with the files that changed, in place of what went wrong inside because of it."""
        try:
            yield
        except (Problems, OSError) as error:
            if changed := [issue for issue in self.changed() if issue.code == _CHANGED]:
                raise Problems(changed) from error
            raise


def _marks(sources: list[ByteSource]) -> dict[ByteSource, _FileState | str | None]:
    """What each file is like now; None for one that is not there."""
    found: dict[ByteSource, _FileState | str | None] = {}
    elsewhere: dict[str, tuple[RemoteFiles, list[ByteSource]]] = {}
    for source in sources:
        store = source.store
        if isinstance(store, LocalFiles):
            found[source] = _mark(source.local or "")
        else:
            elsewhere.setdefault(store.scheme, (store, []))[1].append(source)
    for store, some in elsewhere.values():
        with reading(some[0]):
            found |= zip(some, store.versions([source.path for source in some]), strict=True)
    return found


def _mark(local: str) -> _FileState | None:
    with suppress(OSError, ValueError):
        found = os.stat(local)
        return _FileState(found.st_size, found.st_mtime_ns, found.st_ino)
    return None


def _said(source: ByteSource, before: _FileState | str, now: _FileState | str | None) -> Issue:
    message = f"the file changed while it was read{_how(before, now)}, so the metrics are of no one version of it"
    hint = "run again when nothing writes to it, or on a copy"
    return Issue(_CHANGED, Blame.ENVIRONMENT, message, source.name, hint)


def _how(before: _FileState | str, now: _FileState | str | None) -> str:
    if now is None:
        return " (it is gone)"
    if isinstance(before, str) or isinstance(now, str) or before.size == now.size:
        return ""
    return f" (from {before.size:,} to {now.size:,} bytes)"
