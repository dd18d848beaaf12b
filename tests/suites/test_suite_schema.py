"""The schema for editors: valid, current in the repository, and of one mind with the reader of suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from evaluators.api.language import language_schema, schema_text
from evaluators.api.sections import READERS
from evaluators.model.issues import Problems
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.values.transforms import TRANSFORMS
from evaluators.suites.config import read_config
from evaluators.suites.extends import PRESETS, preset_names
from evaluators.suites.nodes import SECTIONS, SuiteInput
from evaluators.suites.python_data import Filling
from evaluators.suites.source import loads, tree
from tests.kit import read_yaml

COMMITTED = Path(__file__).parents[2] / "docs" / "suite.schema.json"
TABLE: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("schema_table.yaml"))
SCHEMA = language_schema()
VALIDATOR = Draft7Validator(SCHEMA)


def as_written(text: str) -> Any:
    """The data of a suite as an editor sees it: this file alone, `extends` included."""
    return Filling({}).filled_data(tree(SuiteInput("suite.yaml", text)))


def complaints(data: object) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(data)]


def refusals(text: str) -> list[str]:
    try:
        read_config(loads(text, environment={}), READERS)
    except Problems as error:
        return [str(issue) for issue in error.issues]
    return []


def test_the_committed_schema_is_current() -> None:
    hint = """docs/suite.schema.json is out of date. Write it anew: evaluators schema > docs/suite.schema.json
    or: python -c "from evaluators.api.language import *; print(schema_text(language_schema()), end='')" > …"""
    assert COMMITTED.read_text(encoding="utf-8") == schema_text(SCHEMA), hint


@pytest.mark.slow
def test_the_schema_is_the_same_every_time() -> None:
    assert schema_text(language_schema()) == schema_text(SCHEMA)


def test_it_is_a_valid_schema_whose_references_lead_somewhere() -> None:
    Draft7Validator.check_schema(SCHEMA)
    for definition in SCHEMA["definitions"].values():
        Draft7Validator.check_schema(definition)
    for found in references(SCHEMA):
        assert found.removeprefix("#/definitions/") in SCHEMA["definitions"]


def test_pydantic_leaves_no_traces() -> None:
    text = json.dumps(SCHEMA)
    assert '"x-read-as"' not in text
    assert '"title": "' not in text
    assert '"$defs"' not in text


def test_it_knows_every_section_type_comparator_and_transform() -> None:
    assert set(SCHEMA["properties"]) == set(SECTIONS)
    for name in BUILTIN.shipped_names():
        assert f"evaluator.{name}" in SCHEMA["definitions"]
    for name in COMPARATORS.shipped_names():
        assert f"comparator.{name}" in SCHEMA["definitions"]
    short = SCHEMA["definitions"]["transform"]["then"]["then"]
    assert set(short["properties"]) == set(TRANSFORMS)


@pytest.mark.parametrize("name", BUILTIN.shipped_names())
def test_everything_that_a_person_can_point_at_is_described(name: str) -> None:
    definition = SCHEMA["definitions"][f"evaluator.{name}"]
    assert definition["description"]
    assert [word for word, setting in definition["properties"].items() if "description" not in setting] == []


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["it"])
def test_the_editor_and_the_reader_agree(entry: dict[str, Any]) -> None:
    assert set(entry) <= {"it", "yaml", "ok", "only_parser", "only_schema"}
    assert not ({"only_parser", "only_schema"} <= set(entry))
    found, refused = complaints(as_written(entry["yaml"])), refusals(entry["yaml"])
    assert (not refused) is entry["ok"], refused
    if "only_parser" in entry:
        assert refused
        assert not found
    elif "only_schema" in entry:
        assert found
        assert not refused
    else:
        assert (not found) is entry["ok"], found


def test_the_table_covers_every_section_type_and_comparator() -> None:
    good = "\n".join(entry["yaml"] for entry in TABLE if entry["ok"])
    for name in (*SECTIONS, *BUILTIN.shipped_names(), *COMPARATORS.shipped_names(), *TRANSFORMS):
        assert name in good, f"no good suite in schema_table.yaml has {name}"
    assert len(TABLE) >= 60


@pytest.mark.parametrize("name", BUILTIN.shipped_names())
def test_the_settings_of_worked_examples_fit(name: str) -> None:
    for example in BUILTIN.find(name).examples:
        settings = dict(example.settings or {})
        assert complaints({"evaluators": [{name: settings}]}) == []
        assert complaints({"evaluators": [{"type": name, "name": "it", **settings}]}) == []


@pytest.mark.parametrize("name", COMPARATORS.shipped_names())
def test_the_options_of_worked_examples_fit(name: str) -> None:
    for example in COMPARATORS.find(name).examples:
        options = {name: dict(example.options or {})}
        fields = {"a": options, "b": {"compare": options, "weight": 2}}
        assert complaints({"evaluators": [{"json_multi_field_match": {"fields": fields}}]}) == []
        assert complaints({"comparators": {"mine": options}}) == []


@pytest.mark.parametrize("name", preset_names())
def test_the_presets_fit(name: str) -> None:
    assert complaints(as_written((PRESETS / f"{name}.yaml").read_text(encoding="utf-8"))) == []


def references(schema: object) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
        return own + [found for value in schema.values() for found in references(value)]
    return [found for value in schema for found in references(value)] if isinstance(schema, list) else []
