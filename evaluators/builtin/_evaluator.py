"""The contract of an evaluator type: its settings, what it needs, and how it scores.

A simple evaluator writes `needs` and `explain`; the fast check is made from `explain`. One that meets millions of rows
also writes `compile`, and a property test holds the two together.

Cells and documents may be a `Fault`. A check never sees one: the plan turns a fault into a verdict before it calls the
check, by blame, and asks `unreadable` what an unreadable output costs. What others need to know of an evaluator follows from
`scored_fields`, `unreadable`, `asking` and `learning`: each is one object, asked for where it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

from pydantic import BaseModel, Field, ValidationError

from evaluators.builtin._labels import LabelRule
from evaluators.builtin._scored_fields import NO_FIELDS, Awaited, ScoredFields, SurplusRules
from evaluators.builtin._text_changes import TextChange
from evaluators.comparators._cache import cached
from evaluators.issues import Blame, Fault, Issue, Problems, RowProblem, problem
from evaluators.judges.judge import Judge
from evaluators.model import JSON, MISSING, FieldResult, Score, Standing, Status, Verdict
from evaluators.needs import (
    ROLES,
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
from evaluators.settings import Detail, Loc, Name, Settings, details_of
from evaluators.value_class import dataclass, replace
from evaluators.values.json_choice import Search

__all__ = [
    "BUILTIN",
    "Asking",
    "Awaited",
    "Check",
    "Column",
    "Evaluator",
    "Example",
    "Expected",
    "FromColumn",
    "Learning",
    "Need",
    "Needs",
    "Output",
    "Part",
    "Role",
    "ScoredFields",
    "SurplusRules",
    "Text",
    "Unreadable",
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


@dataclass(frozen=True, slots=True)
class Asking:
    """How an evaluator asks something that costs: a judge, a batch, an async function."""

    ask: Callable[..., object]
    """Puts what a row asks on the list. It takes the needs, none of them a `Fault`.

    It is called before the row is scored, as long as the answers may lead to further questions: until it returns False, or
    nothing is on the list that has no answer yet. `explain` will do, where it asks with `judges.asking.ask` or `ask_judge`:
    there it meets placeholders for the answers that are not there yet, and what it says of them is dropped."""
    judges: Mapping[Loc, Judge] = MappingProxyType({})
    """The judges that only this evaluator asks, by where they stand among its settings."""


@dataclass(frozen=True, slots=True)
class Learning:
    """What an evaluator must have seen of the test set before it can score."""

    column: Column
    """The column that it looks at."""
    infer: Callable[[Sequence[JSON]], Mapping[str, Any]]
    """What the JSON values of the column come to, as plain data that a worker can be given. Raises BadSettings."""
    apply: Callable[[Mapping[str, Any]], Evaluator]
    """The same settings with what was inferred. Raises BadSettings."""


def _nothing(issue: Issue, *values: Any) -> Score:
    return Score(0.0, passed=False, reason=issue.message, standing=Standing.UNREADABLE)


def _compiled_nothing(check: Check) -> Check:
    missing = Verdict(Standing.UNREADABLE, False, 0, 1)
    return lambda *values: missing


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What an unreadable output costs: 0.0, unless a type says otherwise."""

    explain: Callable[..., Score] = _nothing
    """The score, from the issue and the needs, the unreadable one a `Fault`."""
    compile: Callable[[Check], Check] = _compiled_nothing
    """The fast form of `explain`, from the compiled check: a function of the same needs. Where a type has fields, its verdict
    carries what each of them is missing."""
    lost: Callable[[Verdict], Verdict] | None = None
    """What an unreadable output comes to, from the verdict of one that is missing, for a type whose check takes many rows at once."""
    judged: bool = False
    """An output without usable JSON is an answer to this type's question, so `unreadable_output: skip` keeps the row."""


MISSING_OUTPUT: Final = Unreadable()


Method = TypeVar("Method", bound=Callable[..., None])


def _as_of_pydantic(method: Method) -> Method:
    """Marks an `__init__` that only Python code calls: settings that are read from data go past it, as fast as before."""
    setattr(method, "__pydantic_base_init__", True)  # noqa: B010  # pydantic looks for this attribute of a function
    return method


def _by_name(kind: type[Evaluator], unnamed: tuple[Any, ...]) -> dict[str, Any]:
    """What was given without a name, by the name of the setting that it is."""
    if not unnamed:
        return {}
    own = (name for name in kind.model_fields if name not in (*Evaluator.model_fields, *ROLES))
    first = kind.unnamed or next(own, None)
    if first is None or len(unnamed) > 1:
        takes = f'only "{first}" may be given without its name' if first else "it takes no setting without its name"
        raise problem("unnamed-setting", f"{kind.__name__}: {takes}", hint="give settings by name: NAME=VALUE")
    return {first: unnamed[0]}


def _issue_of(kind: type[Evaluator], detail: Detail) -> Issue:
    where = ".".join(map(str, (kind.__name__, *detail.loc)))
    return Issue(detail.code, Blame.CONFIG, detail.message, where, detail.hint)


class Evaluator(Settings):
    """An evaluator type: the thing that a YAML line names. Subclasses are immutable settings."""

    type: str
    output: Name | None = None
    """The column to score, when it is not the test set's output column."""
    pass_at: float = Field(1.0, ge=0.0, le=1.0, strict=True)
    """A row passes when its score is at least this."""

    unnamed: ClassVar[str | None] = None
    """The setting that Python may give without its name; the first of the type's own unless it says otherwise."""
    examples: ClassVar[tuple[Example, ...]] = ()
    retired: ClassVar[str | None] = None
    """What to use instead, for a type that only still loads."""

    @_as_of_pydantic
    def __init__(self, /, *unnamed: Any, **settings: Any) -> None:
        """Settings by name; the first of the type's own may be given without its name: `FormatValid("json")`.

        Raises Problems (config) with everything that is wrong with them.
        """
        kind = type(self)
        try:
            BaseModel.__init__(self, **_by_name(kind, unnamed), **settings)
        except ValidationError as error:
            details = details_of(error, kind, settings, f"{kind.__name__}")
            raise Problems(_issue_of(kind, detail) for detail in details) from None

    def needs(self) -> Needs:
        """What a check is called with, in order. Every evaluator type implements it."""
        raise NotImplementedError  # the contract: each type says what it reads

    def explain(self, *values: Any) -> Score:
        """The score of one row with its reasons: slow, obvious, and the reference for `compile`.

        Every evaluator type implements it; composites and comparisons of top-level keys share one each.
        """
        raise NotImplementedError  # the contract: each type scores in its own way

    def compile(self) -> Check:
        """The fast check. Made from `explain` unless a type has a faster one."""
        return lambda *values: settle(self, explain_once(self, *values))

    def scored_fields(self) -> ScoredFields:
        """The fields that it scores, and what others may ask of them; none unless a type has fields."""
        return NO_FIELDS

    def unreadable(self) -> Unreadable:
        """What an unreadable output costs."""
        return MISSING_OUTPUT

    def asking(self) -> Asking | None:
        """How it asks what costs; None for a type whose rows never do."""
        return None

    def label_rule(self) -> LabelRule | None:
        """How its rows are counted by label, for a type whose second need is the expected text of its first; else None."""
        return None

    def text_changes(self) -> Sequence[TextChange]:
        """What it could forgive of texts that differ, for near misses; nothing for a type that does not compare two texts."""
        return ()

    def learning(self) -> Learning | None:
        """What it must have seen of the test set before it can score; None for one that knows enough."""
        return None

    def column(self, role: Role) -> Column:
        """The column of a role: the one this evaluator names, or the test set's."""
        named = getattr(self, role, None) if role in type(self).model_fields else None
        return Column(named, literal=True, role=role) if named else Column(role, role=role)

    def score(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Score:
        """Score one output on its own, explained, with `pass_at` applied.

        Values are text or JSON values. Other columns that settings name are given by name.
        Raises Problems when the row cannot be measured: a needed value is missing or unusable, a time limit ran out.
        """
        return explain_cells(self, {"output": output, "expected": expected, "input": input, **columns})

    async def score_async(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Score:
        """`score`, for use inside a running event loop."""
        import asyncio

        return await asyncio.to_thread(lambda: self.score(output, expected, input, **columns))


def settle(settings: Evaluator, score: Score) -> Verdict:
    """The verdict that an explained score stands for: `pass_at` applied, values dropped.

    Raises RowProblem for a score, or a figure, that is no number from 0 to 1.
    """
    fields = settings.scored_fields()
    verdict = _settled(settings, score, bool(fields.names))
    return verdict if fields.by_place is None else fields.by_place(score, verdict)


def _settled(settings: Evaluator, score: Score, listed: bool) -> Verdict:
    statuses = bytes(result.status for result in score.fields) if listed else b""
    counts = counts_of(score) if not statuses else None
    check_score(settings.type, score)
    if score.value is None:
        return Verdict(score.standing, None, 0, 0, statuses, counts, score.issue, score.figures)
    num, den = score.ratio or float(score.value).as_integer_ratio()
    passed = score.passed if score.passed is False else num / den >= settings.pass_at
    return Verdict(score.standing, passed, num, den, statuses, counts, None, score.figures)


def lists_fields(settings: Evaluator) -> bool:
    """Whether reports can list its rows result by result: the type gives the documents of a row."""
    return settings.scored_fields().documents is not None


def wrong_fields(settings: Evaluator, verdict: Verdict, wanted: Collection[str], *values: Any) -> Iterable[FieldResult]:
    """What went wrong in a row that did not score 1, for the paths that are `wanted` ("" is the row as a whole).

    A type with many fields makes only what is asked for; of others the row is explained.
    """
    if (wrong := settings.scored_fields().wrong) is not None:
        return wrong(verdict, wanted, *values)
    score = explain_once(settings, *values)
    found = [result for result in score.fields if result.status not in _NOT_WRONG]
    if not found:
        return [FieldResult("", Status.MISMATCH, score.value, reason=score.reason)] if "" in wanted else []
    return [result for result in found if result.path in wanted]


def explain_cells(settings: Evaluator, cells: Mapping[str, Any]) -> Score:
    """`explain` on the cells of one row, by role and by column name: faults told apart by blame.

    Raises Problems when the row cannot be measured.
    """
    values: list[Any] = []
    needs, keys = settings.needs(), settings.scored_fields().top_keys
    for need in needs:
        values.append(read(need, cells, values, needs, keys))
    faults = [value for value in values if isinstance(value, Fault)]
    for fault in faults:
        if fault.issue.blame is not Blame.OUTPUT:
            raise Problems([fault.issue])
    try:
        score = settings.unreadable().explain(faults[0].issue, *values) if faults else settings.explain(*values)
        settled = settle(settings, score)
    except RowProblem as error:
        raise Problems([error.issue]) from error
    if score.issue is not None and score.standing in (Standing.INVALID, Standing.UNJUDGED, Standing.BUG):
        raise Problems([score.issue])
    return replace(score, passed=settled.passed)


def explain_once(settings: Evaluator, *values: Any) -> Score:
    """`explain`, asked once for the same values of a row."""
    return cached((id(settings), *map(id, values)), lambda: settings.explain(*values), values)


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
