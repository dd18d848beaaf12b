"""Columns of cells to columns of values: the steps of a plan that read, shared by every evaluator that needs them.

A step works on a whole chunk at a time, because a list comprehension costs less than a call per row. An output that is
compared with an expected document becomes the very same object where the two are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from evaluators.conditions import Condition
from evaluators.issues import Fault
from evaluators.model import MISSING
from evaluators.needs import Column, EmptyExpected, Wanted, answer_of, expected_of, output_of, text_of, want_like
from evaluators.values.equality import same
from evaluators.values.json_text import Want, parse_all

Cells: TypeAlias = list[Any]

KINDS: Final[dict[str, tuple[type, ...]]] = {"object": (dict,), "array": (list,), "container": (dict, list)}
_CONTAINERS: Final = (dict, list)


class Elsewhere:
    """An output cell that is not JSON as a whole: what is wanted of it is looked for once per kind."""

    __slots__ = ("_beside", "_found", "cell", "lenient")

    def __init__(self, cell: Any, lenient: bool) -> None:
        self.cell = cell
        self.lenient = lenient
        self._found: dict[Want, Any] = {}
        self._beside: tuple[Any, Any, Any] = (None, None, None)

    def get(self, want: Want) -> Any:
        """The document of that kind, or a fault."""
        found = self._found.get(want, self)
        if found is self:
            found = self._found[want] = self._shared(want) or output_of(self.cell, want, self.lenient)
        return found

    def beside(self, want: Want, document: Any, parts: bool) -> Any:
        """The same, with what the expected document shares with it. The last comparison is remembered."""
        found = self.get(want)
        last, compared, answer = self._beside
        if last is not found or compared is not document:
            answer = _shared(found, document, parts)
            self._beside = found, document, answer
        return answer

    def _shared(self, want: Want) -> Any:
        """The object that a search for any container finds, where a search for an object finds the same.

        It does when the first bracket of the text opens an object, unless that object is broken and a list stands in
        what follows: so only an object that was found counts. Where no container is found, no object is.
        """
        if want != "object" or not isinstance(self.cell, str):
            return None
        brace, bracket = self.cell.find("{"), self.cell.find("[")
        if brace < 0 or 0 <= bracket < brace:
            return None
        found = self.get("container")
        return found if found.__class__ is dict else None


def texts(cells: Cells, column: Column) -> Cells:
    """Each cell as text."""
    absent = column.absent
    return [cell if cell.__class__ is str else text_of(cell, absent) for cell in cells]


def answers(cells: Cells, empty: EmptyExpected) -> Cells:
    """Each expected cell as it stands, or a fault where it holds nothing."""
    return [cell if cell.__class__ is str and cell and not cell.isspace() else answer_of(cell, empty) for cell in cells]


def expected_documents(cells: Cells) -> Cells:
    """Each expected cell as a document, or a fault."""
    return parse_all(cells, expected_of)


def whole_outputs(cells: Cells, lenient: bool) -> Cells:
    """Each output cell as JSON where it is that as a whole, else an `Elsewhere`."""
    return parse_all(cells, lambda cell: _not_text(cell, lenient))


def whole_outputs_beside(
    cells: Cells, expected_cells: Cells, expected: Cells, lenient: bool, parts: bool = False
) -> Cells:
    """The same, with the expected document itself where the output equals it, or with its `parts` that are equal."""
    texts = [
        document if cell == text and cell.__class__ is str and document.__class__ in _CONTAINERS else cell
        for cell, text, document in zip(cells, expected_cells, expected, strict=True)
    ]
    return [
        value if value is document else _shared(value, document, parts)
        for value, document in zip(parse_all(texts, lambda cell: _not_text(cell, lenient)), expected, strict=True)
    ]


def outputs_of_kind(whole: Cells, want: Want, lenient: bool) -> Cells:
    """The documents of one kind: whole ones of that kind as they are, the rest looked for."""
    kinds = KINDS.get(want)
    if kinds is None:
        return [value.get(want) if value.__class__ is Elsewhere else value for value in whole]
    return [value if value.__class__ in kinds else _wanted(value, want, lenient) for value in whole]


def outputs_of_kind_beside(whole: Cells, expected: Cells, want: Want, lenient: bool, parts: bool = False) -> Cells:
    """The same, with the expected document itself where the two are equal, or with its `parts` that are equal."""
    kinds = KINDS.get(want, ())
    return [
        value if value.__class__ in kinds else _wanted_beside(value, document, want, lenient, parts)
        for value, document in zip(whole, expected, strict=True)
    ]


def outputs_like(whole: Cells, expected: Cells, lenient: bool, parts: bool = False) -> Cells:
    """The documents of the kind that each expected document is; the expected document itself where the two are equal."""
    return [
        value
        if value is document or (value.__class__ is document.__class__ and value.__class__ in _CONTAINERS)
        else _like(value, document, lenient, parts)
        for value, document in zip(whole, expected, strict=True)
    ]


def outputs_beside(found: Cells, expected: Cells) -> Cells:
    """The expected document itself where a document that was found elsewhere in the output equals it."""
    return [
        value if value is document else _shared(value, document, False)
        for value, document in zip(found, expected, strict=True)
    ]


def condition_holds(conditions: Sequence[Condition], sources: Sequence[Cells], count: int) -> list[bool]:
    """For each row, whether every condition holds. There is one source column per condition."""
    held = [True] * count
    for condition, source in zip(conditions, sources, strict=True):
        holds = condition.holds
        held = [before and holds(value) for before, value in zip(held, source, strict=True)]
    return held


def want_of(want: Wanted) -> Want | None:
    """The kind to look for, or None when each row's expected document decides."""
    return None if want == "like_expected" else want


def _not_text(cell: Any, lenient: bool) -> Any:
    """A cell that is a JSON value already, or one in which JSON must be looked for."""
    return Elsewhere(cell, lenient) if cell.__class__ is str or cell is MISSING or cell.__class__ is Fault else cell


def _like(value: Any, document: Any, lenient: bool, parts: bool) -> Any:
    want = "any" if document.__class__ is Fault else want_like(document)
    return _wanted_beside(value, document, want, lenient, parts)


def _wanted_beside(value: Any, document: Any, want: Want, lenient: bool, parts: bool) -> Any:
    if value.__class__ is Elsewhere:
        return value.beside(want, document, parts)
    return _shared(_wanted(value, want, lenient), document, parts)


def _shared(found: Any, document: Any, parts: bool) -> Any:
    """What was found, or the expected document itself where the two are equal.

    With `parts`, an object that differs has the expected document's very objects and lists under those keys where both
    have equal ones.
    """
    kind = found.__class__
    if kind is not document.__class__ or kind not in _CONTAINERS:
        return found
    if same(found, document):
        return document
    if not parts or kind is list:
        return found
    equal = {}
    for key, part in document.items():
        kind = part.__class__
        if kind is not str and (kind is dict or kind is list):
            other = found.get(key)
            if kind is other.__class__ and same(part, other):
                equal[key] = part
    return found | equal if equal else found


def _wanted(value: Any, want: Want, lenient: bool) -> Any:
    """What is wanted where the whole cell is not it: looked for, or a fault that says what the cell is."""
    if value.__class__ is Elsewhere:
        return value.get(want)
    # whole text that is JSON of another kind is never searched: a JSON value gives the same answer as its text
    return output_of(value, want, lenient) if not isinstance(value, str) else _text_value(value, want)


def _text_value(value: str, want: Want) -> Any:
    """A cell that is a JSON text in quotes: a document only where any JSON will do."""
    from evaluators.values.json_text import to_text

    return value if want == "any" else output_of(to_text(value), want)


Reader: TypeAlias = Callable[[list[Cells]], Cells]
