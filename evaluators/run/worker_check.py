"""Before the first row, each worker of a cluster says whether it can do what the run needs."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from evaluators.issues import Blame, Issue, Problems
from evaluators.run.engines.engine import RemoteCrew
from evaluators.run.job import Job, ShippedSuite
from evaluators.testsets.byte_source import ByteSource

if TYPE_CHECKING:
    from evaluators.api.suite import Suite

_VARIABLE: Final = re.compile(r"\$\{(\w+)")


Lacking: TypeAlias = tuple[list[str], bool, tuple[Issue, ...]]
"""What a worker lacks: the files of the test set that it does not see as the driver does; whether it does not see the file that workers
share while they ask a judge; what keeps it from reading the suite."""


def sent_suite(suite: Suite) -> ShippedSuite:
    """The suite for workers on other machines, with the variables that it takes from the environment, and no others."""
    shipped = replace(suite.shipped(), run_id=uuid.uuid4().hex)
    if suite.environment is not None:
        return shipped
    texts = [str(suite.given)] if suite.given is not None else [one.text for one in suite.config.source.documents]
    names = {name for text in texts for name in _VARIABLE.findall(text)}
    return replace(shipped, environment={name: value for name, value in os.environ.items() if name in names})


def check_workers(crew: RemoteCrew, jobs: Sequence[Job]) -> None:
    """Asks all workers. Raises Problems (environment) with what each of them lacks."""
    job = jobs[0]
    sources = tuple(dict.fromkeys(source for one in jobs for source in one.table.files))
    sizes = tuple((source, source.size) for source in sources)
    ask: Callable[[], Lacking] = partial(_lacking, job, sizes)
    issues: list[Issue] = []
    for worker, (unseen, asks_alone, found) in crew.ask_each(ask):
        message = f"the worker on {worker} does not see this file, or sees another one"
        hint = "put it where all workers see it under the same path, and run the command there"
        issues += [Issue("unseen-file", Blame.ENVIRONMENT, message, name, hint) for name in unseen]
        issues += [_unreadable(worker, issue) for issue in found]
        if asks_alone:
            message = f"the worker on {worker} is another machine, and a suite that asks a judge is scored on one machine"
            hint = "--engine processes scores it here"
            issues.append(Issue("worker-asks-alone", Blame.ENVIRONMENT, message, None, hint))
    if issues:
        raise Problems(issues)


def _lacking(job: Job, sizes: Sequence[tuple[ByteSource, int]]) -> Lacking:
    """What this process says, which is a worker."""
    unseen = [source.name for source, size in sizes if not _sees(source, size)]
    asks_alone = job.asking is not None and not os.path.exists(job.asking)
    try:
        job.suite.lines()
    except Problems as error:
        return unseen, asks_alone, error.issues
    return unseen, asks_alone, ()


def _sees(source: ByteSource, size: int) -> bool:
    try:
        return source.size == size
    except (OSError, Problems):
        return False


def _unreadable(worker: str, issue: Issue) -> Issue:
    message = f"the worker on {worker} cannot read the suite: {issue.message}"
    hint = (
        f"{issue.hint + '; ' if issue.hint else ''}what a worker needs to have is said in docs/integrations/clusters.md"
    )
    return replace(issue, code="worker-unfit", blame=Blame.ENVIRONMENT, message=message, hint=hint)
