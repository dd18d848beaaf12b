"""How evaluators and their fields become names: columns of tables, and metrics of platforms.

A column is called as the evaluator and the path are, `header.items[*].price`; `flat_columns` is the one home of these names.

Platforms refuse `[`, `*`, `$` and more in names. So a name holds letters, digits, `_`, `-` and single spaces, parts of a path
are joined by `.`, and `/` stands between what a metric is about. Two different paths never get the same name:

- `[*]` is `.each` and `[3]` is `.item-3`: `items[*].price` becomes `items.each.price`.
- Any other character of a key is written by its number: `net.price` as one key becomes `net_-2e_price`. So is the first character
  of a key that is called like a word of this list (`each`, `item-3`, `as-pointer`, `as-path`), and a `_` before a `-`.
- An empty key is `_-_`.
- A JSON Pointer begins with `as-pointer.`; a path that is not written as reports spell it, a query among them, with `as-path.`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from evaluators.reports.csv_cells import guard_cell
from evaluators.runs.overall import OVERALL
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.path_text import ANY, BadPath, Step, display, read_dots

_RESERVED: Final = late_pattern(r"each|item--?[0-9]+|as-pointer|as-path")
_EMPTY: Final = "_-_"


def flat_columns(
    evaluators: Iterable[tuple[str, Sequence[str]]],
    ends: Sequence[str],
    *,
    listing: Sequence[str] = (),
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> tuple[str, ...]:
    """The columns of a table of rows: those of `before` and `after`, and between them those of the evaluators and their fields.

    Of each evaluator there are `NAME.END` for the `ends`, and where it lists fields for the ends that are `listing`, too; then for
    each field `NAME.FIELD`, what became of it, and `NAME.FIELD.score`. A name that is there already gets a number: `header.score (2)`.
    """
    wanted = list(before)
    for name, fields in evaluators:
        wanted += [f"{name}.{end}" for end in (*ends, *(listing if fields else ()))]
        wanted += [column for path in fields for column in (f"{name}.{path}", f"{name}.{path}.score")]
    names: dict[str, str] = {}
    for name in (*wanted, *after):
        free, number = name, 1
        while guard_cell(free) in names:  # the way in which a file of cells has it
            number += 1
            free = f"{name} ({number})"
        names[guard_cell(free)] = free
    return tuple(names.values())


def score_name(evaluator: str | None, path: str | None = None) -> str:
    """The name of a row's score on platforms: `overall`, `header`, or `header/field/items.each.price` for a field.

    Two evaluators or paths never share one.
    """
    whole = OVERALL if evaluator is None else segment(evaluator)
    return whole if path is None else f"{whole}/field/{field_name(path)}"


@lru_cache(maxsize=4096)
def segment(text: str) -> str:
    """A text as a part of a score's name on platforms, with marks that these do not take escaped: `_-` and the number of the letter.

    It is a key, or the name of an evaluator, a variant, a column or a value.
    """
    if not text:
        return _EMPTY
    reserved = _RESERVED.fullmatch(text) is not None
    return "".join(
        letter if _is_plain(text, index) and not (reserved and index == 0) else f"_-{ord(letter):x}_"
        for index, letter in enumerate(text)
    )


@lru_cache(maxsize=4096)
def field_name(path: str) -> str:
    """The name of a field, from its path as results spell it."""
    if path.startswith("/"):
        return _join("as-pointer", path[1:].split("/"))
    steps = _steps(path)
    return _join("as-path", path.split(".")) if steps is None else ".".join(map(_step_name, steps))


def fit_name(name: str, most: int) -> str:
    """The name in at most `most` characters: one that is longer ends in `_-cut-` and a checksum of the whole.

    No name that is short enough as it is ends like that, because `_-` is always followed by a number.
    """
    if len(name) <= most:
        return name
    mark = f"_-cut-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return name[: most - len(mark)] + mark


def _is_plain(text: str, index: int) -> bool:
    """Whether the character at this index of a name may stay as it is.

    A space may not be first or last, and `_` may not be followed by `-`, with which a replaced character begins.
    """
    letter = text[index]
    if letter == "_":
        return text[index + 1 : index + 2] != "-"
    if letter == " ":
        return 0 < index < len(text) - 1
    return letter.isalnum() or letter == "-"


def _steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path that is spelt as reports spell it; None for any other text."""
    try:
        steps, _ = read_dots(path)
    except BadPath:
        return None
    return steps if steps and display(steps) == path else None


def _step_name(step: Step) -> str:
    """The part of a name for one step of a path: a key, `each` for all items of a list, `item-3` for one."""
    if step is ANY:
        return "each"
    return segment(step) if isinstance(step, str) else f"item-{step}"


def _join(word: str, parts: Iterable[str]) -> str:
    """A name of a first word, as it is, and of further parts, escaped as `segment` does."""
    return ".".join([word, *map(segment, parts)])


def row_name(number: int, id: str, variant: str | None = None) -> str:
    """A row as lists name it, `row 7 (INV-7), variant gpt`; an id that is the number itself is left out."""
    named = "" if id in ("", str(number)) else f" ({id})"
    return f"row {number}{named}{f', variant {variant}' if variant else ''}"
