"""promptfoo: `promptfooconfig.yaml`, with its tests and their assertions, and the results of an evaluation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.guide.converting.converter import (
    Conversion,
    ConvertedEvaluator,
    Converter,
    Grouping,
    MappingNote,
    MappingStatus,
    Term,
    TermTable,
    without_counterpart,
)
from evaluators.guide.converting.promptfoo_results import result_tests, results_in
from evaluators.guide.converting.promptfoo_tests import (
    DOCUMENTS,
    NamedFiles,
    PromptfooTest,
    file_tests,
    named_tests,
    rows_of_test,
)
from evaluators.guide.converting.promptfoo_values import (
    SHAPES,
    Unconvertible,
    fill_in,
    fill_in_text,
    has_template,
    join_paths,
    output_path,
    whole_variable,
)
from evaluators.guide.converting.promptfoo_words import TABLES
from evaluators.guide.converting.sources import document_tree, entries, items, plain_data, text_at, value_at
from evaluators.guide.converting.value_columns import free_name, gather_values
from evaluators.model.issues import Problems
from evaluators.suites.foreign_words import TABLE_OF_PROMPTFOO
from evaluators.suites.nodes import YamlNode

_PLAIN_WITHOUT_VALUE: Final = ("is-json", "is-xml")
"""What the table's note is about, for these, is a value."""
_OPTIONS_READ: Final = ("transform", "postprocess", "disableDefaultAsserts", "disableVarExpansion")


class Promptfoo(Converter):
    """promptfoo's tests and assertions."""

    title: ClassVar[str] = "promptfoo"
    reads: ClassVar[str] = (
        "A configuration in YAML or JSON, the test files that it names (YAML, JSON, JSON Lines, CSV, Excel), such test files alone, "
        "and results. Tests become rows, which `--rows` writes; an assertion of one test is for that row, and where tests differ in a "
        "text alone, one evaluator reads it in a column. Outputs are those of results, of `providerOutput`, or the prompt when the "
        "provider is `echo`."
    )
    marks: ClassVar[str] = (
        r"""(?mx)
        ^ (prompts | providers | targets | defaultTest | assertionTemplates) \s* : | (?<![\w.]) "? assert "? \s* : \s* (\[ | $)
        | "(prompts | providers | targets | defaultTest | assertionTemplates | gradingResult | testIdx)" \s* : | promptfoo
    """
        rf"|{TABLE_OF_PROMPTFOO}"
    )
    nothing: ClassVar[tuple[str, str]] = (
        "there is no assertion of promptfoo",
        "assertions are below assert, of a test or of defaultTest",
    )
    tables: ClassVar[tuple[TermTable, ...]] = TABLES

    def __init__(self) -> None:
        self.configurations: list[_File] = []
        self.test_files: list[_File] = []
        self.results: list[tuple[_File, list[Any]]] = []

    def read(self, file: Path, conversion: Conversion) -> None:
        """Sorts a file into results, configurations and test files. Test files are read by `finish`, after the configurations that may
        name them."""
        if results := results_in(file):
            self.results.append((_File(file, None, conversion), results))
        elif file.suffix.lower() in DOCUMENTS and _is_configuration(tree := document_tree(file)):
            self.configurations.append(_File(file, tree, conversion))
        else:
            self.test_files.append(_File(file, None, conversion))

    def finish(self, conversion: Conversion) -> None:
        """Adds what all the files say, each test file once.

        Raises Problems (config) for files that were not read, where nothing else has an assertion.
        """
        tests: list[PromptfooTest] = []
        conversion.roles = {"id": "id", "input": "prompt", "output": "output"}
        for source in self.configurations:
            tests += source.add(source.tests(), len(tests))
        named = {file for source in self.configurations for file in source.named.read}
        for source in self.test_files:
            if source.file.resolve() not in named:
                tests += source.add(source.tests(), len(tests))
        for source, results in self.results:
            tests += source.add(list(result_tests(source.file, results)), len(tests))
        unread = [issue for source in (*self.configurations, *self.test_files) for issue in source.named.unread]
        if unread and not conversion.parts:
            raise Problems(unread)
        conversion.rows += [{"id": test.id, **test.cells} for test in tests]
        for part in (*conversion.evaluators, *conversion.judged_evaluators):
            if part.rows is not None and len(part.rows) == len(tests):
                part.rows = None
        _add_thresholds(tests, [source.default for source in self.configurations], conversion)
        gather_values(conversion)
        _add_verdicts(tests, conversion)


def _is_configuration(tree: YamlNode) -> bool:
    """Whether a tree is a configuration: a map that is not itself a single test."""
    return isinstance(tree.value, dict) and not {"vars", "assert", "providerOutput"}.intersection(tree.value)


def _add_thresholds(tests: Sequence[PromptfooTest], defaults: Sequence[YamlNode | None], conversion: Conversion) -> None:
    """Adds the threshold of the overall metric, and its rows, where a test or the default one sets it."""
    scored = [part.rows for part in conversion.evaluators]
    ids = {test.id for test in tests} if None in scored else {id_ for rows in scored for id_ in rows or ()}
    of_tests = [(test.id, test.threshold) for test in tests if test.id in ids]
    named = of_tests or [("", value_at(default, "threshold")) for default in defaults if default is not None]
    if all(node is None for _, node in named):
        return
    by_limit: dict[float, list[str]] = {}
    for id_, node in named:
        limit = _number_within(node, 1.0, "threshold", conversion)
        by_limit.setdefault(1.0 if limit is None else limit, []).append(id_)
    conversion.thresholds = {limit: tuple(ids) if len(by_limit) > 1 else None for limit, ids in by_limit.items()}


def _add_verdicts(tests: Sequence[PromptfooTest], conversion: Conversion) -> None:
    """Adds promptfoo's verdicts to the conversion, and to the rows that have one as a column of `pass` and `fail`."""
    conversion.verdicts = {test.id: test.passed for test in tests if test.passed is not None}
    column = free_name("verdict", {name for row in conversion.rows for name in row})
    for row in conversion.rows:
        if row["id"] in conversion.verdicts:
            row[column] = "pass" if conversion.verdicts[row["id"]] else "fail"


class _File:
    """A file during a conversion: a configuration, or tests alone, for which there is no tree."""

    def __init__(self, file: Path, tree: YamlNode | None, conversion: Conversion) -> None:
        self.words, self.keys, self.test_keys, self.file_keys = TABLES
        self.file = file
        self.tree = tree
        self.conversion = conversion
        self.named = NamedFiles(self._add_note, conversion.reading)
        self.default: YamlNode | None = None
        self.made: dict[str, ConvertedEvaluator] = {}
        self.rows_of: dict[str, dict[str, None]] = {}
        """The ids of the rows that each of them is for."""
        self.sets: dict[str, Grouping] = {}

    def tests(self) -> list[PromptfooTest]:
        """The tests of the file, and of those that it names. Raises Problems (config) for a file that cannot be read."""
        if self.tree is None:
            return self._rows_of_tests(file_tests(self.file, self.named))
        self._note_unknown_keys(self.tree, self.file_keys, "")
        if (name := text_at(self.tree, "description")) is not None:
            self.conversion.name = name
        self.default = self._default_test(value_at(self.tree, "defaultTest"))
        if self.default is not None:
            self._note_unknown_keys(self.default, self.test_keys, "defaultTest, ")
        tests = value_at(self.tree, "tests")
        rows = (
            [] if tests is None else self._rows_of_tests(named_tests(tests, self.file.parent, self.named, (self.file,)))
        )
        self._fill_in_prompts(value_at(self.tree, "prompts"), rows)
        return rows

    def add(self, tests: list[PromptfooTest], before: int) -> list[PromptfooTest]:
        """Numbers the tests on from `before`, adds evaluators for their assertions and for those of the default test, and gives back the
        tests."""
        for number, test in enumerate(tests, before + 1):
            test.id = str(number)
        everyone = [test for test in tests if test.defaults]
        if self.default is not None and (everyone or not tests):
            for node in items(value_at(self.default, "assert")):
                self._add_assertion(node, everyone)
        for test in tests:
            for node in test.asserts:
                self._add_assertion(node, [test])
        for key, made in self.made.items():
            made.rows = tuple(self.rows_of[key]) or None
        return tests

    def _add_note(self, place: str, theirs: str, why: str) -> None:
        """Adds the note that a word at a place is not taken over, and why."""
        self.conversion.test_set_findings.append(without_counterpart(place, theirs, why))

    def _note_unknown_keys(self, node: YamlNode, table: TermTable, before: str) -> None:
        """Adds a note for each key of a map that has no counterpart in `table`. Notes name the keys after the text `before`."""
        for key, entry in entries(node).items():
            word = table.find(key)
            if word is None:
                self._add_note(entry.key.place, f"{before}{key}", "this converter does not know it")
            elif word.here is None and not (key in ("providers", "targets") and self._echoes()):
                self._add_note(entry.key.place, f"{before}{key}", word.note)
            elif key == "options":
                for option, inner in entries(entry.node).items():
                    if option not in _OPTIONS_READ:
                        self._add_note(
                            inner.key.place, f"{before}options, {option}", "how answers are made is not for a suite"
                        )

    def _default_test(self, node: YamlNode | None) -> YamlNode | None:
        """The default test, also where it stands in a file of its own; None where there is none, or its file cannot be read."""
        if node is None or not isinstance(node.value, str):
            return node
        files = self.named.find(node, self.file.parent, "defaultTest")
        return document_tree(files[0]) if files else None

    def _rows_of_tests(self, tests: Iterator[tuple[YamlNode, Path]]) -> list[PromptfooTest]:
        """The rows of tests, each test given with the folder that its paths start in. Adds notes on the keys that are not taken over."""
        rows: list[PromptfooTest] = []
        for node, folder in tests:
            self._note_unknown_keys(node, self.test_keys, "tests, ")
            rows += rows_of_test(node, self.default, (self.file.parent, folder), self.named)
        return rows

    def _echoes(self) -> bool:
        """Whether outputs are the prompts themselves: there is one prompt, and the only provider is `echo`."""
        tree = self.tree
        if tree is None or len(items(value_at(tree, "prompts"))) != 1:
            return False
        providers = value_at(tree, "providers") or value_at(tree, "targets")
        only = items(providers) or ([providers] if providers is not None else [])
        return len(only) == 1 and "echo" in (only[0].value, text_at(only[0], "id"))

    def _fill_in_prompts(self, node: YamlNode | None, tests: Sequence[PromptfooTest]) -> None:
        """Puts the prompt of each test into its row: as its input, or as its output where the provider gives it back."""
        prompts = items(node) or ([node] if node is not None else [])
        text = (text_at(prompts[0], "raw") or prompts[0].value) if len(prompts) == 1 else None
        if not isinstance(text, str) or text.startswith("file://"):
            if prompts:
                self._add_note(
                    prompts[0].spot.place, "prompts", "only a single text is filled in, and is the input of a row"
                )
            return
        column, echoes = whole_variable(text), self._echoes()
        if column is not None:
            self.conversion.roles["input"] = column
        for test in tests:
            try:
                prompt = fill_in_text(text, test.cells)
            except Unconvertible as error:
                self._add_note(prompts[0].spot.place, "prompts", f"the prompt cannot be filled in: {error}")
                continue
            if echoes:
                test.cells.setdefault("output", prompt)
            elif column is None:
                test.cells.setdefault("prompt", prompt)

    def _add_assertion(self, node: YamlNode, tests: Sequence[PromptfooTest], group: Grouping | None = None) -> None:
        """Adds the evaluators for an assertion of these tests, as a part of `group` if there is one, or a note that says why there is none.
        Without tests it is for all rows."""
        node = self._resolve_ref(node)
        type_, place = text_at(node, "type") or "", node.spot.place
        if type_ == "assert-set" and group is None:
            self._add_set(node, tests)
            return
        if "contextTransform" in entries(node):
            word = self.keys.find("contextTransform")
            self.conversion.parts.append(without_counterpart(place, type_, word.note if word else ""))
            return
        value = value_at(node, "value")
        assertion = _Assertion(
            type_,
            place,
            plain_data(value) if value is not None else None,
            _number_within(value_at(node, "weight"), inf, "weight", self.conversion),
            text_at(node, "metric"),
            _number_within(value_at(node, "threshold"), 1.0, "threshold", self.conversion),
        )
        by_transform: dict[str, list[PromptfooTest]] = {} if tests else {"": []}
        for test in tests:
            by_transform.setdefault(test.transform, []).append(test)
        for transform, some in by_transform.items():
            try:
                path = join_paths(output_path(transform or "output"), output_path(text_at(node, "transform") or "output"))
                self._add_filled_in(replace(assertion, path=path), some, group)
            except Unconvertible as error:
                self.conversion.parts.append(without_counterpart(place, type_, str(error)))

    def _add_set(self, node: YamlNode, tests: Sequence[PromptfooTest]) -> None:
        """Adds a composite for an assert-set of these tests, and its assertions as parts of it. Equal sets become one composite."""
        key = json.dumps(plain_data(node), sort_keys=True, default=str)
        if key not in self.sets:
            name = re.sub(r"[^\w-]+", "_", text_at(node, "metric") or "assert_set")
            weight = _number_within(value_at(node, "weight"), inf, "weight", self.conversion)
            self.sets[key] = Grouping(
                free_name(name, {group.name for group in self.conversion.groups}),
                _number_within(value_at(node, "threshold"), 1.0, "threshold", self.conversion),
                1.0 if weight is None else weight,
            )
            self.conversion.groups.append(self.sets[key])
        for item in items(value_at(node, "assert")):
            self._add_assertion(item, tests, self.sets[key])

    def _resolve_ref(self, node: YamlNode) -> YamlNode:
        """The assertion that the `$ref` of one names; the assertion itself where it has none, or where that leads nowhere."""
        named = text_at(node, "$ref")
        target = (
            value_at(self.tree, *named.removeprefix("#/").split("/"))
            if named is not None and self.tree is not None
            else None
        )
        return target if target is not None else node

    def _add_filled_in(self, assertion: _Assertion, tests: Sequence[PromptfooTest], group: Grouping | None) -> None:
        """Adds an evaluator for an assertion of these tests: one that reads a column where its value is a single variable, else one for
        each text that filling in the variables gives. Raises Unconvertible for an assertion without a counterpart."""
        word = self.words.find(assertion.type)
        if assertion.type == "assert-set":
            raise Unconvertible("a set within a set is not taken over")
        if word is None or word.here is None:
            raise Unconvertible(self._why_left_out(assertion.type, word))
        column = None if word.here == "llm_judge" else whole_variable(assertion.value)
        having = [test for test in tests if column is None or test.cells.get(column) not in (None, "")]
        if len(having) < len(tests):
            note = "a row has no value of the variable, and is not scored by it"
            self.conversion.parts.append(without_counterpart(assertion.place, assertion.type, note))
            if not having:
                return
        if column is not None or not has_template(assertion.value) or word.here == "llm_judge":
            self._add_evaluator(word, assertion, having, group)
            return
        for test in tests or (None,):
            value = fill_in(assertion.value, test.cells if test is not None else {})
            self._add_evaluator(word, replace(assertion, value=value), [test] if test is not None else [], group)

    def _why_left_out(self, type_: str, word: Term | None) -> str:
        """Why an assertion has no counterpart: what the table says of its type, or that the type is unknown."""
        if word is not None:
            return word.note
        if not type_:
            return "it has no type"
        known = self.words.find(type_.removeprefix("not-"))
        return "its opposite is not checked here" if known is not None else "this converter does not know it"

    def _add_evaluator(
        self, word: Term, assertion: _Assertion, tests: Sequence[PromptfooTest], group: Grouping | None
    ) -> None:
        """Adds the evaluator for an assertion to `conversion.parts`, with a note on it; one that is there and says the same gets the
        note. Its rows, those of `tests`, are added to `rows_of`.

        `word` is the entry of the table that says what the type of the assertion is called here; the value of the assertion is filled in.
        Raises Unconvertible for a value that has no counterpart.
        """
        type_, settings = SHAPES[word.theirs](assertion.value, self.file.parent)
        weight = 1.0 if assertion.weight is None else assertion.weight
        settings = {**settings, **word.always} if type_ == word.here else settings
        if assertion.path:
            settings = {**settings, "output_at": assertion.path}
        if type_ == "llm_judge" and assertion.threshold is not None:
            settings["pass_at"] = assertion.threshold
        key = json.dumps(
            [type_, settings, weight, assertion.metric, group.name if group else None], sort_keys=True, default=str
        )
        plainly = assertion.value is None and assertion.type in _PLAIN_WITHOUT_VALUE
        counterpart, note = (MappingStatus.SAME, "") if plainly else (word.status, word.note)
        finding = MappingNote(assertion.place, assertion.type, counterpart, note)
        self.rows_of.setdefault(key, {}).update(dict.fromkeys(test.id for test in tests))
        if (known := self.made.get(key)) is not None:
            known.findings.append(finding)
            return
        name = assertion.metric or assertion.type.replace("-", "_")
        made = ConvertedEvaluator(type_, name, settings, [finding], weight=weight)
        made.group = group.name if group else None
        self.made[key] = made
        self.conversion.parts.append(made)


class _Assertion(Struct, frozen=True):
    """An assertion of a test, read: its type, its expected value, and what its result counts for."""

    type: str
    place: str
    value: Any
    weight: float | None = None
    metric: str | None = None
    threshold: float | None = None
    path: str = ""
    """Where in the output it looks."""


def _number_within(node: YamlNode | None, most: float, what: str, conversion: Conversion) -> float | None:
    """The weight or threshold that a node has, brought within 0 and `most`; None where it is no number. Where it had to be changed, a note
    about `what` is added to the conversion."""
    value = node.value if node is not None else None
    if node is None or not isinstance(value, int | float) or isinstance(value, bool):
        return None
    if 0 <= value <= most:
        return value
    nearest = 0.0 if value < 0 else most
    note = f"{value:g} is below 0, so 0 is taken" if value < 0 else f"{value:g} is above {most:g}, so {most:g} is taken"
    conversion.test_set_findings.append(MappingNote(node.spot.place, what, MappingStatus.NOTED, note))
    return nearest
