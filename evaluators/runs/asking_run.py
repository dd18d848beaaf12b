"""The asking of one run: what it would ask, the file that its workers share, and somebody who tells how far it is.

What a run would ask is counted before anything is asked: the rows are walked as in a run, and nobody gets a question. Every question is
taken for answered with a match, so that evaluators that wait for others are counted, too: it is the most that a run asks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evaluators.runs.job import Job, run_split
from evaluators.runs.observer import Observer
from evaluators.runs.preparing import Prepared
from evaluators.scoring.judges.asking import Counted, asking_with
from evaluators.scoring.judges.judge import Estimate
from evaluators.scoring.judges.prices import amount_text
from evaluators.scoring.judges.session import AskingProgress, Session

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

_EVERY_SECONDS = 0.2


@contextmanager
def asking(prepared: Prepared, observer: Observer) -> Iterator[Session | None]:
    """What the workers of a run share in a file, for as long as it goes; None where nobody is asked."""
    if not asks(prepared.suite):
        yield None
        return
    import tempfile  # imported when used: most runs ask nobody

    observer.before_asking(prepared)
    with tempfile.TemporaryDirectory(prefix="evaluators-asking-", ignore_cleanup_errors=True) as folder:
        session = Session(Path(folder) / "session.sqlite")
        try:
            with _telling(session, observer.asked):
                yield session
        finally:
            session.close()


@contextmanager
def _telling(session: Session, tell: Callable[[AskingProgress], None] | None) -> Iterator[None]:
    """Somebody is told now and then how far it is."""
    if tell is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_EVERY_SECONDS):
            tell(session.so_far())

    thread = threading.Thread(target=watch, name="evaluators-asking", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def asks(suite: LoadedSuite) -> bool:
    """Whether rows may ask somebody at all."""
    return any(line.settings.asking() is not None for line in suite.lines)


def questions_of(prepared: Prepared, repeat_judge: int) -> tuple[list[str], int]:
    """What a run over the test set would ask at most, each question so often: what would be sent, in lines for people, and how many
    different questions go to batches and async functions of a program. Nothing is sent, and nothing is written."""
    suite = prepared.suite
    if not asks(suite):
        return [], 0
    counted = Counted()
    with asking_with(counted=counted):
        for _, table in prepared.variants():
            job = Job(suite.shipped(), table, prepared.roles, suite.reading, repeat_judge=repeat_judge)
            for split in table.splits():
                run_split(job, split, lines=suite.lines)
    lines: list[str] = []
    for judge, different, sent in counted.judges.values():
        if notice := judge.notice():
            cost = _cost_text(sent) if judge.price_file() is not None else ""
            lines += [*map(judge.masked, notice), _sent_text(different, sent) + cost]
    return lines, counted.functions


def _cost_text(sent: Estimate) -> str:
    """What it would cost about, in the currency of the prices."""
    known = f" It costs about {amount_text(sent.cost)}." if sent.requests > sent.unpriced else ""
    lacks = "1 request" if sent.unpriced == 1 else f"{sent.unpriced:,} requests"
    return known + (f" What {lacks} would cost is not known." if sent.unpriced else "")


def _sent_text(different: int, sent: Estimate) -> str:
    """What would be sent of so many questions: not those that are answered from before."""
    known = different - sent.questions
    questions = "1 question" if sent.questions == 1 else f"{sent.questions:,} questions"
    requests = "1 request" if sent.requests == 1 else f"{sent.requests:,} requests"
    before = f"; {known:,} more are answered from before" if known else ""
    return (
        f"At most {questions} in {requests}, about {sent.tokens_in:,} tokens to the model and "
        f"{sent.tokens_out:,} back{before}."
    )
