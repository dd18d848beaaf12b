"""A comparison as JSON: keys sorted, the same comparison the same bytes."""

from __future__ import annotations

from typing import Final

from evaluators.compare.comparison import RunComparison
from evaluators.run.run_json import plain, stable

FORMAT: Final = 2
"""The version of the file's shape. A key may be added within a version; a meaning never changes."""


def comparison_json(comparison: RunComparison) -> str:
    """The text of the file."""
    body = {"format": FORMAT, **plain(comparison)}
    for key in ("measures", "labels"):
        if not body[key]:
            del body[key]
    return stable(body)
