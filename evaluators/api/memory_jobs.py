"""Rows that a program gives, and the job of scoring them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evaluators.plan.suite_plan import Reading
from evaluators.run.job import Job, ShippedSuite
from evaluators.run.loaded import LoadedSuite
from evaluators.run.recorder import Recording
from evaluators.run.watch import watches
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.reader import Table
from evaluators.testsets.test_set import TestSet

ROLES: Final[Mapping[str, str]] = {"id": "id", "output": "output", "expected": "expected"}
"""What the columns of given rows are called, by role."""
ROWS: Final = "the given rows"
"""What given rows are called in messages, where a file would have its name."""


def job_of(line: EvaluatorLine, table: TestSet, folder: str | None = None) -> Job:
    """The job of scoring given rows here and now; with a folder, all that is known of them is written there."""
    recording = Recording(None, "all", tuple(ROLES))
    return Job(ShippedSuite(None, {}, line.name, None), table, ROLES, Reading(), folder, recording=recording)


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
