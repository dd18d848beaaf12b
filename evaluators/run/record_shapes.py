"""What the lines of a run folder must look like. They are checked when they are read, so that a damaged one is named.

Each check raises ValueError with what is wrong, in one sentence. A key that is not known is no damage: a later version of a
format may have it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

from evaluators.model import Status
from evaluators.value_class import NamedTuple
from evaluators.values.quoting import quote

Line: TypeAlias = Mapping[str, Any]

_WORDS: Final = frozenset(status.word for status in Status)


class _ShapeKind(NamedTuple):
    """What a value may be: one of these types, and what else must hold of it."""

    types: frozenset[type]
    said: str
    holds: Callable[[Any], bool] | None = None


def _lists_of(*types: type) -> Callable[[Any], bool]:
    return lambda value: all(type(one) in types for one in value)


def _is_pair(value: Sequence[Any]) -> bool:
    return len(value) == 2 and _lists_of(int)(value)


_TEXT: Final = _ShapeKind(frozenset([str]), "a text")
_TEXT_OR_NULL: Final = _ShapeKind(frozenset([str, type(None)]), "a text or null")
_FLAG: Final = _ShapeKind(frozenset([bool]), "true or false")
_COUNT: Final = _ShapeKind(frozenset([int]), "a whole number from 0 up", lambda value: value >= 0)
_SHARE: Final = _ShapeKind(frozenset([int, float]), "a number from 0 to 1", lambda value: 0 <= value <= 1)
_WEIGHT: Final = _ShapeKind(frozenset([int, float]), "a number from 0 up", lambda value: value >= 0)
_MAP: Final = _ShapeKind(frozenset([dict]), "an object")
_TEXTS: Final = _ShapeKind(frozenset([list]), "a list of texts", _lists_of(str))
_COUNTS: Final = _ShapeKind(
    frozenset([list]),
    "a list of whole numbers from 0 up",
    lambda value: _lists_of(int)(value) and all(n >= 0 for n in value),
)
_FRACTION: Final = _ShapeKind(
    frozenset([list]), "a fraction such as [2, 3]", lambda value: _is_pair(value) and value[0] >= 0 and value[1] > 0
)
_SCORE: Final = _ShapeKind(
    frozenset([list]), "a fraction from 0 to 1, such as [2, 3]",
    lambda value: _is_pair(value) and 0 <= value[0] <= value[1] and value[1] > 0,
)  # fmt: skip
_PAIRS: Final = _ShapeKind(
    frozenset([list]), "a list of pairs", lambda value: all(type(one) is list and _is_pair(one) for one in value)
)
_INDEXES: Final = _ShapeKind(
    frozenset([list]),
    "two lists of whole numbers",
    lambda value: len(value) == 2 and all(type(one) is list and _lists_of(int)(one) for one in value),
)
_STATUS: Final = _ShapeKind(frozenset([str]), "a status", _WORDS.__contains__)
_DETAILS: Final = _ShapeKind(
    frozenset([dict]),
    "an object, and its ratio two whole numbers",
    lambda value: "ratio" not in value or (type(value["ratio"]) is list and _is_pair(value["ratio"])),
)

_HEAD: Final = {"row": _COUNT, "evaluator": _TEXT}
_ROW: Final = {
    "row": _COUNT,
    "id": _TEXT,
    "checksum": _TEXT_OR_NULL,
    "cluster": _TEXT_OR_NULL,
    "slices": _TEXTS,
    "codes": _COUNTS,
}
_CELLS: Final = {"row": _COUNT, "cells": _MAP}
_FIELD: Final = {
    **_HEAD, "path": _TEXT, "status": _STATUS, "score": _SHARE, "weight": _WEIGHT, "field": _TEXT, "reason": _TEXT,
    "comparator": _TEXT, "details": _DETAILS,
}  # fmt: skip
_ARRAY: Final = {
    **_HEAD, "array": _TEXT, "field": _TEXT, "align": _TEXT, "code": _TEXT, "matched": _COUNT, "missing": _COUNT,
    "extra": _COUNT, "paired": _COUNT, "pairs": _PAIRS, "weight": _FRACTION, "alike": _FLAG, "notes": _TEXTS,
    "extra_items": _FLAG, "comparator": _TEXT, "pass_at": _FRACTION, "unmeasured": _INDEXES,
}  # fmt: skip
_WHOLE: Final = {**_HEAD, "reason": _TEXT, "details": _MAP, "undeclared": _TEXTS, "schema": _TEXT}
_ARRAY_NEEDED: Final = (*_HEAD, "field", "align", "code", "matched", "missing", "extra", "paired", "pairs")
_CODE: Final = {
    "evaluator": _TEXT,
    "code": _COUNT,
    "status": _TEXT,
    "score": _SCORE,
    "passed": _FLAG,
    "fields": _TEXT,
    "counts": _COUNTS,
    "metrics": _PAIRS,
    "values": _COUNTS,
    "issue": _MAP,
}
_ISSUE: Final = {"code": _TEXT, "blame": _TEXT, "message": _TEXT, "where": _TEXT, "hint": _TEXT}


LINES: Final = {
    "rows": ((_ROW, ("row", "id", "codes")),),
    "codes": ((_CODE, ("evaluator", "code", "status")),),
    "outcomes": (
        (_FIELD, (*_HEAD, "path", "status")),
        (_ARRAY, (*_ARRAY_NEEDED, "array")),
        (_WHOLE, (*_HEAD,)),
    ),
    "cells": ((_CELLS, ("row", "cells")),),
}
"""The shapes that lines of each file may have, each with the keys that it needs."""


def check_row(line: Line, codes: Sequence[int], slices: int) -> None:
    """A row: one code for each evaluator, of which there are `codes`, and a value of each of so many slices."""
    _check(line, _ROW, ("row", "id", "codes"))
    if len(line["codes"]) != len(codes):
        raise ValueError(f'"codes" should be {len(codes)} numbers; found {len(line["codes"])}')
    for code, known in zip(line["codes"], codes, strict=True):
        if not 0 <= code < known:
            raise ValueError(f"the table of codes has no {code} for it")
    if len(line.get("slices") or ()) != slices:
        raise ValueError(f'"slices" should be {slices} texts')


def check_cells(line: Line) -> None:
    """The cells of a row."""
    _check(line, _CELLS, ("row", "cells"))


def check_outcome(line: Line, evaluators: Collection[str]) -> None:
    """What was recorded of a field, a list or a row as a whole, for one of the evaluators."""
    if "path" in line or "status" in line:
        _check(line, _FIELD, (*_HEAD, "path", "status"))
    elif "array" in line or "pairs" in line:
        _check(line, _ARRAY, (*_ARRAY_NEEDED, "array"))
    else:
        _check(line, _WHOLE, (*_HEAD,))
    if line["evaluator"] not in evaluators:
        raise ValueError(f"the run has no evaluator {quote(line['evaluator'])}")


def check_code(line: Line, fields: Mapping[str, int], next_code: Mapping[str, int]) -> None:
    """A line of the table of codes. `fields` says how many fields each evaluator lists, `next_code` which code is its next.

    An evaluator whose schemas stand in cells lists no fields, and any number of letters may stand for those of a row."""
    _check(line, _CODE, ("evaluator", "code", "status"))
    name = line["evaluator"]
    if name not in fields:
        raise ValueError(f"the run has no evaluator {quote(name)}")
    if line["code"] != next_code[name]:
        raise ValueError(f'"code" should be {next_code[name]}; found {line["code"]}')
    letters = len(line.get("fields", ""))
    if fields[name] and letters not in (0, fields[name]):
        raise ValueError(f'"fields" should have a letter for each of {fields[name]} fields')
    if len(line.get("counts", "four")) != 4:
        raise ValueError('"counts" should be four numbers')
    values = line.get("values", ())
    if len(values) % 3 or any(not 0 <= place < letters for place in values[::3]):
        raise ValueError('"values" should be place, right and measured of fields')
    if "issue" in line:
        _check(line["issue"], _ISSUE, ("code", "blame", "message"))


def _check(line: Line, kinds: Mapping[str, _ShapeKind], needed: Sequence[str]) -> None:
    for key in needed:
        if key not in line:
            raise ValueError(f'"{key}" is missing')
    for key, value in line.items():
        kind = kinds.get(key)
        if kind is None:
            continue
        types, _, holds = kind
        if type(value) not in types or (holds is not None and not holds(value)):
            raise ValueError(f'"{key}" should be {kind.said}; found {quote(value)}')
