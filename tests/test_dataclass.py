"""The package's dataclasses behave as those of the standard library."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, get_type_hints

import pytest

from evaluators.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Count:
    """What changes."""

    total: int = 0
    seen: list[int] = field(default_factory=list, init=False)


@dataclass(frozen=True)
class Base:
    """Has one attribute."""

    name: str


@dataclass(frozen=True)
class Further(Base):
    """Has another, and one that is worked out."""

    size: int = 1

    @cached_property
    def double(self) -> int:
        """Worked out once."""
        return 2 * self.size


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing in it."""


def test_defaults_are_filled_in_and_lists_are_not_shared() -> None:
    one, other = Point(1), Point(x=1)
    one.names.append("a")
    assert (one.y, other.names) == (2, [])
    assert Point(1, 3, ["b"], "c").note == "c"


@pytest.mark.parametrize("values", [(), (1, 2, [], None, 5)])
def test_arguments_that_do_not_fit_are_refused(values: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        Point(*values)


def test_its_signature_and_its_types_are_known() -> None:
    assert list(inspect.signature(Point).parameters) == ["x", "y", "names", "note"]
    assert get_type_hints(Further.__init__) == {"name": str, "size": int, "return": type(None)}


def test_equal_objects_are_equal_whatever_is_not_compared() -> None:
    assert Point(1, note="a") == Point(1, note="b") != Point(2)
    assert Point(1) not in [(1, 2, [], None), 1]
    assert Base("a") != Further("a")
    assert Empty() == Empty()
    assert hash(Further("a")) == hash(Further("a", 1)) != hash(Further("b"))
    assert len({Empty(), Empty()}) == 1


def test_a_frozen_object_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]  # what is tested
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    assert not hasattr(point, "__dict__")


def test_an_object_that_changes_has_no_hash() -> None:
    count = Count(1)
    count.total += 1
    count.seen.append(3)
    assert (count.total, count.seen) == (2, [3])
    assert Count.__hash__ is None
    with pytest.raises(TypeError, match="unhashable"):
        hash(count)


def test_it_prints_like_a_dataclass() -> None:
    assert repr(Point(1, names=["a"])) == "Point(x=1, y=2, names=['a'])"
    assert repr(Further("a")) == "Further(name='a', size=1)"
    assert repr(Empty()) == "Empty()"


def test_the_tools_of_the_standard_library_work() -> None:
    assert is_dataclass(Point)
    assert [one.name for one in fields(Further)] == ["name", "size"]
    assert replace(Point(1), y=5) == Point(1, 5)
    assert asdict(Further("a")) == {"name": "a", "size": 1}
    assert Further("a", 4).double == 8
    match Point(7):
        case Point(x):
            assert x == 7


@pytest.mark.parametrize("made", [Point(1, note="n"), Further("a", 2), Empty(), Count(3)])
def test_copies_and_pickles_are_equal(made: object) -> None:
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) == made
    assert copy.copy(made) == made


def test_a_method_that_a_class_writes_itself_stays() -> None:
    @dataclass(frozen=True)
    class Own:
        """Equal to all of its kind."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 1

    assert Own("a") == Own("b")
    assert hash(Own("a")) == 1
