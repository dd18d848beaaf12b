"""Settle: every unit becomes a result with its status, score and reason, and every array a count of its items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from evaluators.fields.counts import MEASURED
from evaluators.fields.instance_paths import places_above, spelled
from evaluators.fields.rules import Explained, Partial
from evaluators.fields.scored import ArrayResult
from evaluators.fields.units import ShownField, ShownList, item_path
from evaluators.issues import RowProblem
from evaluators.judges.judged_comparator import JudgedComparator, ListTotals
from evaluators.model import MISSING, FieldResult, Status
from evaluators.values.equality import same
from evaluators.values.paths import Path
from evaluators.values.quoting import differs
from evaluators.values.transforms import TransformError, chain

WRONG: Final = frozenset((Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION, Status.ERROR, Status.FAULT))
_COUNTED: Final = WRONG | MEASURED
"""The statuses of items that count."""
_NOTHING: Final[Sequence[tuple[str, Callable[[Any], bool]]]] = (
    ("missing", lambda side: side is MISSING),
    ("null", lambda side: side is None),
    ("empty_array", lambda side: isinstance(side, list) and not side),
)
OURS: Final = frozenset(
    ("code", "metric", "outside", "ratio", "batch", "stands_for", "compared_expected", "compared_actual", "unreadable")
)
"""The names in `details` that scoring reads. A comparator cannot set them."""


def settle_unit(unit: ShownField, answer: Explained | None) -> FieldResult:
    """The result of one unit. `answer` is what its metric said, where it was asked."""
    judged = answer.judged if answer is not None else unit.status or Status.NOT_MEASURED
    status = judged.status if isinstance(judged, Partial) else judged
    score: float | None = 1.0 if status is Status.MATCH else 0.0
    if isinstance(judged, Partial):
        score = judged.num / judged.den
    elif status not in MEASURED:
        score = None
    return FieldResult(
        spelled(unit.location),
        status,
        score,
        float(unit.weight),
        unit.expected,
        unit.actual,
        answer.reason if answer is not None and answer.reason else _reason(unit, status),
        "skip" if status is Status.SKIPPED else unit.metric.rule if unit.metric is not None else None,
        _named(unit.path),
        _details(unit, status, judged, answer.details if answer is not None else {}),
    )


def settle_arrays(arrays: Iterable[ShownList], results: Iterable[FieldResult]) -> tuple[ArrayResult, ...]:
    """The arrays in which something was measured, with their items counted from the results.

    An item in which nothing was measured, since it has no field that is looked at, is not counted.
    """
    listed = [(spelled(array.location), array) for array in arrays]
    wanted = {path for path, _ in listed}.union(*(array.items(path) for path, array in listed))
    inside: defaultdict[str, list[Status]] = defaultdict(list)
    own: defaultdict[str, list[Status]] = defaultdict(list)
    for result in results:
        own[result.path].append(result.status)
        for place in places_above(result.path):
            if place in wanted:
                inside[place].append(result.status)
    return tuple(
        _settled(path, array, inside, own[path]) for path, array in listed if MEASURED.intersection(inside[path])
    )


def judged_arrays(units: Iterable[ShownField], results: Iterable[FieldResult]) -> tuple[ArrayResult, ...]:
    """The arrays of which a metric says as a whole which items match, each from its result."""
    asked: dict[tuple[str, object], tuple[Fraction, ListTotals]] = {}
    for unit in units:
        metric = unit.metric
        if metric is None or not isinstance(metric.comparator, JudgedComparator):
            continue
        totals = metric.comparator.list_totals()
        if totals is not None:
            asked[spelled(unit.location), metric.name] = unit.weight, totals
    if not asked:
        return ()
    return tuple(
        _judged(result, *asked[place])
        for result in results
        if result.status in MEASURED and (place := (result.path, result.details.get("metric"))) in asked
    )


def _judged(result: FieldResult, weight: Fraction, totals: ListTotals) -> ArrayResult:
    """What a judge said of the items of a list. Where nobody was asked, all items match, or none does."""
    details: Mapping[str, Any] = result.details
    right = result.status is Status.MATCH
    sides = details.get("compared_expected", result.expected), details.get("compared_actual", result.actual)
    expected, output = (len(side) if isinstance(side, list) else 0 for side in sides)
    if "matched" in details:
        matched, missed, spurious = (int(details[name]) for name in ("matched", "missed", "spurious"))
        pairs = [(int(row), int(column)) for row, column in details.get("pairs", ())]
    else:
        matched, missed, spurious = (expected, 0, 0) if right else (0, expected, output)
        pairs = [(row, row) for row in range(matched)]
    return ArrayResult(
        result.path, result.field or result.path, result.rule or "", matched, missed, spurious, matched, weight,
        str(details.get("code", result.status.word)), right and not expected and not output, (), result.expected,
        result.actual, tuple(pairs), totals.surplus_counts, str(details["metric"]), totals.pass_at,
    )  # fmt: skip


def reason_code(status: Status, expected: Any, actual: Any) -> str:
    """Why a result is what it is, in the words of extract-bench's reports: by what is missing, then null, then empty."""
    if status is Status.MATCH:
        return "match"
    if status in (Status.ERROR, Status.FAULT):
        return "error"
    sides = (expected, "gold"), (actual, "extracted")
    return next((f"{name}_{word}" for word, holds in _NOTHING for side, name in sides if holds(side)), "mismatch")


def _settled(path: str, array: ShownList, inside: Mapping[str, list[Status]], own: Sequence[Status]) -> ArrayResult:
    rows, columns = array.sizes
    aside = {row for row in range(rows) if _COUNTED.isdisjoint(inside.get(item_path(path, row), ()))}
    pairs = [pair for pair in array.pairs if pair[0] not in aside]
    alone = [column for column in array.alone if _COUNTED.isdisjoint(inside.get(item_path(path, f"+{column}"), ()))]
    aside_too = {*alone, *(column for row, column in array.pairs if row in aside)}
    expected, output = rows - len(aside), columns - len(aside_too) if columns else 0
    matching = tuple(pair for pair in pairs if _matches(inside[item_path(path, pair[0])]))
    matched = len(matching)
    alike = not expected and not output and Status.MATCH in own
    right = alike or (expected == matched == output and expected > 0)
    return ArrayResult(
        path,
        array.node.name,
        array.node.align.rule,
        matched,
        expected - matched,
        output - matched,
        len(pairs),
        array.node.weight,
        reason_code(Status.MATCH if right else Status.MISMATCH, array.expected, array.actual),
        alike,
        array.notes,
        array.expected,
        array.actual,
        matching,
        unmeasured=(tuple(sorted(aside)), tuple(sorted(aside_too))),
    )


def _matches(statuses: Sequence[Status]) -> bool:
    """Whether a pair of items matches as a whole."""
    return not WRONG.intersection(statuses) and Status.MATCH in statuses


_named = lru_cache(maxsize=10_000)(lambda path: Path(path).canonical)


def _details(unit: ShownField, status: Status, judged: Status | Partial, said: Mapping[str, object]) -> dict[str, object]:
    """What else is known of a result. `said` is the comparator's own; our names win."""
    details: dict[str, object] = {name: value for name, value in said.items() if name not in OURS} if said else {}
    details["code"] = reason_code(status, unit.expected, unit.actual)
    if unit.outside:
        details["outside"] = True
    if status is Status.FAULT and unit.unreadable is not None:
        details["unreadable"] = True
    if isinstance(judged, Partial):
        details["ratio"] = (judged.num, judged.den)
    if unit.metric is not None:
        details["metric"] = unit.metric.name
        if unit.metric.comparator.batch:
            details["batch"] = True
        if unit.metric.fallback_for is not None:
            details["stands_for"] = unit.metric.fallback_for
        if unit.transforms:
            details.update(compared(chain(unit.transforms), unit.expected, unit.actual))
    return details


def compared(apply: Callable[[Any], Any] | None, expected: Any, actual: Any) -> dict[str, object]:
    """The values as they were compared, where transforms changed them. `apply` is what was done to both."""
    changed: dict[str, object] = {}
    if apply is None:
        return changed
    for name, value in (("compared_expected", expected), ("compared_actual", actual)):
        if value is MISSING:
            continue
        try:
            made = apply(value)
        except (TransformError, RowProblem):  # the result itself says what went wrong
            continue
        if not same(value, made):
            changed[name] = made
    return changed


def _reason(unit: ShownField, status: Status) -> str | None:
    """Why a unit has the status that its presence gave it."""
    expected, actual = unit.expected, unit.actual
    if status is Status.SKIPPED:
        return "skipped"
    if expected is MISSING and actual is MISSING:
        return "required, and absent on both sides"
    if status is Status.OMISSION:
        return "missing in the output" if actual is MISSING else "null in the output"
    if status is Status.HALLUCINATION and expected is MISSING:
        if unit.elsewhere:
            return "only the output has it, and it belongs to another branch of the schema"
        return "only the output has it, and the schema does not know it" if unit.outside else "only the output has it"
    if status is Status.MATCH:
        return "null on both sides" if actual is None else "equal"
    return differs(expected, actual) if unit.metric is None else None
