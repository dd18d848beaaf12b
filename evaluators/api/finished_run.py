"""A run that has ended: what a reader of its folder asks for, made from its record alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from evaluators.api.loading import load
from evaluators.api.run_sections import label_rules, sections_of, sent_section
from evaluators.issues import Problems, problem
from evaluators.reports.document import Page, Paragraph, Section
from evaluators.reports.headline import Options
from evaluators.reports.near_miss_section import near_miss_section
from evaluators.reports.report_files import asked_files, needs_cells
from evaluators.run.cells_again import with_cells
from evaluators.run.record import RunRecord, read_record
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.suite.presets import preset_folder
from evaluators.values.small_files import reading_inside


def options_of(record: RunRecord) -> Options:
    """What the suite asked of summaries, and the sections that the run's own summary had."""
    try:
        lines: Sequence[EvaluatorLine] = recorded_lines(record)
    except Problems:
        lines = ()  # the suite needs what is not here: a variable, or functions of a program
    extra = (*sections_of(record, lines), *sent_section(record.folder))
    return Options(record.facts.lowest_fields, extra=extra, label_rules=label_rules(lines))


def recorded_lines(record: RunRecord) -> tuple[EvaluatorLine, ...]:
    """The evaluators of the suite that the folder holds.

    No file outside of the folder is opened. Raises Problems (config) when they cannot be read here: a variable is not set,
    or the suite names functions of a program.
    """
    with reading_inside(record.folder, preset_folder()):
        return load(record.folder / record.facts.suite).lines


def advice_page(place: Path) -> Page:
    """All the advice for a run. Raises Problems (config) for a run whose suite cannot be read from its folder."""
    record = with_cells(read_record(place))
    try:
        lines = recorded_lines(record)
    except Problems as error:
        message = f"the suite that it holds cannot be used here: {error.issues[0].message}"
        hint = error.issues[0].hint or "set what it names, or score the test set again"
        raise problem("suite-unusable", message, where=str(record.folder / record.facts.suite), hint=hint) from None
    from evaluators.reports.near_miss_search import near_misses

    found = near_misses(lines, record)
    none = (Section(None, (Paragraph("No single change would turn a recorded wrong value right."),)),)
    return Page(f"{record.result.name}: advice", near_miss_section(found, len(found)) or none)


def write_again(place: Path, files: Iterable[Path]) -> list[Path]:
    """Write a run that has ended as the extension of each file says. Returns what was written.

    Raises Problems (config) for a file that its record does not hold enough for.
    """
    files = list(files)
    record = read_record(place)
    if needs_cells(files):
        record = with_cells(record)
    return asked_files(files, record, options_of(record))
