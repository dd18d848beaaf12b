"""The picture of the rooms on the page about architecture, drawn from the imports of the package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

from grimp import build_graph

PACKAGE: Final = "evaluators"
_MARKED: Final = re.compile(
    r"(?<=<!-- rooms: written by `python -m tests\.docs\.generate` -->\n).*?(?=<!-- /rooms -->)", re.DOTALL
)


def with_picture(page: str) -> str:
    """The text of a page, its picture drawn anew."""
    return _MARKED.sub(lambda _: f"```mermaid\n{picture(rooms())}\n```\n", page)


def rooms() -> dict[str, set[str]]:
    """The rooms that each room imports from."""
    graph = build_graph(PACKAGE, cache_dir=None)
    names = {each.rpartition(".")[2] for each in graph.find_children(PACKAGE) if graph.find_children(each)}
    for name in names:
        graph.squash_module(f"{PACKAGE}.{name}")
    found = {name: graph.find_modules_directly_imported_by(f"{PACKAGE}.{name}") for name in names}
    return {name: {each.rpartition(".")[2] for each in imported} & names - {name} for name, imported in found.items()}


def picture(imports: Mapping[str, set[str]]) -> str:
    """The rooms, each with its folders. An arrow leads to a room that is imported, where no way through others leads there.

    Raises CycleError where two rooms import each other.
    """
    below: dict[str, set[str]] = {}
    for room in TopologicalSorter(imports).static_order():
        below[room] = imports[room].union(*(below[each] for each in imports[room]))
    drawn = sorted(imports, key=lambda room: (-len(below[room]), room))
    nodes = [f"  {room}[{_label(room)}]" for room in drawn]
    arrows = [
        f"  {room} --> {used}"
        for room in drawn
        for used in sorted(imports[room])
        if not any(used in below[other] for other in imports[room])
    ]
    return "\n".join(["flowchart TB", *nodes, *arrows])


def _label(room: str) -> str:
    place = Path(__file__).parents[2] / PACKAGE / room
    folders = sorted(each.name for each in place.iterdir() if (each / "__init__.py").is_file())
    return f'"{room}<br>{", ".join(folders)}"' if folders else room
