"""The run as JSON, the same text as the run folder's `run.json`: `-o FILE.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.runs.reader import Run
from evaluators.runs.run_json import run_json

if TYPE_CHECKING:
    from evaluators.runs.compare.comparison import RunComparison


class JsonFile(Format):
    """The run's metrics for programs."""

    suffixes = (".json",)

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the metrics as stable JSON with sorted keys; times and host are not in it."""
        stream.write(run_json(run.result))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """Writes every difference, changed row and regression check as JSON with sorted keys."""
        from evaluators.runs.compare.comparison import comparison_json  # a run has no use for it, and starts sooner

        stream.write(comparison_json(comparison))
