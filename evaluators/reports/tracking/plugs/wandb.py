"""`wandb`: runs in Weights & Biases, or in its files where it works offline."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from evaluators.model.issues import problem
from evaluators.model.settings import Name
from evaluators.reports.names import segment
from evaluators.reports.tracking.attachments import RowTable, attachments, params_of, row_table
from evaluators.reports.tracking.tracker import Link, Platform, RowProgress, no_progress, run_key
from evaluators.runs.reader import Run

_QUIET: Final = {"WANDB_ERROR_REPORTING": "false"}
"""Variables that are set unless they are set already: the client reports nothing of its own to its makers."""
_SECONDS: Final = 600.0


class WeightsAndBiases(Platform):
    """A run in Weights & Biases: metrics in the summary, settings in the config, all rows as a table, and the run folder as an artifact.

    Where nothing is set here, the variables of the platform count: WANDB_PROJECT, WANDB_ENTITY, WANDB_MODE, WANDB_API_KEY,
    WANDB_BASE_URL, WANDB_DIR and the others. WANDB_MODE=offline writes files, which `wandb sync` takes there later.
    """

    packages: ClassVar[tuple[str, ...]] = ("wandb",)

    project: Name | None = None
    """The project; without one, WANDB_PROJECT, and else the name of the suite."""
    entity: Name | None = None
    """The team or user that the project belongs to."""
    mode: Literal["online", "offline"] | None = None
    """Whether it is sent now, or kept in files that are sent later."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Sends the run under its own id: a run of that id is taken up again, and offline its older folders are removed. For that,
        environment variables that are not set get the values of `_QUIET`.

        Raises Problems where the variables turn the platform off, and whatever the client raises.
        """
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        if self.mode is None and os.environ.get("WANDB_MODE") == "disabled":
            raise problem("tracker-disabled", "WANDB_MODE is disabled", hint="unset it, or say WANDB_MODE=offline")
        import wandb

        table = row_table(record)
        shown = wandb.Table(table["columns"], table["data"], allow_mixed_types=True)
        with self._start_run(record, wandb) as run:
            run.summary.update(self.metrics(record))
            run.log({"rows": shown}, step=0)
            run.log_artifact(_artifact(wandb, record, table, self.environment))
        if run.offline:
            _remove_older(Path(run.settings.sync_dir), run.id)
        return Link("wandb", None if run.offline else run.url, run.id)

    def _start_run(self, record: Run, wandb: Any) -> Any:
        """Begins a run of the platform, or resumes it where the same run was sent before, and returns it. Neither code nor facts about the
        machine are sent."""
        config = params_of(record, self.environment)
        settings = wandb.Settings(
            silent=True, console="off", save_code=False, disable_code=True, disable_git=True, disable_job_creation=True,
            x_disable_meta=True, x_disable_stats=True, x_disable_machine_info=True, x_save_requirements=False, host="-",
            finish_timeout=_SECONDS, finish_timeout_raises=True,
        )  # fmt: skip
        return wandb.init(
            project=self.project or os.environ.get("WANDB_PROJECT") or segment(record.result.name), entity=self.entity,
            mode=self.mode, id=run_key(record), name=os.environ.get("WANDB_NAME") or record.place.name, config=config,
            job_type=os.environ.get("WANDB_JOB_TYPE") or "evaluation", resume="allow", reinit="create_new", settings=settings,
        )  # fmt: skip


def _artifact(wandb: Any, record: Run, table: RowTable, environment: bool) -> Any:
    """An artifact with the files of the run. The same files are the same version of it."""
    artifact = wandb.Artifact(f"run-{run_key(record)}-evaluation", type="evaluation")
    with attachments(record, table, environment) as files:
        for name, file in files.items():
            artifact.add_file(str(file), name=name)
    return artifact


def _remove_older(folder: Path, run_id: str) -> None:
    """Deletes the folders that were written offline when the same run was sent before; the new `folder`, which takes their place, stays."""
    for older in folder.parent.glob(f"offline-run-*-{run_id}"):
        if older.name != folder.name:
            shutil.rmtree(older)
