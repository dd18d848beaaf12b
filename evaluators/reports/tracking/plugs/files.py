"""`files`: metrics and settings as files, in the layout that DVC reads."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from evaluators.model.issues import problem
from evaluators.model.settings import Name
from evaluators.reports.csv_cells import guard_cell
from evaluators.reports.tracking.attachments import params_of
from evaluators.reports.tracking.metrics import Number, field_prefix, headline_of, metrics_of, nest, overall_metrics
from evaluators.reports.tracking.recorded_suite import result_and_overall
from evaluators.reports.tracking.tracker import Link, RowProgress, Tracker, no_progress, run_key
from evaluators.runs.reader import Run
from evaluators.runs.result import RunResult
from evaluators.runs.run_json import stable_json
from evaluators.runs.store import write_text
from evaluators.scoring.values.quoting import flow_text, key_text

METRICS: Final = "metrics.json"
PARAMS: Final = "params.yaml"
PLOT: Final = "plots/fields.csv"
LAYOUT: Final = "dvc.yaml"

_HEAD: Final = "# Written by the tracker `files` of evaluators. Changes made here are lost.\n"
_SAYS_WHAT_IS_THERE: Final = f"{_HEAD}metrics:\n  - {METRICS}\nparams:\n  - {PARAMS}\n"
_SAYS_HOW_TO_DRAW: Final = (
    f"plots:\n  - {PLOT}:\n      title: Accuracy of each field\n      template: bar_horizontal\n"
    "      x: accuracy\n      y: name\n"
)
_COUNTS: Final = ("match", "mismatch", "omission", "hallucination", "error", "skipped", "not_measured", "not_judged")
_COLUMNS: Final = ("name", "variant", "evaluator", "path", "accuracy", "n", *_COUNTS)


class Files(Tracker):
    """Metrics and settings as files that belong into version control, in the layout that DVC reads.

    `metrics.json` has the metrics, `params.yaml` the settings, `plots/fields.csv` a line for each field; `dvc.yaml` says so to
    DVC. The next run takes their place: what was before is in version control.
    """

    folder: Name = "metrics"
    """The folder of the files, relative to where the command is run."""

    figures: Literal["main", "all"] = Field("main", validation_alias="metrics")
    """Which metrics are written: `all`, or without counts that are 0 and without metrics of slices."""

    def metrics(self, record: Run, variant: str | None = None) -> dict[str, Number]:
        """The metrics that are written: version control compares them one by one, so that many are no burden."""
        result, overall = result_and_overall(record, variant)
        return {**metrics_of(result, self.figures == "all"), **overall_metrics(overall), **headline_of(result, overall)}

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        """Writes the files. Raises Problems (config) where others of that name are in the folder already."""
        folder = Path(self.folder)
        _check_own(folder)
        plot, drawn = _plot_csv(record.result)
        write_text(folder / LAYOUT, _SAYS_WHAT_IS_THERE + (_SAYS_HOW_TO_DRAW if drawn else ""))
        write_text(folder / PARAMS, "\n".join([_HEAD.rstrip("\n"), *_yaml_lines(params_of(record), ""), ""]))
        write_text(folder / PLOT, plot)
        write_text(folder / METRICS, stable_json(nest(self.metrics(record))))
        return Link("files", folder.as_posix(), run_key(record))


def _check_own(folder: Path) -> None:
    """Raises Problems (config) where the folder has a file that would be replaced and that this tracker did not write, as its `dvc.yaml`
    tells."""
    layout = folder / LAYOUT
    if layout.is_file() and layout.read_bytes().startswith(_HEAD.encode()):
        return
    for name in (LAYOUT, METRICS, PARAMS, PLOT):
        if (folder / name).exists():
            raise problem(
                "not-our-file",
                f"there is a {name} that this tracker did not write",
                where=str(folder / name),
                hint="`tracking: [{files: {folder: NAME}}]` names another folder",
            )


def _plot_csv(result: RunResult) -> tuple[str, bool]:
    """The text of the CSV file for plots, with a line for each field, and whether it has any. Programs read it, so there is no byte order
    mark, and an undefined accuracy is empty."""
    stream = StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    fields = [(stats, field) for stats in result.evaluators for field in stats.fields]
    for stats, field in fields:
        counts = [getattr(field.counts, name) for name in _COUNTS]
        writer.writerow([
            field_prefix(stats, field), guard_cell(stats.variant or ""), guard_cell(stats.name), guard_cell(field.path),
            "" if field.accuracy is None else field.accuracy, field.counts.n, *counts,
        ])  # fmt: skip
    return stream.getvalue(), bool(fields)


def _yaml_lines(data: Mapping[str, Any], margin: str) -> Iterator[str]:
    """The lines of YAML for maps inside each other, each line behind a `margin`."""
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            yield f"{margin}{key_text(key)}:"
            yield from _yaml_lines(value, f"{margin}  ")
        else:
            yield f"{margin}{key_text(key)}: {flow_text(value)}"
