"""The problems of a run, and the causes of its exit code."""

from __future__ import annotations

from typing import Final

from evaluators.model.issues import Blame, Issue
from evaluators.reports.document import Item, Paragraph, Section, list_section
from evaluators.reports.parts import list_part
from evaluators.runs.exit_code import Facts, causes
from evaluators.runs.result import RunResult

_BLAMED: Final = {
    Blame.CONFIG: "in the suite",
    Blame.TESTSET: "in the test set",
    Blame.OUTPUT: "in the outputs",
    Blame.ENVIRONMENT: "outside",
    Blame.BUG: "a fault in the program",
}


def problem_sections(result: RunResult) -> tuple[Section, ...]:
    """The section with the issues by code, in the order in which the codes were met, and how many more of each there were; then the section
    with the warnings. Each only where there are some."""
    items: list[Item] = []
    for code in dict.fromkeys([*(issue.code for issue in result.issues), *result.issue_counts]):
        shown = [issue for issue in result.issues if issue.code == code]
        items += map(_item, shown)
        rest = result.issue_counts.get(code, len(shown)) - len(shown)
        if rest > 0:
            items.append(Item(f"and {rest:,} more like this" if shown else f"{code}: {rest:,}"))
    return *list_section("Problems", items, "problems"), *list_section(
        "Warnings", map(_item, result.warnings), "warnings"
    )


def _item(issue: Issue) -> Item:
    hint = (f"hint: {issue.hint}",) if issue.hint else ()
    excerpt = tuple(issue.excerpt.splitlines()) if issue.excerpt else ()
    return Item(_text(issue), hint, excerpt, "bad" if issue.blame is Blame.BUG else "warning")


def _text(issue: Issue) -> str:
    """The message of an issue behind its place, or, without one, behind who is to blame."""
    return f"{issue.where or _BLAMED[issue.blame]}: {issue.message}"


def problem_part(result: RunResult) -> tuple[Section, ...]:
    """The part of the summary with the first issue of each code, and how many more there are; those that caused the exit code are left out,
    since the end of the summary has them."""
    first = {issue.code: issue for issue in reversed(result.issues)}
    texts = [
        issue_lines(first[code], result.issue_counts.get(code, 1) - 1)
        for code in dict.fromkeys(issue.code for issue in result.issues)
        if not set(exit_causes(first[code])) & set(result.causes)
    ]
    others = {code: count for code, count in result.issue_counts.items() if code not in first}
    texts += [[Paragraph(f"- {code}: {count:,}", "warning")] for code, count in others.items()]
    return list_part(texts, 3)


def exit_causes(issue: Issue) -> tuple[str, ...]:
    """The causes of the exit code that a problem alone would make, in words; empty where it makes none."""
    return causes(Facts(issues=(issue,)))


def issue_lines(issue: Issue, more: int = 0) -> list[Paragraph]:
    """The lines of an issue: its place and message, with how many `more` there are like it, and its hint."""
    rest = f"; and {more:,} more like this" if more > 0 else ""
    hint = [Paragraph(f"  hint: {issue.hint}", indent="  ")] if issue.hint else []
    return [Paragraph(f"- {_text(issue)}{rest}", "warning", "  "), *hint]
