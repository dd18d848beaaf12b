"""Ctrl-C while pyarrow parses a block: whoever takes the signal gets it, and the block is left to the other parser."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

import pytest

from evaluators.testsets import arrow_blocks

ROWS = 200_000


def test_a_signal_that_ends_the_parsing_of_a_block_is_no_error() -> None:
    pytest.importorskip("pyarrow")
    parse = arrow_blocks.parser(["a", "b"], ["a"], ",")
    block = b"x,y\n" * ROWS
    seen: list[int] = []

    def take(number: int, _: FrameType | None) -> None:
        seen.append(number)

    before = signal.signal(signal.SIGINT, take)
    parsing = threading.Event()
    done = threading.Event()

    def interrupt() -> None:
        parsing.wait()
        while not done.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        parsing.set()
        answers: list[dict[str, list[str]] | None] = []
        while None not in answers and len(answers) < 200:
            answers.append(parse(block))
    finally:
        done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert seen
    assert None in answers  # pyarrow was cut short
    assert all(answer is None or len(answer["a"]) == ROWS for answer in answers)
