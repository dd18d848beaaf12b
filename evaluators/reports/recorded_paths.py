"""The places that outcomes name: the steps to them, and the fields that they are places of."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evaluators.values.path_text import ANY, Step
from evaluators.values.paths import Path, parse

_UNPAIRED: Final = re.compile(r"\[\+(\d+)\]")
"""The step to an item that only the output has."""


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[Step, ...]:
    """The steps to a recorded place; an item that only the output has counts like any other."""
    return parse(_UNPAIRED.sub(r"[\1]", path)).steps if path else ()


@lru_cache(maxsize=4096)
def field_of(path: str) -> str:
    """The field of a recorded place: `items[*].name` for `items[3].name`."""
    return Path(tuple(ANY if isinstance(step, int) else step for step in steps_of(path))).canonical
