"""Documents, one file each: which files a place means, and what each is called.

A place is a folder, with everything below it, or a pattern. A document of a folder is called by its path below the folder.
A document of a pattern is called by what the wildcards stand for: `data/**/expected/*.json` finds
`data/finance/10k/expected/acme.json` and calls it `finance/10k/acme`. So two places with folders of their own on the way
give the same names. The ending is set aside, and so is a word before it that says what the document is: `acme.gold.json`
is called `acme`.

Opening a file of rows: its format goes by the name, else by its first bytes.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.scoring.needs import Cell, too_long
from evaluators.scoring.values.addresses import has_wildcards, shown_address, wildcard_steps
from evaluators.scoring.values.json_text import MAX_CHARS, NotJSON, parse
from evaluators.testsets.byte_source import (
    STANDARD_INPUT,
    WORKBOOKS,
    ByteSource,
    locate,
    read_up_to,
    reading,
    unusable_file,
)
from evaluators.testsets.byte_store import inside, kind_at, matching, resolve_place, scheme_of, store_of
from evaluators.testsets.reader import OPTIONS, READERS, Reader
from evaluators.testsets.run_files import files_without_runs, without_runs
from evaluators.testsets.test_set_config import variant_name_problem

if TYPE_CHECKING:
    from evaluators.testsets.many_files import ManyFiles


PairBy: TypeAlias = Literal["path", "name", "position"]
Documents: TypeAlias = dict[str, Sequence[Any]]
"""Files as columns: `id` pairs one with others, `folder` and `file` are its name in two parts, `expected` is the file."""

SET_ASIDE: Final = (".gold", ".expected", ".output", ".prediction", ".extracted")
"""Words before the ending that say what a document is, and are no part of its name."""

PATTERN_HINT: Final = "`*` stands for a part of one name, `**` for any number of folders"
LONGEST: Final = MAX_CHARS
"""Characters of a document."""
_BYTES_OF_A_CHARACTER: Final = 4


def is_pattern(path: str, folder: Path) -> bool:
    """Whether a place stands for several files by wildcards. A file whose name holds such characters is a file."""
    return has_wildcards(path) and store_of(path).lists and kind_at(folder, path) is None


def holds_documents(path: str, folder: Path) -> bool:
    """Whether a place is a folder or a pattern, and not one file."""
    return store_of(path).lists and (kind_at(folder, path) == "folder" or is_pattern(path, folder))


def documents_at(path: str, folder: Path, pair_by: PairBy = "path") -> Documents:
    """The documents of a folder or a pattern, sorted by name, as columns; their ids are their names, with the folder unless `pair_by` is
    `name`. Hidden files and folders, and files of runs, are left out.

    Raises Problems (config) when there is none.
    """
    pattern = is_pattern(path, folder)
    files = files_without_runs(path, folder)
    if not files and pattern:
        raise problem("no-documents", "no file fits this pattern", where=path, hint=PATTERN_HINT)
    if not files:
        raise problem("empty-folder", "there is no file in this folder", where=path)
    named = [(*_folder_and_name(file, path, pattern), source_of(file, folder)) for file in files]
    named.sort(key=lambda document: (document[0], document[1], document[2].name))
    folders, names, sources = zip(*named, strict=True)
    ids = names if pair_by == "name" else [f"{above}/{name}" if above else name for above, name, _ in named]
    return {"id": ids, "folder": folders, "file": names, "expected": sources}


def _folder_and_name(file: str, path: str, pattern: bool) -> tuple[str, str]:
    """(folder, name): the name of a document in two parts. It is its path below the folder `path`, or what the wildcards of the pattern
    `path` stand for."""
    own, steps = PurePath(file).parts, PurePath(path).parts
    name = plain_name(own[-1])
    if not pattern:
        return "/".join(own[len(steps) : -1]), name
    stands = wildcard_steps(steps, own) or [name]
    return "/".join(stands[:-1]), name if has_wildcards(steps[-1]) else stands[-1]


def one_document(source: ByteSource) -> Documents:
    """The document of a single file, in the form that `documents_at` gives several."""
    name = plain_name(PurePath(source.name).name)
    return {"id": [name], "folder": [""], "file": [name], "expected": [source]}


def plain_name(name: str) -> str:
    """A file's name without its ending, and without a word before it that says what the document is."""
    stem = PurePath(name.removesuffix(".gz")).stem
    for word in SET_ASIDE:
        if stem.lower().endswith(word) and len(stem) > len(word):
            return stem[: -len(word)]
    return stem


def without_endings(
    expected: Documents, outputs: Documents, *, one_sided: bool = False
) -> tuple[Documents, Documents, str]:
    """(expected, outputs, endings): documents of two places that no name pairs, with ids without an ending that all of a place have:
    `d1_predicted` is `d1`. `endings` says in words which ones were set aside.

    Where some names agree already, or where none would, the documents come back as they are, and `endings` is empty. With `one_sided`, the
    ids of the expected documents stay.
    """
    gold, output_ids = list(map(str, expected["id"])), list(map(str, outputs["id"]))
    if not {*gold}.isdisjoint(output_ids):
        return expected, outputs, ""
    tried = [
        (ending, other)
        for ending in ([""] if one_sided else _shared_endings(gold))
        for other in _shared_endings(output_ids)
    ]
    paired = {
        ends: len({_without_ending(id, ends[0]) for id in gold} & {_without_ending(id, ends[1]) for id in output_ids})
        for ends in tried
    }
    best = max(tried, key=lambda ends: paired[ends])
    if not paired[best]:
        return expected, outputs, ""
    sides = [
        {**ending, "id": [_without_ending(str(id), end) for id in ending["id"]]}
        for ending, end in zip((expected, outputs), best, strict=True)
    ]
    return sides[0], sides[1], " and ".join(f'"{end}"' for end in best if end)


_SEPARATORS: Final = "_-. "


def _shared_endings(ids: Sequence[str]) -> list[str]:
    """The endings that all names share, "" first, each from a separator on and with a letter; for one name, each of its endings."""
    same = takewhile(lambda letters: len({*letters}) == 1, zip(*map(reversed, ids), strict=False))
    shared = "".join(letters[0] for letters in same)[::-1].rpartition("/")[2]
    if len(ids) == 1:  # one name shares all of itself, and an ending leaves something of it
        shared = shared[1:]
    tails = (shared[start:] for start, letter in enumerate(shared) if letter in _SEPARATORS)
    return ["", *(tail for tail in tails if any(map(str.isalpha, tail)))]


def _without_ending(id: str, end: str) -> str:
    """The id without that ending; an id that is nothing else stays."""
    return id.removesuffix(end) or id


def variants_at(place: str, folder: Path) -> dict[str, str]:
    """The variants that are in a folder, or fit a pattern: their names, and where the outputs of each are. Each folder or file there is
    one, a file named without its ending; hidden ones and those of runs are left out.

    Raises Problems (config) when there is none, and for names that cannot be those of variants.
    """
    if kind_at(folder, place) == "folder":
        whole = resolve_place(folder, place)
        beside = [inside(place, name) for name in store_of(whole).names(whole) if not name.startswith(".")]
    else:
        fitting = matching(place.replace("**", "*"), folder)
        beside = [place_ for place_ in fitting if not PurePath(place_).name.startswith(".")]
    beside = without_runs(place, folder, beside)
    names: dict[str, str] = {}
    for place_ in sorted(beside):
        path = PurePath(place_)
        name = path.name if kind_at(folder, place_) == "folder" else PurePath(path.name.removesuffix(".gz")).stem
        if (wrong := variant_name_problem(name)) is not None:
            hint = "give it a name: `outputs: {NAME: FILE, …}`"
            raise problem("variant-name", wrong.message, where=place_, hint=hint)
        if name in names:
            message = f'two variants are called "{name}"'
            raise problem("same-variant", message, where=place, hint="give each a name: `outputs: {NAME: FILE, …}`")
        shown = path.relative_to(folder) if path.is_relative_to(folder) else path
        names[name] = place_ if scheme_of(place_) else str(shown)
    if not names:
        hint = "a folder, or a pattern such as `outputs/*.jsonl`, relative to the suite"
        raise problem("no-outputs", "no file or folder of outputs is there", where=place, hint=hint)
    return names


def text_of(source: ByteSource) -> Cell:
    """The text of a document, which is read here; a fault where it is too long, or not UTF-8. Raises Problems where it cannot be read."""
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
    return ByteSource(resolve_place(folder, name), shown_address(name), compressed=name.lower().endswith(".gz"))


_SUITES: Final = (".yaml", ".yml")
_HEAD_BYTES: Final = 64 * 1024
_FIRST_LINE_BYTES: Final = 1024 * 1024
"""A longer first line is none of JSON lines in a file that is called `.json`."""
_NO_DATA: Final = ("_", ".")
"""How the names of files begin that programs leave beside their rows, such as `_SUCCESS`."""
_FIXED_COLUMNS: Final = ("csv", "tsv", "parquet", "xlsx")
_ROWS_ALONE: Final = (".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson", ".xlsx", ".xlsm")
"""Endings of files that hold rows, and are never one document."""


def open_table(source: ByteSource, format: str | None = None) -> Reader:
    """Opens a file of rows, in the format named or else in the one that its name or its first bytes say. Raises Problems when it cannot be
    opened, is not of the format, or when `source` has settings that the format does not know."""
    if format is None and source.suffix in _SUITES:
        hint = "a suite comes first and its test set second: evaluators run suite.yaml rows.csv; rows in YAML can be written as JSON"
        raise problem("not-rows", "this is a YAML file, and a file with rows is expected", where=source.name, hint=hint)
    notes = [] if source.note is None else [source.note]
    if format is None:
        _refuse_no_rows(source)
        format = format_of(source)
        if format == "jsonl" and source.suffix == ".json":
            notes.append(f"{source.name}: each line is a JSON object, so it is read as JSON lines")
    reader = READERS.find(format)
    refuse_options([option for option in OPTIONS if getattr(source, option)], reader.options, source.name, format)
    table = reader.open(source)
    return replace(table, notes=(*notes, *table.notes)) if notes else table


_NO_ROWS: Final = (
    (b"PK\x03\x04", "an archive (ZIP)", "unpack it, and name the file with the rows"),
    (b"<!doctype html", "a web page", "save its table as CSV, with a spreadsheet or with the program that made it"),
    (b"<html", "a web page", "save its table as CSV, with a spreadsheet or with the program that made it"),
    (
        b"\x80\x04\x95",
        "a pickle of Python",
        'write it as JSON lines, with pandas by `to_json("rows.jsonl", orient="records", lines=True)`',
    ),
    (b"\x93numpy", "an array of NumPy", "write it as CSV or JSON lines"),
    (b"%pdf", "a PDF", "write its rows as CSV or JSON lines"),
    (b"sqlite format 3\x00", "a database of SQLite", "`sql` under test_set reads its rows"),
)
"""How files begin that hold no rows or not as such, what each is, and what to do."""


def _refuse_no_rows(source: ByteSource) -> None:
    """Raises Problems for a file whose name is not that of rows and whose first bytes are those of something else."""
    if _is_named_by_format(source) or source.suffix in _formats_by_suffix():
        return
    head = source.head(_HEAD_BYTES)
    begins = head[:_LONGEST_MARK].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    for mark, what, hint in _NO_ROWS:
        if begins.startswith(mark.lower()) and (source.suffix == ".zip" or not head.startswith(WORKBOOKS)):
            raise unusable_file(source, "not-rows", f"this is {what}, and a file with rows is expected", hint)


_LONGEST_MARK: Final = 64


def refuse_options(options: Iterable[str], known: Collection[str], where: str, read_as: str) -> None:
    """Raises Problems (config) for each of the settings `options` of `test_set` that is not among the `known` ones of the format
    `read_as`."""
    issues = []
    for option in options:
        if option not in known:
            formats = [name for name in READERS.names() if option in READERS.find(name).options]
            message = f"`{option}` is for {_words_text(formats)} files, and this is read as {read_as}"
            issues.append(Issue("unused-option", Blame.CONFIG, message, where, f"leave out `{option}`"))
    if issues:
        raise Problems(issues)


def _words_text(words: Sequence[str]) -> str:
    """Words as people list them: `csv, tsv and xlsx`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def open_file(
    name: str,
    folder: Path,
    format: str | None = None,
    settled: Callable[[ByteSource], ByteSource] = lambda source: source,
) -> Reader:
    """Opens the file of rows of that name, relative to `folder`, or all files of a folder or a pattern as one table.

    `settled` gives each source with the settings that say how it is to be read. Raises Problems when there is no such file, or when one
    cannot be opened.
    """
    if name == STANDARD_INPUT or not holds_documents(name, folder):
        return open_table(settled(locate(name, folder)), format)
    return _open_files(name, folder, format, settled)


def _open_files(name: str, folder: Path, format: str | None, settled: Callable[[ByteSource], ByteSource]) -> ManyFiles:
    """Opens all files of rows in a folder, or those that fit a pattern, as one table. Raises Problems where there are none, where they are
    of several formats, and where one cannot be opened."""
    from evaluators.testsets.many_files import many_files  # most runs read one file

    in_folder = kind_at(folder, name) == "folder"
    every = [run for run in files_without_runs(name, folder) if not PurePath(run).name.startswith(_NO_DATA)]
    paths = sorted((path for path in every if format or not in_folder or named_as_rows(path)), key=_steps)
    shown = shown_address(f"{name.rstrip('/')}/" if in_folder else name)
    if not paths:
        raise _problem_of_no_files(shown, in_folder, every)
    sources = [settled(locate(path, folder)) for path in paths]
    formats = {format or format_of(source): source.name for source in sources}
    if len(formats) > 1:
        listed_formats = " and ".join(f"{word} ({first})" for word, first in formats.items())
        hint = 'a pattern in quotes chooses some, as in "rows/*.csv"'
        raise problem("several-formats", f"the files are of several formats: {listed_formats}", where=shown, hint=hint)
    (word,) = formats
    readers = [open_table(source, word) for source in sources]
    top = len(_fixed_steps(name, in_folder))
    whole = ByteSource(resolve_place(folder, name), shown)
    table = many_files(whole, readers, ["/".join(_steps(path)[top:]) for path in paths], word in _FIXED_COLUMNS)
    if left := len(every) - len(paths):
        files = "1 file is" if left == 1 else f"{left:,} files are"
        note = f"{shown}: {files} left out, because their names are not those of rows"
        table = replace(table, notes=(note, *table.notes))
    return table


def holds_rows(path: str, folder: Path) -> bool:
    """Whether a folder or a pattern stands for files of rows, as their names say, and not for documents."""
    files = files_without_runs(path, folder)
    return bool(files) and all(_suffix(file) in _ROWS_ALONE for file in files)


def _steps(path: str) -> list[str]:
    """The folders of a place and its last name, in order."""
    return path.split("/") if scheme_of(path) else list(PurePath(path).parts)


def _fixed_steps(name: str, in_folder: bool) -> list[str]:
    """The steps of a folder, or those of a pattern before the first that has wildcards; the file's own is never among them."""
    steps = _steps(name.rstrip("/"))
    if in_folder:
        return steps
    return steps[: next((count for count, step in enumerate(steps[:-1]) if has_wildcards(step)), len(steps) - 1)]


def _problem_of_no_files(shown: str, in_folder: bool, every: Sequence[str]) -> Problems:
    """The Problems to raise for a folder or a pattern that has no files of rows; `every` are its files, `shown` its name in messages."""
    if not in_folder:
        return problem("no-such-file", "no file fits this pattern", where=shown, hint=PATTERN_HINT)
    if not every:
        return problem("empty-folder", "there is no file in this folder", where=shown)
    hint = f"rows are in files that end with {', '.join(sorted(_formats_by_suffix()))}; documents are named by `expected` and `output`"
    return problem("no-rows", "no file in this folder has a name of rows", where=shown, hint=hint)


def _is_named_by_format(source: ByteSource) -> bool:
    """Whether the name of a file ends as that of a format does; the readers of other formats need not be imported then."""
    name = source.suffix.removeprefix(".")
    return name in READERS.shipped_names() and source.suffix in READERS.find(name).suffixes


def format_of(source: ByteSource) -> str:
    """The format of a file, by its name, or else by its first bytes."""
    name = source.suffix.removeprefix(".")
    if _is_named_by_format(source):
        return "jsonl" if name == "json" and holds_json_lines(source) else name
    return _formats_by_suffix().get(source.suffix) or _format_of_bytes(source.head(_HEAD_BYTES))


def holds_json_lines(source: ByteSource) -> bool:
    """Whether the first line of a file is a JSON object, and the next line that is not blank begins another one."""
    with reading(source), source.open() as stream:
        lines = (line for line in iter(partial(stream.readline, _FIRST_LINE_BYTES), b"") if line.strip())
        first, second = next(lines, b"").removeprefix(codecs.BOM_UTF8), next(lines, b"")
    if not first.endswith(b"\n") or not second.lstrip().startswith(b"{"):
        return False
    with suppress(NotJSON):
        return isinstance(parse(first.strip()), dict)
    return False


def options_of(path: str, format: str | None) -> Collection[str]:
    """The settings of `test_set` that say how a file is read; all where neither settings nor its name tell its format."""
    format = format or _formats_by_suffix().get(_suffix(path))
    return OPTIONS if format is None else READERS.find(format).options


def named_as_rows(path: str | Path) -> bool:
    """Whether the ending of a file's name is that of a format of rows."""
    return _suffix(path) in _formats_by_suffix()


def _suffix(path: str | Path) -> str:
    """The ending of a file's name in lower case, with `.gz` set aside."""
    return PurePath(str(path).lower().removesuffix(".gz")).suffix


def _formats_by_suffix() -> dict[str, str]:
    """The formats by the endings of file names; every reader is imported for it."""
    return {suffix: name for name in READERS.names() for suffix in READERS.find(name).suffixes}


def _format_of_bytes(head: bytes) -> str:
    """The format of a file by its first bytes: a `{` begins JSON lines where the first line is whole JSON, and else JSON. What looks like
    nothing else is CSV."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(WORKBOOKS):
        return "xlsx"
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"{"):
        with suppress(NotJSON):
            parse(text.partition(b"\n")[0].strip())
            return "jsonl"
        return "json"
    return "json" if text.startswith(b"[") else "csv"
