"""Going on with a run that was ended: which run is meant, whether it is the same one, and what it has so far.

Splits are taken as they are only where everything that decides what is written of a row is the same: the suite, the data, the
columns, the versions and some options. What differs is found, and nothing is guessed.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.model import __version__
from evaluators.registry import nearest
from evaluators.run.exit_code import OTHER_RUN
from evaluators.run.preparing import Prepared
from evaluators.run.reader import Run
from evaluators.run.recorder import Recording
from evaluators.run.result import RunResult
from evaluators.run.run_folder import RunFolder, check_name, default_name
from evaluators.run.scoring import InBackground, rows_format, watches_of
from evaluators.run.settings_fingerprint import decisive, meaning_of, own_code, words_of
from evaluators.run.store import RUN_JSON
from evaluators.run.unchanged import file_marks
from evaluators.run.wording import Finding, quoted, sentence
from evaluators.run.working_folder import (
    FORMAT,
    LeftFolder,
    RunIdentity,
    UnfinishedRun,
    left_folder,
    left_folders,
    other_format,
    put_back,
)
from evaluators.testsets.byte_store import scheme_of
from evaluators.values.addresses import with_shown_addresses

if TYPE_CHECKING:
    from evaluators.api.suite import Suite

_SELECTED: Final = "selected: "
_CODE: Final = "the code of "
_WATCHED: Final = "the sums that gates ask for"
_OTHER_SUITE: Final = Finding("other-suite")
_OTHER_DATA: Final = Finding("other-data")
_NEAREST: Final = 3  # names that a hint lists


class ResumedRun(NamedTuple):
    """Which run is meant."""

    results: Path
    name: str
    asked: bool
    """It has to be there: it was asked for as a run, and not as a name that may be new."""
    place: Path | None = None
    """The working folder that was named, where one was."""


def resumed_run(
    suite: Suite, resume: bool | str, results: str | Path | None, name: str | None, force: bool | None
) -> ResumedRun:
    """The run that is meant. Raises Problems (config) where that is unclear."""
    wanted = name or suite.results.name
    if force:
        message = "a run is either gone on with or replaced"
        raise problem("resume-or-force", message, hint="--force scores everything anew; leave it out to go on")
    if not isinstance(resume, str):
        if wanted is None:
            raise problem("resume-what", "--resume needs a run", hint="--name NAME --resume, or --resume RUN at the end")
        check_name(wanted)
        return ResumedRun(_results(results), wanted, asked=False)
    path = Path(resume)
    if (left := left_folder(path)) is not None:
        found = ResumedRun(path.parent, left.name, True, path)
    elif len(path.parts) > 1:
        found = ResumedRun(path.parent, path.name, True)
    else:
        found = ResumedRun(_results(results), resume, True)
    if name not in (None, found.name):
        message = f'the run to go on with is called "{found.name}", and keeps its name'
        raise problem("resume-what", message, hint="leave --name away")
    check_name(found.name)
    return found


def _results(results: str | Path | None) -> Path:
    if results is None:
        hint = "leave --no-results away; in Python, `results` names the folder of the runs"
        raise problem("resume-what", "only a run that is kept in a folder can be gone on with", hint=hint)
    if scheme_of(str(results)):
        message = (
            "a run whose results go to a store cannot be gone on with: what it scores is on this machine until its end"
        )
        raise problem("resume-what", message, hint="--results FOLDER keeps it in a folder of this machine")
    return Path(results)


def unfinished_run(
    prepared: Prepared,
    repeat_judge: int,
    recordings: Sequence[Recording],
    started: datetime,
    fingerprint: InBackground[str],
) -> UnfinishedRun:
    """What is known of a run before its first row."""
    suite, asked = prepared.suite, prepared.suite.results.name
    versions = {"evaluators": __version__, "python": _minor(sys.version.split()[0]), **_libraries()}
    code = {f"{_CODE}{name}": code for name, code in own_code(words_of(suite)).items()}
    options = _options(prepared, repeat_judge, recordings) | code
    return UnfinishedRun(
        name=asked or default_name(started, suite.fingerprint),
        asked=asked,
        started=started.isoformat(timespec="seconds"),
        suite=PurePath(suite.config.source.name).name,
        test_set=PurePath(with_shown_addresses(prepared.test_set.name)).name,
        # size and time of a file that was fetched say nothing of what it holds
        data_fingerprint=fingerprint.value() if prepared.test_set.fetched else None,
        files=({name or "": file_marks(table.files) for name, table in prepared.variants()},),
        identity=RunIdentity(decisive(suite), prepared.roles, versions, options, meaning_of(suite)),
    )


def taken_up(
    run: ResumedRun, prepared: Prepared, new: UnfinishedRun, fingerprint: InBackground[str]
) -> RunFolder | Path | None:
    """The folder of the unfinished run, to go on in; the place of a run that is finished; None for one that was never begun.

    Raises Problems: (config, exit code 2) where there is no such run and one was asked for, (exit code 4) with everything that
    is not as it was, (environment) where the run is still going.
    """
    left_over = [left for left in left_folders(run.results) if left.name == run.name and run.place in (None, left.place)]
    found = [left for left in left_over if left.unfinished is not None]
    final = run.results / run.name
    for left in found:
        if left.holding == "mine":
            put_back(left)
    if os.path.isfile(final / RUN_JSON):
        result = Run(final).result
        if result.complete or not found:
            _check(final, list(_other_result(result, prepared, new, fingerprint)))
            return final
    if not found:
        _refuse_other_formats(left_over, prepared)
        if run.asked:
            raise problem("no-such-run", "there is no such run", where=str(final), hint=_nearest(run))
        return None
    if prepared.test_set.unrepeatable is not None:
        _check(found[0].place, [Finding("told", {"sentence": prepared.test_set.unrepeatable})])
    left = _run_to_resume(found, new, fingerprint)
    folder = RunFolder.go_on(left.place, final, force=final.exists())
    before = folder.unfinished or new
    states = before.files if new.files[0] in before.files else (*before.files, *new.files)
    now = structs.replace(before, identity=new.identity, files=states, data_fingerprint=fingerprint.value())
    folder.note(now)
    return folder


def _refuse_other_formats(left_over: Sequence[LeftFolder], prepared: Prepared) -> None:
    """Raises Problems (config) where another version of this program left something of the run."""
    for left in left_over:
        if (written := other_format(left.place)) is not None:
            message = f"what is kept of this run was written in format {written}, and this version reads format {FORMAT}"
            suite = shlex.quote(prepared.suite.config.source.name)
            command = f"evaluators run {suite} --name {shlex.quote(left.name)}"
            hint = f"score it again: `{command}`; `evaluators runs --clean` removes what was kept"
            raise problem("other-checkpoints", message, where=str(left.place), hint=hint)


def _run_to_resume(found: Sequence[LeftFolder], new: UnfinishedRun, fingerprint: InBackground[str]) -> LeftFolder:
    """The unfinished run to go on with: of those that are the same run, a free one, with the most splits done.

    Raises Problems (config) where none is the same, with what differs from the likeliest.
    """
    ordered = sorted(found, key=lambda left: (left.holding == "others", -left.finished))
    reasons = [list(_other_run(left, new, fingerprint)) for left in ordered]
    for left, different in zip(ordered, reasons, strict=True):
        if not different:
            return left
    _check(ordered[0].place, reasons[0])
    return ordered[0]


def _check(path: Path, reasons: Sequence[Finding]) -> None:
    """Raises Problems with everything that makes it another run."""
    hint = "--name gives this run another name; without --resume, --force scores everything anew"
    if reasons:
        raise Problems([Issue(OTHER_RUN, Blame.CONFIG, sentence(reason), str(path), hint) for reason in reasons])


def _other_run(left: LeftFolder, new: UnfinishedRun, fingerprint: InBackground[str]) -> Iterator[Finding]:
    """Why an unfinished run is another one."""
    old = left.unfinished
    if old is None:
        return
    yield from _differences(old.identity, new.identity)
    if old.data_fingerprint is not None:
        if old.data_fingerprint != fingerprint.value():
            yield _OTHER_DATA
    elif new.files[0] not in old.files:
        yield Finding("other-files")
    elif any(mark is None for marks in new.files[0].values() for mark in marks):
        yield Finding("no-version")


def _other_result(
    result: RunResult, prepared: Prepared, new: UnfinishedRun, fingerprint: InBackground[str]
) -> Iterator[Finding]:
    """Why a finished run is another one."""
    if result.suite_fingerprint != prepared.suite.fingerprint and result.meaning == new.identity.meaning:
        yield _OTHER_SUITE
    versions = {"evaluators": result.version}
    known = RunIdentity(new.identity.suite_fingerprint, result.columns, versions, {}, result.meaning)
    yield from _differences(known, new.identity)
    if result.data_fingerprint != fingerprint.value():
        yield _OTHER_DATA
    was, now = (
        [note for note in notes if note.startswith(_SELECTED)] for notes in (result.notes, prepared.test_set.table.notes)
    )
    if was != now:
        yield Finding("other-rows")


def _differences(old: RunIdentity, new: RunIdentity) -> Iterator[Finding]:
    for name in sorted(old.versions.keys() & new.versions.keys()):
        before, after = (_minor(one[name]) if name == "python" else one[name] for one in (old.versions, new.versions))
        if before != after:
            yield Finding("other-version", {"name": name, "was": before, "now": after})
    settings = list(_other_settings(old.meaning, new.meaning))
    yield from settings
    if old.suite_fingerprint != new.suite_fingerprint and not settings:
        yield _OTHER_SUITE
    for role in dict.fromkeys((*old.columns, *new.columns)):
        was, now = old.columns.get(role), new.columns.get(role)
        if was != now:
            yield Finding("other-column", {"role": role, "was": was, "now": now})
    for word in sorted(old.options.keys() & new.options.keys()):
        if word != _WATCHED and old.options[word] != new.options[word]:
            code = "other-code" if word.startswith(_CODE) else "other-option"
            yield Finding(code, {"name": word, "was": old.options[word], "now": new.options[word]})


def _other_settings(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> Iterator[Finding]:
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        if was is None or now is None:
            yield Finding("new-evaluator" if was is None else "gone-evaluator", {"name": name})
        elif changed := [key for key in dict.fromkeys((*was, *now)) if was.get(key) != now.get(key)]:
            yield Finding("other-settings" if name else "other-reading", {"name": name, "settings": changed})


def _minor(version: str) -> str:
    """3.12 of 3.12.4: what is mended within it changes no answer."""
    return ".".join(version.split(".")[:2])


_LIBRARIES: Final = ("rapidfuzz", "regex", "jsonschema", "Unidecode")
"""The packages that compare values; those that are there."""


def _libraries() -> dict[str, str]:
    """Their versions, by the names of the folders that installing leaves. What reads more of them takes longer than a short run."""
    known = {name.lower(): name for name in _LIBRARIES}
    found: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for entry in os.listdir(place or "."):
                stem, _, kind = entry.rpartition(".")
                name, _, version = stem.partition("-")
                if kind in ("dist-info", "egg-info") and name.lower() in known:
                    found.setdefault(known[name.lower()], version.partition("-")[0])
    return dict(sorted(found.items()))


def _options(prepared: Prepared, repeat_judge: int, recordings: Sequence[Recording]) -> dict[str, str]:
    first = recordings[0]
    size = sum(source.size for source in prepared.variants()[0][1].files)
    words = ("format", "encoding", "delimiter", "sheet", "header_row", "list", "pair_by", "attach")
    reading = {name: getattr(prepared.test_set.config, name) for name in words}
    return {
        "the rows that are scored": prepared.selection.sentence() if prepared.selection else "all of them",
        _WATCHED: _checksum(sorted(watches_of(prepared.suite).items())),
        "the variants": ", ".join(prepared.test_set.variants) or "none",
        "how rows are stored": rows_format(prepared.suite, size),
        "how often a judge is asked": str(repeat_judge),
        "the rows that are recorded for each field": "all" if first.most is None else str(first.most),
        "the rows whose cells are kept": first.documents,
        "the columns whose cells are kept": _checksum([one.columns for one in recordings]),
        "how the test set is read": _checksum(reading),
    }


def _checksum(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _nearest(run: ResumedRun) -> str:
    """The names of runs that are there, those like the wanted one first."""
    try:
        finished = [place.name for place in run.results.iterdir() if os.path.isfile(place / RUN_JSON)]
    except OSError:
        return f'the folder "{run.results}" does not exist'
    names = sorted({*finished, *(left.name for left in left_folders(run.results))})
    like: list[str] = []
    while len(like) < _NEAREST and (near := nearest(run.name, [name for name in names if name not in like])):
        like.append(near)
    if like:
        return f"did you mean {' or '.join(map(quoted, like))}?"
    if run.name.endswith((".yaml", ".yml", ".csv", ".jsonl")):
        return "--resume takes the name of a run: write it at the end of the command, or --resume=RUN"
    return f"`evaluators runs {run.results}` lists the runs that are there"
