"""What a host gives becomes a row of the suite.

A host gives an output, what was expected, what the model was asked, and maps of further things. By default they become the cells
`output`, `expected` and `input`, and every key of the maps is a column. Where the output, the expected answer or the input is itself
a map, it is a document, unless it says which of its keys is meant: a key `output` (or `expected`, `expected_output`,
`expected_response`; or `input`), or one key alone that is a usual name of such a column, as in `{"question": "…"}`.
Where a host has no place of its own for the expected answer or the input, a column with a usual name is it. `columns` says anything
else: `{"expected": "expectations.gold", "shop": "inputs.shop"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.issues import extra_hint, problem
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import ROLES, Role
from evaluators.testsets.columns import USUAL_NAMES, folded_name, is_usual
from evaluators.testsets.python_cells import json_cell


@contextmanager
def needs(host: str, package: str = "", *, extra: str = "") -> Iterator[None]:
    """A context for the imports of a host, which pip installs as `package`, or an `extra` of this package brings.

    Raises Problems (config) when the host, or something that it needs, is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise problem(
            "missing-package",
            f'the harness "{host}" needs a package that is not installed: {error.name}',
            hint=extra_hint(extra) if extra else f'pip install "{package}"',
        ) from None


Place: TypeAlias = "str | Callable[[Mapping[str, Any]], Any]"
Places: TypeAlias = Mapping[str, Place]

_SAYS: Final[Mapping[Role, tuple[str, ...]]] = {
    "id": ("id",),
    "input": ("input",),
    "output": ("output",),
    "expected": ("expected", "expected_output", "expected_response"),
}
_ELSEWHERE: Final[tuple[Role, ...]] = ("expected", "input")
"""Roles that a host may give among the columns, under a usual name."""


class HostRow(Struct, frozen=True):
    """The values of one row as a host gives them. A value that the host does not give is MISSING."""

    own: Mapping[str, Any]
    """Everything under the host's own names: where the places of `columns` start."""
    output: Any = MISSING
    expected: Any = MISSING
    input: Any = MISSING
    id: Any = MISSING
    """The id; without it, the key `id` of one of the maps."""
    more: Sequence[Any] = ()
    """Maps whose keys are columns; of one key in several, the last counts."""


def cells_of(row: HostRow, columns: Places) -> dict[str, Any]:
    """The cells of the row, by role and column, as JSON values or text. `columns` has the places of cells that are elsewhere than usual,
    and goes before everything else. A role that the host does not give is looked for by its usual names; without a value it has no cell."""
    cells: dict[str, Any] = {}
    maps = [mapping for mapping in (*row.more, row.input, row.expected) if isinstance(mapping, Mapping)]
    for mapping in maps:
        cells.update({str(key): value for key, value in mapping.items() if key not in ROLES})
    row_id = row.id if row.id is not MISSING else next((mapping["id"] for mapping in maps if "id" in mapping), MISSING)
    roles: dict[Role, Any] = {
        "id": row_id, "input": row.input, "output": row.output, "expected": row.expected,
    }  # fmt: skip
    for role in _ELSEWHERE:
        if roles[role] is MISSING:
            usual = [
                mapping[key]
                for name in USUAL_NAMES[role]
                for mapping in maps
                for key in mapping
                if _is_spelling_of(key, name)
            ]
            roles[role] = usual[0] if usual else MISSING
    cells.update({role: value_of_role(role, value) for role, value in roles.items()})
    cells.update(
        {name: place(row.own) if callable(place) else _value_at(row.own, place) for name, place in columns.items()}
    )
    return {name: json_cell(value) for name, value in cells.items() if value is not MISSING}


def value_of_role(role: Role, value: Any) -> Any:
    """The value of a role in what a host gives for it: the part of a map whose key says the role, or the whole; MISSING for None."""
    if isinstance(value, Mapping):
        named = next((key for key in _SAYS[role] if key in value), None)
        alone = next(iter(value), None) if len(value) == 1 else None
        if named is None and isinstance(alone, str) and is_usual(alone, role):
            named = alone
        value = value if named is None else value[named]
    return MISSING if value is None else value


def with_usual_names(cells: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """The cells, and for each wanted column that is not there and has a usual name of a role, the cell of that role."""
    named_cells = dict(cells)
    for name in wanted:
        if name not in named_cells:
            role = next((role for role in ROLES if is_usual(name, role)), None)
            if role is not None and role in cells:
                named_cells[name] = cells[role]
    return named_cells


def _is_spelling_of(key: Any, usual_name: str) -> bool:
    """Whether a key is this usual name of a column in any spelling: `Expected Output` is `expected_output`. What is no text never is."""
    return key == usual_name or (isinstance(key, str) and folded_name(key) == usual_name)


def _value_at(own: Mapping[str, Any], path: str) -> Any:
    """The value at a place such as `inputs.shop`: each step is a key of a map, or an attribute. MISSING where one is not there."""
    value: Any = own
    for step in path.split("."):
        value = value.get(step, MISSING) if isinstance(value, Mapping) else getattr(value, step, MISSING)
        if value is MISSING:
            return MISSING
    return value
