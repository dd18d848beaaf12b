"""A run whose folder goes to a store.

It is made on this machine, as always, and sent when it is whole: each object appears whole, and `run.json` is the last one, so that
whoever looks finds a whole run or none. Whether the place is free is found out before row 1.

Run folders that are in a store: fetched, to be read like those of this machine. Files for a store: made here, and sent.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.run_options import RunOptions
from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.runs.exit_code import afterwards
from evaluators.runs.reader import Run
from evaluators.runs.run_folder import check_name, default_name
from evaluators.runs.run_json import run_json
from evaluators.runs.store import RUN_JSON, check_written, numbered, unwritten, write_text
from evaluators.scoring.values.addresses import shown_address
from evaluators.testsets.byte_store import inside, parent, reached, scheme_of, store_of

if TYPE_CHECKING:
    from evaluators.api.suite import Suite
    from evaluators.api.written_run import Finished


MOST_FETCHED_GIB: Final = 16.0
"""How much is fetched of a run folder."""
_GIB: Final = 1024**3
_BLOCK: Final = 1024 * 1024


def run_here(place: str | Path) -> Path:
    """A run folder on this machine: the place itself, or what is fetched from a store, which is there until the program ends.

    Raises Problems when there is no folder (config), or when it cannot be fetched (environment).
    """
    if not scheme_of(str(place)):
        return Path(place)
    address = str(place).rstrip("/")
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = folder / (address.rpartition("/")[2] or "run")
    with reached(address):
        store = store_of(address)
        if not store.lists or store.kind(address) != "folder":
            hint = "a run folder in a store is named by its address, such as s3://bucket/runs/nightly"
            raise problem("not-a-run", "there is no such run folder", where=shown_address(address), hint=hint)
        room = MOST_FETCHED_GIB * _GIB
        for name in store.below(address):
            if not set(name.split("/")) & {"", ".", ".."}:
                room -= _fetch(inside(address, name), target / name, room)
    return target


def _fetch(path: str, target: Path, room: float) -> int:
    """One file of the folder. Gives its size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with store_of(path).open(path) as stream, open(target, "wb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > room:
                message = f"it holds more than {MOST_FETCHED_GIB:g} GiB, which is the most that is fetched"
                raise Problems([Issue("too-large", Blame.CONFIG, message, shown_address(parent(path)))])
            file.write(block)
    return size


def page_place(run: str, here: Path) -> Path:
    """Where the page of a run goes: into its folder; into a folder that stays when the program ends for a run in a store, or one whose
    folder takes no files."""
    folder = here if here.is_dir() else here.parent
    if scheme_of(run) or not _takes_files(folder):
        return Path(tempfile.mkdtemp(prefix="evaluators-"), f"{here.name}.html")
    return folder / "report.html"


def _takes_files(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def written_places(places: Iterable[str], write: Callable[[list[Path]], Iterable[Path]]) -> list[str]:
    """The places of what `write` has written for these places; those of stores are sent there, each whole or not at all.

    Raises Problems (environment) where a store does not take them; what was to be sent stays on this machine then.
    """
    written: list[str] = []
    for place in places:
        check_written([place])
        written += _sent(place, write) if scheme_of(place) else map(str, write([Path(place)]))
    return written


def _sent(path: str, write: Callable[[list[Path]], Iterable[Path]]) -> list[str]:
    folder, sent = Path(tempfile.mkdtemp(prefix="evaluators-")), list[str]()
    try:
        for file in write([folder / path.rpartition("/")[2]]):
            sent.append(inside(parent(path), file.name))
            send_file(file, sent[-1])
    except OSError as error:
        issue = unwritten(error, shown_address(sent[-1] if sent else path))
        raise Problems([replace(issue, hint=f"nothing is lost: it is in {folder}")]) from None
    except Problems as error:
        raise Problems(issue_at_place(issue, folder, parent(path)) for issue in error.issues) from None
    shutil.rmtree(folder, ignore_errors=True)
    return sent


def issue_at_place(issue: Issue, local: Path, path: str) -> Issue:
    """The same with a place in a store, as people gave it, in place of one of this machine."""
    where, hint = (text and text.replace(str(local), shown_address(path)) for text in (issue.where, issue.hint))
    return replace(issue, where=where, hint=hint)


@contextmanager
def claimed(folders: Iterable[str]) -> Iterator[None]:
    """Raises Problems where nothing can be written into a folder of a store, by the name that people gave it."""
    claims: list[str] = []
    try:
        for folder in dict.fromkeys(folders):
            claim = inside(folder, f".{os.urandom(4).hex()}.claim")
            try:
                store_of(claim).put(claim, b"")
                claims.append(claim)
            except OSError as error:
                raise Problems([unwritten(error, shown_address(folder), "the place of the results")]) from None
            except Problems as error:
                raise Problems(replace(issue, where=shown_address(folder)) for issue in error.issues) from None
        yield
    finally:
        remove_objects(claims)


def remove_objects(places: Iterable[str]) -> None:
    """Takes objects away, as far as their store lets one."""
    for place in places:
        with suppress(OSError, Problems):
            store_of(place).remove(place)


def send_file(file: Path, path: str) -> None:
    """Sends a file of this machine to a store."""
    with open(file, "rb") as stream, store_of(path).write(path) as target:
        shutil.copyfileobj(stream, target, _BLOCK)


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
        """Chooses the first name under which nothing is there yet."""
        store = store_of(self.results)
        try:
            names = numbered(self.asked)
            self.name = next(name for name in names if store.kind(inside(self.results, name)) is None)
        except OSError as error:
            raise Problems([unwritten(error, shown_address(self.results), "the place of the results")]) from None

    @property
    def place(self) -> str:
        return inside(self.results, self.name)

    @property
    def named(self) -> str | None:
        """The name of the run folder, where nobody asked for that one."""
        return self.name if self.chosen or self.name != self.asked else None

    def shown(self, issue: Issue) -> Issue:
        return issue_at_place(issue, self.run, self.place)

    def stored(self, finished: Finished) -> Finished:
        """The run with its place in the store in place of that of this machine."""
        if finished.folder is None:
            return finished
        sent = finished.sent and replace(finished.sent, issues=tuple(map(self.shown, finished.sent.issues)))
        return replace(
            finished, result=replace(finished.result, folder=self.place), folder=None, place=self.place, named=self.named,
            taken=inside(self.results, self.asked) if self.name != self.asked else None, sent=sent,
        )  # fmt: skip


def finish_elsewhere(suite: Suite, options: RunOptions, finish: Callable[[RunOptions, bool], Finished]) -> Finished:
    """The run, sent to the store that is asked for. Raises Problems when it cannot start."""
    results, force = str(options["results"]), options.get("force", False)
    wanted = options.get("name") or suite.results.name
    asked = wanted or default_name(datetime.now().astimezone(), suite.fingerprint)
    check_name(asked)
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    outgoing = _Outgoing(folder / "runs" / asked, results, asked, not wanted, asked)
    here: RunOptions = {**options, "results": folder / "runs", "name": asked}
    if (told := options.get("before_sending")) is not None:
        here["before_sending"] = lambda finished: told(outgoing.stored(finished))
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
        raise Problems(map(outgoing.shown, error.issues)) from None
    finally:
        if not refused:
            shutil.rmtree(folder, ignore_errors=True)
    stored = outgoing.stored(finished)
    return replace(stored, result=afterwards(stored.result, refused), refused=(*finished.refused, *refused))


def _move_to_free_place(outgoing: _Outgoing) -> None:
    """Chooses the place anew, as others may have taken it. The run's `run.json` names its folder where that is not the one asked for."""
    outgoing.take_free_name()
    if outgoing.named is not None:
        record = Run(outgoing.run)
        write_text(
            outgoing.run / RUN_JSON, run_json(replace(record.result, folder=outgoing.named), record.facts), renews=True
        )


def _send(outgoing: _Outgoing, replaces: bool) -> tuple[Issue, ...]:
    """Sends the files of the run folder to its place, `run.json` last. Gives the issue of a store that does not take them.

    With `replaces`, what was there before is taken away: its `run.json` first, its other files last.
    """
    local, place = outgoing.run, outgoing.place
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
        issue = unwritten(error, shown_address(place), "the run folder")
        return (replace(issue, blame=Blame.ENVIRONMENT, hint=f"nothing is lost: it is in {local}"),)
    return ()
