"""Keys of an output that are spelt otherwise: `invoiceNumber` for the `invoice_number` of the schema.

The output's keys are given their known names once, before anything is compared. Known are the keys that the schema, or the
expected document, has at the place. What could stand for two of them, or has a rival, keeps its name, and a note says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from evaluators.fields.tree import FieldNode
from evaluators.settings import Settings
from evaluators.values.quoting import quote

_BETWEEN_WORDS: Final = re.compile(r"(?<!\d)[\s_-]+|[\s_-]+(?!\d)")
"""What stands between two digits tells numbers apart: `line_1_2` is not `line_12`."""


class KeySpelling(Settings):
    """Which differences between an output's key and a known one do not count."""

    case: Literal["ignore"] = "ignore"
    """`ignore`: `Total` stands for `total`."""
    style: Literal["keep", "any"] = "keep"
    """`any`: hyphens, underscores and spaces do not count either: `invoiceNumber`, `invoice-number` and `Invoice Number` stand for
    `invoice_number`."""

    def respelt(self, root: FieldNode, expected: Any, output: Any) -> tuple[Any, list[str]]:
        """The output with known keys, and a note for each key that is unclear. One that is nested too deeply stays as it is."""
        notes: list[str] = []
        try:
            return self._respelt([root], [expected], output, notes), list(dict.fromkeys(notes))
        except RecursionError:
            return output, []

    def _respelt(self, nodes: Sequence[FieldNode], expected: Sequence[Any], output: Any, notes: list[str]) -> Any:
        nodes = _with_branches(nodes)
        if isinstance(output, list):
            inner = [node.below.items for node in nodes if node.below.items is not None]
            items = [item for one in expected if isinstance(one, list) for item in one]
            return [self._respelt(inner, items, item, notes) for item in output]
        if not isinstance(output, dict):
            return output
        objects = [one for one in expected if isinstance(one, dict)]
        known = {key for keys in (*map(_declared, nodes), *objects) for key in keys}
        names = {key: key for key in output}
        if not output.keys() <= known:
            names |= self._names(known, output, notes)
        found = {}
        for key, value in output.items():
            name = names[key]
            below = [one.below.keys.get(name) or one.below.others for one in nodes]
            inner = [node for node in below if node is not None]
            found[name] = self._respelt(inner, [one[name] for one in objects if name in one], value, notes)
        return found

    def _names(self, known: Iterable[str], output: dict[str, Any], notes: list[str]) -> dict[str, str]:
        """The known name of each key that has another one, and has it alone."""
        meant: dict[str, list[str]] = defaultdict(list)
        given: dict[str, list[str]] = defaultdict(list)
        for key in sorted(known):
            meant[_folded(key, self.style)].append(key)
        for key in output:
            given[_folded(key, self.style)].append(key)
        found = {}
        for folded, keys in given.items():
            names = meant.get(folded, [])
            if not names or set(keys) <= set(names):
                continue
            if len(names) == len(keys) == 1:
                found[keys[0]] = names[0]
            else:
                stands = "stands" if len(keys) == 1 else "stand"
                notes.append(
                    f"{' and '.join(map(quote, keys))} {stands} for {' and '.join(map(quote, names))}: kept as spelt"
                )
        return found


@lru_cache(maxsize=20_000)
def _folded(key: str, style: str) -> str:
    key = key.casefold()
    return (_BETWEEN_WORDS.sub("", key) or key) if style == "any" else key


def _declared(node: FieldNode) -> Iterable[str]:
    return node.below.keys if node.compound is None else (*node.below.keys, *node.compound.fields)


def _with_branches(nodes: Sequence[FieldNode]) -> list[FieldNode]:
    """The nodes, and the branches of those that are choices. Nodes of one origin ask for the same, so one of them will do."""
    found: dict[int, FieldNode] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if found.setdefault(id(node.origin or node), node) is node:
            waiting += node.below.branches
    return list(found.values())
