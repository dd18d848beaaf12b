"""Reading a suite file, and saying what is wrong when it cannot be read.

`${NAME}` and `${NAME:-default}` in text.

The default stands in when the variable is missing or empty, as in a shell. `$${` is a literal `${`. What a variable
holds is never read again, so a value cannot name another variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from evaluators.model.registry import nearest, suggestion
from evaluators.model.settings import BadSettings, Detail
from evaluators.scoring.values.files import NoSmallFile, read_small
from evaluators.suites.nodes import refusal

_SHOWN = 5


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises BadSettings when there is no such file, when it is no file or a large one, and when it is not UTF-8 text.
    """
    try:
        if path.is_dir():
            raise refusal(
                "not-a-file", "this is a folder, and a suite is one YAML file", _near_files_hint(path, path.name)
            )
        data = read_small(path)
    except NoSmallFile as error:
        raise refusal("not-a-file", f"this {error}", "a suite is one YAML file") from None
    except FileNotFoundError:
        raise _no_such_file(path) from None
    except BadSettings:
        raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise refusal("unreadable-file", f"the file cannot be read: {reason}") from None
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from None


def _no_such_file(path: Path) -> BadSettings:
    """The problem of a path at which there is nothing: its folder is missing, or a file of a similar name is there."""
    if not path.parent.is_dir():
        return refusal("no-such-file", "there is no such file", f'the folder "{path.parent}" does not exist')
    return refusal("no-such-file", "there is no such file", _near_files_hint(path.parent, path.name))


def _near_files_hint(folder: Path, name: str) -> str | None:
    """A hint with the file of the nearest name, or with the YAML files in the folder."""
    files = sorted(file.name for file in folder.iterdir() if file.suffix in (".yaml", ".yml") and file.is_file())
    if near := nearest(name, files):
        return f'did you mean "{folder / near}"?'
    more = ", …" if len(files) > _SHOWN else ""
    return f"YAML files there: {', '.join(files[:_SHOWN])}{more}" if files else None


def _not_utf8(data: bytes, position: int) -> BadSettings:
    """The problem of a file with a byte that is no UTF-8, with its line."""
    line = data.count(b"\n", 0, position) + 1
    message = f"the file is not UTF-8 text: byte {position + 1} (line {line}) is 0x{data[position]:02X}"
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    hint = "it looks like UTF-16; save it as UTF-8" if utf16 else "open it in an editor and save it as UTF-8"
    return refusal("not-utf8", message, hint)


_MARK = re.compile(r"\$\$\{|\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^{}]*))?\})?")


class FilledText(Struct, frozen=True):
    """A text with its variables filled in."""

    text: str
    shown: str
    """The text with `${NAME}` where the environment gave a value; a default is no secret and stands for itself."""
    values: Mapping[str, str]
    """Each value that the environment gave → `${NAME}`."""


def fill_variables(text: str, environment: Mapping[str, str]) -> FilledText:
    """The text with the value of each `${NAME}` from the environment in its place.

    Raises BadSettings with every variable that is missing and every `${` that cannot be read.
    """
    details: list[Detail] = []
    values: dict[str, str] = {}

    def fill(match: re.Match[str]) -> str:
        """The text in place of one `${NAME}`: the value of the variable, which is noted in `values`, or its default. Empty, with a note in
        `details`, where there is neither."""
        if match[0] == "$${":
            return "${"
        name, default = match["name"], match["default"]
        if name is None:
            details.append(_bad_variable(text[match.start() :]))
            return ""
        value = environment.get(name)
        if default is not None and not value:
            return str(default)
        if value is None:
            details.append(_missing_variable(name, environment))
            return ""
        values[value] = f"${{{name}}}"
        return value

    def show(match: re.Match[str]) -> str:
        """One `${NAME}` as people read it: itself, or its default where that is what counts."""
        name, default = match["name"], match["default"]
        if name is None:
            return "${"
        return f"${{{name}}}" if environment.get(name) or default is None else str(default)

    answer = _MARK.sub(fill, text)
    if details:
        raise BadSettings(details)
    return FilledText(answer, _MARK.sub(show, text), values)


def _missing_variable(name: str, environment: Mapping[str, str]) -> Detail:
    """The problem of a variable that the environment lacks, with the nearest name that it has."""
    hint = suggestion(name, environment) or f"set {name} before the run, or give it a default: ${{{name}:-default}}"
    return Detail((), f'the environment variable "{name}" is not set', hint, code="missing-variable")


def _bad_variable(rest: str) -> Detail:
    """The problem of a `${` that begins no variable. `rest` is the text from there on."""
    shown = rest[: rest.find("}") + 1 or 20]
    message = f"{shown} is not a variable; it is written ${{NAME}} or ${{NAME:-default}}, with letters, digits and _"
    return Detail((), message, "for the two characters ${ themselves write $${", code="bad-variable")
