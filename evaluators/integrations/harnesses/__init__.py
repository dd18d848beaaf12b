"""A suite as a scorer inside another harness: one module for each host, which gives what the host calls a scorer.

A module here imports its host, so it is imported by whoever uses that host. What all of them share begins with an underscore:
the scores of a row (`_row_scores`), how what a host gives becomes a row (`_host_rows`), and a suite that scores row after row
(`_scorer`).

Several scorers of one host share a `SuiteScorer`: rows are scored once, and its `result` has the metrics of a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluators.integrations.harnesses._row_scores import RowError
    from evaluators.integrations.harnesses._scorer import SuiteScorer

__all__ = ["RowError", "SuiteScorer"]


def __getattr__(name: str) -> Any:
    """The two names that callers use; imported when asked for, so that the plugin of pytest costs nothing."""
    if name == "SuiteScorer":
        from evaluators.integrations.harnesses._scorer import SuiteScorer

        return SuiteScorer
    if name == "RowError":
        from evaluators.integrations.harnesses._row_scores import RowError

        return RowError
    raise AttributeError(name)
