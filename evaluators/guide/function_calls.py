"""Calls of functions as the interface of OpenAI gives them: a list of `{"id": …, "type": "function", "function": {"name": …, "arguments":
…}}`, which stands alone or in a message. What is compared is what stands below `function`; ids are made anew in each call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from evaluators.guide.column_cells import nonempty_cells
from evaluators.guide.column_names import role_weight
from evaluators.guide.json_in_cells import container_in
from evaluators.scoring.needs import Role
from evaluators.scoring.values.path_text import ANY, Step, display
from evaluators.scoring.values.paths import Path
from evaluators.testsets.columns import is_usual

_LISTS: Final[tuple[tuple[Step, ...], ...]] = (
    (), ("tool_calls",), ("message", "tool_calls"), ("choices", 0, "message", "tool_calls"),
)  # fmt: skip
"""Where the lists of calls stand in a cell."""
_FIRST_ROWS: Final = 40


def paths_of_calls(cells: Mapping[str, Sequence[Any]]) -> tuple[dict[Role, str], list[str]]:
    """(paths, notes): the paths by role to the calls of functions in columns with lists of calls as OpenAI writes them, and notes on what
    is not compared. There are no paths where no column has such lists, where several columns may be one side, and where another column
    holds the outputs. `cells` are given by column.

    Where the other side has one call and no list of calls, the path leads to the first one.
    """
    values = {
        name: [container_in(cell) for cell in nonempty_cells(column)[:_FIRST_ROWS]] for name, column in cells.items()
    }
    lists = {name: steps for name in cells if (steps := _steps_to_calls(values[name])) is not None}
    plain = [name for name in cells if name not in lists and any(map(_is_plain_call, values[name]))]
    wanted = [name for name in lists if role_weight(name, "expected", cells) > role_weight(name, "output", cells)]
    given = [name for name in lists if name not in wanted]
    compared = bool(plain or wanted)
    if len(given) != 1 or len(wanted) > 1 or (not compared and _has_output(cells, given)):
        return {}, []
    single = not wanted and any(isinstance(value, dict) for name in plain for value in values[name])
    roles: dict[Role, Collection[str]] = {"output": given, "expected": wanted}
    several = sum(len(_calls_in(value, lists[given[0]])) > 1 for value in values[given[0]]) if single else 0
    notes = (
        [f"several functions are called in {several:,} of the first rows, and the first call alone is compared"]
        if several
        else []
    )
    return {
        role: display((name, *lists[name], 0 if single else ANY, "function"))
        for role, names in roles.items()
        for name in names
    }, notes


def _has_output(cells: Collection[str], given: Collection[str]) -> bool:
    """Whether a column other than those `given` has a usual name of outputs."""
    return any(is_usual(name, "output") for name in cells if name not in given)


def _steps_to_calls(values: Sequence[Any]) -> tuple[Step, ...] | None:
    """The steps to the place where most of the values have a list of calls; None where they have none."""
    for steps in _LISTS:
        if values and 2 * sum(bool(_calls_in(value, steps)) for value in values) > len(values):
            return steps
    return None


def _calls_in(value: Any, steps: tuple[Step, ...]) -> list[Any]:
    """The list of calls at a place of a value; empty where there is none."""
    calls = Path(steps).get(value) if steps else value
    are_calls = isinstance(calls, list) and all(
        isinstance(call, dict) and _is_plain_call(call.get("function")) for call in calls
    )
    return calls if are_calls and isinstance(calls, list) else []


def _is_plain_call(value: Any) -> bool:
    """Whether a value is `{"name": …, "arguments": …}`, or a list of such objects."""
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, dict) and {*item} >= {"name", "arguments"} for item in items)
