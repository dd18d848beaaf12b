"""What is wrong with settings, as data: where it stands inside them, what it is, and one suggestion.

The suite turns details into issues with a file, a line and a column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import encodable

Loc = tuple[str | int, ...]
Item = TypeVar("Item")
Found = TypeVar("Found")


class Detail(Struct, frozen=True):
    """One thing wrong inside some settings. `key` says that the key itself is to blame, not its value."""

    loc: Loc
    message: str
    hint: str | None = None
    key: bool = False
    code: str = "bad-setting"

    def under(self, *prefix: str | int) -> Detail:
        """The same detail with its place inside larger settings: `prefix` is where the settings at hand stand in them."""
        return replace(self, loc=(*prefix, *self.loc))


class BadSettings(ValueError):
    """Raised while settings are read, with everything that is wrong with them."""

    def __init__(self, details: Iterable[Detail]) -> None:
        self.details = tuple(details)
        super().__init__(encodable("; ".join(detail.message for detail in self.details)))


def bad(message: str, *loc: str | int, hint: str | None = None, key: bool = False) -> BadSettings:
    """The exception to raise for one bad setting, at the place `loc` in the settings. `key` says that the key itself is to blame."""
    return BadSettings([Detail(loc, message, hint, key)])


@contextmanager
def under(*prefix: str | int) -> Iterator[None]:
    """Within the `with` block, the place of each bad setting begins with `prefix`: where the settings that are read there stand
    in the suite."""
    try:
        yield
    except BadSettings as error:
        raise BadSettings(detail.under(*prefix) for detail in error.details) from error


def read_each(settings: Iterable[tuple[Any, Item]], read: Callable[[Any, Item], Found]) -> tuple[Found, ...]:
    """The results of `read(key, setting)` for each pair of a key, or an index, and a setting. Raises BadSettings with all that is
    wrong with any of them."""
    results: list[Found] = []
    details: list[Detail] = []
    for key, item in settings:
        try:
            results.append(read(key, item))
        except BadSettings as error:
            details.extend(detail.under(key) for detail in error.details)
    if details:
        raise BadSettings(details)
    return tuple(results)


def spell(value: object) -> str:
    """A value as a message quotes it: short, and in YAML's words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value}"' if len(value) <= 40 else f'the text "{value[:37]}…"'
    if isinstance(value, (int, float)):
        text = str(value)
        return f"the number {text}" if len(text) <= 40 else f"a number of {len(text.lstrip('-'))} digits"
    if isinstance(value, Mapping):
        return "a map"
    return "a list" if isinstance(value, (list, tuple)) else repr(value)
