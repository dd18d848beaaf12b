"""The summary of a run: one screen of 80 columns and 28 lines, which is also `summary.txt`.

Strategy: what must be said is never cut or hidden, however long it gets: failed and undecided gates, every evaluator with what its
figures are over, what was not measured and why, coverage, the causes of the exit code. The other parts share the lines that are left,
by their weight, and say how much of them is not shown. `run_page` has all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from evaluators.issues import Issue
from evaluators.reports.display import clipped, visible, width, wrapped
from evaluators.reports.document import Block, Head, Listing, Page, PageTable, Paragraph, Section, Tone, dense
from evaluators.reports.headline import Options, headline
from evaluators.reports.mistakes import Mistake
from evaluators.reports.run_page import answered, asking_lines, exit_words, issue_place, tone_of
from evaluators.reports.run_tables import unmeasured_fields, weak_fields
from evaluators.reports.suggestions import MOST_SUGGESTED, Suggestion
from evaluators.reports.tables import LEGEND, MEAN_INTERVAL, full_name, of_extra_items, slice_text
from evaluators.run.exit_code import Facts, causes
from evaluators.run.figures import (
    USUAL,
    counted,
    coverage_of,
    mean_interval_text,
    quantity_text,
    rows_text,
    score_text,
)
from evaluators.run.result import ConfusionMatrix, EvaluatorStats, GateResult, RunResult

WIDEST: Final = 80
MOST_LINES: Final = 28
FEW_EVALUATORS: Final = 3
"""As many share the 28 lines; more of them, or of their variants, make the page longer."""
MOST_LABELS: Final = 8
"""Labels of which the whole confusion matrix is shown; of more, the confusions that occur most."""
_TITLE_LINES: Final = 2
_LEFT_OUT_LINES: Final = 1
_MORE_LINES: Final = 8
"""What the other parts get then: there is more to say."""
MORE: Final = "-v"


class _Optional(Struct, frozen=True):
    """A part that is shown as far as there is room."""

    name: str
    rows: int
    """How many rows it has."""
    make: Callable[[int], Section]
    """The section with so many of them, and what says how many more there are."""
    least: int = 0
    """How many it gets before parts of less weight get any, if they fit."""
    most: int = 5
    """More of them than these are for `-v`."""


def summary(result: RunResult, options: Options = Options()) -> Page:
    """The summary of a run."""
    first, last = _opening(result), _ending(result, options)
    tables = _evaluators(result)
    said = [*first, *tables, *last, *options.asked]
    room = MOST_LINES - _TITLE_LINES - sum(map(_lines, said)) - _LEFT_OUT_LINES
    if len(result.evaluators) > FEW_EVALUATORS:
        room += sum(map(_lines, tables)) + _MORE_LINES - FEW_EVALUATORS
    shown, left_out = _shared(_parts(result, options), room)
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


def _shared(parts: Sequence[_Optional], room: int) -> tuple[list[Section], list[str]]:
    """The parts in the room that there is, and the names of those for which there is none.

    Every part that matters gets a row, and then up to its least; then the others get theirs; what is left goes to all of them row by
    row, the weightiest first.
    """
    taken = dict.fromkeys((part.name for part in parts), 0)

    def give(part: _Optional, most: int) -> bool:
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


def _paragraphs(text: str, tone: Tone = "plain", indent: str = "", whole_words: bool = False) -> Iterator[Paragraph]:
    """A text as lines of the page, each a paragraph. Nothing of it is cut."""
    for line in wrapped(visible(text), WIDEST, indent, whole_words):
        yield Paragraph(line, tone)


def _opening(result: RunResult) -> tuple[Section, ...]:
    """Whose figures these are, what they cannot speak of, and the gates that did not pass."""
    blocks: list[Paragraph] = []
    if not result.complete:
        blocks += _paragraphs(headline(result).partition("; ")[2], "warning")
    for line in answered(result):
        blocks += _paragraphs(line, "warning")
    variants = f", {counted(len(result.variants), 'variant')}" if result.variants else ""
    blocks += _paragraphs(f"{rows_text(result.rows)} of {result.test_set}{variants}")
    if result.columns:
        blocks += _paragraphs(
            f"Columns: {', '.join(f'{role} = {name}' for role, name in result.columns.items())}", indent="  "
        )
    missed = [gate for gate in result.gates if gate.verdict in ("failed", "undecided")]
    gates = [line for gate in _ordered(missed) for line in _gate_lines(gate)]
    return (Section(None, tuple(blocks)), *((Section(None, tuple(gates)),) if gates else ()))


_GATES: Final[dict[str, tuple[str, Tone]]] = {
    "failed": ("FAILED", "bad"), "undecided": ("UNDECIDED", "warning"), "warned": ("WARNING", "warning"),
    "passed": ("passed", "good"),
}  # fmt: skip


def _ordered(gates: Iterable[GateResult]) -> list[GateResult]:
    return sorted(gates, key=lambda gate: list(_GATES).index(gate.verdict))


def _gate_lines(gate: GateResult) -> list[Paragraph]:
    """A gate with what it found, its limit and what that is over."""
    word, tone = _GATES[gate.verdict]
    about = ", ".join(one for one in (gate.variant, slice_text(gate.slice)) if one)
    limit = f"; {gate.limit}" if gate.verdict in ("undecided", "passed") else ""
    said = f"{word}  {gate.target}{f' ({about})' if about else ''}: {gate.message}{limit}; n {gate.n:,}"
    return list(_paragraphs(said, tone, "  "))


def _evaluators(result: RunResult) -> tuple[Section, ...]:
    """Each evaluator with its score and interval, the rows that pass, and what became of the others."""
    if not result.evaluators:
        return ()
    words = [_of_which(stats) for stats in result.evaluators]
    table = _evaluator_table(result.evaluators, words)
    if _width(table) <= WIDEST:
        return (Section(None, (table,)),)
    table = fitted(_evaluator_table(result.evaluators, None), ("evaluator", "variant"))
    below = [
        line
        for stats, said in zip(result.evaluators, words, strict=True)
        if said
        for line in _paragraphs(f"{full_name(stats)}: {said}", "note", "  ")
    ]
    return (Section(None, (table, *below)),)


def _evaluator_table(evaluators: Sequence[EvaluatorStats], words: Sequence[str] | None) -> PageTable:
    heads = (
        Head("evaluator"), Head("variant"), Head("mean score", True), Head("its 95 % CI", True), Head("passed", True),
        Head(""),
    )  # fmt: skip
    rows = tuple(
        (
            stats.name, stats.variant or "", score_text(stats.mean), mean_interval_text(stats.mean_ci),
            f"{stats.passed:,} of {stats.scored:,}", said,
        )
        for stats, said in zip(evaluators, words or [""] * len(evaluators), strict=True)
    )  # fmt: skip
    return dense(PageTable(heads, rows), ("evaluator", "mean score", "its 95 % CI", "passed"))


def _of_which(stats: EvaluatorStats) -> str:
    """What became of the rows that did not simply pass or fail."""
    counts = (
        (stats.unreadable, "unreadable, scored 0"), (stats.blocked, "blocked, scored 0"),
        (stats.empty_expected, "with an empty expected answer"), (stats.skipped, "skipped"),
        (stats.not_measured, "not measured"), (stats.invalid, "invalid"), (stats.unjudged, "unjudged"),
        (stats.bugs, "bug" if stats.bugs == 1 else "bugs"),
    )  # fmt: skip
    said = "; ".join(f"{count:,} {word}" for count, word in counts if count)
    found = coverage_of(stats)
    if found.kept_out and not found.measured:
        return f"{said}: nothing was measured"
    return f"{said}: only {found.of} measured" if found.short_of(USUAL) else said


def _parts(result: RunResult, options: Options) -> list[_Optional]:
    """What is shown as far as there is room, the weightiest first."""
    found = [
        *_problems(result),
        *_gates(result, "warned"),
        *_remarks(result),
        *_weak(result, options),
        *_mistakes(result, options),
        *_suggestions(options),
        *(_labels(table) for table in result.confusion_matrices),
        *_gates(result, "passed"),
        *_asking(result),
        *_measures(result),
        *_slices(result),
        *_notes(result),
    ]
    return [part for part in found if part.rows and part.most]


def _more(count: int) -> str:
    return f"{count:,} more: {MORE}"


def _of_lines(
    name: str, lines: Sequence[Sequence[Paragraph]], title: str = "", least: int = 0, most: int = 3
) -> _Optional:
    """A part that is a list of texts, each of one line or more."""

    def make(rows: int) -> Section:
        shown = [line for one in lines[:rows] for line in one]
        rest = [Paragraph(_more(len(lines) - rows), "note")] if rows < len(lines) else []
        return Section(None, (*([Paragraph(title)] if title else []), *shown, *rest))

    return _Optional(name, len(lines), make, least, most)


def _of_table(name: str, table: PageTable, clip: Sequence[str], most: int, least: int = 0) -> _Optional:
    """A part that is a table; the columns to `clip` give way where it is too wide, and those that say nothing are left out."""
    keep = [column.head for column in table.columns if column.head not in _MAY_GO]

    def make(rows: int) -> Section:
        shown = PageTable(table.columns, table.rows[:rows], table.tones[:rows])
        rest = [Paragraph(_more(len(table.rows) - rows), "note")] if rows < len(table.rows) else []
        return Section(None, (fitted(dense(shown, keep), clip), *rest))

    return _Optional(name, len(table.rows), make, least, most)


_MAY_GO: Final = ("variant", "wrong", "missing", "extra", "error", "not judged")


def _remarks(result: RunResult) -> Iterator[_Optional]:
    """What figures of a schema come to, who stood in for a judge, and what items that only the output has cost."""
    said = [
        f"{full_name(stats)}: {text}"
        for stats in result.evaluators
        for text in (
            *([_micro(stats)] if stats.metric("mean_f1") is not None else []),
            *(f"{counted(count, 'field')} scored by {what}" for what, count in stats.fallbacks.items()),
            *([of_extra_items(stats)] if stats.extra_items is not None else []),
        )
    ]
    yield _of_lines("remarks", [list(_paragraphs(text, "note", "  ")) for text in said])


def _micro(stats: EvaluatorStats) -> str:
    figures = (
        ("micro precision", stats.micro_precision), ("micro recall", stats.micro_recall), ("micro F1", stats.micro_f1),
    )  # fmt: skip
    return ", ".join(f"{name} {score_text(figure)}" for name, figure in figures)


def _weak(result: RunResult, options: Options) -> Iterator[_Optional]:
    """The worst fields by what went wrong."""
    weak = weak_fields(result)
    several = len({full_name(stats) for stats, _ in weak}) > 1
    table = PageTable(
        (
            Head("worst fields"), Head("accuracy", True), Head("n", True), Head("wrong", True), Head("missing", True),
            Head("extra", True), Head("error", True), Head("not judged", True),
        ),
        tuple(
            (
                f"{full_name(stats)}: {field.path}" if several else field.path, score_text(field.accuracy),
                *(f"{count:,}" for count in (
                    field.counts.n, field.counts.mismatch, field.counts.omission, field.counts.hallucination,
                    field.counts.error, field.counts.not_judged,
                )),
            )
            for stats, field in weak
        ),
    )  # fmt: skip
    yield _of_table("worst fields", table, ("worst fields",), options.lowest_fields, least=3)


def _mistakes(result: RunResult, options: Options) -> Iterator[_Optional]:
    found, until = options.mistakes, options.mistakes_until
    several = len({(one.evaluator, one.variant) for one in found}) > 1
    title = "most frequent mistakes" + (f" up to row {until:,}" if until is not None else "")
    table = PageTable(
        (Head("times", True), Head("where"), Head(title), Head("rows")),
        tuple((f"{one.count:,}", _where(one, several), one.said, _row_numbers(one)) for one in found),
    )
    yield _of_table("mistakes", table, (title, "where"), most=4, least=3)


def _where(one: Mistake, several: bool) -> str:
    variant = f"{one.variant}: " if one.variant is not None else ""
    if not one.field:
        return f"{variant}{one.evaluator}"
    return f"{variant}{one.evaluator}: {one.field}" if several else f"{variant}{one.field}"


def _row_numbers(one: Mistake) -> str:
    rows = ", ".join(f"{row:,}" for row in one.rows)
    return f"{rows} …" if one.in_rows > len(one.rows) else rows


def _labels(table: ConfusionMatrix) -> _Optional:
    """The confusion matrix, whole; the confusions that occur most where there are many labels, or it has no room."""
    title = f"{table.evaluator} ({table.variant})" if table.variant else table.evaluator
    average = table.average("macro").f1 if table.averages else None
    said = "" if average is None else f"; macro F1 {score_text(average)}"
    wrong = sorted((one for one in table.cells if one.expected != one.output), key=lambda one: -one.count)
    most = [
        [Paragraph(clipped(visible(f"{one.expected} → {one.output}: {rows_text(one.count)}"), WIDEST))] for one in wrong
    ]
    confusions = _of_lines(
        f"confusion matrix of {title}", most, clipped(visible(f"{title}: what was taken for what{said}"), WIDEST), most=4
    )
    if len(table.labels) > MOST_LABELS or not table.labels:
        return confusions
    counts = {(one.expected, one.output): one.count for one in table.cells}
    rows = list(dict.fromkeys([*(one.label for one in table.labels), *(one.expected for one in table.cells)]))
    widest = max(3, (WIDEST - 14) // len(table.columns) - 2)
    heads = (Head("expected"), *(Head(clipped(visible(one), widest), True) for one in table.columns))
    cells = tuple(
        (clipped(visible(row), 12), *(f"{counts.get((row, one), 0):,}" for one in table.columns)) for row in rows
    )
    matrix = Section(None, (Paragraph(clipped(visible(f"{title}: outputs in the columns{said}"), WIDEST)),
                            PageTable(heads, cells)))  # fmt: skip
    if _width(PageTable(heads, cells)) > WIDEST:
        return confusions
    return _Optional(confusions.name, 1, lambda _: matrix)


def _suggestions(options: Options) -> Iterator[_Optional]:
    """What would make wrong values right, each with the line to write."""
    lines = [_suggestion(one) for one in options.suggestions]
    more = " (`evaluators advice` looks for more)" if len(lines) == MOST_SUGGESTED else ""
    yield _of_lines("suggestions", lines, f"Would make them right, if you want to{more}:", least=1)
    yield _of_lines(
        "how to look for suggestions", [list(_paragraphs(one, "note", whole_words=True)) for one in options.search]
    )


def _suggestion(one: Suggestion) -> list[Paragraph]:
    """How many values, and what to write: whole, or by the setting that changes alone."""
    field = one.field or "$"
    turned = f"{one.turned:,} of {one.of:,}"
    if one.line:
        write = one.write
    elif one.named or not one.write:  # a schema says how its fields are compared
        aside = f"; `{one.write}` sets that aside" if one.write else ""
        write = f"{field}: {one.switch}{aside}"
    else:
        write = f"{field}: {{{one.write}}}" if ": " in one.write else f"{field}: {one.write}"
    first = f"{turned}  {write}"
    says = f"  ({one.says})" if one.says and not one.named else ""
    if width(visible(first + says)) <= WIDEST:
        return [Paragraph(visible(first + says))]
    return [*_paragraphs(first, indent="  "), *(_paragraphs(says, "note", "  ") if says else ())]


def _gates(result: RunResult, verdict: str) -> Iterator[_Optional]:
    """The gates that warned, or those that passed."""
    found = [gate for gate in result.gates if gate.verdict == verdict]
    yield _of_lines(f"gates that {verdict}", [_gate_lines(gate) for gate in found], most=4)


def _problems(result: RunResult) -> Iterator[_Optional]:
    """What kept rows from being measured: the first of each kind, apart from what is a cause of the exit code."""
    first: dict[str, Issue] = {}
    for issue in result.issues:
        first.setdefault(issue.code, issue)
    lines = [
        _issue_lines(issue, result.issue_counts.get(issue.code, 1) - 1)
        for issue in first.values()
        if not set(_cause_of(issue)) & set(result.causes)
    ]
    lines += [
        [Paragraph(f"- {code}: {count:,}", "warning")] for code, count in result.issue_counts.items() if code not in first
    ]
    yield _of_lines("problems", lines, least=1)


def _cause_of(issue: Issue) -> tuple[str, ...]:
    """What a problem is called among the causes of the exit code, where it is one."""
    return causes(Facts(issues=(issue,)))


def _issue_lines(issue: Issue, more: int = 0) -> list[Paragraph]:
    """A problem with its place, the hint, and how many more there are like it."""
    said = list(_paragraphs(f"- {issue_place(issue)}: {issue.message}", "warning", "  "))
    if issue.hint:
        said += _paragraphs(f"  hint: {issue.hint}", indent="  ")
    return [*said, Paragraph(f"  and {more:,} more like this", "warning")] if more > 0 else said


def _asking(result: RunResult) -> Iterator[_Optional]:
    """Who was asked, and how often judges agree."""
    lines = [list(_paragraphs(f"- {text}", "note", "  ")) for text in asking_lines(result)]
    yield _of_lines("judges", lines)


def _measures(result: RunResult) -> Iterator[_Optional]:
    whole = [one for one in result.measures if one.slice is None]
    table = PageTable(
        (Head("measure"), Head("variant"), Head("mean", True), Head("median", True), Head("p95", True), Head("n", True)),
        tuple(
            (
                one.name, one.variant or "", *map(quantity_text, (one.mean, one.median, one.p95)),
                f"{one.n:,} of {one.rows:,}",
            )
            for one in whole
        ),
    )  # fmt: skip
    yield _of_table("measures", table, ("measure", "variant"), most=3)


def _slices(result: RunResult) -> Iterator[_Optional]:
    """The slices with the lowest scores."""
    lowest = sorted(result.slices, key=lambda stats: (stats.mean is None, stats.mean or 0.0))
    table = PageTable(
        (Head("lowest slices"), Head("evaluator"), Head("mean score", True), Head("variant"), Head("passed", True)),
        tuple(
            (
                slice_text(stats.slice), stats.name, score_text(stats.mean), stats.variant or "",
                f"{stats.passed:,} of {stats.scored:,}",
            )
            for stats in lowest
        ),
    )  # fmt: skip
    yield _of_table("slices", table, ("lowest slices", "evaluator", "variant"), most=3)


def _notes(result: RunResult) -> Iterator[_Optional]:
    yield _of_lines("notes", [list(_paragraphs(f"- {note}", "note", "  ")) for note in result.notes])


def _not_shown(names: Sequence[str]) -> Paragraph:
    text = f"Not shown: {', '.join(map(visible, names))}; {MORE} shows all."
    if width(text) > WIDEST:
        text = f"Not shown: {counted(len(names), 'more part')}; {MORE} shows all."
    return Paragraph(text, "note")


def _words(result: RunResult) -> Section:
    """What the words of the page mean."""
    together = f"; rows of one {result.cluster} count as one" if result.cluster else ""
    said = (MEAN_INTERVAL + together, *(f"{word}: {meaning}" for word, meaning in LEGEND))
    return Section(None, tuple(line for one in said for line in _paragraphs(one, "note", "  ")))


def _ending(result: RunResult, options: Options) -> tuple[Section, ...]:
    """What is missing from the figures, how the run ended and why, and where to look further."""
    gaps: list[Paragraph] = []
    told = " ".join((*result.causes, *(issue.message for issue in result.warnings)))
    if names := [name for name in unmeasured_fields(result) if name.partition(" → ")[2] not in told]:
        gaps += _paragraphs(f"Measured in no row: {', '.join(names)}.", "warning", "  ")
    for issue in result.warnings:
        gaps += _issue_lines(issue)
    of_gates = causes(Facts(gates=result.gates))
    problems = {cause: issue for issue in result.issues for cause in _cause_of(issue)}
    blocks = list(_paragraphs(f"Exit code {result.exit_code}: {exit_words(result)}.", tone_of(result)))
    for cause in result.causes:
        if cause in problems:
            blocks += _issue_lines(problems[cause])
        elif cause not in of_gates:  # which stand above
            blocks += _paragraphs(f"- {cause}", "plain", "  ")
    for file in options.files:
        blocks += _paragraphs(f"- {file}", indent="  ", whole_words=True)
    for line in options.left_out:
        blocks += _paragraphs(line.replace("RUN", options.run), "note", "  ", whole_words=True)
    look = [f"Every row: evaluators view {options.run}", f"Every table: evaluators report {options.run} {MORE}"]
    if not options.run:  # nothing of the run is kept
        look = [f"Every table: {MORE}"]
    together = "   ".join(look)
    blocks += [Paragraph(line, "note") for line in ([together] if width(together) <= WIDEST else look)]
    return (*((Section(None, tuple(gaps)),) if gaps else ()), Section(None, tuple(blocks)))


def _width(table: PageTable) -> int:
    return sum(_widths(table)) + 2 * (len(table.columns) - 1)


def _widths(table: PageTable) -> list[int]:
    heads = [column.head for column in table.columns]
    return [max(width(visible(cell)) for cell in column) for column in zip(heads, *table.rows, strict=True)]


def fitted(table: PageTable, clip: Sequence[str], most: int = WIDEST) -> PageTable:
    """The table in at most so many columns: the widest of those to clip give way first. Numbers are never cut."""
    widths = _widths(table)
    places = [place for place, column in enumerate(table.columns) if column.head in clip]
    while places and sum(widths) + 2 * (len(widths) - 1) > most:
        widest = max(places, key=lambda place: widths[place])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return PageTable(
        tuple(
            Head(clipped(visible(column.head), widths[place]), column.number)
            for place, column in enumerate(table.columns)
        ),
        tuple(tuple(clipped(visible(cell), widths[place]) for place, cell in enumerate(row)) for row in table.rows),
        table.tones,
    )


_NARROWEST: Final = 8
