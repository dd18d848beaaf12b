"""Paths and transforms as settings spell them. What is malformed is a bad setting with its place."""

from __future__ import annotations

from collections.abc import Mapping

from evaluators.settings import BadSettings, Detail, bad, read_each, spell
from evaluators.values.paths import BadPath, Path
from evaluators.values.paths import parse as parse_path
from evaluators.values.transforms import Transform, parse_transform


def read_path(spelled: object) -> Path:
    """A path in any of the three spellings. A malformed one is a bad setting with its position."""
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
    """A list of transforms, applied left to right."""
    if isinstance(data, str):
        raise bad(f"transforms must be a list; found {spell(data)}", hint=f"write transforms: [{data}]")
    if not isinstance(data, (list, tuple)):
        raise bad(f"transforms must be a list; found {spell(data)}")
    return read_each(enumerate(data), _read_transform)


def _read_transform(index: int, item: object) -> Transform:
    try:
        return parse_transform(item)
    except BadSettings:
        raise
    except ValueError as error:
        message, _, hint = str(error).partition("\nhint: ")
        raise bad(message, hint=hint or None) from error
