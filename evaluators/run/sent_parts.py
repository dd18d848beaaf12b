"""What a worker of a cluster runs: a split, and the parts that it leaves behind.

A split may be scored twice, even at the same time: by a worker that was given up, and by the one that took its place. So the files
of each attempt have names of their own, and those of the attempt whose sums arrived are joined. A worker that does not see the
driver's folder writes on its own disk, and sends its parts along with its sums, up to a size.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.run.engines.engine import asked_to_stop
from evaluators.run.job import Job, run_split
from evaluators.run.part_files import PART, new_attempt
from evaluators.run.split_result import SplitResult
from evaluators.testsets.byte_store import inside, scheme_of, store_of
from evaluators.testsets.reader import Split
from evaluators.value_class import dataclass, field, replace

MOST_SENT_MIB: Final = 64
"""Parts of one split that come to more than this are not sent back."""
_MARK: Final = f"seen-by-workers{PART}"


@dataclass(frozen=True, slots=True)
class SentResult:
    """What a split came to, on its way to the driver."""

    result: SplitResult
    parts: Mapping[str, bytes] = field(default_factory=dict)
    """The parts by name, where the worker does not see the driver's folder."""


def mark(job: Job) -> None:
    """Leaves a file in the folder of parts, by which workers know it."""
    if job.folder is not None and _is_of_one_machine(job.folder):
        Path(job.folder, _MARK).write_text(job.suite.run_id, encoding="utf-8")


def clear_mark(job: Job) -> None:
    """Takes the file away."""
    if job.folder is not None and _is_of_one_machine(job.folder):
        Path(job.folder, _MARK).unlink(missing_ok=True)


def run_and_leave(job: Job, split: Split, full: frozenset[str]) -> SentResult:
    """Scores a split on a worker. Its parts are at their places afterwards, or in what is given back."""
    if job.folder is None or _sees(job.folder, job.suite.run_id):
        return SentResult(run_split(job, split, full, asked_to_stop, attempt=new_attempt()))
    with tempfile.TemporaryDirectory(prefix="evaluators-parts-") as folder:
        result = run_split(replace(job, folder=folder), split, full, asked_to_stop, attempt=new_attempt())
        files = sorted(Path(folder).iterdir())
        mib = sum(file.stat().st_size for file in files) / 2**20
        if mib <= MOST_SENT_MIB:
            return SentResult(result, {file.name: file.read_bytes() for file in files})
    return SentResult(SplitResult(split.index, finished=False, trouble=_too_large(mib)))


def received(job: Job, sent: SentResult) -> SplitResult:
    """The sums of a split; parts that came with them are at their places."""
    for name, part in sorted(sent.parts.items()):
        place = inside(job.folder or "", name)
        store_of(place).put(place, part)
    return sent.result


def _sees(folder: str, run_id: str) -> bool:
    """Whether this process writes where the driver reads. A folder of the same name on another machine is another folder."""
    if not _is_of_one_machine(folder):
        return True
    try:
        return Path(folder, _MARK).read_text(encoding="utf-8") == run_id
    except OSError:
        return False


def _is_of_one_machine(folder: str) -> bool:
    """Whether a place is a path, which may be another folder elsewhere, and not the address of a store."""
    return scheme_of(folder) is None


def _too_large(mib: float) -> Issue:
    message = (
        f"the parts of a split come to {mib:,.0f} MiB, and a worker that does not see the run folder sends at most "
        f"{MOST_SENT_MIB} MiB back"
    )
    hint = "--results names a folder that all workers see under the same path"
    return Issue("parts-too-large", Blame.ENVIRONMENT, message, None, hint)
