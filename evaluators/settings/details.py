"""What is wrong with settings, as data: where it stands inside them, what it is, and one suggestion.

The suite turns details into issues with a file, a line and a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from evaluators.issues import encodable

Loc = tuple[str | int, ...]


class Detail(Struct, frozen=True):
    """One thing wrong inside some settings. `key` says that the key itself is to blame, not its value."""

    loc: Loc
    message: str
    hint: str | None = None
    key: bool = False
    code: str = "bad-setting"

    def under(self, *prefix: str | int) -> Detail:
        """The same detail, seen from further out."""
        return replace(self, loc=(*prefix, *self.loc))


class BadSettings(ValueError):
    """Raised while settings are read, with everything that is wrong with them."""

    def __init__(self, details: Iterable[Detail]) -> None:
        self.details = tuple(details)
        super().__init__(encodable("; ".join(detail.message for detail in self.details)))


def bad(message: str, *loc: str | int, hint: str | None = None, key: bool = False) -> BadSettings:
    """One bad setting, ready to raise."""
    return BadSettings([Detail(loc, message, hint, key)])


def spell(value: object) -> str:
    """A value as a message quotes it: short, and in YAML's words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value}"' if len(value) <= 40 else f'the text "{value[:37]}…"'
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, Mapping):
        return "a map"
    return "a list" if isinstance(value, (list, tuple)) else repr(value)
