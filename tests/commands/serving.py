"""The server behind `tests.commands`: it imports the program once, and forks for every command. It ends when its input does."""

from __future__ import annotations

import atexit
import io
import json
import os
import pkgutil
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from select import select

ROOMS = ("api", "cli", "guide", "reports", "runs", "scoring", "suites")

TRACKERS = "evaluators.reports.tracking.plugs."
"""They need packages of their own, which may not be there."""


def serve(place: str) -> None:
    """Answers until its input ends."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    for room in ROOMS:
        package = import_module(f"evaluators.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith(TRACKERS):
                import_module(found.name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who answer
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen(64)
        print("ready", flush=True)
        while True:
            ready, _, _ = select([listening, 0], [], [])
            if 0 in ready:
                return
            asked, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _answer(asked)
            asked.close()


def _answer(asked: socket.socket) -> None:
    """Runs one command in a process of its own, says how it ended, and ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(asked, 10, 3)
    text = b""
    while len(text) < int(size):
        text += asked.recv(1 << 16)
    words, folder, environment = json.loads(text.decode("utf-8", "surrogateescape"))
    child = os.fork()
    if child == 0:
        asked.close()
        _become(words, folder, environment, streams)
    threading.Thread(target=_end_with, args=(asked, child), daemon=True).start()
    _, status = os.waitpid(child, 0)
    with suppress(OSError):  # who asked was ended
        asked.sendall(b"%d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _end_with(asked: socket.socket, child: int) -> None:
    """Ends a command whose asker was ended: for the shell both are one process."""
    if not asked.recv(1):
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(child, signal.SIGKILL)


def _become(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    """The command, as if it had been started just now."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), "utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.argv = ["evaluators", *words]
    sys.path[0] = ""  # as with `python -m`
    from evaluators.__main__ import main

    code = 1
    try:
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        threading._shutdown()  # type: ignore[attr-defined]  # what the end of a program waits for
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 255)


if __name__ == "__main__":
    sys.path.insert(0, os.environ["PYTHONPATH"])
    serve(sys.argv[1])
