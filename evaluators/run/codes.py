"""The table of codes of a run folder: each distinct verdict of an evaluator once, by the number that rows name it by.

Numbers follow the rows: the first row has code 0 of every evaluator, and a verdict gets the next number in the first row
that has it, whatever the parts in which the rows were scored.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import astuple

from evaluators.issues import Blame, Issue
from evaluators.model import Count, Positive, Result, RowStatus
from evaluators.values.json_text import compact

LETTERS: Final = ".=x-+s!?"
"""One letter for each status: not measured, match, mismatch, omission, hallucination, skipped, error, fault."""


class CodeIssue(Struct, frozen=True, omit_defaults=True):
    """Why a row has no score, or why it is 0. Unlike the issues of a run, it leaves out what it does not say."""

    code: str
    blame: Blame
    message: str
    where: str | None = None
    hint: str | None = None
    excerpt: str | None = None


class CodedVerdict(Struct, frozen=True, omit_defaults=True):
    """A verdict as a run folder has it. What is not said is as in most rows: no counts, figures or issue."""

    status: RowStatus
    score: tuple[Count, Positive] | None = None
    """An exact fraction from 0 to 1."""
    passed: bool | None = None
    fields: Annotated[str, Meta(pattern=r"^[.=x\-+s!?]*$")] = ""
    """A letter for each field."""
    counts: tuple[Count, Count, Count, Count] | None = None
    metrics: tuple[tuple[int, int], ...] = ()
    values: tuple[Count, ...] = ()
    issue: CodeIssue | None = None

    def __post_init__(self) -> None:
        if self.score is not None and self.score[0] > self.score[1]:
            raise ValueError(f"a score is a fraction from 0 to 1, such as [2, 3]; found {list(self.score)}")
        if len(self.values) % 3 or any(place >= len(self.fields) for place in self.values[::3]):
            raise ValueError("values are place, right and measured of fields, one after the other")

    @staticmethod
    def of(verdict: Result) -> CodedVerdict:
        """A verdict as it is written."""
        issue = verdict.issue
        return CodedVerdict(
            verdict.status, (verdict.num, verdict.den) if verdict.den else None, verdict.passed,
            verdict.statuses.translate(_LETTER_OF).decode(), verdict.counts, verdict.figures, verdict.values,
            None if issue is None
            else CodeIssue(issue.code, issue.blame, issue.message, issue.where, issue.hint, issue.excerpt),
        )  # fmt: skip

    @property
    def verdict(self) -> Result:
        """The verdict that it stands for."""
        return Result(
            self.status, self.passed, *(self.score or (0, 0)), bytes(map(LETTERS.index, self.fields)),
            self.counts, None if self.issue is None else Issue(*astuple(self.issue)), self.metrics, self.values,
        )  # fmt: skip


class CodeLine(CodedVerdict, frozen=True, omit_defaults=True, kw_only=True):
    """A line of the table of codes."""

    evaluator: str
    code: Count


def code_line(evaluator: str, code: int, verdict: bytes) -> bytes:
    """A line of the table, from a verdict as JSON."""
    return b'{"evaluator":%b,"code":%d,%b' % (compact(evaluator), code, verdict[1:])


def code_text(verdict: Result) -> bytes:
    """A verdict as JSON."""
    return compact(CodedVerdict.of(verdict))


_LETTER_OF: Final = bytes(map(ord, LETTERS)) + bytes(256 - len(LETTERS))
