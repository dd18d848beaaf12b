"""Outcomes as lines of a run folder, and back.

A line is about one row and one evaluator. One with a `path` is a field's result; one with an `array` is a list's; one with
neither says what the evaluator says of the row as a whole. A value that is not there is left out; null is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from evaluators.fields.differences import Differences
from evaluators.fields.scored import ArrayResult
from evaluators.model import MISSING, FieldResult, Status
from evaluators.value_class import dataclass, field
from evaluators.values.json_text import compact

_LONG: Final = 1024 * 1024
"""Bytes of one part of a line."""
_STATUSES: Final = {status.word: status for status in Status}


@dataclass(slots=True)
class Recorded:
    """What a run recorded of one evaluator in one row."""

    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    """What was found, in the evaluator's own words."""
    fields: list[FieldResult] = field(default_factory=list)
    """The results that were kept, in the order of the document."""
    arrays: list[ArrayResult] = field(default_factory=list)
    outside: tuple[str, ...] = ()
    """Places that the expected side has and the schema lacks."""
    schema: str | None = None
    """The hash of what the schema declares, where an evaluator scores by one: its row is then whole."""


def row_line(found: Recorded) -> dict[str, Any] | None:
    """What is said of the row as a whole; None when there is nothing to say.

    Differences in words are left out: the row's fields say the same as data, and putting them into words takes longer than
    scoring a small test set.
    """
    line: dict[str, Any] = {}
    if found.reason is not None:
        line["reason"] = found.reason
    if not isinstance(found.details, Differences) and found.details:
        line["details"] = {name: plain(value) for name, value in found.details.items()}
    if found.outside:
        line["undeclared"] = list(found.outside)
    if found.schema is not None:
        line["schema"] = found.schema
    return line or None


def shortened(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line that would be too long to be read again: what is long in it is told by its length."""
    sizes = {key: len(compact(value)) for key, value in line.items()}
    return {
        key: value if sizes[key] <= _LONG else f"({sizes[key]:,} bytes, too long to be kept)"
        for key, value in line.items()
    }


def field_line(result: FieldResult) -> dict[str, Any]:
    """A field's result."""
    status, path = result.status, result.path
    line: dict[str, Any] = {"path": path, "status": status.word}
    if result.score is not None and result.score != (status is Status.MATCH):
        line["score"] = result.score
    if result.weight != 1.0:
        line["weight"] = result.weight
    if result.field is not None and result.field != path:
        line["field"] = result.field
    if result.reason is not None:
        line["reason"] = result.reason
    if result.rule is not None:
        line["comparator"] = result.rule
    _add_values(line, result)
    if result.details:
        line["details"] = {name: plain(value) for name, value in result.details.items() if value is not MISSING}
    return line


def array_line(array: ArrayResult) -> dict[str, Any]:
    """A list's result."""
    line: dict[str, Any] = {
        "array": array.path, "field": array.field, "align": array.rule, "code": array.code, "matched": array.matched,
        "missing": array.missing, "extra": array.extra, "paired": array.paired,
        "pairs": [list(pair) for pair in array.pairs],
    }  # fmt: skip
    if array.weight != 1:
        line["weight"] = list(array.weight.as_integer_ratio())
    if array.alike:
        line["alike"] = True
    if array.surplus_counts:
        line["extra_items"] = True
    if array.metric is not None:
        line["comparator"] = array.metric
    if array.pass_at != 1:
        line["pass_at"] = list(array.pass_at.as_integer_ratio())
    if any(array.unmeasured):
        line["unmeasured"] = [list(indexes) for indexes in array.unmeasured]
    if array.notes:
        line["notes"] = list(array.notes)
    _add_values(line, array)
    return line


def recorded_of(lines: Iterable[Mapping[str, Any]]) -> dict[str, Recorded]:
    """What the checked lines of one row say, by evaluator, in the order in which evaluators are first met."""
    found: dict[str, Recorded] = {}
    for line in lines:
        one = found.setdefault(line["evaluator"], Recorded())
        if "path" in line:
            one.fields.append(_field(line))
        elif "array" in line:
            one.arrays.append(_array(line))
        else:
            one.reason = line.get("reason", one.reason)
            one.details = line.get("details", one.details)
            one.outside = tuple(line.get("undeclared", one.outside))
            one.schema = line.get("schema", one.schema)
    return found


def _field(line: Mapping[str, Any]) -> FieldResult:
    status = _STATUSES[line["status"]]
    details: dict[str, Any] = dict(line.get("details", {}))
    if "ratio" in details:
        details["ratio"] = tuple(details["ratio"])
    scored = status not in _WITHOUT_SCORE
    return FieldResult(
        line["path"], status, line.get("score", float(status is Status.MATCH) if scored else None), line.get("weight", 1.0),
        line.get("expected", MISSING), line.get("actual", MISSING), line.get("reason"), line.get("comparator"),
        line.get("field"), details,
    )  # fmt: skip


_WITHOUT_SCORE: Final = frozenset({Status.SKIPPED, Status.NOT_MEASURED, Status.FAULT})


def _array(line: Mapping[str, Any]) -> ArrayResult:
    return ArrayResult(
        path=line["array"], field=line["field"], rule=line["align"], matched=line["matched"], missing=line["missing"],
        extra=line["extra"], paired=line["paired"], weight=Fraction(*line.get("weight", (1, 1))), code=line["code"],
        alike=line.get("alike", False), notes=tuple(line.get("notes", ())), expected=line.get("expected", MISSING),
        actual=line.get("actual", MISSING), pairs=tuple((one, other) for one, other in line["pairs"]),
        surplus_counts=line.get("extra_items", False), metric=line.get("comparator"),
        pass_at=Fraction(*line.get("pass_at", (1, 1))), unmeasured=_indexes(line.get("unmeasured", ((), ()))),
    )  # fmt: skip


def _indexes(both: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    expected, output = both
    return tuple(expected), tuple(output)


def _add_values(line: dict[str, Any], result: FieldResult | ArrayResult) -> None:
    if result.expected is not MISSING:
        line["expected"] = plain(result.expected)
    if result.actual is not MISSING:
        line["actual"] = plain(result.actual)


def plain(value: object) -> Any:
    """The value as JSON can hold it; anything that is no JSON is its text."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (dict, Mapping)):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, Fraction):
        return list(value.as_integer_ratio())
    return str(value)
