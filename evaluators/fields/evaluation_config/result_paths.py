"""How extract-bench spells the places of a schema: `$.properties.vendor.properties.name`, `$.properties.rows.items`.

Its reports also print a short form, `vendor.name` and `rows.items`. Ours is a path of keys, with `ANY` for the items of
a list. A path of the short form with several choices in it is one place of ours: a choice has no step of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evaluators.fields.tree import SchemaPath
from evaluators.values.path_text import ANY, BadPath

_STEP: Final = re.compile(
    r"\.properties\.(?P<key>.+?)(?=\.properties\.|\.(?:items|additionalProperties)(?=\.|$)|\.anyOf\[\d+\]|$)"
    r"|\.(?P<items>items)(?=\.|$)"
    r"|\.(?P<others>additionalProperties)(?=\.|$)"
    r"|\.anyOf\[\d+\]",
    re.DOTALL,
)


def results_path(path: SchemaPath) -> str:
    """Our path of a schema as a key of `results`."""
    return "$" + "".join(".items" if step is ANY else f".properties.{step}" for step in path)


def normalized_path(path: SchemaPath) -> str:
    """Our path of a schema as `normalized_path` of its reports. The root is `$`."""
    return ".".join("items" if step is ANY else str(step) for step in path) or "$"


def schema_path(results_key: str) -> SchemaPath:
    """A key of `results` as our path of the schema.

    A choice leaves no step, and what stands for any further key is `ANY`. A key of a document may contain dots. Raises
    BadPath for a text that is no such key.
    """
    if not results_key.startswith("$"):
        raise BadPath(f'"{results_key}" is no path of results', 0, "such a path starts with $")
    return tuple(_steps(results_key))


def _steps(text: str) -> Iterator[object]:
    position = 1
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None:
            hint = "after $ come .properties.NAME, .items, .additionalProperties and .anyOf[NUMBER]"
            raise BadPath(f'"{text}" is no path of results', position, hint)
        if found["key"] is not None:
            yield found["key"]
        elif found["items"] or found["others"]:
            yield ANY
        position = found.end()
