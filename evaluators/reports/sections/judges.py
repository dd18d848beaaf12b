"""Who was asked in a run, what it cost, and how often judges agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Item, Paragraph, Section, list_section
from evaluators.reports.parts import Brief
from evaluators.runs.intervals import wilson
from evaluators.runs.metrics import count_text, full_name, mean_interval_text, quantity_text, rows_text, score_text
from evaluators.runs.result import RunResult
from evaluators.scoring.judges.answer_lines import AskedTotals, JudgedBy

MOST_IN_SUMMARY: Final = 3


def panel_section(result: RunResult) -> tuple[Section, ...]:
    """The sections on how often the judges of a panel say the same, and how often one that was asked several times does; each only where
    there is such a judge."""
    repeated = tuple(map(Paragraph, _repeat_text(result)))
    return (
        *list_section("Panels of judges", map(Item, _panels(result))),
        *([Section("Repeated questions", repeated)] if repeated else []),
    )


def judge_section(result: RunResult) -> tuple[Section, ...]:
    """The section that lists the costs of judges and the judges; empty without any."""
    return list_section("Judges", map(Item, (*_costs(result), *_judges(result))))


def judge_brief(result: RunResult) -> Brief:
    """What judges cost, how often they agree, and who was asked how much: a line each, without how scores are spread."""
    known = result.environment.asked if result.environment is not None else None
    asked = [asked_text(known)] if known is not None and known.requests and result.judges else []
    judges = [f"judge {_asked_text(judge)}" for judge in result.judges]
    lines = [*_costs(result), *_panels(result), *_repeat_text(result), *judges[:1], *asked]
    return Brief(tuple(lines[:MOST_IN_SUMMARY]), "judges" if result.judges else "")


def _costs(result: RunResult) -> Iterator[str]:
    """A line for each measure of what judges cost; none where they have no prices. An unknown cost is not 0, and is said."""
    for measure in result.whole_measures:
        if measure.of_judges:
            unknown = f"of {rows_text(measure.missing)} the {measure.column} is not known" if measure.missing else ""
            cost = (
                f"{full_name(measure)}: {quantity_text(measure.sum, 7)}, {measure.column}, for {rows_text(measure.n)}"
                if measure.n
                else ""
            )
            yield "; ".join(filter(None, (cost, unknown, "what was known from before costs nothing")))


def _panels(result: RunResult) -> Iterator[str]:
    """A line for each evaluator with a panel: how often its judges say the same of a row."""
    for stats in result.evaluators:
        if (agreement := stats.metric("agreement")) is not None:
            yield (
                f"{full_name(stats)}: of the pairs of its judges, {score_text(agreement.mean)} say the same of a row "
                f"({rows_text(agreement.n)})"
            )


def _repeat_text(result: RunResult) -> Iterator[str]:
    """A sentence on how often a judge that was asked several times said the same; none where each question was put once."""
    totals = result.environment.asked if result.environment is not None else None
    if totals is not None and totals.repeated:
        share, interval = (
            score_text(totals.agreed / totals.repeated),
            mean_interval_text(wilson(totals.agreed, totals.repeated)),
        )
        yield (
            f"Of {count_text(totals.repeated, 'question')} that were put several times, {totals.agreed:,} got the same verdict each "
            f"time ({share}, 95 % CI {interval})."
        )


def _judges(result: RunResult) -> Iterator[str]:
    """A line for each judge, one on all that was asked, and one for each evaluator that has rows without an answer."""
    yield from map(_judge_text, result.judges)
    if result.judges and result.environment is not None and result.environment.asked is not None:
        yield asked_text(result.environment.asked)
    if any(judge.unanswered for judge in result.judges):
        for stats in result.evaluators:
            if stats.unjudged:
                rows = f"{stats.unjudged:,} of {rows_text(stats.rows)}"
                yield f"{full_name(stats)}: {rows} without a score, since an answer is missing"


def _judge_text(judge: JudgedBy) -> str:
    """A judge in words: who was asked how much, and how its scores are spread from 0 to 1."""
    step = 1 / len(judge.scores)
    spread = ", ".join(
        f"{count:,} from {place * step:.1f} to {(place + 1) * step:.1f}"
        for place, count in enumerate(judge.scores)
        if count
    )
    scores = f"; scores: {spread or 'none'}" if spread or judge.unanswered == judge.questions else ""
    return f"{_asked_text(judge)}{scores}"


def _asked_text(judge: JudgedBy) -> str:
    """A judge, its model and prompt, how many questions it was asked, and how many of them have no answer."""
    model = f", model {judge.model}" if judge.model else ""
    without = f", {judge.unanswered:,} without an answer" if judge.unanswered else ""
    return f"{judge.judge}{model}, prompt {judge.prompt}: {count_text(judge.questions, 'question')}{without}"


def asked_text(totals: AskedTotals) -> str:
    """How many requests, questions and tokens a run took, in a sentence."""
    return (
        f"{count_text(totals.requests, 'request')}; {count_text(totals.questions, 'question')}, of which {totals.cached:,} were known from "
        f"before and {totals.failed:,} have no answer; {totals.tokens_in + totals.tokens_out:,} tokens."
    )
