"""Documents, one file each: which files a place means, and what each is called.

A place is a folder, with everything below it, or a pattern. A document of a folder is called by its path below the folder.
A document of a pattern is called by what the wildcards stand for: `data/**/expected/*.json` finds
`data/finance/10k/expected/acme.json` and calls it `finance/10k/acme`. So two places with folders of their own on the way
give the same names. The ending is set aside, and so is a word before it that says what the document is: `acme.gold.json`
is called `acme`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.issues import Blame, CellError, Issue, problem
from evaluators.needs import Cell, too_long
from evaluators.testsets.byte_source import ByteSource, read_up_to, reading
from evaluators.testsets.byte_store import at, files_at, kind_at, store_of
from evaluators.testsets.places import has_wildcards, stood_for
from evaluators.testsets.run_files import without_runs
from evaluators.values.addresses import shown_address
from evaluators.values.json_text import MAX_CHARS

PairBy: TypeAlias = Literal["path", "name", "position"]

SET_ASIDE: Final = (".gold", ".expected", ".output", ".prediction", ".extracted")
"""Words before the ending that say what a document is, and are no part of its name."""

PATTERN_HINT: Final = "`*` stands for a part of one name, `**` for any number of folders"
LONGEST: Final = MAX_CHARS
"""Characters of a document."""
_BYTES_OF_A_CHARACTER: Final = 4


class DocumentFile(Struct, frozen=True):
    """One file. `id` pairs it with others; `folder` and `file` are its name in two parts."""

    id: str
    folder: str
    file: str
    source: ByteSource


def is_pattern(place: str, folder: Path) -> bool:
    """Whether a place stands for several files by wildcards. A file whose name holds such characters is a file."""
    return has_wildcards(place) and store_of(place).lists and kind_at(folder, place) is None


def holds_documents(place: str, folder: Path) -> bool:
    """Whether a place is a folder or a pattern, and not one file."""
    return store_of(place).lists and (kind_at(folder, place) == "folder" or is_pattern(place, folder))


def documents_at(place: str, folder: Path, pair_by: PairBy = "path") -> tuple[DocumentFile, ...]:
    """The documents of a folder or a pattern, sorted by name. Hidden files and folders are left out.

    Raises Problems (config) when there is none.
    """
    pattern = is_pattern(place, folder)
    files = without_runs(files_at(place, folder), place, folder)
    if not files and pattern:
        raise problem("no-documents", "no file fits this pattern", where=place, hint=PATTERN_HINT)
    if not files:
        raise problem("empty-folder", "there is no file in this folder", where=place)
    found = []
    for one in files:
        *steps, name = _name_of(one, place, pattern)
        id = name if pair_by == "name" else "/".join((*steps, name))
        found.append(DocumentFile(id, "/".join(steps), name, source_of(one, folder)))
    return tuple(sorted(found, key=lambda one: (one.folder, one.file, one.source.name)))


def _name_of(file: str, place: str, pattern: bool) -> Sequence[str]:
    """What a document is called, in steps: its path below the folder, or what the wildcards of the pattern stand for."""
    own, steps = PurePath(file).parts, PurePath(place).parts
    name = plain_name(own[-1])
    if not pattern:
        return (*own[len(steps) : -1], name)
    stands = stood_for(steps, own) or [name]
    return (*stands[:-1], name) if has_wildcards(steps[-1]) else stands


def one_document(source: ByteSource) -> DocumentFile:
    """A document that stands alone."""
    name = plain_name(PurePath(source.name).name)
    return DocumentFile(name, "", name, source)


def plain_name(name: str) -> str:
    """A file's name without its ending, and without a word before it that says what the document is."""
    stem = PurePath(name.removesuffix(".gz")).stem
    for word in SET_ASIDE:
        if stem.lower().endswith(word) and len(stem) > len(word):
            return stem[: -len(word)]
    return stem


def text_of(source: ByteSource) -> Cell:
    """The text of a document, or a fault when it is too long, or not UTF-8."""
    with reading(source), source.open() as stream:
        data = read_up_to(stream, _BYTES_OF_A_CHARACTER * LONGEST)
        if len(data) > _BYTES_OF_A_CHARACTER * LONGEST:
            return too_long(len(data), LONGEST)
    try:
        text = data.decode("utf-8-sig")
        return text if len(text) <= LONGEST else too_long(len(text), LONGEST)
    except UnicodeDecodeError:
        return CellError(Issue("undecodable-text", Blame.TESTSET, f"the document {source.name} is not UTF-8 text"))


def source_of(name: str, folder: Path) -> ByteSource:
    """The file of that name, relative to `folder`. One whose name ends with .gz is unpacked while it is read."""
    return ByteSource(at(folder, name), shown_address(name), compressed=name.lower().endswith(".gz"))
