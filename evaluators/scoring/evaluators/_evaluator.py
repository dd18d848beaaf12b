"""The contract of an evaluator type: its settings, what it needs, and how it scores.

An evaluator writes `needs`, `measure` and `reason`: what it reads of a row, what that comes to, and why in words. A run asks
`measure` once for each row, and `reason` where somebody reads what was scored. A type that compares documents field by field
is a `TreeEvaluator`: it writes `check` in their place, a tree and the policy by which it is scored, and the tree says both.
What an unreadable output costs, examples and `pass_at` are the rest of the contract.

Cells and documents may be a `CellError`. A check never sees one: the plan turns an error into a result before it calls the
check, by blame, and asks `unreadable` what an unreadable output costs. What others need to know of an evaluator follows from
`scored_fields`, `unreadable`, `asking` and `schema_inference`: each is one object, asked for where it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from evaluators.model.issues import Blame, CellError, Issue, Problems, RowProblem, problem
from evaluators.model.registry import Socket
from evaluators.model.rows import JSON, MISSING, Reason, Result, RowStatus
from evaluators.model.settings import Detail, Loc, Name, Settings, bad, details_of
from evaluators.scoring.comparators._answer_cache import cache_in_force
from evaluators.scoring.evaluators._scored_fields import NO_FIELDS, ScoredFields
from evaluators.scoring.evaluators._texts import LabelRule, TextChange
from evaluators.scoring.fields.reading import read_path
from evaluators.scoring.fields.row_checks import ChunkCheck, ScoredRow, release_rows
from evaluators.scoring.judges.judge import Judge
from evaluators.scoring.needs import (
    ROLES,
    Cell,
    Column,
    Expected,
    FromColumn,
    Need,
    Needs,
    Output,
    Part,
    Role,
    Text,
    Wanted,
    expected_answer,
    expected_document,
    output_document,
    text_of,
    values_at,
    want_like,
)
from evaluators.scoring.values.json_choice import Search
from evaluators.scoring.values.paths import parse

__all__ = [
    "BUILTIN",
    "Asking",
    "Check",
    "Column",
    "Evaluator",
    "Example",
    "Expected",
    "FromColumn",
    "Measured",
    "Need",
    "Needs",
    "Output",
    "Part",
    "Reason",
    "Role",
    "Sampled",
    "SchemaInference",
    "ScoredFields",
    "Text",
    "TreeEvaluator",
    "Unreadable",
    "Wanted",
]

Check: TypeAlias = Callable[..., Result]
"""Takes one value per need, in order. May raise RowProblem. One that counts by path is a RowsCheck."""
Measured: TypeAlias = "bool | float | tuple[int, int] | Result"
"""What a row comes to: whether a claim holds; a number from 0 to 1; so many parts of a whole, exactly, where (0, 0) is not
measured; or a `Result`, which has passed or not whatever `pass_at` says."""


class Example(Struct, frozen=True):
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


def _document_path(spelled: object) -> str | None:
    """The path `at` of a suite, which leads to one document, as it is written; None stays. Raises BadSettings for any other path."""
    if spelled is None:
        return None
    path = read_path(spelled)
    if not path.definite or not path.steps:
        raise bad(f'"{path}" is not the path of one document', hint="write a path such as result.invoice or items[0]")
    return str(spelled)


DocumentPath: TypeAlias = Annotated[str | None, BeforeValidator(_document_path)]


class Asking(Struct, frozen=True):
    """The questions of an evaluator that cost: for a judge, a batch, an async function."""

    ask: Callable[..., object] = lambda *values: None
    """Puts what a row asks on the list. It takes the needs, none of them a `CellError`.

    It is called before the row is scored, as long as the answers may lead to further questions: until it returns None, or
    nothing is on the list that has no answer yet. `measure` will do, where it asks with `judges.asking.ask` or `ask_judge`:
    there it meets placeholders for the answers that are not there yet, and what it makes of them is dropped. A type whose
    check scores many rows at once asks while it scores, and has none."""
    judges: Mapping[Loc, Judge] = MappingProxyType({})
    """The judges that only this evaluator asks, by where they stand among its settings."""


class SchemaInference(Struct, frozen=True):
    """The part of the test set that an evaluator must see before it can score, to infer its schema."""

    column: Column
    """The column that it looks at."""
    infer: Callable[[Sequence[JSON]], Mapping[str, Any]]
    """What the JSON values of the column come to, as plain data that a worker can be given. Raises BadSettings."""
    apply: Callable[[Mapping[str, Any]], Evaluator]
    """The same settings with what was inferred. Raises BadSettings."""


class Sampled(Struct, frozen=True):
    """A further metric of an evaluator that compares rows with each other: worked out from some rows, once all are scored."""

    metric: str
    """Its name, which is among the metrics of `scored_fields`."""
    seed: int
    """Another seed chooses other rows."""
    key: Callable[..., str]
    """What tells a row from others, from the values of its needs."""
    keep: Callable[..., str | None]
    """What is kept of a row, as text; None for one that the metric is not about."""
    measure: Callable[[Sequence[str]], Iterable[tuple[int, int]]]
    """The metric of each row (part, whole) from what was kept of all of them, in an order that depends on the seed alone."""


NOTHING: Final = Result(RowStatus.UNREADABLE, False, 0, 1)
NOT_MEASURED: Final = Result(RowStatus.NOT_MEASURED, None, 0, 0)


class Unreadable(Struct, frozen=True):
    """The result of a row whose output cannot be read: 0.0, unless a type says otherwise."""

    result: Result = NOTHING
    """What such a row comes to, for a type that is never asked about it."""
    lost: Callable[[Result], Result] | None = None
    """What such a row comes to, from the result of one without an output, for a type that has a tree."""
    judged: bool = False
    """An output without usable JSON is an answer to this type's question, so `unreadable_output: skip` keeps the row."""


MISSING_OUTPUT: Final = Unreadable()


Method = TypeVar("Method", bound=Callable[..., None])


def _as_of_pydantic(method: Method) -> Method:
    """Marks an `__init__` as pydantic's own and gives it back: pydantic then does not call it for settings that it reads from data."""
    setattr(method, "__pydantic_base_init__", True)  # noqa: B010  # pydantic looks for this attribute of a function
    return method


def _named_settings(kind: type[Evaluator], unnamed: tuple[Any, ...]) -> dict[str, Any]:
    """The positional argument of a type's constructor (`unnamed`) under the name of its setting; an empty dict where there is no such
    argument. The setting is the one that the type declares as `unnamed`, else the first of its own. Raises Problems where several
    arguments are positional, or the type takes none."""
    if not unnamed:
        return {}
    own = (name for name in kind.model_fields if name not in (*Evaluator.model_fields, *ROLES))
    first = kind.unnamed or next(own, None)
    if first is None or len(unnamed) > 1:
        takes = f'only "{first}" may be given without its name' if first else "it takes no setting without its name"
        raise problem("unnamed-setting", f"{kind.__name__}: {takes}", hint="give settings by name: NAME=VALUE")
    return {first: unnamed[0]}


def _issue_of(kind: type[Evaluator], detail: Detail) -> Issue:
    """A problem with the arguments of a type's constructor, as an issue. Its place begins with the name of the class."""
    where = ".".join(map(str, (kind.__name__, *detail.loc)))
    return Issue(detail.code, Blame.CONFIG, detail.message, where, detail.hint)


class Evaluator(Settings):
    """An evaluator type: the thing that a YAML line names. Subclasses are immutable settings."""

    type: str
    output: Name | None = None
    """The column to score, when it is not the test set's output column."""
    at: DocumentPath = None
    """The path of what is scored, `result.invoice`, where outputs and expected answers are JSON that has more around it. An output
    without it counts as one that cannot be read."""
    output_at: DocumentPath = None
    """The same for the output alone, where only outputs have more around the document."""
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
            BaseModel.__init__(self, **_named_settings(kind, unnamed), **settings)
        except ValidationError as error:
            details = details_of(error, kind, settings, kind.__name__)
            raise Problems(_issue_of(kind, detail) for detail in details) from None

    def needs(self) -> Needs:
        """The needs: the values that `measure` is called with, in order. Every evaluator type implements it."""
        raise NotImplementedError  # the contract: each type says what it reads

    def measure(self, *values: Any) -> Measured:
        """The result of a row. Every evaluator type implements it; may raise RowProblem."""
        raise NotImplementedError  # the contract: each type scores in its own way

    def reason(self, *values: Any) -> Reason | str | None:
        """Why the row scores what it scores, in words; called with the values that `measure` got."""
        return None

    def compile(self) -> Check:
        """The check that a run calls for each row: `measure`, with `pass_at` applied."""
        measure, yes, no = self.measure, verdict_of(self, True), verdict_of(self, False)

        def check(*values: Any) -> Result:
            result = measure(*values)
            if result is True:
                return yes
            return no if result is False else verdict_of(self, result)

        return check

    def explain(self, *values: Any) -> Result:
        """The result of one row, with its reasons. An output that cannot be read is a `CellError`."""
        error = next((value for value in values if isinstance(value, CellError)), None)
        if error is not None:
            return self.unreadable().result.with_reason(Reason(error.issue.message))
        return self.with_reason(verdict_of(self, self.measure(*values)), *values)

    def with_reason(self, result: Result, *values: Any) -> Result:
        """The result of a row with its reasons. `values` are those that it was measured from."""
        reason = self.reason(*values)
        return result.with_reason(reason if isinstance(reason, Reason) else Reason(reason))

    def scored_fields(self) -> ScoredFields:
        """The fields that it scores, and what others may ask of them; none unless a type has fields."""
        return NO_FIELDS

    def unreadable(self) -> Unreadable:
        """The result of a row whose output cannot be read."""
        return MISSING_OUTPUT

    def asking(self) -> Asking | None:
        """The questions of its rows that cost; None for a type that has none."""
        return None

    def label_rule(self) -> LabelRule | None:
        """The rule by which its rows are counted by label; None for a type that compares no two texts. A type that has one needs the
        text and the expected text, in this order."""
        return None

    def with_settings(self, **settings: Any) -> Self:
        """A copy with other settings, given as the values of its attributes. Raises BadSettings where they do not go together."""
        copy = self.model_copy(update=settings)
        copy.forget_computed()
        return copy

    def text_changes(self) -> Sequence[TextChange]:
        """The differences between texts that it could forgive, for suggestions; none for a type that does not compare two texts."""
        return ()

    def schema_inference(self) -> SchemaInference | None:
        """The part of the test set that it must see before it can score; None for a type that needs none."""
        return None

    def sampled_metric(self) -> Sampled | None:
        """The metric that compares rows with each other; None for a type that has no such metric."""
        return None

    def column(self, role: Role) -> Column:
        """The column of a role: the one this evaluator names, or the test set's."""
        named: str | None = vars(self).get(role)  # a type need not have such a setting
        at = {"output": self.output_at or self.at, "expected": self.at}.get(role)
        return Column(named, True, role, at) if named else Column(role, role=role, at=at)

    def score(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Result:
        """Score one output on its own, explained, with `pass_at` applied.

        Values are text or JSON values. Other columns that settings name are given by name.
        Raises Problems when the row cannot be measured: a needed value is missing or unusable, a time limit ran out.
        """
        return explain_cells(self, {"output": output, "expected": expected, "input": input, **columns})

    async def score_async(
        self, output: object = MISSING, expected: object = MISSING, input: object = MISSING, **columns: object
    ) -> Result:
        """`score`, for use inside a running event loop."""
        import asyncio

        return await asyncio.to_thread(lambda: self.score(output, expected, input, **columns))


class TreeEvaluator(Evaluator):
    """An evaluator that compares documents field by field: its tree says what a row comes to, and why."""

    def check(self) -> ChunkCheck[Any] | None:
        """The check that scores its rows, many at once: its tree, and the policy. Every type with a tree implements it. None where
        the settings name no fields: then `measure` and `reason` do."""
        raise NotImplementedError  # the contract: each type has a tree of its own

    def compile(self) -> Check:
        """The check that a run calls for its rows: that of the tree, or `measure` where there is none."""
        check = self.check()
        return super().compile() if check is None else check

    def explain(self, *values: Any) -> Result:
        """The result of one row, with every field. Answers of judges are kept meanwhile, so that no question is asked twice.

        An output that cannot be read (a `CellError`) is scored as a missing one, and its error is the reason shown. Where the type has
        no check of whole columns, the row is explained as that of any evaluator.
        """
        check = self.check()
        if check is None:
            return super().explain(*values)
        error = next((value for value in values if isinstance(value, CellError)), None)
        with cache_in_force():
            row = check.score_row(*(MISSING if isinstance(value, CellError) else value for value in values))
            try:
                return self._with_reason(row, None if error is None else error.issue)
            finally:
                release_rows([row])

    def _with_reason(self, row: ScoredRow, unreadable: Issue | None) -> Result:
        """The result of one scored row with its reasons; `unreadable` is the problem of an output that cannot be read."""
        lost = None if unreadable is None else self.unreadable().lost
        result = row.verdict if lost is None else lost(row.verdict)
        return result if row.rows is None else result.with_reason(row.reason(unreadable))

    def unreadable(self) -> Unreadable:
        """A row whose output cannot be read scores 0, and so does each of its metrics."""
        return Unreadable(lost=_without_output)


def _without_output(verdict: Result) -> Result:
    """The result of a row whose output cannot be read: 0 in every metric. `verdict` is its result with a missing output.

    A row that is left out for another reason keeps that result.
    """
    if verdict.status.kept_out:
        return verdict
    metrics = ((0, 1),) * len(verdict.metrics)
    return replace(verdict, status=RowStatus.UNREADABLE, passed=False, num=0, den=1, issue=None, metrics=metrics)


def verdict_of(settings: Evaluator, score: object) -> Result:
    """The result for a score that `measure` returned, with `pass_at` applied. A score is true or false, a number from 0 to 1, or a pair
    (numerator, denominator), which is not measured where the denominator is 0; a result that `measure` made itself is checked.
    Raises RowProblem for any other score."""
    match score:
        case (int(num), int(den)) if 0 <= num <= den:
            if not den:
                return NOT_MEASURED
        case Result():
            return _check_verdict(settings, score)
        case int() | float() if 0 <= score <= 1:
            num, den = float(score).as_integer_ratio()
        case int() | float():
            raise _bad_score(settings, f"gave the score {score}")
        case (int(num), int(den)):
            raise _bad_score(settings, f"gave the score {num}/{den}")
        case _:
            raise _bad_score(settings, f"answered {score!r}, which is no score")
    return Result(RowStatus.SCORED, num / den >= settings.pass_at, num, den)


def _check_verdict(settings: Evaluator, verdict: Result) -> Result:
    """The verdict. Raises RowProblem where its score, or one of its metrics, is no fraction from 0 to 1."""
    if not 0 <= verdict.num <= verdict.den or (not verdict.den and verdict.status.scored):
        raise _bad_score(settings, f"gave the score {verdict.num}/{verdict.den}")
    for num, den in verdict.metrics:
        if not 0 <= num <= den:
            raise _bad_score(settings, f"gave the metric {num}/{den}")
    return verdict


def _bad_score(settings: Evaluator, complaint: str) -> RowProblem:
    """The problem of a row for which an evaluator gave no usable score, ready to raise. `complaint` is what it gave."""
    message = f'evaluator type "{settings.type}" {complaint}; a score is a number from 0 to 1'
    return RowProblem(Issue("bad-score", Blame.BUG, message))


def lists_fields(settings: Evaluator) -> bool:
    """Whether an evaluator scores by a schema: then reports can list every result of a row, with its documents."""
    return settings.scored_fields().by_schema


def outer_keys(settings: Evaluator) -> frozenset[str]:
    """The top-level keys that the settings expect in the JSON of a cell: the first ones of the paths `at` and `output_at`, or else
    those of the fields."""
    paths = [parse(at) for at in (settings.at, settings.output_at) if at is not None]
    return frozenset(key for path in paths for key in path.first_keys()) if paths else settings.scored_fields().top_keys


def explain_cells(settings: Evaluator, cells: Mapping[str, Any]) -> Result:
    """The explained result of one row, given its `cells` by role and by column name.

    Raises Problems when the row cannot be measured for another reason than its output.
    """
    values: list[Any] = []
    needs, keys = settings.needs(), outer_keys(settings)
    for need in needs:
        values.append(read_need(need, cells, values, needs, keys))
    errors = [value for value in values if isinstance(value, CellError)]
    for error in errors:
        if error.issue.blame is not Blame.OUTPUT:
            raise Problems([error.issue])
    try:
        with cache_in_force():
            result = settings.explain(*values)
    except RowProblem as error:
        raise Problems([error.issue]) from error
    if result.issue is not None and result.status.kept_out:
        raise Problems([result.issue])
    return replace(result, evaluator=settings.type)


def read_need(
    need: Need, cells: Mapping[str, Any], earlier: list[Any], needs: Needs, keys: frozenset[str] = frozenset()
) -> Any:
    """The value of one need for one row: slow and obvious, the reference for the compiled plan.

    `cells` are those of the row, by role or column name. `earlier` are the values of the needs before it, in the order of `needs`: of
    several documents in an output, the one that is like the expected document counts. `keys` are those that the evaluator names at
    the top of documents.
    """
    if isinstance(need, Part):
        raise TypeError("a composite is scored from the verdicts of a suite, not on its own")
    if isinstance(need, Column):
        found = cells.get(need.name, MISSING)
        if need.at is not None:
            (found,) = values_at([_whole_document(need, found, keys)], need)
        return expected_answer(found) if need.role == "expected" else found
    cell: Cell = cells.get(need.column.name, MISSING)
    if need.column.at is not None:
        (cell,) = values_at([_whole_document(need.column, cell, keys)], need.column)
    if isinstance(need, Text) and need.column.role == "expected":
        cell = expected_answer(cell)
    if isinstance(need, Text):
        return text_of(cell, need.column.absent, need.filled)
    if isinstance(need, Expected):
        document = expected_document(cell)
        return MISSING if need.optional and isinstance(document, CellError) else document
    beside: Any = earlier[needs.index(need.beside)] if need.beside else MISSING
    like = "any" if isinstance(beside, CellError) or beside is MISSING else want_like(beside)
    want = like if need.want == "like_expected" else need.want
    return output_document(cell, want, Search(need.lenient, keys=keys), like)


def _whole_document(column: Column, cell: Cell, keys: frozenset[str]) -> Any:
    """The whole JSON document of a cell, in which the path of `column` leads to a part. `keys` are top-level keys by which it is told
    from other documents in the cell."""
    expected = column.role == "expected"
    return expected_document(cell) if expected else output_document(cell, column.want_around, Search(keys=keys))


BUILTIN: Socket[Evaluator] = Socket("evaluators.scoring.evaluators", Evaluator, "evaluator type")
START_HERE: Final = ("exact_match", "correctness", "contains", "json_multi_field_match", "schema_match", "llm_judge")
"""The types that people need first, in the order in which they are listed."""
