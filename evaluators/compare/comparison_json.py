"""A comparison as JSON: keys sorted, the same comparison the same bytes."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from pydantic import TypeAdapter

from evaluators.compare.comparison import RunComparison

FORMAT: Final = 2
"""The version of the file's shape. A key may be added within a version; a meaning never changes."""


def comparison_json(comparison: RunComparison) -> str:
    """The text of the file."""
    body = {"format": FORMAT, **_adapter().dump_python(comparison, mode="json")}
    for key in ("measures", "labels"):
        if not body[key]:
            del body[key]
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


@cache
def _adapter() -> TypeAdapter[RunComparison]:
    return TypeAdapter(RunComparison)
