"""What tests of many rooms need: rows and files in a folder, the command line in this process, and golden files."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evaluators.cli import command


def write_rows(file: Path, rows: Iterable[object]) -> Path:
    """The file, with these rows as JSON lines."""
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Text files in a folder, by their names, which may have folders in them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def cli(*words: str) -> Result:
    """What `evaluators WORDS` prints and how it ends, in this process."""
    return CliRunner().invoke(command, words)


def golden(file: Path, text: str) -> None:
    """The text is what stands in the file. With REGENERATE=1 the file is written anew, and the test fails with the difference."""
    before = file.read_bytes().decode() if file.is_file() else ""
    if os.environ.get("REGENERATE") and text != before:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        changed = difflib.unified_diff(before.splitlines(), text.splitlines(), "as it was", "as it is now", lineterm="")
        pytest.fail(f"{file} is written anew:\n" + "\n".join(changed), pytrace=False)
    assert text == before
