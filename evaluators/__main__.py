"""The command `evaluators`, which is also `python -m evaluators`."""

from __future__ import annotations

import gc
import os
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line. Ends the process with the exit code."""
    # what is imported stays, so looking for garbage in it is lost time
    gc.set_threshold(200_000, 20, 20)
    # pydantic would look through every installed package for plugins of its own, which takes longer than a short run
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    from evaluators.cli import PROGRAM, command

    command.main(prog_name=PROGRAM)


if __name__ == "__main__":
    main()
