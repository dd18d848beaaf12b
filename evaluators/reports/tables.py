"""The tables of gates, evaluators and slices: every metric beside its counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evaluators.reports.document import Item, Listing, PageTable, Paragraph, Section, Tone, dense, heads
from evaluators.run.metrics import (
    USUAL,
    counted,
    coverage_of,
    full_name,
    interval_text,
    mean_interval_text,
    more_text,
    percent_text,
    rows_text,
    score_text,
)
from evaluators.run.result import EvaluatorStats, GateResult, RunResult

MOST_SLICES: Final = 20
"""Slices that a summary lists; all of them are in run.json."""

GATES: Final[dict[str, tuple[str, Tone]]] = {
    "failed": ("FAILED", "bad"), "undecided": ("UNDECIDED", "warning"), "warned": ("WARNING", "warning"),
    "passed": ("passed", "good"),
}  # fmt: skip
"""The verdicts of gates in the order of pages, each with its word and its tone."""


def ordered_gates(gates: Iterable[GateResult]) -> list[GateResult]:
    """The gates in the order of pages: failed ones first."""
    return sorted(gates, key=lambda gate: list(GATES).index(gate.verdict))


def gate_section(result: RunResult) -> tuple[Section, ...]:
    """The gates, failed ones first; nothing without gates."""
    if not result.gates:
        return ()
    ordered = ordered_gates(result.gates)
    table = PageTable(
        heads("gate", "variant", "slice", "verdict", "found", "limit", "#n"),
        tuple(
            (
                gate.target, gate.variant or "", slice_text(gate.slice), GATES[gate.verdict][0], gate.message,
                gate.limit, f"{gate.n:,}",
            )
            for gate in ordered
        ),
        tuple(GATES[gate.verdict][1] for gate in ordered),
    )  # fmt: skip
    return (Section("Gates", (dense(table, ("gate", "verdict", "found", "limit", "n")),)),)


_ALWAYS: Final = (
    "evaluator", "mean score", "pass rate", "95 % CI", "scored", "passed", "failed", "skipped", "invalid",
)  # fmt: skip


def evaluator_section(result: RunResult) -> tuple[Section, ...]:
    """Each evaluator with its mean, pass rate, interval and counts, and what the words mean."""
    if not result.evaluators:
        return ()
    table = dense(PageTable(_EVALUATOR_COLUMNS, tuple(_evaluator_row(stats) for stats in result.evaluators)), _ALWAYS)
    remarks = (
        *(item for stats in result.evaluators for item in _partial(stats)),
        *(item for stats in result.evaluators for item in _of_which(stats)),
    )
    legend = tuple(Item(f"{word}: {meaning}") for word, meaning in LEGEND if _has(table, word))
    if any(stats.pass_rate_ci for stats in result.evaluators):
        of_mean = (Item(mean_interval_words(result)),) if _has(table, "its 95 % CI") else ()
        legend = (*of_mean, Item(_INTERVAL + _together(result)), *legend)
    return (
        Section("Evaluators", (table, *((Listing((*remarks, *legend)),) if remarks or legend else ())), id="evaluators"),
    )


_EVALUATOR_COLUMNS: Final = heads(
    "evaluator", "variant", "#mean score", "#its 95 % CI", "#pass rate", "#95 % CI", "#scored", "#passed", "#failed",
    "#skipped", "#not measured", "#invalid", "#unjudged", "#bugs",
)  # fmt: skip


def _evaluator_row(stats: EvaluatorStats) -> tuple[str, ...]:
    counts = (stats.passed, stats.failed, stats.skipped, stats.not_measured, stats.invalid, stats.unjudged, stats.bugs)
    return (
        stats.name, stats.variant or "", of_part(stats, score_text(stats.mean)), _mean_interval(stats),
        of_part(stats, percent_text(stats.pass_rate)), interval_text(stats.pass_rate_ci), f"{stats.scored:,} of {stats.rows:,}",
        *(f"{count:,}" for count in counts),
    )  # fmt: skip


def of_part(stats: EvaluatorStats, metric: str) -> str:
    """A metric over rows, marked where the data or the environment kept so many out that it is not that of the whole."""
    return f"{metric} ({rows_text(stats.scored)})" if stats.scored and coverage_of(stats).short_of(USUAL) else metric


def _partial(stats: EvaluatorStats) -> Iterable[Item]:
    found = coverage_of(stats)
    if found.measured and found.short_of(USUAL):
        text = "its metrics are those of these rows, and not of the whole test set"
        yield Item(f"{full_name(stats)}: {found.sentence}; {text}", tone="warning")


def _mean_interval(stats: EvaluatorStats) -> str:
    """The interval of the mean, where it is not that of the pass rate."""
    found = stats.mean_ci
    return "" if found is None or found == stats.pass_rate_ci else mean_interval_text(found)


_INTERVAL: Final = "95 % CI: where the pass rate would likely be with many more rows like these"
LEGEND: Final = (
    ("failed", "the row's score is below what the evaluator asks for (its pass_at); it counts in the mean"),
    ("skipped", "a condition of the suite leaves the row out; no score"),
    ("not measured", "the row has nothing that this evaluator looks at; no score"),
    ("invalid", "the test set is at fault, such as an expected answer that cannot be read; no score"),
    ("unjudged", "something outside kept the row from being judged; no score"),
    ("bugs", "a fault in the program; no score"),
)


def mean_interval_words(result: RunResult) -> str:
    """The legend of the interval of a mean score."""
    return f"its 95 % CI: where the mean score would likely be with many more rows like these{_together(result)}"


def _together(result: RunResult) -> str:
    return f"; rows of one {result.cluster} count as one" if result.cluster else ""


def _has(table: PageTable, head: str) -> bool:
    heads = [column.head for column in table.columns]
    return head in heads and any(row[heads.index(head)] not in ("", "0") for row in table.rows)


def _of_which(stats: EvaluatorStats) -> Iterable[Item]:
    for count, one, several in (
        (
            stats.unreadable,
            "had an output that could not be read: it scores 0",
            "had an output that could not be read: they score 0",
        ),
        (
            stats.blocked,
            "was blocked by an evaluator that it needs: it scores 0",
            "were blocked by an evaluator that they need: they score 0",
        ),
        (stats.empty_expected, *["had an empty expected answer, which measures nothing"] * 2),
    ):
        if count:
            said = one if count == 1 else several
            yield Item(f"{full_name(stats)}: {count:,} of the {stats.scored:,} scored rows {said}", tone="note")
    yield from (Item(f"{full_name(stats)}: {said}", tone="note") for said in beside_the_rate(stats))
    if stats.extra_items is not None and stats.metric("mean_f1") is None:
        yield Item(f"{full_name(stats)}: {of_extra_items(stats)}", tone="note")


def beside_the_rate(stats: EvaluatorStats) -> Iterable[str]:
    """What stands beside the share of values that are found in a source, where an evaluator has it."""
    for name, said in (
        ("chance_rate", "found by chance"),
        ("not_given_rate", "of fields not given"),
    ):
        if (found := stats.metric(name)) is not None and found.mean is not None:
            yield f"{percent_text(found.mean)} {said} ({rows_text(found.n)})"


def of_extra_items(stats: EvaluatorStats) -> str:
    """How many extra list items there are, and whether they lower the scores, with the setting for that; empty without any."""
    found = stats.extra_items
    if found is None:
        return ""
    by_schema = stats.metric("mean_f1") is not None
    metrics = "the overall score, the field score and the overall pass rate" if by_schema else "the score"
    values = f" ({counted(found.values, 'value')})" if found.values is not None else ""
    text = f"extra list items: {found.items:,}{values} in {rows_text(found.rows)}"
    if found.penalized:
        return f"{text}; they lower {metrics}"
    return f"{text}; they cost nothing in {metrics}, and `extra_items: penalize` counts them"


def slice_section(result: RunResult) -> tuple[Section, ...]:
    """The slices, the lowest of them when there are many; nothing without slices."""
    if not result.slices:
        return ()
    by_mean = sorted(enumerate(result.slices), key=lambda pair: (pair[1].mean is None, pair[1].mean or 0.0))
    shown = [stats for _, stats in sorted(by_mean[:MOST_SLICES], key=lambda pair: pair[0])]
    table = PageTable(
        heads("slice", "evaluator", "variant", "#mean score", "#pass rate", "#95 % CI", "#scored"),
        tuple(_slice_row(stats) for stats in shown),
    )  # fmt: skip
    rest = len(result.slices) - len(shown)
    more = (Paragraph(f"The lowest {len(shown)}; {more_text(rest, 'slice')} in run.json."),) if rest else ()
    return (Section("Slices", (dense(table, (*_ALWAYS, "slice")), *more), id="slices"),)


def _slice_row(stats: EvaluatorStats) -> tuple[str, ...]:
    return (
        slice_text(stats.slice), stats.name, stats.variant or "", of_part(stats, score_text(stats.mean)),
        of_part(stats, percent_text(stats.pass_rate)), interval_text(stats.pass_rate_ci), f"{stats.scored:,} of {stats.rows:,}",
    )  # fmt: skip


def row_name(number: int, id: str, variant: str | None = None) -> str:
    """A row as lists name it: `row 7 (INV-7), variant gpt`."""
    named = "" if id in ("", str(number)) else f" ({id})"
    return f"row {number}{named}{f', variant {variant}' if variant else ''}"


def slice_text(slice_: tuple[str, str] | None) -> str:
    """A slice as pages name it: `supplier = Acme`; empty where there is none."""
    return f"{slice_[0].removeprefix('row.')} = {slice_[1]}" if slice_ else ""
