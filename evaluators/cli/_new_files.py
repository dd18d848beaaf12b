"""Files that a command writes: all of them or none, and never over others unless that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.store import write_text


def refuse_taken(files: Iterable[str], *, force: bool) -> None:
    """Raises Problems (config) for files that are there already, unless `force` is asked for."""
    taken = [name for name in files if Path(name).exists()]
    if taken and not force:
        message = "there is such a file already, and nothing has been written"
        raise Problems(Issue("file-exists", Blame.CONFIG, message, name, "--force replaces it") for name in taken)


def write(files: Mapping[str, str], *, force: bool) -> None:
    """Write every file, folders on the way included.

    Raises Problems when one is there already and `force` is not asked for (config), or when the system does not take one
    (environment).
    """
    refuse_taken(files, force=force)
    for name, text in files.items():
        write_text(Path(name), text)
