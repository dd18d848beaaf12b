"""Whether the files of a test set are the same at the end of a run as at its beginning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.testsets.byte_source import ByteSource, reading
from evaluators.testsets.byte_store import LocalFiles, local_mark

if TYPE_CHECKING:
    from evaluators.testsets.remote_files import RemoteFiles

CUT_CODES: Final = frozenset(["quote-not-closed", "text-after-quote", "uneven-quotes"])
"""What is said of a file whose end is gone, and is not the fault of its quotes when somebody wrote to it meanwhile."""
_CHANGED: Final = "test-set-changed"
FileMarks: TypeAlias = Mapping[ByteSource, str]
"""What changes with each file when somebody writes to it: size and time of a file, or the version that a store tells."""


def file_marks(files: Iterable[ByteSource]) -> dict[ByteSource, str]:
    """The marks of files as they are now, texts that change when the file does. A file without a mark is left out. Raises Problems
    (environment) when a store cannot be asked."""
    versions: dict[ByteSource, str | None] = {}
    elsewhere: dict[str, tuple[RemoteFiles, list[ByteSource]]] = {}
    for source in files:
        if isinstance(store := source.store, LocalFiles):
            versions[source] = local_mark(source.local or "")
        else:
            elsewhere.setdefault(store.scheme, (store, []))[1].append(source)
    for store, sources in elsewhere.values():  # a store is asked once
        with reading(sources[0]):
            versions |= zip(sources, store.versions([source.path for source in sources]), strict=True)
    return {source: mark for source, mark in versions.items() if mark is not None}


def changes_since(marks: FileMarks) -> tuple[Issue, ...]:
    """An issue for each file that has changed, or may have changed, since it had these marks."""
    try:
        now = file_marks(marks)
    except Problems as error:
        return error.issues
    hint = "run again when nothing writes to it, or on a copy"
    return tuple(
        Issue(
            _CHANGED, Blame.ENVIRONMENT,
            f"the file changed while it was read{'' if source in now else ' (it is gone)'}, so the metrics are of no one version of it",
            source.name, hint,
        )
        for source, mark in marks.items() if now.get(source) != mark
    )  # fmt: skip


@contextmanager
def blaming_changes(marks: FileMarks) -> Iterator[None]:
    """Raises Problems with the files that changed, in place of what went wrong inside because of it."""
    try:
        yield
    except (Problems, OSError) as error:
        if changed := [issue for issue in changes_since(marks) if issue.code == _CHANGED]:
            raise Problems(changed) from error
        raise
