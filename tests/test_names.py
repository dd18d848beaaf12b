"""One name, one thing: no two classes of the package share a name, plugs and commands apart. Packages are namespaces for modules."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import evaluators

ROOMS = Path(evaluators.__file__).parent
PLUGS = {
    "builtin", "comparators", "cli", "compat", "harnesses", "formats", "readers", "stores", "plugs", "judges/words",
}  # fmt: skip
"""Folders of plugs and of commands. A file there whose name begins with an underscore is no plug."""


def _is_plug(file: Path) -> bool:
    return bool({file.parent.name, "/".join(file.parent.parts[-2:])} & PLUGS) and not file.name.startswith("_")


def _classes() -> Iterator[tuple[str, str]]:
    for file in ROOMS.rglob("*.py"):
        if _is_plug(file):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield node.name.strip("_"), f"{file.relative_to(ROOMS)}:{node.lineno}"


def _several(named: Iterator[tuple[str, str]]) -> Mapping[str, list[str]]:
    places: dict[str, list[str]] = defaultdict(list)
    for name, place in named:
        places[name].append(place)
    return {name: sorted(found) for name, found in places.items() if len(found) > 1}


@pytest.mark.slow
def test_no_two_classes_share_a_name() -> None:
    assert _several(_classes()) == {}
