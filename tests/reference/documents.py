"""Documents to be drawn, and edits of them, that differ in every way documents differ."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

KEYS = ("a", "b", "c", "A", "a.b", "b.c", "é")
scalars = st.sampled_from(["x", "X", "é", "e", "e\u0301", "ß", "ss", "", 0, 1, 1.0, 2.5, True, False, None, 10**30])
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=10,
)
objects = st.dictionaries(st.sampled_from(KEYS), documents, max_size=5)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """An expected object and an output: the same, edited in a few places, or another object."""
    expected = draw(objects)
    if draw(st.integers(0, 4)) == 0:
        return expected, draw(objects)
    output: dict[str, Any] = copy.deepcopy(expected)
    for _ in range(draw(st.integers(0, 3))):
        edit(draw, output)
    if draw(st.booleans()):
        output = dict(reversed(output.items()))
    return expected, expected if draw(st.integers(0, 5)) == 0 else output


def edit(draw: st.DrawFn, node: Any) -> None:
    """Changes, removes or adds one value somewhere in a document."""
    while True:
        places = list(node) if isinstance(node, dict) else list(range(len(node)))
        place = draw(st.sampled_from(places)) if places else None
        if place is None or not isinstance(node[place], (dict, list)) or draw(st.booleans()):
            break
        node = node[place]
    how = draw(st.sampled_from(["change", "remove", "add", "type"]))
    if how == "add" or place is None:
        if isinstance(node, dict):
            node[draw(st.sampled_from(KEYS))] = draw(documents)
        else:
            node.append(draw(documents))
    elif how == "remove":
        del node[place]
    elif how == "type":
        value = node[place]
        node[place] = {1: True, 0: False, "": None}.get(value, 1) if isinstance(value, (int, str)) else [value]
    else:
        node[place] = draw(documents)
