"""The command line in small pieces, ended where a test says: `python -m tests.run.ended_run SPLIT_BYTES WHO COUNT words…`.

WHO is what is counted: `files` and `calls` of the run, `workers` for file operations of each worker, `one-worker` for the same where only
one worker is ended. With the number of a split, such as `000005`, each worker is ended that opens its file. The process is killed, by
itself and at once, in the middle of its COUNT-th one. File operations are those in a working folder: opening, making, renaming, removing.
Calls are those of functions, from the first of these operations on. With 0 nothing is ended, and the number is said on standard
error. The cut of files is made small, so that a short test set has many splits.
"""

from __future__ import annotations

import json
import os
import signal
import sys
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
        if event not in FILE_EVENTS or not any(".partial" in str(one) for one in given):
            return
        if self.who == "calls":
            if sys.getprofile() is None:
                sys.setprofile(self.called)
        elif self.who.isdigit():
            if os.getpid() != self.parent and self.who in str(given[0]):
                os.kill(os.getpid(), signal.SIGKILL)
        elif (os.getpid() == self.parent) == (self.who == "files"):
            self.happened()

    def called(self, *_: Any) -> None:
        """A profile function: told of every call."""
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
