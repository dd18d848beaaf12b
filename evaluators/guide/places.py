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
    """(sheet, note): the sheet of a workbook that has outputs, None if that is the first, and a note on the other sheets, None if there are
    no others.

    `has_output` says of a sheet, by its name, whether its columns have an output. Raises Problems when the workbook cannot be read.
    """
    names = sheet_names(source) if source.suffix in _WORKBOOKS else []
    if len(names) < 2:
        return None, None
    having = [name for name in names if has_output(name)]
    chosen = having[0] if having else names[0]
    others, also = _quoted_list([name for name in names if name != chosen]), _quoted_list(having[1:])
    why = ", which has a column of outputs" if having else ""
    note = f'of the sheets "{chosen}" is read{why}; not read: {others}{f"; outputs are also in {also}" if also else ""}'
    return (chosen if chosen != names[0] else None), note


def sheets_by_side(source: ByteSource) -> dict[Role, str]:
    """The sheet of a workbook whose name says expected answers, and the one whose name says outputs; empty where not exactly one of each
    does. Raises Problems when the workbook cannot be read."""
    names = sheet_names(source) if source.suffix in _WORKBOOKS else []
    return _places_by_side(names) or {}


def _quoted_list(names: Sequence[str]) -> str:
    return first_texts([f'"{name}"' for name in names], _SHOWN)


class Places(Struct, frozen=True):
    """The places of rows, expected answers and outputs, with notes on them."""

    data: str | None
    expected: str | None
    output: str | None
    notes: tuple[str, ...] = ()


def json_documents(data: str | None, expected: str | None, output: str | None) -> Places:
    """The places that `init` reads, with notes on what is left out. A folder in which other files lie beside the JSON files becomes a
    pattern for those; a folder of `data` that holds both expected answers and outputs becomes the two places of these."""
    if data is not None and expected is None and output is None and _is_folder(data):
        both = _sides_in_folder(data)
        if both is None:
            pattern, note = _json_pattern(data)
            return Places(pattern, None, None, note)
        return json_documents(None, *both)
    if data is not None or not expected or not output:
        return Places(data, expected, output)
    sides = [_json_pattern(place) if _is_folder(place) else (place, ()) for place in (expected, output)]
    return Places(None, sides[0][0], sides[1][0], (*sides[0][1], *sides[1][1]))


def _is_folder(place: str) -> bool:
    return not scheme_of(place) and not has_wildcards(place) and kind_at(Path(), place) == "folder"


def _json_files(folder: str) -> list[str]:
    """The paths of the JSON files below a folder, sorted; files of runs and the schema that editors use are left out."""
    return sorted(
        PurePath(os.path.relpath(file, folder)).as_posix()
        for file in files_without_runs(folder, Path())
        if file.lower().endswith(_JSON) and PurePath(file).name != "suite.schema.json"
    )


def _json_pattern(folder: str) -> tuple[str, tuple[str, ...]]:
    """(place, notes): a pattern for the JSON files of a folder, with a note, where other files lie beside them; else the folder itself."""
    files, every = _json_files(folder), files_without_runs(folder, Path())
    left = len(every) - len(files)
    if not files or not left or (len(files) < left and not _all_other_than_rows(every)):
        return folder, ()
    return _pattern_of_files(folder, files, ""), (
        f"{folder}: the JSON files are read, and {count_text(left, 'other file')} left out",
    )


def _all_other_than_rows(files: Iterable[str]) -> bool:
    """Whether no file but the JSON files is named as a file of rows."""
    return not any(named_as_rows(file) and not file.lower().endswith(_JSON) for file in files)


def _pattern_of_files(folder: str, files: Sequence[str], suffix: str) -> str:
    """The pattern for the JSON files of a folder whose names end in `suffix`; it looks into further folders where some of the files are."""
    steps = "**/" if any("/" in file for file in files) else ""
    return f"{folder.rstrip('/')}/{steps}*{suffix}{_JSON}"


def _sides_in_folder(folder: str) -> tuple[str, str] | None:
    """(expected, output): the places of expected answers and of outputs in one folder, which are two folders in it, or patterns for two
    endings of names, where these say which they are; else None. Raises Problems where only one ending says a side."""
    files = _json_files(folder)
    inside = {file.split("/")[0] for file in files if "/" in file}
    folders = _places_by_side(inside)
    if folders is not None:
        return f"{folder.rstrip('/')}/{folders['expected']}", f"{folder.rstrip('/')}/{folders['output']}"
    stems: dict[str, set[str]] = {}
    for file in files:
        stem = file.removesuffix(_JSON)
        at = max(stem.rfind(mark) for mark in _SEPARATORS)
        stems.setdefault(stem[at:] if at > 0 else "", set()).add(stem[:at])
    sides = {end: side_of_words(words_of(end)) for end in stems}
    if stems.get("") and len(stems) == 2 and (side := next(side for end, side in sides.items() if end)) is not None:
        raise _mixed_names_problem(folder, side, next(end for end in stems if end))
    named = _places_by_side(end for end in stems if end)
    if named is None or not stems[named["expected"]] & stems[named["output"]]:
        return None
    return _pattern_of_files(folder, files, named["expected"]), _pattern_of_files(folder, files, named["output"])


def _mixed_names_problem(folder: str, side: Role, end: str) -> Problems:
    """The problem of documents of both sides in one folder, where only the names of one side say so."""
    message = (
        f"names that end in {end}{_JSON} say {_SIDES[side]}, and the others lie among them, which no pattern keeps apart"
    )
    places = {"expected": folder, "output": folder, side: "FOLDER"}
    command = f"evaluators init --expected {places['expected']} --outputs-from {places['output']}"
    return problem("two-kinds", message, where=folder, hint=f"move them to a folder of their own, then: {command}")


_SIDES: Final[Mapping[Role, str]] = {"output": "that they are outputs", "expected": "that they are expected answers"}


def _places_by_side(names: Iterable[str]) -> dict[Role, str] | None:
    """The only name for expected answers, and the only one for outputs, by side; None where a side has none or several."""
    places: dict[Role, list[str]] = {"expected": [], "output": []}
    for name in names:
        side = side_of_words(words_of(name))
        if side is not None:
            places[side].append(name)
    if any(len(names_of_side) != 1 for names_of_side in places.values()):
        return None
    return {side: names_of_side[0] for side, names_of_side in places.items()}
