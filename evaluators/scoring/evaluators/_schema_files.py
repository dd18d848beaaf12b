"""JSON Schemas as a suite and a test set hold them: in a file, or in the text of a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from evaluators.model.registry import nearest
from evaluators.model.settings import bad, filled_texts
from evaluators.scoring.evaluators._text_formats import line_and_column
from evaluators.scoring.fields.references import follow, steps_of
from evaluators.scoring.values import json_text
from evaluators.scoring.values.file_names import place_in_copy
from evaluators.scoring.values.files import NoSmallFile, read_small
from evaluators.scoring.values.path_text import ANY

Schema: TypeAlias = "dict[str, Any] | bool"
MOST_STEPS: Final = 12
"""How deep choices are looked for in a schema that refers to itself."""


def read_file(name: str, context: Mapping[str, Any] | None) -> Schema:
    """The schema in a JSON or YAML file. `name` is its path from the `folder` in the context, the suite's, or from the working
    directory. Raises BadSettings."""
    if name.lstrip().startswith("{"):
        raise bad(
            "the schema is JSON in quotes, so it is taken for the name of a file", hint="remove the quotes around it"
        )
    path = _place_of(name, Path((context or {}).get("folder") or Path.cwd()))
    try:
        text = read_small(path).decode("utf-8-sig")
    except NoSmallFile as error:
        raise bad(f'the schema file "{name}" {error}', hint="a schema is one JSON or YAML file") from None
    except FileNotFoundError:
        hint = _near_file(path, name) or f"looked for {path}"
        raise bad(f'there is no schema file "{name}"', hint=hint) from None
    except (OSError, UnicodeError) as error:
        raise bad(f'the schema file "{name}" cannot be read: {error}') from error
    value = _parse_yaml(text, name) if name.lower().endswith((".yaml", ".yml")) else _parse_json(text, name)
    if isinstance(value, (dict, bool)):
        return value
    raise bad(f'the schema file "{name}" must hold a map')


def _place_of(name: str, folder: Path) -> Path:
    """The path of a schema file that a suite in `folder` names. Beside the copy of a suite in a run folder, that of the file's copy.

    The copy has the name as it is written, `${NAME}` in it included; one of an absolute path is kept beside the suite.
    """
    written = filled_texts().as_written(name)
    if written != name:
        copy = folder / written
    elif Path(name).is_absolute():
        copy = place_in_copy(folder, name)
    else:
        return folder / name
    return copy if copy.exists() else folder / name


def _near_file(path: Path, name: str) -> str | None:
    """A hint with the name of a file in the folder that is nearly this one; None where there is none."""
    if not path.parent.is_dir():
        return None
    # by the whole name, and then without endings: "nope.json" is not near every file that ends so
    files = {entry.name: entry.stem for entry in sorted(path.parent.iterdir()) if entry.is_file()}
    near = nearest(path.name, [name for name, stem in files.items() if nearest(path.stem, [stem])])
    return f'did you mean "{Path(name).with_name(near).as_posix()}"?' if near else None


def _parse_yaml(text: str, name: str) -> Any:
    """The value of a schema file in YAML; `name` is what messages call it. Raises BadSettings, also for what JSON cannot hold."""
    from evaluators.scoring.values.yaml_text import NotYAML, load_untrusted

    try:
        # through JSON, because YAML also holds what JSON does not
        return json_text.parse(json_text.to_text(load_untrusted(text)))
    except (NotYAML, TypeError, ValueError) as error:
        raise bad(f'the schema file "{name}" is not usable YAML: {error}') from error


def _parse_json(text: str, name: str) -> Any:
    """The value of a schema file in JSON. Raises BadSettings, which names the file, the line and the column."""
    try:
        return json_text.parse(text)
    except json_text.NotJSON as error:
        line, column = line_and_column(text, error.position or 0)
        place = "" if error.position is None else f"line {line}, column {column}: "
        raise bad(f'the schema file "{name}" is not JSON: {place}{error.message}') from error


def parse_schema(text: str) -> Schema:
    """The schema that a text in JSON holds. Raises BadSettings."""
    try:
        value = json_text.parse(text)
    except json_text.NotJSON as error:
        raise bad(f"the schema is not JSON: {error}") from error
    if isinstance(value, (dict, bool)):
        return value
    raise bad("a schema is a JSON object")


def first_keys(schema: Schema) -> frozenset[str]:
    """The keys that the schema names at the top of a document; for a list, those of its items.

    Of several documents in an output, those that have them fit best.
    """
    keys: set[str] = set()
    seen: set[int] = set()
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        keys.update(part.get("properties", ()), part.get("required", ()))
        waiting += [*_item_schemas(part), *_branch_schemas(part, schema)]
    return frozenset(key for key in keys if isinstance(key, str))


def choices_in(schema: Schema) -> dict[tuple[Any, ...], list[Any]]:
    """The values that a schema lists with `enum` and `const`, by place, with `ANY` for every index. Places of more than `MOST_STEPS`
    steps are left out: a schema may contain itself."""
    choices: dict[tuple[Any, ...], list[Any]] = {}
    seen: set[tuple[int, tuple[Any, ...]]] = set()
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), schema)]
    while waiting:
        place, part = waiting.pop()
        if not isinstance(part, dict) or (id(part), place) in seen or len(place) > MOST_STEPS:
            continue
        seen.add((id(part), place))
        listed = [*_list_or_empty(part.get("enum")), *([part["const"]] if "const" in part else ())]
        if listed:
            choices.setdefault(place, []).extend(listed)
        properties = part.get("properties")
        waiting += [((*place, key), inner) for key, inner in properties.items()] if isinstance(properties, dict) else []
        waiting += [((*place, ANY), inner) for inner in _item_schemas(part)]
        waiting += [(place, inner) for inner in _branch_schemas(part, schema)]
    return choices


def _item_schemas(part: dict[str, Any]) -> Iterator[Any]:
    """The schemas for the items of a list: `items`, None where it is not there, and those of `prefixItems`."""
    yield from (part.get("items"), *_list_or_empty(part.get("prefixItems")))


def _branch_schemas(part: dict[str, Any], schema: Schema) -> Iterator[Any]:
    """The schemas for the same value as `part`: its branches (None for one that is not there), and the target of its `$ref` in `schema`."""
    yield from (part.get(word) for word in ("if", "then", "else"))
    yield from (branch for word in ("allOf", "anyOf", "oneOf") for branch in _list_or_empty(part.get(word)))
    reference = part.get("$ref")
    steps = steps_of(reference) if isinstance(reference, str) and reference.startswith("#") else None
    if steps is not None and (schema_part := follow(schema, steps)) is not None:
        yield schema_part[0]


def _list_or_empty(part: Any) -> list[Any]:
    """The value where it is a list; an empty list for anything else, since a schema may hold anything."""
    return part if isinstance(part, list) else []
