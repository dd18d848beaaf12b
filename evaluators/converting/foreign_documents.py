"""Other systems' YAML and JSON files, as trees in which every value knows its line and column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluators.converting.converter import ForeignValue
from evaluators.issues import Problems, problem
from evaluators.settings import BadSettings
from evaluators.suite.files import read_text
from evaluators.suite.nodes import Findings, MapEntry, SuiteInput, YamlNode
from evaluators.suite.python_data import tree_of, written_data
from evaluators.suite.source import any_tree


def text_of(path: Path) -> str:
    """The text of a file. Raises Problems (config) when there is none that can be read."""
    try:
        return read_text(path)
    except BadSettings as error:
        detail = error.details[0]
        raise problem(detail.code, detail.message, where=str(path)) from None


def document_tree(path: Path) -> YamlNode:
    """The values of a YAML or JSON file. Raises Problems (config) with what is wrong in it.

    JSON is read as YAML first, because that gives places; JSON that YAML refuses (tabs, say) is read without lines.
    """
    text = text_of(path)
    try:
        return any_tree(SuiteInput(str(path), text, path.parent))
    except Problems:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if value is None:
            raise
        return tree_of(value, SuiteInput(str(path), "", path.parent, []), Findings())


def entries(node: YamlNode) -> Mapping[str, MapEntry]:
    """The keys of a map; none for anything else."""
    return node.value if isinstance(node.value, dict) else {}


def items(node: YamlNode | None) -> list[YamlNode]:
    """The items of a list; none for anything else."""
    return node.value if node is not None and isinstance(node.value, list) else []


def value_at(node: YamlNode, *keys: str) -> YamlNode | None:
    """The value below these keys, or None."""
    for key in keys:
        entry = entries(node).get(key)
        if entry is None:
            return None
        node = entry.node
    return node


def text_at(node: YamlNode, *keys: str) -> str | None:
    """The text below these keys, or None."""
    found = value_at(node, *keys)
    return found.value if found is not None and isinstance(found.value, str) else None


def plain(node: YamlNode) -> Any:
    """The plain data of a value."""
    return written_data(node)


def given_of(node: YamlNode | None) -> dict[str, ForeignValue]:
    """The settings in a map, each with its place."""
    if node is None:
        return {}
    return {key: ForeignValue(plain(entry.node), entry.key.place) for key, entry in entries(node).items()}


def maps_within(node: YamlNode, named: tuple[YamlNode, ...] = ()) -> Iterator[tuple[YamlNode, tuple[YamlNode, ...]]]:
    """Every map in a tree, the outer first, each with the maps around it, the nearest first."""
    if isinstance(node.value, dict):
        yield node, named
        for entry in node.value.values():
            yield from maps_within(entry.node, (node, *named))
    for item in items(node):
        yield from maps_within(item, named)
