"""Files and run folders in a store: fetched, to be read like those of this machine; made here, and sent."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.runs.store import check_written, write_issue
from evaluators.scoring.values.addresses import shown_address
from evaluators.testsets.byte_store import inside, parent, reaching, scheme_of, store_of

MOST_FETCHED_GIB: Final = 16.0
"""How much is fetched of a run folder."""
_GIB: Final = 1024**3
_BLOCK: Final = 1024 * 1024


def run_here(place: str | Path) -> Path:
    """The folder of a run on this machine: the place itself, or a copy that is fetched from a store and stays until the program
    ends.

    Raises Problems when there is no folder (config), or when it cannot be fetched (environment).
    """
    if not scheme_of(str(place)):
        return Path(place)
    address = str(place).rstrip("/")
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = folder / (address.rpartition("/")[2] or "run")
    with reaching(address):
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
    """Downloads one file of a run folder and returns its size. Raises Problems (config) where it is larger than `room`, the
    bytes that may still be fetched."""
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
    """The path for the page of a run, of which `run` is the place as it was named and `here` the folder on this machine: in that folder.

    For a run in a store, and for a folder that takes no files, it is in a new temporary folder that stays when the program ends.
    """
    folder = here if here.is_dir() else here.parent
    if scheme_of(run) or not _takes_files(folder):
        return Path(tempfile.mkdtemp(prefix="evaluators-"), f"{here.name}.html")
    return folder / "report.html"


def _takes_files(folder: Path) -> bool:
    """Whether a file can be made in the folder, which is found out by making a temporary one."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def write_places(places: Iterable[str], write: Callable[[list[Path]], Iterable[Path]]) -> list[str]:
    """Has `write` make the file of each place, and returns the places of all that was written.

    A place is a path of this machine, or an address in a store, to which the file is sent, whole or not at all.

    Raises Problems (environment) where a store does not take them; what was to be sent stays on this machine then.
    """
    written: list[str] = []
    for place in places:
        check_written([place])
        written += _write_and_send(place, write) if scheme_of(place) else map(str, write([Path(place)]))
    return written


def _write_and_send(path: str, write: Callable[[list[Path]], Iterable[Path]]) -> list[str]:
    """Has `write` make files in a temporary folder, sends them to the place `path` of a store, and returns their addresses.
    Raises Problems where a file cannot be made or sent; the folder is removed only after all were."""
    folder, sent = Path(tempfile.mkdtemp(prefix="evaluators-")), list[str]()
    try:
        for file in write([folder / path.rpartition("/")[2]]):
            sent.append(inside(parent(path), file.name))
            send_file(file, sent[-1])
    except OSError as error:
        issue = write_issue(error, shown_address(sent[-1] if sent else path))
        raise Problems([replace(issue, hint=f"nothing is lost: it is in {folder}")]) from None
    except Problems as error:
        raise Problems(issue_at_place(issue, folder, parent(path)) for issue in error.issues) from None
    shutil.rmtree(folder, ignore_errors=True)
    return sent


def issue_at_place(issue: Issue, local: Path, path: str) -> Issue:
    """The issue with the address `path` of a store, as the user wrote it, in place of the local path in its place and hint."""
    where, hint = (text and text.replace(str(local), shown_address(path)) for text in (issue.where, issue.hint))
    return replace(issue, where=where, hint=hint)


def remove_objects(places: Iterable[str]) -> None:
    """Deletes objects of stores, as far as the store lets one; errors are passed over."""
    for place in places:
        with suppress(OSError, Problems):
            store_of(place).remove(place)


def send_file(file: Path, path: str) -> None:
    """Sends a file of this machine to a store."""
    with open(file, "rb") as stream, store_of(path).write(path) as target:
        shutil.copyfileobj(stream, target, _BLOCK)
