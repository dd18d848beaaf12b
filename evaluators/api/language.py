"""The JSON Schema of the whole language: the suite's own sections, and those of the rooms above it.

What `explain` says of the words of the language that are no evaluator, comparator or transform: keys, and the values of keys.

Everything comes from the JSON Schema of the language, which is made from the settings themselves; `docs/suite.schema.json` is
that schema. Only the metrics, whose names the schema lists, and the words of reports are described here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import asdict
from pydantic import Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from evaluators.model.registry import Socket
from evaluators.model.settings import READ_AS, Settings
from evaluators.model.words import FIELD_WORDS, ROW_WORDS, VERDICT_WORDS
from evaluators.reports.document import Item, Listing, Page, Paragraph, Section
from evaluators.reports.tracking.tracker import TRACKERS
from evaluators.runs.compare.compare_section import CompareConfig
from evaluators.runs.engines.engine import ENGINES
from evaluators.runs.gates import AnyGateConfig, ScoreMetric
from evaluators.runs.metric_table import METRIC_MEANINGS
from evaluators.runs.results_section import ResultsConfig, StatisticsConfig
from evaluators.runs.suite_sections import ConfidenceConfig, LimitsConfig, NumericColumnConfig, RepeatsConfig
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.named_comparators import NEIGHBOURS
from evaluators.scoring.judges.judge import JUDGES
from evaluators.scoring.values.quoting import first_texts, flow_text
from evaluators.suites.extends import preset_names
from evaluators.suites.schema import (
    Schema,
    definitions_of,
    first_sentence,
    language_definitions,
    word_or_map,
)
from evaluators.testsets.platforms.mlflow import MLflowRows
from evaluators.testsets.platforms.phoenix import PhoenixRows
from evaluators.testsets.query_settings import DatabaseConnection
from evaluators.testsets.test_set_config import TestSetConfig

_TAKEN: Final = "|".join([*COMPARATORS.shipped_names(), "skip", *NEIGHBOURS])
EvaluatorShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "evaluator"})]
OwnComparatorShape: TypeAlias = Annotated[Any, WithJsonSchema({READ_AS: "comparator.definition"})]
RowColumn: TypeAlias = Annotated[str, Field(pattern=r"^row\.\s*\S")]


class SuiteShape(Settings):
    """A suite: which evaluators score the rows of a test set, and what the metrics must reach."""

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
    """Columns by whose values every metric is also given: `[row.supplier]`."""
    test_set: str | TestSetConfig | None = None
    """The rows: a CSV file or another kind of test set, and which columns play which role."""
    statistics: StatisticsConfig | None = None
    """What intervals are to know of the rows: which of them belong together."""
    repeats: Literal["id"] | RowColumn | RepeatsConfig | None = None
    """Which rows are several outputs of one question: `row.question_id`, or `id`."""
    confidence: RowColumn | ConfidenceConfig | None = None
    """How sure the model was of each row: `row.conf`, a number from 0 to 1."""
    measures: dict[str, RowColumn | NumericColumnConfig] | None = None
    """Numbers that are in a column already, such as cost or latency: `{cost: row.cost_usd}`."""
    gates: dict[str, AnyGateConfig | list[AnyGateConfig]] | None = None
    """Limits on the metrics of a run: `EVALUATOR: {fail_below: 0.9}`; `EVALUATOR.FIELD` for one field, `EVALUATOR.*` for each,
    and `fields.*` for those of all evaluators."""
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
    "repeats": RepeatsConfig,
    "confidence": ConfidenceConfig,
    "measures": NumericColumnConfig,
    "gates": AnyGateConfig,
    "compare": CompareConfig,
    "results": ResultsConfig,
    "limits": LimitsConfig,
}
"""The settings of each section that has one model."""
_ELSEWHERE: Final[Mapping[str, type[Settings]]] = {
    "mlflow_rows": MLflowRows, "phoenix_rows": PhoenixRows, "database_connection": DatabaseConnection,
}  # fmt: skip
"""The settings of rows that are in no file, by the names that `test_set` reads them by."""


def language_schema() -> Schema:
    """The schema of a suite with every section: what `docs/suite.schema.json` holds."""
    sections = definitions_of({"suite": SuiteShape, **_SECTIONS, **_ELSEWHERE})
    suite = _inline_sections(sections.pop("suite"), sections)
    definitions = {name: schema for name, schema in sections.items() if name not in _SECTIONS} | language_definitions()
    suite["properties"]["judge"] |= _plug_schema(JUDGES, definitions)
    suite["properties"]["engine"] |= _plug_schema(ENGINES, definitions)
    suite["properties"]["tracking"] |= {"type": ["array", "null"], "items": _plug_schema(TRACKERS, definitions)}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **suite,
        "type": "object",
        "if": {"anyOf": [{"required": ["extends"]}, {"required": ["comparators"]}]},
        "else": {"required": ["evaluators"]},
        "definitions": dict(sorted(definitions.items())),
    }


def is_language_schema(file: Path) -> bool:
    """Whether a file holds a schema of suites, of any version."""
    try:
        schema = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    if not (isinstance(schema, dict) and isinstance(schema.get("properties"), dict) and "definitions" in schema):
        return False
    return {"evaluators", "test_set", "extends"} <= set(schema["properties"])


def _inline_sections(schema: Schema, sections: Mapping[str, Schema]) -> Schema:
    """The schema with each section put in the place of the reference to it."""
    at = {f"#/definitions/{name}": sections[name] for name in _SECTIONS}
    inlined: Schema = json.loads(json.dumps(schema), object_hook=lambda part: at.get(part.get("$ref", ""), part))
    return inlined


def _plug_schema(socket: Socket[Any], definitions: dict[str, Schema]) -> Schema:
    """The schema of a setting that names a plug of the socket: a word, or a map from the word to its settings. Any other word fits,
    too, as other distributions have plugs. Adds to `definitions` those that the plugs' settings refer to."""
    plugs = {name: socket.find(name) for name in socket.shipped_names()}
    definitions |= definitions_of(plugs)
    words = {name: first_sentence(plug) for name, plug in plugs.items()}
    return word_or_map(words, {name: definitions.pop(name) for name in plugs}, {"type": ["string", "null"]})


def schema_text(schema: Schema) -> str:
    """The schema as the text of a file: the same bytes every time."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


_MEANINGS: Final[Mapping[str, str]] = {
    **METRIC_MEANINGS,
    "mean_score": "The same, by the name that is shown; of a schema's field its mean score, partial credit counted.",
    "mean_precision": "The mean of the rows' own precisions.",
    "mean_recall": "The mean of the rows' own recalls.",
    "mean_f1": "The mean of the rows' own F1.",
    "mean_field_score": "The mean of the rows' own means over their fields, with weights, of a schema.",
    "overall_score": "The mean of the rows' overall scores, of a schema with evaluation_config.",
    "field_score": "The mean score of all fields, of a schema with evaluation_config.",
    "overall_pass_rate": "The share of all fields that pass, of a schema with evaluation_config.",
    "not_given_rate": "Of the fields that `grounded` lists, the share that the outputs lack or leave null.",
    "chance_rate": "Of the values that `grounded` looks up, the share that is also found in the sources of other rows.",
    **{
        f"{average}_{metric}": f"The {metric if metric != 'f1' else 'F1'} of labels: {how}."
        for average, how in (
            ("macro", "the mean over the labels, each counting the same"),
            ("micro", "of all rows together; of an evaluator with fields, of all values of all rows"),
            ("weighted", "the mean over the labels, each counting as often as it is expected"),
        )
        for metric in ("precision", "recall", "f1")
    },
}
METRICS: Final[Mapping[str, str]] = {name: _MEANINGS[name] for name in get_args(ScoreMetric)}
"""What each metric of a gate is."""
OF_A_FIELD: Final[Mapping[str, str]] = {words.plain: words.meaning for words in FIELD_WORDS.values()}
"""What reports say that became of a field, as the glossary has it."""
OF_A_ROW: Final[Mapping[str, str]] = {
    words.plain: words.meaning for words in (*ROW_WORDS.values(), *VERDICT_WORDS.values())
}
"""What reports say that became of a row, as the glossary has it."""
_REPORTS: Final = {"what became of a field, in reports": OF_A_FIELD, "what became of a row, in reports": OF_A_ROW}
_MOST_PLACES: Final = 4
_MANY: Final = 25


class WordUse(Struct, frozen=True):
    """One thing that a word is in the language. `places` are where it may stand, in words."""

    does: str
    places: tuple[str, ...]
    facts: tuple[str, ...] = ()


def language_words() -> tuple[str, ...]:
    """Every key of a suite, every word that a key takes and the words of reports, sorted."""
    return tuple(sorted(_word_uses()))


def word_page(word: str) -> Page:
    """The page of a word that `language_words` lists."""
    uses = _word_uses()[word]
    items = tuple(Item(_places_text(use), (use.does, *use.facts)) for use in uses)
    in_suites = not all(place in _REPORTS for use in uses for place in use.places)
    lead = Paragraph("A word of the language of suites." if in_suites else "A word of reports.")
    return Page(word, (Section(None, (lead, Listing(items))),))


def word_data(word: str) -> list[dict[str, Any]]:
    """The uses of a word, as plain data for programs."""
    return [{"word": word, **asdict(use)} for use in _word_uses()[word]]


def _places_text(use: WordUse) -> str:
    """The places of a use, in words; all evaluators together where there are many."""
    others = tuple(place for place in use.places if not place.startswith("evaluator "))
    places = ("any evaluator", *others) if len(use.places) - len(others) > _MANY else use.places
    return first_texts(places, _MOST_PLACES)


@cache
def _word_uses() -> dict[str, tuple[WordUse, ...]]:
    """The uses of each word, by word. Places at which a word is the same thing are one use."""
    gathered: dict[str, dict[tuple[str, tuple[str, ...]], list[str]]] = {}
    for word, place, does, facts in _words_below(language_schema(), ""):
        gathered.setdefault(word, {}).setdefault((does, facts), []).append(place)
    for place, words in _REPORTS.items():
        for word, does in words.items():
            gathered.setdefault(word, {}).setdefault((f"{does[0].upper()}{does[1:]}.", ()), []).append(place)
    return {
        word: tuple(WordUse(does, tuple(dict.fromkeys(places)), facts) for (does, facts), places in uses.items())
        for word, uses in gathered.items()
    }


def _words_below(node: Any, path: str) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yields (word, place, does, facts) for every key below `node`, a part of the schema, and for every word that a key takes: where it
    may stand, what it does, and its types and default. `path` is the key or the definition that the part belongs to."""
    if isinstance(node, list):
        for each in node:
            yield from _words_below(each, path)
    if not isinstance(node, dict):
        return
    for key, value in _keys_with_aliases(node):
        does = str(value.get("description") or "")
        if does:
            yield key, _place_words(path), " ".join(does.partition("\n\n")[0].split()), _facts(value)
        for word in _enum_words(value):
            if text := METRICS.get(word, does) if key == "metric" else does:
                yield word, f"a value of `{key}`", text, ()
        yield from _words_below(value, key)
    for key, value in node.items():
        if key == "definitions":
            for name, inner in value.items():
                yield from _words_below(inner, name)
        elif key not in ("properties", "patternProperties", "dependencies"):
            yield from _words_below(value, path)


def _keys_with_aliases(node: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (key, schema) for each key of a part of the schema, and after it for its other spellings, which stand in a pattern."""
    patterns = node.get("patternProperties") or {}
    for key, value in (node.get("properties") or {}).items():
        if isinstance(value, dict):
            yield key, value
            for pattern in (pattern for pattern, same in patterns.items() if same == value):
                yield from ((word, value) for word in pattern[2:-2].split("|"))


def _enum_words(schema: Mapping[str, Any]) -> dict[str, None]:
    """The words that a key takes, by the `enum`s of its schema, each once, in order; not those of the keys below it."""
    words = (word for part in _with_subschemas(schema, _CHOICES) for word in part.get("enum", ()))
    return dict.fromkeys(word for word in words if isinstance(word, str))


def _facts(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Short texts on a setting: the words that it takes, the keys below it, and its default."""
    facts, default = [], schema.get("default")
    if words := _enum_words(schema):
        facts.append(f"takes: {', '.join(words)}")
    parts = _with_subschemas(schema, (*_CHOICES, "additionalProperties"))
    if below := dict.fromkeys(key for part in parts for key, _ in _keys_with_aliases(part)):
        facts.append(f"its keys: {', '.join(below)}")
    if default is not None:
        facts.append(f"without it: {flow_text(default)}")
    return tuple(facts)


_CHOICES: Final = ("if", "then", "else", "anyOf", "oneOf", "allOf", "items")


def _with_subschemas(schema: Any, keys: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """Yields a JSON Schema, or those of a list, and every schema inside that is reached through `keys` alone, such as `anyOf`."""
    if isinstance(schema, list):
        for each in schema:
            yield from _with_subschemas(each, keys)
    elif isinstance(schema, dict):
        yield schema
        for key in keys:
            yield from _with_subschemas(schema.get(key), keys)


def _place_words(path: str) -> str:
    """The place of a word: `at the top of a suite`, `under gates`, `evaluator contains_json`."""
    kind, dot, name = path.partition(".")
    if dot:
        return "of a " + kind if name == "definition" else f"{kind} {name}"
    return f"under `{path}`" if path else "at the top of a suite"
