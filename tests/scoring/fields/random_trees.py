"""Random trees of nodes, and documents that more or less fit them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from evaluators.model.rows import MISSING
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.reading import Align
from evaluators.scoring.fields.tree import Below, FieldNode, Metric
from evaluators.scoring.values.paths import ANY, parse
from evaluators.scoring.values.transforms import parse_transform

KEYS = ("a", "b", "id", "x.y")
SCALARS: tuple[Any, ...] = (None, True, False, 0, 1, 1.0, 2.5, "a", "A", "ab", "abc", "")
WORDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("exact", {}),
    ("exact", {}),
    ("numeric", {"tolerance": {"abs": 1.5}}),
    ("normalized", {"case": "ignore"}),
    ("fuzzy", {"at_least": 0.5, "partial": True}),
    ("regex", {"pattern": "a"}),
)


def metric(word: str, options: dict[str, Any], weight: int = 1) -> Metric:
    return Metric(word, COMPARATORS.find(word)(**options), word, Fraction(weight))


@st.composite
def nodes(draw: st.DrawFn, path: tuple[Any, ...] = (), depth: int = 3, root: bool = True) -> FieldNode:
    """A tree of at most that depth."""
    kinds = ["object", "array", "leaf"] if depth else ["leaf"]
    kind = draw(st.sampled_from(["object", "object", "array"] if root else kinds))
    skip = not root and draw(st.integers(0, 11)) == 0
    weight = Fraction(draw(st.sampled_from([1, 1, 1, 2])))
    if kind == "leaf":
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=draw(st.sampled_from([1, 1, 1, 2]))))
        metrics = tuple(metric(word, options, place + 1) for place, (word, options) in enumerate(words))
        transforms = draw(st.sampled_from([(), (), ("lowercase",)]))
        return FieldNode(path, "leaf", metrics, tuple(map(parse_transform, transforms)), weight=weight, skip=skip)
    if kind == "object":
        keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=3))
        children = {key: draw(nodes((*path, key), depth - 1, False)) for key in keys}
        below = Below(keys=children)
        return FieldNode(path, "object", weight=weight, skip=skip, make=lambda: below)
    items = draw(nodes((*path, ANY), depth - 1, False))
    how = draw(st.sampled_from(["ordered", "any_order", "hungarian", "key_field"]))
    align = Align("key_field", (parse("id"),)) if how == "key_field" else Align(how)
    inside = Below(items=items)
    return FieldNode(path, "array", align=align, weight=weight, skip=skip, make=lambda: inside)


@st.composite
def documents(draw: st.DrawFn, node: FieldNode) -> Any:
    """A document that mostly has the shape of a tree."""
    odd = draw(st.integers(0, 19))
    if odd == 0:
        return draw(st.sampled_from([*SCALARS, {}, [], {"a": 1}, [1, [2]], {"q": {"r": [1, {}]}}]))
    if node.kind == "object":
        found = {key: draw(documents(child)) for key, child in node.below.keys.items() if draw(st.integers(0, 5))}
        if draw(st.integers(0, 5)) == 0:
            found[draw(st.sampled_from(["q", "w"]))] = draw(st.sampled_from([1, "z", {}, {"e": 1}, [{"e": 1}, 2]]))
        return found
    if node.kind == "array" and node.below.items is not None:
        return draw(st.lists(documents(node.below.items), max_size=4))
    return draw(st.sampled_from(SCALARS))


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """The value with some of it changed, left out or moved."""
    if isinstance(value, dict):
        return {key: draw(edited(inner)) for key, inner in value.items() if draw(st.integers(0, 9))}
    if isinstance(value, list):
        kept = [draw(edited(inner)) for inner in value if draw(st.integers(0, 7))]
        return draw(st.permutations(kept)) if draw(st.booleans()) else kept
    return value if draw(st.integers(0, 4)) else draw(st.sampled_from(SCALARS))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[FieldNode, Any, Any]:
    """A tree with an expected document and an output."""
    node = draw(nodes())
    expected = draw(documents(node))
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return node, expected, MISSING
    if kind == 1:
        return node, expected, expected
    return node, expected, draw(edited(expected)) if kind < 7 else draw(documents(node))


SMALL = st.sampled_from([0, 1, 2, True, "a", "A", None])


@st.composite
def alike_items(draw: st.DrawFn) -> tuple[FieldNode, Any, Any]:
    """A list of objects with the same keys, compared by equality, or by a key, and paired freely; few values, so that ties are
    common."""
    keys = draw(st.sampled_from([("a",), ("a", "b"), ("a", "b", "c")]))
    words = st.sampled_from([("exact", {}), ("exact", {}), ("normalized", {"case": "ignore"})])
    leaves = {key: FieldNode((ANY, key), "leaf", (metric(*draw(words)),)) for key in keys}
    item = FieldNode((ANY,), "object", make=lambda: Below(keys=leaves))
    root = FieldNode((), "array", align=Align("hungarian"), make=lambda: Below(items=item))
    size = draw(st.integers(1, 5))
    expected, output = (
        draw(st.lists(st.fixed_dictionaries(dict.fromkeys(keys, SMALL)), min_size=size, max_size=size)) for _ in range(2)
    )
    kept = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    return root, expected, [one if keep else other for one, other, keep in zip(expected, output, kept, strict=True)]
