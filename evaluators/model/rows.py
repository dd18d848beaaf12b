"""The words everyone uses: Row, FieldStatus, RowStatus, Comparison, Outcome, Reason, Result, RowResult."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import force_setattr, replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.words import plain_word

if TYPE_CHECKING:
    from evaluators.model.result_table import ResultTable

__version__: Final = "0.1.0"
"""The version of this package, as run folders and reports name it."""

JSON: TypeAlias = "None | bool | int | float | str | list[JSON] | dict[str, JSON]"
"""A parsed JSON value. Integers are exact."""


class Missing(Enum):
    """The type of `MISSING`: nothing is there. Null is something else."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> Literal[False]:
        return False


MISSING: Final = Missing.MISSING


Count: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(gt=0)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
WHOLE: Final = 1.0
"""The usual weight. It is one object, as what is written leaves out what is the default itself."""


class _Status(StrEnum):
    """A status: the word that JSON, CSV and stored rows write. Its number is its place in the class, which is what a result keeps."""

    def __init__(self, word: str) -> None:
        """Numbers the statuses in the order of their class, from 0."""
        self.word = word
        self.number = len(self.__class__.__members__)

    @property
    def plain(self) -> str:
        """The status in the word for people, which every page prints; `word` is the one for programs."""
        return plain_word(self.word)

    def __index__(self) -> int:
        """The number, so that `bytes` and lists take a status as it is."""
        return self.number


class FieldStatus(_Status):
    """The status of one field, by its word. Its number is the byte that stands for it in a result."""

    NOT_MEASURED = "not_measured"
    MATCH = "match"
    MISMATCH = "mismatch"
    OMISSION = "omission"
    HALLUCINATION = "hallucination"
    SKIPPED = "skipped"
    ERROR = "error"
    """The output's value broke the comparison: counts 0 in every denominator, like a mismatch."""
    NOT_JUDGED = "not_judged"
    """Something else broke the comparison (the expected value, a time limit): the row has no score."""

    def __eq__(self, other: object) -> bool:
        """Whether the other value is the same status, or its word. struct-extract-eval calls what is not judged an `error`."""
        if isinstance(other, FieldStatus) or not isinstance(other, str):
            return self is other
        return other == self.word or (self is FieldStatus.NOT_JUDGED and other == "error")

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


FIELD_STATUSES: Final = tuple(FieldStatus)
"""The statuses by their numbers: what the bytes of a result stand for."""


class RowStatus(_Status):
    """How a row is counted for one evaluator, by its word. The first three are *scored*."""

    SCORED = "scored"
    UNREADABLE = "unreadable"
    """Scored 0.0: the output holds no JSON that the evaluator can use."""
    BLOCKED = "blocked"
    """Scored 0.0: an evaluator named in `needs` did not pass."""
    SKIPPED = "skipped"
    NOT_MEASURED = "not_measured"
    INVALID = "invalid"
    """The test set is to blame."""
    UNJUDGED = "unjudged"
    """The environment is to blame."""
    BUG = "bug"

    @classmethod
    def of(cls, blame: Blame) -> RowStatus:
        """The status of a row that could not be scored: who is to `blame` for the problem decides."""
        return {Blame.TESTSET: cls.INVALID, Blame.ENVIRONMENT: cls.UNJUDGED}.get(blame, cls.BUG)

    @property
    def scored(self) -> bool:
        """Whether the row counts in the mean."""
        return self.number <= RowStatus.BLOCKED.number

    @property
    def kept_out(self) -> bool:
        """Whether something other than the output kept the row from being measured."""
        return self.number >= RowStatus.INVALID.number


class Comparison(Struct, frozen=True):
    """The answer of a comparator about two values where yes or no is not enough.

    `score` is in [0, 1]; `passed` decides match or mismatch, and without it a score of 1 passes. A fraction that a float
    cannot hold goes in `ratio`.
    """

    score: float
    passed: bool = None  # type: ignore[assignment]  # follows from the score; who reads it finds true or false
    reason: str | None = None
    details: Mapping[str, object] = {}
    ratio: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Sets `passed` where it was not given: a score of 1 passes."""
        if self.passed is None:
            force_setattr(self, "passed", self.score == 1)


def ComparatorResult(score: float, comparator: str = "", reason: str | None = None) -> Comparison:  # noqa: N802  # their name
    """A `Comparison` by the name that struct-extract-eval has for it; it passes at 1. `comparator` is not looked at: a comparator is
    called what it is registered under."""
    return Comparison(score, score == 1, reason)


class Outcome(Struct, frozen=True, omit_defaults=True):
    """The result at one place of one row, with the values that were compared, as a run records it and reports show it."""

    path: str
    status: FieldStatus
    score: Share | None = None
    """Recorded where it is not plain: 1 for a match, and 0 for anything else that is measured."""
    weight: Annotated[float, Meta(ge=0)] = WHOLE
    field: str | None = None
    """The field of the schema that this is an instance of, `items[*].name` for `items[0].name`; None where `path` says it."""
    reason: str | None = None
    comparator: str | None = None
    """What decided, with its options."""
    expected: Any = MISSING
    actual: Any = MISSING
    details: Mapping[str, Any] = {}
    """What else is known, by name: the compared values where transforms changed them, the reason's code, the metric."""
    row: Count = 0
    evaluator: str = ""
    """Both are said where it was recorded."""

    @property
    def place(self) -> str:
        """The path of the field in the schema, without the indexes of items."""
        return self.path if self.field is None else self.field

    @property
    def metric(self) -> str:
        """The metric that decided; `presence` where values were not compared, because only one side has the field."""
        return str(self.details.get("metric", "presence"))

    @property
    def code(self) -> str:
        """The code of the reason: match, mismatch, extracted_missing, …"""
        return str(self.details.get("code", self.status.word))

    @property
    def passed(self) -> bool:
        """Whether the field matches."""
        return self.status is FieldStatus.MATCH

    @property
    def gold_value(self) -> object:
        """`expected` in struct-extract-eval's words: None where there is none."""
        return None if self.expected is MISSING else self.expected

    @property
    def extracted_value(self) -> object:
        """`actual` in struct-extract-eval's words: None where there is none."""
        return None if self.actual is MISSING else self.actual


class Row(Struct, frozen=True):
    """One row of a test set. `number` is the row number a spreadsheet shows, header included."""

    cells: Mapping[str, JSON]
    id: str = ""
    number: int = 0
    variant: str | None = None


class Reason(Struct, frozen=True):
    """The reason of a row's score: a sentence, and details by name."""

    text: str | None = None
    details: Mapping[str, object] = {}
    fields: tuple[Outcome, ...] = ()
    """What became of each field, for a type whose results have a status for each."""


class Result(Struct, frozen=True, gc=False):
    """The result of one evaluator for one row.

    A run makes one for every row, and keeps it small: how the row is counted, its score as an exact fraction, and a status for
    each field. Where somebody asks why, the same result has `fields`, `reason` and `details` as well.
    """

    status: RowStatus
    passed: bool | None = None
    """Whether the score reaches `pass_at`; None without a score."""
    num: int = 0
    den: int = 0
    """The score is `num / den`, exactly; `den` is 0 when there is none."""
    statuses: bytes = b""
    """One byte (`FieldStatus`) per field of a closed list of fields; empty for other evaluators."""
    counts: tuple[int, int, int, int] | None = None
    """(match, mismatch, omission, hallucination) over the leaves of an open tree or of a schema."""
    issue: Issue | None = None
    """Why there is no score, or why it is 0."""
    metrics: tuple[tuple[int, int], ...] = ()
    """One exact fraction (num, den) for each of the evaluator's further metrics; den 0 where it is undefined for the row."""
    values: tuple[int, ...] = ()
    """(place, right, measured), one after the other, for each field of which the row has several values: what its status
    says together."""
    watched: tuple[tuple[int, int, int, int], ...] = ()
    """(match, mismatch, omission, hallucination) of each field that a gate names and `statuses` lacks."""
    fields: tuple[Outcome, ...] = ()
    """What became of each field, with its values and the reason."""
    reason: str | None = None
    """Why the row scores what it scores, in a sentence."""
    details: Mapping[str, object] = {}
    """What was found, by name, in the evaluator's own words."""
    evaluator: str = ""
    """The name of the evaluator, where the result is shown."""

    def __hash__(self) -> int:
        """The number of what a run keeps: the details of an explained result cannot be hashed."""
        return hash((self.status, self.num, self.den, self.statuses, self.counts, self.issue, self.metrics))

    @property
    def score(self) -> float | None:
        """The score, correctly rounded, in [0, 1]; None without one."""
        return self.num / self.den if self.den else None

    def with_reason(self, why: Reason) -> Result:
        """The result with its reasons: the sentence, the details and the fields of `why`."""
        return replace(self, fields=why.fields, reason=why.text, details=why.details)

    def several(self) -> Iterator[tuple[int, int, int]]:
        """Yields (place, right, measured) for each field of which the row has several values: its number among the fields, how many
        of its values are right, and how many were measured."""
        return zip(self.values[::3], self.values[1::3], self.values[2::3], strict=True)

    def __repr__(self) -> str:
        """The result in a line, and below it the fields that are not right."""
        table = self._wrong_field_table()
        return self._head() if table is None else f"{self._head()}\n{table!r}"

    def _repr_html_(self) -> str:
        """The result in a line, and below it the fields that are not right, as HTML for notebooks."""
        from html import escape  # a run starts sooner

        table = self._wrong_field_table()
        return f"<p><b>{escape(self._head())}</b></p>{'' if table is None else table._repr_html_()}"

    def _head(self) -> str:
        """One line: the evaluator's name, passed or failed, the score, and why where no table of fields follows."""
        name = f"{self.evaluator}: " if self.evaluator else ""
        if self.score is None:
            return _line(f"{name}{self.status.plain}", self.issue.message if self.issue is not None else self.reason)
        verdict = "passed" if self.passed else "failed" if self.passed is False else self.status.plain
        head = f"{name}{verdict}, score {self.score:.4f}"
        return head if self.fields or self.passed else _line(head, self.reason)

    def _wrong_field_table(self) -> ResultTable | None:
        """A table of the fields that are not right, each with both values and its reason; None where all are right."""
        aside = (FieldStatus.MATCH, FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED)
        wrong = [field for field in self.fields if field.status not in aside]
        if not wrong:
            return None
        from evaluators.model.result_table import ResultTable  # a run starts sooner

        return ResultTable(
            {"path": "text", "status": "text", "expected": "value", "output": "value", "reason": "text"},
            [[field.path, field.status.word, field.gold_value, field.extracted_value, field.reason] for field in wrong],
        )


def _line(head: str, text: str | None) -> str:
    """The head with a text behind it, on one line of at most `_WIDEST` characters."""
    line = f"{head}: {' '.join(text.split())}" if text else head
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


_WIDEST: Final = 160
_SHOWN: Final = 10


class RowResult(Struct, frozen=True):
    """The results of a suite for one row, by evaluator name."""

    id: str
    number: int
    results: Mapping[str, Result]

    def __getitem__(self, evaluator: str) -> Result:
        return self.results[evaluator]

    def __repr__(self) -> str:
        """The row's id, and a line for each of the first `_SHOWN` evaluators."""
        heads = [result._head() for result in self.results.values()]
        more = [f"and {len(heads) - _SHOWN} more"] if len(heads) > _SHOWN else []
        return "\n".join([f"row {self.id or self.number}", *heads[:_SHOWN], *more])
