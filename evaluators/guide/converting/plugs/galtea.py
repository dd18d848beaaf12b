"""Galtea: lists of metrics, exported evaluations, and tests as CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from evaluators.guide.converting.converter import (
    Conversion,
    ConvertedEvaluator,
    Converter,
    ForeignValue,
    MappingNote,
    Term,
    TermTable,
    convert_word,
    without_counterpart,
)
from evaluators.guide.converting.python_source import NotLiteral, PythonFile
from evaluators.guide.converting.sources import (
    ROW_FILES,
    document_tree,
    export_header,
    items,
    maps_within,
    numbered_rows,
    plain_data,
    proposed_evaluators,
    remark_on_outputs,
    text_at,
    value_at,
)

_THRESHOLD: Final = "Galtea's pass threshold is 0.5 unless it is set; without `pass_at` it is 1.0 here"
_JSON: Final = f"{_THRESHOLD}; an output without a JSON object scores 0.0, where Galtea skips the row"
_JUDGED: Final = "it asks a model; a judge is set up in the suite, not taken over"
_SETTINGS: Final = (
    Term("threshold", "pass_at"),
    Term("pass_threshold", "pass_at"),
    Term("passThreshold", "pass_at"),
    Term("score", None, "a score that was worked out elsewhere; a suite works it out from the row"),
)
_HALF: Final = {"pass_at": 0.5}


class Galtea(Converter):
    """Galtea's metrics, tests and exported evaluations."""

    title: ClassVar[str] = "Galtea"
    reads: ClassVar[str] = (
        "JSON or YAML with the names of metrics (a list, or a map with `metrics`), a Python file whose calls have `metrics=[…]`, "
        "exported evaluations as CSV (with a column Metric), and a test as CSV."
    )
    marks: ClassVar[str] = r"(?i)\bgaltea\b|JSON Field Match|^\W*Score\W+Metric\b|\binstance_id\b"
    nothing: ClassVar[tuple[str, str]] = (
        "there is no metric and no test of Galtea",
        'metrics are named like "JSON Field Match (Normalized)", in a list or below the key metrics',
    )
    tables: ClassVar[tuple[TermTable, ...]] = (
        TermTable("Metrics", (
            Term("JSON Field Match", "json_field_match", _JSON, _SETTINGS, _HALF),
            Term("JSON Field Match (Normalized)", "json_field_match_normalized", _JSON, _SETTINGS, _HALF),
            Term("JSON Field Match (Strict)", "json_field_match", _JSON, _SETTINGS, {"extra_fields": "penalize", **_HALF}),
            Term(
                "JSON Field Match (Normalized, Strict)", "json_field_match_normalized", _JSON, _SETTINGS,
                {"extra_fields": "penalize", **_HALF},
            ),
            Term(
                "Text Similarity", "levenshtein",
                "Galtea's page does not say how the distance becomes a score; here it is divided by the longer text",
                _SETTINGS, _HALF,
            ),
            Term(
                "Text Match", "levenshtein", "the score is the likeness itself, where Galtea says 1 above 85 % and 0 below",
                _SETTINGS, {"pass_at": 0.85},
            ),
            Term("BLEU", None, "metrics of shared word groups are not worked out here"),
            Term("ROUGE", None, "metrics of shared word groups are not worked out here"),
            Term("METEOR", None, "metrics of shared word groups are not worked out here"),
            Term("IOU", None, "metrics of areas in pictures are not worked out here"),
            Term("Spatial Match", None, "metrics of areas in pictures are not worked out here"),
            Term("Tool Correctness", None, "put the names of the tools into a column and compare it with `any_order`"),
            Term("URL Validation", None, "a suite opens no addresses; `regex_match` checks how they are written"),
            Term("Factual Accuracy", None, _JUDGED),
            Term("Answer Relevancy", None, _JUDGED),
            Term("Faithfulness", None, _JUDGED),
            Term("Self-hosted", None, "a program of yours: write it as an evaluator in Python"),
        )),
        TermTable("Columns of a file", (
            Term("Input", "input"),
            Term("Output", "output"),
            Term("Actual Output", "output"),
            Term("actual_output", "output"),
            Term("Expected Output", "expected"),
            Term("expected_output", "expected"),
            Term("instance_id", "id"),
            Term("Metric", "when", "each metric is for the rows that name it"),
            Term("tag", "slices"),
            Term("Version", "slices"),
            Term("Score", None, "Galtea's own score; it stays in the file, to compare with"),
        )),
    )  # fmt: skip

    def read(self, file: Path, conversion: Conversion) -> None:
        """Reads one file and adds what it says to the conversion: metrics become evaluators, a CSV file becomes the test set."""
        if file.suffix.lower() in ROW_FILES:
            self._add_table(file, conversion)
        elif file.suffix.lower() == ".py":
            self._add_python(file, conversion)
        else:
            self._add_document(file, conversion)

    def proposed(self, conversion: Conversion, source: str) -> Sequence[ConvertedEvaluator | MappingNote]:
        """An evaluator to begin with, chosen by the expected answers of a test, and a note on it; nothing for an export without rows.
        `source` is the place that the note names. Case and accents are set aside, as there."""
        return proposed_evaluators(conversion, source, normalized=True) if conversion.test_set else ()

    def evaluator_of_metric(
        self, name: str, where: str, arguments: dict[str, ForeignValue] | None = None
    ) -> ConvertedEvaluator | MappingNote:
        """The evaluator for a metric's name, however it is spaced and capitalised, or the note that it has no counterpart."""
        word = next((word for word in self.tables[0].words if _plain(word.theirs) == _plain(name)), None)
        if word is None:
            note = "this converter does not know it; judged metrics and those of your own are not taken over"
            return without_counterpart(where, name, note)
        return convert_word(word, where, arguments or {}, name.strip())

    def _add_document(self, file: Path, conversion: Conversion) -> None:
        """Adds the evaluators of a YAML or JSON file: of the metrics that are listed as plain names, then of every map with a `name`,
        with the settings beside it."""
        tree = document_tree(file)
        listed = items(tree) or items(value_at(tree, "metrics"))
        for item in listed:
            if isinstance(item.value, str):
                conversion.parts.append(self.evaluator_of_metric(item.value, item.spot.place))
        for node, _ in maps_within(tree):
            if (name := text_at(node, "name")) is not None:
                known = {setting.theirs for setting in _SETTINGS}
                arguments = {
                    key: ForeignValue(plain_data(entry.node), entry.key.place)
                    for key, entry in (node.value.items() if isinstance(node.value, dict) else ())
                    if key in known
                }
                conversion.parts.append(self.evaluator_of_metric(name, node.spot.place, arguments))

    def _add_python(self, file: Path, conversion: Conversion) -> None:
        """Adds the evaluators of the metrics that calls in a Python file name as `metrics=` or `metric_name=`. A value that is not
        literal becomes a note."""
        python = PythonFile(file)
        for call in python.calls():
            for keyword in call.node.keywords:
                if keyword.arg not in ("metrics", "metric_name"):
                    continue
                place = python.place(keyword.value)
                try:
                    value = python.value(keyword.value)
                except NotLiteral as error:
                    conversion.parts.append(without_counterpart(error.place, f"{keyword.arg}=", error.note))
                    continue
                for name in _metric_names(value):
                    conversion.parts.append(self.evaluator_of_metric(name, place))

    def _add_table(self, file: Path, conversion: Conversion) -> None:
        """Makes a file with rows the test set: known headers become roles and slices, each with a note, and the metrics of a column
        `Metric` become evaluators."""
        header = export_header(file, conversion.reading)
        conversion.test_set = {"file": str(file)}
        columns: dict[str, str] = {}
        metric_column = None
        for column in header:
            word = self._term_of_column(column)
            if word is None:
                continue
            kind = word.status
            if word.here == "slices":
                conversion.slices.append(f"row.{column}")
            elif word.here == "when":
                metric_column = column
            elif word.here is not None and word.here not in columns:
                columns[word.here] = column
            conversion.test_set_findings.append(
                MappingNote(f"{file} column {json.dumps(column)}", column, kind, word.note)
            )
        if columns:
            conversion.test_set["columns"] = columns
        remark_on_outputs(conversion, file, header)
        if metric_column is not None:
            self._add_metrics_in(file, metric_column, conversion)

    def _term_of_column(self, column: str) -> Term | None:
        """The term for the name of a column, however it is spaced and capitalised; None for an unknown one."""
        return next((word for word in self.tables[1].words if _plain(word.theirs) == _plain(column)), None)

    def _add_metrics_in(self, file: Path, column: str, conversion: Conversion) -> None:
        """Adds an evaluator for each metric that a column names, at the first row that names it. Of several, each is for its own rows
        only (`when`)."""
        first: dict[str, int] = {}
        for number, row in numbered_rows(file, conversion.reading)[1]:
            if isinstance(row[column], str):
                first.setdefault(row[column], number)
        for name, number in first.items():
            made = self.evaluator_of_metric(name, f"{file} row {number}, column {json.dumps(column)}")
            if isinstance(made, ConvertedEvaluator) and len(first) > 1:
                made.when = {f"row.{column}": name}
            conversion.parts.append(made)


def _plain(name: str) -> str:
    """The letters and digits of a name, without case."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _metric_names(value: Any) -> Iterator[str]:
    """The names of metrics in a value or a list of values: texts, and the `name` of maps. Anything else is passed over."""
    for name in value if isinstance(value, list) else [value]:
        if isinstance(name, str):
            yield name
        elif isinstance(name, dict) and isinstance(name.get("name"), str):
            yield name["name"]
