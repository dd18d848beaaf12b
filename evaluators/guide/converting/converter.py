"""The contract of a converter: it reads another system's files and says what a suite would have to say.

A converter is one file in `plugs/`, or a class behind the entry point group `evaluators.guide.converting.plugs`. What it knows of its
system stands in `tables`: one `Term` for each word of that system. The converter looks words up there, and the reference page is
made from the same tables, so the two cannot disagree. Files are read as data: nothing in them is run or imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

from msgspec import Struct, field

from evaluators.model.issues import problem
from evaluators.model.registry import Socket
from evaluators.scoring.needs import Role

_HEAD_BYTES: Final = 256 * 1024
"""How much of a file is looked at to recognise its system."""
ASKS_JUDGE: Final = "it asks a judge: take the marks away when the suite names one"


class MappingStatus(StrEnum):
    """What there is here for a word of another system."""

    SAME = "mapped"
    NOTED = "mapped with a note"
    NONE = "no counterpart"


class Term(Struct, frozen=True):
    """A word of another system, and what says the same here.

    `here` is the type of an evaluator, or the name of a setting; None where nothing says the same. `note` is what a reader has to
    know of the difference, or why there is nothing. `settings` are the words that go with this one.
    """

    theirs: str
    here: str | None = None
    note: str = ""
    settings: tuple[Term, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)
    """Settings that the evaluator here needs in any case to say the same."""
    value: Callable[[Any], Any] | None = None
    """How the value of a setting is written here, where it is written in another way."""

    @property
    def status(self) -> MappingStatus:
        """Whether the word has a counterpart here, and whether that needs a note."""
        if self.here is None:
            return MappingStatus.NONE
        return MappingStatus.NOTED if self.note else MappingStatus.SAME


class TermTable(Struct, frozen=True):
    """The words of one kind: scorers, say, or the keys of a file."""

    title: str
    words: tuple[Term, ...]

    def find(self, theirs: str) -> Term | None:
        """The term for a word of the other system; None where the table has none."""
        return next((word for word in self.words if word.theirs == theirs), None)


class ForeignValue(Struct, frozen=True):
    """A value as another system's file has it, and where it stands there."""

    value: Any
    place: str


class MappingNote(Struct, frozen=True):
    """How one word of the file was mapped, for the summary and for a comment in the suite."""

    place: str
    theirs: str
    status: MappingStatus
    note: str = ""

    def __str__(self) -> str:
        text = f"{self.theirs}: {self.status}"
        return f"{self.place}  {text}: {self.note}" if self.note else f"{self.place}  {text}"


class ConvertedEvaluator(Struct):
    """An evaluator of the suite to be written."""

    type: str
    name: str
    settings: dict[str, Any]
    findings: list[MappingNote]
    """The mapping of the word that it was made from, then of the settings of that word."""
    rows: tuple[str, ...] | None = None
    """The ids of the rows it is for; None for all rows."""
    when: dict[str, Any] = field(default_factory=dict)
    """A condition other than the ids."""
    weight: float | None = None
    """What it weighs in the row's overall metric; None where the system has no such metric."""
    group: str | None = None
    """The name of the composite it is a part of, in place of the overall metric."""

    @property
    def asks_judge(self) -> bool:
        """Whether it asks a judge. No other system's file names one of ours, so it is written as a comment."""
        return self.type == "llm_judge"


class Grouping(Struct):
    """A composite of the evaluators that name it as their group."""

    name: str
    pass_at: float | None
    weight: float | None


class Conversion(Struct):
    """The result of a conversion, in the order of the files it was made from."""

    name: str
    sources: tuple[str, ...]
    parts: list[ConvertedEvaluator | MappingNote] = field(default_factory=list)
    test_set: dict[str, Any] = field(default_factory=dict)
    """The section `test_set`, with paths from the folder where the command runs."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `test_set` that say how files of rows are read: encoding, delimiter, columns."""
    test_set_findings: list[MappingNote] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What the reader of the suite has to know or do, one sentence each."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Rows that stand in the files and in no file that a suite could name."""
    roles: dict[Role, str] = field(default_factory=dict)
    """The columns of `rows` that play a role, for where other names may seem to."""
    verdicts: dict[str, bool] = field(default_factory=dict)
    """Whether the other system passed a row, by id."""
    slices: list[str] = field(default_factory=list)
    groups: list[Grouping] = field(default_factory=list)
    thresholds: dict[float, tuple[str, ...] | None] = field(default_factory=dict)
    """What the overall metric must reach, and for which rows; None for all others."""

    @property
    def evaluators(self) -> list[ConvertedEvaluator]:
        """The evaluators that run as they are: without what has no counterpart, and without those that ask a judge."""
        return [part for part in self.parts if isinstance(part, ConvertedEvaluator) and not part.asks_judge]

    @property
    def judged_evaluators(self) -> list[ConvertedEvaluator]:
        """The evaluators that ask a judge."""
        return [part for part in self.parts if isinstance(part, ConvertedEvaluator) and part.asks_judge]

    @property
    def findings(self) -> list[MappingNote]:
        """The notes on how every word was mapped, in the order of the suite."""
        notes = list(self.test_set_findings)
        for part in self.parts:
            notes += part.findings if isinstance(part, ConvertedEvaluator) else [part]
        return notes


class Converter:
    """Another system, as far as its files can become a suite."""

    title: ClassVar[str]
    """The system's name, as it writes it."""
    reads: ClassVar[str]
    """What files it takes, in one sentence."""
    tables: ClassVar[tuple[TermTable, ...]]
    marks: ClassVar[str]
    """A pattern that occurs in the system's files, and in nobody else's."""

    nothing: ClassVar[tuple[str, str]]
    """The message and the hint for files that hold nothing of the system."""

    def convert(self, files: Sequence[Path], reading: Mapping[str, Any] = MappingProxyType({})) -> Conversion:
        """The conversion of the files. `reading` are settings of `test_set` for files of rows.

        Raises Problems (config) for files that cannot be read, or hold nothing of that system.
        """
        first = str(files[0])
        conversion = Conversion(Path(first).stem, tuple(map(str, files)), reading=reading)
        for file in files:
            self.read(file, conversion)
        self.finish(conversion)
        if not conversion.parts:
            conversion.parts += self.proposed(conversion, first)
        if not conversion.parts:
            message, hint = self.nothing
            raise problem("nothing-to-convert", message, where=first, hint=hint)
        return conversion

    def read(self, file: Path, conversion: Conversion) -> None:
        """Reads one file and adds what it says to the conversion. Every converter implements it."""
        raise NotImplementedError  # the contract: each system has files of its own

    def finish(self, conversion: Conversion) -> None:
        """Adds to the conversion what the files say together, once all of them are read."""

    def proposed(self, conversion: Conversion, source: str) -> Sequence[ConvertedEvaluator | MappingNote]:
        """The evaluators to begin with for files that name none but hold rows; `source` is the place in their notes. There are none unless
        a converter has some."""
        return ()


CONVERTERS: Final[Socket[Converter]] = Socket("evaluators.guide.converting.plugs", Converter, "system")


def head_of(file: Path) -> str:
    """The beginning of a file, whatever it holds. Raises Problems (config) where it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise problem("unreadable-file", f"cannot be read: {error.strerror or error}", where=str(file)) from None


def system_of_files(files: Sequence[Path]) -> str:
    """The name of the system whose marks stand in the first of the files. Raises Problems (config) where that is no system or several."""
    head = head_of(files[0])
    systems = [name for name in CONVERTERS.names() if re.search(CONVERTERS.find(name).marks, head)]
    if len(systems) == 1:
        return systems[0]
    message = f"may be of {' or '.join(systems)}" if systems else "is of no system that its text tells"
    command = f"evaluators convert {systems[0] if systems else 'SYSTEM'} {files[0]}"
    hint = f"name the system: {command}; there are {', '.join(CONVERTERS.names())}"
    raise problem("unknown-system", f"the file {message}", where=str(files[0]), hint=hint)


def convert_word(
    word: Term, where: str, arguments: Mapping[str, ForeignValue], name: str | None = None
) -> ConvertedEvaluator | MappingNote:
    """The evaluator that a word with its settings becomes, or the note that it has no counterpart. `arguments` are the word's settings in
    the file.

    Settings that the word's line does not list are findings of their own: nothing is dropped without being named.
    """
    if word.here is None:
        return MappingNote(where, word.theirs, MappingStatus.NONE, word.note)
    settings = dict(word.always)
    findings = [MappingNote(where, word.theirs, word.status, word.note)]
    known = {setting.theirs: setting for setting in word.settings}
    for theirs, value in arguments.items():
        line = known.get(theirs)
        if line is None or line.here is None:
            text = line.note if line is not None else "it is not among the settings this converter knows"
            findings.append(MappingNote(value.place, f"{word.theirs}, {theirs}", MappingStatus.NONE, text))
            continue
        settings[line.here] = line.value(value.value) if line.value is not None else value.value
        if line.note:
            findings.append(MappingNote(value.place, f"{word.theirs}, {theirs}", MappingStatus.NOTED, line.note))
    return ConvertedEvaluator(word.here, name or word.here, settings, findings)


def without_counterpart(where: str, theirs: str, note: str) -> MappingNote:
    """The note on the word `theirs`, which is not taken over; `where` is its place in the file."""
    return MappingNote(where, theirs, MappingStatus.NONE, note)
