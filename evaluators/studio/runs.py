"""Runs of a studio: started as the command line starts them, listed, shown and compared as everywhere else.

A run is a process of its own, with the very command that the page shows: the page stays quick, what is said at the end is what the
command says, and what was stopped can be resumed. How far it is, its run folder says.
"""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from shlex import join
from threading import Lock
from time import monotonic
from typing import Final
from uuid import uuid4

from msgspec import Struct

from evaluators.api.comparisons import compare, compared_sides
from evaluators.api.finished_run import options_of, with_every_match
from evaluators.api.loading import load
from evaluators.model.exit_words import EXIT_WORDS, exit_meaning
from evaluators.model.issues import Problems, problem
from evaluators.reports.format import format_for
from evaluators.reports.headline import headline
from evaluators.reports.html.compared_rows import ComparedRuns, compared_rows
from evaluators.reports.html.comparison import comparison_payload
from evaluators.runs.cells_again import with_cells
from evaluators.runs.dry_run import dry_run_lines
from evaluators.runs.preparing import prepare
from evaluators.runs.reader import Run
from evaluators.runs.run_listing import ListedRun, list_runs, newest_runs
from evaluators.studio import messages
from evaluators.studio.folder import Folder
from evaluators.studio.messages import RunLine, RunList, RunState, Trend

MOST_RUNS: Final = 200
_RUNS: Final = "runs"
_MOST_SAID: Final = 200_000
_PAGE: Final = Path("report.html")
END_SECONDS: Final = 10.0
"""How long runs may take to end when the studio does."""


class Started(Struct):
    """A run that was started here."""

    process: subprocess.Popen[bytes]
    output: Path
    words: list[str]
    results: Path
    before: frozenset[str]
    """The runs that were there when it was started."""
    run: str = ""
    """The name of its run, once that was seen."""


class Runs:
    """The runs of a folder."""

    def __init__(self, folder: Folder, end_seconds: float = END_SECONDS) -> None:
        self._folder, self._end_seconds = folder, end_seconds
        self._lock = Lock()
        self.started: dict[str, Started] = {}
        self._outputs = tempfile.TemporaryDirectory(prefix="evaluators-studio-")

    def close(self) -> None:
        """Interrupts the runs that are under way, and kills those that have not ended after some seconds; what they scored can be resumed.
        Deletes the files with what the runs printed."""
        for started in self.started.values():
            _interrupt(started.process)
        until = monotonic() + self._end_seconds
        for started in self.started.values():
            try:
                started.process.wait(max(0.0, until - monotonic()))
            except subprocess.TimeoutExpired:
                started.process.kill()
                started.process.wait()
        self._outputs.cleanup()

    def results_of(self, path: str) -> Path:
        """The folder of a suite's runs; `runs` without one, and of one that is not saved yet. Raises Problems (config) where that
        is elsewhere."""
        place = self._folder.place(path)
        folder = load(place).results_folder if place.is_file() else Path(_RUNS)
        if folder is None:
            raise problem("not-here", "the results of this suite are in a store", where=path, hint="evaluators runs")
        return self._folder.place(str(folder))

    def start(self, path: str, name: str = "", ask: bool = False) -> RunState:
        """Starts a run over all rows of a saved suite. `ask`: judges may be asked. Raises Problems with what keeps it from starting, and
        where a judge would be asked and nobody has said that it may."""
        place = self._folder.place(path)
        suite, path = load(place), self._folder.name_of(place)
        prepared = prepare(suite)
        lines, _ = dry_run_lines(prepared, repeat_judge=1) if suite.judges and not ask else ([], 0)
        if lines:
            raise problem("asks", "\n".join(lines), where=path)
        results = self.results_of(path)
        words = ["run", f"./{path}" if path.startswith("-") else path, *(["--name", name] if name else [])]
        id_ = uuid4().hex
        output = Path(self._outputs.name) / id_
        with output.open("wb") as file, self._lock:
            before = frozenset(run.name for run in _runs_in(results))
            process = subprocess.Popen(
                [sys.executable, "-m", "evaluators", *words], stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                cwd=self._folder.root, start_new_session=os.name == "posix",
            )  # fmt: skip
            self.started[id_] = Started(process, output, words, results, before)
        return self.state(id_)

    def state(self, id: str) -> RunState:
        """How far a run is. Raises Problems (config) for one that was not started here."""
        started = self._find_started(id)
        code = started.process.poll()
        output_text = started.output.read_bytes()[-_MOST_SAID:].decode("utf-8", "replace") if code is not None else ""
        new = self._find_run(started, output_text)
        done, of = (new.splits if new is not None else None) or (0, None)
        share = 1.0 if code == 0 else done / of if of else None
        name = self._folder.name_of(new.place) if new is not None and new.state in ("finished", "stopped") else ""
        command = join(["evaluators", *started.words])
        ended = "" if code is None else exit_meaning(code) if code in EXIT_WORDS else f"ended with {code}"
        rows = (new.rows if new is not None else None) or 0
        return RunState(id, code is not None, share, rows, output_text, code, ended, name, command)

    def _find_run(self, started: Started, output: str) -> ListedRun | None:
        """The run of a process, whose name is kept in `started`: the one whose folder its `output` names at its end; before, the first new
        one that is no other process's. None where there is none yet."""
        named = {self._folder.root / word.rstrip(":") for word in output.split()}
        with self._lock:
            others = {
                each.run for each in self.started.values() if each is not started and each.results == started.results
            }
            new = [run for run in _runs_in(started.results) if run.name not in started.before]
            own = [run for run in new if run.place in named] or [run for run in new if run.name not in others]
            run = next((run for run in own if run.name == started.run), own[0] if own else None)
            started.run = run.name if run is not None else ""
        return run

    def stop(self, id: str) -> RunState:
        """Ends a run as Ctrl-C does, so that what was scored is kept, and gives its state. Raises Problems for one that was not started
        here."""
        started = self._find_started(id)
        _interrupt(started.process)
        return self.state(id)

    def _find_started(self, id: str) -> Started:
        """The run with that id, which was started here. Raises Problems (config) for any other."""
        if id not in self.started:
            raise problem("no-run", "no such run was started here")
        return self.started[id]

    def list(self, path: str = "") -> RunList:
        """The runs of a suite, or those in `runs`, the newest first, and a line of means for each evaluator."""
        results = self.results_of(path)
        lines: list[RunLine] = []
        means: dict[str, dict[str, float]] = {}
        for run in newest_runs(results)[:MOST_RUNS]:
            result = Run(run.place).result
            own = {each.name: each.mean for each in result.evaluators if each.variant is None and each.slice is None}
            name = self._folder.name_of(run.place)
            lines.append(
                RunLine(name, run.name, run.started or "", run.rows or 0, run.exit_code == 0, headline(result), own)
            )
            for evaluator, mean in own.items():
                if mean is not None:
                    means.setdefault(evaluator, {})[name] = mean
        trends = [Trend(evaluator, [*reversed(runs)], [*reversed(runs.values())]) for evaluator, runs in means.items()]
        named = os.path.relpath(results, self._folder.root)
        return RunList(lines, trends, join(["evaluators", "runs", *([named] if named != _RUNS else [])]))

    def report(self, name: str) -> str:
        """The HTML page of a run, by its path in the folder."""
        record = with_every_match(with_cells(Run(self._folder.place(name))))
        page = StringIO()
        format_for(_PAGE).write(record, page, options_of(record))
        return page.getvalue()

    def compare(self, base: str, new: str, common: bool = False) -> messages.Compared:
        """Two runs compared, as their page has it, with the changed rows packed in Base64. With `common`, they are compared in what both
        have, whatever else differs, settings of evaluators included."""
        names = [self._folder.name_of(self._folder.place(place)) for place in (base, new)]
        places = [*map(Path, names)]
        comparison = compare(*places, common=common, across_settings=common)
        rows = (
            compared_rows(comparison, ComparedRuns(*compared_sides(places, variants=None, suite=None), folder=None))
            if comparison.changed
            else None
        )
        packed = {
            name: base64.b64encode(lines).decode("ascii") for name, lines in (rows.elements if rows else {}).items()
        }
        command = join(["evaluators", "compare", *names, *(["--common"] if common else [])])
        return messages.Compared(
            comparison_payload(comparison, rows), packed, bool(comparison.incomparable) and not common, command
        )


def _runs_in(results: Path) -> Sequence[ListedRun]:
    """The runs in a folder; none where the folder is not there yet."""
    try:
        return list_runs(results)
    except Problems:  # no such folder yet
        return ()


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Asks a process to stop, as Ctrl-C does, where it still runs."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
