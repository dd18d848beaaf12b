"""The command line in small pieces, ended where a test says: `python -m tests.runs.ended_run SPLIT_BYTES WHO COUNT words…`.

WHO is what is counted: `files`, `calls` and stored `splits` of the run, `workers` for the splits that each worker begins, `one-worker` for
the same where only one worker is ended. The process is killed, by itself and at once, in the middle of its COUNT-th one, or right
after that many splits. File operations are those in a run folder: opening, making, renaming, removing. Calls are those of functions,
from the first of these operations on. With 0 nothing is ended, and the number is said on standard error. The cut of files is made
small, so that a short test set has many splits.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from types import FrameType
from typing import Any

FILE_EVENTS = (
    "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.scandir", "os.listdir", "os.chmod", "shutil.rmtree",
)  # fmt: skip

_ENDING = "ENDED_RUN"


class Ending:
    """Counts, and ends the process."""

    def __init__(self, who: str, last: int, parent: int) -> None:
        self.who = who
        self.last = last
        self.count = 0
        self.parent = parent

    def hook(self, event: str, given: tuple[object, ...]) -> None:
        """An audit hook: told of every file operation."""
        here = os.getpid() == self.parent
        if self.who.endswith(("worker", "workers")):
            if event == "open" and not here and str(given[0]).endswith("rows.jsonl"):
                self.happened()
        elif here and event in FILE_EVENTS and any("runs/" in str(one) for one in given):
            if self.who == "files":
                self.happened()
            elif sys.getprofile() is None:
                sys.setprofile(self.called if self.who == "calls" else self.returned)

    def called(self, *_: Any) -> None:
        """A profile function: told of every call."""
        self.happened()

    def returned(self, frame: FrameType, event: str, _: Any) -> None:
        """A profile function: told of every return, among them that of the function which stores a split."""
        if event == "return" and frame.f_code.co_name == "add" and frame.f_code.co_filename.endswith("row_writer.py"):
            self.happened()

    def happened(self) -> None:
        """One more."""
        self.count += 1
        if self.count == self.last and (self.who != "one-worker" or first_to_come("a worker was ended")):
            os.kill(os.getpid(), signal.SIGKILL)


def first_to_come(name: str) -> bool:
    """Whether no process before has made the file of that name."""
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def main() -> None:
    """Runs the command."""
    from evaluators.__main__ import main as command
    from evaluators.testsets import delimited
    from evaluators.testsets.readers import jsonl, parquet

    size, ending = int(sys.argv[1]), Ending(sys.argv[2], int(sys.argv[3]), os.getpid())
    os.environ[_ENDING] = json.dumps([ending.who, ending.last, ending.parent])
    modules: tuple[Any, ...] = (delimited, jsonl, parquet)
    for module in modules:
        module.SPLIT_BYTES = size
    sys.argv = ["evaluators", *sys.argv[4:]]
    sys.addaudithook(ending.hook)
    try:
        command()
    finally:
        sys.setprofile(None)
        if not ending.last:
            print(f"counted {ending.count}", file=sys.stderr)


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__":  # a worker that was not forked
    sys.addaudithook(Ending(*json.loads(os.environ[_ENDING])).hook)
