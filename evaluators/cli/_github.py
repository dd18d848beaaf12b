"""What GitHub Actions is told beside a report: the page of a step, and what kept a command from doing its work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from evaluators.cli._printing import say
from evaluators.issues import Issue, Problems
from evaluators.reports.document import Page
from evaluators.reports.formats.github import Annotation
from evaluators.reports.formats.markdown import MarkdownFormat

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
MOST_BYTES: Final = 1_000_000
"""GitHub refuses a summary of more than 1 MiB."""


def add_to_step_summary(page: Page) -> None:
    """Add a page to the step summary; nothing outside GitHub Actions."""
    place = os.environ.get(VARIABLE)
    if not place:
        return
    text = MarkdownFormat().page(page).encode()
    if len(text) > MOST_BYTES:
        text = text[:MOST_BYTES].rpartition(b"\n")[0] + b"\n\nThe rest is too long for a step summary.\n"
    with open(place, "ab") as summary:
        summary.write(text)


@contextmanager
def annotated_problems() -> Iterator[None]:
    """Problems that end the command are annotations too, and go on."""
    try:
        yield
    except Problems as error:
        say(problem_annotations(error.issues))
        raise


def problem_annotations(issues: Sequence[Issue]) -> str:
    """One error annotation for each problem, in the order given, at its place in its file."""
    return "".join(f"{Annotation('error', issue.code, _said(issue), issue.where)}\n" for issue in issues)


def _said(issue: Issue) -> str:
    return f"{issue.message} (hint: {issue.hint})" if issue.hint else issue.message
