"""Agenta: evaluator definitions (`{uri, parameters}`), and exported test sets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from evaluators.guide.converting.converter import (
    ASKS_JUDGE,
    Conversion,
    ConvertedEvaluator,
    Converter,
    MappingNote,
    MappingStatus,
    Term,
    TermTable,
    convert_word,
    without_counterpart,
)
from evaluators.guide.converting.sources import (
    ROW_FILES,
    document_tree,
    entries,
    export_header,
    items,
    maps_within,
    plain_data,
    proposed_evaluators,
    remark_on_outputs,
    settings_of_map,
    text_at,
    value_at,
)
from evaluators.suites.nodes import YamlNode

_URI: Final = re.compile(r"agenta:(?:builtin|custom):(?P<key>[a-z_]+):[a-z0-9]+")
_RESERVED: Final = re.compile(r"__\w+__|testcase_dedup_id")

_EXPECTED: Final = Term("correct_answer_key", "expected")
_CASE: Final = Term("case_sensitive", "case_sensitive")
_THRESHOLD: Final = Term("threshold", "pass_at")
_TEXTS: Final = Term(
    "substrings", "substrings", value=lambda value: [part.strip() for part in value.split(",")] if isinstance(value, str) else value
)  # fmt: skip
_MODEL: Final = "it asks a model; a judge is set up in the suite, not taken over"
_CODE: Final = "a program of yours: write it as an evaluator in Python, or as a comparator"


_VARIABLE: Final = re.compile(r"\{\{\s*([\w.$]+)\s*\}\}")
_IN_SINGLE: Final = re.compile(r"(?<!\{)\{\s*([\w.$]+)\s*\}(?!\})")
_OWN_VARIABLES: Final = {
    **dict.fromkeys(("outputs", "output", "prediction"), "output"),
    **dict.fromkeys(("correct_answer", "ground_truth", "reference"), "expected"),
    "inputs": "input",
}
"""Variables of Agenta's prompts that are roles here; others are columns."""


def _rubric(template: Any) -> Any:
    """A rubric from the messages of a prompt: their texts, with variables renamed to roles and columns."""
    messages = template if isinstance(template, list) else [template]
    texts = [message.get("content") if isinstance(message, dict) else message for message in messages]
    text = "\n\n".join(text for text in texts if isinstance(text, str))
    pattern = _VARIABLE if _VARIABLE.search(text) else _IN_SINGLE
    return pattern.sub(lambda match: f"{{{{{_column_of_variable(match[1])}}}}}", text)


def _column_of_variable(variable: str) -> str:
    """The role or the column that a variable of a prompt stands for."""
    name = variable.removeprefix("$.").removeprefix("inputs.")
    return _OWN_VARIABLES.get(name, name)


class Agenta(Converter):
    """Agenta's evaluators and test sets."""

    title: ClassVar[str] = "Agenta"
    reads: ClassVar[str] = (
        "JSON or YAML with evaluator definitions (`{uri, parameters}`, also inside `data`, in lists, or in the older form "
        "`evaluator_key` with `settings_values`), and an exported test set as CSV or JSON."
    )
    marks: ClassVar[str] = (
        r"agenta:(builtin|custom):|\bevaluator_key\b|\btestcases\b|\btestcase_(dedup_)?id\b|__dedup_id__|\bcsvdata\b"
    )
    nothing: ClassVar[tuple[str, str]] = (
        "there is no evaluator and no test set of Agenta",
        "an evaluator has a uri such as agenta:builtin:auto_exact_match:v0, and a test set is a CSV file or has testcases",
    )
    tables: ClassVar[tuple[TermTable, ...]] = (
        TermTable("Evaluators", (
            Term("auto_exact_match", "exact_match", settings=(_EXPECTED,)),
            Term("auto_contains_json", "contains_json", "here a list, and an object beside a stray brace, are found too"),
            Term("field_match_test", "field_match", settings=(Term("json_field", "field"), _EXPECTED)),
            Term(
                "json_multi_field_match", "json_multi_field_match",
                "a path that leads nowhere on both sides is not measured here; there it matches",
                settings=(Term("fields", "fields"), _EXPECTED),
            ),
            Term(
                "auto_json_diff", "json_diff_match",
                "equal nulls, empty lists and objects cost nothing here; in Agenta's code they do",
                settings=(
                    _EXPECTED,
                    Term("compare_schema_only", "compare_schema_only"),
                    Term("predict_keys", "extra_fields", "as Agenta's page says it; its code does the opposite",
                         value=lambda value: "ignore" if value else "penalize"),
                    Term("case_insensitive_keys", "case_insensitive_keys"),
                    _THRESHOLD,
                ),
                always={"pass_at": 0.5},
            ),
            Term("auto_regex_test", "regex_match", settings=(
                Term("regex_pattern", "pattern"), Term("regex_should_match", "should_match"), _CASE,
            )),
            Term("auto_starts_with", "starts_with", settings=(Term("prefix", "prefix"), _CASE)),
            Term("auto_ends_with", "ends_with", settings=(Term("suffix", "suffix"), _CASE)),
            Term("auto_contains", "contains", settings=(Term("substring", "substring"), _CASE)),
            Term("auto_contains_any", "contains_any", settings=(_TEXTS, _CASE)),
            Term("auto_contains_all", "contains_all", settings=(_TEXTS, _CASE)),
            Term(
                "auto_similarity_match", "similarity",
                "counts shared words, as Agenta's page says; `method: characters` is nearer to its code",
                settings=(_EXPECTED, _CASE, _THRESHOLD, Term("similarity_threshold", "pass_at")),
            ),
            Term("auto_levenshtein_distance", "levenshtein", settings=(_EXPECTED, _CASE, _THRESHOLD)),
            Term("match", None, "a tree of matchers: write one evaluator for each, and combine them with `weighted_mean`"),
            Term("auto_ai_critique", "llm_judge", ASKS_JUDGE, settings=(
                Term("prompt_template", "rubric", "the messages one after the other; names of variables are names of columns",
                     value=lambda value: _rubric(value)),
                _EXPECTED,
                _THRESHOLD,
                *(Term(name, None, "the suite's judge says who is asked, and how its answer is read") for name in (
                    "model", "version", "template_format", "response_type", "json_schema", "connection",
                )),
            )),
            Term("auto_semantic_similarity", None, _MODEL),
            Term("auto_custom_code_run", None, _CODE),
            Term("code", None, _CODE),
            Term("auto_webhook_test", None, "a suite calls no address"),
            Term("hook", None, "a suite calls no address"),
            Term("llm", None, _MODEL),
            Term("feedback", None, "answers of people; put them into a column and compare that"),
            Term("mock", None, "it scores nothing"),
            Term("rag_faithfulness", None, _MODEL),
            Term("rag_context_relevancy", None, _MODEL),
        )),
        TermTable("Columns of a test set", (
            Term("correct_answer", "expected"),
            Term("__id__", "id"),
            Term("testcase_id", "id"),
            Term("testcase_dedup_id", None, "Agenta's own; the column stays in the file and is not used"),
            Term("__dedup_id__", None, "Agenta's own; the column stays in the file and is not used"),
            Term("__flags__", None, "Agenta's own; the column stays in the file and is not used"),
            Term("__tags__", None, "Agenta's own; the column stays in the file and is not used"),
            Term("__meta__", None, "Agenta's own; the column stays in the file and is not used"),
        )),
    )  # fmt: skip

    def read(self, file: Path, conversion: Conversion) -> None:
        """Reads one file and adds what it says to the conversion: definitions become evaluators, an export becomes the test set."""
        if file.suffix.lower() in ROW_FILES:
            self._add_table(file, conversion)
        else:
            self._add_document(file, conversion)

    def proposed(self, conversion: Conversion, source: str) -> Sequence[ConvertedEvaluator | MappingNote]:
        """The evaluators that fit the rows of an export; none without one."""
        return proposed_evaluators(conversion, source, normalized=False) if conversion.test_set or conversion.rows else ()

    def _add_document(self, file: Path, conversion: Conversion) -> None:
        """Adds the evaluators that are defined in a JSON or YAML file, and the rows of test sets in it."""
        tree = document_tree(file)
        for node, around in maps_within(tree):
            uri, key = text_at(node, "uri"), text_at(node, "evaluator_key")
            if uri is not None or key is not None:
                conversion.parts.append(self._evaluator_of_definition(node, around, uri or key or ""))
        conversion.rows += _testcase_rows(tree)

    def _evaluator_of_definition(
        self, node: YamlNode, around: tuple[YamlNode, ...], written: str
    ) -> ConvertedEvaluator | MappingNote:
        """The evaluator that a definition becomes, or why it becomes none.

        `node` is the map of the definition, `around` has the maps around it, `written` is its uri or its evaluator_key.
        """
        match = _URI.fullmatch(written)
        slug = match["key"] if match else written
        place = entries(node)["uri" if "uri" in entries(node) else "evaluator_key"].key.place
        evaluators, _ = self.tables
        word = evaluators.find(slug)
        if word is None:
            return without_counterpart(place, written, "this converter does not know it")
        parameters = settings_of_map(
            value_at(node, "parameters") or value_at(node, "settings_values") or value_at(node, "settings")
        )
        if "threshold" in parameters and "similarity_threshold" in parameters:
            del parameters["similarity_threshold"]  # as Agenta reads the two
        # null, and a threshold of 0, count as not set
        empty = [
            name
            for name, value in parameters.items()
            if value.value is None or (name == "threshold" and value.value == 0)
        ]
        settings = {name: value for name, value in parameters.items() if name not in empty}
        made = convert_word(word, place, settings, _evaluator_name(node, around))
        if isinstance(made, ConvertedEvaluator) and made.asks_judge and not made.settings.get("rubric"):
            return without_counterpart(place, slug, "it has no prompt_template")
        if isinstance(made, ConvertedEvaluator):
            note = "nothing is set, so what holds without it holds"
            made.findings += [
                MappingNote(parameters[name].place, f"{slug}, {name}", MappingStatus.NOTED, note) for name in empty
            ]  # fmt: skip
        return made

    def _add_table(self, file: Path, conversion: Conversion) -> None:
        """Makes an export of rows the test set, with the columns whose names are known for a role."""
        header = export_header(file, conversion.reading)
        conversion.test_set = {"file": str(file)}
        columns: dict[str, str] = {}
        for column in header:
            word = self.tables[1].find(column)  # the columns of test sets
            if word is None:
                continue
            has_role = word.here is not None and word.here not in columns
            if word.here is not None and has_role:
                columns[word.here] = column
            kind = MappingStatus.SAME if has_role else MappingStatus.NONE
            conversion.test_set_findings.append(
                MappingNote(f"{file} column {json.dumps(column)}", column, kind, word.note)
            )
        if columns:
            conversion.test_set["columns"] = columns
        remark_on_outputs(conversion, file, header)


def _evaluator_name(node: YamlNode, around: tuple[YamlNode, ...]) -> str | None:
    """The name or slug of an evaluator, in its own map or in the one around it; None where neither has one."""
    for map_node in (node, *around[:1]):
        if (name := text_at(map_node, "name") or text_at(map_node, "slug")) is not None:
            return name
    return None


def _testcase_rows(tree: YamlNode) -> list[dict[str, Any]]:
    """The rows of an exported test set in JSON, without Agenta's own columns."""
    nodes: list[YamlNode] = []
    for node, _ in maps_within(tree):
        nodes += [*items(value_at(node, "testcases")), *items(value_at(node, "csvdata"))]
    if not nodes and items(tree) and not any("uri" in entries(node) for node, _ in maps_within(tree)):
        nodes = [item for item in items(tree) if "evaluator_key" not in entries(item)]
    rows = []
    for number, testcase in enumerate(nodes, 1):
        data = plain_data(value_at(testcase, "data") or testcase)
        if isinstance(data, dict):
            cells = {name: value for name, value in data.items() if not _RESERVED.fullmatch(name)}
            rows.append({"id": text_at(testcase, "id") or data.get("__id__") or str(number), **cells})
    return rows
