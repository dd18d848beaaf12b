"""Values of known types as JSON, and back: what does not fit is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import pytest

from evaluators.value_class import NamedTuple, dataclass, field
from evaluators.values.typed_json import TypedJson, TypedJsonWays, Unfit


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: float = 0.0


@dataclass(slots=True)
class Box:
    name: str | None = None
    corners: list[Point] = field(default_factory=list)
    counts: dict[tuple[str, int], int] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    kept: frozenset[int] = frozenset()
    side: Literal["left", "right"] = "left"
    colour: Colour = Colour.RED
    pair: tuple[int, str] = (0, "")
    row: tuple[int, ...] = ()
    words: Mapping[str, Any] = field(default_factory=dict)
    full: bool = False
    secret: object = None


WAYS = TypedJsonWays(left_out={Box: ("secret",)})
BOX = Box(
    "lid", [Point(10**40, 0.1), Point(-1)], {("a", 1): 2, ("a", 2): -3}, {"x"}, frozenset((1, 2)), "right", Colour.BLUE,
    (7, "\ud83d"), (1, 2, 3), {"k": [1, None]}, True, secret=object(),
)  # fmt: skip


def through(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_a_value_comes_back_equal_and_of_its_types() -> None:
    way = WAYS.of(Box)
    back = way.read(through(way.pack(BOX)))
    BOX.secret = None
    assert back == BOX
    assert [type(corner) for corner in back.corners] == [Point, Point]
    assert isinstance(back.colour, Colour)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 1), (1, None), (1, [[1]]), (1, [["1", 0.0]]), (1, [[True, 0.0]]), (2, [[["a", "1"], 1]]), (2, [["a"]]), (2, {}),
        (3, "abc"), (5, "up"), (5, []), (6, "green"), (6, {}), (7, [1]), (8, [1, "2"]), (10, 1), (10, None),
    ],
)  # fmt: skip
def test_what_is_of_another_type_is_refused(place: int, value: Any) -> None:
    packed = through(WAYS.of(Box).pack(BOX))
    packed[place] = value
    with pytest.raises(Unfit):
        WAYS.of(Box).read(packed)


@pytest.mark.parametrize(
    ("kind", "value", "back"),
    [
        (float, 1, 1), (float, 0.5, 0.5), (float, True, Unfit), (float, "1", Unfit), (int, 1.0, Unfit), (int, True, Unfit),
        (bool, 1, Unfit), (bool, False, False), (str, None, Unfit), (tuple[int, ...], [1, 2, 3], (1, 2, 3)),
        (tuple[int, ...], [], ()), (tuple[int, str], [1, "a"], (1, "a")), (tuple[int, int, int], [1, 2, 3], (1, 2, 3)),
        (tuple[int, int], [1, 2, 3], Unfit), (tuple[int, int], [1], Unfit), (Colour, "blue", Colour.BLUE),
        (Colour, "BLUE", Unfit), (int | None, None, None), (int | None, "a", Unfit), (Point, [1, 2], Point(1, 2)),
    ],
)  # fmt: skip
def test_each_type_takes_what_is_of_it(kind: Any, value: Any, back: Any) -> None:
    way = TypedJsonWays().of(kind)
    if back is Unfit:
        with pytest.raises(Unfit):
            way.read(value)
    else:
        found = way.read(value)
        assert (found, type(found)) == (back, type(back))
        assert through(way.pack(found)) == value


@pytest.mark.parametrize("value", [None, {}, [], "text", [1] * 10, [1] * 12])
def test_a_value_class_is_the_list_of_its_fields(value: Any) -> None:
    with pytest.raises(Unfit):
        WAYS.of(Box).read(value)


@pytest.mark.parametrize("kind", [object, bytes, int | str, list])
def test_a_type_that_is_not_known_is_the_programs_mistake(kind: Any) -> None:
    with pytest.raises(TypeError):
        TypedJsonWays().of(kind)


def test_a_type_may_have_a_way_of_its_own() -> None:
    reversed_text = TypedJson(lambda text: text[::-1], lambda text: text[::-1])
    ways = TypedJsonWays({str: reversed_text})
    assert ways.of(list[str]).pack(["ab"]) == ["ba"]
    assert ways.of(list[str]).read(["ba"]) == ["ab"]
