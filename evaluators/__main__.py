"""The command `evaluators`, which is also `python -m evaluators`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from io import TextIOWrapper
from types import ModuleType


def main() -> None:
    """Run the command line. Ends the process with the exit code."""
    # from here on SIGTERM does what Ctrl-C does; a run takes both of them over
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _run()
    except KeyboardInterrupt:  # no command was there yet to say so
        print("Interrupted.", file=sys.stderr or sys.stdout)
        sys.exit(130)
    finally:
        gc.freeze()  # what is there goes with the process, and need not be looked through for that


def _run() -> None:
    """Set up the process (garbage collection, pydantic, standard streams), and run the command that its arguments name. It ends
    the process with its exit code."""
    # what is imported stays, so looking for garbage in it is lost time
    gc.set_threshold(200_000, 20, 20)
    # pydantic would look through every installed package for plugins of its own, which takes longer than a short run
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _skip_pydantic_plugins()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    from evaluators.cli import PROGRAM, command

    command.main(prog_name=PROGRAM)


def _skip_pydantic_plugins() -> None:
    """Keep pydantic from importing the thirty modules that look for its plugins, where plugins are switched off: an empty module
    takes the place of its plugin loader."""
    if os.environ["PYDANTIC_DISABLE_PLUGINS"] in ("__all__", "1", "true"):
        finder = ModuleType("pydantic.plugin._loader")
        finder.__dict__["get_plugins"] = tuple
        sys.modules.setdefault(finder.__name__, finder)


def _open_closed_streams() -> None:
    """Give each standard stream that is closed a descriptor that leads nowhere, so that no file that is opened later takes its
    number (0, 1 or 2)."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


if __name__ == "__main__":
    main()
