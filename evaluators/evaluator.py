"""The contract of an evaluator type: its settings, what it needs, and how it scores.

A simple evaluator writes `needs` and `explain`; the fast check is made from `explain`. One that meets millions of rows
also writes `compile`, and a property test holds the two together.

Cells and documents may be a `Fault`. A check never sees one: the plan turns a fault into a verdict before it calls the
check, by blame, and asks `unreadable` what an unreadable output costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from evaluators.issues import Issue
from evaluators.model import MISSING, Standing, Score, Status, Verdict
from evaluators.registry import Socket

Role: TypeAlias = Literal["id", "input", "output", "expected"]
Wanted: TypeAlias = Literal["object", "array", "container", "any", "like_expected"]


@dataclass(frozen=True, slots=True)
class Column:
    """A cell as it stands: text, or a JSON value where the file holds one.

    `name` is a role (id, input, output, expected) unless `literal`, and then it is the name of a column.
    """

    name: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A cell as text. A JSON value is written as JSON, non-ASCII kept; no value is a fault."""

    column: Column


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected cell as a document, read strictly. What does not parse is the test set's fault."""

    column: Column


@dataclass(frozen=True, slots=True)
class Output:
    """An output cell as a document.

    `want` narrows what counts (`like_expected`: an object when the expected document is one, and so on). `beside` names
    the expected document it is compared with: where the two are equal the very same object is handed to the check, so
    that `output is expected` says so.
    """

    column: Column
    want: Wanted = "object"
    beside: Expected | None = None
    lenient: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """The verdict of another evaluator of the suite, by name."""

    evaluator: str


Need: TypeAlias = Column | Text | Expected | Output | Part
Needs: TypeAlias = tuple[Need, ...]
Check: TypeAlias = Callable[..., Verdict]
"""Takes one value per need, in order. May raise RowProblem. Its optional attribute `tally` is a PathTally."""


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example: shown on the evaluator's page and run by the tests."""

    title: str
    output: object = MISSING
    expected: object = MISSING
    input: object = MISSING
    settings: Mapping[str, object] | None = None
    score: float | None = 1.0
    passed: bool | None = None
    source: str | None = None
    """Where a published example comes from."""


class FromColumn(BaseModel):
    """A setting whose value stands in a column of the row: `{column: must_have, separator: ";"}`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: str
    separator: str | None = None
    """Splits the cell into a list; without it a cell that is a JSON list is a list, and any other is one item."""

    def need(self) -> Column:
        """The cell to ask for."""
        return Column(self.column, literal=True)


class Evaluator(BaseModel):
    """An evaluator type: the thing that a YAML line names. Subclasses are immutable settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, use_attribute_docstrings=True)

    type: str
    output: str | None = None
    """The column to score, when it is not the test set's output column."""
    pass_at: float = Field(1.0, ge=0.0, le=1.0)
    """A row passes when its score is at least this."""

    examples: ClassVar[tuple[Example, ...]] = ()
    retired: ClassVar[str | None] = None
    """What to use instead, for a type that only still loads."""

    def needs(self) -> Needs:
        """What a check is called with, in order."""
        raise NotImplementedError

    def explain(self, *values: Any) -> Score:
        """The score of one row with its reasons: slow, obvious, and the reference for `compile`."""
        raise NotImplementedError

    def compile(self) -> Check:
        """The fast check. Made from `explain` unless a type has a faster one."""
        explain, settle = self.explain, self.settle
        return lambda *values: settle(explain(*values))

    def unreadable(self, issue: Issue, *values: Any) -> Score:
        """What an unreadable output scores: 0.0. `values` are the needs, the unreadable one a `Fault`."""
        return Score(0.0, passed=False, reason=issue.message, standing=Standing.UNREADABLE)

    def field_names(self) -> tuple[str, ...]:
        """The closed list of fields that verdict statuses stand for, in order; empty without one."""
        return ()

    def column(self, role: Role) -> Column:
        """The column of a role: the one this evaluator names, or the test set's."""
        named = getattr(self, role, None) if role in type(self).model_fields else None
        return Column(named, literal=True) if named else Column(role)

    def settle(self, score: Score) -> Verdict:
        """The verdict that an explained score stands for: `pass_at` applied, values dropped."""
        statuses = bytes(result.status for result in score.fields) if self.field_names() else b""
        if score.value is None:
            return Verdict(score.standing, None, 0, 0, statuses)
        num, den = score.ratio or float(score.value).as_integer_ratio()
        passed = score.passed if score.passed is False else num / den >= self.pass_at
        return Verdict(score.standing, passed, num, den, statuses, counts_of(score) if not statuses else None)

    def score(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Score:
        """Score one output on its own, explained, with `pass_at` applied.

        Values are text or JSON values. Other columns that settings name are given by name.
        Raises Problems (testset) when a needed value is missing or unusable.
        """
        from evaluators.cells import score_alone

        return score_alone(self, {"output": output, "expected": expected, "input": input, **columns})

    async def score_async(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Score:
        """`score`, for use inside a running event loop."""
        import asyncio

        return await asyncio.to_thread(lambda: self.score(output, expected, input, **columns))


def counts_of(score: Score) -> tuple[int, int, int, int] | None:
    """(match, mismatch, omission, hallucination) over the fields of a score; None without fields."""
    if not score.fields:
        return None
    found = [result.status for result in score.fields]
    return (
        found.count(Status.MATCH),
        found.count(Status.MISMATCH) + found.count(Status.ERROR),
        found.count(Status.OMISSION),
        found.count(Status.HALLUCINATION),
    )


BUILTIN: Socket[Evaluator] = Socket("evaluators.builtin", Evaluator, "evaluator type")
