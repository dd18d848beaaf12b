"""The JSON that a cell is, or that its text holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.scoring.values.json_choice import find
from evaluators.scoring.values.json_text import NotJSON


def container_in(cell: Any) -> Any:
    """The object or list that a cell is, or that its text holds, also in a fence or between sentences; None where there is none."""
    if not isinstance(cell, str):
        return cell if isinstance(cell, dict | list) else None
    try:
        return find(cell, "container").value if "{" in cell or "[" in cell else None
    except NotJSON:
        return None


def object_in(cell: Any) -> Mapping[str, Any] | None:
    """The object that a cell is, or that its text holds, also where a list stands beside it; None where there is none."""
    try:
        value = find(cell, "object").value if isinstance(cell, str) else cell
    except NotJSON:
        return None
    return value if isinstance(value, Mapping) else None
