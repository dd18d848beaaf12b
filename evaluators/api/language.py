"""The JSON Schema of the whole language: the suite's own sections, and those of the rooms above it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from evaluators.comparators._comparator import COMPARATORS
from evaluators.compare.compare_section import CompareConfig
from evaluators.fields.named_comparators import NEIGHBOURS
from evaluators.judges.judge import JUDGES
from evaluators.registry import Socket
from evaluators.run.engines.engine import ENGINES
from evaluators.run.gates import AnyGateConfig
from evaluators.run.results_config import ResultsConfig, StatisticsConfig
from evaluators.run.suite_sections import LimitsConfig, MeasureConfig
from evaluators.settings import READ_AS, Settings
from evaluators.suite.presets import preset_names
from evaluators.suite.schema import (
    Schema,
    definitions_of,
    first_sentence,
    language_definitions,
    word_or_map,
)
from evaluators.testsets.test_set_config import TestSetConfig
from evaluators.tracking.tracker import TRACKERS

_TAKEN: Final = "|".join([*COMPARATORS.shipped(), "skip", *NEIGHBOURS])
EvaluatorShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "evaluator"})]
OwnComparatorShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "comparator.definition"})]
RowColumn: TypeAlias = Annotated[str, Field(pattern=r"^row\.\s*\S")]


class SuiteShape(Settings):
    """A suite: which evaluators score the rows of a test set, and what the figures must reach."""

    version: Literal[1] | SkipJsonSchema[None] = None
    """The version of the language: 1, also when it is left out."""
    name: str | None = None
    """What the run is called. Without it, the name of the file."""
    description: str | None = None
    """A note for people. It changes nothing."""
    extends: str | list[str] | SkipJsonSchema[None] = Field(None, examples=[f"preset:{name}" for name in preset_names()])
    """What this suite starts from: `preset:NAME`, a path relative to this file, or a list of them."""
    comparators: dict[str, OwnComparatorShape] | None = Field(
        None, json_schema_extra={"propertyNames": {"pattern": rf"^(?!({_TAKEN})$)\s*\S"}}
    )
    """Your own names for a comparator and its options: `money: {numeric: {tolerance: {abs: 0.01}}}`."""
    evaluators: Annotated[list[EvaluatorShape], Field(min_length=1)] | SkipJsonSchema[None] = None
    """What scores each row: a list of evaluators, each a word, a word with its settings, or a map with `type`."""
    slices: RowColumn | list[RowColumn] | None = None
    """Columns by whose values every figure is also given: `[row.supplier]`."""
    test_set: str | TestSetConfig | None = None
    """The rows: a CSV file or another kind of test set, and which columns play which role."""
    statistics: StatisticsConfig | None = None
    """What intervals are to know of the rows: which of them belong together."""
    measures: dict[str, RowColumn | MeasureConfig] | None = None
    """Numbers that are in a column already, such as cost or latency: `{cost: row.cost_usd}`."""
    gates: dict[str, AnyGateConfig | list[AnyGateConfig]] | None = None
    """Limits on the figures of a run: `EVALUATOR: {fail_below: 0.9}`, or `EVALUATOR.FIELD` for one field."""
    compare: CompareConfig | None = None
    """How a run is compared with another, and what makes the comparison fail."""
    results: ResultsConfig | None = None
    """Where the results of a run go, and in which formats."""
    limits: LimitsConfig | None = None
    """How much time and work a row may cost: what is over a limit is unjudged."""
    tracking: Any = None
    """Where a finished run is sent: `[files]`, or `[{files: {folder: metrics}}]`."""
    judge: Any = None
    """Who answers what no rule can: `{recorded: {run: runs/NAME}}` plays back what was answered before."""
    engine: Any = None
    """Where rows are scored: `{processes: {workers: 4}}`, or a cluster: `{dask: {address: tcp://…}}`."""


_SECTIONS: Final[Mapping[str, type[Settings]]] = {
    "test_set": TestSetConfig,
    "statistics": StatisticsConfig,
    "measures": MeasureConfig,
    "gates": AnyGateConfig,
    "compare": CompareConfig,
    "results": ResultsConfig,
    "limits": LimitsConfig,
}
"""The settings of each section that has one model."""


def language_schema() -> Schema:
    """The schema of a suite with every section: what `docs/suite.schema.json` holds."""
    sections = definitions_of({"suite": SuiteShape, **_SECTIONS})
    suite = _inlined(sections.pop("suite"), sections)
    definitions = {name: schema for name, schema in sections.items() if name not in _SECTIONS} | language_definitions()
    suite["properties"]["judge"] |= _plug(JUDGES, definitions)
    suite["properties"]["engine"] |= _plug(ENGINES, definitions)
    suite["properties"]["tracking"] |= {"type": ["array", "null"], "items": _plug(TRACKERS, definitions)}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **suite,
        "type": "object",
        "if": {"anyOf": [{"required": ["extends"]}, {"required": ["comparators"]}]},
        "else": {"required": ["evaluators"]},
        "definitions": dict(sorted(definitions.items())),
    }


def _inlined(schema: Schema, sections: Mapping[str, Schema]) -> Schema:
    """The schema with each section in the place where it is referred to."""
    at = {f"#/definitions/{name}": sections[name] for name in _SECTIONS}
    found: Schema = json.loads(json.dumps(schema), object_hook=lambda part: at.get(part.get("$ref", ""), part))
    return found


def _plug(socket: Socket[Any], definitions: dict[str, Schema]) -> Schema:
    """A plug: a word, or a map from the word to its settings. Other distributions bring words of their own."""
    plugs = {name: socket.find(name) for name in socket.shipped()}
    definitions |= definitions_of(plugs)
    words = {name: first_sentence(plug) for name, plug in plugs.items()}
    return word_or_map(words, {name: definitions.pop(name) for name in plugs}, {"type": ["string", "null"]})


def schema_text(schema: Schema) -> str:
    """The schema as the text of a file: the same bytes every time."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
