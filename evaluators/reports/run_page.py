"""A run as a page with all its tables: what `-v` prints, and what Markdown and the page for a browser show.

The order is the order of questions: what did it come to, which gates, how well, where is it weak, what was not measured and
why, and what to do about it. Every metric stands beside its counts.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from evaluators.model.exit_words import exit_meaning
from evaluators.reports.document import Block, Item, Listing, Page, Paragraph, Section, Tone, list_section
from evaluators.reports.headline import Options, headline
from evaluators.reports.names import row_name
from evaluators.reports.rows import RowView
from evaluators.reports.schema_sections import schema_sections
from evaluators.reports.sections.confidence import confidence_sections
from evaluators.reports.sections.corrections import correction_section
from evaluators.reports.sections.evaluators import evaluator_section, slice_section
from evaluators.reports.sections.fields import MOST_WEAK, empty_section, lowest_section, mistake_section
from evaluators.reports.sections.gates import gate_section
from evaluators.reports.sections.judges import judge_section, panel_section
from evaluators.reports.sections.labels import choice_sections, label_sections
from evaluators.reports.sections.measures import measure_section
from evaluators.reports.sections.problems import problem_sections
from evaluators.reports.sections.repeats import repeat_sections
from evaluators.reports.sections.verdict import verdict_section
from evaluators.runs.metrics import count_text, rows_text, score_text
from evaluators.runs.result import RunResult
from evaluators.scoring.values.file_names import clip_name


def run_page(result: RunResult, options: Options = Options()) -> Page:
    """The page of a run, with every table."""
    gates = gate_section(result)
    failed = any(gate.verdict in ("failed", "undecided") for gate in result.gates)
    sections = (
        *_unanswered_section(result),
        *verdict_section(result, options),
        _opening_section(result),
        *(gates if failed else ()),
        *evaluator_section(result),
        *(() if failed else gates),
        *lowest_section(result, MOST_WEAK),
        *mistake_section(options.mistakes, options.mistakes_until),
        *label_sections(result),
        *repeat_sections(result),
        *confidence_sections(result),
        *schema_sections(result),
        *choice_sections(result),
        *panel_section(result),
        *empty_section(result),
        *correction_section(result),
        *slice_section(result),
        *measure_section(result),
        *judge_section(result),
        *options.extra,
        *problem_sections(result),
        *list_section("Notes", (Item(note, tone="note") for note in result.notes), "notes"),
        _ending_section(result, options),
    )
    return Page(f"{result.name}: {headline(result)}", sections, tone_of(result))


def hardest_rows(most: int, rows: Iterable[RowView]) -> Section:
    """The section that lists the `most` rows with the lowest scores, each with its reasons. A row's score is the mean over its
    evaluators."""
    wrong = (row for row in rows if (score := row.score) is not None and score < 1)
    lowest = heapq.nsmallest(most, wrong, key=lambda row: row.score or 0.0)
    items = tuple(
        Item(
            f"{row_name(row.number, clip_name(row.id), row.variant)}: mean score {score_text(row.score)}",
            tuple(filter(None, [row.why])),
        )
        for row in lowest
    )
    return Section("Hardest rows", (Listing(items) if items else Paragraph("There are none."),))


def tone_of(result: RunResult) -> Tone:
    """The tone of a run's title, by how it ended: a run without gates is a note, since nobody said what is good."""
    if result.exit_code == 0:
        if not result.gates:
            return "note"
        return "warning" if any(gate.verdict == "warned" for gate in result.gates) else "good"
    return "bad" if result.exit_code in (1, 70) else "warning"


def _unanswered_section(result: RunResult) -> tuple[Section, ...]:
    """A section on the rows that have no output, which no metric covers; none where every row has one."""
    lines = tuple(Paragraph(line, "warning") for line in answered_lines(result))
    return (Section(None, lines),) if lines else ()


def _opening_section(result: RunResult) -> Section:
    """The section on what was scored: how many rows of which test set, the variants, and which columns were read."""
    names = ", ".join(f'"{name}"' for name in result.variants)
    variants = f", {count_text(len(result.variants), 'variant')}: {names}" if result.variants else ""
    lines = [Paragraph(f"{rows_text(result.rows)} of {result.test_set}{variants}")]
    if result.columns:
        lines.append(Paragraph(columns_text(result.columns)))
    return Section(None, tuple(lines))


def columns_text(columns: Mapping[str, str]) -> str:
    """Which column is what: `Columns: output = answer, expected = label`."""
    return "Columns: " + ", ".join(f"{role} = {column}" for role, column in columns.items())


def answered_lines(result: RunResult) -> list[str]:
    """A line for each variant whose file of outputs lacks rows: how many rows have an output, which are all that metrics speak of."""
    return [
        f"{result.rows - count:,} of {rows_text(result.rows)} {'has' if result.rows - count == 1 else 'have'} an output"
        + (f', variant "{variant}"' if variant else "")
        for variant, count in result.without_output.items()
    ]


def _ending_section(result: RunResult, options: Options) -> Section:
    """The last section: the exit code with its causes, the fingerprints, the files, and the commands for files that were not written."""
    suite, data = (text.rpartition(":")[2][:12] for text in (result.suite_fingerprint, result.data_fingerprint))
    blocks: list[Block] = [Paragraph(f"Exit code {result.exit_code}: {exit_words(result)}.", tone_of(result))]
    if result.causes:
        blocks.append(Listing(tuple(map(Item, result.causes))))
    blocks.append(Paragraph(f"Suite {suite}, test set {data}, evaluators {result.version}."))
    if options.files:
        blocks += [Paragraph("The files:"), Listing(tuple(map(Item, options.files)))]
    blocks += [Paragraph(line.replace("RUN", options.run), "note") for line in options.left_out]
    return Section("Result", tuple(blocks), id="result")


def exit_words(result: RunResult) -> str:
    """The meaning of the exit code of a run."""
    if result.exit_code == 0 and not result.gates:
        return "the suite sets no gates, so no score is too low"
    return exit_meaning(result.exit_code)
