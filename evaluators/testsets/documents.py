"""Documents, one file each: which files a place means, and what each is called.

A place is a folder, with everything below it, or a pattern. A document of a folder is called by its path below the folder.
A document of a pattern is called by what the wildcards stand for: `data/**/expected/*.json` finds
`data/finance/10k/expected/acme.json` and calls it `finance/10k/acme`. So two places with folders of their own on the way
give the same names. The ending is set aside, and so is a word before it that says what the document is: `acme.gold.json`
is called `acme`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path, PurePath
from typing import Final, Literal, TypeAlias

from evaluators.issues import Blame, Fault, Issue, problem
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.testsets.reader import Chunk, Split
from evaluators.testsets.source import Source, reading

PairBy: TypeAlias = Literal["path", "name", "position"]

SET_ASIDE: Final = (".gold", ".expected", ".output", ".prediction", ".extracted")
"""Words before the ending that say what a document is, and are no part of its name."""

_WILDCARDS: Final = frozenset("*?[")
_CHUNK_DOCUMENTS: Final = 50


@dataclass(frozen=True, slots=True)
class Document:
    """One file. `id` pairs it with others; `folder` and `file` are its name in two parts."""

    id: str
    folder: str
    file: str
    source: Source


@dataclass(frozen=True, slots=True)
class Documents:
    """One row per expected document."""

    rows: tuple[Document, ...]
    name: str
    """What messages call the place."""
    header: tuple[str, ...] = ("id", "folder", "file", "expected")
    first_number: int = 1
    notes: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Source, ...]:
        """The documents, each once."""
        return tuple(dict.fromkeys(row.source for row in self.rows))

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split(str(Path(self.rows[0].source.path).parent), 0)] if self.rows else []

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The documents as rows, in the order of their names."""
        for start in range(0, len(self.rows), _CHUNK_DOCUMENTS):
            part = self.rows[start : start + _CHUNK_DOCUMENTS]
            end = start + len(part)
            yield Chunk(range(start, end), end, {name: _cells(name, part) for name in columns})


def _cells(column: str, part: Sequence[Document]) -> list[Cell]:
    match column:
        case "id":
            return [row.id for row in part]
        case "folder":
            return [row.folder for row in part]
        case "file":
            return [row.file for row in part]
        case "expected":
            return [text_of(row.source) for row in part]
        case _:
            return [MISSING] * len(part)


def is_pattern(place: str, folder: Path) -> bool:
    """Whether a place stands for several files by wildcards. A file whose name holds such characters is a file."""
    return not _WILDCARDS.isdisjoint(place) and not (folder / place).exists()


def holds_documents(place: str, folder: Path) -> bool:
    """Whether a place is a folder or a pattern, and not one file."""
    return (folder / place).is_dir() or is_pattern(place, folder)


def documents_at(place: str, folder: Path, pair_by: PairBy = "path") -> tuple[Document, ...]:
    """The documents of a folder or a pattern, sorted by name. Hidden files and folders are left out.

    Raises Problems (config) when there is none.
    """
    found = list(_of_pattern(place, folder) if is_pattern(place, folder) else _in_folder(place, folder))
    if not found:
        if is_pattern(place, folder):
            hint = "`*` stands for a part of one name, `**` for any number of folders"
            raise problem("no-documents", "no file fits this pattern", where=place, hint=hint)
        raise problem("empty-folder", "there is no file in this folder", where=place)
    if pair_by == "name":
        found = [replace(one, id=one.file) for one in found]
    return tuple(sorted(found, key=lambda one: (one.folder, one.file, one.source.name)))


def one_document(source: Source) -> Document:
    """A document that stands alone."""
    name = plain_name(PurePath(source.name).name)
    return Document(name, "", name, source)


def plain_name(name: str) -> str:
    """A file's name without its ending, and without a word before it that says what the document is."""
    stem = PurePath(name.removesuffix(".gz")).stem
    for word in SET_ASIDE:
        if stem.lower().endswith(word) and len(stem) > len(word):
            return stem[: -len(word)]
    return stem


def text_of(source: Source) -> Cell:
    """The text of a document, or a fault when it is not UTF-8."""
    with reading(source), source.open() as stream:
        data = stream.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Fault(Issue("undecodable-text", Blame.TESTSET, f"the document {source.name} is not UTF-8 text"))


def source_of(path: Path, name: str) -> Source:
    """The file as bytes. One whose name ends with .gz is unpacked while it is read."""
    return Source(str(path), name, compressed=path.name.lower().endswith(".gz"))


def _in_folder(place: str, folder: Path) -> Iterator[Document]:
    """The files of a folder and of the folders in it."""
    top = folder / place
    for at, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        steps = Path(at).relative_to(top).parts
        for name in files:
            if not name.startswith("."):
                yield _called([*steps, plain_name(name)], Path(at) / name, str(Path(place, *steps, name)))


def _of_pattern(place: str, folder: Path) -> Iterator[Document]:
    """The files that a pattern finds."""
    steps = PurePath(place).parts
    for found in dict.fromkeys(glob(place, root_dir=folder, recursive=True)):
        if (folder / found).is_file():
            own = PurePath(found).parts
            name = _stood_for(steps, own) or []
            if _WILDCARDS.isdisjoint(steps[-1]):
                name = name or [plain_name(own[-1])]
            else:
                name = [*name[:-1], plain_name(own[-1])]
            yield _called(name, folder / found, found)


def _called(steps: Sequence[str], path: Path, shown: str) -> Document:
    return Document("/".join(steps), "/".join(steps[:-1]), steps[-1], source_of(path, shown))


def _stood_for(pattern: Sequence[str], path: Sequence[str]) -> list[str] | None:
    """The steps of the path that the wildcards of the pattern stand for; None where the two do not fit."""
    if not pattern or not path:
        return [] if not path and all(step == "**" for step in pattern) else None
    step, rest = pattern[0], pattern[1:]
    if step == "**":
        tried = (
            [*path[:count], *found]
            for count in range(len(path) + 1)
            if (found := _stood_for(rest, path[count:])) is not None
        )
        return next(tried, None)
    fixed = _WILDCARDS.isdisjoint(step)
    if not (step == path[0] if fixed else fnmatchcase(path[0], step)):
        return None
    found = _stood_for(rest, path[1:])
    return found if found is None or fixed else [path[0], *found]
