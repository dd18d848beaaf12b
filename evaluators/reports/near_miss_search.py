"""Near misses of a run: what was recorded of each field, and how the suite compares it.

Only recorded evidence is looked at, once, when the rows are scored: the first mismatches of each field, those fields first
that have most. The same evidence gives the same advice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.builtin._evaluator import Evaluator
from evaluators.fields.closed import ClosedTree
from evaluators.fields.metrics import places
from evaluators.model import MISSING, FieldStatus, Outcome
from evaluators.reports.document_near_misses import document_near_misses
from evaluators.reports.near_miss_section import NearMiss
from evaluators.reports.near_misses import Compared, Mismatch, changes
from evaluators.reports.recorded_paths import field_of, steps_of
from evaluators.reports.text_near_misses import MOST_CELLS, text_near_misses
from evaluators.run.reader import Run
from evaluators.run.record_lines import OutcomeLine
from evaluators.run.result import RunResult
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.paths import ANY, display

if TYPE_CHECKING:
    from evaluators.fields.schema_scoring import SchemaScoring

MOST_MISMATCHES: Final = 1_000
"""Of each field."""
MOST_BRIEFLY: Final = 40
"""The same, and the rows of texts, for what a run ends with."""
MOST_FIELDS: Final = 40
MOST_TOGETHER: Final = 6_000
"""Mismatches of all fields that are looked at; where there are more, each field gets its share."""
_MOST_LINES: Final = 200_000
_SHOWN_ROWS: Final = 5


def near_misses(lines: Sequence[EvaluatorLine], record: Run, *, wanted: int | None = None) -> list[NearMiss]:
    """The advice for a run: the changes by field, the fields with most to win first.

    Where so many are `wanted`, they are the first of all that the first wrong values give: what turns fewer is not searched.
    """
    found: list[NearMiss] = []
    if lines:
        for variant in record.facts.variants:
            most = None if variant.every_outcome else record.facts.most
            wrong = _all_mismatches(record.result, variant.variant)
            outcomes = record.outcomes(variant.variant)
            for misses, could_turn in _of_variant(lines, variant.variant, outcomes, most, wrong, wanted is not None):
                if _is_enough(found, could_turn, wanted):
                    break
                found += misses
        for misses, could_turn in text_near_misses(lines, record, MOST_CELLS if wanted is None else MOST_BRIEFLY):
            if not _is_enough(found, could_turn, wanted):
                found += misses
        found += document_near_misses(lines, record)
    return sorted(found, key=lambda one: -one.turned)[:wanted]


def _is_enough(found: Sequence[NearMiss], could_turn: int, wanted: int | None) -> bool:
    """Whether no change that turns so many values at most would be among the wanted ones: of equal ones the first is shown."""
    return wanted is not None and sum(one.turned >= could_turn for one in found) >= wanted


def _of_variant(
    lines: Sequence[EvaluatorLine],
    variant: str | None,
    outcomes: Iterator[OutcomeLine],
    most_rows: int | None,
    wrong: Mapping[tuple[str, str], int],
    brief: bool,
) -> Iterator[tuple[Iterator[NearMiss], int]]:
    """The changes to each field, the field with most wrong values first, and how many of these one may turn. They are searched when
    they are taken."""
    fields = {line.name: compared_fields(line.settings) for line in lines}
    listed = {line.name for line in lines if line.settings.scored_fields().lines is not None}
    by_row = {line.name: frozenset(line.settings.scored_fields().of_rows) for line in lines}
    recorded = _recorded(outcomes, fields, by_row)
    most = sorted(recorded.mismatches.items(), key=lambda item: -len(item[1]))[:MOST_FIELDS]
    share = MOST_BRIEFLY if brief else _share([len(mismatches) for _, mismatches in most])
    for (evaluator, field), found in most:
        key = field if field in by_row[evaluator] else ""
        mismatches, whole = found[:share], wrong.get((evaluator, field))
        first = len(found) > share or recorded.ended
        if most_rows is not None:
            kept_all = recorded.rows[evaluator, key] < most_rows if whole is None else whole <= len(mismatches)
            first = first or not kept_all
        about = NearMiss(evaluator, variant, field, "", "", 0, len(mismatches), first, (), 0, whole=whole)
        yield _of_field(fields[evaluator][field], mismatches, about, evaluator in listed), len(mismatches)


def _of_field(compared: Compared, mismatches: Sequence[Mismatch], about: NearMiss, listed: bool) -> Iterator[NearMiss]:
    for change in changes(compared, mismatches):
        rows = list(dict.fromkeys(mismatches[place].row for place in change.fixed))
        yield replace(
            about, switch=change.switch, write=change.write if listed else "", turned=len(change.fixed),
            rows=tuple(rows[:_SHOWN_ROWS]), in_rows=len(rows), says=change.says,
        )  # fmt: skip


def _all_mismatches(result: RunResult, variant: str | None) -> dict[tuple[str, str], int]:
    """How many values of each field are wrong in the whole run, by evaluator and field. A field with several values of a row is counted by
    rows, unless a schema says what its items are."""
    return {
        (stats.name, field.path): field.counts.mismatch
        for stats in result.evaluators
        if stats.variant == variant
        for field in stats.fields
    }


def _share(counts: Sequence[int]) -> int:
    """How many mismatches of each field are looked at: all, or as many hundreds as together are few enough."""
    if sum(counts) <= MOST_TOGETHER:
        return MOST_MISMATCHES
    return max(100, MOST_TOGETHER // len(counts) // 100 * 100)


def compared_fields(settings: Evaluator) -> dict[str, Compared]:
    """How an evaluator compares each of its fields; empty for one that has no list of fields."""
    scored = settings.scored_fields()
    found = scored.tree
    if isinstance(found, ClosedTree):
        return {
            line.name: Compared(line.comparator, found.chain(line), each=not line.path.definite)
            for line in found.scored
            if line.comparator is not None and line.together is None
        }
    if not scored.by_schema:
        return {}
    from evaluators.fields.schema_scoring import SchemaScoring  # few suites score by a schema

    return _of_schema(found, scored.lines is None) if isinstance(found, SchemaScoring) else {}


def _of_schema(scoring: SchemaScoring, named: bool) -> dict[str, Compared]:
    found: dict[str, Compared] = {}
    ordered: set[tuple[Any, ...]] = set()
    for node in places(scoring.root):
        if node.kind == "array" and not node.unit and node.align.how == "ordered":
            ordered.add(node.path)
        if node.unit and len(node.metrics) == 1:
            item = bool(node.path) and node.path[-1] is ANY and node.path[:-1] in ordered
            one = Compared(node.metrics[0].comparator, node.transforms, item, whole=not item, by_schema=named)
            found.setdefault(node.name, one)
    return found


class _RecordedOutcomes(Struct, frozen=True):
    """What the outcomes of a run hold."""

    mismatches: dict[tuple[str, str], list[Mismatch]]
    """By evaluator and field."""
    rows: Counter[tuple[str, str]]
    """How many rows were recorded under what they are counted by: a field, or, where none is, all of an evaluator."""
    ended: bool
    """There are more than were read."""


def _recorded(
    outcomes: Iterator[OutcomeLine], fields: Mapping[str, Mapping[str, Compared]], by_row: Mapping[str, frozenset[str]]
) -> _RecordedOutcomes:
    found: dict[tuple[str, str], list[Mismatch]] = {}
    rows: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], int] = {}
    count = 0
    for line in islice(outcomes, _MOST_LINES):
        count += 1
        if not isinstance(line, Outcome) or line.status is FieldStatus.MATCH:
            continue
        evaluator, row = line.evaluator, line.row
        name = line.path if line.field is None else line.field
        key = evaluator, name if name in by_row.get(evaluator, ()) else ""
        if last.get(key) != row:
            last[key] = row
            rows[key] += 1
        if line.status is not FieldStatus.MISMATCH or line.expected is MISSING or line.actual is MISSING:
            continue
        known = fields.get(evaluator, {})
        field, place = (line.path, "") if line.path in known else (field_of(line.path), _list_of(line.path))
        if field not in known:
            continue
        mismatches = found.setdefault((evaluator, field), [])
        if len(mismatches) <= MOST_MISMATCHES:
            mismatches.append(Mismatch(row, line.expected, line.actual, place))
    return _RecordedOutcomes(found, rows, count >= _MOST_LINES)


@lru_cache(maxsize=4096)
def _list_of(path: str) -> str:
    """The list that a recorded place is an item of; empty where it is none."""
    steps = steps_of(path)
    return display(steps[:-1]) if steps and isinstance(steps[-1], int) else ""
