"""What tests of many rooms need: a suite and rows in a folder, a run of them, the command line, and golden files."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml


def suite(folder: Path, text: str | Mapping[str, Any], name: str = "suite.yaml") -> Path:
    """A suite file in a folder, of its text or of what is in it."""
    return written(folder / name, text if isinstance(text, str) else yaml.safe_dump(text, sort_keys=False))


def rows(folder: Path, found: Iterable[object], name: str = "rows.jsonl") -> Path:
    """Rows as JSON lines in a folder."""
    return written(folder / name, "".join(f"{json.dumps(row)}\n" for row in found))


def written(file: Path, text: str) -> Path:
    """A file with this text, in a folder that is made where it is not there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def golden(file: Path, text: str) -> None:
    """The text is what stands in the file. With REGENERATE=1 the file is written anew, and the test fails with the difference."""
    before = file.read_bytes().decode() if file.is_file() else ""
    if os.environ.get("REGENERATE") and text != before:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        changed = difflib.unified_diff(before.splitlines(), text.splitlines(), "as it was", "as it is now", lineterm="")
        pytest.fail(f"{file} is written anew:\n" + "\n".join(changed), pytrace=False)
    assert text == before
