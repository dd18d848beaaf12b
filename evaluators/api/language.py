"""The JSON Schema of the whole language: the suite's own sections, and those of the rooms above it."""

from __future__ import annotations

from typing import Any

from evaluators.api.sections import models
from evaluators.judges.judge import JUDGES
from evaluators.registry import Socket
from evaluators.run.engines.engine import ENGINES
from evaluators.suite.model_schema import (
    DEFINITIONS,
    Schema,
    described,
    documentation,
    first_sentence,
    hoisted,
    one_key,
    section_schema,
    suggested,
)
from evaluators.suite.suite_schema import or_nothing, or_text, per_name, per_target, schema_text, suite_schema
from evaluators.tracking.tracker import TRACKERS

__all__ = ["language_schema", "schema_text"]


def language_schema() -> Schema:
    """The schema of a suite with every section: what `docs/suite.schema.json` holds."""
    sections = {key: section_schema(model) for key, model in models().items()}
    shaped = {"test_set": or_text(sections["test_set"]), "gates": per_target(sections["gates"])}
    shaped["measures"] = per_name(sections["measures"])
    definitions: dict[str, Schema] = {}
    tracker = hoisted(_plug(TRACKERS), definitions)
    trackers: Schema = {"type": "array", "items": tracker, DEFINITIONS: definitions}
    return suite_schema({**sections, **shaped, "tracking": trackers, "judge": _plug(JUDGES), "engine": _plug(ENGINES)})


def _plug(socket: Socket[Any]) -> Schema:
    """A plug: a word, or a map from the word to its settings. Other distributions bring words of their own.

    The models inside of settings stand under its own `definitions`.
    """
    definitions: dict[str, Schema] = {}
    plugs = {name: socket.find(name) for name in socket.shipped()}
    settings = {
        name: {**or_nothing(hoisted(section_schema(plug), definitions)), **described(documentation(plug))}
        for name, plug in plugs.items()
    }
    return {
        **suggested({name: first_sentence(plug) for name, plug in plugs.items()}),
        "if": {"type": "object"},
        "then": one_key(
            {"properties": settings}, f"The settings of a {socket.noun} go below its name, one step further in."
        ),
        "else": {
            "type": "string",
            "errorMessage": f"This must be the name of a {socket.noun}, or a map from it to its settings.",
        },
        DEFINITIONS: definitions,
    }
