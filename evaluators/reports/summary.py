"""The summary of a run: one screen of 80 columns and 28 lines, which is also `summary.txt`.

Strategy: what must be said is never cut or hidden, however long it gets: failed and undecided gates, every evaluator with what its
metrics are over, what was not measured and why, coverage, the causes of the exit code. The other parts share the lines that are left,
by their weight, and say how much of them is not shown. `run_page` has all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluators.reports.display import clipped, visible, width
from evaluators.reports.document import (
    Block,
    Listing,
    Page,
    PageTable,
    Paragraph,
    Section,
    dense,
    fitted,
    heads,
    table_width,
)
from evaluators.reports.headline import Options, headline
from evaluators.reports.run_page import answered, exit_words, tone_of
from evaluators.reports.run_tables import unmeasured_fields
from evaluators.reports.summary_parts import (
    MORE,
    WIDEST,
    OptionalPart,
    cause_of,
    gate_lines,
    issue_lines,
    optional_parts,
    paragraphs,
)
from evaluators.reports.tables import LEGEND, beside_the_rate, mean_interval_words, ordered_gates
from evaluators.run.exit_code import Facts, causes
from evaluators.run.metrics import USUAL, counted, coverage_of, full_name, mean_interval_text, rows_text, score_text
from evaluators.run.result import EvaluatorStats, RunResult

MOST_LINES: Final = 28
FEW_EVALUATORS: Final = 3
"""As many share the 28 lines; more of them, or of their variants, make the page longer."""
_TITLE_LINES: Final = 2
_LEFT_OUT_LINES: Final = 1
_MORE_LINES: Final = 8
"""Further lines for the optional parts then."""


def summary(result: RunResult, options: Options = Options()) -> Page:
    """The summary of a run."""
    first, last = _opening(result), _ending(result, options)
    tables = _evaluators(result)
    said = [*first, *tables, *last, *options.asked]
    room = MOST_LINES - _TITLE_LINES - sum(map(_lines, said)) - _LEFT_OUT_LINES
    if len(result.evaluators) > FEW_EVALUATORS:
        room += sum(map(_lines, tables)) + _MORE_LINES - FEW_EVALUATORS
    shown, left_out = _shared(optional_parts(result, options), room)
    if left_out:
        last = (*last[:-1], Section(None, (_not_shown(left_out), *last[-1].blocks)))
    explained = (_words(result),) if options.explain else ()
    return Page(_title(result), (*first, *tables, *shown, *options.asked, *explained, *last), tone_of(result))


def _lines(section: Section) -> int:
    """How many lines a section takes as plain text."""
    inside = sum(_block_lines(block) for block in section.blocks)
    return 1 + inside + (2 if section.title is not None else 0)


def _block_lines(block: Block) -> int:
    match block:
        case Paragraph():
            return 1
        case Listing(items):
            return sum(1 + len(item.details) + len(item.quote) for item in items)
        case PageTable(_, rows, _):
            return 1 + len(rows)


def _shared(parts: Sequence[OptionalPart], room: int) -> tuple[list[Section], list[str]]:
    """The parts in the room that there is, and the names of those for which there is none.

    Every part that matters gets a row, and then up to its least; then the others get theirs; what is left goes to all of them row by
    row, the weightiest first.
    """
    taken = dict.fromkeys((part.name for part in parts), 0)

    def give(part: OptionalPart, most: int) -> bool:
        nonlocal room
        rows = taken[part.name]
        if rows >= min(most, part.rows):
            return False
        needed = _lines(part.make(rows + 1)) - (_lines(part.make(rows)) if rows else 0)
        if needed > room:
            return False
        taken[part.name], room = rows + 1, room - needed
        return True

    weighty = [part for part in parts if part.least]
    for most in range(1, 1 + max((part.least for part in weighty), default=0)):
        for part in weighty:
            give(part, min(most, part.least))
    for part in parts:
        give(part, 1)
    grown = True
    while grown:
        grown = bool(sum(give(part, part.most) for part in parts if taken[part.name]))
    return [part.make(taken[part.name]) for part in parts if taken[part.name]], [
        part.name for part in parts if not taken[part.name]
    ]


def _title(result: RunResult) -> str:
    said = headline(result).partition(";")[0]
    return f"{clipped(visible(result.name), max(10, WIDEST - 2 - width(said)))}: {said}"


def _opening(result: RunResult) -> tuple[Section, ...]:
    """Whose metrics these are, what they cannot speak of, and the gates that did not pass."""
    blocks: list[Paragraph] = []
    if not result.complete:
        blocks += paragraphs(headline(result).partition("; ")[2], "warning")
    for line in answered(result):
        blocks += paragraphs(line, "warning")
    variants = f", {counted(len(result.variants), 'variant')}" if result.variants else ""
    blocks += paragraphs(f"{rows_text(result.rows)} of {result.test_set}{variants}")
    if result.columns:
        blocks += paragraphs(
            f"Columns: {', '.join(f'{role} = {name}' for role, name in result.columns.items())}", indent="  "
        )
    missed = [gate for gate in result.gates if gate.verdict in ("failed", "undecided")]
    gates = [line for gate in ordered_gates(missed) for line in gate_lines(gate)]
    return (Section(None, tuple(blocks)), *((Section(None, tuple(gates)),) if gates else ()))


def _evaluators(result: RunResult) -> tuple[Section, ...]:
    """Each evaluator with its score and interval, the rows that pass, and what became of the others."""
    if not result.evaluators:
        return ()
    words = [_of_which(stats) for stats in result.evaluators]
    table = _evaluator_table(result.evaluators, words)
    if table_width(table) <= WIDEST:
        return (Section(None, (table,)),)
    table = fitted(_evaluator_table(result.evaluators, None), ("evaluator", "variant"), WIDEST)
    below = [
        line
        for stats, said in zip(result.evaluators, words, strict=True)
        if said
        for line in paragraphs(f"{full_name(stats)}: {said}", "note", "  ")
    ]
    return (Section(None, (table, *below)),)


def _evaluator_table(evaluators: Sequence[EvaluatorStats], words: Sequence[str] | None) -> PageTable:
    columns = heads("evaluator", "variant", "#mean score", "#its 95 % CI", "#passed", "")
    rows = tuple(
        (
            stats.name, stats.variant or "", score_text(stats.mean), mean_interval_text(stats.mean_ci),
            f"{stats.passed:,} of {stats.scored:,}", said,
        )
        for stats, said in zip(evaluators, words or [""] * len(evaluators), strict=True)
    )  # fmt: skip
    return dense(PageTable(columns, rows), ("evaluator", "mean score", "its 95 % CI", "passed"))


def _of_which(stats: EvaluatorStats) -> str:
    """The counts of rows that did not simply pass or fail, in words."""
    counts = (
        (stats.unreadable, "unreadable, scored 0"), (stats.blocked, "blocked, scored 0"),
        (stats.empty_expected, "with an empty expected answer"), (stats.skipped, "skipped"),
        (stats.not_measured, "not measured"), (stats.invalid, "invalid"), (stats.unjudged, "unjudged"),
        (stats.bugs, "bug" if stats.bugs == 1 else "bugs"),
    )  # fmt: skip
    said = "; ".join([*beside_the_rate(stats), *(f"{count:,} {word}" for count, word in counts if count)])
    found = coverage_of(stats)
    if found.kept_out and not found.measured:
        return f"{said}: nothing was measured"
    return f"{said}: only {found.of} measured" if found.short_of(USUAL) else said


def _not_shown(names: Sequence[str]) -> Paragraph:
    text = f"Not shown: {', '.join(map(visible, names))}; {MORE} shows all."
    if width(text) > WIDEST:
        text = f"Not shown: {counted(len(names), 'more part')}; {MORE} shows all."
    return Paragraph(text, "note")


def _words(result: RunResult) -> Section:
    """The legend of the page."""
    said = (mean_interval_words(result), *(f"{word}: {meaning}" for word, meaning in LEGEND))
    return Section(None, tuple(line for one in said for line in paragraphs(one, "note", "  ")))


def _ending(result: RunResult, options: Options) -> tuple[Section, ...]:
    """Coverage warnings, the exit code with its causes, the files, and the commands that show more."""
    gaps: list[Paragraph] = []
    explained = " ".join((*result.causes, *(issue.message for issue in result.warnings)))
    if names := [name for name in unmeasured_fields(result) if name.partition(" → ")[2] not in explained]:
        gaps += paragraphs(f"Measured in no row: {', '.join(names)}.", "warning", "  ")
    for issue in result.warnings:
        gaps += issue_lines(issue)
    of_gates = causes(Facts(gates=result.gates))
    problems = {cause: issue for issue in result.issues for cause in cause_of(issue)}
    blocks = list(paragraphs(f"Exit code {result.exit_code}: {exit_words(result)}.", tone_of(result)))
    for cause in result.causes:
        if cause in problems:
            blocks += issue_lines(problems[cause])
        elif cause not in of_gates:  # which stand above
            blocks += paragraphs(f"- {cause}", "plain", "  ")
    for file in options.files:
        blocks += paragraphs(f"- {file}", indent="  ", whole_words=True)
    for line in options.left_out:
        blocks += paragraphs(line.replace("RUN", options.run), "note", "  ", whole_words=True)
    look = [f"Every row: evaluators view {options.run}", f"Every table: evaluators report {options.run} {MORE}"]
    if not options.run:  # nothing of the run is kept
        look = [f"Every table: {MORE}"]
    together = "   ".join(look)
    blocks += [Paragraph(line, "note") for line in ([together] if width(together) <= WIDEST else look)]
    return (*((Section(None, tuple(gaps)),) if gaps else ()), Section(None, tuple(blocks)))
