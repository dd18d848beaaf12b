"""What a run would ask, counted before anything is asked.

The rows are walked as in a run, and nobody gets a question. Every question is taken for answered with a match, so that evaluators that
wait for others are counted, too: it is the most that a run asks.
"""

from __future__ import annotations

from evaluators.runs.asking_run import asks_anybody
from evaluators.runs.driver import jobs_of
from evaluators.runs.job import run_split
from evaluators.runs.preparing import Prepared
from evaluators.scoring.judges.asking import QuestionCounter, asking_with
from evaluators.scoring.judges.judge import Estimate, amount_text


def dry_run_lines(prepared: Prepared, repeat_judge: int) -> tuple[list[str], int]:
    """The questions that a run over the test set would ask at most: lines for people on what would be sent, and how many different
    questions go to batches and async functions of a program. `repeat_judge` is how often a judge is asked each question. Nothing is
    sent, and nothing is written; a suite that asks nobody has no lines."""
    suite = prepared.suite
    if not asks_anybody(suite):
        return [], 0
    counted = QuestionCounter()
    with asking_with(counted=counted):  # every question of the block goes to the counter, and to no judge
        for job in jobs_of(prepared, repeat_judge=repeat_judge):
            for split in job.table.splits():
                run_split(job, split, lines=suite.lines)
    lines: list[str] = []
    for judge, different, sent in counted.judges.values():
        if notice := judge.notice():
            cost = _cost_text(sent) if judge.price_file() is not None else ""
            lines += [*map(judge.masked, notice), _sent_text(different, sent) + cost]
    return lines, counted.functions


def _cost_text(sent: Estimate) -> str:
    """A sentence on the estimated cost, in the currency of the prices, and one on requests whose cost is not known; each begins with a
    blank."""
    known = f" It costs about {amount_text(sent.cost)}." if sent.requests > sent.unpriced else ""
    lacks = "1 request" if sent.unpriced == 1 else f"{sent.unpriced:,} requests"
    return known + (f" What {lacks} would cost is not known." if sent.unpriced else "")


def _sent_text(different: int, sent: Estimate) -> str:
    """The sentence on how many questions would be sent at most, in how many requests and tokens. `different` is how many different
    questions there are, those with a stored answer among them."""
    known = different - sent.questions
    questions = "1 question" if sent.questions == 1 else f"{sent.questions:,} questions"
    requests = "1 request" if sent.requests == 1 else f"{sent.requests:,} requests"
    before = f"; {known:,} more are answered from before" if known else ""
    return (
        f"At most {questions} in {requests}, about {sent.tokens_in:,} tokens to the model and "
        f"{sent.tokens_out:,} back{before}."
    )
