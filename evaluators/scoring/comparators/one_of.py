"""The comparator `one_of`: one of several right answers, or a synonym of the expected one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, JsonValue, StrictStr, StringConstraints, model_validator

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import MISSING, Comparison
from evaluators.model.settings import bad, spell
from evaluators.scoring.comparators._comparator import Comparator, Compare, Pair, Readable
from evaluators.scoring.values import json_text
from evaluators.scoring.values.quoting import flow_text, quote
from evaluators.scoring.values.text import Normalization, normalizer, same_text_deep

_EXPECTED: Final = "expected"
_ROW: Final = "row."


def _check_answers(value: object) -> object:
    """The setting `answers`: `expected`, or the column with the right answers of a row. Raises BadSettings for anything else."""
    if value is None or value == _EXPECTED or (isinstance(value, str) and value.startswith(_ROW) and value[4:].strip()):
        return value
    named = value.get("column") if isinstance(value, dict) else value
    column = named.removeprefix(_ROW).strip() if isinstance(named, str) else ""
    message = f"the right answers are in the expected value or in a column, written row.COLUMN; found {spell(value)}"
    beside = ", with `separator` beside it" if isinstance(value, dict) and "separator" in value else ""
    raise bad(message, hint=f"write answers: {_ROW}{column or 'COLUMN'}{beside}")


class OneOf(Normalization, Comparator):
    """The output is one of several right answers.

    With `values`, any listed value is right, and so is the expected one. With `groups`, the values of one group mean the
    same: the output is right when it is in the same group as the expected value. With `answers`, each row has its own right
    answers. `answers: expected`: the expected value is a list, and any value in it is right. `answers: row.COLUMN`: a cell
    lists them, and the expected value is right, too. Give one of the three. Spaces, case and accents count unless a
    switch says otherwise.
    """

    values: tuple[JsonValue, ...] | None = Field(None, min_length=1)
    """The values that are right in every row."""
    groups: tuple[tuple[JsonValue, ...], ...] | None = Field(None, min_length=1)
    """Lists of values that mean the same."""
    answers: Annotated[
        Literal["expected"] | Annotated[str, StringConstraints(pattern=r"^row\.\s*\S")] | None,
        BeforeValidator(_check_answers),
    ] = None
    """`expected`: the expected value is a list of the right answers of its row. One that is no list is the only right
    answer. `row.COLUMN`: they are in that column, as a JSON list; a cell that is no list is one answer, and in an empty one
    there is none beside the expected value. The items of a list are compared with each of them, up to `list_cells` (4,000,000)
    comparisons in a row."""
    absent: StrictStr | None = None
    """An answer that stands for no value, such as `""`: where a row lists it, an output that lacks the value is read as it. The object
    that the value would stand in has to be there."""
    separator: str | None = Field(None, min_length=1)
    """What stands between the answers in a cell of that column, such as `"|"`. With it, no cell is read as a JSON list."""

    examples = (
        Pair("a listed value", "unknown", "n/a", True, {"values": ["n/a", "none"]}),
        Pair("the expected value", "unknown", "unknown", True, {"values": ["n/a", "none"]}),
        Pair("neither", "unknown", "maybe", False, {"values": ["n/a", "none"]}),
        Pair("a synonym", "US", "USA", True, {"groups": [["US", "USA"], ["UK", "GB"]]}),
        Pair("another group", "US", "GB", False, {"groups": [["US", "USA"], ["UK", "GB"]]}),
        Pair("case ignored", "US", "usa", True, {"groups": [["US", "USA"]], "case": "ignore"}),
        Pair("a right answer of the row", ["Oslo", "Christiania"], "Oslo", True, {"answers": "expected"}),
        Pair("no answer of the row", ["Oslo", "Christiania"], "Bergen", False, {"answers": "expected"}),
    )

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        """Refuses options that do not name exactly one source of right answers, and those that go with another one."""
        if self.separator is not None and self.answers_column is None:
            raise bad("a separator stands between the answers in a cell", "separator", hint="write answers: row.COLUMN")
        if self.absent is not None and self.answers is None:
            hint = f"write one_of: {flow_text({'answers': _EXPECTED, 'absent': self.absent})}"
            raise bad("an answer that stands for no value is one of those of a row", "absent", hint=hint)
        sources = [name for name in ("values", "groups", "answers") if getattr(self, name) is not None]
        if len(sources) != 1:
            hint = "write one_of: {values: [a, b]}, one_of: {groups: [[a, b], [c, d]]} or one_of: {answers: expected}"
            raise ValueError(
                f'one_of needs "values", "groups" or "answers"; found {" and ".join(sources) or "none"}\nhint: {hint}'
            )
        if self.groups is not None:
            if not all(self.groups):
                raise ValueError("a group of one_of is empty")
            _group_finder(self.groups, normalizer(self))
        return self

    @property
    def lists_answers(self) -> bool:
        """Whether the expected value that it gets is a list of right answers."""
        return self.answers is not None

    @property
    def answers_column(self) -> str | None:
        """The column with the right answers of a row; None where they are in the suite or in the expected value."""
        return None if self.answers in (None, _EXPECTED) else str(self.answers).removeprefix(_ROW)

    def in_place_of_nothing(self, expected: Any) -> Any:
        """The answer that stands for no value, where it is one of the right ones; else MISSING."""
        return self.absent if self.absent is not None and self.absent in _right_answers(expected) else MISSING

    def answers_in(self, cell: Any, expected: Any) -> Sequence[Any]:
        """The right answers in a cell: the items of a JSON list, the parts of a text between separators, or its one value; none in an
        empty cell. Raises RowProblem for a list that is no JSON."""
        if cell is None or cell is MISSING or isinstance(cell, list):
            return cell or ()
        if not isinstance(cell, str):
            return (cell,)
        if self.separator is None and cell.lstrip().startswith("["):
            return self._list_in(cell)
        texts = [cell] if self.separator is None else cell.split(self.separator)
        return [_typed_answer(expected, text) for part in texts if (text := part.strip())]

    def _list_in(self, cell: str) -> Sequence[Any]:
        """The items of the JSON list in a cell. Raises RowProblem where it is no JSON."""
        try:
            listed = json_text.parse(cell)
        except json_text.NotJSON as error:
            message = f"no list of right answers: {quote(cell)} begins like a JSON list, and is none: {error}"
            hint = 'write ["Oslo", "Christiania"]'
            where = f'column "{self.answers_column}"'
            raise RowProblem(Issue("unusable-cell", Blame.TESTSET, message, where, hint)) from error
        return listed if isinstance(listed, list) else (listed,)

    @property
    def reads_any(self) -> bool:
        return self.answers is None

    def readable(self, expected: Any) -> Readable:
        """Whether there is a right answer; if not, what is wrong with the row."""
        if self.answers is None or expected != []:
            return True
        column = self.answers_column
        if column is None:
            return Issue("expected-unreadable", Blame.TESTSET, "the expected list of right answers is empty")
        message = f'there is no right answer: the expected document has no value here, and the column "{column}" is empty'
        return Issue("expected-unreadable", Blame.TESTSET, message, hint=f'write an answer into the column "{column}"')

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        """Whether the output is one of the right answers of the row, or of the values of the suite, or in the group of the
        expected value."""
        if self.answers is not None:
            if any(self._same_text(answer, actual) for answer in _right_answers(expected)):
                return True
            return _NONE_OF_THEM
        group = self._group_of(actual)
        if group is not None and (self.groups is None or group == self._group_of(expected)):
            return True
        return self._same_text(expected, actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """A sentence on whether the output is among the right answers, of which ten are shown at most, or in the group of the expected
        value."""
        if self.groups is None:
            right = self.values or _right_answers(expected)
            listed = ", ".join(quote(self.written(value)) for value in right[:10])
            listed += ", …" if len(right) > 10 else ""
            listed += f", or the expected {quote(expected)}" if self.values else ""
            return f"{quote(actual)} {'is' if comparison.passed else 'is not'} one of the right answers ({listed})"
        if comparison.passed:
            return f"{quote(actual)} means the same as {quote(expected)}"
        alone = [quote(value) for value in (expected, actual) if self._group_of(value) is None]
        where = f"{' and '.join(alone)} in no group" if alone else "they are in different groups"
        return f"{quote(actual)} is no synonym of {quote(expected)}: {where}"

    @cached_property
    def _group_of(self) -> Callable[[Any], int | None]:
        """A function from a value to the number of its group; None for a value in no group."""
        return _group_finder(self.groups or [self.values or ()], normalizer(self))

    @cached_property
    def _same_text(self) -> Compare:
        """A function that says whether two values are equal with their texts normalized."""
        return same_text_deep(normalizer(self))


_NONE_OF_THEM: Final = Comparison(0.0, False, details={"several_answers": True})
"""No right answer matches. Its details tell whoever reads the result that the expected value is a list of right answers."""


def _typed_answer(expected: Any, text: str) -> Any:
    """A right answer from the text of a cell: its JSON value where the expected value is no text and the text is JSON, else the text."""
    if expected is MISSING or isinstance(expected, str):
        return text
    try:
        return json_text.parse(text)
    except json_text.NotJSON:
        return text


def _right_answers(expected: Any) -> Sequence[Any]:
    """The right answers of a row: the expected list, or the one expected value."""
    return expected if isinstance(expected, list) else (expected,)


def _group_finder(groups: Iterable[Iterable[Any]], normalize: Callable[[str], str]) -> Callable[[Any], int | None]:
    """A function from a value to the number of the group that it is in; None outside all of them.

    Raises ValueError when a value is in two groups.
    """
    texts: dict[str, int] = {}
    others: list[tuple[Any, int]] = []
    same_text = same_text_deep(normalize)

    def group_of(value: Any) -> int | None:
        """The number of the value's group; None for a value in no group."""
        if value.__class__ is str:
            return texts.get(normalize(value))
        return next((number for other, number in others if same_text(other, value)), None)

    for number, group in enumerate(groups):
        for value in group:
            if group_of(value) not in (None, number):
                raise ValueError(f"{quote(value)} is in two groups\nhint: a value belongs to one group")
            if isinstance(value, str):
                texts[normalize(value)] = number
            else:
                others.append((value, number))
    return group_of
