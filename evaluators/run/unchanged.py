"""Whether the files of a test set are the same at the end of a run as at its beginning."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from evaluators.issues import Blame, Issue, Problems
from evaluators.testsets.byte_source import ByteSource
from evaluators.value_class import NamedTuple

CUT_CODES: Final = frozenset(["quote-not-closed", "text-after-quote", "uneven-quotes"])
"""What is said of a file whose end is gone, and is not the fault of its quotes when somebody wrote to it meanwhile."""


class FileMark(NamedTuple):
    """How a file that was written to is told, without reading it."""

    size: int
    modified: int
    """In nanoseconds."""


def file_marks(files: Iterable[ByteSource]) -> tuple[FileMark | None, ...]:
    """The marks of files as they are now; None for one that is not on this machine."""
    return tuple(mark and FileMark(mark.size, mark.modified) for mark in map(_mark, files))


class _FileState(NamedTuple):
    size: int
    modified: int
    file: int


class FileMarks:
    """Size, time of modification and identity of files, as they are when this is made. Files elsewhere have none."""

    def __init__(self, files: Iterable[ByteSource]) -> None:
        self._marks = {source: mark for source in files if (mark := _mark(source)) is not None}

    def changed(self) -> tuple[Issue, ...]:
        """What is to be said of each file that is not as it was."""
        return tuple(_said(source, mark, now) for source, mark in self._marks.items() if (now := _mark(source)) != mark)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Raises Problems with the files that changed, in place of what went wrong inside because of it."""
        try:
            yield
        except (Problems, OSError) as error:
            if changed := self.changed():
                raise Problems(changed) from error
            raise


def _mark(source: ByteSource) -> _FileState | None:
    with suppress(OSError, ValueError):
        if (local := source.local) is not None:
            found = os.stat(local)
            return _FileState(found.st_size, found.st_mtime_ns, found.st_ino)
    return None


def _said(source: ByteSource, before: _FileState, now: _FileState | None) -> Issue:
    message = f"the file changed while it was read{_how(before, now)}, so the figures are of no one version of it"
    hint = "run again when nothing writes to it, or on a copy"
    return Issue("test-set-changed", Blame.ENVIRONMENT, message, source.name, hint)


def _how(before: _FileState, now: _FileState | None) -> str:
    if now is None:
        return " (it is gone)"
    return f" (from {before.size:,} to {now.size:,} bytes)" if before.size != now.size else ""
