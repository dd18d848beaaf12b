"""The trace of a row: read, compared, and told as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from evaluators.fields.rules import Rule
from evaluators.fields.trace.comparison_source import comparison
from evaluators.fields.trace.looks import Looks, Steps
from evaluators.fields.trace.place_numbers import PlaceNumbers, Trace
from evaluators.fields.trace.record_type import LearnedPlace, Unalike, learned
from evaluators.values.paths import ANY, Step

NOT_ALIKE = (Unalike, msgspec.MsgspecError, UnicodeError, RecursionError)
"""What is raised for a row that does not fit: it goes the general way."""


class Tracer:
    """Makes traces of rows whose expected documents are alike.

    `read` gives the record of an expected text. `shape` and `walk` note what there is to note of it in `trace`, which the
    caller takes and clears. All of them raise one of NOT_ALIKE.
    """

    def __init__(self, documents: Iterable[Any], looks: Sequence[Looks]) -> None:
        """`documents` are expected ones. Raises one of NOT_ALIKE where they have nothing in common, or a rule is asked of more
        than plain values."""
        root = learned(documents)
        rules = _rules(looks, root)
        readable = {steps: ask for one in looks for steps, ask in one.readable.items()}
        for steps in (*rules, *readable):
            _check_plain(root, steps)
        texts = tuple(dict.fromkeys(text for one in looks for text in one.texts))
        self.read = msgspec.json.Decoder(root.type()).decode
        self.trace = Trace(rules, texts)
        self.top = PlaceNumbers(self.trace, root)
        self.shape, self.walk, self.source = comparison(root, readable)


def _rules(looks: Sequence[Looks], root: LearnedPlace) -> dict[Steps, tuple[Rule, ...]]:
    """All the rules that are asked at each place."""
    found: dict[Steps, tuple[Rule, ...]] = {}
    for one in looks:
        for written, rule in one.rules.items():
            steps = _as_learned(root, written)
            found[steps] = (*found.get(steps, ()), rule)
    return found


def _as_learned(root: LearnedPlace, steps: Steps) -> Steps:
    """The steps of a place as the documents have them: in an object, an index is a key."""
    place: LearnedPlace | None = root
    found: list[Step] = []
    for step in steps:
        in_object = place is not None and place.is_object and isinstance(step, int)
        found.append(str(step) if in_object else step)
        place = None if place is None else place.keys.get(str(found[-1])) if place.is_object else place.items
    return tuple(found)


def _check_plain(root: LearnedPlace, steps: Steps) -> None:
    """Raises Unalike where a whole object or list stands at a place."""
    place: LearnedPlace | None = root
    for step in steps:
        if place is None:
            return
        place = place.items if isinstance(step, int) or step is ANY else place.keys.get(step)
    if place is not None and (place.is_object or place.is_list):
        raise Unalike
