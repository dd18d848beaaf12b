"""The blocks of a Markdown page that can be run: files to write, and commands with what they print.

A block says by its first line what it is. ```` ```yaml title="first.yaml" ```` is a file of that name. ```` ```console ```` is a
session: lines that start with `$ ` are commands (`> ` continues one), and the others are what is printed. In printed lines, a line `…`
stands for any number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_FENCE = re.compile(r"^(?P<marks>```+)(?P<info>[^\n`]*)$")
_TITLE = re.compile(r'\btitle="(?P<file>[^"]+)"')
_RUN_NAME = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_[0-9a-f]{8}")
_DIGITS = re.compile(r"\b[0-9a-f]{12}\b")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    info: str
    text: str
    line: int

    @property
    def language(self) -> str:
        return self.info.split()[0] if self.info else ""

    @property
    def file(self) -> str | None:
        """The file that the block is to be written to."""
        titled = _TITLE.search(self.info)
        return titled["file"] if titled else None


@dataclass
class Command:
    """A command of a session and the lines that it prints."""

    text: str
    line: int
    printed: list[str] = field(default_factory=list)


def generated(page: Path) -> bool:
    """A program has written the page, so that a change made to it by hand is lost."""
    return page.read_text(encoding="utf-8").startswith("<!-- Written by ")


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    start, marks, info = 0, None, ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line.strip())
        if marks is None and found:
            start, marks, info = number, found["marks"], found["info"].strip()
        elif marks is not None and line.strip() == marks:
            yield Block(info, "\n".join(lines[start + 1 : number]) + "\n", start + 1)
            marks = None


def commands(block: Block) -> list[Command]:
    """The commands of a session, each with what it prints."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            found.append(Command(line[2:], number))
        elif line.startswith("> ") and found and not found[-1].printed:
            found[-1].text += "\n" + line[2:]
        elif found:
            found[-1].printed.append(line)
    return found


def plain(text: str) -> list[str]:
    """Printed lines without what differs from run to run: times in names, fingerprints, blanks at line ends."""
    named = _DIGITS.sub("<fingerprint>", _RUN_NAME.sub("<date_time_fingerprint>", text))
    return [line.rstrip() for line in named.rstrip().splitlines()]


def agrees(printed: list[str], shown: list[str]) -> bool:
    """The printed lines are those shown; a shown line `…` stands for any lines."""
    if not shown:
        return not printed
    if shown[0] == "…":
        return any(agrees(printed[skip:], shown[1:]) for skip in range(len(printed) + 1))
    return bool(printed) and printed[0] == shown[0] and agrees(printed[1:], shown[1:])
