"""Results that go to a store: a run folder, and files that are asked for one by one.

They are made on this machine, as always, and sent when they are whole: each object appears whole, and `run.json` is the last of
its folder, so that whoever looks finds a whole run or none. Whether the places are free and can be written is found out before
row 1.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.remote_runs import send_file
from evaluators.api.run_options import RunOptions
from evaluators.issues import Blame, Issue, Problems
from evaluators.run.record import read_record
from evaluators.run.run_folder import check_name, default_name
from evaluators.run.run_json import run_json
from evaluators.run.store import RUN_JSON, numbered, write_text
from evaluators.run.verdict import afterwards
from evaluators.run.write_errors import unwritten
from evaluators.testsets.byte_store import inside, parent, scheme_of, store_of
from evaluators.values.addresses import shown_address

if TYPE_CHECKING:
    from evaluators.api.execute import Finished
    from evaluators.api.suite import Suite


class _Outgoing(Struct):
    """What of a run goes where."""

    places: dict[Path, str]
    """Every folder of this machine that is sent, and its place; the run comes last."""
    run: Path | None = None
    """The run folder, where that is sent."""
    asked: str = ""
    """The name that was asked for it, or chosen for it."""
    chosen: bool = False
    """Nobody asked for the name."""
    force: bool = False

    def shown(self, issue: Issue) -> Issue:
        """What people are told, with the places as they gave them in place of those of this machine."""
        where, hint = issue.where, issue.hint
        for local, place in self.places.items():
            where = where and where.replace(str(local), shown_address(place))
            hint = hint and hint.replace(str(local), shown_address(place))
        return replace(issue, where=where, hint=hint)

    def move_to_free_place(self) -> None:
        """Chooses the first name under which nothing is there yet."""
        if self.run is not None:
            results = parent(self.places[self.run])
            store = store_of(results)
            try:
                name = next(name for name in numbered(self.asked) if store.kind(inside(results, name)) is None)
            except OSError as error:
                raise Problems([unwritten(error, shown_address(results), "the place of the results")]) from None
            self.places[self.run] = inside(results, name)

    def stored(self, finished: Finished) -> Finished:
        """The run with the places in the stores in place of those of this machine."""
        files = [(file, self.places.get(Path(file).parent)) for file in finished.files]
        finished = replace(
            finished,
            files=tuple(file if place is None else inside(place, Path(file).name) for file, place in files),
        )
        if self.run is None or finished.folder is None:
            return finished
        place = self.places[self.run]
        asked, name = inside(parent(place), self.asked), place.rpartition("/")[2]
        sent = finished.sent and replace(finished.sent, issues=tuple(map(self.shown, finished.sent.issues)))
        return replace(
            finished, result=replace(finished.result, folder=place), folder=None, place=place, sent=sent,
            named=name if self.chosen or asked != place else None, taken=asked if asked != place else None,
        )  # fmt: skip


def finish_elsewhere(suite: Suite, options: RunOptions, finish: Callable[[RunOptions, str | None], Finished]) -> Finished:
    """The run, with what belongs in a store sent there. Raises Problems when it cannot start."""
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    refused: tuple[Issue, ...] = ()
    try:
        outgoing, here, parts = _outgoing(suite, options, folder)
        with _claimed(outgoing, parts):
            finished = finish(here, parts)
            if outgoing.run is not None and not outgoing.force and (outgoing.run / RUN_JSON).is_file():
                outgoing.move_to_free_place()
                _name_folder(outgoing.run, outgoing.stored(finished).named)
            refused = tuple(_refused(outgoing))
    finally:
        if not refused:
            shutil.rmtree(folder, ignore_errors=True)
    stored = outgoing.stored(finished)
    return replace(stored, result=afterwards(stored.result, refused), refused=(*finished.refused, *refused))


def _outgoing(suite: Suite, options: RunOptions, folder: Path) -> tuple[_Outgoing, RunOptions, str | None]:
    """What goes where, and what is asked of the same run on this machine, with the place where workers leave what they have scored.
    Whoever is told of the run before it is sent is told of the places in stores."""
    here, parts = options.copy(), None
    outgoing = _Outgoing({}, force=options.get("force", False))
    files: list[str | Path] = []
    for number, file in enumerate(options.get("files", ())):
        if scheme_of(address := str(file)):
            local = folder / f"file-{number}"
            outgoing.places[local] = parent(address)
            file = local / address.rpartition("/")[2]
        files.append(file)
    here["files"] = tuple(sorted(files, key=lambda file: Path(file).parent in outgoing.places))
    if scheme_of(results := str(options.get("results"))):
        wanted = options.get("name") or suite.results.name
        outgoing.asked = wanted or default_name(datetime.now().astimezone(), suite.fingerprint)
        outgoing.chosen = not wanted
        check_name(outgoing.asked)
        outgoing.run = run = folder / "runs" / outgoing.asked
        outgoing.places[run] = inside(results, outgoing.asked)
        if not outgoing.force:
            outgoing.move_to_free_place()
        name = outgoing.places[run].rpartition("/")[2]
        parts = inside(results, f".{name}.{_token()}.parts")
        here |= {"results": folder / "runs", "name": outgoing.asked}
    if (told := options.get("before_sending")) is not None:
        here["before_sending"] = lambda finished: told(outgoing.stored(finished))
    return outgoing, here, parts


def _name_folder(run: Path, named: str | None) -> None:
    """Its `run.json` names the folder where that is not the one that was asked for."""
    if named is not None:
        record = read_record(run)
        write_text(run / RUN_JSON, run_json(replace(record.result, folder=named), record.facts))


@contextmanager
def _claimed(outgoing: _Outgoing, parts: str | None) -> Iterator[None]:
    """Raises Problems (environment) where nothing can be written. Problems name places as the user gave them, and not those of this
    machine. At the end, what workers have left in a store is taken away."""
    claims = []
    try:
        for local, place in outgoing.places.items():
            claim = inside(parent(place) if local == outgoing.run else place, f".{_token()}.claim")
            try:
                store_of(place).put(claim, b"")
                claims.append(claim)
            except OSError as error:
                raise Problems([unwritten(error, shown_address(place), "the place of the results")]) from None
        yield
    except Problems as error:
        raise Problems(map(outgoing.shown, error.issues)) from None
    finally:
        if parts is not None:
            with suppress(OSError, Problems):
                claims += [inside(parts, name) for name in store_of(parts).below(parts)]
        for claim in claims:
            with suppress(OSError, Problems):
                store_of(claim).remove(claim)


def _refused(outgoing: _Outgoing) -> Iterator[Issue]:
    """Sends every folder. Gives what is wrong where a store does not take the files."""
    for local, place in outgoing.places.items():
        is_run = local == outgoing.run
        try:
            if local.is_dir():
                _send_folder(local, place, replaces=is_run and outgoing.force)
        except OSError as error:
            issue = unwritten(error, shown_address(place), "the run folder" if is_run else "the file")
            yield replace(issue, blame=Blame.ENVIRONMENT, hint=f"nothing is lost: it is in {local}")


def _send_folder(local: Path, place: str, replaces: bool) -> None:
    """Sends the files of a folder, `run.json` last, and takes away what was there before where it replaces that."""
    names = sorted(file.relative_to(local).as_posix() for file in local.rglob("*") if file.is_file())
    names.sort(key=lambda name: name == RUN_JSON)
    store = store_of(place)
    old = set(store.below(place)) if replaces else set()
    if RUN_JSON in old:
        store.remove(inside(place, RUN_JSON))  # from here on there is no run, until the new one is whole
    for name in names:
        send_file(local / name, inside(place, name))
    for name in old - set(names):
        store.remove(inside(place, name))


def _token() -> str:
    return os.urandom(4).hex()
