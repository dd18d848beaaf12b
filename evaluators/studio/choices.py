"""The menus of the page: comparators, evaluators and alignments, and which of their settings a form can show.

What there is to choose comes from the catalogue, and the settings from their models. Only the plain words stand here: a comparator of
somebody else's is called by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from evaluators.model.settings import READ_AS
from evaluators.reports.catalog import entries
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.fields.reading import ALIGNMENTS
from evaluators.scoring.judges.judged_comparator import any_comparator
from evaluators.studio.messages import Choice, Option

_WORDS: Final[Mapping[str, str]] = {
    "exact": "same value", "normalized": "same text, give or take case, accents and spacing", "numeric": "same number, within …",
    "date": "same day", "fuzzy": "nearly the same text", "boolean": "both true or both false", "one_of": "one of …",
    "regex": "fits a pattern", "semantic": "means the same, says a judge", "url": "same web address",
}  # fmt: skip
_ALIGNMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "ordered": ("one by one, in order", "The first item is compared with the first, the second with the second."),
    "any_order": ("in any order", "Equal items are paired, wherever they stand."),
    "key_field": ("in any order, matched by a key", "Items with the same key are paired: an article by its number."),
    "hungarian": ("in any order, the most alike together", "Items are paired so that the most values agree."),
}
_NOT_IN_FORMS: Final = frozenset({"type", "fields", "transforms", "output", "expected", "at", "output_at"})
_INNER: Final = "."


@cache
def comparator_choices() -> tuple[Choice, ...]:
    """The menu of comparators: what each is called in plain words, what it does, and its settings that a form can show."""
    return tuple(
        Choice(
            entry.name, _WORDS.get(entry.name, entry.name), entry.does, entry.group, list(comparator_options(entry.name))
        )
        for entry in entries("comparators")
    )


@cache
def check_choices() -> tuple[Choice, ...]:
    """The menu of evaluators that can be added, each with its settings that a form can show; retired ones are left out."""
    shown = (entry for entry in entries("evaluators") if entry.retired is None)
    return tuple(
        Choice(entry.name, entry.name.replace("_", " "), entry.does, entry.group, list(check_options(entry.name)))
        for entry in shown
    )


def alignment_choices() -> tuple[Choice, ...]:
    """The menu of ways in which the items of two lists are paired."""
    return tuple(Choice(name, *_ALIGNMENTS[name], group="start here") for name in ALIGNMENTS)


@cache
def comparator_options(name: str) -> tuple[Option, ...]:
    """The settings of a comparator that a form can show."""
    return tuple(_options(any_comparator(name).model_json_schema()))


@cache
def check_options(type_: str) -> tuple[Option, ...]:
    """The settings of an evaluator type that a form can show."""
    return tuple(_options(BUILTIN.find(type_).model_json_schema()))


@cache
def lists_fields(type_: str) -> bool:
    """Whether an evaluator type has lines of fields, each with its comparator."""
    schema = BUILTIN.find(type_).model_json_schema()["properties"].get("fields", {})
    return any(part.get(READ_AS) == "fields" for part in (schema, *schema.get("anyOf", ())))


@cache
def takes_comparator(type_: str) -> bool:
    """Whether an evaluator type has a comparator for its cells."""
    return bool(BUILTIN.find(type_).model_json_schema()["properties"].get("compare", {}).get(READ_AS) == "comparator")


def shown_values(options: tuple[Option, ...], written: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """(values, left): the values that a form shows of the `written` settings, by the names of `options`, and how many settings it has no
    cell for, so that they are only in the text."""
    known = {option.name: option for option in options}
    shown: dict[str, Any] = {}
    left = 0
    for key, value in written.items():
        flat = (
            {f"{key}{_INNER}{name}": inner for name, inner in value.items()}
            if isinstance(value, Mapping)
            else {key: value}
        )
        for name, inner in flat.items():
            if name in known and _fits(known[name], inner):
                shown[name] = inner
            else:
                left += 1
    return shown, left


def nest_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a form as a suite writes them: `tolerance.abs` becomes the key `abs` in a map `tolerance`."""
    values: dict[str, Any] = {}
    for name, value in options.items():
        outer, mark, inner = name.partition(_INNER)
        if mark:
            values.setdefault(outer, {})[inner] = value
        else:
            values[name] = value
    return values


def _fits(option: Option, value: Any) -> bool:
    """Whether a form can show a value with an option: a switch needs true or false, a list only single values, and so on."""
    match option.kind:
        case "switch":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "choice":
            return value in option.choices
        case "text":
            return isinstance(value, str)
        case "list":
            return isinstance(value, list) and not any(
                isinstance(item, dict | list | bool) or item is None for item in value
            )


def _options(schema: Mapping[str, Any]) -> Iterator[Option]:
    """Yields the options of a form for the settings in a JSON Schema. A setting with settings of its own gives an option for each of them;
    settings that a form cannot show are left out."""
    models = schema.get("$defs", {})
    for name, part in schema.get("properties", {}).items():
        if name in _NOT_IN_FORMS or READ_AS in part:
            continue
        option = _option(name, part, part)
        if option is not None:
            yield option
            continue
        for branch in (part, *part.get("anyOf", ())):
            inner = models.get(str(branch.get("$ref", "")).rpartition("/")[2], {}).get("properties", {})
            if branch.get("$ref", "").endswith("/FromColumn"):
                continue
            inner_options = (_option(f"{name}{_INNER}{key}", setting, setting) for key, setting in inner.items())
            yield from (inner_option for inner_option in inner_options if inner_option is not None)


def _option(name: str, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Option | None:
    """The option for a setting of one value or of a list of them; None for others. `schema` is the setting's JSON Schema, or one branch of
    it, and `whole` the schema that has its description and default."""
    about: dict[str, Any] = {
        "meaning": " ".join(str(whole.get("description", "")).split()),
        "default": whole.get("default"),
    }
    if "anyOf" in schema:
        branches = (_option(name, branch, whole) for branch in schema["anyOf"])
        options = [branch for branch in branches if branch is not None]
        return min(options, key=lambda option: _ORDER.index(option.kind), default=None)
    if "enum" in schema:
        return Option(name, "choice", choices=[str(word) for word in schema["enum"]], **about)
    match schema.get("type"):
        case "boolean":
            return Option(name, "switch", **about)
        case "number" | "integer":
            return Option(name, "number", low=schema.get("minimum"), high=schema.get("maximum"), **about)
        case "string":
            return Option(name, "text", **about)
        case "array" if schema.get("items", {}).get("type") in ("string", "number", "integer"):
            return Option(name, "list", **about)
    return None


_ORDER: Final = ("choice", "switch", "number", "text", "list")
