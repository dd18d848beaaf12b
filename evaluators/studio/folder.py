"""The folder that a studio was started in: nothing outside of it is read or written, and nothing in it is written over unseen.

A file is known by the hash of what it holds. Whoever writes says which hash the text was made from; where the file has another one by
then, somebody else wrote it, and nothing is written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Final

from evaluators.model.issues import Problems, problem
from evaluators.scoring.values.file_names import as_file_name
from evaluators.scoring.values.files import MOST_BYTES, NoSmallFile, read_small
from evaluators.studio.messages import FileLine, SuiteFile
from evaluators.testsets.documents import named_as_rows

SUITES: Final = (".yaml", ".yml")
MOST_FILES: Final = 500
_MOST_FOLDERS: Final = 2_000
_DEEPEST: Final = 6
_LONGEST_NAME: Final = 255
"""Bytes of the name of a file."""


class ChangedUnderneath(Exception):
    """Raised where a file is not the one that was read; `now` is the file as it is, None where it is gone."""

    def __init__(self, path: str, now: SuiteFile | None) -> None:
        super().__init__(path)
        self.path, self.now = path, now


class Folder:
    """A folder, and the files in it by their paths, with `/` between names."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._writing = Lock()

    def place(self, path: str) -> Path:
        """The file of that path on the disk. Raises Problems (config) where it is outside of the folder, also by a link."""
        try:
            place = (self.root / path).resolve()
        except (OSError, ValueError, RuntimeError):
            place = None
        if place is not None and any(len(os.fsencode(step)) > _LONGEST_NAME for step in place.parts):
            raise problem("no-file", "no file can have such a long name", where=path[:_LONGEST_NAME])
        if place is None or not place.is_relative_to(self.root):
            message = "this is outside of the folder that the studio was started in"
            raise problem("outside", message, where=path, hint="start it in a folder above: evaluators studio FOLDER")
        return place

    def name_of(self, place: Path) -> str:
        """The path of a file, as the page calls it."""
        return place.relative_to(self.root).as_posix()

    def files(self) -> list[FileLine]:
        """The suites and the files with rows, suites first; folders of runs and hidden ones are passed over."""
        names = [self.name_of(place) for place in self._walk_files()]
        lines = [FileLine(name, "suite" if name.lower().endswith(SUITES) else "data") for name in names]
        return sorted(lines, key=lambda line: (line.kind != "suite", line.path))[:MOST_FILES]

    def _walk_files(self) -> Iterator[Path]:
        """Yields the suites and the files with rows in the folder, also in folders below it. Hidden ones are passed over, and run folders
        with all that is below them; what lies deeper than `_DEEPEST`, or beyond the first `_MOST_FOLDERS` folders, is left out."""
        for walked, (at, folders, files) in enumerate(os.walk(self.root), 1):
            here = Path(at)
            too_deep = len(here.relative_to(self.root).parts) >= _DEEPEST or walked > _MOST_FOLDERS
            passed_over = too_deep or "run.json" in files or "run.db" in files
            folders[:] = [] if passed_over else sorted(folder for folder in folders if not _is_hidden(folder))
            for name in [] if passed_over else sorted(files):
                if not _is_hidden(name) and (name.lower().endswith(SUITES) or named_as_rows(here / name)):
                    yield here / name

    def read(self, path: str) -> SuiteFile:
        """The suite of that path. Raises Problems (config) where it cannot be read."""
        place = self.place(path)
        try:
            data = read_small(place)
            return SuiteFile(self.name_of(place), data.decode("utf-8"), _hash(data))
        except OSError as error:
            raise problem("no-file", f"it cannot be read: {error.strerror}", where=path) from error
        except NoSmallFile as error:
            raise problem("no-file", str(error), where=path) from error
        except UnicodeDecodeError as error:
            raise problem("not-utf-8", "it is not written in UTF-8", where=path, hint="save it as UTF-8") from error

    def mark(self, path: str) -> str:
        """The mark of a file's state: of a suite its hash; empty where there is no file."""
        try:
            place = self.place(path)
            if place.suffix.lower() in SUITES and place.stat().st_size <= MOST_BYTES:
                return _hash(place.read_bytes())
            status = place.stat()
        except (OSError, Problems):
            return ""
        return f"{status.st_mtime_ns}-{status.st_size}"

    def write(self, path: str, text: str, base: str) -> str:
        """Writes a suite, and gives its hash. Raises ChangedUnderneath where the file does not have the hash `base`, which is empty for a
        file that is not there, and Problems where it cannot be written."""
        place = self.place(path)
        if place.suffix.lower() not in SUITES:
            raise problem(
                "not-a-suite", "a suite is a file that ends in .yaml", where=path, hint=f"{Path(path).stem}.yaml"
            )
        data = text.encode("utf-8")
        with self._writing:
            if self.mark(path) != base:
                raise ChangedUnderneath(path, self.read(path) if place.is_file() else None)
            self._replace_file(place, data)
        return _hash(data)

    def add(self, name: str, data: bytes) -> str:
        """Saves a file with rows, or a suite, in the folder, under the name or a free one like it, and gives its path. Raises Problems for
        a name that is not one of such files."""
        wanted = as_file_name(Path(name).name)
        if not named_as_rows(Path(wanted)) and not wanted.lower().endswith(SUITES):
            hint = "CSV, TSV, JSON, JSON Lines, Excel, Parquet, or a suite that ends in .yaml"
            raise problem("no-rows", "this is no file with rows, and no suite", where=wanted, hint=hint)
        with self._writing:
            place = self.place(_free_name(self.root, wanted))
            self._replace_file(place, data)
        return self.name_of(place)

    def _replace_file(self, place: Path, data: bytes) -> None:
        """Writes a file whole or not at all, by way of a new one beside it; the file keeps its permissions. Raises Problems
        where it cannot be written."""
        beside = place.with_name(f".{place.name}.{os.urandom(4).hex()}.new")
        try:
            beside.write_bytes(data)
            if place.exists():
                os.chmod(beside, place.stat().st_mode)
            os.replace(beside, place)
        except OSError as error:
            raise problem("not-written", f"it cannot be written: {error.strerror}", where=self.name_of(place)) from error
        finally:
            beside.unlink(missing_ok=True)


def _is_hidden(name: str) -> bool:
    """Whether a file or folder is passed over: a hidden one, or one of packages."""
    return name.startswith((".", "__")) or name in ("node_modules", "site-packages")


def _free_name(folder: Path, name: str) -> str:
    """The first of the names NAME, NAME-2, NAME-3 and so on that no file in the folder has."""
    stem, dot, suffix = name.partition(".")
    names = (name if count == 1 else f"{stem}-{count}{dot}{suffix}" for count in range(1, 1_000_000))
    return next(name for name in names if not os.path.lexists(folder / name))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
