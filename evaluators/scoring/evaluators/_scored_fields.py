"""What others ask of an evaluator's fields: their names, what is counted of them, and how they are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from evaluators.scoring.fields.empty_values import EMPTY_RATES, LEFT_EMPTY

if TYPE_CHECKING:
    from evaluators.model.rows import JSON
    from evaluators.scoring.fields.key_spelling import Respelt
    from evaluators.scoring.fields.lines import FieldLine
    from evaluators.scoring.fields.listed import ListedTree
    from evaluators.scoring.fields.open_tree import OpenTree
    from evaluators.scoring.fields.reading import Align
    from evaluators.scoring.fields.schema_scoring import SchemaScoring
    from evaluators.scoring.needs import Condition
    from evaluators.scoring.values.paths import Path


CHOICE: Final = "choice."
"""How the metric of a choice is called before its name: the share of the answers of a row that are it."""


class ScoredFields(Struct, frozen=True):
    """The fields that an evaluator scores. Every part has a default: an evaluator without fields has none of them."""

    names: tuple[str, ...] = ()
    """The closed list of fields that verdict statuses stand for, in order; empty without one."""
    places: tuple[str, ...] = ()
    """The places of a schema whose status every row has of its own, in the order of verdict statuses. There a status stands
    for all instances of the field in the row, and what is counted over a run are the instances."""
    metrics: tuple[str, ...] = ()
    """The further metrics of a row that verdicts carry beside the score, in order."""
    lines: tuple[FieldLine, ...] | None = None
    """The lines of `fields:`; None for a type, or a suite, that lists no fields."""
    tree: ListedTree | OpenTree | SchemaScoring | None = None
    """What is compared, and how: listed fields, those that documents have, or those of a schema. None where nothing is compared
    by field, and where the schema is known only row by row."""
    top_keys: frozenset[str] = frozenset()
    """The keys at the top of a document that the settings name: of several documents, those that have them fit best. For a
    list they are the keys of its items."""
    optional: frozenset[str] = frozenset()
    """Those that may be absent from every row without anything being wrong."""
    awaited: tuple[str, ...] = ()
    """The fields of an open list that the suite itself names: one that no row measures is an error (law 11)."""
    declared: tuple[str, ...] = ()
    """Those that only a schema names: one that no row measures is a warning."""
    extra_keys_count: bool = True
    """Whether keys that only the output has lower the score of a row."""
    extra_items_count: bool = True
    """Whether items of lists that only the output has lower it."""
    fallbacks: Mapping[str, int] | None = None
    """How many fields a fallback of a judge scores, by what stands in for what: `fuzzy in place of semantic`."""
    keyed_lists: Callable[[], Iterable[tuple[Path, Align]]] = tuple
    """The lists whose items are paired by a key: a key that no item has is an error (law 11). Those of a schema that stands in a
    cell are not among them. Only who says something of a key asks: a schema that refers to itself has thousands of places."""
    broken_by: Callable[[JSON], Iterable[tuple[str, str]]] | None = None
    """For a type that asks something of expected documents alone: the fields that one breaks, each with why."""
    conditions: tuple[Condition, ...] = ()
    """The conditions of fields that have no lines, such as rules."""
    named_paths: tuple[tuple[str, Path, Callable[[JSON], bool]], ...] = ()
    """The paths that a field, such as a rule, names: its name, the path, and whether a document has it. One that no row has is an
    error (law 11), whatever the field scores there."""
    respelt: Callable[..., Respelt] | None = None
    """For a type without a tree that has `keys`: the output of a row with known keys, from the values of its needs."""
    absent_values: tuple[Any, ...] = ()
    """Values that count as absent; null is among them where it does."""
    choices: Mapping[str, tuple[bool, Fraction]] = MappingProxyType({})
    """The named choices of a judge: whether a row with one passes, and its score. The first of `metrics` are theirs, in this order."""
    null_unsaid: bool = False
    """Null is a value like any other, because nobody said what it is."""
    of_cells: bool = False
    """The one field is a whole cell, which stands as it is: it is not read as JSON."""
    by_schema: bool = False
    """Rows have documents with every result, for reports that list them."""

    @property
    def of_documents(self) -> bool:
        """Whether the fields are those that documents have, and none are listed."""
        return self.tree is not None and self.lines is None and not self.by_schema

    def empty_rates(self, of_field: bool) -> tuple[str, ...]:
        """The rates of empty values that are counted: for one field (`of_field`), or for all fields together; none without fields.

        Where documents decide which fields there are, only LEFT_EMPTY is known of all together.
        """
        if self.of_documents and not of_field:
            return (LEFT_EMPTY,)
        return EMPTY_RATES if self.lines is not None or self.by_schema or self.of_documents else ()

    @property
    def of_rows(self) -> tuple[str, ...]:
        """The fields, or the places of a schema, that the statuses of a row stand for, in their order."""
        return self.places or self.names


NO_FIELDS: Final = ScoredFields()
