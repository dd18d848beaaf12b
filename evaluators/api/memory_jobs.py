"""Rows that a program gives, and the job of scoring them."""

from __future__ import annotations

from collections.abc import Mapping

from evaluators.run.job import Job
from evaluators.run.loaded import LoadedSuite
from evaluators.run.watch import watches
from evaluators.testsets.reader import Table


def job_of_suite(suite: LoadedSuite, table: Table, roles: Mapping[str, str]) -> Job:
    """The job of scoring rows that a program holds with a whole suite. Nothing of single rows is kept."""
    return Job(
        suite=suite.shipped(),
        table=table,
        roles=roles,
        reading=suite.reading,
        folder=None,
        slices=suite.config.slices,
        cluster=suite.cluster,
        measures=suite.measures,
        watches=watches(suite.gates, suite.lines),
        reasoning_length=suite.results.reasoning_length,
    )
