"""The contract of a report format: how a run, or any page, is written down.

A format is one file in `formats/`. It is found there by the words of the suite's `formats:` and by the extension of `-o`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Final

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.registry import Socket, suggestion
from evaluators.reports.document import Page
from evaluators.reports.headline import Options
from evaluators.run.result import RunResult

if TYPE_CHECKING:
    from evaluators.compare.comparison import RunComparison
    from evaluators.run.reader import Run


class Format:
    """One way to write a run down."""

    words: ClassVar[tuple[str, ...]] = ()
    """What `formats:` and `--formats` call it."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """The extensions of `-o` that mean it."""

    def render(self, result: RunResult, options: Options) -> str:
        """The whole file for one run. Every format implements it."""
        raise NotImplementedError  # the contract: each format writes its own

    def compared(self, comparison: RunComparison) -> str:
        """The whole file for a comparison of runs. Raises Problems (config) where a format has no way to write one."""
        raise problem("no-comparison", f"a comparison cannot be written as {self.words[0]}")

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """The files that this format puts into the run folder, by name. `run.json` is always there."""
        return {}


class PageFormat(Format):
    """A format that can write any page, a run's summary among them."""

    def page(self, document: Page) -> str:
        """The page, ending in a line feed. Every format of pages implements it."""
        raise NotImplementedError  # the contract: each format writes its own

    def render(self, result: RunResult, options: Options) -> str:
        """The page of the run, with every table."""
        from evaluators.reports.run_page import run_page  # a run writes its summary alone, and starts sooner

        return self.page(run_page(result, options))

    def compared(self, comparison: RunComparison) -> str:
        """The page of the comparison."""
        from evaluators.reports.comparison_page import comparison_page  # a run has no use for it, and starts sooner

        return self.page(comparison_page(comparison))


class RowsPageFormat(PageFormat):
    """A format that shows rows beside the figures, where somebody can bring them."""

    def render_rows(self, record: Run, options: Options) -> str:
        """The whole file for one run, rows included. Every such format implements it."""
        raise NotImplementedError  # the contract: each format writes its own


class RowsFile(StrEnum):
    """Files that hold rows: made from the rows as they are scored, not from the figures of a run."""

    CSV = ".csv"
    JSONL = ".jsonl"


FORMATS: Final[Socket[Format]] = Socket("evaluators.reports.formats", Format, "report format")


def format_for(file: PurePath) -> Format | RowsFile:
    """What a file named with `-o` is to hold, by its extension.

    Raises Problems (config) for an extension that no format has.
    """
    suffix = file.suffix.lower()
    if suffix in tuple(RowsFile):
        return RowsFile(suffix)
    by_suffix = {known: each for each in _all() for known in each.suffixes}
    if suffix in by_suffix:
        return by_suffix[suffix]
    known = sorted({*by_suffix, *RowsFile})
    said = f'the extension "{suffix}"' if suffix else "no extension"
    raise problem(
        "unknown-format",
        f"{file.name} has {said}, and the extension says what is written",
        hint=suggestion(suffix, known) or f"known: {', '.join(known)}",
    )


def has_pages(files: Iterable[PurePath], words: Iterable[str]) -> bool:
    """Whether some of the files or formats that were asked for are pages that people read."""
    return any(isinstance(format_for(file), PageFormat) for file in files) or any(
        isinstance(_called(word), RowsPageFormat) for word in words
    )


def comparison_format_for(file: PurePath) -> Format:
    """How a file named with `-o` holds a comparison, by its extension.

    Raises Problems (config) for an extension that no format has, or none that holds comparisons.
    """
    found = format_for(file)
    if isinstance(found, Format):
        return found
    if found is RowsFile.CSV:
        return _called("csv")
    raise problem(
        "unknown-format",
        f"{file.name}: {found} holds rows, and a comparison has none",
        hint="known: .csv, .html, .json, .md, .txt, .xml",
    )


_PRINTED: Final = {"github": "`evaluators run … --format github` prints the annotations for GitHub Actions"}
"""Formats that are printed alone, and how."""


def format_words() -> tuple[str, ...]:
    """Every word that `formats:` knows, sorted."""
    return tuple(sorted(word for each in _all() for word in each.words))


def check_words(words: Iterable[str], where: str | None = None) -> list[Issue]:
    """Every word that no format has, as config issues: to be asked before row 1."""
    unknown = [word for word in words if word in _PRINTED or word not in FORMATS.shipped()]
    known = format_words() if unknown else ()
    return [
        Issue(
            "unknown-format", Blame.CONFIG, f'the format "{word}" writes no file into a run folder', where, _PRINTED[word]
        )
        if word in _PRINTED
        else Issue(
            "unknown-format",
            Blame.CONFIG,
            f'unknown report format "{word}"',
            where,
            suggestion(word, known) or f"known: {', '.join(known)}",
        )
        for word in unknown
        if word not in known
    ]


def run_files(result: RunResult, words: Iterable[str], options: Options) -> dict[str, str]:
    """The files of a run folder in the formats asked for, by name; `summary.txt` is always one of them.

    Raises Problems (config) for words that no format has.
    """
    wanted = ("text", *words)
    if issues := check_words(wanted):
        raise Problems(issues)
    return {name: text for word in wanted for name, text in _called(word).folder_files(result, options).items()}


def rows_files(record: Run, words: Iterable[str], options: Options) -> dict[str, str]:
    """The files of a run folder that show rows, by name. The rows are read for each that is asked for."""
    pages = [(word, each) for word in words if isinstance(each := _called(word), RowsPageFormat)]
    return {f"report.{word}": each.render_rows(record, options) for word, each in pages}


def _called(word: str) -> Format:
    """The format that a known word means. One that is called by its own name is imported alone."""
    if word in FORMATS.shipped():
        return FORMATS.find(word)()
    return next(each for each in _all() if word in each.words)


@cache
def _all() -> tuple[Format, ...]:
    return tuple(FORMATS.find(name)() for name in FORMATS.names())
