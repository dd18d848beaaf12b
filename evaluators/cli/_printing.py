"""What a command prints: pages on standard output, fitted and coloured on a terminal, in the same words everywhere."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluators.reports.document import Page
    from evaluators.tracking.tracker import Link


def print_page(page: Page) -> None:
    """Print a page."""
    if not on_a_screen():
        from evaluators.reports.formats.text import TextFormat

        say(TextFormat().page(page))
        return
    from rich.console import Console

    from evaluators.cli._screen import screen_text

    say(screen_text(page, Console()))


def on_a_screen() -> bool:
    """Standard output is a terminal, and nobody asked for plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str) -> None:
    """Write to standard output. A reader who has gone away is no problem: what is left is not written."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def link_line(link: Link) -> str:
    """Where a run was sent, on one line."""
    from evaluators.reports.display import visible

    return visible(f"sent to {link.platform}: {link.url or 'no address'} (run {link.run_id})")
