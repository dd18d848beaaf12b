"""The JSON Schema of the whole language: the suite's own sections, and those of the rooms above it."""

from __future__ import annotations

from evaluators.api.sections import MODELS
from evaluators.suite.model_schema import (
    Schema,
    described,
    documentation,
    first_sentence,
    one_key,
    section_schema,
    suggested,
)
from evaluators.suite.schema import or_nothing, or_text, per_target, schema_text, suite_schema
from evaluators.tracking.tracker import TRACKERS

__all__ = ["language_schema", "schema_text"]


def language_schema() -> Schema:
    """The schema of a suite with every section: what `docs/suite.schema.json` holds."""
    sections = {key: section_schema(model) for key, model in MODELS.items()}
    shaped = {"test_set": or_text(sections["test_set"]), "gates": per_target(sections["gates"])}
    return suite_schema({**sections, **shaped, "tracking": _tracking()})


def _tracking() -> Schema:
    """A list of trackers, each a word or a map from the word to its settings. Other distributions bring words of their own."""
    plugs = {name: TRACKERS.find(name) for name in TRACKERS.shipped()}
    settings = {
        name: {**or_nothing(section_schema(plug)), **described(documentation(plug))} for name, plug in plugs.items()
    }
    item: Schema = {
        **suggested({name: first_sentence(plug) for name, plug in plugs.items()}),
        "if": {"type": "object"},
        "then": one_key({"properties": settings}, "The settings of a tracker go below its name, one step further in."),
        "else": {
            "type": "string",
            "errorMessage": "This must be the name of a tracker, or a map from it to its settings.",
        },
    }
    return {"type": "array", "items": item}
