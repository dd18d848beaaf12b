"""What is said of a row's fields in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from evaluators.fields.settle import WRONG
from evaluators.model import FieldResult


def of_fields(match: int, whole: int, results: Iterable[FieldResult], noun: Literal["field", "value"]) -> str:
    """How many of some fields or values are right, and the first that is not: `2 of 3 fields right; first difference: …`."""
    wrong = next((one for one in results if one.status in WRONG), None)
    if match == whole:
        return f"the only {noun} is right" if whole == 1 else f"all {whole} {noun}s are right"
    said = f"{match} of {whole} {noun}s right"
    return said if wrong is None else f"{said}; first difference: {wrong.path or 'the whole document'}, {wrong.reason}"
