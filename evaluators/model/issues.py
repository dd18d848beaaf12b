"""What went wrong, where, and whose move it is.

An `Issue` is data. It is rendered late, by whoever shows it. Its blame decides everything else: whether the run starts,
what the row scores, how it is counted and the exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

MOST_PROBLEMS: Final = 200
"""Problems that are told at once."""
LONGEST: Final = 2_000
"""Characters of a message, a place or a hint."""
DISTRIBUTION: Final = "structured-evaluators"
"""What pip calls this package. The plain name `evaluators` is somebody else's package on the public index."""
_HALF: Final = re.compile("[\ud800-\udfff]")


class Blame(StrEnum):
    """The culprit of a problem: who has to act."""

    CONFIG = "config"
    TESTSET = "testset"
    OUTPUT = "output"
    ENVIRONMENT = "environment"
    BUG = "bug"


class Issue(Struct, frozen=True):
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
        """The same issue with `where` as its place. An issue that has a place keeps it."""
        return self if self.where else replace(self, where=where)

    def __str__(self) -> str:
        """The issue as messages show it: its place, its message, the excerpt and the hint below it."""
        head = f"{self.where}: {self.message}" if self.where else self.message
        lines = [head]
        if self.excerpt:
            lines.extend("  " + line for line in self.excerpt.splitlines())
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def extra_hint(extra: str, *packages: str) -> str:
    """The command that installs an extra of this package, and further packages; from a copy, for no index has it yet."""
    wanted = " ".join(f'"{package}"' for package in (f"path/to/{DISTRIBUTION}[{extra}]", *packages))
    return f"pip install {wanted}, with the path of your copy"


UPGRADE_HINT: Final = f'pip install "path/to/{DISTRIBUTION}", with the path of a newer copy'
"""What to do about a file that a newer version wrote."""


class Problems(Exception):
    """Raised at a boundary with every problem found, in the order a reader would meet them.

    Of more than `MOST_PROBLEMS` the first ones, and how many more there are; of long messages the beginning.
    """

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues: tuple[Issue, ...] = _first_problems(tuple(issues))
        super().__init__("\n".join(str(issue) for issue in self.issues))

    def __reduce__(self) -> tuple[type[Problems], tuple[tuple[Issue, ...]]]:
        return Problems, (self.issues,)


def _first_problems(issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    """The first of the problems, each of a length that people read, and how many more there are."""
    first = tuple(map(shorten_issue, issues[: MOST_PROBLEMS + 1]))
    more = len(issues) - MOST_PROBLEMS
    if more <= 1:
        return first
    last = Issue("more-problems", issues[0].blame, f"and {more:,} more problems", hint="mend these first")
    return (*first[:MOST_PROBLEMS], last)


def shorten_issue(issue: Issue) -> Issue:
    """The problem with at most `LONGEST` characters of each of its texts: a message may quote an id of a million letters."""
    texts = (issue.message, issue.where, issue.hint, issue.excerpt)
    message, where, hint, excerpt = (_clip_text(text) for text in texts)
    if (message, where, hint, excerpt) == texts:
        return issue
    return Issue(issue.code, issue.blame, message or "", where, hint, excerpt)


def _clip_text(text: str | None) -> str | None:
    """The beginning of a text that is too long to read, with `…` at its end; None stays None."""
    if text is None:
        return None
    return encodable(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def encodable(text: str) -> str:
    """The text with an escape in place of each half of a surrogate pair, which no file and no terminal takes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def escape_halves(text: str) -> str:
    """JSON text with a readable escape, six plain characters, in place of each half of a surrogate pair, which strict readers refuse."""
    if text.isascii():
        return text
    return _HALF.sub(lambda half: f"\\\\u{ord(half[0]):04x}", text)


class RowProblem(Exception):
    """Raised inside a check when this row cannot be measured (a time limit, an unusable expected value)."""

    def __init__(self, issue: Issue) -> None:
        self.issue = issue
        super().__init__(str(issue))


class CellError(Struct, frozen=True):
    """A cell that has no value, and why. It reaches the evaluators that need the cell and nothing else."""

    issue: Issue
    text: str = ""
    """What stands there in the file, for whoever shows the cell to people."""


def problem(code: str, message: str, *, where: str | None = None, hint: str | None = None) -> Problems:
    """A config problem that stands alone, ready to raise."""
    return Problems([Issue(code, Blame.CONFIG, message, where, hint)])
