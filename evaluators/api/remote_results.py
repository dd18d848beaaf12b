"""Results that go to a store: a run folder, and files that are asked for one by one.

They are made on this machine, as always, and sent when they are whole: each object appears whole, and `run.json` is the last of
its folder, so that whoever looks finds a whole run or none. Whether the places are free and can be written is found out before
row 1.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.run_request import RunRequest
from evaluators.issues import Blame, Issue, Problems
from evaluators.run.record import read_record
from evaluators.run.run_json import run_json
from evaluators.run.run_names import RUN_JSON, numbered
from evaluators.run.store import check_name, default_name, load_run, write_text
from evaluators.run.verdict import afterwards
from evaluators.run.write_errors import unwritten
from evaluators.testsets.byte_store import inside, parent, scheme_of, store_of
from evaluators.values.addresses import shown_address

if TYPE_CHECKING:
    from evaluators.api.execute import Finished
    from evaluators.run.loaded import LoadedSuite

_BLOCK: Final = 1024 * 1024


def finish_elsewhere(
    suite: LoadedSuite, request: RunRequest, finish: Callable[[LoadedSuite, RunRequest], Finished]
) -> Finished:
    """The run, with what belongs in a store sent there. Raises Problems when it cannot start."""
    folder = Path(tempfile.mkdtemp(prefix="evaluators-"))
    lost = False
    try:
        outgoing = _outgoing(suite, request, folder)
        with _claimed(outgoing), _named(outgoing), _parts_cleared(outgoing.request):
            finished = finish(suite, _telling(outgoing, folder))
            outgoing = _placed(outgoing)
            finished = _sent_as(outgoing, finished)
            refused = tuple(issue for issue in map(_sent, outgoing.sent) if issue is not None)
            lost = bool(refused)
    finally:
        if not lost:
            shutil.rmtree(folder, ignore_errors=True)
    stored = _as_stored(outgoing, finished, folder)
    return replace(stored, result=afterwards(stored.result, refused), refused=(*finished.refused, *refused))


def _as_stored(outgoing: _Outgoing, finished: Finished, folder: Path) -> Finished:
    """The run with the places in the stores in place of those of this machine."""
    results = outgoing.results if finished.folder is not None else None
    place = results.place if results is not None else None
    return replace(
        finished,
        result=finished.result if place is None else replace(finished.result, folder=place),
        folder=finished.folder if results is None else None,
        place=place,
        named=results.named if results is not None else finished.named,
        taken=results.taken if results is not None else finished.taken,
        files=tuple(file for file in finished.files if not file.is_relative_to(folder)),
        stored=tuple(outgoing.places(finished.files)),
    )


def _telling(outgoing: _Outgoing, folder: Path) -> RunRequest:
    """The request, told of the finished run by the places where it will be."""
    told = outgoing.request.before_sending
    if told is None:
        return outgoing.request
    return replace(outgoing.request, before_sending=lambda finished: told(_as_stored(outgoing, finished, folder)))


def _sent_as(outgoing: _Outgoing, finished: Finished) -> Finished:
    """The run, with the hints on how to send it again naming where it will be."""
    results = outgoing.results
    if finished.sent is None or results is None:
        return finished
    local, place = str(results.local), shown_address(results.place)
    issues = tuple(replace(one, hint=(one.hint or "").replace(local, place)) for one in finished.sent.issues)
    return replace(finished, sent=replace(finished.sent, issues=issues))


class _Sending(Struct, frozen=True):
    """One folder of this machine, and the place where its files go."""

    local: Path
    place: str
    is_run: bool = False
    force: bool = False
    asked: str = ""
    """The name that was asked for a run, or chosen for it."""
    chosen: bool = False
    """Nobody asked for the name."""

    @property
    def named(self) -> str | None:
        """The name of the run folder, where nobody asked for that one."""
        return self.place.rpartition("/")[2] if self.chosen or self.taken else None

    @property
    def taken(self) -> str | None:
        """The place that was asked for, when something was there and the run has another one."""
        asked = inside(parent(self.place), self.asked)
        return asked if self.is_run and asked != self.place else None


class _Outgoing(Struct, frozen=True):
    """A run on this machine, and what of it goes where."""

    request: RunRequest
    results: _Sending | None
    files: tuple[_Sending, ...]

    @property
    def sent(self) -> tuple[_Sending, ...]:
        """Everything that is sent; the run folder comes last."""
        return (*self.files, *((self.results,) if self.results is not None else ()))

    def places(self, files: Sequence[Path]) -> Iterator[str]:
        """Where the files are that went to stores."""
        for file in files:
            yield from (inside(one.place, file.name) for one in self.files if file.parent == one.local)


def _outgoing(suite: LoadedSuite, request: RunRequest, folder: Path) -> _Outgoing:
    """The same run with places on this machine."""
    results, changed = None, request
    if request.results is not None and scheme_of(str(request.results)):
        wanted = request.name or suite.results.name
        asked = wanted or default_name(datetime.now().astimezone(), suite.fingerprint)
        check_name(asked)
        name = asked if request.force else _free_name(str(request.results), asked)
        place = inside(str(request.results), name)
        results = _Sending(
            folder / "runs" / name, place, is_run=True, force=request.force, asked=asked, chosen=not wanted
        )
        parts = inside(str(request.results), f".{name}.{_token()}.parts")
        changed = replace(changed, results=folder / "runs", name=name, parts=parts)
    sent = tuple(_Sending(folder / f"file-{number}", parent(file)) for number, file in enumerate(request.stored_files))
    files = [one.local / file.rpartition("/")[2] for one, file in zip(sent, request.stored_files, strict=True)]
    return _Outgoing(replace(changed, files=(*request.files, *files), stored_files=()), results, sent)


def _placed(outgoing: _Outgoing) -> _Outgoing:
    """The same, with the run at a place that is free now. Its `run.json` names the folder where that is not the one asked for."""
    run = outgoing.results
    if run is None or run.force or not (run.local / RUN_JSON).is_file():
        return outgoing
    run = replace(run, place=inside(parent(run.place), _free_name(parent(run.place), run.asked)))
    if run.named is not None:
        named = replace(load_run(run.local), folder=run.named)
        write_text(run.local / RUN_JSON, run_json(named, read_record(run.local).facts))
    return replace(outgoing, results=run)


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
        for one in outgoing.sent:
            store = store_of(one.place)
            try:
                claim = inside(parent(one.place) if one.is_run else one.place, f".{_token()}.claim")
                store.put(claim, b"")
                claims.append(claim)
            except OSError as error:
                raise Problems([unwritten(error, shown_address(one.place), "the place of the results")]) from None
        yield
    finally:
        for claim in claims:
            with suppress(OSError, Problems):
                store_of(claim).remove(claim)


@contextmanager
def _named(outgoing: _Outgoing) -> Iterator[None]:
    """Problems name places as the user gave them, and not those of this machine."""
    try:
        yield
    except Problems as error:
        raise Problems([_renamed(issue, outgoing) for issue in error.issues]) from None


def _renamed(issue: Issue, outgoing: _Outgoing) -> Issue:
    for one in outgoing.sent:
        if issue.where is not None and issue.where.startswith(str(one.local)):
            rest = issue.where[len(str(one.local)) :]
            return replace(issue, where=f"{shown_address(one.place)}{rest}")
    return issue


def _sent(one: _Sending) -> Issue | None:
    """Sends the files of a folder; a run's own file comes last. What is wrong where the store does not take them."""
    if not one.local.is_dir():
        return None
    names = sorted(file.relative_to(one.local).as_posix() for file in one.local.rglob("*") if file.is_file())
    names.sort(key=lambda name: name == RUN_JSON)
    store = store_of(one.place)
    try:
        old = set(store.below(one.place)) if one.is_run and one.force else set()
        if RUN_JSON in old:
            store.remove(inside(one.place, RUN_JSON))  # from here on there is no run, until the new one is whole
        for name in names:
            _send_file(one.local / name, inside(one.place, name))
        for name in old - set(names):
            store.remove(inside(one.place, name))
    except OSError as error:
        issue = unwritten(error, shown_address(one.place), "the run folder" if one.is_run else "the file")
        return replace(issue, blame=Blame.ENVIRONMENT, hint=f"nothing is lost: it is in {one.local}")
    return None


def _send_file(file: Path, place: str) -> None:
    with open(file, "rb") as stream, store_of(place).write(place) as target:
        shutil.copyfileobj(stream, target, _BLOCK)


def send_files(files: Sequence[Path], place: str) -> list[str]:
    """Sends files of this machine to a folder of a store, and gives their places. Raises Problems (environment)."""
    sent = []
    for file in files:
        target = inside(place, file.name)
        try:
            _send_file(file, target)
        except OSError as error:
            raise Problems([unwritten(error, shown_address(target))]) from None
        sent.append(target)
    return sent


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
