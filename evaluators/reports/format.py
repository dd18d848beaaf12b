"""The contract of a report format, and how formats are found.

A format is one file in `formats/`. The words of a suite's `formats:` are the names of these files; `-o` finds a format by the ending of
the file's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TextIO

from evaluators.model.issues import Blame, Issue, problem
from evaluators.model.registry import Socket, suggestion
from evaluators.reports.csv_cells import spelling_of, write_csv
from evaluators.reports.headline import Options

if TYPE_CHECKING:
    from evaluators.reports.data_tables import DataTable
    from evaluators.reports.document import Page
    from evaluators.reports.html.compared_rows import ComparedRuns
    from evaluators.runs.compare.comparison import RunComparison
    from evaluators.runs.reader import Run


class Format:
    """One way to write a run down. It needs `write` alone; the rest says which files there are, and what they are made from."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """The endings of `-o` that mean it: `.md`, or `.fields.csv`."""
    file: ClassVar[str] = ""
    """The name of the file that `formats:` puts into the run folder; empty where that is not what `write` writes."""
    each: ClassVar[Literal["run", "variant", "evaluator", "table"]] = "run"
    """What has a file for itself: the run, every variant, every evaluator with a schema in every variant, or every table."""
    shows_cells: ClassVar[bool] = False
    """It shows the cells of rows, so that they are read again where the run did not keep them."""
    shows_mistakes: ClassVar[bool] = False
    """It is a page with suggestions and examples of mistakes."""

    def check(self) -> None:
        """Raises Problems (config) where a package that it needs is not installed."""

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the whole file. Every format implements it; one that is no text writes to the stream's `buffer`."""
        raise NotImplementedError  # the contract: each format writes its own

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """Writes the whole file for a comparison of runs, where the format has a way to do so."""
        raise NotImplementedError  # the contract: each format writes its own

    def write_compared(self, comparison: RunComparison, runs: Callable[[], ComparedRuns], stream: TextIO) -> None:
        """Writes the whole file for a comparison whose runs can be read: a format that shows no values has no use for them."""
        self.write_comparison(comparison, stream)


class PageFormat(Format):
    """A format that writes the pages of a run and of a comparison, with every table."""

    shows_mistakes = True

    def text(self, page: Page) -> str:
        """The page as this format has it."""
        raise NotImplementedError  # the contract: each format says how

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the page of the run, with every table."""
        from evaluators.reports.run_page import run_page  # a comparison has no use for it

        stream.write(self.text(run_page(run.result, options)))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """Writes the page of the comparison."""
        from evaluators.reports.comparison_page import comparison_page  # a run has no use for it, and starts sooner

        stream.write(self.text(comparison_page(comparison)))


class TableFormat(Format):
    """A format that writes tables of figures, each into a CSV file of its own."""

    each = "table"
    tables: ClassVar[tuple[DataTable, ...]] = ()
    section: ClassVar[str] = ""
    """What the figures are called in `run.json`: a run that has none has no such table."""
    lacking: ClassVar[str] = ""
    """What is said of a file of a run that has none, behind its name."""
    hint: ClassVar[str] = ""

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the table that the options name, or the first one, as CSV with exact numbers; an undefined one is an empty cell."""
        table = next((table for table in self.tables if table.name == options.table), self.tables[0])
        write_csv(stream, chain([table.columns], table.rows(run)), spelling_of(run))


class LinesFormat(Format):
    """A format that writes what `run.db` holds of rows as JSON lines."""

    each = "variant"

    def lines(self, run: Run, variant: str | None) -> Iterator[str]:
        """The lines of a variant, without their ends."""
        raise NotImplementedError  # the contract: each format says which

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the lines of the variant that the options name."""
        stream.writelines(f"{line}\n" for line in self.lines(run, options.variant))


FORMATS: Final[Socket[Format]] = Socket("evaluators.reports.formats", Format, "report format")

_ALSO: Final = {"md": "markdown", "xml": "junit"}
"""Further words of `formats:`."""
_ASKED_BY_NAME: Final = frozenset({"jsonl"})
"""Formats that no word means: `rows` writes rows.jsonl, with codes in place of words."""
_PRINTED: Final = {"github": "`evaluators run … --format github` prints the annotations for GitHub Actions"}
"""What is printed alone, and how."""


def format_words() -> tuple[str, ...]:
    """Every word that `formats:` knows, sorted."""
    return tuple(sorted({*FORMATS.names(), *_ALSO} - _ASKED_BY_NAME))


def check_words(words: Iterable[str]) -> list[Issue]:
    """A config issue for each word of `formats:` that no format has."""
    issues: list[Issue] = []
    for word in words:
        if word in _PRINTED:
            message, hint = f'the format "{word}" writes no file into a run folder', _PRINTED[word]
        elif word not in (known := format_words()):
            message = f'unknown report format "{word}"'
            hint = suggestion(word, known) or f"known: {', '.join(known)}"
        else:
            continue
        issues.append(Issue("unknown-format", Blame.CONFIG, message, hint=hint))
    return issues


def formats_of(files: Iterable[PurePath], words: Iterable[str]) -> list[Format]:
    """The formats of some files, and of some words that are known."""
    return [*map(format_for, files), *(FORMATS.find(_ALSO.get(word, word))() for word in words)]


def format_for(file: PurePath) -> Format:
    """The format of a file named with `-o`, by the ending of its name.

    Raises Problems (config) for an ending that no format has.
    """
    names = _by_suffix()
    suffix, name = file.suffix.lower(), file.name.lower()
    fitting = [known for known in names if name.endswith(known)] if suffix else []
    if fitting:
        return FORMATS.find(names[max(fitting, key=len)])()
    known = sorted(name for name in names if name.count(".") == 1)
    message = f'the extension "{suffix}"' if suffix else "no extension"
    raise problem(
        "unknown-format",
        f"{file.name} has {message}, and the extension says what is written",
        hint=suggestion(suffix, known) or f"known: {', '.join(known)}",
    )


def comparison_format_for(file: PurePath) -> Format:
    """How a file named with `-o` holds a comparison, by its extension.

    Raises Problems (config) for an extension that no format has, or none that holds comparisons.
    """
    suffix = file.suffix.lower()
    format = format_for(PurePath(f"comparison{suffix}") if suffix in _by_suffix() else file)
    if type(format).write_comparison is not Format.write_comparison:
        return format
    raise problem(
        "unknown-format",
        f"{file.name}: {suffix} holds rows, and a comparison has none",
        hint="known: .csv, .html, .json, .md, .txt, .xml",
    )


def _by_suffix() -> dict[str, str]:
    """The names of the formats by their endings."""
    return {suffix: name for name in FORMATS.names() for suffix in FORMATS.find(name).suffixes}
