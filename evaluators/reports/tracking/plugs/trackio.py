"""`trackio`: runs in Trackio, on this machine or on a server of it."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import Context
from io import StringIO
from typing import Any, ClassVar, Final

from evaluators.model.issues import problem
from evaluators.model.settings import Name
from evaluators.reports.tracking.attachments import RowTable, attachments, params_of, row_table
from evaluators.reports.tracking.tracker import Link, Platform, RowProgress, no_progress, run_key
from evaluators.runs.reader import Run
from evaluators.scoring.values.addresses import without_password

_REMOTE: Final = ("TRACKIO_SERVER_URL", "TRACKIO_SPACE_ID")
_NO_WORD: Final = re.compile(r"[^\w-]+")
"""What Trackio leaves out of the name of a project."""
_QUIET: Final = {"HF_HUB_DISABLE_TELEMETRY": "1", "GRADIO_ANALYTICS_ENABLED": "False"}
"""Variables that are set unless they are set already: the client and what it uses report nothing to their makers."""


class Trackio(Platform):
    """A run in Trackio: metrics, settings, all rows as a table, and the run folder as an artifact.

    It is kept on this machine, where TRACKIO_DIR says, unless TRACKIO_SERVER_URL (with TRACKIO_WRITE_TOKEN) or TRACKIO_SPACE_ID name
    a server. Kept on this machine, nothing is asked of a network: HF_HUB_OFFLINE is set then.
    """

    packages: ClassVar[tuple[str, ...]] = ("trackio",)

    project: Name | None = None
    """The project; without one, the name of the suite with `-` for spaces and marks."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Sends the run, in place of what was sent of it before. For that, environment variables that are not set get the values of
        `_QUIET`, and without a server the Hugging Face hub is offline. Raises Problems (environment) where something was not kept."""
        server = next((os.environ[name] for name in _REMOTE if os.environ.get(name)), None)
        quiet = _QUIET if server else {**_QUIET, "HF_HUB_OFFLINE": "1"}
        for name, value in quiet.items():
            os.environ.setdefault(name, value)
        project = self.project or _NO_WORD.sub("-", record.result.name)
        run = f"{record.place.name} {run_key(record)[:12]}"
        with _collected_warnings() as messages:
            import trackio

            _remove(trackio, project, run, os.environ.get("TRACKIO_SERVER_URL"))
            Context().run(self._log, trackio, record, project, run)  # a run of the program itself stays as it is
        if messages:
            raise problem("trackio-lost-something", messages[0])
        return Link("trackio", without_password(server).partition("?")[0] if server else None, run)

    def _log(self, trackio: Any, record: Run, project: str, name: str) -> None:
        """Sends settings, metrics, the table of rows and files as a run called `name`, and ends the run in any case. `trackio` is the
        module."""
        config = params_of(record, self.environment)
        table = row_table(record)
        run = trackio.init(
            project=project, name=name, config=config, group=record.result.name, resume="allow", embed=False,
            auto_log_gpu=False, auto_log_cpu=False,
        )  # fmt: skip
        try:
            rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
            run.log({**self.metrics(record), "rows": trackio.Table(data=rows)}, step=0)
            _log_files(trackio, run, record, table, self.environment)
        finally:
            run.finish()


def _log_files(trackio: Any, run: Any, record: Run, table: RowTable, environment: bool) -> None:
    """Sends the files of the run as an artifact. The same files are the same version of it."""
    artifact = trackio.Artifact(f"run-{run_key(record)}", "evaluation")
    with attachments(record, table, environment) as files:
        for name, file in files.items():
            artifact.add_file(str(file), name)
        run.log_artifact(artifact)


def _remove(trackio: Any, project: str, name: str, server: str | None) -> None:
    """Removes the run of the same name that was sent before: from the `server`, or without one from this machine. On a Space the run is
    continued instead: only its owner may remove one."""
    if server:
        from trackio.remote_client import RemoteClient

        token = os.environ.get("TRACKIO_WRITE_TOKEN")
        client = RemoteClient(server, hf_token=None, write_token=token, verbose=False)
        client.predict(api_name="/delete_run", project=project, run=name)
    elif not os.environ.get("TRACKIO_SPACE_ID"):
        try:
            older = [run for run in trackio.Api().runs(project) if run.name == name]
        except ValueError:  # there is no such project yet
            return
        for run in older:
            run.delete()


@contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Gives a list that has the client's warnings once the `with` has ended: the client goes on where something is lost. What it prints is
    not shown."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", category=UserWarning, module=r"trackio\..*")
        yield messages
    messages += [str(warning.message).removeprefix("* ") for warning in caught]
