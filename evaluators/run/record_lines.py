"""The lines of a run folder: rows, cells, and outcomes, written and read as one of these types.

A line of outcomes is about one row and one evaluator. One with a `path` is a field's result; one with an `array` is a list's; one
with neither says what the evaluator says of the row as a whole. A value that is not there is left out; null is null. To read a line
is to check its types; a key that is not known is no damage, as a later version of a format may have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct, field, to_builtins

from evaluators.fields.differences import Differences
from evaluators.fields.scored import ArrayResult
from evaluators.model import MISSING, FieldStatus, Outcome
from evaluators.run.codes import Positive
from evaluators.run.result import Count, Share
from evaluators.values.json_text import compact

_LONG: Final = 1024 * 1024
"""Bytes of one part of a line."""
_STATUSES: Final = {status.word: status for status in FieldStatus}
StatusWord: TypeAlias = Literal[
    "not_measured", "match", "mismatch", "omission", "hallucination", "skipped", "error", "not_judged"
]


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


class FieldResultLine(Struct, omit_defaults=True, kw_only=True):
    """A field's result."""

    row: Count
    evaluator: str
    path: str
    status: StatusWord
    score: Share | None = None
    """Left out where it is 1 for a match, and 0 for anything else that is measured."""
    weight: Annotated[float, Meta(ge=0)] | None = None
    """Left out where it is 1."""
    field: str | None = None
    """Left out where it is the path."""
    reason: str | None = None
    comparator: str | None = None
    expected: Any = MISSING
    actual: Any = MISSING
    details: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if "ratio" not in self.details:
            return
        ratio = self.details["ratio"]
        if not isinstance(ratio, (list, tuple)) or [type(one) for one in ratio] != [int, int]:
            raise ValueError("the ratio among the details is two whole numbers")


class ArrayResultLine(Struct, omit_defaults=True, kw_only=True):
    """A list's result."""

    row: Count
    evaluator: str
    array: str
    field: str
    align: str
    code: str
    matched: Count
    missing: Count
    extra: Count
    paired: Count
    pairs: list[tuple[int, int]]
    weight: tuple[Count, Positive] | None = None
    """An exact fraction; left out where it is 1."""
    alike: bool = False
    extra_items: bool = False
    """Items that only the output has lower the score."""
    comparator: str | None = None
    pass_at: tuple[Count, Positive] | None = None
    unmeasured: tuple[list[int], list[int]] | None = None
    notes: list[str] = []
    expected: Any = MISSING
    actual: Any = MISSING


class WholeLine(Struct, omit_defaults=True, kw_only=True):
    """What is said of a row as a whole."""

    row: Count
    evaluator: str
    reason: str | None = None
    details: dict[str, Any] = {}
    undeclared: list[str] = []
    schema: str | None = None


OutcomeLine: TypeAlias = FieldResultLine | ArrayResultLine | WholeLine


def outcome_kind(line: Mapping[str, Any]) -> type[FieldResultLine] | type[ArrayResultLine] | type[WholeLine]:
    """Which of the three lines of outcomes something is meant to be."""
    if "path" in line or "status" in line:
        return FieldResultLine
    return ArrayResultLine if "array" in line or "pairs" in line else WholeLine


class Recorded(Struct):
    """What a run recorded of one evaluator in one row."""

    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    """What was found, in the evaluator's own words."""
    fields: list[Outcome] = field(default_factory=list)
    """The results that were kept, in the order of the document."""
    arrays: list[ArrayResult] = field(default_factory=list)
    outside: tuple[str, ...] = ()
    """Places that the expected side has and the schema lacks."""
    schema: str | None = None
    """The hash of what the schema declares, where an evaluator scores by one: its row is then whole."""


def row_line(evaluator: str, found: Recorded) -> WholeLine | None:
    """What is said of the row as a whole; None when there is nothing to say.

    Differences in words are left out: the row's fields say the same as data, and putting them into words takes longer than
    scoring a small test set.
    """
    details = {} if isinstance(found.details, Differences) else plain(found.details)
    if found.reason is None and not details and not found.outside and found.schema is None:
        return None
    return WholeLine(
        row=0, evaluator=evaluator, reason=found.reason, details=details, undeclared=list(found.outside),
        schema=found.schema,
    )  # fmt: skip


def field_line(evaluator: str, result: Outcome) -> FieldResultLine:
    """A field's result as a line."""
    status, details = result.status, result.details
    return FieldResultLine(
        row=0, evaluator=evaluator, path=result.path,
        status=status.word,  # type: ignore[arg-type]  # the type lists the words of the enumeration
        score=None if result.score == (status is FieldStatus.MATCH) else result.score, weight=None if result.weight == 1 else result.weight,
        field=None if result.field == result.path else result.field, reason=result.reason, comparator=result.comparator,
        expected=_side(result.expected), actual=_side(result.actual),
        details={name: plain(value) for name, value in details.items() if value is not MISSING},
    )  # fmt: skip


def array_line(evaluator: str, array: ArrayResult) -> ArrayResultLine:
    """A list's result as a line."""
    return ArrayResultLine(
        row=0, evaluator=evaluator, array=array.path, field=array.field, align=array.rule, code=array.code,
        matched=array.matched, missing=array.missing, extra=array.extra, paired=array.paired, pairs=list(array.pairs),
        weight=_exact(array.weight), alike=array.alike, extra_items=array.surplus_counts, comparator=array.metric,
        pass_at=_exact(array.pass_at),
        unmeasured=array.unmeasured if any(array.unmeasured) else None,  # type: ignore[arg-type]  # tuples are written as lists are
        notes=list(array.notes), expected=_side(array.expected), actual=_side(array.actual),
    )  # fmt: skip


def _exact(share: Fraction) -> tuple[int, int] | None:
    return None if share == 1 else share.as_integer_ratio()


def line_of_row(row: int, rest: bytes) -> bytes:
    """A line of outcomes, from its row and the rest."""
    return b'{"row":%d,%b' % (row, rest)


def rest_of_line(line: OutcomeLine, longest: int) -> bytes:
    """A line of outcomes as JSON without its row: rows have their numbers when the parts of a run are joined.

    Of a line that would be too long to be read again, what is long in it is told by its length.
    """
    return _text(line, longest)[len(line_of_row(0, b"")) :]


def _text(line: OutcomeLine, longest: int) -> bytes:
    text = compact(line)
    if len(text) <= longest:
        return text
    body = to_builtins(line)
    parts = {**body, "details": _shortened(body["details"])} if "details" in body else body
    return compact(_shortened(parts))


def _shortened(parts: Mapping[str, Any]) -> dict[str, Any]:
    sizes = {key: len(compact(value)) for key, value in parts.items()}
    return {
        key: value if sizes[key] <= _LONG else f"({sizes[key]:,} bytes, too long to be kept)"
        for key, value in parts.items()
    }


def recorded_of(lines: Iterable[OutcomeLine]) -> dict[str, Recorded]:
    """What the lines of one row say, by evaluator, in the order in which evaluators are first met."""
    found: dict[str, Recorded] = {}
    for line in lines:
        one = found.setdefault(line.evaluator, Recorded())
        if isinstance(line, FieldResultLine):
            one.fields.append(_field(line))
        elif isinstance(line, ArrayResultLine):
            one.arrays.append(_array(line))
        else:
            one.reason = one.reason if line.reason is None else line.reason
            one.details = line.details or one.details
            one.outside = tuple(line.undeclared) or one.outside
            one.schema = line.schema or one.schema
    return found


def _field(line: FieldResultLine) -> Outcome:
    status, score, details = _STATUSES[line.status], line.score, line.details
    if "ratio" in details:
        details = {**details, "ratio": tuple(details["ratio"])}
    if score is None and status not in _WITHOUT_SCORE:
        score = float(status is FieldStatus.MATCH)
    return Outcome(
        line.path,
        status,
        score,
        1.0 if line.weight is None else line.weight,
        line.field,
        line.reason,
        line.comparator,
        line.expected,
        line.actual,
        details,
    )


_WITHOUT_SCORE: Final = frozenset({FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED, FieldStatus.NOT_JUDGED})


def _array(line: ArrayResultLine) -> ArrayResult:
    expected, output = line.unmeasured or ((), ())
    return ArrayResult(
        path=line.array, field=line.field, rule=line.align, matched=line.matched, missing=line.missing, extra=line.extra,
        paired=line.paired, weight=Fraction(*(line.weight or (1, 1))), code=line.code, alike=line.alike,
        notes=tuple(line.notes), expected=line.expected, actual=line.actual, pairs=tuple(line.pairs),
        surplus_counts=line.extra_items, metric=line.comparator, pass_at=Fraction(*(line.pass_at or (1, 1))),
        unmeasured=(tuple(expected), tuple(output)),
    )  # fmt: skip


def _side(value: object) -> Any:
    return value if value is MISSING else plain(value)


def plain(value: object) -> Any:
    """The value as JSON can hold it; anything that is no JSON is its text."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, Fraction):
        return list(value.as_integer_ratio())
    return str(value)
