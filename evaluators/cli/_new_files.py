"""Files that a command writes: all of them or none, and never over others unless that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.run.store import write_text


def refuse_taken(files: Iterable[str], *, force: bool) -> None:
    """Raises Problems (config) for files that are there already, unless `force` is asked for."""
    taken = [name for name in files if Path(name).exists()]
    if taken and not force:
        message = "there is such a file already, and nothing has been written"
        raise Problems(Issue("file-exists", Blame.CONFIG, message, name, "--force replaces it") for name in taken)


def write(files: Mapping[str, str], *, force: bool) -> None:
    """Write every file, folders on the way included.

    Raises Problems (config) when one is there already and `force` is not asked for, or when one cannot be written.
    """
    refuse_taken(files, force=force)
    for name, text in files.items():
        try:
            write_text(Path(name), text)
        except OSError as error:
            said = (error.strerror or str(error)).lower()
            raise problem("unwritable-file", f"the file cannot be written: {said}", where=name) from None
