"""What an item of the output without a partner is held against: the expected items of its list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from evaluators.fields.frame import Frame
from evaluators.fields.instance_paths import Unpaired


class Others(tuple[Any, ...]):
    """The expected values that an item without a partner is held against; many items share them."""

    known: dict[str, Others]

    def under(self, key: str) -> Others:
        """What the values have under a key, where they are objects that have it. It is looked up once."""
        if "known" not in self.__dict__:
            self.known = {}
        found = self.known.get(key)
        if found is None:
            found = Others(other[key] for other in self if isinstance(other, dict) and key in other)
            self.known[key] = found
        return found


_NOBODY: Final = Others()


_AGAINST: Final = object()


def against(frame: Frame, at: int) -> Others:
    """What the expected items of its list have at the place of a pair that stands in an item without a partner."""
    keys: list[str] = []
    while frame.up is not None:
        step = frame.steps[at] if isinstance(frame.steps, list) else frame.steps
        owner = at if frame.owners is None else frame.owners[at]
        if isinstance(step, Unpaired):
            found = _others_of(frame.up, owner)
            for key in reversed(keys):
                found = found.under(key)
            return found
        if isinstance(step, int) and not isinstance(step, bool):
            return _NOBODY
        if isinstance(step, str):
            keys.append(step)
        frame, at = frame.up, owner
    return _NOBODY


def _others_of(frame: Frame, at: int) -> Others:
    """The expected items of a list, and those of the lists that it is held against itself."""
    known: dict[int, Others] = frame.kept.setdefault(_AGAINST, {})
    if at not in known:
        inner = (item for other in against(frame, at) if isinstance(other, list) for item in other)
        known[at] = Others((*frame.e[at], *inner))
    return known[at]


def has_key(others: Iterable[Any], key: str) -> bool:
    """Whether some value is an object that has a key."""
    return any(isinstance(other, dict) and key in other for other in others)
