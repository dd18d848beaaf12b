"""A finished run folder to its trackers. What one of them raises is told, and stops neither the others nor the run.

Trackers report how many rows are there to the `progress` that they are given.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.reports.tracking.tracker import Link, NamedTracker, RowProgress, no_progress
from evaluators.runs.cells_again import with_cells
from evaluators.runs.exit_code import ENDED
from evaluators.runs.reader import Run
from evaluators.runs.store import LINKS_JSON, write_text
from evaluators.scoring.values.addresses import without_passwords

Entry = TypeVar("Entry")

Sending: TypeAlias = Callable[[str, int, int], None]
"""What is told to which tracker a run is sent, and how many of how many rows are there; 0 of 0 where rows are not sent one by one."""

_PRIVATE: Final = 0o600


class SendResult(Struct, frozen=True):
    """The outcome of sending a run."""

    links: tuple[Link, ...] = ()
    issues: tuple[Issue, ...] = ()
    """One for each tracker that failed: which, why, and how to send it again."""


def send(
    folder: Path, trackers: Sequence[NamedTracker], trace_rows: int | None = None, sending: Sending | None = None
) -> SendResult:
    """Sends the run in a folder, and keeps where it went in its `links.json`. Ctrl-C ends the sending, which is then an issue.

    `trace_rows` is what took the place of the trackers' own setting: whoever sends the rest is told to say it again. `sending` is told the
    tracker and how many rows are there. A tracker that fails is an issue, and the others follow.
    Raises Problems (config) when there is no run in the folder, or it is damaged.
    """
    record = with_cells(Run(folder))
    links: list[Link] = []
    issues: list[Issue] = []
    for index, named in enumerate(trackers):
        name, tracker = named.name, named.tracker
        try:
            if sending is not None and tracker.packages:  # somebody else's client, which may take its time
                sending(name, 0, 0)
            links.append(tracker.send(record, no_progress if sending is None else partial(sending, name)))
            _save_links(record.place, links[-1:])
        except KeyboardInterrupt:
            issues.append(_interruption_issue([tracker.name for tracker in trackers[index:]], record.place, trace_rows))
            break
        except Exception as error:  # whatever a client of a platform raises: the run is there, and that is said
            issues.append(_failure_issue(name, error, record.place, trace_rows))
    return SendResult(tuple(links), tuple(issues))


def links_of(folder: Path) -> tuple[Link, ...]:
    """The places that the run in a folder was sent to; empty where the file cannot be read."""
    try:
        links = json.loads((folder / LINKS_JSON).read_bytes())
        return tuple(Link(link["platform"], link["url"], link["run_id"]) for link in links)
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def _save_links(folder: Path, links: Iterable[Link]) -> None:
    """Adds links to `links.json` of a run folder, which only its owner may read. One to the same place takes the place of the older one."""
    file = folder / LINKS_JSON
    earlier = json.loads(file.read_bytes()) if file.is_file() else []
    by_place = {(link["platform"], link["url"] or link["run_id"]): link for link in earlier}
    by_place |= {(link.platform, link.url or link.run_id): asdict(link) for link in links}
    write_text(
        file,
        json.dumps([by_place[place] for place in sorted(by_place)], indent=2, ensure_ascii=False) + "\n",
        renews=True,
    )
    with suppress(OSError):  # some file systems have no modes
        os.chmod(file, _PRIVATE)


def _interruption_issue(names: Sequence[str], folder: Path, trace_rows: int | None) -> Issue:
    """The issue that Ctrl-C ended the sending: the trackers that the run did not go to, or not all of it, and the command that sends it."""
    to = " and ".join(f'"{name}"' for name in names)
    hint = f"what arrived stays there; `{track_command(folder, names, trace_rows)}` sends the rest"
    return Issue(ENDED, Blame.ENVIRONMENT, f"the sending to {to} was ended before its end", None, hint)


def _failure_issue(name: str, error: Exception, folder: Path, trace_rows: int | None) -> Issue:
    """The issue that the tracker `name` did not take the run: why, without passwords, and the command that sends it again, with the
    `trace_rows` that were asked for."""
    own = error.issues[0] if isinstance(error, Problems) and error.issues else None
    lines = str(error).strip().splitlines()
    why = own.message if own else ": ".join([type(error).__name__, *lines[:1]])
    again = f"the run is in {folder}, and `{track_command(folder, [name], trace_rows)}` sends it again"
    return Issue(
        "tracker-failed",
        Blame.ENVIRONMENT,
        f'the run could not be sent to "{name}": {without_passwords(why)}',
        own.where if own else None,
        f"{own.hint}; {again}" if own and own.hint else again,
    )


def track_command(folder: Path, names: Sequence[str], trace_rows: int | None) -> str:
    """The command that sends a run again as it was sent."""
    rows = [] if trace_rows is None else ["--trace-rows", str(trace_rows)]
    return shlex.join(["evaluators", "track", str(folder), *(word for name in names for word in ("--to", name)), *rows])


def batches(entries: Iterable[Entry], most: int) -> Iterator[list[Entry]]:
    """The entries in lists of at most `most`: platforms take no more at once."""
    rest = iter(entries)
    while some := list(islice(rest, most)):
        yield some


def with_progress(entries: Iterable[Entry], total: int, progress: RowProgress) -> Iterator[Entry]:
    """The entries one by one, with a report to `progress` before each and at the end: an entry counts as sent when the next is asked
    for."""
    done = 0
    for entry in entries:
        progress(done, total)
        yield entry
        done += 1
    progress(done, total)
