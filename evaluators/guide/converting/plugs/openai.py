"""OpenAI Evals: the `testing_criteria` of an eval, and its items as JSON lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from evaluators.guide.converting.converter import (
    ASKS_JUDGE,
    Conversion,
    ConvertedEvaluator,
    Converter,
    MappingNote,
    Term,
    TermTable,
    without_counterpart,
)
from evaluators.guide.converting.promptfoo_values import TypeAndSettings, Unconvertible
from evaluators.guide.converting.sources import (
    cells_of,
    document_tree,
    entries,
    export_header,
    items,
    maps_within,
    plain_data,
    text_at,
    value_at,
)
from evaluators.model.rows import MISSING
from evaluators.suites.nodes import YamlNode

_TEMPLATE: Final = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_GROUPS: Final = "metrics of shared word groups are not worked out here"
_OUTPUT: Final = "sample.output_text"
_LINES: Final = (".jsonl", ".ndjson")


class OpenAI(Converter):
    """The graders of OpenAI Evals, as far as they are data."""

    title: ClassVar[str] = "OpenAI Evals"
    reads: ClassVar[str] = (
        "An eval as JSON or YAML, with its `testing_criteria`, and items as JSON lines (`{\"item\": {…}}`, with or without a `sample`, or "
        "output items of a run). Items become rows, which `--rows` writes. What the dashboard exports is a file of promptfoo."
    )  # fmt: skip
    marks: ClassVar[str] = r"""testing_criteria|^\s*\{\s*"(item|datasource_item)"|"object"\s*:\s*"eval\b"""
    nothing: ClassVar[tuple[str, str]] = (
        "there are no testing_criteria of OpenAI Evals",
        "an eval has the key testing_criteria; give it first, and its items after it: evaluators convert eval.json items.jsonl",
    )
    tables: ClassVar[tuple[TermTable, ...]] = (
        TermTable("Graders", (
            Term("string_check, eq", "exact_match"),
            Term("string_check, ne", "regex_match", "for a text in place of a template; a column is not negated here",
                 always={"should_match": False}),
            Term("string_check, like", "contains"),
            Term("string_check, ilike", "contains", always={"case_sensitive": False}),
            Term("text_similarity, fuzzy_match", "levenshtein", "near to it: edits here, another measure of the same texts there"),
            Term("text_similarity, cosine", None, "a batch function of yours, registered as `semantic`"),
            *(Term(f"text_similarity, {name}", None, _GROUPS) for name in (
                "bleu", "gleu", "meteor", "rouge_1", "rouge_2", "rouge_3", "rouge_4", "rouge_5", "rouge_l",
            )),
            Term("label_model", "llm_judge", ASKS_JUDGE),
            Term("score_model", "llm_judge", ASKS_JUDGE),
            Term("python", None, "a program of yours: write it as an evaluator in Python"),
            Term("multi", None, "write one evaluator for each grader, and combine them with `weighted_mean`"),
            Term("endpoint", None, "a suite calls no address"),
        )),
        TermTable("Keys of a grader", (
            Term("name", "name"),
            Term("input", "output", "for models the rubric, in which `{{ item.x }}` becomes `{{x}}`"),
            Term("reference", "expected"),
            Term("operation", "the type"),
            Term("evaluation_metric", "the type"),
            Term("pass_threshold", "pass_at", "of a score_model on the scale from 0 to 1"),
            Term("range", "scale"),
            Term("labels", "rubric", "named at its end"),
            Term("passing_labels", "rubric", "named at its end"),
            Term("model", None, "the suite's judge says which model is asked"),
            Term("sampling_params", None, "the suite's judge says how it is asked"),
            Term("image_tag", None, "no program is run"),
        )),
        TermTable("Templates and rows", (
            Term("{{ item.NAME }}", "the column NAME"),
            Term("{{ sample.output_text }}", "the column output"),
            Term("item", "columns"),
            Term("datasource_item", "columns"),
            Term("sample", "output"),
        )),
    )  # fmt: skip

    def read(self, file: Path, conversion: Conversion) -> None:
        """Reads one file and adds what it says to the conversion: criteria become evaluators, lines of items become rows."""
        if file.suffix.lower() in _LINES:
            conversion.rows += _rows(file, len(conversion.rows), conversion.reading)
            return
        tree = document_tree(file)
        for node, _ in maps_within(tree):
            for item in items(value_at(node, "testing_criteria")):
                conversion.parts.append(self._evaluator_of_grader(item))
                if (name := text_at(node, "name")) is not None:
                    conversion.name = name

    def _evaluator_of_grader(self, node: YamlNode) -> ConvertedEvaluator | MappingNote:
        """The evaluator for one grader, with notes on it and on its keys that are not taken over; or the note that says why it has no
        counterpart."""
        kind, place = text_at(node, "type") or "", node.spot.place
        called = {"string_check": "operation", "text_similarity": "evaluation_metric"}.get(kind)
        theirs = f"{kind}, {text_at(node, called) or ''}" if called is not None else kind
        word = self.tables[0].find(theirs)
        if word is None or word.here is None:
            known = word.note if word is not None else "this converter does not know it"
            return without_counterpart(place, theirs or "a grader", known)
        try:
            type_, settings = _SHAPES[kind](node, word)
        except Unconvertible as error:
            return without_counterpart(place, theirs, str(error))
        findings = [MappingNote(place, theirs, word.status, word.note)]
        quiet = {line.theirs: line.note for line in self.tables[1].words if line.here is None}
        findings += [without_counterpart(place, f"{theirs}, {key}", quiet[key]) for key in entries(node) if key in quiet]
        return ConvertedEvaluator(type_, text_at(node, "name") or theirs.partition(",")[0], settings, findings)


def _column(variable: str) -> str:
    """The column that a template names. Raises Unconvertible for what is no column of a row."""
    head, _, name = variable.partition(".")
    if variable == _OUTPUT:
        return "output"
    if head != "item" or not name or "." in name:
        raise Unconvertible(
            f"of templates, `{{{{ item.NAME }}}}` and `{{{{ {_OUTPUT} }}}}` are columns; found {variable}"
        )
    return _item_column(name)


def _item_column(name: str) -> str:
    """The column for a key of an item: its name, but `output_item` for "output", which is the column of the model's answer."""
    return "output_item" if name == "output" else name


def _column_or_text(text: str | None) -> tuple[str | None, str]:
    """(column, ""): for a side of a comparison that is one template; (None, text) for one that is plain text. Raises Unconvertible for a
    missing side, and for text around a template."""
    if text is None:
        raise Unconvertible("one side of the comparison is missing")
    whole = _TEMPLATE.fullmatch(text.strip())
    if whole is not None:
        return _column(whole[1]), ""
    if "{{" in text:
        raise Unconvertible("a text around a template is not put together here; make a column of it")
    return None, text


def _compared_sides(node: YamlNode) -> tuple[dict[str, Any], str | None, str]:
    """(settings, column, text): the settings that say which output is compared, then the reference as a column or as a text. Raises
    Unconvertible where the input is no template."""
    output, _ = _column_or_text(text_at(node, "input"))
    if output is None:
        raise Unconvertible("its input is a text, not a template")
    column, text = _column_or_text(text_at(node, "reference"))
    return ({} if output == "output" else {"output": output}), column, text


def _string_check(node: YamlNode, word: Term) -> TypeAndSettings:
    """An evaluator for a `string_check`, by its operation and by whether its reference is a column or a text. Raises Unconvertible, for
    `ne` with a column among others."""
    settings, column, text = _compared_sides(node)
    match text_at(node, "operation"):
        case "eq" if column is not None:
            return "exact_match", {**settings, "expected": column}
        case "eq":
            return "correctness", {**settings, "answer": text, "normalize": False}
        case "ne" if column is not None:
            raise Unconvertible("that an output differs from a column is not checked here")
        case "ne":
            return "regex_match", {**settings, "pattern": rf"(?s)\A{re.escape(text)}\Z", **word.always}
    return "contains", {**settings, "substring": text if column is None else {"column": column}, **word.always}


def _text_similarity(node: YamlNode, word: Term) -> TypeAndSettings:
    """An evaluator for a `text_similarity` whose reference is a column. Raises Unconvertible where the reference is a text."""
    settings, column, _ = _compared_sides(node)
    if column is None:
        raise Unconvertible("its reference is a text; put it into a column")
    return str(word.here), {**settings, "expected": column, **_pass_at(node, 0.0, 1.0)}


def _pass_at(node: YamlNode, low: float, high: float) -> dict[str, Any]:
    """The setting `pass_at` for a `pass_threshold`, moved from the scale `low` to `high` onto 0 to 1; empty where no number is written."""
    limit = _plain_value(node, "pass_threshold")
    if not isinstance(limit, int | float) or isinstance(limit, bool):
        return {}
    return {"pass_at": min(max((limit - low) / (high - low), 0.0), 1.0)}


def _plain_value(node: YamlNode, key: str) -> Any:
    """The plain data of a key; None where the key is not there."""
    value = value_at(node, key)
    return plain_data(value) if value is not None else None


def _rubric(node: YamlNode) -> str:
    """The rubric of a grader that asks a model: the texts of its messages, with templates as columns. Raises Unconvertible where there is
    no text."""
    texts = [text for item in items(value_at(node, "input")) for text in _texts_of(_plain_value(item, "content"))]
    if not texts:
        raise Unconvertible("its input has no text")
    return _TEMPLATE.sub(lambda match: f"{{{{{_column(match[1])}}}}}", "\n\n".join(texts))


def _texts_of(content: Any) -> list[str]:
    """The texts in the content of a message, which is a text, or a list of texts and of parts with a `text`."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return [text for text in texts if isinstance(text, str)]


def _label_model(node: YamlNode, word: Term) -> TypeAndSettings:
    """An `llm_judge` for a `label_model`; its rubric ends with the labels, and with which of them pass."""
    labels, passing = (_plain_value(node, key) or [] for key in ("labels", "passing_labels"))
    instruction = (
        f"The labels are {_labels_text(labels)}. The score is 1 for {_labels_text(passing)}, and 0 for any other label."
    )
    return "llm_judge", {"rubric": f"{_rubric(node)}\n\n{instruction}"}


def _labels_text(labels: Any) -> str:
    return ", ".join(str(label) for label in labels) if isinstance(labels, list) and labels else "none"


def _score_model(node: YamlNode, word: Term) -> TypeAndSettings:
    """An `llm_judge` for a `score_model`. Without a usable `range` its scale is 0 to 1, and is not written."""
    scale = _plain_value(node, "range")
    numbers = [end for end in scale if isinstance(end, int | float)] if isinstance(scale, list) else []
    low, high = numbers if len(numbers) == 2 and numbers[0] < numbers[1] else (0.0, 1.0)
    scale_setting = {} if (low, high) == (0, 1) else {"scale": [low, high]}
    return "llm_judge", {"rubric": _rubric(node), **scale_setting, **_pass_at(node, low, high)}


_SHAPES: Final[Mapping[str, Callable[[YamlNode, Term], TypeAndSettings]]] = {
    "string_check": _string_check,
    "text_similarity": _text_similarity,
    "label_model": _label_model,
    "score_model": _score_model,
}


def _rows(file: Path, before: int, reading: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a file of items, or of output items of a run. Rows without an id are numbered on from the `before` ones."""
    header = export_header(file, reading)
    cells = cells_of(file, header, reading)
    count = len(cells[header[0]]) if header else 0
    rows = []
    for index in range(count):
        line = {name: cells[name][index] for name in header if cells[name][index] is not MISSING}
        item = line.get("item") or line.get("datasource_item")
        item_columns = {_item_column(name): value for name, value in item.items()} if isinstance(item, dict) else {}
        row = {"id": str(line.get("datasource_item_id", before + index + 1)), **item_columns}
        if (answer := _answer(line.get("sample"))) is not None:
            row["output"] = answer
        rows.append(row)
    return rows


def _answer(sample: Any) -> Any:
    """The output of the model in a sample: its `output_text`, or the texts of its messages; None where there is neither."""
    if not isinstance(sample, dict):
        return None
    if isinstance(sample.get("output_text"), str):
        return sample["output_text"]
    messages = sample.get("output")
    texts = (
        [text for message in messages if isinstance(message, dict) for text in _texts_of(message.get("content"))]
        if isinstance(messages, list)
        else []
    )
    return "\n".join(texts) if texts else None
