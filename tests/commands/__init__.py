"""The command `evaluators` for tests that call it often: a process of its own each time, without the time that a start takes.

A server has imported the program and forks a process for each command. That process has the folder, the environment, the
arguments and the standard streams that a shell would give it, and ends as it would end there. Tests of the start itself (what
is loaded, how signals and closed streams are met) start the program as people do.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Final

Ended = subprocess.CompletedProcess[str]
ROOT: Final = Path(__file__).parents[2]
_ASKING: Final = Path(__file__).with_name("asking.py")
_OF_THE_START: Final = ("PYTHON", "LC_", "LANG")
"""Settings that are read when Python starts: a command that has others than the server is started anew."""


def called(*words: str, cwd: Path, env: Mapping[str, str], stdin: str = "") -> Ended:
    """What `evaluators WORDS` prints and how it ends."""
    if _start_of(env) != _start_of(_environment()):
        command = [sys.executable, "-m", "evaluators", *words]
        return subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, encoding="utf-8")
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode("utf-8"))
        given.seek(0)
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(server())
            asked = json.dumps([[*words], str(cwd), dict(env)]).encode("utf-8", "surrogateescape")
            socket.send_fds(asking, [b"%010d" % len(asked)], [given.fileno(), out.fileno(), err.fileno()])
            asking.sendall(asked)
            code = int(asking.recv(16) or b"-9")
        printed = []
        for stream in (out, err):
            stream.seek(0)
            printed.append(stream.read().decode("utf-8").replace("\r\n", "\n"))
    return subprocess.CompletedProcess(words, code, *printed)


def program(folder: Path) -> Path:
    """A file `evaluators` in the folder, for the path of a shell."""
    file = folder / "evaluators"
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{_ASKING}" "{server()}" "$@"\n', encoding="utf-8")
    file.chmod(0o755)
    return file


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVALUATORS_", "_EVALUATORS"))}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def _start_of(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_OF_THE_START)}


@cache
def server() -> str:
    """Where the server of this process listens; it ends with this process."""
    folder = tempfile.mkdtemp(prefix="ev-")  # a short path: that of a socket has about a hundred characters at most
    place = f"{folder}/s"
    command = [sys.executable, str(Path(__file__).with_name("serving.py")), place]
    running = subprocess.Popen(command, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def stop() -> None:
        running.stdin.close()
        running.wait()
        rmtree(folder, ignore_errors=True)

    assert running.stdin is not None
    assert running.stdout is not None
    atexit.register(stop)
    assert running.stdout.readline() == b"ready\n"
    return place
