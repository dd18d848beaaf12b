"""Formats that list what became of every field of every row: `fields.csv`, `report.json`, and a part of `fields.md`.

Such a format is found by its word as any other, and with `-o` by the double ending of the file: `-o nightly.fields.csv`.
What it lists comes from a second pass over the rows, as often as a file asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import PurePath
from typing import ClassVar, TextIO, TypeAlias

from evaluators.issues import problem
from evaluators.reports.format import FORMATS, Format
from evaluators.reports.headline import Options
from evaluators.reports.outcomes import ReportPart
from evaluators.run.result import RunResult

OpenFile: TypeAlias = Callable[[str], AbstractContextManager[TextIO]]
"""Opens a file of the run folder by its name."""


class OutcomesFormat(Format):
    """A format that puts outcomes into the run folder."""

    def folder_outcomes(self, result: RunResult, parts: Sequence[ReportPart], open_file: OpenFile) -> None:
        """Writes the files that list outcomes. There is at least one part.

        Every such format implements it.
        """
        raise NotImplementedError  # the contract: each format writes its own


class OutcomesFile(OutcomesFormat):
    """A format that is one file of outcomes, for each evaluator and variant apart."""

    file: ClassVar[str]
    """What it is called in a run folder."""

    def render(self, result: RunResult, options: Options) -> str:
        """Nothing can be listed from the figures alone. Raises Problems (config)."""
        raise problem("needs-rows", f"{self.file} lists rows, and only a run has them", hint="run the suite again")

    def write(self, stream: TextIO, part: ReportPart) -> None:
        """Writes the whole file. Every such format implements it."""
        raise NotImplementedError  # the contract: each format writes its own

    def folder_outcomes(self, result: RunResult, parts: Sequence[ReportPart], open_file: OpenFile) -> None:
        for part in parts:
            with open_file(part.file(self.file)) as stream:
                self.write(stream, part)


def outcomes_file_for(file: PurePath) -> OutcomesFile | None:
    """What a file named with `-o` is to list; None when its ending is none of theirs."""
    name = file.name.lower()
    return next((each for each in _files() if name.endswith(f".{each.file}")), None)


def outcome_formats(words: Iterable[str]) -> list[OutcomesFormat]:
    """The formats that were asked for and list outcomes."""
    asked = {*words}
    names = sorted(asked) if asked <= {*FORMATS.shipped()} else FORMATS.names()  # no other format is imported
    found = (FORMATS.find(name)() for name in names)
    return [each for each in found if isinstance(each, OutcomesFormat) and asked.intersection(each.words)]


def outcome_words(words: Iterable[str]) -> list[str]:
    """Those of some words that mean a file of outcomes."""
    shipped = FORMATS.shipped()
    return [word for word in words if word in shipped and issubclass(FORMATS.find(word), OutcomesFile)]


def _formats() -> Iterator[OutcomesFormat]:
    for name in FORMATS.names():
        plug = FORMATS.find(name)
        if issubclass(plug, OutcomesFormat):
            yield plug()


def _files() -> Iterator[OutcomesFile]:
    return (each for each in _formats() if isinstance(each, OutcomesFile))
