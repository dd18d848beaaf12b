"""Run folders that are in a store: fetched, to be read like those of this machine. Files for a store: made here, and sent."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.run.write_errors import unwritten
from evaluators.testsets.byte_store import inside, parent, reached, scheme_of, store_of
from evaluators.values.addresses import shown_address

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


def _fetch(place: str, target: Path, room: float) -> int:
    """One file of the folder. Gives its size."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with store_of(place).open(place) as stream, open(target, "wb") as file:
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > room:
                message = f"it holds more than {MOST_FETCHED_GIB:g} GiB, which is the most that is fetched"
                raise Problems([Issue("too-large", Blame.CONFIG, message, shown_address(parent(place)))])
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

    Raises Problems (environment) where a store does not take them.
    """
    written: list[str] = []
    for place in places:
        if not scheme_of(place):
            written += map(str, write([Path(place)]))
            continue
        with tempfile.TemporaryDirectory(prefix="evaluators-") as folder:
            for file in write([Path(folder, place.rpartition("/")[2])]):
                target = inside(parent(place), file.name)
                try:
                    send_file(file, target)
                except OSError as error:
                    raise Problems([unwritten(error, shown_address(target))]) from None
                written.append(target)
    return written


def send_file(file: Path, place: str) -> None:
    """Sends a file of this machine to a store."""
    with open(file, "rb") as stream, store_of(place).write(place) as target:
        shutil.copyfileobj(stream, target, _BLOCK)
