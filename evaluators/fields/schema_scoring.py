"""Scoring by a schema: any dialect, or `fields:`, becomes one tree; the tree explains rows and compiles to a check.

Values that say "nothing is there" and post-processors change results after they were compared, so a scoring that has any
explains every row; without them the fast check is used, which the property tests hold to the same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from evaluators.comparators._cache import cached, value_key
from evaluators.fields.align import Align
from evaluators.fields.dialects import condition_note, dialect_note, dialect_of, dialects_in, keyword_problems, unwrap
from evaluators.fields.evaluation_config import read_evaluation_config
from evaluators.fields.explained import ask_document, score_document, wrong_results
from evaluators.fields.long_lists import FreeList, free_lists_of_tree
from evaluators.fields.metrics import fallbacks, places
from evaluators.fields.pair import CROWDED
from evaluators.fields.post_process import Nulls, Processor, ships
from evaluators.fields.schema_check import ExplainedCheck, WalkCheck, verdict_of_scored
from evaluators.fields.scored import ArrayResult, Scored
from evaluators.fields.sentences import of_fields
from evaluators.fields.settle import WRONG
from evaluators.fields.tree import FieldNode, nodes
from evaluators.fields.xeval import NULLS, read_xeval
from evaluators.judges.judged_comparator import JudgedComparator
from evaluators.model import FieldResult, Score, Verdict
from evaluators.settings import BadSettings, Detail, spell
from evaluators.value_class import dataclass, replace
from evaluators.values.paths import Path

Dialect: TypeAlias = Literal["auto", "x-eval", "evaluation_config"]
ScoreName: TypeAlias = Literal[
    "f1", "precision", "recall", "mean_score", "overall_score", "field_score", "overall_pass_rate"
]
SCORES: tuple[ScoreName, ...] = (
    "precision", "recall", "f1", "mean_score", "overall_score", "field_score", "overall_pass_rate",
)  # fmt: skip
"""The figures that a row's score can be, in the order of FIGURES."""


MOST_ROW_FIELDS: Final = 200


@dataclass(frozen=True, slots=True)
class SchemaTree:
    """A schema that has been read."""

    root: FieldNode
    dialect: Literal["x-eval", "evaluation_config"]
    notes: tuple[str, ...] = ()
    nulls: Nulls = "value"
    """What null says, where the suite does not say it."""


def read_schema(schema: object, dialect: Dialect = "auto", context: Mapping[str, Any] | None = None) -> SchemaTree:
    """The tree of a schema in either dialect.

    `context` has what `fields:` have (`comparators`, `fallback`, `judge`) and `defaults`, comparators by JSON type.
    Raises BadSettings with every problem, each with its place inside the schema.
    """
    chosen = dialect_of(schema) if dialect == "auto" else _asked_for(dialect, schema)
    notes: list[str] = []
    given = {**(context or {}), "defaults": dict((context or {}).get("defaults") or {}), "notes": notes}
    if dialect == "auto" and (note := dialect_note(schema)) is not None:
        notes.append(note)
    if (note := condition_note(schema)) is not None:
        notes.append(note)
    read = read_xeval if chosen == "x-eval" else read_evaluation_config
    details = keyword_problems(schema)
    try:
        root = read(schema, given)
    except BadSettings as error:
        raise BadSettings(dict.fromkeys([*details, *error.details])) from error
    nulls = _nulls(schema, details)
    if details:
        raise BadSettings(details)
    return SchemaTree(root, chosen, tuple(notes), nulls)


def _nulls(schema: object, details: list[Detail]) -> Nulls:
    """What `x-eval-nulls` at the top of a schema says; anything but its two words is added to the problems."""
    written, loc = unwrap(schema)
    said = written.get(NULLS, "value") if isinstance(written, Mapping) else "value"
    if said not in get_args(Nulls):
        details.append(Detail((*loc, NULLS), f'"{NULLS}" is value or absent; found {spell(said)}', code="bad-schema"))
        return "value"
    return cast(Nulls, said)


def _asked_for(dialect: Literal["x-eval", "evaluation_config"], schema: object) -> Literal["x-eval", "evaluation_config"]:
    """A dialect that is named. Raises BadSettings for a schema that uses the other one, and only that."""
    found = dialects_in(schema)
    if found and dialect not in found:
        (other, loc), *_ = found.items()
        message = f'the dialect is "{dialect}", but the schema says how to compare in the words of {other}'
        raise BadSettings([Detail(loc, message, f"write dialect: {other}", True, "other-dialect")])
    return dialect


@dataclass(frozen=True)
class SchemaScoring:
    """A tree with what its rows' score is, and what is done to results before they are counted."""

    root: FieldNode
    score: ScoreName
    pass_at: float
    processors: tuple[Processor, ...] = ()
    surplus_counts: bool = False
    """Items of lists that only the output has lower the overall score, the field score and the overall pass rate."""

    @cached_property
    def place(self) -> int:
        """The place of the row's score among the figures."""
        return SCORES.index(self.score)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The places that are compared as one value, each once, in the order of the schema."""
        return tuple(dict.fromkeys(node.name for node in places(self.root) if node.unit or node.compound))

    @cached_property
    def row_fields(self) -> tuple[str, ...]:
        """The fields whose status every row has of its own: all of them, where they are not too many to look at."""
        return self.fields if len(self.fields) <= MOST_ROW_FIELDS else ()

    @cached_property
    def keyed_lists(self) -> tuple[tuple[Path, Align], ...]:
        """The lists whose items are paired by a key."""
        return tuple(
            (Path(node.path), node.align) for node in nodes(self.root) if node.kind == "array" and node.align.keys
        )

    @cached_property
    def free_lists(self) -> tuple[FreeList, ...]:
        """The lists whose items may be paired in any order."""
        return tuple(free_lists_of_tree(self.root))

    @cached_property
    def fallbacks(self) -> dict[str, int]:
        """How many fields a fallback of a judge scores, by what stands in for what: `fuzzy in place of semantic`."""
        return Counter(f"{rule} in place of {word}" for (_, word), rule in fallbacks(self.root).items())

    def scored(self, expected: Any, output: Any) -> Scored:
        """The results of one row. A side that is not there is MISSING."""
        if all(map(ships, self.processors)):
            return self._scored(expected, output)
        key = ("scored", id(self), value_key(expected), value_key(output))
        return cached(
            key, lambda: self._scored(expected, output), self
        )  # a post-processor may say otherwise the next time

    def _scored(self, expected: Any, output: Any) -> Scored:
        found = score_document(self.root, expected, output, self.processors)
        if not self.surplus_counts:
            return found
        return replace(found, arrays=tuple(replace(array, surplus_counts=True) for array in found.arrays))

    @cached_property
    def costs(self) -> bool:
        """Whether some place has a comparator that costs."""
        return any(metric.comparator.costs for node in nodes(self.root, once=True) for metric in node.all_metrics)

    @cached_property
    def pairs_by_asking(self) -> bool:
        """Whether items that are left over are paired by whoever costs."""
        return self.costs and any(node.align.ask is not None for node in nodes(self.root, once=True))

    def ask(self, expected: Any, output: Any) -> None:
        """Asks what costs in the documents of one row, and nothing else."""
        ask_document(self.root, expected, output)

    def wrong(self, expected: Any, output: Any, wanted: Collection[str] | None = None) -> list[FieldResult]:
        """The results of one row that are wrong, of those among `row_fields` that are wanted; "" stands for all the others.

        None is all.
        """
        listed = frozenset(self.row_fields)
        if self.processors:
            found = [result for result in self.scored(expected, output).fields if result.status in WRONG]
        else:
            found = wrong_results(self.root, expected, output)
        if wanted is None:
            return found
        return [result for result in found if (result.field if result.field in listed else "") in wanted]

    def explain(self, expected: Any, output: Any) -> Score:
        """The score of one row with a result per unit. `details` has the other figures and the arrays."""
        scored = self.scored(expected, output)
        verdict = verdict_of_scored(scored, self.place, self.pass_at)
        details: dict[str, Any] = {
            **{name: num / den if den else None for name, (num, den) in zip(SCORES, verdict.figures, strict=True)},
            "arrays": [_array(each) for each in scored.arrays],
            "outside": list(scored.outside),
        }
        return Score(
            verdict.value, None, scored.fields, _reason(scored, verdict), details,
            (verdict.num, verdict.den) if verdict.den else None, verdict.standing, verdict.issue, verdict.figures,
        )  # fmt: skip

    def check(self) -> WalkCheck | ExplainedCheck:
        """The fast check of (expected, output); one that explains every row where results are changed afterwards."""
        if self.processors or self._judges_lists:
            return ExplainedCheck(self.scored, self.place, self.pass_at, self.row_fields)
        return WalkCheck(self.root, self.place, self.pass_at, self.row_fields, self.surplus_counts)

    @cached_property
    def _judges_lists(self) -> bool:
        """Whether somebody says of whole lists which items match."""
        asked = (metric.comparator for node in nodes(self.root, once=True) for metric in node.metrics)
        return any(isinstance(one, JudgedComparator) and one.list_totals() is not None for one in asked)


def _array(array: ArrayResult) -> dict[str, object]:
    """The summary of an array, as plain data."""
    figures = {name: getattr(array, name) for name in ("precision", "recall", "f1")}
    return {
        "path": array.path, "field": array.field, "rule": array.rule, "matched": array.matched, "missing": array.missing,
        "extra": array.extra, "paired": array.paired, "score": float(array.score),
        **{name: None if figure is None else float(figure) for name, figure in figures.items()},
    }  # fmt: skip


def _reason(scored: Scored, verdict: Verdict) -> str:
    if scored.problem is not None:
        return scored.problem.issue.message
    match, *others = verdict.counts or (0, 0, 0, 0)
    whole = match + sum(others)
    if not whole:
        return "there was nothing to compare"
    long = [f"{array.path}: {CROWDED}" for array in scored.arrays if CROWDED in array.notes]
    return "; ".join([of_fields(match, whole, scored.fields, "field"), *long])
