"""Keys of one object that are compared as one value: `compound: {fields: [surname, name], compare: fuzzy}`.

A comparator of your own, `exact`, and one from another distribution get the two objects with the listed keys. Every
other comparator that ships with the package gets two texts: the values joined with one space, in the order of `fields`,
numbers as JSON spells them; what is missing or null is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, bad, spell
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator
from evaluators.scoring.values.transforms import Transform, chain

WORD: Final = "compound"
SETTINGS: Final = ("fields", "compare")
_HINT: Final = "write compound: {fields: [surname, name], compare: fuzzy}"


class Together(Struct, frozen=True):
    """The keys that are compared as one value, and whether their values are joined to one text for that."""

    fields: tuple[str, ...]
    joined: bool = False

    def picked(self, value: Any) -> dict[str, Any] | None:
        """The object with the listed keys only; None for a value that is no object."""
        return {key: value[key] for key in self.fields if key in value} if isinstance(value, dict) else None

    def transforms(self, inner: tuple[Transform, ...]) -> tuple[Transform, ...]:
        """What is done to both picked objects: the join and then `inner`, or `inner` to each value on its own."""
        if self.joined:
            return (Transform("join", self.text), *inner)
        return each_key(dict.fromkeys(self.fields, inner))

    def text(self, value: Any) -> Any:
        """The values as one text. A value that is no object stays what it is."""
        if not isinstance(value, dict):
            return value
        return " ".join(_spelled(value[key]) for key in self.fields if value.get(key) is not None)


def each_key(known: Mapping[str, tuple[Transform, ...]]) -> tuple[Transform, ...]:
    """Does to the value of each key of an object what is known for the key; nothing where that is nothing."""
    chains = {key: made for key, transforms in known.items() if (made := chain(transforms)) is not None}
    if not chains:
        return ()

    def apply(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: chains[key](inner) if key in chains else inner for key, inner in value.items()}

    converts = any(transform.converts for transforms in known.values() for transform in transforms)
    return (Transform("each_key", apply, converts=converts),)


def read_names(options: object) -> tuple[tuple[str, ...], object]:
    """The keys of a compound and its comparator as it is written (`exact` without one). Raises BadSettings."""
    if not isinstance(options, Mapping):
        raise bad(f"the options of compound must be a map; found {spell(options)}", hint=_HINT)
    details: list[Detail] = []
    for key in options:
        if key not in SETTINGS:
            hint = suggestion(str(key), SETTINGS) or f"known settings: {', '.join(SETTINGS)}"
            details.append(
                Detail((key,), f'unknown setting "{key}" for compound', hint, key=True, code="unknown-setting")
            )
    names = options.get("fields")
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names) or len(set(names)) < 2:
        loc = ("fields",) if "fields" in options else ()
        details.append(Detail(loc, f"compound needs fields, a list of two keys or more; found {spell(names)}", _HINT))
    elif len(set(names)) < len(names):
        details.append(Detail(("fields",), "a key is listed twice", "list each key once"))
    if details:
        raise BadSettings(details)
    return tuple(names or ()), options.get("compare", "exact")


def takes_text(comparator: Comparator, word: str) -> bool:
    """Whether a compound gives the comparator one text a side."""
    return word != "exact" and word in COMPARATORS.shipped() and type(comparator) is COMPARATORS.shipping(word)


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
