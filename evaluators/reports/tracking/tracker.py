"""The contract of a tracker: it takes a finished run to a platform, or to files that a platform reads.

A tracker is one file in `plugs/`, or a class behind the entry point group `evaluators.reports.tracking.plugs`. Its settings are its
attributes, so that a mistake in them is found before row 1, and so is a package that is missing. It is given the record of a
run folder and nothing else: neither the suite's functions nor the test set need to be there. What a tracker needs of other
packages, it imports in `send`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, ClassVar, Final, Literal, TypeAlias

from msgspec import Struct
from pydantic import Field, NonNegativeInt

from evaluators.model.issues import Problems, extra_hint, problem
from evaluators.model.registry import Socket
from evaluators.model.settings import BadSettings, Detail, Settings, bad, build, spell, word_or_map
from evaluators.reports.tracking.metrics import Number, headline_of, metrics_of, overall_metrics
from evaluators.reports.tracking.recorded_suite import result_and_overall
from evaluators.runs.reader import Run
from evaluators.runs.store import RUN_JSON

RowProgress: TypeAlias = Callable[[int, int], None]
"""Told how many rows, of how many that are sent one by one, are there."""


def no_progress(done: int, total: int) -> None:
    """Progress that is shown nowhere."""


class Link(Struct, frozen=True):
    """The place of a sent run on its platform."""

    platform: str
    """The name of the tracker."""
    url: str | None
    """Where to look: an address, or a folder as it was named; None where the platform has no such thing."""
    run_id: str
    """What the platform calls the run."""


class Tracker(Settings):
    """A place that finished runs are sent to."""

    packages: ClassVar[tuple[str, ...]] = ()
    """What it imports from elsewhere, by the names of the modules."""
    extra: ClassVar[str | None] = None
    """The extra of this package that brings them; the name of the tracker without one."""

    figures: Literal["main", "all"] = Field("main", validation_alias="metrics")
    """Which metrics are sent: the `main` ones, which a table of runs has room for, or `all`."""

    def metrics(self, record: Run, variant: str | None = None) -> dict[str, Number]:
        """The metrics that are sent, by their names; those of one variant by the names that a run without variants has."""
        result, overall = result_and_overall(record, variant)
        few = headline_of(result, overall)
        return few if self.figures == "main" else {**metrics_of(result, every=True), **overall_metrics(overall), **few}

    def check(self, name: str) -> None:
        """Looks, before the first row, whether the tracker can be used here: by default, whether its packages are installed.

        `name` is what the suite calls it. Raises Problems (config).
        """
        if not all(map(_is_installed, self.packages)):
            raise problem(
                "missing-extra",
                f'the tracker "{name}" needs a package that is not installed',
                hint=extra_hint(self.extra or name),
            )

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Sends the run. Sending the same run again gives the same: nothing is there twice. One that sends rows one by one reports to
        `progress` how many are there.

        Whatever it raises is told as a failure of this tracker; the run and its folder stay as they are.
        Every tracker implements this.
        """
        raise NotImplementedError  # the contract: each tracker sends in its own way


class Platform(Tracker):
    """A tracker whose platform shows what a run was made with."""

    environment: bool = False
    """Whether the platform is told the machine, the folders and the command line of the run."""


class RowTracker(Platform):
    """A tracker whose platform shows single rows as well."""

    trace_rows: NonNegativeInt = 100
    """How many rows are sent one by one, of each variant, rows with something wrong first. All rows are in the table anyway."""


class NamedTracker(Struct, frozen=True):
    """A tracker with its settings, and the name it is known by."""

    name: str
    tracker: Tracker


TRACKERS: Final[Socket[Tracker]] = Socket("evaluators.reports.tracking.plugs", Tracker, "tracker")


def run_key(record: Run) -> str:
    """The key of a run: the same rows under the same suite have the same, wherever the folder is."""
    return hashlib.sha256((record.place / RUN_JSON).read_bytes()).hexdigest()[:32]


def _is_installed(module: str) -> bool:
    """Whether a module can be imported; false, too, where the package it is in is not there."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that the module is in
        return False


def read_tracking(data: Any, context: Mapping[str, Any]) -> tuple[NamedTracker, ...]:
    """The trackers of the section `tracking` of a suite, in the order of the file, each with its settings. Raises BadSettings with all
    mistakes in them. `context` is what every reader of a section is given, and this one needs nothing of it."""
    if not isinstance(data, list):
        hint = f"write tracking: [{data}]" if isinstance(data, str) else "write tracking: [files]"
        raise bad(f"tracking must be a list of trackers; found {spell(data)}", hint=hint)
    trackers: list[NamedTracker] = []
    details: list[Detail] = []
    for index, item in enumerate(data):
        try:
            name, options = word_or_map(item, TRACKERS.noun)
            prefix = (index,) if isinstance(item, str) else (index, name)
            try:
                trackers.append(NamedTracker(name, build(TRACKERS.find(name), options, noun=f'the tracker "{name}"')))
            except BadSettings as error:
                details.extend(detail.under(*prefix) for detail in error.details)
            except Problems as error:
                details.extend(
                    Detail(prefix, issue.message, issue.hint, len(prefix) > 1, issue.code) for issue in error.issues
                )
        except BadSettings as error:
            details.extend(detail.under(index) for detail in error.details)
    if details:
        raise BadSettings(details)
    return tuple(trackers)
