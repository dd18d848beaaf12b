"""The lines of a run, in `run.db` and in exports, written and read as one of these types: rows, cells, outcomes, and the table of codes.

A line of outcomes is about one row and one evaluator. One with a `path` is an `Outcome`; one with an `array` is a `ListOutcome`; one
with neither says what the evaluator says of the row as a whole. A value that is not there is left out; null is null. To read a line
is to check its types; a key that is not known is no damage, as a later version of a format may have it.

The table of codes has each distinct verdict of an evaluator once, by the number that rows name it by. Numbers follow the rows: the
first row has code 0 of every evaluator, and a verdict gets the next number in the first row that has it, whatever the parts in which
the rows were scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import astuple, replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import MISSING, WHOLE, Count, FieldStatus, Outcome, Positive, Result, RowStatus
from evaluators.scoring.fields.outcomes import MEASURED, ListOutcome, Scored
from evaluators.scoring.values.json_text import compact

_LONG: Final = 1024 * 1024
"""Bytes of one part of a line."""


class RowLine(Struct, omit_defaults=True, kw_only=True):
    """A row: one code for each evaluator, and a value of each slice."""

    row: Count
    id: str
    checksum: str | None = None
    cluster: str | None = None
    slices: list[str] = []
    codes: list[Count]


class CellsLine(Struct):
    """The cells of a row, by column."""

    row: Count
    cells: dict[str, Any]


class RowOutcome(Struct, frozen=True, omit_defaults=True):
    """The outcome of a row as a whole."""

    reason: str | None = None
    details: Mapping[str, Any] = {}
    """What was found, in the evaluator's own words."""
    undeclared: tuple[str, ...] = ()
    """Places that the expected side has and the schema lacks."""
    schema: str | None = None
    """The hash of what the schema declares, where an evaluator scores by one: its row is then whole."""
    row: Count = 0
    evaluator: str = ""


OutcomeLine: TypeAlias = Outcome | ListOutcome | RowOutcome


def outcome_kind(line: Mapping[str, Any]) -> type[OutcomeLine]:
    """The type of line that a line of outcomes is meant to be, by its keys."""
    if "path" in line or "status" in line:
        return Outcome
    return ListOutcome if "array" in line or "pairs" in line else RowOutcome


class Recorded(Scored, frozen=True):
    """The record of one evaluator for one row."""

    reason: str | None = None
    details: Mapping[str, Any] = {}
    schema: str | None = None


def row_outcome(recorded: Recorded) -> RowOutcome | None:
    """The line about a row as a whole: its reason and details, places that the schema lacks, and the hash of the schema; None where there
    is none of these."""
    details = json_value(recorded.details)
    if recorded.reason is None and not details and not recorded.outside and recorded.schema is None:
        return None
    return RowOutcome(recorded.reason, details, recorded.outside, recorded.schema)


def outcome_line(outcome: OutcomeLine, longest: int) -> bytes:
    """A line of outcomes as JSON without its row and its evaluator: `run.db` has them in columns.

    In a line of more than `longest` bytes, which could not be read again, a text that tells its length stands for each long part.
    """
    outcome = _with_json_values(outcome)
    text = compact(outcome)
    if len(text) > longest:
        body = to_builtins(outcome)
        parts = {**body, "details": _shorten_parts(body["details"])} if "details" in body else body
        text = compact(_shorten_parts(parts))
    return text


def _with_json_values(outcome: OutcomeLine) -> OutcomeLine:
    """The line with values that JSON can hold. An outcome loses what follows from its status and its path, and its row and evaluator, which
    are stored in columns."""
    if isinstance(outcome, RowOutcome):
        return outcome
    expected, actual = _side_value(outcome.expected), _side_value(outcome.actual)
    if isinstance(outcome, ListOutcome):
        return replace(outcome, expected=expected, actual=actual)
    return replace(
        outcome, score=None if outcome.score == (outcome.status is FieldStatus.MATCH) else outcome.score,
        weight=WHOLE if outcome.weight == WHOLE else outcome.weight, field=None if outcome.field == outcome.path else outcome.field,
        expected=expected, actual=actual,
        details={name: json_value(value) for name, value in outcome.details.items() if value is not MISSING}, row=0, evaluator="",
    )  # fmt: skip


def _shorten_parts(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts, in which each that is longer than `_LONG` as JSON is replaced by a text that tells its length."""
    sizes = {key: len(compact(value)) for key, value in parts.items()}
    return {
        key: value if sizes[key] <= _LONG else f"({sizes[key]:,} bytes, too long to be kept)"
        for key, value in parts.items()
    }


def records_by_evaluator(lines: Iterable[OutcomeLine]) -> dict[str, Recorded]:
    """The record of each evaluator from the lines of one row, by name, in the order in which evaluators are first met."""
    outcomes: dict[str, list[OutcomeLine]] = {}
    for line in lines:
        outcomes.setdefault(line.evaluator, []).append(line)
    return {evaluator: _record_of(own) for evaluator, own in outcomes.items()}


def _record_of(lines: Sequence[OutcomeLine]) -> Recorded:
    """The record of one row by one evaluator: its fields, its lists, and what is said of the row as a whole."""
    whole = next((line for line in lines if isinstance(line, RowOutcome)), _NOTHING)
    fields = tuple(_with_score(line) for line in lines if isinstance(line, Outcome))
    arrays = tuple(line for line in lines if isinstance(line, ListOutcome))
    return Recorded(fields, arrays, whole.undeclared, None, whole.reason, whole.details, whole.schema)


_NOTHING: Final = RowOutcome()


def _with_score(line: Outcome) -> Outcome:
    """The outcome with the score that its status says, where the line says none."""
    if line.score is not None or line.status not in MEASURED:
        return line
    return replace(line, score=float(line.status is FieldStatus.MATCH))


def _side_value(value: object) -> Any:
    """One side of an outcome as JSON can hold it; MISSING stays."""
    return value if value is MISSING else json_value(value)


def json_value(value: object) -> Any:
    """The value as JSON can hold it; anything that is no JSON is its text."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): json_value(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(inner) for inner in value]
    if isinstance(value, Fraction):
        return list(value.as_integer_ratio())
    return str(value)


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
    """A verdict as a run folder has it. What is not said is as in most rows: no counts, metrics or issue."""

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
        """Raises ValueError for a score above 1, and for values that are not three numbers a field, or of a field that is not there."""
        if self.score is not None and self.score[0] > self.score[1]:
            raise ValueError(f"a score is a fraction from 0 to 1, such as [2, 3]; found {list(self.score)}")
        if len(self.values) % 3 or any(place >= len(self.fields) for place in self.values[::3]):
            raise ValueError("values are place, right and measured of fields, one after the other")

    @staticmethod
    def of(verdict: Result) -> CodedVerdict:
        """The verdict in the form in which a run folder has it."""
        issue = verdict.issue
        return CodedVerdict(
            verdict.status, (verdict.num, verdict.den) if verdict.den else None, verdict.passed,
            verdict.statuses.translate(_LETTER_OF).decode(), verdict.counts, verdict.metrics, verdict.values,
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


def code_lines(evaluators: Sequence[str], verdicts: Sequence[Sequence[Result]]) -> Iterator[bytes]:
    """Yields the lines of the table of codes as JSON, from the distinct verdicts of each evaluator."""
    for evaluator, known in zip(evaluators, verdicts, strict=True):
        for code, verdict in enumerate(known):
            yield b'{"evaluator":%b,"code":%d,%b' % (compact(evaluator), code, code_text(verdict)[1:])


def code_text(verdict: Result) -> bytes:
    """A verdict as JSON."""
    return compact(CodedVerdict.of(verdict))


_LETTER_OF: Final = bytes(map(ord, LETTERS)) + bytes(256 - len(LETTERS))
