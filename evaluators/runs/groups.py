"""The cells of a column as names: of clusters, and of slices."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from evaluators.scoring.values.cell_words import spell_boolean

MOST_SLICES: Final = 1_000
"""Values of one column that have metrics of their own; the rest shares one slice."""
OTHER_VALUES: Final = "(other values)"


def cell_texts(cells: Iterable[Any]) -> list[str]:
    """The cells of a column as names of clusters. Rows without a name are in one of them."""
    return [cell if cell.__class__ is str else cell_text(cell) for cell in cells]


def cell_text(cell: Any) -> str:
    """A cell as the name of a cluster, or of a slice: other values than texts as JSON, a missing or unreadable one as an empty text."""
    if isinstance(cell, str):
        return cell
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (bool, int, float, list, dict)) else ""


def slice_texts(cells: Iterable[Any]) -> list[str]:
    """The cells of a column as names of slices: booleans that differ in case alone are one."""
    return [spell_boolean(cell if cell.__class__ is str else cell_text(cell)) for cell in cells]
