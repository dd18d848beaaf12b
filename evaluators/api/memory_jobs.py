"""Rows that a program gives, and the job of scoring them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evaluators.plan.suite_plan import Reading
from evaluators.run.job import Job, ShippedSuite
from evaluators.run.recorder import Recording
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.testsets.test_set import TestSet

ROLES: Final[Mapping[str, str]] = {"id": "id", "output": "output", "expected": "expected"}
"""What the columns of given rows are called, by role."""
ROWS: Final = "the given rows"
"""What given rows are called in messages, where a file would have its name."""


def job_of(line: EvaluatorLine, table: TestSet, folder: str | None = None) -> Job:
    """The job of scoring given rows here and now; with a folder, all that is known of them is written there."""
    recording = Recording(None, "all", tuple(ROLES))
    return Job(ShippedSuite(None, {}, line.name, None), table, ROLES, Reading(), folder, recording=recording)
