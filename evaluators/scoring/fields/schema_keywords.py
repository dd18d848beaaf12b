"""The keywords of a JSON Schema: what they say of a value, which dialect says how fields are compared, and which are misspelt.

References are filled in before types and branches are read. There are two dialects. In x-eval every keyword starts with `x-eval-`; in
evaluation_config there is one keyword, `evaluation_config`. Only what is itself a schema is looked at: a property may have any name. A
schema may stand in a wrapper, beside its name.

JSON Schema allows any other keyword, as a remark for other programs. So a keyword is only refused when it is no word of
JSON Schema, nearly the same as one that is read here, and that one is not there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from evaluators.model.settings import BadSettings, Detail, Loc, spell
from evaluators.scoring.fields.references import (
    CHOICES,
    LISTS,
    MAPS,
    SINGLES,
    Placed,
    merge,
    own_place,
    place_of,
    pointer,
)
from evaluators.scoring.fields.tree import Shape

JSON_TYPES: Final = ("string", "number", "integer", "boolean", "null", "object", "array")
SEVERAL: Final = "multi"
"""Where comparators are named by type: a value that may have several types."""
DEFAULTED: Final = (*JSON_TYPES, SEVERAL)
X_EVAL: Final = "x-eval-"
EVALUATION_CONFIG: Final = "evaluation_config"
ADDRESSES: Final = ("uri", "url", "iri")
"""Words of `format` for a web address."""
SAYS_TYPE: Final = frozenset({"type", "properties", "items", "$ref", "enum", "const", "allOf", *CHOICES})
"""Keywords that describe a value; the others only restrict it."""
OF_EVERY_BRANCH: Final = SAYS_TYPE - {*CHOICES} | {"required", "additionalProperties", "format", "nullable"}
"""What a schema beside a choice says of each of its branches."""
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}


class Types(Struct, frozen=True):
    """The types of a schema, null set aside."""

    names: tuple[str, ...]
    nullable: bool

    @property
    def single_type(self) -> str | None:
        """The one type of a value, null aside; None where there are several or none. Whole numbers and numbers together are numbers."""
        if len(self.names) == 1:
            return self.names[0]
        return "number" if set(self.names) == {"integer", "number"} else None

    @property
    def default_type(self) -> str:
        """The type whose default comparator holds; "multi" where there are several, and nothing where there is none."""
        return self.single_type or (SEVERAL if self.names else "")


def types_of(schema: Mapping[str, Any]) -> Types:
    """The types that a schema names under `type`. Without that: object where it has `properties`, array where it has `items`, else those of
    the values in `enum` or `const`."""
    type_name = schema.get("type")
    if isinstance(type_name, str):
        return Types((type_name,), type_name == "null")
    if isinstance(type_name, list):
        names = dict.fromkeys(name for name in type_name if isinstance(name, str) and name != "null")
        return Types(tuple(names), "null" in type_name)
    if isinstance(schema.get("properties"), Mapping):
        return Types(("object",), False)
    if isinstance(schema.get("items"), Mapping):
        return Types(("array",), False)
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    types = dict.fromkeys(schema_type(value) for value in values)
    return Types(tuple(name for name in types if name != "null"), "null" in types)


def schema_type(value: object) -> str:
    """The type of a value as JSON Schema names it. What JSON does not know is text."""
    return "null" if value is None else next((name for kind, name in _TYPES.items() if isinstance(value, kind)), "string")


def container_kind(schema: Mapping[str, Any]) -> str | None:
    """`object` or `array` for a schema that describes what stands below it, else None.

    A schema of an object does so with declared keys, or with any keys whose values are described, and one of an array
    with a schema for its items. A key whose schema is false holds no value.
    """
    kind = types_of(schema).single_type
    if kind == "object":
        declared, others = schema.get("properties"), schema.get("additionalProperties")
        declares = isinstance(declared, Mapping) and any(inner is not False for inner in declared.values())
        describes = isinstance(others, Mapping) and (not SAYS_TYPE.isdisjoint(others) or has_annotation(others))
        return "object" if declares or describes else None
    items = schema.get("items")
    return "array" if kind == "array" and isinstance(items, Mapping) and items else None


def has_annotation(schema: object) -> bool:
    """Whether some place of the schema has an `x-eval-` key."""
    waiting, seen = [schema], set[int]()
    while waiting:
        schema_part = waiting.pop()
        if id(schema_part) in seen:
            continue
        seen.add(id(schema_part))
        if isinstance(schema_part, Mapping):
            if any(str(key).startswith(X_EVAL) for key in schema_part):
                return True
            waiting.extend(schema_part.values())
        elif isinstance(schema_part, list):
            waiting.extend(schema_part)
    return False


def branches_of(schema: Mapping[str, Any], says: Collection[str] = SAYS_TYPE) -> list[Mapping[str, Any]]:
    """The branches of a choice that describe a value, with one of the keywords `says`; empty without a choice.

    Branches that only restrict a schema which has a type of its own are none.
    """
    for key in CHOICES:
        listed = schema.get(key)
        branches = [branch for branch in listed if isinstance(branch, Mapping)] if isinstance(listed, list) else []
        described = [branch for branch in branches if not branch.keys().isdisjoint(says)]
        if described:
            return described
    return []


def whole_branch(
    branch: Mapping[str, Any], schema: Mapping[str, Any], needed: Collection[str], loc: Loc
) -> Mapping[str, Any]:
    """A branch with those keywords of the schema around it added that hold for every branch; the branch itself where that schema has none
    of the `needed` keywords. `loc` is the place of the schema."""
    if schema.keys().isdisjoint(needed):
        return branch
    own = copy_of(branch, loc)
    beside = copy_of(schema, loc, without=schema.keys() - OF_EVERY_BRANCH)
    if "$ref" in branch:
        beside.pop("type", None)  # the place that it leads to has one
    merge(own, beside)
    return own


def copy_of(schema: Mapping[str, Any], loc: Loc, without: Collection[str] = ()) -> Placed:
    """A copy of a schema to which something may be added, without the keys `without`. It remembers where each key was written; `loc` is the
    place of the schema, if it does not know."""
    copied = Placed(own_place(schema, loc))
    for key, value in schema.items():
        if key not in without:
            copied[key] = value
            copied.written[key] = place_of(schema, key, loc)
    if isinstance(schema, Placed):
        copied.nullable, copied.lost = schema.nullable, schema.lost
    return copied


def shape_of(schema: Mapping[str, Any], types: Collection[str], nullable: bool) -> Shape:
    """The declared shape of a value: its JSON `types`, whether it may be null (`nullable`, or the schema lost a branch for null), and the
    required keys, title and description that the schema has."""
    required, title, description = (schema.get(key) for key in ("required", "title", "description"))
    return Shape(
        frozenset(types),
        nullable or (isinstance(schema, Placed) and schema.nullable),
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset(),
        title if isinstance(title, str) else None,
        description if isinstance(description, str) else None,
    )


Dialect: TypeAlias = Literal["x-eval", "evaluation_config"]
WRAPPERS: Final = ("schema_definition", "json_schema", "schema")
"""Keys under which other tools put a schema, beside its name."""
_OF_A_SCHEMA: Final = frozenset({"type", "properties", "items", "$ref", "enum", "const", *LISTS, *SINGLES, *MAPS})
READ: Final = (
    "type", "properties", "items", "required", "additionalProperties", "allOf", "anyOf", "oneOf", "$ref", "$defs",
    "x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align", EVALUATION_CONFIG,
)  # fmt: skip
"""The keywords that change what is scored."""
_OTHERS: Final = frozenset(
    (
        *MAPS, *LISTS, *SINGLES, "dependencies", "dependentRequired", "enum", "const", "format", "title", "description",
        "default", "examples", "example", "nullable", "minItems", "maxItems", "uniqueItems", "minProperties",
        "maxProperties", "minContains", "maxContains", "id", "defs",
    )
)  # fmt: skip
_ALIKE: Final = 0.85
_MAPS: Final = ("properties", "$defs", "definitions")


def unwrap(schema: Any) -> tuple[Any, Loc]:
    """The schema inside `{name, description, schema_definition}` and its like, and where it stands there."""
    loc: Loc = ()
    while isinstance(schema, Mapping) and not _is_schema(schema):
        key = next((key for key in WRAPPERS if isinstance(schema.get(key), Mapping)), None)
        if key is None:
            break
        schema, loc = schema[key], (*loc, key)
    return schema, loc


def _is_schema(schema: Mapping[str, Any]) -> bool:
    """Whether a map is a schema, and no wrapper of one. A wrapper may have a type, such as `type: json_schema`."""
    keys = _OF_A_SCHEMA.intersection(schema)
    return bool(keys - {"type"}) or ("type" in keys and schema["type"] not in WRAPPERS)


def dialect_of(schema: Any, usual: Dialect = "x-eval") -> Dialect:
    """The dialect of a schema. One without any of the words is read in the usual one, in which every type has a comparator too.

    Raises BadSettings where both are used.
    """
    dialects = dialects_in(schema)
    if len(dialects) == 2:
        here, there = (pointer(dialects[dialect]) for dialect in ("x-eval", "evaluation_config"))
        message = f"the schema uses two dialects: x-eval at {here}, and evaluation_config at {there}"
        raise BadSettings([Detail(dialects["evaluation_config"], message, "keep one of them", True, "two-dialects")])
    return next(iter(dialects), usual)


def dialect_note(schema: Any, usual: Dialect | None = None) -> str | None:
    """A note that a schema is in another dialect than the `usual` one, or, where no dialect is usual, that it has the words of neither;
    None for any other schema."""
    dialect = next(iter(dialects_in(schema)), None)
    if dialect is not None and usual is not None and dialect != usual:
        return f"the schema says how to compare in the words of {dialect}, so it is read as {dialect}, not as {usual}"
    if dialect is not None or usual is not None:
        return None
    return (
        "the schema has neither x-eval-… keys nor evaluation_config, so it is read as x-eval, and each field is compared as its"
        " type usually is; write dialect: x-eval to say so, or dialect: evaluation_config to have it read in that way"
    )


def dialects_in(schema: Any) -> dict[Dialect, Loc]:
    """The dialects that a schema uses, each with the first place where it does."""
    places: dict[Dialect, Loc] = {}
    for inner, loc in walk(*unwrap(schema)):
        for key in inner:
            if str(key).startswith(X_EVAL):
                places.setdefault("x-eval", (*loc, key))
            elif key == EVALUATION_CONFIG:
                places.setdefault("evaluation_config", (*loc, key))
    return places


def walk(schema: Any, loc: Loc) -> Iterator[tuple[Mapping[str, Any], Loc]]:
    """Yields a schema and those inside it, each with its place, in the order in which they are written."""
    waiting: list[tuple[Any, Loc]] = [(schema, loc)]
    while waiting:
        schema, loc = waiting.pop()
        if not isinstance(schema, Mapping):
            continue
        yield schema, loc
        inside: list[tuple[Any, Loc]] = []
        for key, value in schema.items():
            here = (*loc, key)
            if (key in MAPS or key == "defs") and isinstance(value, Mapping):
                inside.extend((inner, (*here, name)) for name, inner in value.items())
            elif key in LISTS and isinstance(value, list):
                inside.extend((inner, (*here, index)) for index, inner in enumerate(value))
            elif key in SINGLES:
                inside.append((value, here))
        waiting.extend(reversed(inside))


def keyword_problems(schema: Any) -> list[Detail]:
    """The problems with the keywords of a schema and of those inside it, each with its place."""
    return [detail for inner, loc in walk(*unwrap(schema)) for detail in _problems(inner, loc)]


def condition_note(schema: Any) -> str | None:
    """A note on a schema with `if` and `then`; None for any other."""
    at = next((loc for inner, loc in walk(*unwrap(schema)) if "if" in inner and {"then", "else"} & inner.keys()), None)
    if at is None:
        return None
    return (
        f"`if`, `then` and `else` (at {pointer((*at, 'if'))} of the schema) are not looked at: a field that only they name is "
        "scored once it stands under `properties`, too"
    )


def _problems(schema: Mapping[str, Any], loc: Loc) -> Iterator[Detail]:
    """Yields the mistakes of one schema's own keywords, not of the schemas inside it: a value of the wrong kind, or a key that is probably
    another keyword misspelled."""
    for key, value in schema.items():
        if not isinstance(key, str):
            continue
        here = (*loc, key)
        if key in _MAPS and not isinstance(value, Mapping):
            hint = "write each name with its schema, as in {total: {type: number}}" if key == "properties" else None
            yield Detail(here, f'"{key}" must be a map of schemas; found {spell(value)}', hint, code="bad-schema")
        elif key == "required" and not _is_list_of_names(value):
            hint = f"write required: [{value}]" if isinstance(value, str) else None
            yield Detail(here, f'"required" must be a list of names; found {spell(value)}', hint, code="bad-schema")
        elif key in LISTS and not _is_list_of_schemas(value):
            yield Detail(here, f'"{key}" must be a list of schemas; found {spell(value)}', code="bad-schema")
        elif key == "items" and not isinstance(value, (Mapping, bool)) and not _is_list_of_schemas(value):
            hint = f"write items: {{type: {value}}}" if isinstance(value, str) else None
            yield Detail(here, f'"items" must be a schema; found {spell(value)}', hint, code="bad-schema")
        elif (likeliest := _intended_keyword(key, value)) is not None and likeliest not in schema:
            message = f'"{key}" is no keyword of a schema'
            yield Detail(here, message, f'did you mean "{likeliest}"?', key=True, code="unknown-keyword")


def _is_list_of_names(value: object) -> bool:
    """Whether a value is a list of texts, as under `required`, or a boolean, which stood there in old drafts."""
    return isinstance(value, bool) or (isinstance(value, list) and all(isinstance(name, str) for name in value))


def _is_list_of_schemas(value: object) -> bool:
    """Whether a value is a list of schemas."""
    return isinstance(value, list) and all(isinstance(branch, (Mapping, bool)) for branch in value)


def _intended_keyword(key: str, value: object) -> str | None:
    """The known keyword that an unknown key was probably meant to be; None where it resembles none. `ref` is taken for
    a remark, but for one that names a place in the schema."""
    if key in READ or key in _OTHERS or key.startswith("x-eval-"):
        return None
    if key == "ref" and not str(value).startswith("#"):
        return None
    plain = key.casefold().replace("_", "-")
    likeliest = max(READ, key=lambda word: _likeness(plain, word))
    return likeliest if _likeness(plain, likeliest) >= _ALIKE else None


def _likeness(plain: str, word: str) -> float:
    """How much a keyword `plain`, in small letters and with hyphens, resembles another one, from 0 to 1."""
    from difflib import SequenceMatcher  # for messages only

    return SequenceMatcher(None, plain, word.casefold().replace("_", "-")).ratio()
