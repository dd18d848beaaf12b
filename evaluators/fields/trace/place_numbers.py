"""The numbers that a trace is made of: one for each thing that can be noted at a place, given when it is first met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from evaluators.fields.rules import Partial, Rule
from evaluators.fields.trace.looks import Steps
from evaluators.fields.trace.record_type import LearnedPlace, Unalike
from evaluators.issues import RowProblem
from evaluators.model import MISSING

MOST_ITEMS: Final = 64
MOST_NUMBERS: Final = 200_000
"""Beyond so many, rows go the general way, so that memory stays flat."""
_CONTAINERS: Final = (dict, list)


class Trace(list[int]):
    """The numbers of the row at hand, and what finds the number of anything that can be noted."""

    def __init__(self, rules: Mapping[Steps, tuple[Rule, ...]], texts: tuple[Callable[[str], str], ...]) -> None:
        super().__init__()
        self.rules = rules
        self.texts = texts
        self.given = 0

    def new(self) -> int:
        """A number that nothing else has. Raises Unalike when there are too many."""
        if self.given == MOST_NUMBERS:
            raise Unalike
        self.given += 1
        return self.given

    def same_text(self, ours: Any, theirs: Any) -> tuple[bool, ...]:
        """For each way of comparing texts, whether two values that differ are the same to it."""
        if ours.__class__ is not str or theirs.__class__ is not str:
            return ()
        return tuple([text(ours) == text(theirs) for text in self.texts])


def _answers(rules: tuple[Rule, ...], ours: Any, theirs: Any) -> tuple[object, ...]:
    """What is said of two plain values that differ. Raises Unalike for partial credit and where a rule breaks."""
    try:
        found = tuple([rule(ours, theirs) for rule in rules])
    except RowProblem:
        raise Unalike from None
    if any(isinstance(answer, Partial) for answer in found):
        raise Unalike
    return found


class PlaceNumbers:
    """One object or list of the documents, indexes included, and the numbers of what is noted there."""

    __slots__ = ("_item", "_known", "_rules", "below", "items", "lengths", "steps", "trace")

    def __init__(self, trace: Trace, learned: LearnedPlace, steps: Steps = ()) -> None:
        self.trace = trace
        self.steps = steps
        self._known: dict[object, int] = {}
        self._rules: dict[object, tuple[Rule, ...]] = {}
        self.below = [
            PlaceNumbers(trace, place, (*steps, key)) if place.is_object or place.is_list else None
            for key, place in learned.keys.items()
        ]
        self._item = learned.items
        self.items: list[PlaceNumbers] = []
        """For a list, the places of the items that were met so far."""
        self.lengths = [trace.new() for _ in range(MOST_ITEMS)] if learned.is_list else []
        """For a list, the number of each length."""

    def note(self, what: object) -> None:
        """Notes something that was found here."""
        found = self._known.get(what)
        if found is None:
            found = self._known[what] = self.trace.new()
        self.trace.append(found)

    def item(self, index: int) -> PlaceNumbers:
        """The place of an item of this list."""
        while len(self.items) <= index:
            if self._item is None:
                raise Unalike
            self.items.append(PlaceNumbers(self.trace, self._item, (*self.steps, len(self.items))))
        return self.items[index]

    def differs(self, ours: Any, theirs: Any, step: str | int) -> None:
        """Two values under one key, or at one index, that are not equal; the expected one is plain, or null."""
        if theirs is MISSING:
            self.note((step, "lacks"))
            return
        if theirs.__class__ in _CONTAINERS:
            raise Unalike
        rules = self._rules.get(step)
        if rules is None:
            rules = self._rules[step] = self.trace.rules.get((*self.steps, step), ())
        what: object = step
        if rules:
            what = step, _answers(rules, ours, theirs), self.trace.same_text(ours, theirs)
        elif self.trace.texts:
            what = step, self.trace.same_text(ours, theirs)
        self.note(what)

    def extra(self, key: str | int, value: Any) -> None:
        """What only the output has under a key, or at an index. Raises Unalike for a key that several steps may stand for."""
        if key.__class__ is str and "." in key:
            raise Unalike
        self.note((key, "extra", _outline(value)))

    def spread(self, output: dict[str, Any], keys: tuple[str, ...]) -> list[Any]:
        """The output's values in the order of some keys, MISSING where it lacks one. Its other keys are noted."""
        found = [output.get(key, MISSING) for key in keys]
        if len(output) > len(keys) - found.count(MISSING):
            for key, value in output.items():
                if key not in keys:
                    self.extra(key, value)
        return found


def _outline(value: Any) -> object:
    """The keys of an object, or the length of a list. Raises Unalike where there is more inside."""
    if value.__class__ not in _CONTAINERS:
        return None
    if any(inner.__class__ in _CONTAINERS for inner in (value.values() if value.__class__ is dict else value)):
        raise Unalike
    return tuple(value) if value.__class__ is dict else len(value)
