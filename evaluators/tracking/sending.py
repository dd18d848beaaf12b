"""A finished run folder to its trackers. What one of them raises is told, and stops neither the others nor the run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.record import read_record
from evaluators.run.store import LINKS_JSON, write_text
from evaluators.tracking.tracker import Link, NamedTracker
from evaluators.value_class import dataclass
from evaluators.values.addresses import without_passwords

_PRIVATE: Final = 0o600


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a run that was sent."""

    links: tuple[Link, ...] = ()
    issues: tuple[Issue, ...] = ()
    """One for each tracker that failed: which, why, and how to send it again."""


def send(folder: Path, trackers: Sequence[NamedTracker]) -> Sent:
    """Sends the run in a folder, and keeps where it went in its `links.json`.

    Raises Problems (config) when there is no run in the folder, or it is damaged.
    """
    record = read_record(folder)
    links: list[Link] = []
    issues: list[Issue] = []
    for name, tracker in trackers:
        try:
            links.append(tracker.send(record))
            _keep(record.folder, links[-1:])
        except Exception as error:  # whatever a client of a platform raises: the run is there, and that is said
            issues.append(_failed(name, error, record.folder))
    return Sent(tuple(links), tuple(issues))


def links_of(folder: Path) -> tuple[Link, ...]:
    """Where the run in a folder was sent; nowhere where it says nothing that can be read."""
    try:
        found = json.loads((folder / LINKS_JSON).read_bytes())
        return tuple(Link(one["platform"], one["url"], one["run_id"]) for one in found)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def _keep(folder: Path, links: Iterable[Link]) -> None:
    """Puts links into `links.json`. One to the same place takes the place of the older one."""
    file = folder / LINKS_JSON
    kept = json.loads(file.read_bytes()) if file.is_file() else []
    found = {(one["platform"], one["url"] or one["run_id"]): one for one in kept}
    found |= {(link.platform, link.url or link.run_id): asdict(link) for link in links}
    write_text(file, json.dumps([found[place] for place in sorted(found)], indent=2, ensure_ascii=False) + "\n")
    os.chmod(file, _PRIVATE)


def _failed(name: str, error: Exception, folder: Path) -> Issue:
    own = error.issues[0] if isinstance(error, Problems) and error.issues else None
    said = str(error).strip().splitlines()
    why = own.message if own else ": ".join([type(error).__name__, *said[:1]])
    again = f"the run is in {folder}, and `evaluators track {_word(folder)} --to {name}` sends it again"
    return Issue(
        "tracker-failed",
        Blame.ENVIRONMENT,
        f'the run could not be sent to "{name}": {without_passwords(why)}',
        own.where if own else None,
        f"{own.hint}; {again}" if own and own.hint else again,
    )


def _word(path: Path) -> str:
    """The path as a command line takes it."""
    return f'"{path}"' if " " in str(path) else str(path)
