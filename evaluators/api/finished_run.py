"""A run that has ended: the pages and sections that a reader of its folder asks for, made from its record alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from evaluators.api.sections import READERS
from evaluators.model.issues import Problems, problem
from evaluators.reports.document import Item, Listing, Page, Paragraph, Section
from evaluators.reports.headline import Options
from evaluators.reports.mistakes import mistakes_of
from evaluators.reports.report_files import needs_cells, needs_matches, write_files
from evaluators.reports.rows import row_views
from evaluators.reports.run_page import hardest_rows
from evaluators.reports.schema_sections import failed_section
from evaluators.reports.suggestions import MOST_SUGGESTED, search_hint, suggestion_hint, suggestion_section
from evaluators.runs.cells_again import with_cells
from evaluators.runs.empty_answers import empty_answer_note
from evaluators.runs.reader import Run
from evaluators.runs.recorder import SMALL_RUN
from evaluators.runs.results_section import reading_of
from evaluators.runs.scored_again import with_matches
from evaluators.runs.store import LINKS_JSON
from evaluators.scoring.evaluators._texts import LabelRule
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.values.files import reading_inside
from evaluators.suites.config import SuiteConfig, read_config
from evaluators.suites.extends import PRESETS
from evaluators.suites.source import load


def with_record(
    options: Options,
    record: Run,
    lines: Sequence[EvaluatorLine],
    reading: Reading | None = None,
    hard: int = 0,
    *,
    report: bool = True,
) -> Options:
    """The options of a summary with sections made from the record: what failed first, the mistakes that occur most often, the `hard`
    rows with the lowest scores, and suggestions. `lines` are the evaluators of the suite, and `reading` says how suggestions read cells.

    A `report` has all suggestions. What a run prints at its end has a few; where the run is large, it has in their place the command
    that searches for them.
    """
    hardest = (hardest_rows(hard, row_views(record)),) if hard else ()
    mistakes, until = mistakes_of(record)
    options = replace(options, asked=hardest, mistakes=mistakes, mistakes_until=until, label_rules=label_rules(lines))
    first = (*failed_section(record), *hardest)
    if not report and any(variant.rows > SMALL_RUN for variant in record.facts.variants):
        hints = search_hint(record.result)
        return replace(options, extra=(*first, *(suggestion_hint(hint) for hint in hints)), search=hints)
    from evaluators.reports.suggestion_search import suggestions_for  # brings schemas along, which few suites have

    suggestions = suggestions_for(lines, record, wanted=None if report else MOST_SUGGESTED, reading=reading)
    section = suggestion_section(suggestions, more=not report and len(suggestions) == MOST_SUGGESTED)
    return replace(options, extra=(*first, *section), suggestions=tuple(suggestions[:MOST_SUGGESTED]))


def label_rules(lines: Sequence[EvaluatorLine]) -> dict[str, LabelRule]:
    """The rules by which evaluators count their rows by label, by the evaluator's name; those without labels have none."""
    return {line.name: rule for line in lines if (rule := line.settings.label_rule()) is not None}


def with_links(options: Options, folder: Path) -> Options:
    """The options with a section on where the run in a folder was sent; as they are where it was not. Every page has the section."""
    if not (folder / LINKS_JSON).is_file():
        return options
    from evaluators.reports.tracking.sending import links_of

    items = (
        Item(f"{link.platform}: {link.url or 'no address'} (run {link.run_id})", link=link.url or "")
        for link in links_of(folder)
    )
    section = Section("Where it was sent", (Listing(tuple(items)),))
    return replace(options, extra=(*options.extra, section), asked=(*options.asked, section))


def options_of(record: Run) -> Options:
    """The options of a summary that the suite sets, with the sections that the run's own summary had."""
    options = Options(record.facts.lowest_fields)
    try:
        suite = recorded_suite(record)
    except Problems:  # the suite needs what is not here: a variable, or functions of a program
        return with_links(with_record(options, record, ()), record.place)
    return with_links(with_record(options, record, suite.lines, reading_of(suite)), record.place)


def with_every_match(record: Run) -> Run:
    """The record with what matches in whole documents, as far as it can be had: see `with_matches`."""
    if record.lists_everything:
        return record
    try:
        suite = recorded_suite(record)
    except Problems:  # it recorded what matches, or the suite is not that of the run any more
        return record
    return with_matches(record, suite.lines, reading_of(suite))


def recorded_suite(record: Run) -> SuiteConfig:
    """The suite that the folder holds.

    No file outside of the folder is opened. Raises Problems (config) when they cannot be read here: a variable is not set,
    or the suite names functions of a program.
    """
    with reading_inside(record.place, PRESETS):
        return read_config(load(record.place / record.facts.suite), READERS)


def advice_page(path: Path) -> Page:
    """All the advice for a run. Raises Problems (config) for a run whose suite cannot be read from its folder."""
    record = with_cells(Run(path))
    try:
        suite = recorded_suite(record)
    except Problems as error:
        message = f"the suite that it holds cannot be used here: {error.issues[0].message}"
        hint = error.issues[0].hint or "set what it names, or score the test set again"
        raise problem("suite-unusable", message, where=str(record.place / record.facts.suite), hint=hint) from None
    from evaluators.reports.suggestion_search import suggestions_for

    lines = suite.lines
    suggestions = suggestions_for(lines, record, reading=reading_of(suite))
    no_suggestion = (
        Section(None, (Paragraph("No single change that was tried would turn a recorded wrong value right."),)),
    )
    cells = (line.cells for line in record.cells(record.facts.variants[0].variant))
    note = empty_answer_note(lines, record.result.columns, cells)
    empty_answers = (Section("An empty answer", (Paragraph(f"{note}.", "note"),)),) if note is not None else ()
    return Page(
        f"{record.result.name}: advice",
        (*(suggestion_section(suggestions, len(suggestions)) or no_suggestion), *empty_answers),
    )


def write_report(place: Path, files: Sequence[str]) -> list[str]:
    """Writes the run in a folder to files, and returns their places. The ending of each file names the format; a file may be in a store.

    Raises Problems: (config) for a place that has no format or would be written over, and for what the run did not record;
    (environment) where something cannot be written.
    """
    from evaluators.api.remote_files import write_places
    from evaluators.reports.report_files import check_files, check_outside_test_sets

    record = Run(place)
    by_schema = [evaluator.name for evaluator in record.facts.evaluators if evaluator.by_schema]
    issues = check_files(files, record.each_variant, by_schema)
    if issues := issues or check_outside_test_sets(map(Path, files), [record]):
        raise Problems(issues)
    return write_places(files, lambda local_files: write_again(place, local_files))


def write_again(path: Path, files: Iterable[Path]) -> list[Path]:
    """Writes the run in a folder to files, each in the format of its ending. Returns what was written.

    Raises Problems (config) for a file that its record does not hold enough for.
    """
    files = list(files)
    record = Run(path)
    if needs_cells(files):
        record = with_cells(record)
    if needs_matches(files):
        record = with_every_match(record)
    return write_files(files, record, options_of(record))
