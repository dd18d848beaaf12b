"""Verdicts made once and handed out for every row: what simple checks answer with."""

from __future__ import annotations

from evaluators.builtin._evaluator import Evaluator, settle
from evaluators.model import Score, Verdict


def yes_and_no(evaluator: Evaluator) -> tuple[Verdict, Verdict]:
    """The verdict of a claim that holds, and of one that does not."""
    return settle(evaluator, Score.of(True)), settle(evaluator, Score.of(False))


def shares(evaluator: Evaluator, whole: int) -> tuple[Verdict, ...]:
    """The verdict of each share of `whole`, by its number of parts: none first, all last."""
    return tuple(settle(evaluator, Score.share(part, whole)) for part in range(whole + 1))
