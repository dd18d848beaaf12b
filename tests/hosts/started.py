"""Programs that tests start and that say when they are ready, each stopped by its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.docs.blocks import blocks


@contextmanager
def started(
    command: Sequence[str], ready: str, folder: Path, seconds: float = 120, **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """A program that is ready once it has printed a line with `ready`, for as long as the context lasts.

    Raises RuntimeError with what it printed when it ends by itself, or is not ready in time.
    """
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        lines: list[str] = []
        up = threading.Event()

        def read() -> None:
            for line in process.stdout or ():
                lines.append(line)
                if ready in line:
                    up.set()
            up.set()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            if not up.wait(seconds) or not any(ready in line for line in lines):
                raise RuntimeError(f"{command[0]} did not start:\n{''.join(lines)}")
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def programs_of(page: Path, ready: Sequence[str], folder: Path, **variables: str) -> Iterator[None]:
    """The programs that a page says to start in terminals of their own: its `sh` blocks, each with a line that says that it is ready."""
    lines = [block.text.strip() for block in blocks(page) if block.language == "sh"]
    with ExitStack() as stack:
        for line, word in zip(lines, ready, strict=True):
            stack.enter_context(started(["bash", "-c", f"exec {line}"], word, folder, **variables))
        yield
