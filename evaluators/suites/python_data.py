"""Python data to a tree, and a tree to Python data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct, field

from evaluators.model.issues import Problems, encodable
from evaluators.model.settings import BadSettings, Filled, Loc
from evaluators.suites.files import fill_variables
from evaluators.suites.nodes import Findings, MapEntry, Spot, SuiteInput, YamlNode

DEEPEST: Final = 100
"""How deep a suite may be nested."""
TOO_DEEP: Final = f"the suite is nested more than {DEEPEST} deep"


def tree_of(value: object, document: SuiteInput, findings: Findings, loc: Loc = ()) -> YamlNode:
    """The tree of a Python value. What YAML could not say is added to `findings`, and is null in the tree. Raises Problems for a value that
    is nested too deep.

    `loc` is where the value stands in the data; each value's `loc` is kept in `document.locs`, by which messages name its
    place.
    """
    locs = document.locs if document.locs is not None else []
    locs.append(loc)
    spot = Spot(document, len(locs) - 1, 0)
    if len(loc) > DEEPEST:
        raise Problems([spot.issue("too-deep", TOO_DEEP)])
    if isinstance(value, Mapping):
        return YamlNode(_entries(value, spot, findings, loc), spot)
    if isinstance(value, (list, tuple)):
        return YamlNode([tree_of(item, document, findings, (*loc, index)) for index, item in enumerate(value)], spot)
    if isinstance(value, str) and encodable(value) != value:
        findings.add(
            spot, "bad-character", f"a text of a suite must be Unicode; found half of a surrogate pair in {value!a}"
        )
        return YamlNode(None, spot)
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return YamlNode(value, spot)
    message = f"a suite is made of maps, lists, text, finite numbers, true, false and None; found {value!r}"
    findings.add(spot, "bad-value", message)
    return YamlNode(None, spot)


def _entries(value: Mapping[object, object], spot: Spot, findings: Findings, loc: Loc) -> dict[str, MapEntry]:
    """The entries of a Python map at `loc`, as those of a tree. Keys that are no text are left out and noted in `findings`."""
    entries: dict[str, MapEntry] = {}
    for key, item in value.items():
        if isinstance(key, str) and encodable(key) == key:
            node = tree_of(item, spot.document, findings, (*loc, key))
            entries[key] = MapEntry(node.spot, node)
        else:
            findings.add(spot, "bad-key", f"a key must be Unicode text; found {key!a}")
    return entries


class Filling(Struct):
    """Fills the environment into a suite, and notes what was filled in and what could not be."""

    environment: Mapping[str, str]
    findings: Findings = field(default_factory=Findings)
    filled: Filled = field(default_factory=Filled)

    def filled_data(self, node: YamlNode) -> Any:
        """The plain data of a tree, with the values of the environment in its texts. What cannot be filled in is noted in
        `findings`."""
        return _data(node, self._text)

    def shown_data(self, node: YamlNode) -> Any:
        """The plain data of a tree as people read it, with `${NAME}` where the environment gave a value."""
        return _data(node, lambda text, _: fill_variables(text, self.environment).shown)

    def _text(self, text: str, spot: Spot) -> str:
        """A text with the environment filled in. What cannot be filled in is noted, and the text stays."""
        try:
            filled = fill_variables(text, self.environment)
        except BadSettings as error:
            self.findings.note(spot, error)
            return text
        self.filled.note(filled.text, filled.shown, filled.values)
        return filled.text


def written_data(node: YamlNode) -> Any:
    """The plain data of a tree, with every `${NAME}` as it is written."""
    return _data(node, lambda text, _: text)


def _data(node: YamlNode, of_text: Callable[[str, Spot], str]) -> Any:
    """The plain data of a tree. `of_text(text, spot)` gives what stands in place of a text that has a `${` in it."""
    value = node.value
    if isinstance(value, str):
        return of_text(value, node.spot) if "${" in value else value
    if isinstance(value, dict):
        return {key: _data(entry.node, of_text) for key, entry in value.items()}
    return [_data(item, of_text) for item in value] if isinstance(value, list) else value
