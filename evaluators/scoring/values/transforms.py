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
from decimal import ROUND_HALF_EVEN, Context, Decimal
from types import MappingProxyType
from typing import Any, Final, Literal, Self, TypeAlias

from msgspec import Struct
from pydantic import AliasChoices, ConfigDict, Field, model_validator

from evaluators.model.issues import problem
from evaluators.model.registry import suggestion
from evaluators.model.settings import Settings, bad, build, spell, under, word_or_map
from evaluators.scoring.values import json_text, text
from evaluators.scoring.values.patterns import replace_all
from evaluators.scoring.values.quoting import flow_text, quote

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
    reshapes: bool = False
    """It may make a list or an object of a value, or take one apart: fields below the place find what it makes."""

    def __hash__(self) -> int:
        return hash((self.name, self.apply, self.converts))  # parameters may hold what has no hash


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
    replacement: str = Field(validation_alias=AliasChoices("with", "replacement"))
    """What to put in its place: \\1 is the first group. Empty text removes what was found."""
    timeout_seconds: float = Field(1.0, gt=0, strict=True, allow_inf_nan=False)
    """How long one search may take."""

    @model_validator(mode="after")
    def _check_pattern(self) -> Self:
        """Raises ValueError where the pattern or the replacement is malformed."""
        replace_all(self.pattern, self.replacement, self.timeout_seconds)
        return self


class Split(Settings):
    """The parameters of `split`."""

    at: str = Field(strict=True, min_length=1)
    """What stands between the items, such as `","`, `"; "` or a line break."""

    @model_validator(mode="before")
    @classmethod
    def _check_at(cls, data: Any) -> Any:
        """Refuses a split without `at`, with the line to write."""
        if isinstance(data, Mapping) and "at" not in data:
            texts = [value for value in data.values() if isinstance(value, str) and value]
            raise bad(
                'split needs "at", which stands between the items', hint=_write_hint("split", {"at": (texts or [","])[0]})
            )
        return data


class ValueOf(Settings):
    """The parameters of `value_of`."""

    key: str = Field(strict=True, min_length=1)
    """The key under which the value stands, such as `value` in `{"value": "Oslo", "confidence": 0.9}`."""


class Kind(Struct, frozen=True):
    """A transform that `transforms:` can name: what it does, its parameters, and how it is made from them."""

    does: str
    parameters: type[Settings]
    make: Callable[[Any], Apply]
    converts: bool = False
    """There may be values that it takes and cannot change."""
    reshapes: bool = False
    """It may make a list or an object of a value, or take one apart."""


def parse_transform(data: object) -> Transform:
    """The transform that a word or a one-key map names.

    Raises BadSettings (a ValueError) for an unknown name, with the nearest known one, and for bad parameters.
    """
    if isinstance(data, Transform):
        return data
    _refuse_short_options(data)
    name, options = word_or_map(data, "transform")
    loc = () if isinstance(data, str) else (name,)
    kind = TRANSFORMS.get(name) or _REGISTERED.get(name)
    if kind is None:
        known = (*TRANSFORMS, *_REGISTERED)
        hint = suggestion(name, known) or f"known: {', '.join(known)}"
        raise bad(f'unknown transform "{name}"', *loc, hint=hint, key=bool(loc))
    with under(*loc):
        parameters = build(kind.parameters, options, noun=f'transform "{name}"')
        return Transform(name, kind.make(parameters), options, kind.converts, kind.reshapes)


def _refuse_short_options(data: object) -> None:
    """Refuses an option without its name, such as `split: ","`, with the line as it is written in full."""
    name, value = next(iter(data.items())) if isinstance(data, Mapping) and len(data) == 1 else ("", None)
    if name not in TRANSFORMS or value is None or isinstance(value, Mapping):
        return
    needed = [
        field.alias or key for key, field in TRANSFORMS[name].parameters.model_fields.items() if field.is_required()
    ]
    if len(needed) == 1:
        raise bad(
            f'the options of "{name}" must be a map; found {spell(value)}',
            name,
            hint=_write_hint(name, {needed[0]: value}),
        )


def _write_hint(name: str, options: Mapping[str, object]) -> str:
    """A hint to write a transform with these options, on one line."""
    return f"write {flow_text({name: options})[1:-1]}"


def add_transform(name: str, kind: Kind, *, overwrite: bool = False) -> None:
    """Adds a transform for this process to those that `transforms:` can name.

    Raises Problems (config) when the name ships with the package, or is taken and `overwrite` is not asked for.
    """
    if name in TRANSFORMS:
        raise problem("shadows-built-in", f'transform "{name}" ships with the package and cannot be replaced')
    if not overwrite and name in _REGISTERED:
        raise problem("name-taken", f'transform "{name}" is already registered', hint="overwrite=True replaces it")
    _REGISTERED[name] = kind


def registered_transforms() -> dict[str, Kind]:
    """The transforms that this program has added, by name."""
    return dict(_REGISTERED)


@contextmanager
def transforms_in_place(transforms: Mapping[str, Kind]) -> Iterator[None]:
    """Within the `with` block, these transforms are registered in this process, and no others: those that `registered_transforms` gave in
    another process."""
    before = registered_transforms()
    try:
        _REGISTERED.clear()
        _REGISTERED.update(transforms)
        yield
    finally:
        _REGISTERED.clear()
        _REGISTERED.update(before)


def chain(transforms: Iterable[Transform]) -> Apply | None:
    """One function that applies the transforms left to right; None where there are no transforms.

    It raises TransformError for a value that cannot be changed, and RowProblem when a time limit runs out.
    """
    steps = [transform.apply for transform in transforms]
    if len(steps) <= 1:
        return steps[0] if steps else None

    def apply(value: Any) -> Any:
        """The value after all steps."""
        for step in steps:
            value = step(value)
        return value

    return apply


def chain_of_expected(transforms: Iterable[Transform]) -> Apply | None:
    """One function that applies the transforms left to right to an expected value; a transform that does not take the value (NotTaken) is
    passed over. None where there are no transforms."""
    steps = [transform.apply for transform in transforms]
    if not steps:
        return None

    def apply(value: Any) -> Any:
        """The value after all steps; a step that does not take the value is passed over."""
        for step in steps:
            try:
                value = step(value)
            except NotTaken:
                continue
        return value

    return apply


def _on_text(name: str, change: Callable[[str], str]) -> Callable[[Settings], Apply]:
    """A function that makes the transform `name`, whatever its parameters. The transform applies `change` to a text, leaves null, and does
    not take other values."""

    def apply(value: Any) -> Any:
        """The changed text; null stays. Raises NotTaken for anything else."""
        if value.__class__ is str:
            return change(value)
        if value is None:
            return None
        raise NotTaken(f"{name} takes text; found {quote(value)}")

    return lambda _: apply


def _sort_tokens(value: str) -> str:
    """The words of a text in the order of their letters."""
    return " ".join(sorted(value.split()))


def _make_rounding(parameters: RoundDigits) -> Apply:
    """A transform that rounds numbers half to even, as decimals; whole numbers as Python rounds them."""
    digits = parameters.digits

    def apply(value: Any) -> Any:
        """The number, rounded; null stays. Raises NotTaken for anything else, and where the result is too large for a float."""
        if value is None:
            return None
        if value.__class__ is int:
            return round(value, digits)
        if value.__class__ is not float:
            raise NotTaken(f"round_digits takes a number; found {quote(value)}")
        if not math.isfinite(value):
            return value
        rounded = float(_decimal_of(value).quantize(Decimal((0, (1,), -digits)), ROUND_HALF_EVEN, _ROOM))
        if not math.isfinite(rounded):
            raise NotTaken(f"round_digits cannot round {quote(value)} to {digits} digits")
        return rounded

    return apply


_ROOM: Final = Context(prec=1000)
"""Digits enough for any float, rounded to any number of digits."""


def _decimal_of(number: float) -> Decimal:
    """The decimal that a person would write for a float, such as 2.675, for which the float is a little less."""
    return Decimal(repr(number))


def _make_conversion(parameters: TypeConvert) -> Apply:
    """A transform that converts values to the type of `parameters`. One that cannot be converted raises TransformError."""
    convert, wanted = _CONVERSIONS[parameters.to]

    def apply(value: Any) -> Any:
        """The value in the type; null stays."""
        if value is None:
            return None
        try:
            return convert(value)
        except (ValueError, OverflowError, TypeError, LookupError) as error:
            raise TransformError(f"type_convert cannot make {wanted} of {quote(value)}") from error

    return apply


def _to_float(value: Any) -> float:
    """A value as a finite float, as Python reads it. Raises ValueError, OverflowError or TypeError where it is none."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _to_text(value: Any) -> str:
    """A value as text: a float without an exponent, a boolean as JSON writes it. Raises TypeError for a list or an object."""
    if isinstance(value, dict | list):
        raise TypeError(value)
    if isinstance(value, float) and math.isfinite(value):
        return format(_decimal_of(value) + 0, "f").removesuffix(".0")
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _to_whole(value: Any) -> int:
    """A value as a whole number: of a float, without its decimals; of any other value, as `int` reads it. Raises ValueError, OverflowError
    or TypeError."""
    return int(_decimal_of(value)) if isinstance(value, float) and math.isfinite(value) else int(value)


def _to_boolean(value: Any) -> bool:
    """A value as a boolean: true, false, 1 and 0, also as texts. Raises KeyError or TypeError for any other value."""
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}[value.strip().lower()]
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise TypeError(value)


_CONVERSIONS: Final[Mapping[str, tuple[Apply, str]]] = {
    "float": (_to_float, "a number"),
    "int": (_to_whole, "a whole number"),
    "str": (_to_text, "text"),
    "bool": (_to_boolean, "true or false"),
}
"""What a value can be converted to: the function, and the word for what was wanted."""


def _make_replacement(parameters: RegexReplace) -> Apply:
    """A transform that puts a text wherever a pattern is found."""
    replace = replace_all(parameters.pattern, parameters.replacement, parameters.timeout_seconds)
    return _on_text("regex_replace", replace)(parameters)


def _make_splitting(parameters: Split) -> Apply:
    """A transform that splits a text into a list of its parts, without spaces around them and without empty ones."""
    at = parameters.at

    def apply(value: Any) -> Any:
        """The parts of a text; any other value as it is."""
        if value.__class__ is not str:
            return value
        return [item for part in value.split(at) if (item := part.strip())]

    return apply


def _parse_json_text(value: Any) -> Any:
    """The JSON value that a text holds; other values stay. Raises TransformError for a text that is not JSON."""
    if value.__class__ is not str:
        return value
    try:
        return json_text.parse(value)
    except json_text.NotJSON as error:
        raise TransformError(f"json cannot read {quote(value)}: {error}") from error


def _unwrap_only_item(value: Any) -> Any:
    """The only item of a list, however deep it is in lists of one; other values stay."""
    while value.__class__ is list and len(value) == 1:
        value = value[0]
    return value


def _make_key_lookup(parameters: ValueOf) -> Apply:
    """A transform that takes the value at a key of an object; an object without the key, and any other value, stays."""
    key = parameters.key

    def apply(value: Any) -> Any:
        """The value at the key; a value without it stays."""
        return value.get(key, value) if value.__class__ is dict else value

    return apply


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
            "A number is rounded, as it is written, to so many decimals; halves go to the even digit: 2.675 becomes 2.68.",
            RoundDigits,
            _make_rounding,
        ),
        "type_convert": Kind(
            "The value becomes a float, an int, a str (text: 12.0 becomes 12) or a bool.",
            TypeConvert,
            _make_conversion,
            converts=True,
        ),
        "regex_replace": Kind(
            "Every place that a pattern finds is replaced with another text.", RegexReplace, _make_replacement
        ),
        "split": Kind(
            "A text becomes the list of what stands between separators, without spaces around; empty parts are no items.",
            Split,
            _make_splitting,
            reshapes=True,
        ),
        "json": Kind(
            "A text is read as JSON, and compared as what it says; other values stay.",
            Settings,
            lambda _: _parse_json_text,
            converts=True,
            reshapes=True,
        ),
        "unwrap": Kind(
            "A list of one item becomes the item, however many such lists stand around it; other values stay.",
            Settings,
            lambda _: _unwrap_only_item,
            reshapes=True,
        ),
        "value_of": Kind(
            "An object becomes the value at one of its keys, as where a confidence stands beside it; other values stay.",
            ValueOf,
            _make_key_lookup,
            reshapes=True,
        ),
    }
)
"""Every transform that ships with the package, in the order in which they are listed."""
_REGISTERED: Final[dict[str, Kind]] = {}
