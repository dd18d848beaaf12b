"""The texts of a suite as a run folder keeps them: its own, those it extends, and its schemas, as they are written.

Passwords and signatures in addresses are left out.

Values of `${NAME}` are not filled in. Files keep their places relative to each other, so that the copy loads as the suite
did; folders above all of them are not told.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evaluators.suite.nodes import SuiteInput
from evaluators.values.addresses import without_proofs
from evaluators.values.small_files import kept_place

if TYPE_CHECKING:
    from evaluators.api.suite import Suite

_PRESET: Final = "preset:"
_HALF: Final = re.compile("[\ud800-\udfff]")
"""What stands in a name for a byte that is not UTF-8."""


def suite_texts(suite: Suite) -> tuple[str, dict[str, str]]:
    """Which of a suite's files is the suite, and all of them, by their places in a folder."""
    source = suite.config.source
    if suite.given is not None:
        text = json.dumps(suite.given, indent=2, ensure_ascii=False, default=str)
        return "suite.yaml", {"suite.yaml": without_proofs(text)}
    files: dict[Path, str] = {}
    for document in source.documents:
        if not document.name.startswith(_PRESET):
            files[_in_copy(document)] = document.text
    for file, shown in _schema_files(suite):
        data = suite.files[str(file)] if str(file) in suite.files else file.read_bytes()
        files.setdefault(shown, data.decode("utf-8-sig"))
    main = _absolute(source.folder, source.name)
    base = Path(os.path.commonpath([file.parent for file in files]))
    return _within(main, base), {_within(file, base): without_proofs(text) for file, text in files.items()}


def suite_places(suite: Suite) -> list[Path]:
    """Where the files of a suite are; none for a suite that was given as data."""
    if suite.given is not None:
        return []
    written = [one for one in suite.config.source.documents if not one.name.startswith(_PRESET)]
    of_suites = [Path(os.path.abspath(one.file)) if one.file else _absolute(one.folder, one.name) for one in written]
    return list(dict.fromkeys([*of_suites, *(Path(os.path.abspath(file)) for file, _ in _schema_files(suite))]))


def _in_copy(document: SuiteInput) -> Path:
    """Where a text of the suite would be by the name that is written."""
    if document.written is not None:
        return Path(os.path.abspath(document.written))
    return _absolute(document.folder, document.name)


def _absolute(folder: Path | None, name: str) -> Path:
    return Path(os.path.abspath((folder or Path()) / os.path.basename(name)))


def _within(file: Path, base: Path) -> str:
    return _HALF.sub("_", file.relative_to(base).as_posix())


def _schema_files(suite: Suite) -> Iterator[tuple[Path, Path]]:
    """The schemas that are files, each with where it would be by the name that is written."""
    source = suite.config.source
    for line in suite.lines:
        name = suite.settings_of(line).get("schema")
        if not isinstance(name, str):
            continue
        document = source.document_of(line.loc)
        file = (document.folder or Path()) / name
        if str(file) in suite.files or file.is_file():
            folder = document.written.parent if document.written is not None else document.folder or Path()
            shown = source.filled.shown(name)
            kept = kept_place(folder, name) if Path(name).is_absolute() and shown == name else folder / shown
            yield file, Path(os.path.abspath(kept))
