"""Comparators that applied to nothing: fields whose expected values are all of another kind than their comparator reads.

`numeric` on the names of companies compares nothing as numbers. What the expected cells hold is read beside the run, and no further
than to the first row in which every such comparator has a value of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from evaluators.model.issues import Blame, CellError, Issue, Problems, RowProblem
from evaluators.model.limits import OutOfTime
from evaluators.model.rows import MISSING
from evaluators.runs.places import field_places, line_places
from evaluators.scoring.comparators._comparator import Comparator, word_of
from evaluators.scoring.evaluators._cells import cell_value
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.metrics import scored_nodes
from evaluators.scoring.needs import Expected, column_of, expected_document
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.transforms import Apply, TransformError, chain_of_expected
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.test_set import TestSet

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

UNUSED = "comparator-reads-nothing"
UNUSED_OPTIONAL = "comparator-reads-nothing-optional"


class ReadField(Struct):
    """A field whose comparators read values of some kinds alone, until a value of such a kind was met."""

    line: EvaluatorLine
    column: str
    path: Path
    comparators: list[Comparator]
    apply: Apply | None
    optional: bool
    of_cells: bool = False
    """The value is a whole cell as it stands."""
    first: Any = MISSING
    """The first expected value that is there and no null."""

    def has_value_of_kind(self, document: Any) -> bool:
        """Whether an expected value of a document is of a kind that one of the comparators reads; true, too, for one that a transform
        rejects. Keeps the first value in `first`."""
        values = cell_value(document) if self.of_cells else self.path.get(document)
        for value in single_values(values):
            if self.first is MISSING:
                self.first = value
            try:
                changed = value if self.apply is None else self.apply(value)
            except TransformError:
                return True  # its row says what is wrong
            if any(comparator.applies_to(changed) for comparator in self.comparators):
                return True
        return False


def unused_comparators(
    lines: Sequence[EvaluatorLine],
    roles: Mapping[str, str],
    test_set: TestSet,
    first: Mapping[str, Sequence[Any]],
    suite: LoadedSuite | None = None,
) -> list[Issue]:
    """An issue for each field with expected values of which none is of a kind that its comparator reads.

    `first` are expected documents of the first rows, by evaluator. The test set is read again where these leave something open.
    Those of code UNUSED are listed by the suite; of others a warning is enough.
    """
    every = [field for line in lines for field in read_fields(line, roles)]
    # each look at a field also keeps its first expected value in `field.first`
    fields = [field for field in every if not _has_value_of_kind(field, first.get(field.line.name, ()))]
    if not fields:
        return []
    waiting = fields
    try:
        for chunk in all_chunks(test_set, list(dict.fromkeys(field.column for field in fields))):
            read = dict.fromkeys(field.column for field in waiting if not field.of_cells)
            documents = {name: [expected_document(cell) for cell in chunk.columns[name]] for name in read}
            waiting = [
                field
                for field in waiting
                if not _has_value_of_kind(field, (chunk.columns if field.of_cells else documents)[field.column])
            ]
            if not waiting:
                return []
    except (OSError, Problems):  # the file has changed since it was scored: the run says so
        return []
    return [_issue(suite, field) for field in waiting if field.first is not MISSING]


def _has_value_of_kind(field: ReadField, documents: Sequence[Any]) -> bool:
    """Whether an expected value in one of the documents is of the kind that the field's comparators read.

    True, too, where a value cannot be read or takes too long. Keeps the first expected value in `field.first`, for the message.
    """
    try:
        return any(field.has_value_of_kind(document) for document in documents if not isinstance(document, CellError))
    except (RowProblem, OutOfTime):
        return True


def read_fields(line: EvaluatorLine, roles: Mapping[str, str]) -> Iterator[ReadField]:
    """The fields of an evaluator all of whose comparators read values of some kinds alone, listed or in a schema.

    A compound that is listed is left out: it has no values of its own. Without a schema that is known before the first row, there are none.
    """
    scored = line.settings.scored_fields()
    columns = [column_of(need) for need in line.settings.needs() if isinstance(need, Expected) or scored.of_cells]
    column = next((field for field in columns if field is not None and field.role == "expected"), None)
    if column is None or column.at is not None:
        return
    name = column.name_by(roles)
    if isinstance(scored.tree, ListedTree):
        for listed_line in scored.tree.scored_lines:
            comparator = listed_line.comparator
            if comparator is not None and listed_line.together is None and not comparator.applies_to_any:
                apply = chain_of_expected(scored.tree.transforms_of(listed_line))
                optional = listed_line.optional
                yield ReadField(line, name, listed_line.path, [comparator], apply, optional, scored.of_cells)
    elif scored.by_schema:
        from evaluators.scoring.fields.schema_scoring import SchemaScoring  # a suite without a schema does without it

        if not isinstance(scored.tree, SchemaScoring):
            return
        listed = {field.name: field.optional for field in scored.lines or ()}
        by_path: dict[str, ReadField] = {}
        for node in scored_nodes(scored.tree.root):
            comparators = [metric.comparator for metric in node.metrics]
            if node.skip or not comparators:
                continue
            optional = listed.get(node.name, True)
            field = ReadField(line, name, Path(node.path), [], chain_of_expected(node.transforms), optional)
            by_path.setdefault(node.name, field).comparators += comparators
        yield from (field for field in by_path.values() if not any(each.applies_to_any for each in field.comparators))


def single_values(value: Any) -> Iterator[Any]:
    """The values of a field one by one, with lists taken apart; null and what is missing are left out."""
    if isinstance(value, list):
        for item in value:
            yield from single_values(item)
    elif value is not MISSING and value is not None:
        yield value


def _issue(suite: LoadedSuite | None, field: ReadField) -> Issue:
    """The warning that no expected value of a field is of the kind its comparator reads, with the first value and a hint."""
    path, word = field.path.canonical, word_of(field.comparators[0])
    places = field_places(suite) if suite is not None else {}
    where = places.get((field.line.name, path)) or line_places(suite).get(field.line.name)
    message = (
        f'"{field.line.name}": no expected value of "{path}" is of the kind that `{word}` reads, so it measured nothing; '
        f"one is {quote(field.first)}"
    )
    hint = "choose another comparator, such as exact or normalized"
    if word == "numeric" and isinstance(field.first, str) and not getattr(field.comparators[0], "parse", None):
        hint += "; `numeric: {parse: true}` reads numbers in text"
    if word == "boolean" and str(field.first).strip().casefold() in ("true", "false") and field.first.__class__ is str:
        hint += '; `boolean: {words: {true: ["true"], false: ["false"]}}` reads such texts'
    return Issue(UNUSED_OPTIONAL if field.optional else UNUSED, Blame.TESTSET, message, where, hint)
