"""Value classes are what the standard library's data classes are, and are defined without compiling anything."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, get_type_hints

import pytest

from evaluators.value_class import NamedTuple, dataclass, field, replace

T = TypeVar("T")
OURS: Any = dataclass


def defined(decorate: Any) -> dict[str, Any]:
    """The same classes, made by one or the other."""

    @decorate(frozen=True, slots=True)
    class Point:
        """A place."""

        kind: ClassVar[str] = "point"
        x: int
        y: int = 2

        def moved(self) -> Any:
            return dataclasses.replace(self, x=self.x + 1)  # type: ignore[type-var]  # a class by a decorator unknown to mypy

    @decorate(frozen=True)
    class Open:
        x: int
        note: str = field(default="", compare=False)
        more: list[int] = field(default_factory=list, hash=False)

    @decorate(slots=True)
    class Counter:
        seen: list[int] = field(default_factory=list)
        total: int = field(default=3, init=False)
        kept: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    @decorate
    class Loud:
        words: str

        def __post_init__(self) -> None:
            self.words = self.words.upper()

        def __repr__(self) -> str:
            return "loud"

    @decorate(eq=False)
    class Itself:
        x: int

    @decorate(frozen=True, slots=True)
    class Box(Generic[T]):
        inside: T

    @decorate(frozen=True, slots=True)
    class Empty:
        pass

    @decorate(frozen=True, slots=True)
    class Deep(Point):  # type: ignore[misc,valid-type]  # a class by a decorator unknown to mypy
        z: int = 5

    @decorate(frozen=True)
    class Loose(Open):  # type: ignore[misc,valid-type]  # a class by a decorator unknown to mypy
        note: str = "own"
        last: tuple[str, ...] = ()

    return dict(locals())


MADE: dict[str, list[Callable[[dict[str, Any]], Any]]] = {
    "Point": [lambda c: c["Point"](1), lambda c: c["Point"](x=1, y=3), lambda c: c["Point"](1).moved()],
    "Open": [lambda c: c["Open"](1), lambda c: c["Open"](1, "other")],
    "Counter": [lambda c: c["Counter"](), lambda c: c["Counter"]([1])],
    "Loud": [lambda c: c["Loud"]("a"), lambda c: c["Loud"](words="b")],
    "Box": [lambda c: c["Box"](1), lambda c: c["Box"]("1")],
    "Empty": [lambda c: c["Empty"]()],
    "Loose": [lambda c: c["Loose"](1), lambda c: c["Loose"](1, "a", [2], ("b",))],
    "Deep": [lambda c: c["Deep"](1), lambda c: c["Deep"](1, 2, z=3)],
}
OUR_CLASSES, THEIR_CLASSES = defined(OURS), defined(dataclasses.dataclass)
CASES = [pytest.param(name, make, id=f"{name}-{at}") for name, makes in MADE.items() for at, make in enumerate(makes)]


@pytest.mark.parametrize(("name", "make"), CASES)
def test_a_value_has_the_text_fields_and_state_of_the_standard_library(name: str, make: Callable[..., Any]) -> None:
    ours, theirs = make(OUR_CLASSES), make(THEIR_CLASSES)
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert [(each.name, each.type, each.init) for each in dataclasses.fields(ours)] == [
        (each.name, each.type, each.init) for each in dataclasses.fields(theirs)
    ]
    assert ours.__match_args__ == theirs.__match_args__
    assert hasattr(ours, "__dict__") == hasattr(theirs, "__dict__")
    assert getattr(type(ours), "__slots__", None) == getattr(type(theirs), "__slots__", None)
    assert (type(ours).__hash__ is None) == (type(theirs).__hash__ is None)


@pytest.mark.parametrize("classes", [OUR_CLASSES, THEIR_CLASSES], ids=["ours", "theirs"])
@pytest.mark.parametrize("name", MADE)
def test_equal_values_are_equal_and_others_are_not(classes: dict[str, Any], name: str) -> None:
    values = [make(classes) for make in MADE[name]]
    again = [make(classes) for make in MADE[name]]
    assert values == again
    assert [one == other for one in values for other in values].count(True) == (4 if name == "Open" else len(values))
    assert values[0] != object()
    if type(values[0]).__hash__ is not None:
        assert [hash(each) for each in values] == [hash(each) for each in again]


def test_values_of_a_class_without_equality_are_themselves_only() -> None:
    made = OUR_CLASSES["Itself"](1)
    assert made != OUR_CLASSES["Itself"](1)
    assert len({made, made}) == 1


@pytest.mark.parametrize("classes", [OUR_CLASSES, THEIR_CLASSES], ids=["ours", "theirs"])
@pytest.mark.parametrize("name", ["Point", "Open", "Deep"])
def test_a_frozen_value_refuses_to_change(classes: dict[str, Any], name: str) -> None:
    value = MADE[name][0](classes)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.x = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.x


@pytest.mark.parametrize("classes", [OUR_CLASSES, THEIR_CLASSES], ids=["ours", "theirs"])
@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_arguments_are_a_type_error(classes: dict[str, Any], values: Any, named: Any) -> None:
    with pytest.raises(TypeError, match=r"Point\.__init__\(\)"):
        classes["Point"](*values, **named)


@pytest.mark.parametrize("change", [dataclasses.replace, replace])
def test_replace_gives_a_changed_copy(change: Callable[..., Any]) -> None:
    point = OUR_CLASSES["Point"](1)
    assert change(point, y=7) == OUR_CLASSES["Point"](1, 7)
    assert change(OUR_CLASSES["Deep"](1), y=7) == OUR_CLASSES["Deep"](1, 7)
    assert point == OUR_CLASSES["Point"](1)
    with pytest.raises(TypeError):
        change(point, unknown=1)


def test_a_value_is_matched_by_position() -> None:
    match Kept("a", (4,)):
        case Kept("a", found):
            assert found == (4,)


@dataclass(frozen=True, slots=True)
class Kept:
    name: str
    inside: tuple[int, ...] = ()


@dataclass(slots=True)
class Written:
    names: list[str] = field(default_factory=list)


@pytest.mark.parametrize("value", [Kept("a", (1, 2)), Written(["b"])], ids=["frozen", "open"])
def test_a_value_comes_back_from_a_pickle_and_from_a_copy(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value


def test_defaults_that_are_made_are_made_anew() -> None:
    one, other = Written(), Written()
    one.names.append("only here")
    assert other.names == []


def test_a_class_is_defined_without_compiling_and_has_the_usual_signature() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        x: int
        y: int = 2

    def code() -> Any:
        return vars(Late)["__init__"].__code__

    before = code()
    assert list(inspect.signature(Late).parameters) == ["x", "y"]
    assert code() is before
    assert before.co_filename.endswith("value_class.py")
    assert get_type_hints(Late(1).__init__) == {"x": int, "y": int, "return": type(None)}
    assert code().co_filename == "<string>"
    assert list(inspect.signature(Late).parameters) == ["x", "y"]


class Place(NamedTuple):
    """Where it is."""

    row: int
    column: str = "id"

    def told(self) -> str:
        return f"{self.row}, {self.column}"


class UsualPlace(typing.NamedTuple):
    """Where it is."""

    row: int
    column: str = "id"


def test_a_named_tuple_is_the_usual_one() -> None:
    assert Place(1) == (1, "id") == UsualPlace(1)
    assert Place(2, column="a").told() == "2, a"
    assert repr(Place(1)) == repr(UsualPlace(1)).replace("UsualPlace", "Place")
    for name in ("__doc__", "_fields", "_field_defaults", "__match_args__", "__module__", "__bases__"):
        assert getattr(Place, name) == getattr(UsualPlace, name)
    assert get_type_hints(Place) == get_type_hints(UsualPlace) == {"row": int, "column": str}
    assert Place(1)._replace(row=3) == (3, "id")
    assert pickle.loads(pickle.dumps(Place(1))).told() == "1, id"
    assert list(inspect.signature(Place).parameters) == ["row", "column"]
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]  # that is the test
