"""Columns of cells to columns of values: the steps of a plan that read, shared by every evaluator that needs them.

A step works on a whole chunk at a time, because a list comprehension costs less than a call per row. An output that is
compared with an expected document becomes the very same object where the two are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from evaluators.model.issues import CellError, RowProblem
from evaluators.model.limits import OutOfTime, row_clock
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import (
    Condition,
    EmptyExpected,
    Wanted,
    as_output_error,
    chosen_document,
    documents_in_output,
    expected_answer,
    expected_document,
    output_document,
    structured_output,
    text_of,
    want_like,
)
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_choice import PickedDocument, Search, Want
from evaluators.scoring.values.json_documents import FoundDocuments
from evaluators.scoring.values.json_text import parse_all

Cells: TypeAlias = list[Any]

KINDS: Final[dict[str, tuple[type, ...]]] = {"object": (dict,), "array": (list,), "container": (dict, list)}
_CONTAINERS: Final = (dict, list)


class SearchedCell:
    """An output cell that is not JSON as a whole: its documents are looked for once, and chosen among once per kind."""

    __slots__ = ("_beside", "_chosen", "_documents", "cell", "search")

    def __init__(self, cell: Any, search: Search) -> None:
        self.cell = cell
        self.search = search
        self._documents: FoundDocuments | CellError | None = None
        self._chosen: dict[tuple[Want, Want], Any] = {}
        """The chosen document, by the wanted and the preferred kind."""
        self._beside: tuple[Any, Any, Any] = (None, None, None)
        """The last comparison: the chosen document, the expected one, and which of them is given."""

    def get(self, want: Want, prefer: Want = "any") -> Any:
        """The value of the document of the wanted kind, or a cell error. `prefer` is the kind of document that all evaluators of the row
        share."""
        chosen = self.picked_document(want, prefer)
        return chosen.found.value if chosen.__class__ is PickedDocument else chosen

    def picked_document(self, want: Want, prefer: Want = "any") -> Any:
        """The document of the wanted kind, with where it stands and among how many; else a cell error.

        Where the cell has no text to look in, it is what `output_document` gives: the cell's own value.
        """
        key = want, prefer
        if key not in self._chosen:
            self._chosen[key] = self._choose(want, prefer)
        return self._chosen[key]

    def document_beside(self, want: Want, document: Any) -> Any:
        """The document to compare with the expected `document`: that very object where the two are equal. The last comparison is
        remembered."""
        cell = self.get(want, kind_beside(document))
        last, compared, answer = self._beside
        if last is not cell or compared is not document:
            answer = _found_or_expected(cell, document)
            self._beside = cell, document, answer
        return answer

    @property
    def has_several(self) -> bool:
        """Whether the cell holds more than one document."""
        documents = self.documents()
        return documents.__class__ is FoundDocuments and len(documents.found) > 1

    def documents(self) -> Any:
        """Every document in the text, looked for once; a cell error where there is none, None where nothing is looked for."""
        if self._documents is None and self.search.lenient and isinstance(self.cell, str):
            self._documents = documents_in_output(self.cell)
        return self._documents

    def _choose(self, want: Want, prefer: Want) -> Any:
        """The document of a kind among those of the text; a cell error where there is none."""
        documents = self.documents()
        if documents.__class__ is FoundDocuments:
            return chosen_document(documents, want, self.search, prefer)
        return output_document(self.cell, want, self.search, prefer) if documents is None else documents


def texts(cells: Cells, absent: CellError, filled: bool) -> Cells:
    """Each cell as text; the cell error `absent` where nothing is there, nor an empty text where cells are to be `filled`."""
    return [cell if cell.__class__ is str and not filled else text_of(cell, absent, filled) for cell in cells]


def given_outputs(cells: Cells) -> Cells:
    """Each output cell as it stands; what cannot be read of it is the output's fault."""
    return [as_output_error(cell) if isinstance(cell, CellError) else cell for cell in cells]


def answers(cells: Cells, empty: EmptyExpected) -> Cells:
    """Each expected cell as it stands, or a cell error where it holds nothing."""
    return [
        cell if cell.__class__ is str and cell and not cell.isspace() else expected_answer(cell, empty) for cell in cells
    ]


def expected_documents(cells: Cells) -> Cells:
    """Each expected cell as a document, or a cell error."""
    return parse_all(cells, expected_document)


def documents_if_any(documents: Cells) -> Cells:
    """Each document, and MISSING for a cell error."""
    return [MISSING if document.__class__ is CellError else document for document in documents]


def whole_outputs(cells: Cells, search: Search) -> Cells:
    """Each output cell as JSON where it is that as a whole, else a `SearchedCell`."""
    texts = [cell if cell.__class__ is str else structured_output(cell) for cell in cells]
    return _perhaps_listed(cells, parse_all(texts, lambda cell: _value_or_searched(cell, search)), search)


def _perhaps_listed(cells: Cells, whole: Cells, search: Search) -> Cells:
    """Cells that were read as JSON as a whole. Where all documents of a cell count (`pick: all`), an object becomes a `SearchedCell` again:
    it may be wanted as a list of one."""
    if search.pick != "all":
        return whole
    return [
        SearchedCell(cell, search) if value.__class__ is dict else value for cell, value in zip(cells, whole, strict=True)
    ]


def whole_outputs_beside(cells: Cells, expected_cells: Cells, expected: Cells, search: Search) -> Cells:
    """The outputs as `whole_outputs` gives them, with the expected document itself where the output equals it. `expected` has the documents
    in `expected_cells`: an output with the very text of its expected cell is not parsed again."""
    texts = [
        (document if cell == text and document.__class__ in _CONTAINERS else cell)
        if cell.__class__ is str
        else structured_output(cell)
        for cell, text, document in zip(cells, expected_cells, expected, strict=True)
    ]
    outputs = [
        value if value is document else _found_or_expected(value, document)
        for value, document in zip(parse_all(texts, lambda cell: _value_or_searched(cell, search)), expected, strict=True)
    ]
    return _perhaps_listed(cells, outputs, search)


def outputs_of_kind(whole: Cells, want: Want, prefer: Want = "any") -> Cells:
    """The documents of the wanted kind: whole ones of that kind as they are, the others looked for in their cells. With `any` whatever
    document a searched cell has; `prefer` is the kind that all evaluators of the row share."""
    kinds = KINDS.get(want)
    if kinds is None:
        return [value.get(want, prefer) if value.__class__ is SearchedCell else value for value in whole]
    return [value if value.__class__ in kinds else _document_of_kind(value, want, prefer) for value in whole]


def outputs_of_kind_beside(whole: Cells, expected: Cells, want: Want) -> Cells:
    """The documents as `outputs_of_kind` gives them, with the expected document itself where the two are equal."""
    kinds = KINDS.get(want, ())
    return [
        value if value.__class__ in kinds else _wanted_or_expected(value, document, want)
        for value, document in zip(whole, expected, strict=True)
    ]


def outputs_like(whole: Cells, expected: Cells) -> Cells:
    """The documents of the kind that each expected document is; the expected document itself where the two are equal."""
    return [
        value
        if value is document or (value.__class__ is document.__class__ and value.__class__ in _CONTAINERS)
        else _output_like(value, document)
        for value, document in zip(whole, expected, strict=True)
    ]


def outputs_beside(outputs: Cells, expected: Cells) -> Cells:
    """The output documents, with the expected document itself where the two are equal."""
    return [
        value if value is document else _found_or_expected(value, document)
        for value, document in zip(outputs, expected, strict=True)
    ]


def count_several(whole: Cells) -> int:
    """The number of cells that hold more than one JSON document."""
    elsewhere = [value for value in whole if value.__class__ is SearchedCell]
    return sum(value.has_several for value in elsewhere)


def conditions_hold(*sources: Cells, conditions: Sequence[Condition]) -> list[bool | CellError]:
    """For each row, whether every condition holds, or the first cell error that keeps this from being known.

    There is one source column per condition. A row in which some condition is known not to hold is left out, whatever the others
    meet: their order makes no difference.
    """
    held: list[bool | CellError] = [True] * len(sources[0])
    clock = row_clock()
    for condition, source in zip(conditions, sources, strict=True):
        for row, value in enumerate(source):
            if held[row] is not False:
                clock.fresh = True
                try:
                    if not condition.holds(value):
                        held[row] = False
                except (RowProblem, OutOfTime) as error:
                    if held[row] is True:
                        held[row] = CellError(error.issue)
    return held


def want_of(want: Wanted) -> Want | None:
    """The kind of document that a need names; None where each row's expected document decides the kind."""
    return None if want == "like_expected" else want


def kind_beside(document: Any) -> Want:
    """The kind of document that goes with an expected one."""
    return "any" if document.__class__ is CellError else want_like(document)


def _value_or_searched(cell: Any, search: Search) -> Any:
    """The cell itself where it is a JSON value already; a `SearchedCell` where JSON must be looked for in it."""
    return SearchedCell(cell, search) if cell.__class__ is str or cell is MISSING or cell.__class__ is CellError else cell


def _output_like(value: Any, document: Any) -> Any:
    """The output document of the kind of the expected one; that very object where the two are equal."""
    return _wanted_or_expected(value, document, kind_beside(document))


def _wanted_or_expected(value: Any, document: Any, want: Want) -> Any:
    """The document of the wanted kind, or the expected document itself where the two are equal."""
    if value.__class__ is SearchedCell:
        return value.document_beside(want, document)
    return _found_or_expected(_document_of_kind(value, want), document)


def _found_or_expected(value: Any, document: Any) -> Any:
    """The document of the output, or the expected document itself where the two are equal."""
    kind = value.__class__
    return document if kind is document.__class__ and kind in _CONTAINERS and json_equal(value, document) else value


def _document_of_kind(value: Any, want: Want, prefer: Want = "any") -> Any:
    """The document of the wanted kind for a cell that is not of that kind as a whole: one found in its text, or a cell error."""
    if value.__class__ is SearchedCell:
        return value.get(want, prefer)
    # whole text that is JSON of another kind is never searched: a JSON value gives the same answer as its text
    return output_document(value, want) if not isinstance(value, str) else _quoted_text_value(value, want)


def _quoted_text_value(value: str, want: Want) -> Any:
    """A cell that is a JSON text in quotes: a document only where any JSON will do."""
    from evaluators.scoring.values.json_text import to_text

    return value if want == "any" else output_document(to_text(value), want)
