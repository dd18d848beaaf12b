"""The folder of parts after a run: the product takes it away with the working folder that it is in."""

from __future__ import annotations

from contextlib import suppress

from evaluators.run.job import Job
from evaluators.testsets.byte_store import inside, store_of


def clear_parts(job: Job) -> None:
    """Takes the folder of parts away, with what splits have left in it. Joined files that somebody put there stay."""
    assert job.folder is not None
    store = store_of(job.folder)
    for name in list(store.below(job.folder)):
        if name.endswith(".part"):
            store.remove(inside(job.folder, name))
    with suppress(OSError):
        store.remove(job.folder)
