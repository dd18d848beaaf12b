"""What a command prints: pages on standard output, coloured on a terminal, in the same words everywhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evaluators.reports.document import Document
    from evaluators.reports.formats.text import Look


def print_page(page: Document) -> None:
    """Print a page."""
    from evaluators.reports.formats.text import TextFormat, page_text

    say(page_text(page, painted) if in_colour() else TextFormat().page(page))


def in_colour() -> bool:
    """Standard output is a terminal, and nobody asked for plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, look: Look) -> str:
    """The text in the colour that goes with how much it matters."""
    match look:
        case "heading":
            return click.style(text, bold=True)
        case "good":
            return click.style(text, fg="green")
        case "note":
            return click.style(text, dim=True)
        case "warning":
            return click.style(text, fg="yellow")
        case "bad":
            return click.style(text, fg="red", bold=True)
        case "plain":
            return text


def say(text: str) -> None:
    """Write to standard output. A reader who has gone away is no problem: what is left is not written."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
