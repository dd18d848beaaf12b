"""The parts of a summary that are shown as far as there is room, the weightiest first, and lines that the other parts have, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from evaluators.issues import Issue
from evaluators.reports.confidence_sections import confidence_name, threshold_line
from evaluators.reports.display import clipped, visible, width, wrapped
from evaluators.reports.document import Head, PageTable, Paragraph, Section, Tone, dense, fitted, heads, table_width
from evaluators.reports.headline import Options
from evaluators.reports.repeat_sections import passes_line, repeat_line
from evaluators.reports.run_page import asking_lines, issue_place
from evaluators.reports.run_tables import choice_table, mistake_place, mistake_rows, weak_fields
from evaluators.reports.suggestions import MOST_SUGGESTED, Suggestion
from evaluators.reports.tables import GATES, of_extra_items, slice_text
from evaluators.run.exit_code import Facts, causes
from evaluators.run.metrics import counted, full_name, quantity_text, rows_text, score_text, with_variant
from evaluators.run.result import ConfusionMatrix, EvaluatorStats, GateResult, RunResult

WIDEST: Final = 80
MOST_LABELS: Final = 8
"""Labels of which the whole confusion matrix is shown; of more, the confusions that occur most."""
MORE: Final = "-v"


class OptionalPart(Struct, frozen=True):
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


def paragraphs(text: str, tone: Tone = "plain", indent: str = "", whole_words: bool = False) -> Iterator[Paragraph]:
    """A text as lines of the page, each a paragraph. Nothing of it is cut."""
    for line in wrapped(visible(text), WIDEST, indent, whole_words):
        yield Paragraph(line, tone)


def gate_lines(gate: GateResult) -> list[Paragraph]:
    """A gate with what it found, its limit and what that is over."""
    word, tone = GATES[gate.verdict]
    about = ", ".join(one for one in (gate.variant, slice_text(gate.slice)) if one)
    limit = f"; {gate.limit}" if gate.verdict in ("undecided", "passed") else ""
    text = f"{word}  {gate.target}{f' ({about})' if about else ''}: {gate.message}{limit}; n {gate.n:,}"
    return list(paragraphs(text, tone, "  "))


def optional_parts(result: RunResult, options: Options) -> list[OptionalPart]:
    """The optional parts of a summary, the weightiest first."""
    found = [
        *_problems(result),
        *_gates(result, "warned"),
        *_remarks(result),
        *_weak(result, options),
        *_mistakes(result, options),
        *_suggestions(options),
        *_repeats(result),
        *(_labels(table) for table in result.confusion_matrices),
        _of_table("choices", choice_table(result), ("judge's choice", "evaluator"), most=6),
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
) -> OptionalPart:
    """A part that is a list of texts, each of one line or more."""

    def make(rows: int) -> Section:
        shown = [line for one in lines[:rows] for line in one]
        rest = [Paragraph(_more(len(lines) - rows), "note")] if rows < len(lines) else []
        return Section(None, (*([Paragraph(title)] if title else []), *shown, *rest))

    return OptionalPart(name, len(lines), make, least, most)


def _of_table(name: str, table: PageTable, clip: Sequence[str], most: int, least: int = 0) -> OptionalPart:
    """A part that is a table; the columns to `clip` give way where it is too wide, and those that say nothing are left out."""
    keep = [column.head for column in table.columns if column.head not in _MAY_GO]

    def make(rows: int) -> Section:
        shown = PageTable(table.columns, table.rows[:rows], table.tones[:rows])
        rest = [Paragraph(_more(len(table.rows) - rows), "note")] if rows < len(table.rows) else []
        return Section(None, (fitted(dense(shown, keep), clip, WIDEST), *rest))

    return OptionalPart(name, len(table.rows), make, least, most)


_MAY_GO: Final = ("variant", "wrong", "missing", "extra", "error", "not judged")


def _remarks(result: RunResult) -> Iterator[OptionalPart]:
    """What metrics of a schema come to, who stood in for a judge, and what items that only the output has cost."""
    said = [
        f"{full_name(stats)}: {text}"
        for stats in result.evaluators
        for text in (
            *([_micro(stats)] if stats.metric("mean_f1") is not None else []),
            *(f"{counted(count, 'field')} scored by {what}" for what, count in stats.fallbacks.items()),
            *([of_extra_items(stats)] if stats.extra_items is not None else []),
        )
    ]
    yield _of_lines("remarks", [list(paragraphs(text, "note", "  ")) for text in said])


def _micro(stats: EvaluatorStats) -> str:
    metrics = (
        ("micro precision", stats.micro_precision), ("micro recall", stats.micro_recall), ("micro F1", stats.micro_f1),
    )  # fmt: skip
    return ", ".join(f"{name} {score_text(metric)}" for name, metric in metrics)


def _weak(result: RunResult, options: Options) -> Iterator[OptionalPart]:
    """The worst fields by what went wrong."""
    weak = weak_fields(result)
    several = len({full_name(stats) for stats, _ in weak}) > 1
    table = PageTable(
        heads("worst fields", "#accuracy", "#n", "#wrong", "#missing", "#extra", "#error", "#not judged"),
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


def _mistakes(result: RunResult, options: Options) -> Iterator[OptionalPart]:
    found, until = options.mistakes, options.mistakes_until
    several = len({(one.evaluator, one.variant) for one in found}) > 1
    title = "most frequent mistakes" + (f" up to row {until:,}" if until is not None else "")
    table = PageTable(
        (*heads("#times", "where"), Head(title), Head("rows")),
        tuple((f"{one.count:,}", mistake_place(one, several), one.said, mistake_rows(one)) for one in found),
    )
    yield _of_table("mistakes", table, (title, "where"), most=4, least=3)


def _labels(table: ConfusionMatrix) -> OptionalPart:
    """The confusion matrix, whole; the confusions that occur most where there are many labels, or it has no room."""
    title = with_variant(table.evaluator, table.variant)
    average = table.average("macro").f1 if table.averages else None
    text = "" if average is None else f"; macro F1 {score_text(average)}"
    wrong = sorted((one for one in table.cells if one.expected != one.output), key=lambda one: -one.count)
    most = [
        [Paragraph(clipped(visible(f"{one.expected} → {one.output}: {rows_text(one.count)}"), WIDEST))] for one in wrong
    ]
    confusions = _of_lines(
        f"confusion matrix of {title}", most, clipped(visible(f"{title}: what was taken for what{text}"), WIDEST), most=4
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
    matrix = Section(None, (Paragraph(clipped(visible(f"{title}: outputs in the columns{text}"), WIDEST)),
                            PageTable(heads, cells)))  # fmt: skip
    if table_width(PageTable(heads, cells)) > WIDEST:
        return confusions
    return OptionalPart(confusions.name, 1, lambda _: matrix)


def _repeats(result: RunResult) -> Iterator[OptionalPart]:
    """How often questions with several outputs are answered, and from which confidence on rows can be accepted."""
    lines = [
        list(paragraphs(f"{with_variant(one.evaluator, one.variant)}: {repeat_line(one)}{passes_line(one)}", indent="  "))
        for one in result.repeats
    ]
    yield _of_lines("repeats", lines, least=1)
    sure = [
        list(paragraphs(f"confidence, {confidence_name(one)}: {threshold_line(one)}", indent="  "))
        for one in result.confidence
    ]
    yield _of_lines("confidence", sure, least=1)


def _suggestions(options: Options) -> Iterator[OptionalPart]:
    """What would make wrong values right, each with the line to write."""
    lines = [_suggestion(one) for one in options.suggestions]
    more = " (`evaluators advice` looks for more)" if len(lines) == MOST_SUGGESTED else ""
    yield _of_lines("suggestions", lines, f"Would make them right, if you want to{more}:", least=1)
    yield _of_lines(
        "how to look for suggestions", [list(paragraphs(one, "note", whole_words=True)) for one in options.search]
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
    return [*paragraphs(first, indent="  "), *(paragraphs(says, "note", "  ") if says else ())]


def _gates(result: RunResult, verdict: str) -> Iterator[OptionalPart]:
    """The gates that warned, or those that passed."""
    found = [gate for gate in result.gates if gate.verdict == verdict]
    yield _of_lines(f"gates that {verdict}", [gate_lines(gate) for gate in found], most=4)


def _problems(result: RunResult) -> Iterator[OptionalPart]:
    """What kept rows from being measured: the first of each kind, apart from what is a cause of the exit code."""
    first: dict[str, Issue] = {}
    for issue in result.issues:
        first.setdefault(issue.code, issue)
    lines = [
        issue_lines(issue, result.issue_counts.get(issue.code, 1) - 1)
        for issue in first.values()
        if not set(cause_of(issue)) & set(result.causes)
    ]
    lines += [
        [Paragraph(f"- {code}: {count:,}", "warning")] for code, count in result.issue_counts.items() if code not in first
    ]
    yield _of_lines("problems", lines, least=1)


def cause_of(issue: Issue) -> tuple[str, ...]:
    """A problem as the causes of the exit code spell it; empty where it is none."""
    return causes(Facts(issues=(issue,)))


def issue_lines(issue: Issue, more: int = 0) -> list[Paragraph]:
    """A problem with its place, the hint, and how many more there are like it."""
    said = list(paragraphs(f"- {issue_place(issue)}: {issue.message}", "warning", "  "))
    if issue.hint:
        said += paragraphs(f"  hint: {issue.hint}", indent="  ")
    return [*said, Paragraph(f"  and {more:,} more like this", "warning")] if more > 0 else said


def _asking(result: RunResult) -> Iterator[OptionalPart]:
    """Who was asked, and how often judges agree."""
    lines = [list(paragraphs(f"- {text}", "note", "  ")) for text in asking_lines(result)]
    yield _of_lines("judges", lines)


def _measures(result: RunResult) -> Iterator[OptionalPart]:
    table = PageTable(
        heads("measure", "variant", "#mean", "#median", "#p95", "#n"),
        tuple(
            (
                one.name, one.variant or "", *map(quantity_text, (one.mean, one.median, one.p95)),
                f"{one.n:,} of {one.rows:,}",
            )
            for one in result.whole_measures
        ),
    )  # fmt: skip
    yield _of_table("measures", table, ("measure", "variant"), most=3)


def _slices(result: RunResult) -> Iterator[OptionalPart]:
    """The slices with the lowest scores."""
    lowest = sorted(result.slices, key=lambda stats: (stats.mean is None, stats.mean or 0.0))
    table = PageTable(
        heads("lowest slices", "evaluator", "#mean score", "variant", "#passed"),
        tuple(
            (
                slice_text(stats.slice), stats.name, score_text(stats.mean), stats.variant or "",
                f"{stats.passed:,} of {stats.scored:,}",
            )
            for stats in lowest
        ),
    )  # fmt: skip
    yield _of_table("slices", table, ("lowest slices", "evaluator", "variant"), most=3)


def _notes(result: RunResult) -> Iterator[OptionalPart]:
    yield _of_lines("notes", [list(paragraphs(f"- {note}", "note", "  ")) for note in result.notes])
