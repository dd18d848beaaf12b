"""What went wrong, where, and whose move it is.

An `Issue` is data. It is rendered late, by whoever shows it. Its blame decides everything else: whether the run starts,
what the row scores, how it is counted and the exit code.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from evaluators.value_class import dataclass, replace


class Blame(StrEnum):
    """Whose move it is."""

    CONFIG = "config"
    TESTSET = "testset"
    OUTPUT = "output"
    ENVIRONMENT = "environment"
    BUG = "bug"


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem, with its place and its culprit.

    `where` reads like `suite.yaml:7:5`, `rows.csv row 12, column "expected"` or `$.items[3].sku`. `excerpt` is the
    offending line with a caret, when there is a text to quote.
    """

    code: str
    blame: Blame
    message: str
    where: str | None = None
    hint: str | None = None
    excerpt: str | None = None

    def at(self, where: str) -> Issue:
        """The same issue, placed. A place that is already known stays."""
        return self if self.where else replace(self, where=where)

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.where else self.message
        lines = [head]
        if self.excerpt:
            lines.extend("  " + line for line in self.excerpt.splitlines())
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class Problems(Exception):
    """Raised at a boundary with every problem found, in the order a reader would meet them."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues: tuple[Issue, ...] = tuple(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))

    def __reduce__(self) -> tuple[type[Problems], tuple[tuple[Issue, ...]]]:
        return Problems, (self.issues,)


class RowProblem(Exception):
    """Raised inside a check when this row cannot be measured (a time limit, an unusable expected value)."""

    def __init__(self, issue: Issue) -> None:
        self.issue = issue
        super().__init__(str(issue))


@dataclass(frozen=True, slots=True)
class Fault:
    """A cell that has no value, and why. It reaches the evaluators that need the cell and nothing else."""

    issue: Issue
    text: str = ""
    """What stands there in the file, for whoever shows the cell to people."""


def problem(code: str, message: str, *, where: str | None = None, hint: str | None = None) -> Problems:
    """A config problem that stands alone, ready to raise."""
    return Problems([Issue(code, Blame.CONFIG, message, where, hint)])
