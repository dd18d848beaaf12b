"""Reading a suite file, and saying what is wrong when it cannot be read."""

from __future__ import annotations

from pathlib import Path

from evaluators.registry import nearest
from evaluators.settings import BadSettings
from evaluators.suite.nodes import refused
from evaluators.values.small_files import NoSmallFile, read_small

_SHOWN = 5


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises BadSettings when there is no such file, when it is no file or a large one, and when it is not UTF-8 text.
    """
    try:
        if path.is_dir():
            raise refused("not-a-file", "this is a folder, and a suite is one YAML file", _others(path, path.name))
        data = read_small(path)
    except NoSmallFile as error:
        raise refused("not-a-file", f"this {error}", "a suite is one YAML file") from None
    except FileNotFoundError:
        raise _no_such_file(path) from None
    except BadSettings:
        raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise refused("unreadable-file", f"the file cannot be read: {reason}") from None
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from None


def _no_such_file(path: Path) -> BadSettings:
    if not path.parent.is_dir():
        return refused("no-such-file", "there is no such file", f'the folder "{path.parent}" does not exist')
    return refused("no-such-file", "there is no such file", _others(path.parent, path.name))


def _others(folder: Path, name: str) -> str | None:
    """What to try instead: the file with the nearest name, or the YAML files that are there."""
    files = sorted(file.name for file in folder.iterdir() if file.suffix in (".yaml", ".yml") and file.is_file())
    if found := nearest(name, files):
        return f'did you mean "{folder / found}"?'
    more = ", …" if len(files) > _SHOWN else ""
    return f"YAML files there: {', '.join(files[:_SHOWN])}{more}" if files else None


def _not_utf8(data: bytes, position: int) -> BadSettings:
    line = data.count(b"\n", 0, position) + 1
    message = f"the file is not UTF-8 text: byte {position + 1} (line {line}) is 0x{data[position]:02X}"
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    hint = "it looks like UTF-16; save it as UTF-8" if utf16 else "open it in an editor and save it as UTF-8"
    return refused("not-utf8", message, hint)
