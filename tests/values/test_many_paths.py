"""Many paths read together say what each of them says alone."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.model import MISSING
from evaluators.values.literal_keys import key_of
from evaluators.values.many_paths import ABSENT, ManyPaths, by_parent, read_together
from evaluators.values.paths import parse

PATHS = ["a", "b", "o.a", "o.b", "o.p.x", "o.p.y", "l[1].k", "q.r.s.t", "$['w']['v']"]
DOCUMENTS: dict[str, Any] = {
    "everything": {
        "a": 1, "b": None, "o": {"a": 2, "b": 3, "p": {"x": 4, "y": [5]}}, "l": [0, {"k": 6}], "q": {"r": {"s": {"t": 7}}},
        "w": {"v": 8},
    },
    "a key with a dot at the top": {"a": 1, "b": 2, "o.a": 9, "o": {"a": 2, "b": 3, "p": {"x": 4, "y": 5}}},
    "a key with a dot further down": {"a": 1, "b": 2, "o": {"a": 2, "b": 3, "p.x": 9, "p": {"x": 4, "y": 5}}},
    "a key with two dots": {"o.p.y": 9, "o": {"a": 2, "b": 3, "p": {"x": 4, "y": 5}}, "q.r.s": {"t": 9}, "q": {"r": {"s": 1}}},
    "a key with a dot that JSONPath does not mean": {"w.v": 9, "w": {"v": 8}},
    "an index that is a key": {"l": {"1": {"k": 9}}},
    "nothing": {},
    "a list": [1],
    "text in place of objects": {"a": "x", "o": "a", "l": "ab", "q": {"r": "s"}},
    "a shorter list": {"l": [{"k": 1}]},
}  # fmt: skip


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("count", [*range(1, len(PATHS) + 1)])
def test_paths_that_are_read_together_lead_where_each_leads(name: str, count: int) -> None:
    paths = [parse(text) for text in PATHS[:count]]
    document, whole = DOCUMENTS[name], DOCUMENTS["everything"]
    many = ManyPaths(paths)
    for pair in ((whole, document), (document, whole)):
        alone = [path.pair_getter()(*pair) for path in paths]
        assert many.read_pair(*pair) == tuple(map(list, zip(*alone, strict=True)))
    try:
        found = many.read(document)
    except ABSENT:
        assert name != "everything"
    else:
        assert list(found) == [value for value, _ in alone]


def test_everything_is_read_at_once() -> None:
    many = ManyPaths([parse(text) for text in PATHS])
    assert many.read(DOCUMENTS["everything"]) == (1, None, 2, 3, 4, [5], 6, 7, 8)
    assert many.read_pair({}, {}) == ([MISSING] * 9, [MISSING] * 9)
    assert ManyPaths([]).read({}) == ()


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name.startswith("a key with") and "JSONPath" not in name])
def test_a_key_with_a_dot_that_may_be_meant_is_not_read_plainly(name: str) -> None:
    with pytest.raises(ABSENT):
        ManyPaths([parse(text) for text in ("o.a", "o.b", "o.p.x", "o.p.y")]).read(DOCUMENTS[name])


def test_paths_with_one_parent_stand_together() -> None:
    assert by_parent([parse(text) for text in ("a", "o.a", "b", "o.p.x", "o.b")]) == [[0, 2], [1, 4], [3]]


@pytest.mark.parametrize(
    ("text", "together"),
    [("a", True), ("a.b", True), ("a[0].b", True), ("a[-1].b", False), ("a[0]", False), ("a[*].b", False), ("$", False)],
)
def test_a_path_to_a_key_is_read_with_others(text: str, together: bool) -> None:
    assert read_together(parse(text)) is together


@pytest.mark.parametrize(("step", "key"), [("a", "a"), (0, "0"), (7, "7"), (-1, None)])
def test_an_index_from_the_front_may_be_a_key(step: str | int, key: str | None) -> None:
    assert key_of(step) == key
