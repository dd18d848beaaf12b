"""How a suite and the files it extends become one.

- Maps merge key by key, and the nearer file wins.
- `evaluators`: those of the extended file come first; a nearer evaluator with the same `name` takes its place.
- `comparators`: a nearer definition of a name replaces the whole definition, for two of them cannot be mixed.
- Anything else, other lists included, is replaced. A null takes a value away.
"""

from __future__ import annotations

from collections.abc import Callable

from evaluators.suite.nodes import MapEntry, YamlNode


def merged(far: YamlNode, near: YamlNode) -> YamlNode:
    """One suite from two; both are maps."""
    return _by_key(far, near, _section)


def _by_key(far: YamlNode, near: YamlNode, join: Callable[[str, YamlNode, YamlNode], YamlNode]) -> YamlNode:
    """One map from two: `join` makes one value of two with the same key. Without two maps, the nearer value."""
    if not (isinstance(far.value, dict) and isinstance(near.value, dict)):
        return near
    value = dict(far.value)
    for key, entry in near.value.items():
        value[key] = MapEntry(entry.key, join(key, value[key].node, entry.node)) if key in value else entry
    return YamlNode(value, near.spot)


def _section(name: str, far: YamlNode, near: YamlNode) -> YamlNode:
    if name == "evaluators":
        return _evaluators(far, near)
    return _by_key(far, near, _nearer if name == "comparators" else _deep)


def _deep(_: str, far: YamlNode, near: YamlNode) -> YamlNode:
    return _by_key(far, near, _deep)


def _nearer(_: str, far: YamlNode, near: YamlNode) -> YamlNode:
    return near


def _evaluators(far: YamlNode, near: YamlNode) -> YamlNode:
    if not (isinstance(far.value, list) and isinstance(near.value, list)):
        return near
    value = list(far.value)
    places = {name: index for index, node in enumerate(value) if (name := _name(node)) is not None}
    for node in near.value:
        name = _name(node)
        if name is not None and name in places:
            # A second near evaluator of that name stays beside the first, so that the clash is seen.
            value[places.pop(name)] = node
        else:
            value.append(node)
    return YamlNode(value, near.spot)


def _name(node: YamlNode) -> str | None:
    """The name an evaluator was given, in the long form or in its options; None without one."""
    value = node.value
    if not isinstance(value, dict):
        return None
    if "name" not in value and len(value) == 1:
        inner = next(iter(value.values())).node.value
        value = inner if isinstance(inner, dict) else {}
    name = value["name"].node.value if "name" in value else None
    return name if isinstance(name, str) else None
