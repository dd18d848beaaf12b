"""YAML written by models and schema authors: read as plain data, trusting nothing.

This door to PyYAML is for texts that are judged, or that hold a schema; a suite's own YAML, in which every value knows
its line, has a door of its own. The parser's events are looked at first, because they cost the same whatever the text
claims to hold: nesting that is too deep, aliases that multiply, and a second document are refused before anything is
built. Then the safe loader builds the data; it makes plain values only and runs nothing.

Words mean what they mean in JSON: only `true` and `false` are booleans, numbers are decimal and without leading zeros,
and dates stay text.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

MAX_DEPTH: Final = 100
"""Maps and lists inside each other."""
_TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels"
MAX_COPIES: Final = 10_000
"""Values that aliases may add to a text."""

_SAFE: Final[Any] = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_TAGGED_WRONGLY: Final = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
"""What the loader raises for a word that does not go with its tag, as in `!!int x`."""


class NotYAML(ValueError):
    """The text is not YAML, or not YAML that is safe to read. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return self.message if self.line is None else f"{self.message} at line {self.line}, column {self.column}"


class _Loader(_SAFE):  # type: ignore[misc]  # one of two classes, by what is installed
    """The safe loader, with JSON's words."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _words, _first in (
    ("null", r"(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"(?:true|false)$", ["t", "f"]),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
    ("merge", r"<<$", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_words), _first)


def load_untrusted(text: str) -> Any:
    """The data that the text holds. Raises NotYAML, and nothing else."""
    try:
        _refuse_unsafe(text)
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        problem = error.problem or error.context or "not YAML"
        raise _error_at(error.problem_mark, _TOO_DEEP if "nesting depth" in problem else problem) from None
    except (yaml.YAMLError, UnicodeError):
        raise NotYAML("a character that YAML does not allow") from None
    except NotYAML:
        raise
    except _TAGGED_WRONGLY:
        raise NotYAML("a value does not go with its tag") from None


def _refuse_unsafe(text: str) -> None:
    """Raises NotYAML for a text that is dangerous or ambiguous to build: too deep, aliases that multiply or hold themselves, a
    second document."""
    open_: list[tuple[str | None, int]] = []
    """Of each map and list that has not ended: its anchor, and the values in it so far, itself included."""
    sizes: dict[str, int | None] = {}
    """By anchor: how many values it stands for; None while what it stands for is open, so an alias inside itself is refused."""
    copies = documents = 0
    for event in yaml.parse(text, Loader=_SAFE):
        anchor, size = None, 0
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _error_at(event.start_mark, "a second document starts")
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(open_) == MAX_DEPTH:
                raise _error_at(event.start_mark, _TOO_DEEP)
            open_.append((event.anchor, 1))
            if event.anchor:
                sizes[event.anchor] = None
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_.pop()
        elif isinstance(event, yaml.AliasEvent):
            size = _size_of(event, sizes)
            copies += size
            if copies > MAX_COPIES:
                raise _error_at(event.start_mark, "aliases that multiply")
        elif isinstance(event, yaml.ScalarEvent):
            anchor, size = event.anchor, 1
        if anchor:
            sizes[anchor] = size
        if open_:
            outer, count = open_[-1]
            open_[-1] = outer, count + size


def _size_of(event: yaml.AliasEvent, sizes: dict[str, int | None]) -> int:
    """The number of values that an alias stands for. Raises NotYAML where its anchor is unknown, or holds the alias itself."""
    name = str(event.anchor)
    if name not in sizes:
        raise _error_at(event.start_mark, f'the alias "*{name}" stands for nothing')
    size = sizes[name]
    if size is None:
        raise _error_at(event.start_mark, f'the alias "*{name}" is inside what it stands for')
    return size


def _error_at(mark: Any, message: str) -> NotYAML:
    """The error with the line and column of a mark of the parser; without a mark, the message alone."""
    return NotYAML(message, mark.line + 1, mark.column + 1) if mark else NotYAML(message)
