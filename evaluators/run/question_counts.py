"""What a run would ask, counted before anything is asked: the rows are walked as in a run, and nobody gets a question.

Every question is taken for answered with a match, so that evaluators that wait for others are counted, too: it is the most
that a run asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from evaluators.judges.asking import Counted, asking_with
from evaluators.judges.judge import Estimate
from evaluators.run.job import Job, run_split
from evaluators.run.preparing import Prepared

if TYPE_CHECKING:
    from evaluators.api.suite import Suite


class CountedQuestions(Struct, frozen=True):
    """What one judge would be asked."""

    notice: tuple[str, ...]
    """Where its questions go, and how; nothing where nothing is sent."""
    different: int
    """Questions that are not equal."""
    sent: Estimate
    """What of them would be sent: not those that are answered from before."""


class RunQuestions(Struct, frozen=True):
    """What a run would ask."""

    judges: tuple[CountedQuestions, ...] = ()
    functions: int = 0
    """Different questions for batches and async functions of a program."""


def asks(suite: Suite) -> bool:
    """Whether rows may ask somebody at all."""
    return any(line.settings.asking() is not None for line in suite.lines)


def questions_of(prepared: Prepared, repeat_judge: int = 1) -> RunQuestions:
    """What a run over the test set would ask at most, each question so often. Nothing is sent, and nothing is written."""
    suite = prepared.suite
    if not asks(suite):
        return RunQuestions()
    counted = Counted()
    with asking_with(counted=counted):
        for _, table in prepared.variants():
            job = Job(suite.shipped(), table, prepared.roles, suite.reading, None, "jsonl", repeat_judge=repeat_judge)
            for split in table.splits():
                run_split(job, split, lines=suite.lines)
    judges = (
        CountedQuestions(tuple(map(judge.masked, judge.notice())), count, sent)
        for judge, count, sent in counted.judges.values()
    )
    return RunQuestions(tuple(judges), counted.functions)


def questions_text(found: RunQuestions) -> Iterator[str]:
    """What a run would ask, in lines for people. Nothing where it would send nothing."""
    for one in found.judges:
        if one.notice:
            yield from one.notice
            yield _sent_text(one)


def _sent_text(one: CountedQuestions) -> str:
    known = one.different - one.sent.questions
    questions = "1 question" if one.sent.questions == 1 else f"{one.sent.questions:,} questions"
    requests = "1 request" if one.sent.requests == 1 else f"{one.sent.requests:,} requests"
    before = f"; {known:,} more are answered from before" if known else ""
    return (
        f"At most {questions} in {requests}, about {one.sent.tokens_in:,} tokens to the model and "
        f"{one.sent.tokens_out:,} back{before}."
    )
