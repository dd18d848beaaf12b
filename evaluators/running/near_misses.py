"""Near misses of a run: what was recorded of each field, and how the suite compares it.

Only recorded evidence is looked at, once, when the rows are scored: the first mismatches of each field, those fields first
that have most. The same evidence gives the same advice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from evaluators.evaluator import Evaluator
from evaluators.fields.closed import ClosedTree
from evaluators.fields.metrics import places
from evaluators.fields.near_misses import Compared, Mismatch, changes
from evaluators.fields.schema import SchemaScoring
from evaluators.issues import RowProblem, problem
from evaluators.model import Status
from evaluators.reports.document import Document, Paragraph, Section
from evaluators.reports.near_misses import NearMiss, near_miss_section
from evaluators.suite.lines import EvaluatorLine
from evaluators.values.paths import ANY, display, parse
from evaluators.values.paths import Path as FieldPath

if TYPE_CHECKING:
    from evaluators.running.again import Again

MOST_MISMATCHES: Final = 1_000
"""Of each field."""
MOST_FIELDS: Final = 40
MOST_TOGETHER: Final = 10_000
"""Mismatches of all fields that are looked at; where there are more, each field gets its share."""
_MOST_LINES: Final = 200_000
_SHOWN_ROWS: Final = 5


def near_misses(lines: Sequence[EvaluatorLine], evidence: Mapping[str | None, Path]) -> list[NearMiss]:
    """The advice for a run: the changes by field, the fields with most to win first.

    `evidence` has the file of recorded mismatches of each variant; without variants there is one, under None.
    """
    found: list[NearMiss] = []
    for variant, file in evidence.items():
        if file.is_file():
            found += _of_variant(lines, variant, file)
    return sorted(found, key=lambda one: -one.turned)


def evidence_files(folder: Path, variants: Sequence[str]) -> dict[str | None, Path]:
    """The files of recorded mismatches in a run folder, by variant."""
    if not variants:
        return {None: folder / "evidence.jsonl"}
    return {name: folder / f"evidence.{name}.jsonl" for name in variants}


def advice_page(run: Again) -> Document:
    """All the advice for a run that has ended. Raises Problems (config) where its suite is not what it was."""
    if run.prepared is None:
        raise problem(
            "suite-gone", f"{run.gone}, so there is nothing to change", where=str(run.folder), hint="run the suite again"
        )
    files = evidence_files(run.folder, run.result.variants)
    if not any(file.is_file() for file in files.values()):
        raise problem(
            "no-evidence", "no wrong values are recorded in it", where=str(run.folder), hint="run the suite again"
        )
    found = near_misses(run.prepared.suite.lines, files)
    none = (Section(None, (Paragraph("No single change would turn a recorded wrong value right."),)),)
    return Document(f"{run.result.name}: advice", near_miss_section(found, len(found)) or none)


def _of_variant(lines: Sequence[EvaluatorLine], variant: str | None, file: Path) -> Iterator[NearMiss]:
    fields = {line.name: compared_fields(line.settings) for line in lines}
    listed = {line.name for line in lines if getattr(line.settings, "fields", None) is not None}
    by_row = {line.name for line in lines if not line.settings.field_names()}
    recorded, rows_of = _recorded(file, fields)
    most = sorted(recorded.items(), key=lambda item: -len(item[1]))[:MOST_FIELDS]
    share = _share([len(mismatches) for _, mismatches in most])
    for (evaluator, field), found in most:
        first = len(found) >= min(share, MOST_MISMATCHES) or (
            evaluator in by_row and rows_of[evaluator] >= MOST_MISMATCHES
        )
        mismatches = found[:share]
        for change in changes(fields[evaluator][field], mismatches):
            rows = list(dict.fromkeys(mismatches[place].row for place in change.fixed))
            yield NearMiss(
                evaluator, variant, field, change.switch, change.write if evaluator in listed else "", len(change.fixed),
                len(mismatches),
                first, tuple(rows[:_SHOWN_ROWS]), len(rows),
            )  # fmt: skip


def _share(counts: Sequence[int]) -> int:
    """How many mismatches of each field are looked at: all, or as many hundreds as together are few enough."""
    if sum(counts) <= MOST_TOGETHER:
        return MOST_MISMATCHES
    return max(100, MOST_TOGETHER // len(counts) // 100 * 100)


def compared_fields(settings: Evaluator) -> dict[str, Compared]:
    """How an evaluator compares each of its fields; empty for one that has no list of fields."""
    tree = getattr(settings, "tree", None)
    if isinstance(tree, ClosedTree):
        return {
            line.name: Compared(line.comparator, tree.chain(line), each=not line.path.definite)
            for line in tree.scored
            if line.comparator is not None and line.together is None
        }
    make = getattr(settings, "scoring", None)
    try:
        scoring = make() if make is not None else None
    except RowProblem:
        return {}  # the schema stands in a column
    return _of_schema(scoring) if isinstance(scoring, SchemaScoring) else {}


def _of_schema(scoring: SchemaScoring) -> dict[str, Compared]:
    found: dict[str, Compared] = {}
    ordered: set[tuple[Any, ...]] = set()
    for node in places(scoring.root):
        if node.kind == "array" and not node.unit and node.align.how == "ordered":
            ordered.add(node.path)
        if node.unit and len(node.metrics) == 1:
            item = bool(node.path) and node.path[-1] is ANY and node.path[:-1] in ordered
            found.setdefault(node.name, Compared(node.metrics[0].comparator, node.transforms, item))
    return found


Recorded: TypeAlias = dict[tuple[str, str], list[Mismatch]]


def _recorded(file: Path, fields: Mapping[str, Mapping[str, Compared]]) -> tuple[Recorded, dict[str, int]]:
    """The mismatches of each field, and how many rows were recorded of each evaluator."""
    found: Recorded = {}
    rows: dict[str, int] = {}
    last: dict[str, int] = {}
    for line in _lines(file):
        evaluator, row = line["evaluator"], line["row"]
        if last.get(evaluator) != row:
            last[evaluator] = row
            rows[evaluator] = rows.get(evaluator, 0) + 1
        if line["status"] != Status.MISMATCH.word or "expected" not in line or "actual" not in line:
            continue
        known = fields.get(evaluator, {})
        field, place = (line["path"], "") if line["path"] in known else _field_of(line["path"])
        if field not in known:
            continue
        mismatches = found.setdefault((evaluator, field), [])
        if len(mismatches) < MOST_MISMATCHES:
            mismatches.append(Mismatch(row, line["expected"], line["actual"], place))
    return found, rows


def _lines(file: Path) -> Iterable[dict[str, Any]]:
    with open(file, "rb") as stream:
        yield from map(orjson.loads, islice(stream, _MOST_LINES))


@lru_cache(maxsize=4096)
def _field_of(path: str) -> tuple[str, str]:
    """The field of a recorded place, `items[*].name` for `items[3].name`, and the list that the place is an item of."""
    steps = parse(path).steps if path else ()
    field = FieldPath(tuple(ANY if isinstance(step, int) else step for step in steps)).canonical
    return field, display(steps[:-1]) if steps and isinstance(steps[-1], int) else ""
