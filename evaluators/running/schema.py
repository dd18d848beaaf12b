"""The JSON Schema of the whole language: the suite's own sections, and those of the rooms above it."""

from __future__ import annotations

from evaluators.running.sections import MODELS
from evaluators.suite.model_schema import Schema, section_schema
from evaluators.suite.schema import or_text, per_target, schema_text, suite_schema

__all__ = ["language_schema", "schema_text"]


def language_schema() -> Schema:
    """The schema of a suite with every section: what `docs/suite.schema.json` holds."""
    sections = {key: section_schema(model) for key, model in MODELS.items()}
    shaped = {"test_set": or_text(sections["test_set"]), "gates": per_target(sections["gates"])}
    return suite_schema(sections | shaped)
