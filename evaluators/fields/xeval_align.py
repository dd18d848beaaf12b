"""`x-eval-align`: how the items of a list are paired, in the words of struct-extract-eval."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from evaluators.fields.reading import Align, read_align
from evaluators.fields.schema_types import branches_of, types_of
from evaluators.fields.tree import SchemaPath
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, Loc, bad, spell
from evaluators.values.path_text import display

ALIGN_KEYS: Final = ("ordered", "match_by", "key", "transforms", "keyless", "threshold")
OF_A_KEY: Final = ("transforms", "keyless")
MATCH_BY: Final = ("key_field", "hungarian", "any_order", "ordered")


def read_xeval_align(value: object, schema: Mapping[str, Any], path: SchemaPath, note: Callable[[str], None]) -> Align:
    """`{ordered: true}`, `{match_by: key_field, key: …}` or `{match_by: hungarian, threshold: …}` of the schema at a path."""
    if types_of(schema).one != "array":
        hint = "write it beside the items of a list"
        raise bad(f'"x-eval-align" pairs the items of a list; "{display(path)}" is none', hint=hint, key=True)
    if not isinstance(value, Mapping):
        hint = f'write {{"match_by": "{value}"}}' if value in MATCH_BY else 'write {"match_by": "hungarian"}'
        raise bad(f'"x-eval-align" must be a map; found {spell(value)}', hint=hint)
    details = [
        Detail((key,), f'unknown setting "{key}" for x-eval-align', _known(str(key), ALIGN_KEYS), True, "unknown-setting")
        for key in value
        if key not in ALIGN_KEYS
    ]
    ordered, how = value.get("ordered"), value.get("match_by")
    if ordered is not None and not isinstance(ordered, bool):
        details.append(Detail(("ordered",), f'"ordered" must be true or false; found {spell(ordered)}'))
    elif ordered and (how is None or how in MATCH_BY):
        if how not in (None, "ordered"):
            note(f'"ordered" is true, so "match_by": {how} is not used')
        how = "ordered"
    if how not in MATCH_BY:
        message = "it does not say how items are paired" if how is None else f'unknown alignment "{how}"'
        loc = ("match_by",) if "match_by" in value else ()
        details.append(Detail(loc, message, _known(str(how), MATCH_BY)))
    if details:
        raise BadSettings(details)
    return _as_align(str(how), value, schema)


def _as_align(how: str, value: Mapping[str, Any], schema: Mapping[str, Any]) -> Align:
    options: dict[str, Any] = {}
    if how == "hungarian" and value.get("threshold") is not None:
        options = {"at_least": value["threshold"]}
    if how == "key_field":
        if not value.get("key"):
            raise bad('"key_field" needs "key"', hint='write {"match_by": "key_field", "key": "id"}')
        names = _key_names(schema)
        options = {"key": _spelled_keys(value["key"], names)}
        options |= {name: value[name] for name in OF_A_KEY if name in value}
    elif unused := [name for name in OF_A_KEY if name in value]:
        raise bad(f'"{unused[0]}" is about keys, and {how} uses none', unused[0], hint="match_by: key_field", key=True)
    try:
        align = read_align({how: options} if options else how)
    except BadSettings as error:
        raise BadSettings(replace(detail, loc=_as_written(detail.loc)) for detail in error.details) from error
    if align.keys and schema["items"].get("additionalProperties") is False:
        _refuse_unknown_keys(align, names)
    return align


def _refuse_unknown_keys(align: Align, names: list[str]) -> None:
    """A key that items have no room for would pair nothing."""
    for path in align.keys:
        first = path.steps[0] if path.steps else None
        if isinstance(first, str) and names and first not in names:
            message = f'the items have no key "{path.canonical}", and the schema allows no others'
            raise bad(message, "key", hint=_known(first, tuple(names)))


def _key_names(schema: Mapping[str, Any]) -> list[str]:
    items = schema.get("items")
    if not isinstance(items, Mapping):
        raise bad('"key_field" needs items that have the key', hint="describe the items, with type: object")
    if "$ref" not in items and not branches_of(items) and types_of(items).one not in (None, "object"):
        raise bad(f'"key_field" needs items that are objects; these are {types_of(items).one}', hint="use hungarian")
    properties = items.get("properties")
    return [str(name) for name in properties] if isinstance(properties, Mapping) else []


def _spelled_keys(key: object, names: list[str]) -> object:
    """A key that the items have keeps its name as it is, dots and all; any other is a path."""
    if isinstance(key, list):
        return [_spelled_keys(one, names) for one in key]
    return display((key,)) if isinstance(key, str) and key in names else key


def _as_written(loc: Loc) -> Loc:
    """Where a part of an alignment stands in x-eval-align."""
    if loc[:1] in (("hungarian",), ("key_field",)):
        loc = loc[1:]
    return ("threshold", *loc[1:]) if loc[:1] == ("at_least",) else loc


def _known(word: str, known: tuple[str, ...]) -> str:
    return suggestion(word, known) or f"known: {', '.join(known)}"
