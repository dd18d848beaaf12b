"""`aim`: runs in a repository of Aim, on this machine or on a server of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

from evaluators.issues import problem
from evaluators.run.reader import Run
from evaluators.settings import Name
from evaluators.tracking.attachments import attachments, environment_of, note_of, params_of, row_table
from evaluators.tracking.tracker import Link, Platform, run_key

KEY: Final = "evaluators_run_key"
"""The parameter that a run is found by when it is sent again."""
_NOTE: Final = 8000


class Aim(Platform):
    """A run in Aim: each metric by its own name with what it is about as its context, settings, a note, and the run folder with all
    rows as one table.

    The repository is the nearest folder `.aim`, as for all of Aim, and made here where there is none, unless the suite names one.
    """

    packages: ClassVar[tuple[str, ...]] = ("aim",)

    repository: Name | None = None
    """The folder that the repository is in, or the address of a server, `aim://HOST:PORT`."""
    experiment: Name | None = None
    """The experiment; without one, the name of the suite."""
    artifacts: Name | None = None
    """Where files are kept, such as `s3://BUCKET/PATH`; without it, inside the repository, and nowhere with a server."""

    def send(self, record: Run) -> Link:
        """Sends the run in place of what was sent of it before. Raises whatever the client raises."""
        import aim

        key, remote = run_key(record), self.repository is not None and "://" in self.repository
        with self._started(aim, record) as run:
            repository = run.repo
            older = [] if remote else _sent_before(repository, key)
            run[KEY] = key
            run["evaluation"] = params_of(record)
            if self.environment:
                run["environment"] = environment_of(record)
            for group in self.metric_groups(record.result):
                for name, value in group.metrics.items():
                    run.track(value, name=name, context=group.about, step=0)
            self._log_files(run, record, remote)
        if not remote:
            _put_in_place(repository, run.hash, older)
        return Link("aim", self.repository if remote else None, key)

    @contextmanager
    def _started(self, aim: Any, record: Run) -> Iterator[Any]:
        experiment = self.experiment or record.result.name
        run = aim.Run(
            repo=self.repository, experiment=experiment, system_tracking_interval=None, log_system_params=False,
            capture_terminal_logs=False,
        )  # fmt: skip
        try:
            run.name = record.place.name
            run.description = note_of(record, _NOTE)
            yield run
        finally:
            run.close()

    def _log_files(self, run: Any, record: Run, remote: bool) -> None:
        place = self.artifacts or (None if remote else (Path(run.repo.path).resolve() / "artifacts").as_uri())
        if place is None:
            return
        run.set_artifacts_uri(place)
        with attachments(record, row_table(record), self.environment) as files:
            for name, file in files.items():
                run.log_artifact(str(file), name=name, block=True)


def _sent_before(repository: Any, key: str) -> list[str]:
    """The runs of this key."""
    from aim.sdk.types import QueryReportMode

    found = repository.query_runs(f'run.{KEY} == "{key}"', report_mode=QueryReportMode.DISABLED)
    return [one.run.hash for one in found.iter_runs()]


def _put_in_place(repository: Any, run: str, older: Iterable[str]) -> None:
    """Puts the run into the index of the repository, so that queries find it, and takes older ones away with their files."""
    from aim.sdk.index_manager import RepoIndexManager

    RepoIndexManager.get_index_manager(repository).index(run)
    for one in older:
        if not repository.delete_run(one):
            raise problem("aim-keeps-run", f"the run {one} that was sent before cannot be removed")
        shutil.rmtree(Path(repository.path) / "artifacts" / one, ignore_errors=True)
