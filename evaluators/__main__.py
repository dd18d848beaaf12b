"""The command `evaluators`, which is also `python -m evaluators`."""

from __future__ import annotations

import sys
from io import TextIOWrapper

from evaluators.cli import PROGRAM, command


def main() -> None:
    """Run the command line. Ends the process with the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    command.main(prog_name=PROGRAM)


if __name__ == "__main__":
    main()
