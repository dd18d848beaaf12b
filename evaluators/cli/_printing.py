"""What a command prints: pages on standard output, fitted and coloured on a terminal, problems on standard error.

Every command has this module, also where only its help is asked for: what that does without is imported where it is used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from evaluators.model.issues import Issue
    from evaluators.reports.document import Page
    from evaluators.reports.headline import Options
    from evaluators.reports.text import Line
    from evaluators.reports.tracking.tracker import Link
    from evaluators.runs.result import RunResult

NARROWEST: Final = 20
"""Columns below which COLUMNS is not followed: no table fits."""
_STDOUT: Final = "standard output"


def print_page(page: Page) -> None:
    """Prints a page to standard output: fitted and coloured on a terminal, else as plain text, as wide as COLUMNS asks for."""
    from evaluators.reports.text import page_lines, page_text

    if on_a_screen():
        print_out(colour_lines(page_lines(page, get_terminal_size().columns)))
    else:
        print_out(page_text(page, asked_width()))


_TONES: Final[Mapping[str, Mapping[str, Any]]] = {
    "plain": {}, "good": {"fg": "green"}, "note": {"dim": True}, "warning": {"fg": "yellow"}, "bad": {"fg": "red", "bold": True},
}  # fmt: skip
_PARTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "title": {"bold": True}, "heading": {"bold": True, "underline": True}, "head": {"bold": True}, "text": {},
}  # fmt: skip


def colour_lines(lines: Iterable[Line]) -> str:
    """The text of the lines with the colours of a terminal."""
    styles = ((line.text, {**_TONES[line.tone], **_PARTS[line.part]}) for line in lines)
    return "".join(f"{click.style(text, **style) if style and text else text}\n" for text, style in styles)


_CODE_OR_GAP: Final = r"(?<!`)`(?P<code>[^`\n]+(?:\n *[^`\n]+)?)`(?!`)|(?P<gap>(?<=\S) {2,})|\n"


def print_reference(text: str) -> None:
    """Print a page of the reference. A terminal colours what is code, and shows no backticks; what stands in columns stays there."""
    import re

    lost = 0

    def replacement(match: re.Match[str]) -> str:
        """The text in place of a match: code coloured and without its two backticks; a gap between columns wider by the backticks that
        were lost before it in the line."""
        nonlocal lost
        if match["code"] is not None:
            lost += 2
            return click.style(match["code"], fg="cyan")
        lost_before, lost = lost, 0
        return match["gap"] + " " * lost_before if match["gap"] else "\n"

    print_out(re.sub(_CODE_OR_GAP, replacement, text) if on_a_screen() else text)


def print_run(result: RunResult, options: Options, every_table: bool = False) -> None:
    """Print the summary of a run, or every table of it."""
    if every_table:
        from evaluators.reports.run_page import run_page

        print_page(run_page(result, options))
        return
    from evaluators.reports.summary import summary

    print_page(summary(result, options))


def asked_width() -> int | None:
    """How many columns the environment asks for in COLUMNS; None where it asks for none."""
    written = os.environ.get("COLUMNS", "")
    return int(written) if written.isascii() and written.isdigit() and int(written) >= NARROWEST else None


def on_a_screen() -> bool:
    """Whether standard output is a terminal, and plain text was not requested."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def print_out(text: str) -> None:
    """Write to standard output. A reader who has gone away is no problem: what is left is not written.

    Raises Problems (environment) when it is closed or full.
    """
    if sys.stdout is None:
        from evaluators.model.issues import Blame, Issue, Problems
        from evaluators.runs.store import UNWRITTEN

        raise Problems([Issue(UNWRITTEN, Blame.ENVIRONMENT, "it is closed, so nothing can be printed", _STDOUT)])
    try:
        click.echo(text, sys.stdout, nl=False)
    except BrokenPipeError:
        _silence()
    except OSError as error:
        from evaluators.model.issues import Problems
        from evaluators.runs.store import write_issue

        _silence()
        raise Problems([write_issue(error, _STDOUT, "what is printed")]) from error


def print_err(text: str) -> None:
    """Write lines to standard error, as they stand. Where that is closed or full, there is nobody to tell."""
    from evaluators.reports.display import visible

    if sys.stderr is not None:
        with suppress(OSError):
            print("\n".join(map(visible, text.splitlines())), file=sys.stderr, flush=True)


def print_problems(issues: Sequence[Issue]) -> int:
    """Print every problem with its place, excerpt and hint, in order, and how many there are. Returns the exit code of a command that
    they keep from doing its work."""
    from evaluators.runs.exit_code import CONFIG, Facts, exit_code

    for issue in issues:
        print_err(str(issue))
    print_err(f"{len(issues):,} problem{'' if len(issues) == 1 else 's'} found.")
    return exit_code(Facts(issues=tuple(issues))) or CONFIG


STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
MOST_BYTES: Final = 1_000_000
"""GitHub refuses a summary of more than 1 MiB."""


def add_to_step_summary(page: Page) -> None:
    """Appends a page to the summary file of a step of GitHub Actions, cut to `MOST_BYTES`; does nothing elsewhere."""
    place = os.environ.get(STEP_SUMMARY)
    if not place:
        return
    from evaluators.reports.markdown import page_markdown

    text = page_markdown(page).encode()
    if len(text) > MOST_BYTES:
        text = text[:MOST_BYTES].rpartition(b"\n")[0] + b"\n\nThe rest is too long for a step summary.\n"
    with open(place, "ab") as summary:
        summary.write(text)


@contextmanager
def annotated_problems() -> Iterator[None]:
    """Around a command: prints the Problems that it raises as annotations for GitHub, and raises them again."""
    from evaluators.model.issues import Problems

    try:
        yield
    except Problems as error:
        from evaluators.reports.github import problem_annotations

        print_out(problem_annotations(error.issues))
        raise


def _silence() -> None:
    """Sends standard output nowhere from here on, with what is still in its buffer, also when the program ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def link_line(link: Link) -> str:
    """The address of a sent run, on one line."""
    from evaluators.reports.display import visible

    return visible(f"sent to {link.platform}: {link.url or 'no address'} (run {link.run_id})")
