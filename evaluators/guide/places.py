"""What of a place `init` looks at: of a workbook the sheet that has outputs, of folders the JSON files, paired by their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Final

from msgspec import Struct

from evaluators.guide.column_names import side_of_words, words_of
from evaluators.model.issues import Problems, problem
from evaluators.runs.metrics import count_text
from evaluators.scoring.needs import Role
from evaluators.scoring.values.addresses import has_wildcards
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.byte_store import kind_at, scheme_of
from evaluators.testsets.documents import named_as_rows
from evaluators.testsets.run_files import files_without_runs
from evaluators.testsets.workbook import sheet_names

_WORKBOOKS: Final = (".xlsx", ".xlsm")
_SHOWN: Final = 5
_JSON: Final = ".json"
_SEPARATORS: Final = "_-. "


def sheet_with_roles(source: ByteSource, has_output: Callable[[str], bool]) -> tuple[str | None, str | None]:
    """The sheet of a workbook that has outputs, if it is not the first, and a note on the other sheets.

    `has_output` says of a sheet, by its name, whether its columns have an output. Raises Problems when the workbook cannot be read.
    """
    names = sheet_names(source) if source.suffix in _WORKBOOKS else []
    if len(names) < 2:
        return None, None
    having = [name for name in names if has_output(name)]
    chosen = having[0] if having else names[0]
    others, also = _listed([name for name in names if name != chosen]), _listed(having[1:])
    why = ", which has a column of outputs" if having else ""
    note = f'of the sheets "{chosen}" is read{why}; not read: {others}{f"; outputs are also in {also}" if also else ""}'
    return (chosen if chosen != names[0] else None), note


def sheets_by_side(source: ByteSource) -> dict[Role, str]:
    """The sheet of a workbook whose name says expected answers, and the one whose name says outputs; empty where not exactly one of each
    does. Raises Problems when the workbook cannot be read."""
    names = sheet_names(source) if source.suffix in _WORKBOOKS else []
    return _sides({name: name for name in names}) or {}


def _listed(names: Sequence[str]) -> str:
    return first_texts([f'"{name}"' for name in names], _SHOWN)


class Places(Struct, frozen=True):
    """The places of rows, expected answers and outputs, with notes on them."""

    data: str | None
    expected: str | None
    output: str | None
    said: tuple[str, ...] = ()


def json_documents(data: str | None, expected: str | None, output: str | None) -> Places:
    """The places with folders as patterns for their JSON files, where other files lie beside these.

    A folder of rows that holds documents of both kinds becomes the two places of these.
    """
    if data is not None and expected is None and output is None and _is_folder(data):
        both = _both_in(data)
        if both is None:
            pattern, note = _json_alone(data)
            return Places(pattern, None, None, note)
        return json_documents(None, *both)
    if data is not None or not expected or not output:
        return Places(data, expected, output)
    sides = [_json_alone(place) if _is_folder(place) else (place, ()) for place in (expected, output)]
    return Places(None, sides[0][0], sides[1][0], (*sides[0][1], *sides[1][1]))


def _is_folder(place: str) -> bool:
    return not scheme_of(place) and not has_wildcards(place) and kind_at(Path(), place) == "folder"


def _json_files(folder: str) -> list[str]:
    """The JSON files of a folder, by their paths below it."""
    return sorted(
        PurePath(os.path.relpath(file, folder)).as_posix()
        for file in files_without_runs(folder, Path())
        if file.lower().endswith(_JSON) and PurePath(file).name != "suite.schema.json"
    )


def _json_alone(folder: str) -> tuple[str, tuple[str, ...]]:
    """A pattern for the JSON files of a folder, where other files lie beside them; else the folder."""
    files, every = _json_files(folder), files_without_runs(folder, Path())
    left = len(every) - len(files)
    if not files or not left or (len(files) < left and not _all_other_than_rows(every)):
        return folder, ()
    return _pattern(folder, files, ""), (
        f"{folder}: the JSON files are read, and {count_text(left, 'other file')} left out",
    )


def _all_other_than_rows(files: Iterable[str]) -> bool:
    return not any(named_as_rows(file) and not file.lower().endswith(_JSON) for file in files)


def _pattern(folder: str, files: Sequence[str], suffix: str) -> str:
    steps = "**/" if any("/" in file for file in files) else ""
    return f"{folder.rstrip('/')}/{steps}*{suffix}{_JSON}"


def _both_in(folder: str) -> tuple[str, str] | None:
    """The places of expected answers and of outputs in one folder: two folders, or two endings of names, that say which they are."""
    files = _json_files(folder)
    inside = {file.split("/")[0] for file in files if "/" in file}
    folders = _sides({name: name for name in inside})
    if folders is not None:
        return f"{folder.rstrip('/')}/{folders['expected']}", f"{folder.rstrip('/')}/{folders['output']}"
    stems: dict[str, set[str]] = {}
    for file in files:
        stem = file.removesuffix(_JSON)
        at = max(stem.rfind(mark) for mark in _SEPARATORS)
        stems.setdefault(stem[at:] if at > 0 else "", set()).add(stem[:at])
    sides = {end: side_of_words(words_of(end)) for end in stems}
    if stems.get("") and len(stems) == 2 and (side := next(side for end, side in sides.items() if end)) is not None:
        raise _among_them(folder, side, next(end for end in stems if end))
    named = _sides({end: end for end in stems if end})
    if named is None or not stems[named["expected"]] & stems[named["output"]]:
        return None
    return _pattern(folder, files, named["expected"]), _pattern(folder, files, named["output"])


def _among_them(folder: str, side: Role, end: str) -> Problems:
    """The problem of documents of both sides in one folder, where only the names of one side say so."""
    message = (
        f"names that end in {end}{_JSON} say {_SIDES[side]}, and the others lie among them, which no pattern keeps apart"
    )
    places = {"expected": folder, "output": folder, side: "FOLDER"}
    command = f"evaluators init --expected {places['expected']} --outputs-from {places['output']}"
    return problem("two-kinds", message, where=folder, hint=f"move them to a folder of their own, then: {command}")


_SIDES: Final[Mapping[Role, str]] = {"output": "that they are outputs", "expected": "that they are expected answers"}


def _sides(names: Mapping[str, str]) -> dict[Role, str] | None:
    """The only name for expected answers, and the only one for outputs; None where there are none or several."""
    places: dict[Role, list[str]] = {"expected": [], "output": []}
    for name, words in names.items():
        side = side_of_words(words_of(words))
        if side is not None:
            places[side].append(name)
    return {side: ones[0] for side, ones in places.items()} if all(len(ones) == 1 for ones in places.values()) else None
