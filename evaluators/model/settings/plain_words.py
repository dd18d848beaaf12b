"""Pydantic's complaints in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, get_args

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from evaluators.model.issues import Problems
from evaluators.model.registry import suggestion
from evaluators.model.settings.details import BadSettings, Detail, Loc, spell

_QUOTED: Final = "'([^']*)'"


def details_of(
    error: ValidationError, model: type[BaseModel], data: object, noun: str = "", also: tuple[str, ...] = ()
) -> list[Detail]:
    """Pydantic's errors in plain words, those of nested settings included. `data` is what was read by `model`.

    `noun` is what messages call the settings; `also` are names that suggestions know, too. A setting that is there under
    another name is one problem: it is unknown, and not missing as well.
    """
    items = list(_without_wrong_branches(error, data))
    misnamed = {
        (loc[:-1], _detail_of(item, loc, model, noun, also).hint)
        for item, loc in items
        if item["type"] == "extra_forbidden"
    }
    details: list[Detail] = []
    for item, loc in items:
        if item["type"] == "missing" and (loc[:-1], f'did you mean "{loc[-1]}"?') in misnamed:
            continue
        inner = item.get("ctx", {}).get("error")
        if isinstance(inner, BadSettings):
            details.extend(detail.under(*loc) for detail in inner.details)
        elif isinstance(inner, Problems):
            details.extend(Detail(loc, issue.message, issue.hint, code=issue.code) for issue in inner.issues)
        else:
            details.append(_detail_of(item, loc, model, noun, also))
    first: dict[Loc, Detail] = {}  # one complaint a place: a union repeats its complaint for every branch
    for detail in details:
        first.setdefault(detail.loc, detail)
    return list(first.values())


def setting_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The settings that a model takes, as users write them."""
    return tuple(spellings(name, info)[0] for name, info in model.model_fields.items() if name != "type")


def old_spellings(model: type[BaseModel]) -> dict[str, str]:
    """The other spellings of the settings of a model, each with today's word."""
    words: dict[str, str] = {}
    for name, info in model.model_fields.items():
        today, *others = spellings(name, info)
        words |= dict.fromkeys(others, today)
    return words


def spellings(name: str, info: FieldInfo) -> list[str]:
    """The spellings of a setting that users may write; today's word first."""
    alias = info.validation_alias
    if isinstance(alias, AliasChoices):
        return [str(word) for word in alias.choices]
    return [alias if isinstance(alias, str) else name]


_TYPES = {
    "string_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "model_attributes_type": "a map",
    "mapping_type": "a map",
}


_LIMITS: Final = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "greater_than": ("gt", "more than"),
    "less_than": ("lt", "less than"),
}


def _detail_of(item: dict[str, Any], loc: Loc, model: type[BaseModel], noun: str, also: tuple[str, ...]) -> Detail:
    """One of pydantic's errors in plain words. `loc` is its place in the settings, which are
    those of `model`. `noun` is what messages call the settings; `also` are further names at the top that suggestions know."""
    kind, context = str(item["type"]), item.get("ctx", {})
    name, ending = str(loc[-1]) if loc else "", f" for {noun}" if noun else ""
    if kind == "extra_forbidden":
        return _detail_of_unknown(
            name, loc, item.get("input"), _model_at(model, loc[:-1]), also if len(loc) == 1 else (), ending
        )
    if kind == "missing":
        return Detail(loc[:-1], f'"{name}" is missing{ending}', code="missing-setting", key=True)
    if kind in ("literal_error", "enum"):
        return _detail_of_word(name, loc, item.get("input"), str(context.get("expected", "")))
    if kind == "float_type" and isinstance(item.get("input"), int) and not isinstance(item["input"], bool):
        message = f"{_setting_text(loc, noun)} must be a number below 1e308; found {spell(item['input'])}"
        return Detail(loc, message, code="bad-value")
    if kind in _TYPES:
        return _detail_of_type(_setting_text(loc, noun), loc, item.get("input"), _TYPES[kind], item.get("wanted"))
    if kind in _LIMITS:
        key, words = _LIMITS[kind]
        message = f"{_setting_text(loc, noun)} must be {words} {context[key]}; found {spell(item.get('input'))}"
        return Detail(loc, message, _share_hint(item.get("input"), context.get("le")), code="bad-value")
    if kind in ("too_short", "string_too_short"):
        return Detail(loc, f"{_setting_text(loc, noun)} must not be empty", code="bad-value")
    if kind == "string_unicode":
        message = f"{_setting_text(loc, noun)} must be text in UTF-8; found {spell(item.get('input'))}"
        return Detail(loc, message, "give the file a name in UTF-8, or name the folder that it is in", code="bad-value")
    if kind == "value_error":
        message, _, hint = str(context.get("error", item["msg"])).partition("\nhint: ")
        return Detail(loc, message, hint or None, code="bad-value")
    return Detail(loc, f'"{name}": {item["msg"]}' if name else str(item["msg"]), code="bad-value")


def _setting_text(loc: Loc, noun: str) -> str:
    """The setting at a place, as messages call it."""
    if len(loc) > 1 and isinstance(loc[-1], int):
        return f'item {loc[-1] + 1} of "{loc[-2]}"'
    return f'"{loc[-1]}"' if loc else noun or "this"


def _detail_of_unknown(
    name: str, loc: Loc, value: object, model: type[BaseModel], also: tuple[str, ...], ending: str
) -> Detail:
    """The problem of a setting that does not exist: a second spelling, a forgotten space, a decimal comma, or a slip of the pen.

    `model` has the settings that exist, `also` further names; `ending` ends the message: ` for ` and what has the settings.
    """
    of_each = [spellings(setting, info) for setting, info in model.model_fields.items()]
    twins = next((words for words in of_each if name in words and len(words) > 1), [])
    if twin := next((word for word in twins if word != name), None):
        message = f'"{name}" and "{twin}" are the same setting'
        return Detail(loc, message, "keep one of them", key=True, code="same-setting")
    known = (*setting_names(model), *also)
    head, colon, rest = name.partition(":")
    if value is None and colon and head in known:
        message = f'a space is missing after the colon in "{name}"'
        return Detail(loc, message, f"write {head}: {rest}", key=True, code="unknown-setting")
    hint = (
        _hint_for_foreign(name, known, ending)
        or suggestion(name, known)
        or (f"known settings: {', '.join(known)}" if known else "it takes no settings")
    )
    if name == "case_sensitive" and value is True:
        hint = "leave it out: case counts here"
    if value is None and name.isdecimal():
        hint = "decimals have a point before them, not a comma, as in 0.9"
    return Detail(loc, f'unknown setting "{name}"{ending}', hint, key=True, code="unknown-setting")


_OTHER_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "threshold": ("pass_at", "at_least", "fail_below"),
    "min_score": ("pass_at", "at_least", "fail_below"),
    "min": ("fail_below",),
    "max": ("fail_above",),
    "value": ("substring", "substrings", "prefix", "suffix", "pattern"),
}
"""Words of other tools, each with the words that may be meant: the first one that is known here."""
_ELSEWHERE: Final[Mapping[str, str]] = {
    "slices": "slices are for the whole suite: write `slices: [row.COLUMN]` at the left edge, beside `evaluators:`",
    "measures": "measures are for the whole suite: write `measures:` at the left edge, beside `evaluators:`",
    "repeats": "repeats are for the whole suite: write `repeats: row.COLUMN` at the left edge, beside `evaluators:`",
    "gates": "gates are for the whole suite: write `gates:` at the left edge, beside `evaluators:`",
    "json_field": "field_match compares one field: - field_match: {json_field: NAME}; json_multi_field_match compares several",
}
"""Settings that people look for here, and that belong to other evaluators or to the suite."""
_WRITTEN: Final[Mapping[str, Mapping[str, str]]] = {
    "case_sensitive": {"forgive": "forgive: [case]", "case": "case: ignore"},
    "ignore_case": {"forgive": "forgive: [case]", "case_sensitive": "case_sensitive: false", "case": "case: ignore"},
}
"""Switches of other tools that forgive case, each with what is written in their place where a setting is known here."""
_OF_A_GATE: Final = {"field": "a gate on one field is written EVALUATOR.FIELD: {fail_below: 0.9}"}
"""Settings that people look for in a gate, and that are written otherwise."""


def _hint_for_foreign(name: str, known: Sequence[str], ending: str) -> str | None:
    """A hint with the line to write for a setting of another tool, or of another part of a suite; None for any other name.

    `ending` is how a message ends: ` for ` and the noun of what has the settings.
    """
    suggested = next((word for word in _OTHER_WORDS.get(name, ()) if word in known), None)
    if suggested is not None:
        return f'did you mean "{suggested}"?'
    written = next((line for word, line in _WRITTEN.get(name, {}).items() if word in known), None)
    if written is not None:
        return f"write {written}"
    return (_OF_A_GATE if ending.endswith("gate") else _ELSEWHERE).get(name)


def _detail_of_word(name: str, loc: Loc, value: object, expected: str) -> Detail:
    """The problem of a value that is none of the words that a setting takes. `expected` is pydantic's list of them, in quotes."""
    near = suggestion(value, re.findall(_QUOTED, expected)) if isinstance(value, str) else None
    return Detail(loc, f'"{name}" must be one of {expected}; found {spell(value)}', near, code="bad-value")


def _detail_of_type(named: str, loc: Loc, value: object, plain: str, wanted: str | None) -> Detail:
    """The problem of a value of the wrong type, with the line to write where a text means a number, a list or a boolean.

    `named` is what the message calls the setting. `plain` is the expected type in words, and `wanted` all types where
    there are several.
    """
    hint = number_hint(value, plain) if isinstance(value, str) and "number" in plain else None
    if (wanted or plain) == "a list" and isinstance(value, str) and loc and isinstance(loc[-1], str):
        hint = f"write {loc[-1]}: [{json.dumps(value, ensure_ascii=False)}]"
    if "true or false" in (wanted or plain) and loc and isinstance(loc[-1], str):
        hint = boolean_hint(value, loc[-1]) or hint
    if (wanted or plain) == "text":
        hint = quotes_hint(value)
    return Detail(loc, f"{named} must be {wanted or plain}; found {spell(value)}", hint, code="bad-value")


def quotes_hint(value: object) -> str | None:
    """A hint that puts a number in quotes, where a setting takes text; None for a value that is no number."""
    return f'put it in quotes: "{value}"' if type(value) in (int, float) else None


def number_hint(text: str, plain: str) -> str | None:
    """A hint for a text that means a number: without quotes, as a share of 1, or with a decimal point. None for any other text.

    `plain` is the type of the setting in words.
    """
    if _is_number(text):
        return f'"{text}" is in quotes, so it is text; remove the quotes'
    if text.endswith("%") and _is_number(text[:-1]):
        return f"write {float(text[:-1]) / 100:g} for {text}"
    if plain == "a number" and re.fullmatch(_DECIMAL_COMMA, text):
        return f"write {text.replace(',', '.')}, with a point before the decimals"
    return None


def boolean_hint(value: object, setting: object) -> str | None:
    """A hint with true or false in place of a word or a number that means it; None for any other value."""
    word = value.strip().casefold() if isinstance(value, str) else value
    truth = next((truth for truth, words in _BOOLEANS.items() if word in words), None)
    return None if truth is None else f"write {setting}: {truth}"


_BOOLEANS: Final = {"true": ("true", "yes", "y", "on", "t", "1", 1), "false": ("false", "no", "n", "off", "f", "0", 0)}


def _share_hint(value: object, most: object) -> str | None:
    """A hint with a percentage as a share of 1, for a setting of at `most` 1; None for any other."""
    if most == 1 and isinstance(value, (int, float)) and 10 <= value <= 100:
        return f"write {value / 100:g} for {value:g} %"
    return None


def _model_at(model: type[BaseModel], loc: Loc) -> type[BaseModel]:
    """The model of the settings at a place inside those of `model`. A step that leads to no model, such as an index or the key of a map,
    stays with the model above it."""
    for step in loc:
        named = ((spellings(name, info), info) for name, info in model.model_fields.items())
        field = next((info for written, info in named if str(step) in written), None)
        inner = field.annotation if field else None
        candidates = [inner, *get_args(inner)]
        models = [
            candidate for candidate in candidates if isinstance(candidate, type) and issubclass(candidate, BaseModel)
        ]
        if models:
            model = models[0]
    return model


def _without_wrong_branches(error: ValidationError, data: object) -> list[tuple[dict[str, Any], Loc]]:
    """Pydantic's errors, each with its place in the data.

    Where a setting has several shapes, pydantic complains once for each, below a step that is not in the data. The
    complaints of a shape that the value does not have are dropped; when it has none of them, one complaint names them.
    """
    items = [(dict(item), *_place_in(data, tuple(item["loc"]))) for item in error.errors(include_url=False)]
    shapes: dict[Loc, list[str]] = {}
    shaped: set[Loc] = set()
    for item, loc, unions in items:
        if loc in unions and item["type"] in _TYPES:
            shapes.setdefault(loc, []).append(_TYPES[item["type"]])
        shaped.update(union for union in unions if union != loc or item["type"] not in _TYPES)
    remaining: list[tuple[dict[str, Any], Loc]] = []
    for item, loc, unions in items:
        if loc in unions and item["type"] in _TYPES:
            if loc in shaped:
                continue
            item["wanted"] = " or ".join(dict.fromkeys(shapes[loc]))
        remaining.append((item, loc))
    return remaining


def _place_in(data: object, loc: Loc) -> tuple[Loc, list[Loc]]:
    """(loc, unions): the steps of one of pydantic's places without the names of shapes, which are not in the data, and the places on the
    way where pydantic tried several shapes. A step is the name of a shape where it is no key or index of the data, and cannot be a
    setting that is missing."""
    if not isinstance(data, Mapping) or not loc or loc[0] not in data:
        return loc, []
    value, place = data[loc[0]], list(loc[:1])
    unions: list[Loc] = []
    for number, step in enumerate(loc[1:], 1):
        if step in _steps_of(value):
            value = value[step]
        elif isinstance(step, int) or _may_be_setting(step):
            return (*place, *loc[number:]), unions
        else:
            unions.append(tuple(place))
            continue
        place.append(step)
    return tuple(place), unions


def _steps_of(value: object) -> Iterable[Any]:
    """The keys of a map, or the indices of a list; empty for anything else."""
    if isinstance(value, Mapping):
        return value.keys()
    return range(len(value)) if isinstance(value, (list, tuple)) else ()


def _may_be_setting(step: str) -> bool:
    """Whether a step of pydantic's path may be the name of a setting; names of shapes have capitals, hyphens or brackets, or are
    Python's own."""
    return step.isidentifier() and step.islower() and step not in ("str", "bool", "int", "float", "list", "dict", "tuple")


_DECIMAL_COMMA = r"(?a)[+-]?(?:0,\d+|\d+,(?!\d{3}$)\d+)"
"""A comma before decimals, and none between thousands."""


def _is_number(text: str) -> bool:
    """Whether Python reads a text as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
