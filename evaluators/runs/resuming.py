"""Going on with a run that was ended: its folder has the first splits, and a hash each of suite, data, program and options says whether
it is the same run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.registry import nearest
from evaluators.model.rows import __version__
from evaluators.runs.driver import jobs_of, watches_of
from evaluators.runs.exit_code import OTHER_RUN
from evaluators.runs.folder_lock import delete_stale_lock
from evaluators.runs.job import layout_of
from evaluators.runs.preparing import Prepared
from evaluators.runs.reader import Run
from evaluators.runs.recorder import Recording
from evaluators.runs.run_db import RUN_DB, RunDb
from evaluators.runs.run_folder import RunFolder, check_name
from evaluators.runs.run_listing import unfinished_runs
from evaluators.runs.settings_fingerprint import deciding_checksum, source_checksums
from evaluators.runs.store import RUN_JSON
from evaluators.scoring.values.addresses import with_shown_addresses
from evaluators.testsets.byte_store import scheme_of

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

_READING: Final = ("format", "encoding", "delimiter", "sheet", "header_row", "list", "pair_by", "attach")
_LIBRARIES: Final = ("rapidfuzz", "regex", "jsonschema", "Unidecode")
"""The packages that compare values; those that are there."""
_NEAREST: Final = 3  # names that a hint lists


class ResumedRun(NamedTuple):
    """Which run is meant."""

    results: Path
    name: str
    asked: bool
    """It has to be there: it was asked for as a run, and not as a name that may be new."""


def resumed_run(
    suite: LoadedSuite, resume: bool | str, results: str | Path | None, name: str | None, force: bool | None
) -> ResumedRun:
    """The run that `resume` means: its name or path, or True for the run called `name`, in the folder `results`. Raises Problems (config)
    where that is unclear, and with `force`, which asks for the opposite."""
    wanted = name or suite.results.name
    if force:
        message = "a run is either gone on with or replaced"
        raise problem("resume-or-force", message, hint="--force scores everything anew; leave it out to go on")
    if not isinstance(resume, str):
        if wanted is None:
            raise problem("resume-what", "--resume needs a run", hint="--name NAME --resume, or --resume RUN at the end")
        check_name(wanted)
        return ResumedRun(_results_folder(results), wanted, asked=False)
    path = Path(resume)
    resumed = ResumedRun(path.parent if len(path.parts) > 1 else _results_folder(results), path.name, asked=True)
    if name not in (None, resumed.name):
        message = f'the run to go on with is called "{resumed.name}", and keeps its name'
        raise problem("resume-what", message, hint="leave --name away")
    check_name(resumed.name)
    return resumed


def _results_folder(results: str | Path | None) -> Path:
    """The folder of the runs. Raises Problems (config) without one, and for an address in a store: an unfinished run is on this machine
    alone."""
    if results is None:
        hint = "leave --no-results away; in Python, `results` names the folder of the runs"
        raise problem("resume-what", "only a run that is kept in a folder can be gone on with", hint=hint)
    if scheme_of(str(results)):
        message = (
            "a run whose results go to a store cannot be gone on with: what it scores is on this machine until its end"
        )
        raise problem("resume-what", message, hint="--results FOLDER keeps it in a folder of this machine")
    return Path(results)


def resume_key(
    prepared: Prepared, repeat_judge: int, recordings: Sequence[Recording], fingerprint: str
) -> dict[str, str]:
    """The facts that two attempts at a run must have in common: a checksum of each, by its name in messages. `repeat_judge` is how often a
    judge is asked each question, `recordings` say what is recorded of each variant, and `fingerprint` is that of the data."""
    suite, test_set = prepared.suite, prepared.test_set
    reading = [getattr(test_set.config, name) for name in _READING]
    chosen = [sorted(prepared.roles.items()), prepared.selection, test_set.variants, repeat_judge, list(recordings)]
    program = [__version__, sys.version_info[:2], _library_versions(), source_checksums(suite)]
    return {
        "the suite": _checksum([deciding_checksum(suite), sorted(watches_of(suite).items())]),
        "the data": _checksum([fingerprint, reading]),
        "the program": _checksum(program),
        "the options": _checksum(chosen),
    }


def run_notes(prepared: Prepared) -> dict[str, str]:
    """What is noted in an unfinished run for lists of runs: its name, suite and test set."""
    suite, test_set = prepared.suite.config.source.name, with_shown_addresses(prepared.test_set.name)
    return {
        "name": prepared.suite.results.name or "",
        "suite": PurePath(suite).name,
        "test set": PurePath(test_set).name,
    }


def resume_folder(
    run: ResumedRun, prepared: Prepared, key: Mapping[str, str], made: Iterable[str]
) -> RunFolder | Path | None:
    """The folder of the unfinished run, to be filled further; the path of a run that is finished; None for one that was never
    begun. Files that were `made` from its rows are deleted, to be made anew.

    Raises Problems: (config, exit code 2) where there is no such run and one was asked for, or it is damaged, (exit code 4)
    with everything that is not as it was, (environment) where the run is still going.
    """
    place = run.results / run.name
    finished = _is_finished(place)
    if place.is_symlink() or not (finished or os.path.lexists(place / RUN_DB)):
        if run.asked:
            raise problem("no-such-run", "there is no such run", where=str(place), hint=_run_names_hint(run))
        return None
    if not finished:
        folder = RunFolder.resume(place)
        try:
            if not _is_finished(place):  # by whoever had it until now
                _reopen_folder(folder, prepared, key, made)
                return folder
        except BaseException:
            folder.leave()
            raise
        folder.leave()
    with closing(RunDb(place / RUN_DB, readonly=True)) as db:
        _check_unchanged(place, db.about(), key, prepared)
    delete_stale_lock(place)
    return place


def _reopen_folder(folder: RunFolder, prepared: Prepared, key: Mapping[str, str], made: Iterable[str]) -> None:
    """Makes the folder of a stopped or unfinished run ready to be filled further. `key` are the facts that must be as they
    were, `made` the names of files made from rows, which are deleted.

    Raises Problems (exit code 4) with everything that is not as it was, (config) for a damaged file.
    """
    if before := folder.db.about():
        _check_unchanged(folder.path, before, key, prepared)
    layout = layout_of(jobs_of(prepared)[0], prepared.suite.lines)
    folder.db.check_rows(layout, len(prepared.variants()), begun=True)
    if before:
        folder.reopen(made)
        folder.take_name(before.get("name", ""))
    else:  # it was claimed, and nothing was begun
        folder.db.note({**key, **run_notes(prepared)})


def _is_finished(place: Path) -> bool:
    """Whether all rows of the run at a place are scored. Raises Problems (config) where its result cannot be read."""
    return os.path.isfile(place / RUN_JSON) and Run(place).result.complete


def _check_unchanged(place: Path, before: Mapping[str, str], now: Mapping[str, str], prepared: Prepared) -> None:
    """Raises Problems (exit code 4) with every fact about the run that is not `now` what it was `before`, and for a test set that cannot
    be read the same way twice."""
    differs = [name for name in now if before.get(name) != now[name]]
    if prepared.test_set.unrepeatable is not None:
        differs.append(prepared.test_set.unrepeatable)
    hint = "--name gives this run another name; without --resume, --force scores everything anew"
    message = "not the same as when it began: "
    if differs:
        raise Problems(
            [Issue(OTHER_RUN, Blame.CONFIG, f"{message}{difference}", str(place), hint) for difference in differs]
        )


def _checksum(value: object) -> str:
    """The SHA-256 of the value's `repr`."""
    return sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()


def _library_versions() -> dict[str, str]:
    """The versions of the packages that compare values, by name, read from the folders that installing leaves. A look-up
    through `importlib.metadata` takes longer than a short run."""
    known = {name.lower(): name for name in _LIBRARIES}
    facts: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for entry in os.listdir(place or "."):
                stem, _, kind = entry.rpartition(".")
                name, _, version = stem.partition("-")
                if kind in ("dist-info", "egg-info") and name.lower() in known:
                    facts.setdefault(known[name.lower()], version.partition("-")[0])
    return dict(sorted(facts.items()))


def _run_names_hint(run: ResumedRun) -> str:
    """A hint that names runs that are there, those like the wanted name first."""
    try:
        finished = [place.name for place in run.results.iterdir() if os.path.isfile(place / RUN_JSON)]
    except OSError:
        return f'the folder "{run.results}" does not exist'
    names = sorted({*finished, *(place.name for place in unfinished_runs(run.results))})
    like: list[str] = []
    while len(like) < _NEAREST and (near := nearest(run.name, [name for name in names if name not in like])):
        like.append(near)
    if like:
        return "did you mean " + " or ".join(f'"{name}"' for name in like) + "?"
    if run.name.endswith((".yaml", ".yml", ".csv", ".jsonl")):
        return "--resume takes the name of a run: write it at the end of the command, or --resume=RUN"
    return f"`evaluators runs {run.results}` lists the runs that are there"
