"""How commands are measured: one after the other, in turns, on one core, as whole processes.

What else the machine does can only make a command slower, so the least of several turns is the best estimate. Turns
alternate, so that a slow minute is slow for everyone. Commands on one core are judged by processor seconds, which do not
count the time in which another program had the core; seconds on the clock are given beside them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

Command = Sequence[str]

ROOT: Final = Path(__file__).parents[3]
CORE: Final = max(os.sched_getaffinity(0))
"""The last core: the first often has more to do."""

UNBROKEN: Final = (0, 1, 3)
"""A gate that fails and a row that cannot be measured are no reason to stop."""


@dataclass(frozen=True, slots=True)
class Took:
    """What a process took."""

    seconds: float
    processor: float
    """Seconds of processor time, its children's included."""
    memory: float
    """The most memory it held, in MB."""

    def least(self, other: Took) -> Took:
        """The smaller of each figure; the larger of memory, which is a peak."""
        return Took(
            min(self.seconds, other.seconds), min(self.processor, other.processor), max(self.memory, other.memory)
        )


def run(command: Command) -> Took:
    """Runs a command once. Raises RuntimeError when it fails with more than a failed gate or an unmeasured row."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=ROOT, env=environment())
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in UNBROKEN:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}\n{said.read().decode()}")
    return Took(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def alternate(commands: Mapping[str, Command], repeats: int) -> dict[str, Took]:
    """The least that each command took, in so many turns."""
    best: dict[str, Took] = {}
    for _ in range(repeats):
        for name, command in commands.items():
            took = run(command)
            best[name] = took.least(best[name]) if name in best else took
    return best


@contextmanager
def one_core() -> Iterator[None]:
    """This process and those it starts stay on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CORE})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@cache
def _byte_code() -> str:
    """A folder for byte code, so that nothing that is measured is compiled in more than its first turn."""
    folder = tempfile.mkdtemp(prefix="byte-code-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def environment() -> dict[str, str]:
    """The environment of what is measured: byte code is kept, as in a usual installation, whatever the shell says."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": _byte_code(), "PYTHONHASHSEED": "0"}
