"""What a run folder says of its rows as a whole: the `record` of `run.json`."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.rows import Count
from evaluators.runs.split_rows import Layout
from evaluators.scoring.fields.metrics import scored_nodes
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.needs import Wanted
from evaluators.scoring.values.json_choice import Pick, Want

Kept: TypeAlias = Literal["auto", "all", "none"]
"""Whose cells are kept: `auto` keeps those of a small run."""


class Declared(Struct, frozen=True):
    """The declarations of a schema that reports need."""

    types: Mapping[str, str]
    required: frozenset[str]
    stats: Mapping[str, Any]
    hash: str

    @staticmethod
    def of(root: FieldNode) -> Declared:
        """The declarations of a tree, by schema path."""
        nodes = list(scored_nodes(root))
        types = {node.name: _type_of(node) for node in nodes}
        keys = {
            child.name: child.required or key in node.shape.required
            for node in nodes
            for key, child in (() if node.unit else node.below.keys.items())
        }
        required = frozenset(name for name, is_required in keys.items() if is_required)
        stats = {
            "counts_by_type": dict(sorted(Counter(map(_type_of, nodes)).items())),
            "optional_keys_count": len(keys) - len(required),
            "required_keys_count": len(required),
            "total_nodes": len(nodes),
        }
        rules = [[*(metric.rule for metric in node.metrics), node.align.rule] for node in nodes]
        declared = [[node.name, node.kind, own] for node, own in zip(nodes, rules, strict=True)]
        return Declared(types, required, stats, short_hash(declared))


def short_hash(value: object) -> str:
    """A fingerprint by which values are told apart: the first 8 hexadecimal digits of SHA-256 over the value as JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _type_of(node: FieldNode) -> str:
    """The JSON types of a field in a schema, joined by `|` and without null; `any` for a value, or the kind of the field, where the schema
    names none."""
    types = sorted(node.shape.types - {"null"})
    if types:
        return "|".join(types)
    return "any" if node.kind == "leaf" else node.kind


SUITE_FOLDER: Final = "suite"
"""The folder of a run folder with the suite as it is written."""


class CellReading(Struct, frozen=True):
    """How an evaluator reads one column."""

    column: str
    side: Literal["expected", "output", "other"]
    how: Literal["text", "expected", "output"]
    """As text; as strict JSON; as JSON in an output."""
    want: Wanted = "any"
    """The kind of JSON that is looked for in an output; `like_expected` goes by the cell `beside`."""
    lenient: bool = True
    beside: str | None = None
    like: str | None = None
    """The column of the expected documents whose kind goes first, where an output holds several documents."""
    prefer: Want = "any"
    """The kind that goes first where there is no such column."""
    pick: Pick = "fitting"
    keys: tuple[str, ...] = ()
    """The keys that the suite names at the top of documents."""
    at: str | None = None
    """The path to what is read, in the document that is found."""


class RecordedEvaluator(Struct, frozen=True):
    """The facts about an evaluator that readers of the rows need."""

    name: str
    fields: tuple[str, ...] = ()
    """The fields whose status a code has, in order."""
    by_schema: bool = False
    """Its outcomes can be listed field by field."""
    needs: tuple[str, ...] = ()
    where: str = ""
    """Where it stands in the suite; the file by its name alone."""
    field_places: Mapping[str, str] = {}
    readings: tuple[CellReading, ...] = ()


class RecordedVariant(Struct, frozen=True):
    """The facts about the recorded rows of one variant."""

    variant: str | None
    rows: Count
    every_outcome: bool
    """All outcomes are there; else the first rows with something wrong of each field."""
    every_cell: bool
    """The cells of all rows are there; else those of some rows with something wrong, or none."""
    outcomes: Count
    """The lines of outcomes."""
    cells: Count
    """The lines of cells."""
    matches: bool = True
    """The outcomes tell what matches, too; else that is found by scoring the cells again."""


class RecordFacts(Struct, frozen=True):
    """The facts about the recorded rows of a run folder."""

    evaluators: tuple[RecordedEvaluator, ...]
    variants: tuple[RecordedVariant, ...]
    header: tuple[str, ...] = ()
    """The columns of the test set that go back to a spreadsheet."""
    delimiter: str | None = None
    decimal: Literal[".", ","] = "."
    """The mark before decimals in CSV files."""
    byte_order_mark: bool = True
    """A file with these rows begins with one."""
    slices: tuple[str, ...] = ()
    layout: Layout = Layout(())
    """The columns of the rows."""
    documents: Kept = "auto"
    most: Count | None = 200
    lowest_fields: Count = 10
    schemas: Mapping[str, Declared] = {}
    """What schemas declare, by hash."""
    suite: str = ""
    """The suite's own text, among the files of the folder."""
