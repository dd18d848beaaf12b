"""The contract of an evaluator type: its settings, what it needs, and how it scores.

A simple evaluator writes `needs` and `explain`; the fast check is made from `explain`. One that meets millions of rows
also writes `compile`, and a property test holds the two together.

Cells and documents may be a `Fault`. A check never sees one: the plan turns a fault into a verdict before it calls the
check, by blame, and asks `unreadable` what an unreadable output costs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from pydantic import Field

from evaluators.fields.align import Align
from evaluators.fields.scored import Documents
from evaluators.issues import Blame, Fault, Issue, Problems, RowProblem
from evaluators.judges.asked_once import once
from evaluators.judges.judge import Judge
from evaluators.model import JSON, MISSING, FieldResult, Score, Standing, Status, Verdict
from evaluators.needs import (
    Cell,
    Column,
    Expected,
    Need,
    Needs,
    Output,
    Part,
    Role,
    Text,
    Wanted,
    answer_of,
    expected_of,
    output_of,
    text_of,
    want_like,
)
from evaluators.registry import Socket
from evaluators.settings import Loc, Name, Settings
from evaluators.value_class import NamedTuple, dataclass, replace
from evaluators.values.json_choice import Search
from evaluators.values.paths import Path

if TYPE_CHECKING:
    from evaluators.fields.closed import ClosedTree
    from evaluators.fields.open_tree import OpenTree
    from evaluators.fields.schema_scoring import SchemaScoring

__all__ = [
    "BUILTIN",
    "Awaited",
    "Check",
    "Column",
    "Evaluator",
    "Example",
    "Expected",
    "FromColumn",
    "Need",
    "Needs",
    "Output",
    "Part",
    "Role",
    "SurplusRules",
    "Text",
    "Wanted",
    "counts_of",
]

Check: TypeAlias = Callable[..., Verdict]
"""Takes one value per need, in order. May raise RowProblem. One that counts by path is a PathCheck."""


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


class FromColumn(Settings):
    """A setting whose value stands in a column of the row: `{column: must_have, separator: ";"}`."""

    column: Name
    separator: str | None = None
    """Splits the cell into a list; without it a cell that is a JSON list is a list, and any other is one item."""

    def need(self) -> Column:
        """The cell to ask for."""
        return Column(self.column, literal=True)


class SurplusRules(NamedTuple):
    """What counts among what only the output has."""

    keys: bool = True
    items: bool = True
    """Items of lists."""


class Awaited(NamedTuple):
    """Fields that some row should measure."""

    named: tuple[str, ...] = ()
    """Those that the suite itself names: one that no row measures is an error (law 11)."""
    declared: tuple[str, ...] = ()
    """Those that only a schema names: one that no row measures is a warning."""


class Evaluator(Settings):
    """An evaluator type: the thing that a YAML line names. Subclasses are immutable settings."""

    type: str
    output: Name | None = None
    """The column to score, when it is not the test set's output column."""
    pass_at: float = Field(1.0, ge=0.0, le=1.0, strict=True)
    """A row passes when its score is at least this."""

    examples: ClassVar[tuple[Example, ...]] = ()
    retired: ClassVar[str | None] = None
    """What to use instead, for a type that only still loads."""
    judges_unreadable: ClassVar[bool] = False
    """An output without usable JSON is an answer to this type's question, so `unreadable_output: skip` keeps the row."""

    def needs(self) -> Needs:
        """What a check is called with, in order."""
        raise NotImplementedError

    def explain(self, *values: Any) -> Score:
        """The score of one row with its reasons: slow, obvious, and the reference for `compile`."""
        raise NotImplementedError

    def asks(self) -> bool:
        """Whether rows may ask something that costs: a judge, a batch, an async function."""
        return False

    def own_judges(self) -> Mapping[Loc, Judge]:
        """The judges that only this evaluator asks, by where they stand among its settings."""
        return {}

    def ask(self, *values: Any) -> bool:
        """Puts what a row asks on the list. `values` are the needs, none of them a `Fault`.

        It is called before the row is scored, as long as the answers may lead to further questions: while it is True, and
        something is on the list that has no answer yet. The default explains the row, so `explain` asks with
        `judges.asking.ask` or `ask_judge`; there it meets placeholders for the answers that are not there yet, and what it
        says of them is dropped.
        """
        self.explain(*values)
        return True

    def compile(self) -> Check:
        """The fast check. Made from `explain` unless a type has a faster one."""
        settle = self.settle
        return lambda *values: settle(explain_once(self, *values))

    def unreadable(self, issue: Issue, *values: Any) -> Score:
        """What an unreadable output scores: 0.0. `values` are the needs, the unreadable one a `Fault`."""
        return Score(0.0, passed=False, reason=issue.message, standing=Standing.UNREADABLE)

    def compile_unreadable(self, check: Check) -> Callable[..., Verdict]:
        """The fast form of `unreadable`, given the compiled check: a function of the same needs.

        Where a type has fields, its verdict carries what each of them lost.
        """
        lost = Verdict(Standing.UNREADABLE, False, 0, 1)
        return lambda *values: lost

    def evidence(self, verdict: Verdict, wanted: Collection[str], *values: Any) -> Iterable[FieldResult]:
        """What went wrong in a row that did not score 1, for the paths that are `wanted` ("" is the row as a whole).

        The default explains the row. A type with many fields makes only what is asked for.
        """
        score = explain_once(self, *values)
        wrong = [result for result in score.fields if result.status not in _NOT_WRONG]
        if not wrong:
            return [FieldResult("", Status.MISMATCH, score.value, reason=score.reason)] if "" in wanted else []
        return [result for result in wrong if result.path in wanted]

    def documents(self, *values: Any) -> Documents | None:
        """The documents of one row with every result, for reports that list them; None for a type that has no schema.

        An unreadable output is a `Fault`. Raises RowProblem where `explain` does.
        """
        return None

    def field_names(self) -> tuple[str, ...]:
        """The closed list of fields that verdict statuses stand for, in order; empty without one."""
        return ()

    def row_fields(self) -> tuple[str, ...]:
        """The fields whose status every row has of its own, in the order of verdict statuses.

        Those of a closed list, or the places of a schema: there a status stands for all instances of the field in the
        row, and what is counted over a run are the instances.
        """
        return self.field_names()

    def figure_names(self) -> tuple[str, ...]:
        """The further figures of a row that verdicts carry beside the score, in order; empty without any."""
        return ()

    def awaited(self) -> Awaited:
        """The fields of an open list that some row should measure."""
        return Awaited()

    def keyed_lists(self, *cells: Any) -> Iterable[tuple[Path, Align]]:
        """The lists whose items are paired by a key: a key that no item has is an error (law 11).

        `cells` are what a row has beside its two documents, for a type whose schema stands in one of them.
        """
        return ()

    def substitutes(self) -> Mapping[str, int]:
        """How many fields a substitute of a judge scores, by what stands in for what: `fuzzy in place of semantic`."""
        return {}

    def learns_from(self) -> Column | None:
        """The column that the type must have seen before it can score (see `lesson`); None for one that knows enough."""
        return None

    def lesson(self, documents: Sequence[JSON]) -> Mapping[str, Any]:
        """What the JSON values of that column teach, as plain data that a worker can be given. Raises BadSettings."""
        raise NotImplementedError  # asked only of a type that `learns_from` a column

    def taught(self, lesson: Mapping[str, Any]) -> Evaluator:
        """The same settings with what was learned. Raises BadSettings."""
        raise NotImplementedError  # asked only of a type that `learns_from` a column

    def surplus(self) -> SurplusRules:
        """Whether what only the output has lowers the score of a row."""
        return SurplusRules()

    def compares(self) -> ClosedTree | OpenTree | SchemaScoring | None:
        """The fields that it compares, and how: listed ones, those that documents have, or those of a schema.

        None for a type that compares no fields. Raises RowProblem where they are known only row by row.
        """
        return None

    def named_keys(self) -> frozenset[str]:
        """The keys at the top of a document that the settings name: of several documents, those that have them fit best.

        For a list they are the keys of its items.
        """
        return frozenset()

    def optional_fields(self) -> frozenset[str]:
        """The listed fields that may be absent from every row without anything being wrong."""
        return frozenset()

    def column(self, role: Role) -> Column:
        """The column of a role: the one this evaluator names, or the test set's."""
        named = getattr(self, role, None) if role in type(self).model_fields else None
        return Column(named, literal=True, role=role) if named else Column(role, role=role)

    def settle(self, score: Score) -> Verdict:
        """The verdict that an explained score stands for: `pass_at` applied, values dropped.

        Raises RowProblem for a score, or a figure, that is no number from 0 to 1.
        """
        statuses = bytes(result.status for result in score.fields) if self.field_names() else b""
        counts = counts_of(score) if not statuses else None
        check_score(self.type, score)
        if score.value is None:
            return Verdict(score.standing, None, 0, 0, statuses, counts, score.issue, score.figures)
        num, den = score.ratio or float(score.value).as_integer_ratio()
        passed = score.passed if score.passed is False else num / den >= self.pass_at
        return Verdict(score.standing, passed, num, den, statuses, counts, None, score.figures)

    def score(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Score:
        """Score one output on its own, explained, with `pass_at` applied.

        Values are text or JSON values. Other columns that settings name are given by name.
        Raises Problems when the row cannot be measured: a needed value is missing or unusable, a time limit ran out.
        """
        return self.explain_cells({"output": output, "expected": expected, "input": input, **columns})

    def explain_cells(self, cells: Mapping[str, Any]) -> Score:
        """`explain` on the cells of one row, by role and by column name: faults told apart by blame."""
        values: list[Any] = []
        keys = self.named_keys()
        for need in self.needs():
            values.append(read(need, cells, values, self.needs(), keys))
        unreadable: Fault | None = None
        for value in values:
            if isinstance(value, Fault):
                if value.issue.blame is not Blame.OUTPUT:
                    raise Problems([value.issue])
                unreadable = unreadable or value
        try:
            score = self.unreadable(unreadable.issue, *values) if unreadable else self.explain(*values)
            settled = self.settle(score)
        except RowProblem as error:
            raise Problems([error.issue]) from error
        if score.issue is not None and score.standing in (Standing.INVALID, Standing.UNJUDGED, Standing.BUG):
            raise Problems([score.issue])
        return replace(score, passed=settled.passed)

    async def score_async(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Score:
        """`score`, for use inside a running event loop."""
        import asyncio

        return await asyncio.to_thread(lambda: self.score(output, expected, input, **columns))


def lists_fields(settings: Evaluator) -> bool:
    """Whether reports can list its rows result by result: the type has `documents`."""
    return type(settings).documents is not Evaluator.documents


def explain_once(settings: Evaluator, *values: Any) -> Score:
    """`explain`, asked once for the same values of a row."""
    return once((id(settings), *map(id, values)), lambda: settings.explain(*values), values)


def read(
    need: Need, cells: Mapping[str, Any], earlier: list[Any], needs: Needs, keys: frozenset[str] = frozenset()
) -> Any:
    """The value of one need for one row: slow and obvious, the reference for the compiled plan.

    `earlier` are the values of the needs before it, so that an output document meets the expected one it goes beside.
    `keys` are those that the evaluator names at the top of documents.
    """
    if isinstance(need, Part):
        raise TypeError("a composite is scored from the verdicts of a suite, not on its own")
    if isinstance(need, Column):
        found = cells.get(need.name, MISSING)
        return answer_of(found) if need.role == "expected" else found
    cell: Cell = cells.get(need.column.name, MISSING)
    if isinstance(need, Text) and need.column.role == "expected":
        cell = answer_of(cell)
    if isinstance(need, Text):
        return text_of(cell, need.column.absent)
    if isinstance(need, Expected):
        return expected_of(cell)
    beside: Any = earlier[needs.index(need.beside)] if need.beside else MISSING
    like = "any" if isinstance(beside, Fault) or beside is MISSING else want_like(beside)
    want = like if need.want == "like_expected" else need.want
    return output_of(cell, want, Search(need.lenient, keys=keys), like)


def check_score(type: str, score: Score) -> None:
    """Raises RowProblem, with the evaluator type to blame, for a score or a figure that is no number from 0 to 1."""
    value: object = score.value
    if value is not None and (not isinstance(value, int | float) or not 0 <= value <= 1):
        raise bad_score(type, f"gave the score {value}")
    if score.ratio is not None and not 0 <= score.ratio[0] <= score.ratio[1] != 0:
        raise bad_score(type, f"gave the score {score.ratio[0]}/{score.ratio[1]}")
    check_figures(type, score.figures)


def check_verdict(type: str, verdict: object) -> Verdict:
    """The verdict of a check, as it is. Raises RowProblem as `check_score` does."""
    if not isinstance(verdict, Verdict):
        raise bad_score(type, f"answered {verdict!r}, which is no verdict")
    if verdict.standing.scored and not 0 <= verdict.num <= verdict.den != 0:
        raise bad_score(type, f"gave the score {verdict.num}/{verdict.den}")
    check_figures(type, verdict.figures)
    return verdict


def check_figures(type: str, figures: Iterable[tuple[int, int]]) -> None:
    """Raises RowProblem for a figure that is no fraction from 0 to 1."""
    for num, den in figures:
        if not 0 <= num <= den:
            raise bad_score(type, f"gave the figure {num}/{den}")


def bad_score(type: str, what: str) -> RowProblem:
    """The problem of a row for which an evaluator gave a score that is none."""
    return RowProblem(Issue("bad-score", Blame.BUG, f'evaluator type "{type}" {what}; a score is a number from 0 to 1'))


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


_NOT_WRONG = (Status.MATCH, Status.SKIPPED, Status.NOT_MEASURED)

BUILTIN: Socket[Evaluator] = Socket("evaluators.builtin", Evaluator, "evaluator type")
