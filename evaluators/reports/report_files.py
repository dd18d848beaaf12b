"""The files of a run: those of its folder, and those that are asked for one by one. All are made from its record."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.reports.fields_page import fields_page
from evaluators.reports.format import FORMATS, Format, TableFormat, format_for, formats_of
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.outcomes import evaluators_by_schema
from evaluators.reports.summary import summary
from evaluators.reports.text import page_text
from evaluators.runs.metrics import rows_text
from evaluators.runs.named_files import is_among_rows
from evaluators.runs.reader import Run
from evaluators.runs.recorder import SMALL_RUN
from evaluators.runs.run_folder import RunFolder
from evaluators.runs.store import open_text, refused_place
from evaluators.testsets.byte_store import local_path
from evaluators.testsets.run_files import is_recorded_in, is_run_folder

_SUMMARY: Final = "summary.txt"
_FIELDS_PAGE: Final = "fields.md"
_OF_FIELDS_PAGE: Final = frozenset(("markdown", "md"))
"""The words of formats that bring it along."""


def write_folder_files(
    folder: RunFolder,
    record: Run,
    words: Iterable[str],
    options: Options,
    page_options: Options | None = None,
    rows_csv: bool = False,
) -> None:
    """Writes the files of a run into its folder: summary.txt, those of the formats that `words` name, and rows.csv where there are few
    rows.

    `options` are those of the summary, `page_options` those of the other files where they differ. `rows_csv` asks for that file however
    many rows there are.
    """
    wanted = {*words}
    every_outcome = record.lists_everything
    folder.write(_SUMMARY, page_text(summary(record.result, options)))
    if wanted & _OF_FIELDS_PAGE:
        folder.write(_FIELDS_PAGE, page_markdown(fields_page(record.result, record if every_outcome else None)))
    for word in sorted({"csv", *wanted}):
        (form,) = formats_of((), [word])
        if not form.file or (form.each == "evaluator" and not every_outcome):
            continue
        is_requested = word in wanted or (word == "csv" and rows_csv)
        variants = variants_with_cells(record, is_requested) if form.shows_cells else record.each_variant
        for path, about in _places(folder.path / form.file, form, record, page_options or options):
            if form.each != "variant" or about.variant in variants:
                _write(path, form, record, about)


def variants_with_cells(record: Run, is_requested: bool) -> list[str | None]:
    """The variants whose cells files of the run folder can show: those with few rows, and all where that was asked for, unless their cells
    were not kept and cannot be read again."""
    return [
        variant.variant
        for variant in record.facts.variants
        if (variant.every_cell or record.read_cells_again is not None) and (is_requested or variant.rows <= SMALL_RUN)
    ]


def unwritten_rows_csv_line(record: Run, is_requested: bool) -> tuple[str, ...]:
    """The line about a rows.csv that a run did not write, with the command that does; RUN stands for the run folder. Empty where it was
    written for every variant. `is_requested` says that the file was asked for."""
    written = variants_with_cells(record, is_requested)
    rows = max((variant.rows for variant in record.facts.variants if variant.variant not in written), default=None)
    if rows is None:
        return ()
    environment = record.result.environment
    again = record.has_every_cell or (environment is not None and environment.test_set)
    command = "evaluators report RUN -o rows.csv" if again else "evaluators run SUITE -o rows.csv"
    return (f"rows.csv not written ({rows_text(rows)}): {command}",)


def needs_cells(files: Iterable[Path], words: Iterable[str] = ()) -> bool:
    """Whether some of the files or formats that were asked for show the cells of rows."""
    return any(form.shows_cells for form in formats_of(files, words))


def needs_mistakes(files: Iterable[Path], words: Iterable[str]) -> bool:
    """Whether some of the files or formats that were asked for show suggestions and examples of mistakes."""
    of_words = [form for form in formats_of((), words) if form.file]  # others write no page into the run folder
    return any(form.shows_mistakes for form in (*formats_of(files, ()), *of_words))


def needs_every_outcome(files: Iterable[Path], words: Iterable[str]) -> bool:
    """Whether some of the files or formats that were asked for list what became of every field."""
    return any(form.each == "evaluator" for form in formats_of(files, words))


def needs_matches(files: Iterable[Path], words: Iterable[str] = ()) -> bool:
    """Whether some of the files or formats that were asked for show what matches in whole documents, too."""
    files, words = [*files], {*words}
    return needs_every_outcome(files, words) or needs_mistakes(files, words) or bool(words & _OF_FIELDS_PAGE)


def write_files(files: Iterable[Path], record: Run, options: Options) -> list[Path]:
    """Write the files that were asked for, each as its ending says. Returns what was written.

    Raises Problems (config) for a file that the record does not hold enough for, with the way to a run that does.
    """
    wanted = [(file, format_for(file)) for file in files]
    if issues := [issue for file, form in wanted if (issue := _unrecorded_issue(file, form, record)) is not None]:
        raise Problems(issues)
    written = []
    for file, form in wanted:
        for path, about in _places(file, form, record, options):
            _write(path, form, record, about)
            written.append(path)
    return written


def file_places(files: Iterable[Path], record: Run) -> list[Path]:
    """The paths that `write_files` writes: a file for each variant or evaluator where the format has one for each."""
    return [path for file in files for path, _ in _places(file, format_for(file), record, Options())]


def _places(file: Path, form: Format, record: Run, options: Options) -> Iterator[tuple[Path, Options]]:
    """The files that a format writes where `file` was asked for, each with the options that name its variant, evaluator or table."""
    if form.each == "run":
        yield file, options
    elif form.each == "variant":
        for variant in record.each_variant:  # None in a run without variants, whose file keeps its name
            label = () if variant is None else (variant,)
            yield file.with_name(name_with_label(file.name, *label)), replace(options, variant=variant)
    elif isinstance(form, TableFormat):
        for table in form.tables:
            yield file.with_name(name_with_label(file.name, *table.label)), replace(options, table=table.name)
    else:  # a file for each evaluator with a schema and each variant
        several = sum(evaluator.by_schema for evaluator in record.facts.evaluators) > 1
        for stats in evaluators_by_schema(record):
            label = (*([stats.name] if several else ()), *(() if stats.variant is None else (stats.variant,)))
            yield (
                file.with_name(name_with_label(file.name, *label)),
                replace(options, variant=stats.variant, evaluator=stats.name),
            )


def name_with_label(name: str, *label: str) -> str:
    """The name of a file that each variant, evaluator or table has for itself: `rows.csv`, or `rows.gpt.csv`."""
    stem, dot, suffix = name.rpartition(".")
    return ".".join((stem, *label)) + dot + suffix


def folder_names(variants: Iterable[str | None], evaluators: Iterable[str]) -> set[str]:
    """The names of all files that `write_folder_files` can put into a run folder, whatever formats are asked for."""
    names = [name for name in variants if name is not None]
    of_evaluators = [(evaluator, *label) for evaluator in evaluators for label in ((), *((name,) for name in names))]
    files = {_SUMMARY, _FIELDS_PAGE}
    for form in (FORMATS.find(word) for word in FORMATS.names()):
        labels = [(), *((name,) for name in names), *of_evaluators]
        if issubclass(form, TableFormat):
            labels = [table.label for table in form.tables]
        files |= {name_with_label(form.file, *label) for label in labels if form.file}
    return files


def _write(path: Path, form: Format, record: Run, about: Options) -> None:
    with open_text(path) as stream:
        form.write(record, stream, about)


def _unrecorded_issue(file: Path, form: Format, record: Run) -> Issue | None:
    """The issue of a file for which the run recorded too little; None where it recorded enough."""
    if form.each == "evaluator":
        if not any(evaluator.by_schema for evaluator in record.facts.evaluators):
            return _no_outcomes(file.name)
        if not record.lists_everything:
            limit_text = f"the first {record.facts.most:,} rows with something wrong of each field"
            return _not_recorded(
                file, f"the run kept the outcomes of {limit_text}, and this file lists all", f"-o {file.name}"
            )
    elif isinstance(form, TableFormat) and record.result.rows and not getattr(record.result, form.section):
        return _no_figures(file.name, form)
    elif form.each == "variant" and form.shows_cells and not record.has_every_cell:
        message = "the run did not keep the cells of all its rows, and the test set that it scored is not there, or not as it was"
        return _not_recorded(
            file, message, f"-o {file.name}", ", or keep the cells: results: {documents: all} in the suite"
        )
    return None


def _not_recorded(file: Path, message: str, option: str, more: str = "") -> Issue:
    hint = f"score the test set again: evaluators run SUITE {option}{more}"
    return Issue("not-recorded", Blame.CONFIG, message, str(file), hint)


def check_outcomes(by_schema: bool, files: Iterable[Path], words: Iterable[str]) -> list[Issue]:
    """A problem (config) for each file of outcomes, when no evaluator has outcomes for it."""
    if by_schema:
        return []
    needing = [file.name for file in files if format_for(file).each == "evaluator"]
    needing += [f'the format "{word}"' for word in words if needs_every_outcome((), [word])]
    return [_no_outcomes(name) for name in needing]


def check_packages(files: Iterable[Path], words: Iterable[str]) -> list[Issue]:
    """A problem (config) for each format that needs a package that is not installed."""
    issues: list[Issue] = []
    for form in formats_of(files, words):
        try:
            form.check()
        except Problems as error:
            issues += error.issues
    return issues


def check_tables(sections: Iterable[str], files: Iterable[Path], words: Iterable[str]) -> list[Issue]:
    """A problem (config) for each file of figures that the suite does not ask for; `sections` are those that it has."""
    own = {*sections}
    named = [(file.name, format_for(file)) for file in files] + [
        (f'the format "{word}"', form) for word in words for form in formats_of((), [word])
    ]
    return [_no_figures(name, form) for name, form in named if isinstance(form, TableFormat) and form.section not in own]


def _no_figures(name: str, form: TableFormat) -> Issue:
    return Issue("no-figures", Blame.CONFIG, f"{name} {form.lacking}", hint=form.hint)


def _no_outcomes(name: str) -> Issue:
    """The issue that a file or format which lists every field was asked for, while no evaluator scores by a schema."""
    return Issue(
        "no-outcomes",
        Blame.CONFIG,
        f"{name} lists fields one by one, and no evaluator of this suite scores by a schema",
        hint="add a schema_match; the metrics of any run are in run.json",
    )


def check_files(
    files: Iterable[str],
    variants: Sequence[str | None] = (None,),
    evaluators: Sequence[str] = (),
    own: Path | None = None,
) -> list[Issue]:
    """A problem (config) for each place that has an unknown extension, is a folder, would be written over a file that the job reads, or
    is one that a run folder is made of. `evaluators` are those that a schema scores; `own` is a run folder that is not there yet.
    """
    issues: list[Issue] = []
    for file in files:
        try:
            form = format_for(Path(file))
        except Problems as error:
            issues.extend(error.issues)
            continue
        local = local_path(file)
        if local is None:
            issues += [
                issue for place in _possible_places(file, form, variants, evaluators) if (issue := refused_place(place))
            ]
            continue
        if own is not None and is_recorded_in(own, Path(local).resolve()):
            message = "the run folder itself has a file of that name, and what it records is not written over"
            issues.append(Issue("overwrites-run", Blame.CONFIG, message, file, "give -o another name"))
        elif os.path.isdir(local):
            issues.extend(problem("not-a-file", "this is a folder, and -o names a file", where=file).issues)
        else:
            issues += [
                issue for place in _possible_places(local, form, variants, evaluators) if (issue := refused_place(place))
            ]
    return issues


def reads_itself_issue(file: str, way: str = "") -> Issue:
    """The problem (config) of a file that the next run would take for rows of its test set, as nothing says that it is none."""
    message = "this file would be one of the test set's the next time, and nothing says that a run has written it"
    return Issue("reads-itself", Blame.CONFIG, message, file, f"{way}give -o another place")


def check_outside_test_sets(files: Iterable[Path], records: Iterable[Run]) -> list[Issue]:
    """A problem (config) for each file that the test set of one of these runs would have among its rows the next time."""
    runs = list(records)
    return [reads_itself_issue(str(file)) for file in files if any(is_among_rows(run, file) for run in runs)]


def _possible_places(file: str, form: Format, variants: Sequence[str | None], evaluators: Sequence[str]) -> list[str]:
    """The places that a format may write where `file` was asked for: as `_places`, before there is a record, so from the names of the
    variants and of the evaluators with a schema. Of one such evaluator, both spellings are there: with its name and without."""
    folder, name = os.path.split(file)
    labels: list[tuple[str, ...]] = [()]
    named: list[tuple[str, ...]] = [() if variant is None else (variant,) for variant in variants]
    if form.each == "variant":
        labels = named
    elif isinstance(form, TableFormat):
        labels = [(table.name.partition(".")[2],) for table in form.tables]
    elif form.each == "evaluator":
        labels = [(*own, *label) for own in [(), *((evaluator,) for evaluator in evaluators)] for label in named]
    return [os.path.join(folder, name_with_label(name, *label)) for label in labels]


def check_left_files(files: Iterable[Path]) -> list[Issue]:
    """A problem (config) for each file that a run has left in its folder for people, such as its summary or its page: what is not the run
    itself is not written there by that name."""
    made = {"summary.txt", "fields.md", *(FORMATS.find(word).file for word in FORMATS.names())}
    parts = [file.rsplit(".", 1) for file in made if file]
    message = "a run has left this file in its folder, so it is not written over"
    return [
        Issue("overwrites-run", Blame.CONFIG, message, str(file), "give -o another name")
        for file in files
        if is_run_folder(str(file.resolve().parent))
        and file.exists()
        and any(
            file.name == f"{stem}.{end}" or (file.name.startswith(f"{stem}.") and file.suffix == f".{end}")
            for stem, end in parts
        )
    ]
