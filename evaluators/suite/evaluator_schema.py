"""The schema of a line under `evaluators:`: each shipped type by its word, its one-key map and its long form.

The words of other systems load, so they fit; an editor does not offer them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from evaluators.builtin._evaluator import BUILTIN, Evaluator
from evaluators.suite.foreign_words import TYPES, old_settings
from evaluators.suite.model_schema import (
    Schema,
    described,
    documentation,
    first_sentence,
    hoisted,
    needs_settings,
    one_key,
    reference,
    refused_word,
    section_schema,
    spellings,
    suggested,
    with_examples,
)
from evaluators.values.json_choice import PICKS

_NAME: Final = r"^[^\s.]([^.]*[^\s.])?$"


def evaluator_definitions() -> dict[str, Schema]:
    """The definitions of every shipped evaluator type (`evaluator.NAME`), and of a line that names one (`evaluator`)."""
    types = {name: BUILTIN.find(name) for name in BUILTIN.shipped()}
    definitions: dict[str, Schema] = {}
    settings = {f"evaluator.{name}": _evaluator_settings(name, plug, definitions) for name, plug in types.items()}
    return {**definitions, **settings, "evaluator": _evaluator(types)}


def _evaluator(types: Mapping[str, type[Evaluator]]) -> Schema:
    today = {name: first_sentence(plug) for name, plug in types.items() if not plug.retired}
    alone = {name: types[name] for name in today if not needs_settings(types[name])}
    unknown = f"This is not the name of an evaluator type. Known: {', '.join(today)}."
    several = 'The settings of an evaluator go below its name, one step further in; or beside it, with "type: NAME".'
    bare = "This evaluator cannot do without settings: write a colon behind its name, and the settings below it."
    short: Schema = {
        "properties": {**_by_name(types), **_by_old_name(types)},
        "patternProperties": {_uri(name): reference(f"evaluator.{name}") for name in types},
        "additionalProperties": False,
        "errorMessage": unknown,
    }
    word: Schema = {
        "if": {"type": "string", "pattern": _otherwise(alone)},
        "else": {
            "if": {"type": "string", "pattern": _any_spelling([name for name in types if name not in alone])},
            "then": refused_word(bare),
            "else": {"enum": [*alone], "errorMessage": unknown},
        },
    }
    return {
        **suggested({name: today[name] for name in alone}),
        "if": {"type": "object"},
        "then": {
            "if": {"required": ["type"]},
            "then": _long(types, today, unknown),
            "else": _exported(one_key(short, several)),
        },
        "else": word,
        "defaultSnippets": [_snippet(name, types[name]) for name in today if name not in alone],
    }


def _long(types: Mapping[str, type[Evaluator]], today: Mapping[str, str], unknown: str) -> Schema:
    """A line with `type` and the settings beside it."""
    return {
        "properties": {
            "type": {
                **suggested(today),
                "if": {"type": "string", "pattern": _otherwise(types)},
                "then": {"deprecationMessage": "This word still loads; the run says which word is used today."},
                "else": {"enum": [*today], "errorMessage": unknown},
            }
        },
        "allOf": [
            {
                "if": {"properties": {"type": {"type": "string", "pattern": _any_spelling([name])}}},
                "then": reference(f"evaluator.{name}"),
            }
            for name in types
        ],
    }


def _exported(otherwise: Schema) -> Schema:
    """A line as Agenta exports it is read as it is; every other one has a type."""
    said: Schema = {"deprecationMessage": "This is read as Agenta exports it; the run says which words are used today."}
    below: Schema = {"required": ["data"], "properties": {"data": {"type": "object", "required": ["uri"]}}}
    return {"if": {"anyOf": [{"required": ["uri"]}, below]}, "then": said, "else": otherwise}


def _by_name(types: Mapping[str, type[Evaluator]]) -> Schema:
    return {name: reference(f"evaluator.{name}", **_retired(name, plug)) for name, plug in types.items()}


def _by_old_name(types: Mapping[str, type[Evaluator]]) -> Schema:
    return {
        word: reference(f"evaluator.{name}", doNotSuggest=True, deprecationMessage=f'"{word}" is called "{name}" here.')
        for word, name in TYPES.items()
        if name in types
    }


def _retired(name: str, plug: type[Evaluator]) -> Schema:
    if not plug.retired:
        return {}
    return {"doNotSuggest": True, "deprecationMessage": f'"{name}" still works, but "{plug.retired}" does more.'}


def _evaluator_settings(name: str, plug: type[Evaluator], definitions: dict[str, Schema]) -> Schema:
    found = hoisted(section_schema(plug, old_settings(name)), definitions)
    found = with_examples(found, [example.settings for example in plug.examples])
    properties = {
        **found["properties"],
        "type": {"type": "string", "pattern": _any_spelling([name]), "doNotSuggest": True},
    }
    dependencies = dict(found.get("dependencies", {}))
    for word, (today, schema) in _OTHER_VALUES.get(name, {}).items():
        properties[word] = {**schema, "doNotSuggest": True}
        dependencies[word] = {"properties": {today: False}}
    return {
        **found,
        **described(documentation(plug)),
        "type": "object" if needs_settings(plug) else ["object", "null"],
        "properties": properties | _run_settings(),
        **({"dependencies": dependencies} if dependencies else {}),
    }


_OTHER_VALUES: Final[Mapping[str, Mapping[str, tuple[str, Schema]]]] = {
    "json_diff_match": {
        "predict_keys": (
            "extra_fields",
            {
                "type": "boolean",
                "deprecationMessage": '"predict_keys: true" is "extra_fields: ignore" here, and "false" is "penalize".',
            },
        )
    }
}
"""Old settings that are renamed and take other values: today's setting, and the schema of the old one."""


def _snippet(name: str, plug: type[Evaluator]) -> Schema:
    """What an editor writes for a type that cannot do without settings."""
    shown: Mapping[str, object] = next((one.settings for one in plug.examples if one.settings), {})
    settings: dict[str, object] = {}
    for setting, field in plug.model_fields.items():
        if field.is_required():
            words = spellings(setting, field)
            settings[words[0]] = next((_literal(shown[word]) for word in words if word in shown), ["${1:name}"])
    return {
        "label": f"{name}: …",
        "description": first_sentence(plug),
        "body": {name: settings},
    }


def _literal(value: object) -> object:
    """A value as a snippet spells it, so that its marks stay themselves."""
    if isinstance(value, str):
        return re.sub(r"([\\$}])", r"\\\1", value)
    if isinstance(value, Mapping):
        return {key: _literal(inner) for key, inner in value.items()}
    return [_literal(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _run_settings() -> Schema:
    names = {"type": ["string", "array"], "items": {"type": "string"}}
    settings: dict[str, tuple[str, Schema]] = {
        "name": (
            "What results, gates and other evaluators call this one. Without it, its type.",
            {
                "type": "string",
                "pattern": _NAME,
                "patternErrorMessage": "A name has no dot, because gates split at the first dot, and no spaces around it.",
            },
        ),
        "needs": ("The evaluators that a row must pass before this one is asked.", names),
        "when": ("Which rows this evaluator is for. Other rows are skipped and stay out of the mean.", {}),
        "unmet": (
            "What a row counts that did not pass what this evaluator needs: `fail` counts 0, `skip` leaves it out.",
            {"enum": ["fail", "skip"], "default": "fail"},
        ),
        "parse": (
            (
                "How the JSON of an output is read: `lenient` sets a code fence or words around it aside, `strict` refuses "
                "them. Without it, as the test set says."
            ),
            {"enum": ["lenient", "strict"]},
        ),
        "pick": (
            (
                "Which of several JSON documents in an output counts: `fitting`, `first`, `last`, `largest`; `only` refuses "
                "several. Without it, as the test set says."
            ),
            {"enum": list(PICKS)},
        ),
    }
    found = {key: {**described(text), **schema} for key, (text, schema) in settings.items()}
    return found | {"when": reference("conditions", **found["when"])}


def _any_spelling(names: Sequence[str]) -> str:
    """A pattern for the types in every spelling that loads."""
    words = "|".join(map(_in_pattern, [*names, *_old_words(names)]))
    return f"^({words}|agenta:builtin:({words}):[a-z0-9]+)$"


def _otherwise(types: Mapping[str, type[Evaluator]]) -> str:
    """A pattern for what names one of the types, and is not today's word for it."""
    old = [*map(_in_pattern, _old_words(types))]
    words = "|".join([*old, *(name for name, plug in types.items() if plug.retired)])
    return f"^({words}|agenta:builtin:({'|'.join([*types, *old])}):[a-z0-9]+)$"


def _uri(name: str) -> str:
    return f"^agenta:builtin:({'|'.join(map(_in_pattern, [name, *_old_words([name])]))}):[a-z0-9]+$"


def _in_pattern(word: str) -> str:
    return re.sub(r"([()])", r"\\\1", word)


def _old_words(names: Iterable[str]) -> list[str]:
    wanted = set(names)
    return [word for word, name in TYPES.items() if name in wanted]
