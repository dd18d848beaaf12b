"""The run as JSON, the same text as the run folder's `run.json`: `-o FILE.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.run.result import RunResult
from evaluators.run.run_json import run_json

if TYPE_CHECKING:
    from evaluators.compare.comparison import RunComparison


class JsonFile(Format):
    """The run's figures for programs."""

    words = ("json",)
    suffixes = (".json",)

    def render(self, result: RunResult, options: Options) -> str:
        """Stable JSON with sorted keys; times and host are not in it."""
        return run_json(result)

    def compared(self, comparison: RunComparison) -> str:
        """Every difference, changed row and regression check, with sorted keys."""
        from evaluators.compare.comparison import comparison_json  # a run has no use for it, and starts sooner

        return comparison_json(comparison)
