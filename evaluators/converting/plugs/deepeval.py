"""deepeval: metrics and test cases in a Python file."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final

from evaluators.converting.converter import (
    ASKS_JUDGE,
    Conversion,
    ConvertedEvaluator,
    Converter,
    Counterpart,
    ForeignValue,
    Word,
    WordFinding,
    WordTable,
    convert_word,
    without_counterpart,
)
from evaluators.converting.python_source import NotLiteral, PythonCall, PythonFile, last_name, schema_of_class

_STEPS: Final = "it scores the steps of an agent, not an output"
_OTHER: Final = Word(
    "any other metric", None,
    "it asks a model, or scores conversations, steps, sound or pictures; a judge is set up in the suite, not taken over",
)  # fmt: skip
_OTHER_METRIC: Final = re.compile(r"(Metric|Eval)$")
_ABOUT: Final = (
    Word("threshold", "pass_at"),
    Word("verbose_mode", None, "`evaluators explain` and the row table show why a row scores what it does"),
    Word("include_reason", None, "every score has its reason"),
    Word("strict_mode", None, "it is said with `pass_at: 1.0`"),
    Word("async_mode", None, "how a run goes is said on the command line"),
    Word("flaky", None, "how a run goes is said on the command line"),
    Word("model", None, "no model is asked"),
    Word("eval_mode", None, "no model is asked"),
    Word("evaluation_template", None, "no model is asked"),
)
_CASES: Final = ("LLMTestCase", "Golden")
_SHOWN: Final = {
    "INPUT": "input",
    "EXPECTED_OUTPUT": "expected",
    "CONTEXT": "context",
    "RETRIEVAL_CONTEXT": "retrieval_context",
}
"""The columns of what a GEval is shown; the output is shown in any case."""
_ROLES: Final = {"input": "input", "actual_output": "output", "expected_output": "expected"}


class Deepeval(Converter):
    """deepeval's metrics that ask no model, and its test cases."""

    title: ClassVar[str] = "deepeval"
    reads: ClassVar[str] = (
        "A Python file. Metrics that are made in it become evaluators, `LLMTestCase` and `Golden` become rows, which `--rows` writes, "
        "and a CSV file that a dataset is filled from becomes the test set. The file is read and never run."
    )
    marks: ClassVar[str] = r"\bdeepeval\b"
    nothing: ClassVar[tuple[str, str]] = (
        "no metric of deepeval is made in this file",
        "a metric is made by a call such as ExactMatchMetric()",
    )
    tables: ClassVar[tuple[WordTable, ...]] = (
        WordTable("Metrics", (
            Word("ExactMatchMetric", "exact_match", "spaces at both ends count here; deepeval sets them aside", _ABOUT),
            Word("PatternMatchMetric", "regex_match", settings=(
                Word("pattern", "pattern", "the whole output has to fit, spaces at its ends aside", value=lambda value: whole(value)),
                Word("ignore_case", "case_sensitive", value=lambda value: not value),
                *_ABOUT,
            )),
            Word(
                "JsonCorrectnessMetric", "json_schema_valid",
                "the schema is made from the class; a number written as text is no number here",
                (Word("expected_schema", "schema"), *_ABOUT), {"parse": "strict"},
            ),
            Word("GEval", "llm_judge", ASKS_JUDGE, settings=(
                Word("criteria", "rubric"),
                Word("columns", "columns"),
                *(one for one in _ABOUT if one.theirs != "model"),
                Word("model", None, "the suite's judge says which model is asked"),
                Word("rubric", None, "say in the criteria what a good answer is; `scale` says which scores there are"),
            )),
            Word("ToolCorrectnessMetric", None, "put the names of the tools into a column and compare it with `any_order`"),
            _OTHER,
        )),
        WordTable("Fields of a test case", (
            Word("input", "input"),
            Word("actual_output", "output"),
            Word("expected_output", "expected"),
            Word("name", "id"),
            Word("context", "a column"),
            Word("retrieval_context", "a column"),
            Word("tools_called", None, _STEPS),
            Word("expected_tools", None, _STEPS),
        )),
        WordTable("Files of a dataset", (
            Word("add_test_cases_from_csv_file", "test_set"),
            Word("add_goldens_from_csv_file", "test_set"),
            Word("add_test_cases_from_json_file", None, "name the file as the test set, when its rows are a list of objects"),
            Word("add_goldens_from_json_file", None, "name the file as the test set, when its rows are a list of objects"),
            Word("add_goldens_from_jsonl_file", None, "name the file as the test set"),
            Word("pull", None, "a data set of a platform; export it as CSV"),
        )),
    )  # fmt: skip

    def read(self, file: Path, conversion: Conversion) -> None:
        """Adds what is made in one file."""
        python = PythonFile(file)
        calls = list(python.calls())
        metrics: dict[int, ConvertedEvaluator] = {}
        rows: dict[int, str] = {}
        for call in calls:
            metric = self.tables[0].find(call.name)
            try:
                if metric is not None:
                    part = _metric(python, call, metric)
                    conversion.parts.append(part)
                    if isinstance(part, ConvertedEvaluator):
                        metrics[id(call.node)] = part
                elif _OTHER_METRIC.search(call.name):
                    conversion.parts.append(without_counterpart(call.place, call.name, _OTHER.note))
                elif call.name in _CASES:
                    rows[id(call.node)] = _case(python, call, conversion)
                elif (word := self.tables[2].find(call.name)) is not None:
                    _data(python, call, word, conversion)
            except NotLiteral as error:
                refused = without_counterpart(error.place, call.name, error.note)
                (conversion.test_set_findings if metric is None else conversion.parts).append(refused)
        for call in calls:
            self._pair(python, call, metrics, rows)
        for one in metrics.values():
            if one.rows is not None and set(one.rows) == {row["id"] for row in conversion.rows}:
                one.rows = None

    def _pair(
        self, python: PythonFile, call: PythonCall, metrics: dict[int, ConvertedEvaluator], rows: dict[int, str]
    ) -> None:
        """What is measured by what: `assert_test(case, [metric])`, `evaluate([case], [metric])`, `metric.measure(case)`."""
        if call.name in ("assert_test", "evaluate"):
            parts = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
        elif call.name in ("measure", "a_measure") and isinstance(call.node.func, ast.Attribute):
            parts = [call.node.func.value, *call.node.args]
        else:
            return
        made = [id(node) for part in parts for node in _made(python, part)]
        paired = tuple(rows[one] for one in made if one in rows)
        for one in made:
            if one in metrics and paired:
                known = metrics[one].rows or ()
                metrics[one].rows = (*known, *(row for row in paired if row not in known))


def _made(python: PythonFile, node: ast.expr, depth: int = 0) -> Iterator[ast.Call]:
    """The calls that make what an expression lists, through names."""
    if isinstance(node, ast.Call):
        yield node
    elif isinstance(node, ast.List | ast.Tuple):
        for one in node.elts:
            yield from _made(python, one, depth)
    elif isinstance(node, ast.Name) and depth < 10:
        value = python.assigned(node.id, node.lineno)
        if value is not None:
            yield from _made(python, value, depth + 1)


def whole(pattern: Any) -> Any:
    """A pattern that the whole output has to fit, blanks at both ends aside. Flags stay at the front."""
    if not isinstance(pattern, str):
        return pattern

    flags = re.match(r"\(\?[aiLmsux]+\)", pattern.strip())
    front = flags[0] if flags else ""
    return rf"{front}\A\s*(?:{pattern.strip()[len(front) :]})\s*\Z"


def _metric(python: PythonFile, call: PythonCall, word: Word) -> ConvertedEvaluator | WordFinding:
    """The evaluator that a metric becomes. What has no counterpart may be no literal: it is named and not read."""
    if word.here is None:
        return without_counterpart(call.place, word.theirs, word.note)
    read: dict[str, Callable[[ast.expr], Any]] = {one.theirs: _unread for one in word.settings if one.here is None}
    read |= {"expected_schema": lambda node: schema_of_class(python, node)}
    if word.here == "llm_judge":
        return _judged(call, word, python.given(call, ("name",), {**read, "evaluation_params": _shown}))
    given = python.given(call, ("pattern",) if call.name == "PatternMatchMetric" else (), read)
    return convert_word(word, call.place, given, call.bound_to)


def _unread(node: ast.expr) -> None:
    """Nothing, whatever the expression is."""


def _shown(node: ast.expr) -> list[str]:
    """The columns that a GEval is shown."""
    names = map(last_name, node.elts) if isinstance(node, ast.List) else ()
    return [_SHOWN[name] for name in names if name in _SHOWN]


def _judged(call: PythonCall, word: Word, given: dict[str, ForeignValue]) -> ConvertedEvaluator | WordFinding:
    """What a GEval asks: its criteria, and its steps below them."""
    called, steps, shown = (given.pop(name, None) for name in ("name", "evaluation_steps", "evaluation_params"))
    asked = [given["criteria"].value] if "criteria" in given else []
    asked += steps.value if steps is not None and isinstance(steps.value, list) else []
    if not asked or not all(isinstance(one, str) for one in asked):
        return without_counterpart(call.place, word.theirs, "it has neither criteria nor evaluation_steps")
    given["criteria"] = ForeignValue("\n".join(asked), call.place)
    if shown is not None and shown.value:
        given["columns"] = ForeignValue(shown.value, call.place)
    name = called.value if called is not None and isinstance(called.value, str) else call.bound_to
    return convert_word(word, call.place, given, name)


def _case(python: PythonFile, call: PythonCall, conversion: Conversion) -> str:
    """Adds a test case as a row, and gives its id."""
    row: dict[str, Any] = {"id": str(len(conversion.rows) + 1)}
    for name, node in python.arguments(call, ()).items():
        if name in _ROLES or name in ("context", "retrieval_context"):
            row[_ROLES.get(name, name)] = python.value(node)
        elif name == "name" and isinstance(given := python.value(node), str):
            row["id"] = given
    if any(one["id"] == row["id"] for one in conversion.rows):
        row["id"] = f"{row['id']}-{len(conversion.rows) + 1}"
    conversion.rows.append(row)
    conversion.test_set_findings.append(WordFinding(call.place, call.name, Counterpart.SAME))
    return str(row["id"])


def _data(python: PythonFile, call: PythonCall, word: Word, conversion: Conversion) -> None:
    """Takes the file that a dataset is filled from as the test set."""
    if word.here is None:
        if call.name != "pull" or call.bound_to is not None:
            conversion.test_set_findings.append(without_counterpart(call.place, call.name, word.note))
        return
    columns = {f"{theirs}_col_name": ours for theirs, ours in _ROLES.items()}
    nodes = python.arguments(call, ("file_path",))
    given = {name: python.value(node) for name, node in nodes.items() if name in columns or name == "file_path"}
    if isinstance(given.get("file_path"), str):
        named = {columns[name]: value for name, value in given.items() if name in columns and isinstance(value, str)}
        conversion.test_set = {
            "file": str(python.path.parent / given["file_path"]),
            **({"columns": named} if named else {}),
        }
        conversion.test_set_findings.append(WordFinding(call.place, call.name, Counterpart.SAME))
