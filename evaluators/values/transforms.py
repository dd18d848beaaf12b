"""Transforms: small changes made to both values of a field before they are compared.

Strategy: a table of functions from value to value, each with the parameters it takes. Null passes through every
transform. A value of a kind that a transform does not take (`NotTaken`), and one that it cannot convert, is a
`TransformError`. Transforms run left to right.

On the expected side a transform leaves what it does not take as it is: a number has no spaces to strip. One that it
cannot convert is a problem of the test set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, Literal, Self, TypeAlias

from msgspec import Struct
from pydantic import ConfigDict, Field, model_validator

from evaluators.issues import problem
from evaluators.registry import suggestion
from evaluators.settings import Settings, bad, build, under, word_or_map
from evaluators.values import text
from evaluators.values.patterns import replace_all
from evaluators.values.quoting import quote

Apply: TypeAlias = Callable[[Any], Any]


class TransformError(Exception):
    """A value that a transform cannot change. The message says which value and why."""


class NotTaken(TransformError):
    """A value of a kind that a transform does not take."""


class Transform(Struct, frozen=True):
    """One transform, ready to apply."""

    name: str
    apply: Apply
    parameters: Mapping[str, object] = {}
    converts: bool = False
    """There may be values that it takes and cannot change."""

    def __hash__(self) -> int:
        return hash((self.name, self.apply, self.converts))


class AnyParameters(Settings):
    """The parameters of a transform that checks them itself."""

    model_config = ConfigDict(extra="allow")


class RoundDigits(Settings):
    """The parameters of `round_digits`."""

    digits: int = Field(strict=True, ge=-400, le=400)
    """How many decimals stay. -2 rounds to hundreds."""


class TypeConvert(Settings):
    """The parameters of `type_convert`."""

    to: Literal["float", "int", "str", "bool"]
    """What the value becomes."""


class RegexReplace(Settings):
    """The parameters of `regex_replace`."""

    pattern: str
    """The pattern to look for."""
    replacement: str = Field(alias="with")
    """What to put in its place: \\1 is the first group. Empty text removes what was found."""
    timeout_seconds: float = Field(1.0, gt=0, strict=True, allow_inf_nan=False)
    """How long one search may take."""

    @model_validator(mode="after")
    def _well_formed(self) -> Self:
        replace_all(self.pattern, self.replacement, self.timeout_seconds)
        return self


class Kind(Struct, frozen=True):
    """A transform that `transforms:` can name: what it does, its parameters, and how it is made from them."""

    does: str
    parameters: type[Settings]
    make: Callable[[Any], Apply]
    converts: bool = False
    """There may be values that it takes and cannot change."""


def parse_transform(data: object) -> Transform:
    """The transform that a word or a one-key map names.

    Raises BadSettings (a ValueError) for an unknown name, with the nearest known one, and for bad parameters.
    """
    if isinstance(data, Transform):
        return data
    name, options = word_or_map(data, "transform")
    loc = () if isinstance(data, str) else (name,)
    kind = TRANSFORMS.get(name) or _REGISTERED.get(name)
    if kind is None:
        known = (*TRANSFORMS, *_REGISTERED)
        hint = suggestion(name, known) or f"known: {', '.join(known)}"
        raise bad(f'unknown transform "{name}"', *loc, hint=hint, key=bool(loc))
    with under(*loc):
        parameters = build(kind.parameters, options, noun=f'transform "{name}"')
        return Transform(name, kind.make(parameters), options, kind.converts)


def add_transform(name: str, kind: Kind, *, overwrite: bool = False) -> None:
    """Add a transform for this process.

    Raises Problems (config) when the name ships with the package, or is taken and `overwrite` is not asked for.
    """
    if name in TRANSFORMS:
        raise problem("shadows-built-in", f'transform "{name}" ships with the package and cannot be replaced')
    if not overwrite and name in _REGISTERED:
        raise problem("name-taken", f'transform "{name}" is already registered', hint="overwrite=True replaces it")
    _REGISTERED[name] = kind


def registered_transforms() -> dict[str, Kind]:
    """What this program has added, by name."""
    return dict(_REGISTERED)


@contextmanager
def transforms_in_place(transforms: Mapping[str, Kind]) -> Iterator[None]:
    """Inside, what was added in this process is what `registered_transforms` gave in another one."""
    before = registered_transforms()
    try:
        _REGISTERED.clear()
        _REGISTERED.update(transforms)
        yield
    finally:
        _REGISTERED.clear()
        _REGISTERED.update(before)


def chain(transforms: Iterable[Transform]) -> Apply | None:
    """One function that applies the transforms left to right; None without any.

    It raises TransformError for a value that cannot be changed, and RowProblem when a time limit runs out.
    """
    steps = [transform.apply for transform in transforms]
    if len(steps) <= 1:
        return steps[0] if steps else None

    def apply(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return apply


def chain_of_expected(transforms: Iterable[Transform]) -> Apply | None:
    """The chain for expected values: a transform leaves a value that it does not take as it is. None without any."""
    steps = [transform.apply for transform in transforms]
    if not steps:
        return None

    def apply(value: Any) -> Any:
        for step in steps:
            try:
                value = step(value)
            except NotTaken:
                continue
        return value

    return apply


def _on_text(name: str, change: Callable[[str], str]) -> Callable[[Settings], Apply]:
    def apply(value: Any) -> Any:
        if value.__class__ is str:
            return change(value)
        if value is None:
            return None
        raise NotTaken(f"{name} takes text; found {quote(value)}")

    return lambda _: apply


def _sort_tokens(value: str) -> str:
    return " ".join(sorted(value.split()))


def _rounding(parameters: RoundDigits) -> Apply:
    digits = parameters.digits

    def apply(value: Any) -> Any:
        if value is None:
            return None
        if value.__class__ is not int and value.__class__ is not float:
            raise NotTaken(f"round_digits takes a number; found {quote(value)}")
        try:
            return round(value, digits)
        except OverflowError as error:
            raise NotTaken(f"round_digits cannot round {quote(value)} to {digits} digits") from error

    return apply


def _converting(parameters: TypeConvert) -> Apply:
    convert, wanted = _CONVERSIONS[parameters.to]

    def apply(value: Any) -> Any:
        if value is None:
            return None
        try:
            return convert(value)
        except (ValueError, OverflowError, TypeError, LookupError) as error:
            raise TransformError(f"type_convert cannot make {wanted} of {quote(value)}") from error

    return apply


def _to_float(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _to_text(value: Any) -> str:
    if isinstance(value, dict | list):
        raise TypeError(value)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _to_boolean(value: Any) -> bool:
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}[value.strip().lower()]
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise TypeError(value)


_CONVERSIONS: Final[Mapping[str, tuple[Apply, str]]] = {
    "float": (_to_float, "a number"),
    "int": (int, "a whole number"),
    "str": (_to_text, "text"),
    "bool": (_to_boolean, "true or false"),
}
"""What a value can be converted to: the function, and the word for what was wanted."""


def _replacing(parameters: RegexReplace) -> Apply:
    replace = replace_all(parameters.pattern, parameters.replacement, parameters.timeout_seconds)
    return _on_text("regex_replace", replace)(parameters)


_OF_TEXT: Final[Mapping[str, tuple[str, Callable[[str], str]]]] = {
    "lowercase": ("Upper-case letters become lower-case.", str.lower),
    "casefold": ("Case is set aside in every script: ß becomes ss.", str.casefold),
    "strip": ("Spaces and line breaks at both ends go.", str.strip),
    "normalize_whitespace": (
        "Every run of spaces and line breaks becomes one space, and those at the ends go.", text.collapse_whitespace
    ),
    "sort_tokens": ("The words are put in alphabetical order, so that their order does not count.", _sort_tokens),
    "strip_accents": ("é becomes e. ø and ł stay.", text.strip_accents),
    "remove_punctuation": (
        "Marks such as . , ; : ! ? ( ) - ' go. Signs such as + = $ stay, and so does text made only of marks.",
        text.without_punctuation,
    ),
}  # fmt: skip

TRANSFORMS: Final[Mapping[str, Kind]] = MappingProxyType(
    {name: Kind(does, Settings, _on_text(name, change)) for name, (does, change) in _OF_TEXT.items()}
    | {
        "round_digits": Kind(
            "A number is rounded to so many decimals; halves go to the even digit.", RoundDigits, _rounding
        ),
        "type_convert": Kind(
            "The value becomes a float, an int, a str (text) or a bool.", TypeConvert, _converting, converts=True
        ),
        "regex_replace": Kind(
            "Every place that a pattern finds is replaced with another text.", RegexReplace, _replacing
        ),
    }
)
"""Every transform that ships with the package, in the order in which they are listed."""
_REGISTERED: Final[dict[str, Kind]] = {}
