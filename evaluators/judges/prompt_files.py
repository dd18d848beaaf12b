"""The prompts as they are asked with: texts with a version, one file each in `prompts/`, found by the word that asks.

A file begins with its name and version, and has three parts. `system` and `user` are the two messages; in `user`, `$count`,
`$instructions`, `$data` and `$mark` are filled in. `verdict` is the JSON Schema of what is said of one question, by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from evaluators.value_class import dataclass

_FOLDER: Final = Path(__file__).with_name("prompts")
_PART: Final = "=== "


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is said to a model around the questions."""

    name: str
    version: int
    system: str
    user: str
    verdict: Mapping[str, Any]
    """What a verdict holds beside its id, as JSON Schema, by name."""
    checksum: str
    """Of the whole file."""

    @property
    def label(self) -> str:
        """Name and version, as answers record it."""
        return f"{self.name} {self.version}"


def prompt_names() -> tuple[str, ...]:
    """The words that have a prompt, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.txt")))


@cache
def prompt_of(name: str) -> Prompt | None:
    """The prompt of a word; None where there is none."""
    if name not in prompt_names():
        return None
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    head, *parts = text.split(f"\n{_PART}")
    by_name = {title: body.strip("\n") for title, _, body in (part.partition("\n") for part in parts)}
    named, version = head.split()
    return Prompt(
        named, int(version), by_name["system"], by_name["user"], json.loads(by_name["verdict"]),
        sha256(text.encode()).hexdigest(),
    )  # fmt: skip
