"""The lists of problems and warnings, with their places and hints."""

from __future__ import annotations

from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.reports.document import Item, Listing, Section
from evaluators.run.result import RunResult

_BLAMED: Final = {
    Blame.CONFIG: "in the suite",
    Blame.TESTSET: "in the test set",
    Blame.OUTPUT: "in the outputs",
    Blame.ENVIRONMENT: "outside",
    Blame.BUG: "a fault in the program",
}


def problem_section(result: RunResult) -> tuple[Section, ...]:
    """The issues by code, in the order the codes were met, each with how many more there were."""
    codes = list(dict.fromkeys([*(issue.code for issue in result.issues), *result.issue_counts]))
    items: list[Item] = []
    for code in codes:
        shown = [issue for issue in result.issues if issue.code == code]
        items.extend(_issue_item(issue) for issue in shown)
        rest = result.issue_counts.get(code, len(shown)) - len(shown)
        if rest > 0:
            items.append(Item(f"and {rest:,} more like this" if shown else f"{code}: {rest:,}"))
    return (Section("Problems", (Listing(tuple(items)),)),) if items else ()


def issue_place(issue: Issue) -> str:
    """Where a problem is; whose it is, where it has no place."""
    return issue.where or _BLAMED[issue.blame]


def _issue_item(issue: Issue) -> Item:
    hint = (f"hint: {issue.hint}",) if issue.hint else ()
    excerpt = tuple(issue.excerpt.splitlines()) if issue.excerpt else ()
    return Item(f"{issue_place(issue)}: {issue.message}", hint, excerpt, "bad" if issue.blame is Blame.BUG else "warning")


def warning_section(result: RunResult) -> tuple[Section, ...]:
    """What was not covered, without changing the exit code."""
    items = tuple(_issue_item(issue) for issue in result.warnings)
    return (Section("Warnings", (Listing(items),)),) if items else ()
