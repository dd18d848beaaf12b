"""Python data to a tree, and a tree to Python data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from evaluators.issues import Problems
from evaluators.settings import BadSettings, Loc
from evaluators.suite.environment import filled_in
from evaluators.suite.nodes import Findings, MapEntry, Spot, SuiteInput, YamlNode

DEEPEST: Final = 100
"""How deep a suite may be nested."""


def tree_of(value: object, document: SuiteInput, findings: Findings, loc: Loc = ()) -> YamlNode:
    """The tree of a Python value, its places spelled. What YAML could not say is noted."""
    locs = document.locs if document.locs is not None else []
    locs.append(loc)
    spot = Spot(document, len(locs) - 1, 0)
    if len(loc) > DEEPEST:
        raise Problems([spot.issue("too-deep", f"the suite is nested more than {DEEPEST} deep")])
    if isinstance(value, Mapping):
        return YamlNode(_entries(value, spot, findings, loc), spot)
    if isinstance(value, (list, tuple)):
        return YamlNode([tree_of(item, document, findings, (*loc, index)) for index, item in enumerate(value)], spot)
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return YamlNode(value, spot)
    message = f"a suite is made of maps, lists, text, finite numbers, true, false and None; found {value!r}"
    findings.add(spot, "bad-value", message)
    return YamlNode(None, spot)


def _entries(value: Mapping[object, object], spot: Spot, findings: Findings, loc: Loc) -> dict[str, MapEntry]:
    entries: dict[str, MapEntry] = {}
    for key, item in value.items():
        if isinstance(key, str):
            node = tree_of(item, spot.document, findings, (*loc, key))
            entries[key] = MapEntry(node.spot, node)
        else:
            findings.add(spot, "bad-key", f"a key must be text; found {key!r}")
    return entries


def data_of(node: YamlNode, environment: Mapping[str, str], findings: Findings) -> Any:
    """The plain data of a tree, with the environment filled in. What cannot be filled in is noted."""
    value = node.value
    if isinstance(value, str):
        return _filled(value, node.spot, environment, findings) if "${" in value else value
    if isinstance(value, dict):
        return {key: data_of(entry.node, environment, findings) for key, entry in value.items()}
    return [data_of(item, environment, findings) for item in value] if isinstance(value, list) else value


def written_data(node: YamlNode) -> Any:
    """The plain data of a tree, with every `${NAME}` as it is written."""
    value = node.value
    if isinstance(value, dict):
        return {key: written_data(entry.node) for key, entry in value.items()}
    return [written_data(item) for item in value] if isinstance(value, list) else value


def _filled(text: str, spot: Spot, environment: Mapping[str, str], findings: Findings) -> str:
    try:
        return filled_in(text, environment)
    except BadSettings as error:
        findings.note(spot, error)
        return text
