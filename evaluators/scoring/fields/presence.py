"""What one side has at a place where the other has something else: one table.

A side at a place is missing, null or a value. A *unit* is every leaf, and every container that a comparator compares
as one value. Missing in the output: one omission. Missing on the expected side: one hallucination. Both there, null included:
equality, then transforms, then the comparator. Any other container is looked into. What counts is its leaves; null, {} and []
are one leaf each.

| expected | output | result |
|---|---|---|
| contents | contents | key by key, item by item |
| contents | nothing, null or an empty container | an omission per leaf |
| contents | anything else | an omission per leaf, and one hallucination at the container |
| nothing, null or an empty container | contents, of any kind | a hallucination per leaf |
| nothing or null | an empty container or a leaf | one hallucination |
| nothing | null | one hallucination |
| empty | empty | one match; nothing where both are whole documents, unless a key is required |
| null | null | one match |
| null or an empty container | nothing | one omission |
| an empty container | null | one omission |
| an empty container | an empty one of another kind, or a leaf | one mismatch |
| a leaf, or contents of another kind | nothing or null | one omission |
| a leaf, or contents of another kind | anything else | one match when equal, else one mismatch |

Contents are those of the kind that is declared, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.limits import limits_here
from evaluators.model.rows import MISSING, FieldStatus
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.transforms import TransformError, chain

Content: TypeAlias = Literal["missing", "null", "empty", "bare", "leaf", "full", "other"]
"""What one side has where a container is declared: `empty` and `full` are of the declared kind, `bare` and `other` an empty container and
a full one of the other kind."""


class InPlace(NamedTuple):
    """How two values count of which one has no contents of the declared kind."""

    counts: Literal["lost", "extra", "extra or one", "leaves", "one", "compared"]
    """The contents of the expected side; those of the output, or one result where nothing in them counts; every leaf of the output,
    for its contents are not declared; the place as one result; both sides as one value."""
    own: FieldStatus | None = None
    """The result of the place itself."""


_OMISSION: Final = InPlace("one", FieldStatus.OMISSION)
_ONE_EXTRA: Final = InPlace("one", FieldStatus.HALLUCINATION)
_MATCH: Final = InPlace("one", FieldStatus.MATCH)
_MISMATCH: Final = InPlace("one", FieldStatus.MISMATCH)
_LEAVES: Final = InPlace("leaves", FieldStatus.HALLUCINATION)
_EXTRA: Final = InPlace("extra")
_COMPARED: Final = InPlace("compared")
_LOST: Final = InPlace("lost")
_LOST_ONE_EXTRA: Final = InPlace("lost", FieldStatus.HALLUCINATION)
_OUTPUT: Final[tuple[Content, ...]] = ("missing", "null", "empty", "bare", "leaf", "full", "other")
_TABLE: Final[Mapping[Content, tuple[InPlace, ...]]] = {
    "missing": (_MATCH, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, _EXTRA, _LEAVES),
    "null": (_OMISSION, _MATCH, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, InPlace("extra or one"), _LEAVES),
    "empty": (_OMISSION, _OMISSION, _MATCH, _MISMATCH, _MISMATCH, _EXTRA, _LEAVES),
    "bare": (_OMISSION, _OMISSION, _MISMATCH, _MATCH, _MISMATCH, _EXTRA, _LEAVES),
    "leaf": (_OMISSION, _OMISSION, _COMPARED, _COMPARED, _COMPARED, _COMPARED, _COMPARED),
    "full": (_LOST, _LOST, _LOST, _LOST, _LOST_ONE_EXTRA, _LOST, _LOST_ONE_EXTRA),
    "other": (_OMISSION, _OMISSION, _COMPARED, _COMPARED, _COMPARED, _COMPARED, _COMPARED),
}
IN_PLACE: Final = {
    (ours, theirs): actual
    for ours, row in _TABLE.items()
    for theirs, actual in zip(_OUTPUT, row, strict=True)
    if (ours, theirs) != ("full", "full")
}
"""How a pair counts, by what its sides have."""


def content(kind: type, value: Any) -> Content:
    """The content of one side where a container of a kind is declared."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if value.__class__ is kind:
        return "full" if value else "empty"
    if isinstance(value, dict | list):
        return "other" if value else "bare"
    return "leaf"


BothAbsent: TypeAlias = Literal["skip", "match"]
_NOTHING: Final = "absent"


class AbsentValues(Struct, frozen=True, eq=False):
    """The values that an evaluator counts as absent, besides missing ones."""

    values: Sequence[Any] = ()
    both: BothAbsent = "skip"
    """How a place counts that is absent on both sides, where one of them has such a value."""

    def has(self, value: Any) -> bool:
        """Whether a value is missing, or one of them."""
        if value is MISSING or not self.values:
            return value is MISSING
        return any(json_equal(value, absent_value) for absent_value in self.values)

    @property
    def if_any(self) -> Callable[[Any], bool] | None:
        """The function that says whether a value is absent; None where only missing values are."""
        return self.has if self.values else None

    def test_at(self, node: FieldNode) -> Callable[[Any], bool]:
        """A function that says whether a value at a place counts as absent, once it is transformed."""
        change = chain(node.transforms) if node.unit and self.values else None
        if change is None:
            return self.has

        def changed_is_absent(value: Any) -> bool:
            """Whether a value counts as absent once it is transformed."""
            try:
                return value is MISSING or self.has(change(value))
            except (TransformError, RowProblem):  # a value that cannot be changed counts as it is
                return self.has(value)

        return changed_is_absent


NONE_ABSENT: Final = AbsentValues()
"""A value is always there; what is missing is not."""


def with_answers(
    comparator: Comparator, expected: Any, cells: Mapping[str, Any], counts: dict[int, int], place: int
) -> Any:
    """The right answers of a place in a row, as a list: its expected value, then those of the cell. A single one is returned without a
    list, unless it is a list itself. Adds their number to `counts`, by place. Raises RowProblem where they are too many to be compared."""
    column = comparator.answers_column or ""
    cell_answers = comparator.answers_in(cells.get(column, MISSING), expected)
    counts[place] = counts.get(place, 0) + len(cell_answers)
    if len(cell_answers) > 1 and counts[place] > limits_here().list_cells:
        raise RowProblem(_too_many(len(cell_answers), column))
    answers = [*cell_answers] if expected is MISSING else [expected, *cell_answers]
    return answers[0] if len(answers) == 1 and not isinstance(answers[0], list) else answers


def own_pattern(comparator: Comparator, cells: Mapping[str, Any]) -> Any:
    """The pattern in the cell, for a comparator that reads the output alone. Raises RowProblem for one that cannot be used, whatever the
    output has."""
    return comparator.answers_in(cells.get(comparator.answers_column or "", MISSING), MISSING)[0]


def _too_many(answers: int, column: str) -> Issue:
    """The issue of a row whose right answers would need more comparisons than `list_cells` allows."""
    most = limits_here().list_cells
    message = (
        f"too many values are compared with the {answers:,} right answers of the row: {most:,} comparisons are the most"
    )
    hint = "list fewer answers, or write limits: {list_cells: NUMBER}"
    return Issue("too-many-answers", Blame.ENVIRONMENT, message, f'column "{column}"', hint)
