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
from evaluators.api.run_request import RunRequest
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


class _Outgoing(Struct, frozen=True):
    """A run on this machine, and what of it goes where."""

    request: RunRequest
    """The request with places on this machine."""
    files: dict[Path, str]
    """The folders of files that were asked for one by one, and their places."""
    run: Path | None = None
    """The run folder, where that is sent."""
    place: str = ""
    """The address where it goes."""
    asked: str = ""
    """The name that was asked for it, or chosen for it."""
    chosen: bool = False
    """Nobody asked for the name."""

    @property
    def places(self) -> dict[Path, str]:
        """Every folder that is sent, and its place; the run comes last."""
        return self.files if self.run is None else {**self.files, self.run: self.place}

    @property
    def taken(self) -> str | None:
        """The place that was asked for, when something was there and the run has another one."""
        asked = inside(parent(self.place), self.asked)
        return asked if asked != self.place else None

    @property
    def named(self) -> str | None:
        """The name of the run folder, where nobody asked for that one."""
        return self.place.rpartition("/")[2] if self.chosen or self.taken else None

    def shown(self, issue: Issue) -> Issue:
        """What people are told, with the places as they gave them in place of those of this machine."""
        where, hint = issue.where, issue.hint
        for local, place in self.places.items():
            where = where and where.replace(str(local), shown_address(place))
            hint = hint and hint.replace(str(local), shown_address(place))
        return replace(issue, where=where, hint=hint)

    def stored(self, finished: Finished) -> Finished:
        """The run with the places in the stores in place of those of this machine."""
        finished = replace(
            finished,
            files=tuple(file for file in finished.files if file.parent not in self.files),
            stored=tuple(
                inside(self.files[file.parent], file.name) for file in finished.files if file.parent in self.files
            ),
        )
        if self.run is None or finished.folder is None:
            return finished
        sent = finished.sent and replace(finished.sent, issues=tuple(map(self.shown, finished.sent.issues)))
        return replace(
            finished, result=replace(finished.result, folder=self.place), folder=None, place=self.place, named=self.named,
            taken=self.taken, sent=sent,
        )  # fmt: skip


def finish_elsewhere(suite: Suite, request: RunRequest, finish: Callable[[Suite, RunRequest], Finished]) -> Finished:
    """The run, with what belongs in a store sent there. Raises Problems when it cannot start."""
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    refused: tuple[Issue, ...] = ()
    try:
        outgoing = _outgoing(suite, request, folder)
        with _claimed(outgoing), _shown(outgoing), _parts_cleared(outgoing.request):
            finished = finish(suite, outgoing.request)
            outgoing = _placed(outgoing)
            refused = tuple(_refused(outgoing))
    finally:
        if not refused:
            shutil.rmtree(folder, ignore_errors=True)
    stored = outgoing.stored(finished)
    return replace(stored, result=afterwards(stored.result, refused), refused=(*finished.refused, *refused))


def _outgoing(suite: Suite, request: RunRequest, folder: Path) -> _Outgoing:
    """The same run with places on this machine. Whoever is told of it before it is sent is told of the places in stores."""
    folders = [folder / f"file-{number}" for number in range(len(request.stored_files))]
    files = [local / file.rpartition("/")[2] for local, file in zip(folders, request.stored_files, strict=True)]
    outgoing = _Outgoing(
        replace(request, files=(*request.files, *files), stored_files=()),
        dict(zip(folders, map(parent, request.stored_files), strict=True)),
    )
    if request.results is not None and scheme_of(str(request.results)):
        results, wanted = str(request.results), request.name or suite.results.name
        asked = wanted or default_name(datetime.now().astimezone(), suite.fingerprint)
        check_name(asked)
        name = asked if request.force else _free_name(results, asked)
        parts = inside(results, f".{name}.{_token()}.parts")
        outgoing = replace(
            outgoing, request=replace(outgoing.request, results=folder / "runs", name=name, parts=parts),
            run=folder / "runs" / name, place=inside(results, name), asked=asked, chosen=not wanted,
        )  # fmt: skip
    if (told := request.before_sending) is None:
        return outgoing
    changed = replace(outgoing.request, before_sending=lambda finished: told(outgoing.stored(finished)))
    return replace(outgoing, request=changed)


def _placed(outgoing: _Outgoing) -> _Outgoing:
    """The same, with the run at a place that is free now. Its `run.json` names the folder where that is not the one asked for."""
    run, results = outgoing.run, parent(outgoing.place)
    if run is None or outgoing.request.force or not (run / RUN_JSON).is_file():
        return outgoing
    outgoing = replace(outgoing, place=inside(results, _free_name(results, outgoing.asked)))
    if outgoing.named is not None:
        record = read_record(run)
        write_text(run / RUN_JSON, run_json(replace(record.result, folder=outgoing.named), record.facts))
    return outgoing


def _free_name(results: str, asked: str) -> str:
    """The first name under which nothing is there yet."""
    store = store_of(results)
    try:
        return next(name for name in numbered(asked) if store.kind(inside(results, name)) is None)
    except OSError as error:
        raise Problems([unwritten(error, shown_address(results), "the place of the results")]) from None


@contextmanager
def _claimed(outgoing: _Outgoing) -> Iterator[None]:
    """Raises Problems (environment) where nothing can be written."""
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
    finally:
        for claim in claims:
            with suppress(OSError, Problems):
                store_of(claim).remove(claim)


@contextmanager
def _shown(outgoing: _Outgoing) -> Iterator[None]:
    """Problems name places as the user gave them, and not those of this machine."""
    try:
        yield
    except Problems as error:
        raise Problems(map(outgoing.shown, error.issues)) from None


def _refused(outgoing: _Outgoing) -> Iterator[Issue]:
    """Sends every folder. Gives what is wrong where a store does not take the files."""
    for local, place in outgoing.places.items():
        is_run = local == outgoing.run
        try:
            if local.is_dir():
                _send_folder(local, place, replaces=is_run and outgoing.request.force)
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


@contextmanager
def _parts_cleared(request: RunRequest) -> Iterator[None]:
    """Takes away, at the end, what workers have left in a store."""
    try:
        yield
    finally:
        if request.parts is not None:
            with suppress(OSError, Problems):
                store = store_of(request.parts)
                for name in list(store.below(request.parts)):
                    store.remove(inside(request.parts, name))


def _token() -> str:
    return os.urandom(4).hex()
