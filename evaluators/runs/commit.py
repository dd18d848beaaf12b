"""The commit that a folder is at, from the files that git keeps beside it: git itself need not be there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_HASH: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_MOST: Final = 50_000_000


def commit_of(folder: Path) -> str:
    """The hash of the commit that is checked out around a folder; empty where there is none, or it cannot be read."""
    try:
        here = folder.resolve()
        git = next((folder / ".git" for folder in (here, *here.parents) if (folder / ".git").exists()), None)
        return "" if git is None else _checked_out_commit(_folder_of(git))
    except (OSError, ValueError):
        return ""


def _folder_of(git: Path) -> Path:
    """The folder in which git keeps its data, also for further working trees, where a file names it."""
    return git if git.is_dir() else git.parent / _read_text(git).removeprefix("gitdir:").strip()


def _checked_out_commit(folder: Path) -> str:
    """The hash of the commit that is checked out in git's data `folder`, empty where none is to be found. `HEAD` holds the hash itself,
    or names a branch, whose hash stands in a file of its own or in `packed-refs`."""
    head = _read_text(folder / "HEAD")
    if not head.startswith("ref:"):
        return head if _HASH.fullmatch(head) else ""
    branch = head.removeprefix("ref:").strip()
    shared = folder / _read_text(folder / "commondir") if (folder / "commondir").is_file() else folder
    for place in (folder / branch, shared / branch):
        if place.is_file():
            text = _read_text(place)
            return text if _HASH.fullmatch(text) else ""
    packed = _read_text(shared / "packed-refs").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {branch}") and _HASH.match(line)), "")


def _read_text(file: Path) -> str:
    """The text of a small file of git, without blanks around it."""
    with open(file, encoding="utf-8") as stream:
        return stream.read(_MOST).strip()
