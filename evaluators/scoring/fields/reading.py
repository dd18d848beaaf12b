"""Paths, transforms and alignments, read from settings. What is malformed is a bad setting with its place.

An alignment says how the items of two lists are paired (see `pairing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from evaluators.model.limits import LIST_CELLS
from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, bad, read_each, spell, under, word_or_map
from evaluators.scoring.values.paths import BadPath, Path
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.scoring.values.transforms import Transform, parse_transform


def read_path(spelled: object) -> Path:
    """The path that a text or a number spells, in any of the three spellings. Raises BadSettings for a malformed one, with its position."""
    if isinstance(spelled, int) and not isinstance(spelled, bool):
        spelled = str(spelled)
    if not isinstance(spelled, str):
        hint = "paths with comparators are a map: take the dashes away" if isinstance(spelled, Mapping) else None
        raise BadSettings([Detail((), f"a path is text; found {spell(spelled)}", hint, key=True, code="bad-path")])
    try:
        return parse_path(spelled)
    except BadPath as error:
        place = f" at character {error.position + 1}" if error.position is not None else ""
        message = f'malformed path "{spelled}": {error.message}{place}'
        raise BadSettings([Detail((), message, error.hint, key=True, code="bad-path")]) from error


def read_transforms(data: object) -> tuple[Transform, ...]:
    """The transforms of a list, which are applied left to right. Raises BadSettings with all mistakes."""
    if isinstance(data, str):
        raise bad(f"transforms must be a list; found {spell(data)}", hint=f"write transforms: [{data}]")
    if not isinstance(data, (list, tuple)):
        raise bad(f"transforms must be a list; found {spell(data)}")
    return read_each(enumerate(data), _read_transform)


def _read_transform(index: int, item: object) -> Transform:
    """Reads one transform. Raises BadSettings also for an error of a value, whose message may end with a line of its own for the hint."""
    try:
        return parse_transform(item)
    except BadSettings:
        raise
    except ValueError as error:
        message, _, hint = str(error).partition("\nhint: ")
        raise bad(message, hint=hint or None) from error


AlignHow: TypeAlias = Literal["ordered", "any_order", "key_field", "hungarian"]
ALIGNMENTS: Final = get_args(AlignHow)


class Align(Struct, frozen=True, dict=True):
    """How the items of two lists are paired."""

    how: AlignHow = "ordered"
    keys: tuple[Path, ...] = ()
    """Under `key_field`: the paths, inside an item, of what identifies it."""
    transforms: tuple[Transform, ...] = ()
    """What is done to a key before keys are compared."""
    keyless: Literal["ordered", "apart"] = "ordered"
    """Items without a key are paired with each other in list order, or with nothing."""
    at_least: Fraction | None = None
    """Under `hungarian`: the F1 that a pair needs."""
    ask: Literal["leftover"] | None = None
    """Under `hungarian`: about which items comparators that cost may be asked."""
    cells: int | None = None
    """Under `any_order` and `hungarian`: the most cells (see `pairing`) up to which each item is compared with each."""
    unique: bool = False
    """Under `any_order`: items of a list that are the same count once."""

    @property
    def key(self) -> str | None:
        """How the key is spelled; None without one."""
        spelled = [path.canonical for path in self.keys]
        return spelled[0] if len(spelled) == 1 else f"[{', '.join(spelled)}]" if spelled else None

    @cached_property
    def rule(self) -> str:
        """The alignment and its settings, as a person reads them."""
        if self.how == "key_field":
            return f"key_field {self.key}"
        least = [] if self.at_least is None else [f"at_least: {float(self.at_least):g}"]
        most = [] if self.cells is None else [f"cells: {self.cells}"]
        once = ["unique: true"] if self.unique else []
        options = ", ".join([*once, *least, *([f"ask: {self.ask}"] if self.ask else []), *most])
        return f"{self.how} {{{options}}}" if options else self.how

    @property
    def least_f1(self) -> Fraction:
        """The F1 that a pair needs."""
        return Fraction(1) if self.how == "any_order" else self.at_least or Fraction(0)

    @property
    def free(self) -> bool:
        """Whether any item may be paired with any other."""
        return self.how in ("any_order", "hungarian")


def read_align(data: object) -> Align:
    """The alignment that is written as `ordered`, `any_order`, `hungarian`, `{hungarian: {at_least: 0.5, ask: leftover}}`, or `{key_field:
    {key: …}}`. Raises BadSettings."""
    name, options = word_or_map(data, "alignment")
    loc = (name,) if isinstance(data, Mapping) else ()
    how = next((known for known in ALIGNMENTS if known == name), None)
    if how is None:
        hint = (
            f"write align: {AS_A_SET}"
            if name in ("set", "unique")
            else suggestion(name, ALIGNMENTS) or f"known: {', '.join(ALIGNMENTS)}"
        )
        raise bad(f'unknown alignment "{name}"', *loc, hint=hint, key=bool(loc))
    readers = _OPTIONS[how]
    if options and not readers:
        raise bad(f'alignment "{how}" takes no options', *loc, hint=f"write align: {how}")
    if how == "key_field" and "key" not in options:
        raise bad('alignment "key_field" needs "key"', *loc, hint="write key_field: {key: sku}")

    def read(option: str, value: object) -> tuple[str, Any]:
        """The attribute of `Align` that an option sets, and its value. Raises BadSettings."""
        if option not in readers:
            hint = suggestion(option, readers) or f"known: {', '.join(readers)}"
            message = f'unknown setting "{option}" for alignment "{how}"'
            raise BadSettings([Detail((), message, hint, key=True, code="unknown-setting")])
        return "keys" if option == "key" else option, readers[option](value)

    with under(*loc):
        return Align(how, **dict(read_each(options.items(), read)))


AS_A_SET: Final = "{any_order: {unique: true}}"
"""How lists are compared as sets."""


def _read_unique(value: object) -> bool:
    """Reads the setting `unique` of an alignment, true or false. Raises BadSettings."""
    if not isinstance(value, bool):
        raise bad(f"unique must be true or false; found {spell(value)}", hint="true: items that are the same count once")
    return value


def _read_cells(value: object) -> int:
    """Reads the setting `cells` of an alignment, a whole number above 0. Raises BadSettings."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        hint = f"it is {LIST_CELLS:,} unless the suite says otherwise: items × items × values of an item"
        raise bad(f"cells must be a whole number above 0; found {spell(value)}", hint=hint)
    return value


def _read_leftover(value: object) -> str:
    """Reads the setting `ask` of an alignment, whose only value is `leftover`. Raises BadSettings."""
    if value != "leftover":
        hint = "leftover asks a judge about items that other comparators could not pair; without it nobody is asked"
        raise bad(f"ask must be leftover; found {spell(value)}", hint=hint)
    return "leftover"


def _read_share(value: object) -> Fraction:
    """Reads the setting `at_least` of an alignment, above 0 and at most 1, as an exact fraction of the decimal. Raises BadSettings."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
        hint = "0.5: at least half of the items' fields agree"
        raise bad(f"at_least must be a number above 0, at most 1; found {spell(value)}", hint=hint)
    return Fraction(str(value))


def _read_keyless(value: object) -> str:
    """Reads the setting `keyless` of an alignment: `ordered` or `apart`. Raises BadSettings."""
    if value not in ("ordered", "apart"):
        hint = "ordered pairs items without a key in list order; apart pairs them with nothing"
        raise bad(f"keyless must be ordered or apart; found {spell(value)}", hint=hint)
    return str(value)


def _read_key_paths(data: object) -> tuple[Path, ...]:
    """Reads the paths of an alignment's key: one, or a list of several. Raises BadSettings with all mistakes: a path that may be at several
    places in an item, one that is named twice, or none at all."""
    listed = isinstance(data, (list, tuple))
    paths: list[Path] = []
    details: list[Detail] = []
    for index, spelled in enumerate(data if isinstance(data, (list, tuple)) else [data]):
        loc = (index,) if listed else ()
        try:
            path = read_path(spelled)
        except BadSettings as error:
            details.extend(detail.under(*loc) for detail in error.details)
            continue
        if not path.definite:
            details.append(Detail(loc, f'the key "{path.canonical}" must be one place in an item'))
        elif path in paths:
            details.append(Detail(loc, f'the key names "{path.canonical}" twice', "name each place once"))
        paths.append(path)
    if details:
        raise BadSettings(details)
    if not paths:
        raise bad("key must name at least one path", hint="write key: sku, or key: [order, line]")
    return tuple(paths)


_OPTIONS: Final[Mapping[AlignHow, Mapping[str, Callable[[Any], Any]]]] = {
    "ordered": {},
    "any_order": {"unique": _read_unique, "cells": _read_cells},
    "key_field": {"key": _read_key_paths, "transforms": read_transforms, "keyless": _read_keyless},
    "hungarian": {"at_least": _read_share, "ask": _read_leftover, "cells": _read_cells},
}
"""The reader of each option of an alignment."""
