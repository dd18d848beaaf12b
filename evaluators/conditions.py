"""`when`: which rows, or which fields of a row, a check is for. Conditions are data, never code.

A condition is a reference with a literal, a list of literals, or `{present: true}`. References are `row.COLUMN`,
`output.PATH` and `expected.PATH`. All the conditions of a `when` must hold. A path that leads to several places holds
when one of the values there does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.issues import Blame, CellError, RowProblem
from evaluators.model import JSON, MISSING, Missing
from evaluators.settings import BadSettings, Detail, bad, read_each, spell
from evaluators.values.equality import same
from evaluators.values.paths import BadPath, Path
from evaluators.values.paths import parse as parse_path

Source: TypeAlias = Literal["row", "output", "expected"]


class Condition(Struct, frozen=True):
    """One condition. `values` are the literals that satisfy it; `present` is set instead for a presence test."""

    source: Source
    column: str
    path: Path | None
    values: tuple[JSON, ...] = ()
    present: bool | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What conditions that mean the same share: `true` is not 1 here, and 1 is not 1.0."""
        joins = self.path.joins if self.path else ()
        return self.source, self.column, str(self.path), joins, repr(self.values), self.present

    def holds(self, value: JSON | Missing | CellError) -> bool:
        """Whether the condition holds for what stands at the reference: a cell, or a document.

        An output that cannot be read holds nothing. Raises RowProblem for any other cell that cannot be read: what the
        test set or the environment keeps back is not known, so the row is not left out.
        """
        if isinstance(value, CellError):
            if value.issue.blame is not Blame.OUTPUT and not self._asks_if_given(value):
                raise RowProblem(value.issue)
            value = MISSING
        found = self.path.get(value) if self.path is not None and value is not MISSING else value
        if self.present is not None:
            given = found is not MISSING and not (self.source == "row" and found in ("", None))
            return given is self.present
        if found is MISSING:
            return False
        if self.source == "row" and isinstance(found, str):
            return any(found == _as_cell(wanted) for wanted in self.values)
        there = found if self.path is not None and not self.path.definite and isinstance(found, list) else [found]
        return any(same(wanted, value) for wanted in self.values for value in there)

    def _asks_if_given(self, fault: CellError) -> bool:
        """The condition asks whether a cell is given, and another file has none for the row."""
        return self.source == "row" and self.present is not None and fault.issue.code in _NOT_GIVEN


_NOT_GIVEN: Final = ("no-output-for-row", "no-expected-for-row")


_EQUALS: Final = re.compile(r"\s*(?:row\.)?(\w+)\s*==?\s*[\"\']?(.+?)[\"\']?\s*")


def _as_condition(data: object) -> str:
    """How a condition is written, in the words of a comparison where it is one."""
    found = _EQUALS.fullmatch(data) if isinstance(data, str) else None
    return f"when: {{row.{found[1]}: {found[2]}}}" if found else "when: {row.kind: invoice}"


def read_conditions(data: object) -> tuple[Condition, ...]:
    """The conditions of a `when` block. Raises BadSettings with every problem."""
    if not isinstance(data, Mapping) or not data:
        raise bad(f"when must be a map from a reference to a value; found {spell(data)}", hint=_as_condition(data))
    return read_each(data.items(), lambda reference, wanted: _read(str(reference), wanted))


def columns_of(conditions: Iterable[Condition]) -> tuple[str, ...]:
    """The columns that conditions read, each once, in order."""
    return tuple(dict.fromkeys(condition.column for condition in conditions if condition.source == "row"))


def _read(reference: str, wanted: object) -> Condition:
    source, _, rest = reference.partition(".")
    if source not in ("row", "output", "expected") or not rest:
        hint = "references are row.COLUMN, output.PATH and expected.PATH"
        if "." not in reference:
            hint = f"for a column write row.{reference}; {hint}"
        raise BadSettings([Detail((), f'"{reference}" is not a reference', hint, key=True)])
    path = None if source == "row" else _path(rest)
    values, present = _wanted(wanted)
    return Condition(source, rest if source == "row" else "", path, values, present)  # type: ignore[arg-type]  # checked


def _path(text: str) -> Path:
    try:
        return parse_path(text)
    except BadPath as error:
        place = f" at character {error.position + 1}" if error.position is not None else ""
        message = f'malformed path "{text}": {error.message}{place}'
        raise BadSettings([Detail((), message, error.hint, key=True, code="bad-path")]) from error


def _wanted(wanted: object) -> tuple[tuple[Any, ...], bool | None]:
    if isinstance(wanted, Mapping):
        if set(wanted) != {"present"} or not isinstance(wanted["present"], bool):
            raise bad("a condition is a value, a list of values, or {present: true}", hint="write {present: true}")
        return (), wanted["present"]
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        if not wanted:
            raise bad("a condition with no value never holds")
        nested = [index for index, value in enumerate(wanted) if isinstance(value, (Mapping, list, tuple))]
        if nested:
            message = "the values of a condition are texts, numbers, true, false or null; found {}"
            raise BadSettings(Detail((index,), message.format(spell(wanted[index]))) for index in nested)
        return tuple(wanted), None
    return (wanted,), None


def _as_cell(value: JSON) -> str | None:
    """A literal of the YAML as a cell of a CSV file spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else "" if value is None else str(value)
