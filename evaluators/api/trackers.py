"""Which trackers a run goes to: those that the suite names, or those that are asked for, with the suite's settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.settings import BadSettings
from evaluators.reports.tracking.sending import Sending, SendResult, send
from evaluators.reports.tracking.tracker import NamedTracker, RowTracker, read_tracking
from evaluators.runs.reader import Run
from evaluators.scoring.values.addresses import addresses_in, forbidden_addresses
from evaluators.scoring.values.files import reading_inside
from evaluators.suites.extends import PRESETS
from evaluators.suites.source import as_written, from_data

NOWHERE: Final = "none"
"""The word that stands for no tracker, where the suite names some."""


def trackers_of(
    of_suite: Sequence[NamedTracker], names: Iterable[str] | None, trace_rows: int | None, has_folder: bool
) -> tuple[NamedTracker, ...]:
    """The trackers of a run: those of these `names`, or else the suite's, which are left out where no run folder is written. `trace_rows`
    is how many single rows they send; None leaves that to the settings of each.

    Raises Problems (config) for a name that no tracker has, for a tracker that cannot be used here, and for a tracker where no
    run folder is written.
    """
    own = [tracker.name for tracker in of_suite] if has_folder else []
    chosen = choose_trackers(own if names is None else names, of_suite, trace_rows)
    if chosen and not has_folder:
        raise problem(
            "tracker-without-folder",
            f'the tracker "{chosen[0].name}" needs the run folder, and none is written',
            hint=f"leave --no-results out, or say --track {NOWHERE}",
        )
    return chosen


def send_again(path: Path, names: Iterable[str], trace_rows: int | None, sending: Sending | None) -> SendResult:
    """Sends the finished run in the folder `path` to the trackers of these names, with the settings that its suite has for them, and
    returns their links and what went wrong.

    `trace_rows`, how many single rows are sent, takes the place of their own setting, and `sending` is called as it goes on. Raises
    Problems (config) when there is no run, for a name that no tracker has, and for a tracker that cannot be used here.
    """
    record = Run(path)
    with reading_inside(record.place, PRESETS):
        recorded = _recorded_trackers(record.place / record.facts.suite)
    trackers = choose_trackers(names, recorded, trace_rows)
    return send(record.place, trackers, trace_rows, sending)


def choose_trackers(
    names: Iterable[str], of_suite: Sequence[NamedTracker], trace_rows: int | None
) -> tuple[NamedTracker, ...]:
    """The trackers of these names, each once; one that the suite does not name has no settings but its defaults.

    `trace_rows`, how many single rows are sent, takes the place of the setting of those that send single rows; None leaves it. Raises
    Problems (config) for a name that no tracker has, for a tracker that cannot do without settings, and for one whose packages are not
    installed.
    """
    trackers: list[NamedTracker] = []
    for name in dict.fromkeys(name for name in names if name != NOWHERE):
        trackers += [tracker for tracker in of_suite if tracker.name == name] or _read_trackers([name])
    for tracker in trackers:
        if issues := forbidden_addresses(addresses_in(tracker.tracker.model_dump())):
            raise Problems(map(tracker.tracker.masked_issue, issues))
        tracker.tracker.check(tracker.name)
    if trace_rows is None:
        return tuple(trackers)
    update = {"trace_rows": trace_rows}
    return tuple(
        replace(tracker, tracker=tracker.tracker.model_copy(update=update))
        if isinstance(tracker.tracker, RowTracker)
        else tracker
        for tracker in trackers
    )


def _read_trackers(section: object) -> tuple[NamedTracker, ...]:
    """The trackers of a section `tracking`, or of a list of names. Raises Problems (config), without a place, where they cannot be read."""
    try:
        return read_tracking(section, {})
    except BadSettings as error:
        raise Problems(
            Issue(detail.code, Blame.CONFIG, detail.message, None, detail.hint) for detail in error.details
        ) from None


def _recorded_trackers(suite: Path) -> tuple[NamedTracker, ...]:
    """The trackers of a recorded suite. The rest of it need not be usable here: variables are filled in for these alone."""
    if not suite.is_file():
        return ()
    section = as_written(suite).get("tracking")
    return _read_trackers(from_data({"tracking": section}).data["tracking"]) if section else ()
