"""How rows are scored by a schema: the tree that any dialect, or `fields:`, becomes, with the score and the post-processors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from msgspec import Struct

from evaluators.model.settings import BadSettings, Detail, spell
from evaluators.scoring.fields.evaluation_config import read_evaluation_config
from evaluators.scoring.fields.key_spelling import KeySpelling, TreeKeys
from evaluators.scoring.fields.metrics import fallbacks, scored_nodes
from evaluators.scoring.fields.places import Place
from evaluators.scoring.fields.post_process import Nulls, Processor, absent_values_of
from evaluators.scoring.fields.presence import AbsentValues
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.reshaping import UNCHANGED, Reshapings
from evaluators.scoring.fields.schema_keywords import (
    condition_note,
    dialect_note,
    dialect_of,
    dialects_in,
    keyword_problems,
    unwrap,
)
from evaluators.scoring.fields.tree import FieldNode, nodes
from evaluators.scoring.fields.xeval import NULLS, read_xeval
from evaluators.scoring.judges.judged_comparator import JudgedComparator
from evaluators.scoring.values.paths import ANY, Path

Dialect: TypeAlias = Literal["auto", "x-eval", "evaluation_config"]
ScoreName: TypeAlias = Literal[
    "f1", "precision", "recall", "mean_score", "overall_score", "field_score", "overall_pass_rate"
]
SCORES: tuple[ScoreName, ...] = (
    "precision", "recall", "f1", "mean_score", "overall_score", "field_score", "overall_pass_rate",
)  # fmt: skip
"""The metrics that a row's score can be, in the order of METRICS."""


MOST_ROW_FIELDS: Final = 200


class SchemaTree(Struct, frozen=True):
    """A schema that has been read."""

    root: FieldNode
    dialect: Literal["x-eval", "evaluation_config"]
    notes: tuple[str, ...] = ()
    nulls: Nulls = "value"
    """Whether null counts as absent, where the suite does not say it."""


def read_schema(schema: object, dialect: Dialect = "auto", context: Mapping[str, Any] | None = None) -> SchemaTree:
    """The tree of a schema in either dialect.

    `context` has what `fields:` have (`comparators`, `fallback`, `judge`), `defaults`, comparators by JSON type, and
    `usual_dialect`, that of a schema which uses neither. Raises BadSettings with every problem, each with its place
    inside the schema.
    """
    usual = (context or {}).get("usual_dialect")
    chosen = dialect_of(schema, usual or "x-eval") if dialect == "auto" else _named_dialect(dialect, schema)
    notes: list[str] = []
    reading_context = {**(context or {}), "defaults": dict((context or {}).get("defaults") or {}), "notes": notes}
    if dialect == "auto" and (note := dialect_note(schema, usual)) is not None:
        notes.append(note)
    if (note := condition_note(schema)) is not None:
        notes.append(note)
    read = read_xeval if chosen == "x-eval" else read_evaluation_config
    details = keyword_problems(schema)
    try:
        root = read(schema, reading_context)
    except BadSettings as error:
        raise BadSettings(dict.fromkeys([*details, *error.details])) from error
    nulls = _nulls(schema, details)
    if details:
        raise BadSettings(details)
    return SchemaTree(root, chosen, tuple(notes), nulls)


def _nulls(schema: object, details: list[Detail]) -> Nulls:
    """The value of `x-eval-nulls` at the top of a schema; `details` gets an error for anything but its two words."""
    written, loc = unwrap(schema)
    message = written.get(NULLS, "value") if isinstance(written, Mapping) else "value"
    if message not in get_args(Nulls):
        details.append(Detail((*loc, NULLS), f'"{NULLS}" is value or absent; found {spell(message)}', code="bad-schema"))
        return "value"
    return cast(Nulls, message)


def _named_dialect(
    dialect: Literal["x-eval", "evaluation_config"], schema: object
) -> Literal["x-eval", "evaluation_config"]:
    """The dialect that the suite names. Raises BadSettings for a schema that uses the other one, and only that."""
    dialects = dialects_in(schema)
    if dialects and dialect not in dialects:
        (other, loc), *_ = dialects.items()
        message = f'the dialect is "{dialect}", but the schema says how to compare in the words of {other}'
        raise BadSettings([Detail(loc, message, f"write dialect: {other}", True, "other-dialect")])
    return dialect


class SchemaScoring(Struct, frozen=True, dict=True):
    """How rows are scored by a tree: which metric is their score, when they pass, and how results are changed before they are counted."""

    root: FieldNode
    score: ScoreName
    pass_at: float
    processors: tuple[Processor, ...] = ()
    surplus_counts: bool = False
    """Items of lists that only the output has lower the overall score, the field score and the overall pass rate."""
    keys: KeySpelling | None = None
    """Which spellings of an output's keys stand for those of the schema; None where each has to be spelt alike."""
    reshapings: Reshapings = UNCHANGED
    """Values of documents that are split, parsed or unwrapped before fields are compared."""

    @cached_property
    def known_keys(self) -> TreeKeys:
        """The keys that the schema knows."""
        return TreeKeys([self.root])

    @cached_property
    def absent(self) -> AbsentValues:
        """The values that count as absent."""
        return absent_values_of(self.processors)

    @cached_property
    def memory(self) -> dict[Hashable, Any]:
        """What checks remember of rows, empty at first: `SchemaCheck` says by which keys, of which the thread is a part. It is made once,
        and lives as long as the schema, longer than a check."""
        return {}

    @cached_property
    def root_place(self) -> Place:
        """The root of the tree, compiled for walks."""
        return Place(self.root, self.absent)

    @cached_property
    def score_position(self) -> int:
        """The position of the row's score among the metrics."""
        return SCORES.index(self.score)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The places that are compared as one value, each once, in the order of the schema."""
        return tuple(dict.fromkeys(node.name for node in scored_nodes(self.root) if node.unit or node.compound))

    @cached_property
    def fields_outside_lists(self) -> tuple[str, ...]:
        """The fields that stand in no list, so that each row has one value there, or none."""
        units = (node for node in scored_nodes(self.root) if (node.unit or node.compound) and ANY not in node.path)
        return tuple(dict.fromkeys(node.name for node in units))

    @cached_property
    def row_fields(self) -> tuple[str, ...]:
        """The fields whose status every row has of its own: all of them, where they are not too many to look at."""
        return self.fields if len(self.fields) <= MOST_ROW_FIELDS else ()

    @cached_property
    def required_fields(self) -> frozenset[str]:
        """The fields without which a row does not pass."""
        return frozenset(node.name for node in nodes(self.root, once=True) if node.required and not node.skip)

    @cached_property
    def keyed_lists(self) -> tuple[tuple[Path, Align], ...]:
        """The lists whose items are paired by a key."""
        return tuple(
            (Path(node.path), node.align) for node in nodes(self.root) if node.kind == "array" and node.align.keys
        )

    @cached_property
    def fallbacks(self) -> dict[str, int]:
        """How many fields a fallback of a judge scores, by what stands in for what: `fuzzy in place of semantic`."""
        return Counter(f"{rule} in place of {word}" for (_, word), rule in fallbacks(self.root).items())

    @cached_property
    def costs(self) -> bool:
        """Whether some place has a comparator that costs."""
        return any(metric.comparator.costs for node in nodes(self.root, once=True) for metric in node.all_metrics)

    @cached_property
    def answer_columns(self) -> tuple[str, ...]:
        """The columns in which comparators read right answers."""
        answers = (node.answers_comparator for node in nodes(self.root, once=True))
        return tuple(
            dict.fromkeys(answer.answers_column for answer in answers if answer is not None and answer.answers_column)
        )

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether comparators that cost are asked about items that are left over (`ask: leftover`)."""
        return self.costs and any(node.align.ask is not None for node in nodes(self.root, once=True))

    @cached_property
    def by_results(self) -> bool:
        """Whether rows are counted from their outcomes, and not by signature: post-processors change outcomes, and a judge of whole lists
        gives a count of items beside a status."""
        comparators = (metric.comparator for node in nodes(self.root, once=True) for metric in node.metrics)
        judged = (
            isinstance(comparator, JudgedComparator) and comparator.list_totals() is not None
            for comparator in comparators
        )
        return bool(self.processors) or any(judged)
