"""orbiter: scorers, criteria and scored answers in a Python file."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from evaluators.guide.converting.converter import (
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
from evaluators.guide.converting.python_source import NotLiteral, PythonCall, PythonFile

Made: TypeAlias = list[tuple[PythonCall, ConvertedEvaluator]]
"""The scorers of a file, each with the call that makes it."""
_NAME: Final = "name"
_JUDGED: Final = "it asks a model; a judge is set up in the suite, not taken over"
_ASK_MODEL: Final = (
    "LLMAsJudgeScorer", "OutputQualityScorer", "LogicConsistencyScorer", "ReasoningValidityScorer",
    "ConstraintSatisfactionScorer", "AnswerAccuracyScorer",
)  # fmt: skip
_STEPS: Final = "it scores the steps, the time or the labels of an agent, not an output"

_POSITIONAL: Final = {
    "FormatValidationScorer": ("fmt",),
    "SchemaValidationScorer": ("schema",),
    "OutputCompletenessScorer": ("required_sections",),
    "EvalCriteria": ("metric_name", "threshold"),
    "score": ("case_id", "input", "output"),
}
_NAMED: Final = {
    "SchemaValidationScorer": "schema",
    "OutputCorrectnessScorer": "correctness",
    "OutputLengthScorer": "length",
    "OutputRelevanceScorer": "relevance",
    "OutputCompletenessScorer": "completeness",
}
"""What scorers are called when nobody says; `format_json` and the like are made from the format."""


class Orbiter(Converter):
    """orbiter's rule-based scorers."""

    title: ClassVar[str] = "orbiter"
    reads: ClassVar[str] = (
        "A Python file. Scorers that are made in it become evaluators, `EvalCriteria` become `pass_at`, and calls such as "
        "`scorer.score(\"c1\", None, \"text\")` become rows, which `--rows` writes. The file is read and never run."
    )  # fmt: skip
    marks: ClassVar[str] = (
        r"\borbiter\b|\b(FormatValidation|SchemaValidation|Output(Correctness|Length|Relevance|Completeness))Scorer\b"
    )
    nothing: ClassVar[tuple[str, str]] = (
        "no scorer of orbiter is made in this file",
        'a scorer is made by a call such as FormatValidationScorer("json")',
    )
    tables: ClassVar[tuple[TermTable, ...]] = (
        TermTable("Scorers", (
            Term("FormatValidationScorer", "format_valid", settings=(
                Term("fmt", "format", value=lambda value: value.lower() if isinstance(value, str) else value),
            )),
            Term(
                "SchemaValidationScorer", "json_schema_valid",
                "all of JSON Schema counts here, where orbiter looks at type, required and properties; true is not a number",
                (Term("schema", "schema"),), {"parse": "strict"},
            ),
            Term("OutputCorrectnessScorer", "correctness", settings=(
                Term("ground_truth", "answer"), Term("keywords", "keywords"), Term("normalize", "normalize"),
            )),
            Term("OutputLengthScorer", "length", settings=(Term("min_length", "min"), Term("max_length", "max"))),
            Term(
                "OutputRelevanceScorer", "relevance",
                "punctuation at the ends of words is set aside, as orbiter's page counts; its code does not",
            ),
            Term("OutputCompletenessScorer", "completeness", settings=(
                Term("required_sections", "sections"), Term("sections", "sections"),
            )),
            Term("TrajectoryValidator", None, _STEPS),
            Term("TimeCostScorer", None, _STEPS),
            Term("LabelDistributionScorer", None, _STEPS),
            *(Term(name, None, _JUDGED) for name in _ASK_MODEL),
        )),
        TermTable("Around the scorers", (
            Term("EvalCriteria", "pass_at", "its threshold is 0.5 without one"),
            Term("score", "rows", "an answer that is written in the file becomes a row, and the scorer is for that row"),
            Term("name", "name"),
            Term("parallel", None, "`--workers` says how many rows are scored at a time"),
            Term("repeat_times", None, "one row is one output; write repeated answers as rows of their own"),
        )),
    )  # fmt: skip

    def read(self, file: Path, conversion: Conversion) -> None:
        """Reads one file and adds to the conversion the scorers that are made in it, and what its calls do with them."""
        python = PythonFile(file)
        made: Made = []
        calls = list(python.calls())
        for step in (self._add_scorer, self._apply_call):  # scorers first: what uses them looks them up
            for call in calls:
                try:
                    step(python, call, made, conversion)
                except NotLiteral as error:
                    conversion.parts.append(without_counterpart(error.place, call.name, error.note))

    def _add_scorer(self, python: PythonFile, call: PythonCall, made: Made, conversion: Conversion) -> None:
        """Adds the evaluator for a call that makes a scorer, or a note where it has no counterpart. `made` gets the evaluator with its
        call, too: what uses a scorer is looked up there. Other calls are passed over."""
        word = self.tables[0].find(call.name)
        if word is None:
            return
        arguments = python.literal_arguments(call, _POSITIONAL.get(call.name, ()))
        named = arguments.pop(_NAME, None)
        format_ = str(arguments["fmt"].value if "fmt" in arguments else "json").lower()
        usual = _NAMED.get(word.theirs, f"format_{format_}")
        name = named.value if named is not None and isinstance(named.value, str) and named.value else usual
        part = convert_word(
            word, call.place, {key: value for key, value in arguments.items() if value.value is not None}, name
        )
        conversion.parts.append(part)
        if isinstance(part, ConvertedEvaluator):
            made.append((call, part))

    def _apply_call(self, python: PythonFile, call: PythonCall, made: Made, conversion: Conversion) -> None:
        """Takes over a call that uses the scorers in `made`: a criterion, a scored answer, or the settings of an `Evaluator`. Other
        calls are passed over."""
        if call.name == "EvalCriteria":
            self._apply_criterion(python, call, made, conversion)
        elif call.name == "score":
            self._add_scored_row(python, call, made, conversion)
        elif call.name == "Evaluator" and made:
            self._note_runner_settings(python, call, conversion)

    def _apply_criterion(self, python: PythonFile, call: PythonCall, made: Made, conversion: Conversion) -> None:
        """Sets `pass_at` of the scorers that a criterion names to its threshold, 0.5 without one; adds a note where no scorer has that
        name."""
        line = self.tables[1].find("EvalCriteria")
        arguments = python.literal_arguments(call, _POSITIONAL["EvalCriteria"])
        name = arguments["metric_name"].value if "metric_name" in arguments else None
        threshold = arguments["threshold"].value if "threshold" in arguments else 0.5
        words = [word for _, word in made if word.name == name]
        if not words:
            note = f'no scorer of this file is called "{name}"'
            conversion.parts.append(without_counterpart(call.place, call.name, note))
        for word in words:
            word.settings["pass_at"] = threshold
            note = line.note if line is not None and "threshold" not in arguments else ""
            kind = MappingStatus.NOTED if note else MappingStatus.SAME
            word.findings.append(MappingNote(call.place, call.name, kind, note))

    def _add_scored_row(self, python: PythonFile, call: PythonCall, made: Made, conversion: Conversion) -> None:
        """Adds a row for an answer that is scored in the file, and its id to the rows of the scorer in `made` that it is given to. A call
        on anything else is passed over."""
        scorer = _scorer_of(python, call, made)
        if scorer is None:
            return
        arguments = python.literal_arguments(call, _POSITIONAL["score"])
        taken = {row["id"] for row in conversion.rows}
        wanted = str(arguments["case_id"].value) if "case_id" in arguments else "row"
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        row: dict[str, Any] = {"id": name}
        row["input"] = arguments["input"].value if "input" in arguments else None
        row["output"] = arguments["output"].value if "output" in arguments else None
        conversion.rows.append(row)
        scorer.rows = (*(scorer.rows or ()), name)
        scorer.findings.append(MappingNote(call.place, "score", MappingStatus.SAME))

    def _note_runner_settings(self, python: PythonFile, call: PythonCall, conversion: Conversion) -> None:
        """Adds a note for each argument of an `Evaluator` that has no counterpart here."""
        for keyword in call.node.keywords:
            line = self.tables[1].find(keyword.arg or "")
            if line is not None and line.here is None:
                conversion.parts.append(
                    without_counterpart(python.place(keyword.value), f"Evaluator, {line.theirs}", line.note)
                )


def _scorer_of(python: PythonFile, call: PythonCall, made: Made) -> ConvertedEvaluator | None:
    """The scorer in `made` that a `score` call uses: the one last assigned to its name, or the one made in the call itself; None where it
    is neither."""
    function = call.node.func
    if not isinstance(function, ast.Attribute):
        return None
    made_in = function.value if isinstance(function.value, ast.Call) else None
    if isinstance(function.value, ast.Name):
        value = python.last_assignment(function.value.id, call.node.lineno)
        made_in = value if isinstance(value, ast.Call) else None
    return next((word for other, word in made if other.node is made_in), None)
