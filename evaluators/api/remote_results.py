"""A run whose folder goes to a store.

It is made on this machine, as always, and sent when it is whole: each object appears whole, and `run.json` is the last one, so that
whoever looks finds a whole run or none. Whether the place is free is found out before row 1.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.remote_files import issue_at_place, remove_objects, send_file
from evaluators.api.run_options import RunOptions
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.exit_code import with_later_issues
from evaluators.runs.reader import Run
from evaluators.runs.run_folder import check_name, default_name
from evaluators.runs.run_json import run_json
from evaluators.runs.store import RUN_JSON, numbered_names, write_issue, write_text
from evaluators.scoring.values.addresses import shown_address
from evaluators.testsets.byte_store import inside, store_of

if TYPE_CHECKING:
    from evaluators.api.written_run import Finished
    from evaluators.runs.loaded_suite import LoadedSuite


@contextmanager
def checking_writable(folders: Iterable[str]) -> Iterator[None]:
    """Raises Problems where nothing can be written into one of the folders of stores. Small objects are put there to find out, and
    deleted after the `with` block."""
    claims: list[str] = []
    try:
        for folder in dict.fromkeys(folders):
            claim = inside(folder, f".{os.urandom(4).hex()}.claim")
            try:
                store_of(claim).put(claim, b"")
                claims.append(claim)
            except OSError as error:
                raise Problems([write_issue(error, shown_address(folder), "the place of the results")]) from None
            except Problems as error:
                raise Problems(replace(issue, where=shown_address(folder)) for issue in error.issues) from None
        yield
    finally:
        remove_objects(claims)


class _Outgoing(Struct):
    """A run folder on this machine, and where it goes."""

    run: Path
    results: str
    asked: str
    """The name that was asked for it, or chosen for it."""
    chosen: bool
    """Nobody asked for the name."""
    name: str = ""

    def take_free_name(self) -> None:
        """Takes the first name of `asked`, `asked`-2 and so on under which the store has nothing yet. Raises Problems where the
        store cannot be asked."""
        store = store_of(self.results)
        try:
            names = numbered_names(self.asked)
            self.name = next(name for name in names if store.kind(inside(self.results, name)) is None)
        except OSError as error:
            raise Problems([write_issue(error, shown_address(self.results), "the place of the results")]) from None

    @property
    def address(self) -> str:
        """The address of the run folder in the store."""
        return inside(self.results, self.name)

    @property
    def chosen_name(self) -> str | None:
        """The name of the run folder where the program chose it; None where the user did."""
        return self.name if self.chosen or self.name != self.asked else None

    def at_address(self, issue: Issue) -> Issue:
        """The issue with the store's address in place of the local path."""
        return issue_at_place(issue, self.run, self.address)

    def as_stored(self, finished: Finished) -> Finished:
        """The run as it is in the store: with its address there, and without a folder on this machine."""
        if finished.folder is None:
            return finished
        sent = finished.sent and replace(finished.sent, issues=tuple(map(self.at_address, finished.sent.issues)))
        return replace(
            finished, result=replace(finished.result, folder=self.address), folder=None, place=self.address, named=self.chosen_name,
            taken=inside(self.results, self.asked) if self.name != self.asked else None, sent=sent,
        )  # fmt: skip


def finish_elsewhere(suite: LoadedSuite, options: RunOptions, finish: Callable[[RunOptions, bool], Finished]) -> Finished:
    """Runs the suite by `finish` with a run folder on this machine, sends that folder to the store that the options name, and returns
    the run as it is there. Raises Problems when it cannot start.

    What the store does not take is an issue of the result, and the local folder stays.
    """
    results, force = str(options["results"]), options.get("force", False)
    wanted = options.get("name") or suite.results.name
    name = wanted or default_name(datetime.now().astimezone(), suite.fingerprint)
    check_name(name)
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    outgoing = _Outgoing(folder / "runs" / name, results, name, not wanted, name)
    here: RunOptions = {**options, "results": folder / "runs", "name": name}
    if (callback := options.get("before_sending")) is not None:
        here["before_sending"] = lambda finished: callback(outgoing.as_stored(finished))
    refused: tuple[Issue, ...] = ()
    try:
        if not force:
            outgoing.take_free_name()
        finished = finish(here, True)
        if (outgoing.run / RUN_JSON).is_file():
            if not force:
                _move_to_free_place(outgoing)
            refused = _send(outgoing, force)
    except Problems as error:
        raise Problems(map(outgoing.at_address, error.issues)) from None
    finally:
        if not refused:
            shutil.rmtree(folder, ignore_errors=True)
    stored = outgoing.as_stored(finished)
    return replace(stored, result=with_later_issues(stored.result, refused), refused=(*finished.refused, *refused))


def _move_to_free_place(outgoing: _Outgoing) -> None:
    """Takes a free name once more, as others may have taken the first. Rewrites `run.json` with it, where it is not the one asked for."""
    outgoing.take_free_name()
    if outgoing.chosen_name is not None:
        record = Run(outgoing.run)
        write_text(
            outgoing.run / RUN_JSON,
            run_json(replace(record.result, folder=outgoing.chosen_name), record.facts),
            renews=True,
        )


def _send(outgoing: _Outgoing, replaces: bool) -> tuple[Issue, ...]:
    """Sends the files of the run folder to its place, `run.json` last. Returns no issue, or that of a store that does not take them.

    With `replaces`, what was there before is taken away: its `run.json` first, its other files last.
    """
    local, place = outgoing.run, outgoing.address
    names = sorted(file.relative_to(local).as_posix() for file in local.rglob("*") if file.is_file())
    names.sort(key=lambda name: name == RUN_JSON)
    store = store_of(place)
    try:
        old = set(store.below(place)) if replaces else set()
        if RUN_JSON in old:
            store.remove(inside(place, RUN_JSON))  # from here on there is no run, until the new one is whole
        for name in names:
            send_file(local / name, inside(place, name))
        for name in old - set(names):
            store.remove(inside(place, name))
    except OSError as error:
        issue = write_issue(error, shown_address(place), "the run folder")
        return (replace(issue, blame=Blame.ENVIRONMENT, hint=f"nothing is lost: it is in {local}"),)
    return ()
