"""What a worker runs that shares no memory with the driver: a split, whose sums come back as one line.

A split may be scored twice, even at the same time: by a worker that was given up, and by the one that took its place. So the file
of each attempt has a name of its own, and that of the attempt whose sums arrived is joined. A worker that does not see the
driver's folder writes on its own disk, and sends its file along with its sums, up to a size.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, TypeAlias

from msgspec.structs import replace

from evaluators.issues import Blame, Issue
from evaluators.run.engines.engine import asked_to_stop
from evaluators.run.job import Job, run_split
from evaluators.run.part_files import PART
from evaluators.run.split_result import SplitResult, opened, sealed
from evaluators.testsets.byte_store import inside, scheme_of, store_of
from evaluators.testsets.reader import Split

MOST_SENT_MIB: Final = 64
"""The file of one split that comes to more than this is not sent back."""
_MARK: Final = f"seen-by-workers{PART}"

Task: TypeAlias = tuple[Split, frozenset[str]]
"""One split to score, and keys of what is recorded that earlier splits have filled."""
Sent: TypeAlias = tuple[bytes, dict[str, bytes]]
"""What a split came to, sealed, and its files by name where the worker does not see the driver's folder."""


def mark(job: Job) -> None:
    """Leaves a file in the folder of parts, by which workers know it."""
    if job.folder is not None and scheme_of(job.folder) is None:
        Path(job.folder, _MARK).write_text(job.suite.run_id, encoding="utf-8")


def clear_mark(job: Job) -> None:
    """Takes the file away."""
    if job.folder is not None and scheme_of(job.folder) is None:
        Path(job.folder, _MARK).unlink(missing_ok=True)


def run_and_send(job: Job, task: Task) -> Sent:
    """Scores a split on a worker. Its files are at their places afterwards, or in what is given back."""
    split, full = task
    if _sees(job):
        return sealed(run_split(job, split, full, asked_to_stop)), {}
    with tempfile.TemporaryDirectory(prefix="evaluators-parts-") as folder:
        result = run_split(replace(job, folder=folder), split, full, asked_to_stop)
        files = sorted(Path(folder).iterdir())
        mib = sum(file.stat().st_size for file in files) / 2**20
        if mib <= MOST_SENT_MIB:
            return sealed(result), {file.name: file.read_bytes() for file in files}
    return sealed(SplitResult(split.index, finished=False, trouble=_too_large(mib))), {}


def received(job: Job, sent: Sent) -> SplitResult:
    """What a split came to; files that came with it are at their places, that of its rows first."""
    blob, files = sent
    for name, data in sorted(files.items()):
        place = inside(job.folder or "", name)
        store_of(place).put(place, data)
    return opened(blob, SplitResult)


def _sees(job: Job) -> bool:
    """Whether this process writes where the driver reads. A folder of the same name on another machine is another folder: a worker
    of a cluster looks for the mark in it."""
    if job.folder is None or not job.suite.run_id or scheme_of(job.folder) is not None:
        return True
    try:
        return Path(job.folder, _MARK).read_text(encoding="utf-8") == job.suite.run_id
    except OSError:
        return False


def _too_large(mib: float) -> Issue:
    message = (
        f"the parts of a split come to {mib:,.0f} MiB, and a worker that does not see the run folder sends at most "
        f"{MOST_SENT_MIB} MiB back"
    )
    hint = "--results names a folder that all workers see under the same path"
    return Issue("parts-too-large", Blame.ENVIRONMENT, message, None, hint)
