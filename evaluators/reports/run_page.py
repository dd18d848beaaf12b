"""A run as a page with all its tables: what `-v` prints, and what Markdown and the page for a browser show.

The order is the order of questions: did it pass, which gates, how well, where is it weak, what was not measured and why,
and what to do about it. Every metric stands beside its counts.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.judges.answer_lines import AskedTotals, JudgedBy
from evaluators.reports.confidence_sections import confidence_sections
from evaluators.reports.document import Item, Listing, Page, Paragraph, Section, Tone, listed
from evaluators.reports.headline import Options, headline
from evaluators.reports.repeat_sections import repeat_sections
from evaluators.reports.rows import RowView
from evaluators.reports.run_tables import (
    MOST_WEAK,
    choice_sections,
    empty_section,
    label_sections,
    lowest_section,
    measure_section,
    mistake_section,
)
from evaluators.reports.schema_sections import schema_sections
from evaluators.reports.tables import evaluator_section, gate_section, row_name, slice_section
from evaluators.run.intervals import wilson
from evaluators.run.metrics import counted, full_name, interval_text, percent_text, quantity_text, rows_text, score_text
from evaluators.run.result import RunResult
from evaluators.values.files import shown


def run_page(result: RunResult, options: Options = Options()) -> Page:
    """The page of a run, with every table."""
    gates = gate_section(result)
    failed = any(gate.verdict in ("failed", "undecided") for gate in result.gates)
    sections = (
        _opening(result),
        *(gates if failed else ()),
        *evaluator_section(result),
        *(() if failed else gates),
        *label_sections(result),
        *repeat_sections(result),
        *confidence_sections(result),
        *schema_sections(result),
        *choice_sections(result),
        *listed("Panels of judges", map(Item, panel_lines(result))),
        *_repeats(result),
        *lowest_section(result, MOST_WEAK),
        *empty_section(result),
        *mistake_section(options.mistakes, options.mistakes_until),
        *slice_section(result),
        *measure_section(result),
        *listed("Judges", map(Item, (*cost_lines(result), *judge_lines(result)))),
        *options.extra,
        *_problems(result),
        *listed("Warnings", map(_issue_item, result.warnings), "warnings"),
        *listed("Notes", (Item(note, tone="note") for note in result.notes), "notes"),
        _ending(result, options),
    )
    return Page(f"{result.name}: {headline(result)}", sections, tone_of(result))


def hardest_rows(most: int, rows: Iterable[RowView]) -> Section:
    """The rows with the lowest scores, each with its reasons. A row's score is the mean over its evaluators."""
    wrong = (row for row in rows if (score := row.score) is not None and score < 1)
    lowest = heapq.nsmallest(most, wrong, key=lambda row: row.score or 0.0)
    items = tuple(
        Item(
            f"{row_name(row.number, shown(row.id), row.variant)}: mean score {score_text(row.score)}",
            tuple(filter(None, [row.why])),
        )
        for row in lowest
    )
    return Section("Hardest rows", (Listing(items) if items else Paragraph("There are none."),))


def tone_of(result: RunResult) -> Tone:
    """How the run ended, as a tone."""
    if result.exit_code == 0:
        if not result.gates:  # nobody said what is good
            return "note"
        return "warning" if any(gate.verdict == "warned" for gate in result.gates) else "good"
    return "bad" if result.exit_code in (1, 70) else "warning"


def _opening(result: RunResult) -> Section:
    names = ", ".join(f'"{name}"' for name in result.variants)
    variants = f", {counted(len(result.variants), 'variant')}: {names}" if result.variants else ""
    columns = ", ".join(f"{role} = {column}" for role, column in result.columns.items())
    lines = [Paragraph(line, "warning") for line in answered(result)]
    lines.append(Paragraph(f"{rows_text(result.rows)} of {result.test_set}{variants}"))
    if columns:
        lines.append(Paragraph(f"Columns: {columns}"))
    return Section(None, tuple(lines))


def answered(result: RunResult) -> list[str]:
    """How many rows have an output, where a file of outputs lacks some: no metric speaks of more than these."""
    return [
        f"{result.rows - count:,} of {rows_text(result.rows)} {'has' if result.rows - count == 1 else 'have'} an output"
        + (f', variant "{variant}"' if variant else "")
        for variant, count in result.without_output.items()
    ]


def asking_lines(result: RunResult) -> tuple[str, ...]:
    """Who was asked, and how often the same was said, one line each; nothing where nobody was asked."""
    return *cost_lines(result), *panel_lines(result), *repeated_lines(result), *judge_lines(result)


def cost_lines(result: RunResult) -> Iterator[str]:
    """What judges were paid; nothing where they have no prices. What is not known is no cost of 0."""
    for one in result.whole_measures:
        if one.of_judges:
            lacks = f"of {rows_text(one.missing)} the {one.column} is not known" if one.missing else ""
            spent = (
                f"{full_name(one)}: {quantity_text(one.sum, 7)}, {one.column}, for {rows_text(one.n)}" if one.n else ""
            )
            yield "; ".join(part for part in (spent, lacks) if part) + "; what was known from before costs nothing"


def panel_lines(result: RunResult) -> Iterator[str]:
    """How often the judges of a panel say the same; nothing without a panel."""
    for stats in result.evaluators:
        if (found := stats.metric("agreement")) is not None:
            yield (
                f"{full_name(stats)}: of the pairs of its judges, {percent_text(found.mean)} say the same of a row "
                f"({rows_text(found.n)})"
            )


def repeated_lines(result: RunResult) -> Iterator[str]:
    """How often a judge that was asked several times said the same; nothing where each question was put once."""
    asked = result.environment.asked if result.environment is not None else None
    if asked is not None and asked.repeated:
        share, interval = percent_text(asked.agreed / asked.repeated), interval_text(wilson(asked.agreed, asked.repeated))
        yield (
            f"Of {counted(asked.repeated, 'question')} that were put several times, {asked.agreed:,} got the same verdict each "
            f"time ({share}, 95 % CI {interval})."
        )


def _repeats(result: RunResult) -> tuple[Section, ...]:
    lines = tuple(map(Paragraph, repeated_lines(result)))
    return (Section("Repeated questions", lines),) if lines else ()


def judge_lines(result: RunResult) -> Iterator[str]:
    """Who was asked, with which prompt, how scores are spread, what it took, and how many rows an answer is missing for."""
    if not result.judges:
        return
    yield from map(_judged_text, result.judges)
    if result.environment is not None and result.environment.asked is not None:
        yield asked_text(result.environment.asked)
    if any(one.unanswered for one in result.judges):
        for stats in result.evaluators:
            if stats.unjudged:
                rows = f"{stats.unjudged:,} of {rows_text(stats.rows)}"
                yield f"{full_name(stats)}: {rows} without a score, since an answer is missing"


def asked_text(asked: AskedTotals) -> str:
    """Requests, questions and tokens of a run."""
    return (
        f"{counted(asked.requests, 'request')}; {counted(asked.questions, 'question')}, of which {asked.cached:,} were known from "
        f"before and {asked.failed:,} have no answer; {asked.tokens_in + asked.tokens_out:,} tokens."
    )


def _judged_text(one: JudgedBy) -> str:
    model = f", model {one.model}" if one.model else ""
    step = 1 / len(one.scores)
    spread = ", ".join(
        f"{count:,} from {at * step:.1f} to {(at + 1) * step:.1f}" for at, count in enumerate(one.scores) if count
    )
    without = f", {one.unanswered:,} without an answer" if one.unanswered else ""
    scores = f"; scores: {spread or 'none'}" if spread or one.unanswered == one.questions else ""
    return f"{one.judge}{model}, prompt {one.prompt}: {counted(one.questions, 'question')}{without}{scores}"


_BLAMED: Final = {
    Blame.CONFIG: "in the suite",
    Blame.TESTSET: "in the test set",
    Blame.OUTPUT: "in the outputs",
    Blame.ENVIRONMENT: "outside",
    Blame.BUG: "a fault in the program",
}


def _problems(result: RunResult) -> tuple[Section, ...]:
    """The issues by code, in the order the codes were met, each with how many more there were."""
    codes = list(dict.fromkeys([*(issue.code for issue in result.issues), *result.issue_counts]))
    items: list[Item] = []
    for code in codes:
        shown = [issue for issue in result.issues if issue.code == code]
        items.extend(_issue_item(issue) for issue in shown)
        rest = result.issue_counts.get(code, len(shown)) - len(shown)
        if rest > 0:
            items.append(Item(f"and {rest:,} more like this" if shown else f"{code}: {rest:,}"))
    return listed("Problems", items, "problems")


def issue_place(issue: Issue) -> str:
    """Where a problem is; whose it is, where it has no place."""
    return issue.where or _BLAMED[issue.blame]


def _issue_item(issue: Issue) -> Item:
    hint = (f"hint: {issue.hint}",) if issue.hint else ()
    excerpt = tuple(issue.excerpt.splitlines()) if issue.excerpt else ()
    return Item(f"{issue_place(issue)}: {issue.message}", hint, excerpt, "bad" if issue.blame is Blame.BUG else "warning")


def _ending(result: RunResult, options: Options) -> Section:
    text = f"Exit code {result.exit_code}: {exit_words(result)}."
    blocks: list[Paragraph | Listing] = [Paragraph(text, tone_of(result))]
    if result.causes:
        blocks.append(Listing(tuple(Item(cause) for cause in result.causes)))
    blocks.append(
        Paragraph(
            f"Suite {_brief(result.suite_fingerprint)}, test set {_brief(result.data_fingerprint)}, "
            f"evaluators {result.version}."
        )
    )
    if options.files:
        blocks.append(Paragraph("The files:"))
        blocks.append(Listing(tuple(Item(file) for file in options.files)))
    blocks += [Paragraph(line.replace("RUN", options.run), "note") for line in options.left_out]
    return Section("Result", tuple(blocks), id="result")


def _brief(fingerprint: str) -> str:
    """Enough of a fingerprint for people to tell two apart; run.json has all of it."""
    return fingerprint.rpartition(":")[2][:12]


def exit_words(result: RunResult) -> str:
    """The meaning of the exit code of a run."""
    if result.exit_code == 0 and not result.gates:
        return "the suite sets no gates, so no score is too low"
    return _EXIT_WORDS.get(result.exit_code, "see the causes")


_EXIT_WORDS: Final = {
    0: "no gate failed",
    1: "a gate failed",
    2: "the suite or the command has a mistake",
    3: "something could not be measured",
    4: "the runs cannot be compared",
    70: "a fault in the program",
    130: "interrupted",
}
