"""What a schema declares, as reports say it: its places by type, which of them are required, and a hash of all of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from evaluators.fields.metrics import places
from evaluators.fields.tree import FieldNode


class Declared(Struct, frozen=True):
    """What reports say of a schema, found once."""

    types: Mapping[str, str]
    required: frozenset[str]
    stats: Mapping[str, Any]
    hash: str

    @staticmethod
    def of(root: FieldNode) -> Declared:
        """What a tree declares, by schema path."""
        nodes = list(places(root))
        types = {node.name: _type_of(node) for node in nodes}
        keys = {
            child.name: child.required or key in node.shape.required
            for node in nodes
            for key, child in (() if node.unit else node.below.keys.items())
        }
        required = frozenset(name for name, asked in keys.items() if asked)
        stats = {
            "counts_by_type": dict(sorted(Counter(map(_type_of, nodes)).items())),
            "optional_keys_count": len(keys) - len(required),
            "required_keys_count": len(required),
            "total_nodes": len(nodes),
        }
        return Declared(types, required, stats, short_hash([[node.name, node.kind, _rules(node)] for node in nodes]))


def short_hash(value: object) -> str:
    """Enough to tell two apart: the first 8 digits of SHA-256 over JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _type_of(node: FieldNode) -> str:
    types = sorted(node.shape.types - {"null"})
    if types:
        return "|".join(types)
    return "any" if node.kind == "leaf" else node.kind


def _rules(node: FieldNode) -> list[str]:
    return [*(metric.rule for metric in node.metrics), node.align.rule]
