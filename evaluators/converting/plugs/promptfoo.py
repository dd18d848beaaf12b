"""promptfoo: `promptfooconfig.yaml`, with its tests and their assertions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.converting.converter import (
    ASKS_JUDGE,
    Conversion,
    ConvertedEvaluator,
    Converter,
    Counterpart,
    Grouping,
    Word,
    WordFinding,
    WordTable,
    without_counterpart,
)
from evaluators.converting.promptfoo_values import (
    SHAPES,
    NothingAlike,
    column_of_variable,
    filled,
    has_template,
    rendered,
    whole_variable,
)
from evaluators.converting.sources import (
    ROW_FILES,
    cells_of,
    document_tree,
    entries,
    export_header,
    items,
    plain,
    text_at,
    value_at,
)
from evaluators.suite.foreign_words import TABLE_OF_PROMPTFOO
from evaluators.suite.nodes import Findings, SuiteInput, YamlNode
from evaluators.suite.python_data import tree_of

_MODEL: Final = "it asks a model; a judge is set up in the suite, not taken over"
_CODE: Final = "a program of yours: write it as an evaluator in Python"
_METRICS: Final = "metrics of shared word groups are not worked out here"
_TRACE: Final = "it looks at the steps of an agent, not at an output"
_CALL: Final = "the call's cost and time are not in the output; put them into columns of the rows"
_TOOLS: Final = "put the call into the output as JSON and check it with `json_schema_valid`"
_MARKUP: Final = "write a pattern: `regex_match`"
_NEGATED: Final = "a text that must not occur is a pattern that must not be found"
_MANY: Final = {
    "is-valid-function-call": _TOOLS, "is-valid-openai-function-call": _TOOLS, "is-valid-openai-tools-call": _TOOLS,
    "tool-call-f1": "put the names of the tools into a column and compare it with `any_order`",
    "contains-html": _MARKUP, "is-html": _MARKUP, "contains-xml": _MARKUP,
    "is-sql": "SQL is not parsed here", "contains-sql": "SQL is not parsed here",
    "is-refusal": "write a pattern of the usual refusals: `regex_match`",
    "javascript": _CODE, "python": _CODE, "ruby": _CODE, "webhook": "a suite calls no address",
    "rouge-n": _METRICS, "bleu": _METRICS, "gleu": _METRICS, "meteor": _METRICS,
    "levenshtein": "its limit is a number of characters; here it is a share of the longer text: levenshtein: {pass_at: 0.9}",
    "latency": _CALL, "cost": _CALL, "perplexity": _CALL, "perplexity-score": _CALL, "finish-reason": _CALL,
    "guardrails": _CALL, "trace-span-count": _TRACE, "trace-span-duration": _TRACE, "trace-error-spans": _TRACE,
    "skill-used": _TRACE, "trajectory:tool-used": _TRACE, "trajectory:tool-args-match": _TRACE,
    "trajectory:tool-sequence": _TRACE, "trajectory:step-count": _TRACE, "trajectory:goal-success": _TRACE,
    "similar": _MODEL, "classifier": _MODEL, "moderation": _MODEL,
    "answer-relevance": _MODEL, "context-faithfulness": _MODEL, "context-recall": _MODEL, "context-relevance": _MODEL,
    "conversation-relevance": _MODEL, "factuality": _MODEL, "model-graded-closedqa": _MODEL, "model-graded-factuality": _MODEL,
    "pi": _MODEL, "select-best": "it compares outputs with each other: see `evaluators compare`",
    "max-score": "it compares outputs with each other: see `evaluators compare`",
}  # fmt: skip
_PLAIN_WITHOUT_VALUE: Final = ("is-json", "is-xml")
"""What the table's note is about, for these, is a value."""
_ROW_EXPECTED: Final = re.compile(r"__expected\d*")
_ASSERTION_TEXT: Final = re.compile(
    r"(?P<type>[a-z][a-z0-9:-]*?)(?:\((?P<threshold>[\d.]+)\))?(?::(?P<value>.*))?", re.DOTALL
)


class _Test(Struct):
    """A test of the file, with its variables filled in: one row."""

    id: str
    cells: dict[str, Any]
    asserts: list[YamlNode] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    """Assertions as a test file writes them, each with its place."""
    threshold: float | None = None
    defaults: bool = True
    """Whether the assertions of `defaultTest` hold for it."""


class Promptfoo(Converter):
    """promptfoo's tests and assertions."""

    title: ClassVar[str] = "promptfoo"
    reads: ClassVar[str] = (
        "A configuration in YAML or JSON, and the test files that it names (CSV, JSON Lines). Tests become rows, which `--rows` "
        "writes; an assertion of one test is for that row. Outputs are taken over where the file has them: from `providerOutput`, or "
        "from the prompt when the provider is `echo`."
    )
    marks: ClassVar[str] = (
        r"""(?mx)
        ^ (prompts | providers | targets | defaultTest | assertionTemplates) \s* :
        | "(prompts | providers | targets | defaultTest | assertionTemplates)" \s* : | promptfoo
    """
        rf"|{TABLE_OF_PROMPTFOO}"
    )
    nothing: ClassVar[tuple[str, str]] = (
        "there is no assertion of promptfoo",
        "assertions are below assert, of a test or of defaultTest",
    )
    tables: ClassVar[tuple[WordTable, ...]] = (
        WordTable("Assertions", (
            Word("equals", "exact_match", "a text becomes `correctness`, an object `json_schema_valid`, a variable the expected column"),
            Word("contains", "contains"),
            Word("icontains", "contains", always={"case_sensitive": False}),
            Word("contains-all", "contains_all"),
            Word("icontains-all", "contains_all", always={"case_sensitive": False}),
            Word("contains-any", "contains_any"),
            Word("icontains-any", "contains_any", always={"case_sensitive": False}),
            Word("starts-with", "starts_with"),
            Word("regex", "regex_match", "the pattern is read by Python's rules, which are nearly those of JavaScript"),
            Word("is-json", "format_valid", "with a schema it is `json_schema_valid`, which allows nothing around the JSON"),
            Word("contains-json", "contains_json",
                 "a list counts here and not there; a lone number or word does not; with a schema it is `json_schema_valid`"),
            Word("is-xml", "format_valid", "required elements are left out", always={"format": "xml"}),
            Word("word-count", "regex_match", "words are what is between spaces"),
            Word("not-equals", "regex_match", _NEGATED, always={"should_match": False}),
            Word("not-contains", "regex_match", _NEGATED, always={"should_match": False}),
            Word("not-icontains", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
            Word("not-contains-any", "regex_match", _NEGATED, always={"should_match": False}),
            Word("not-icontains-any", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
            Word("not-contains-all", "regex_match", _NEGATED, always={"should_match": False}),
            Word("not-icontains-all", "regex_match", _NEGATED, always={"should_match": False, "case_sensitive": False}),
            Word("not-starts-with", "regex_match", _NEGATED, always={"should_match": False}),
            Word("not-regex", "regex_match", "the pattern is read by Python's rules, which are nearly those of JavaScript",
                 always={"should_match": False}),
            Word("assert-set", "weighted_mean"),
            Word("llm-rubric", "llm_judge", ASKS_JUDGE),
            Word("g-eval", "llm_judge", ASKS_JUDGE, always={"pass_at": 0.7}),
            *(Word(theirs, None, note) for theirs, note in _MANY.items()),
        )),
        WordTable("Keys of an assertion", (
            Word("type", "type"),
            Word("value", "the setting that the assertion needs", "a file with a schema is named; other files are not read"),
            Word("weight", "weighted_mean", "the overall metric weighs every assertion as promptfoo does"),
            Word("metric", "name"),
            Word("threshold", "pass_at", "of an assert-set and of what asks a judge; other assertions that have one have no counterpart"),
            Word("transform", None, "nothing works on the output before it is scored, so an assertion with it is left out"),
            Word("contextTransform", None, "nothing works on the output before it is scored, so an assertion with it is left out"),
            Word("provider", None, _MODEL),
            Word("rubricPrompt", None, _MODEL),
            Word("config", None, _CODE),
        )),
        WordTable("Keys of a test", (
            Word("vars", "columns"),
            Word("assert", "evaluators"),
            Word("threshold", "pass_at", "of the overall metric"),
            Word("description", "a column"),
            Word("providerOutput", "output"),
            Word("metadata", None, "it scores nothing"),
            Word("options", None, "how answers are made is not for a suite; a `transform` changes what is scored"),
            Word("provider", None, "a suite scores outputs that are there"),
            Word("assertScoringFunction", None, _CODE),
        )),
        WordTable("Keys of the file", (
            Word("description", "name"),
            Word("tests", "rows"),
            Word("defaultTest", "evaluators for all rows"),
            Word("assertionTemplates", "evaluators", "wherever `$ref` names one"),
            Word("$schema", "$schema", "the suite has a schema of its own"),
            Word("prompts", None, "a suite scores outputs that are there"),
            Word("providers", None, "a suite scores outputs that are there"),
            Word("targets", None, "a suite scores outputs that are there"),
            Word("scenarios", None, "write the tests out: every combination is a row"),
            Word("derivedMetrics", None, "combine evaluators with `weighted_mean`, `all_of`, `any_of`, `min_of` or `max_of`"),
            Word("env", None, "a suite reads variables of the environment with `${NAME}`"),
            Word("evaluateOptions", None, "options of `evaluators run` say how a run goes"),
            Word("commandLineOptions", None, "options of `evaluators run` say how a run goes"),
            Word("outputPath", None, "`evaluators run -o FILE` writes reports"),
            Word("writeLatestResults", None, "a run folder is written in any case"),
            Word("sharing", None, "nothing is sent anywhere; see `tracking`"),
            Word("tags", None, "it scores nothing"),
            Word("metadata", None, "it scores nothing"),
            Word("nunjucksFilters", None, _CODE),
            Word("extensions", None, _CODE),
            Word("redteam", None, "attacks are not made here"),
        )),
    )  # fmt: skip

    def read(self, file: Path, conversion: Conversion) -> None:
        """Adds what one configuration file says."""
        _File(self, file, conversion).read()


def _config_tree(file: Path) -> YamlNode:
    """What a configuration says; of a table of tests, the configuration that names that table alone."""
    if file.suffix.lower() not in ROW_FILES:
        return document_tree(file)
    return tree_of({"tests": file.name}, SuiteInput(str(file), "", file.parent, []), Findings())


class _File:
    """One configuration file on its way into a conversion."""

    def __init__(self, system: Promptfoo, file: Path, conversion: Conversion) -> None:
        self.words, self.keys, self.test_keys, self.file_keys = system.tables
        self.file = file
        self.conversion = conversion
        self.tree = _config_tree(file)
        self.default = value_at(self.tree, "defaultTest")
        self.made: dict[str, ConvertedEvaluator] = {}

    def read(self) -> None:
        """Adds everything that the file says."""
        self._unknown(self.tree, self.file_keys, "")
        self._elsewhere(self.default, "defaultTest")
        if (name := text_at(self.tree, "description")) is not None:
            self.conversion.name = name
        tests = self._tests()
        if self.default is not None:
            self._unknown(self.default, self.test_keys, "defaultTest, ")
            everyone = [test for test in tests if test.defaults]
            for node in items(value_at(self.default, "assert")):
                self._assertion(node, everyone, len(everyone) == len(tests))
        for test in tests:
            for node in test.asserts:
                self._assertion(node, [test], False)
            for place, text in test.texts:
                self._text_assertion(place, text, test)
        for one in self.made.values():
            if one.rows is not None and len(set(one.rows)) == len(tests):
                one.rows = None
        self._thresholds(tests)
        self.conversion.rows += [{"id": test.id, **test.cells} for test in tests]

    def _unknown(self, node: YamlNode, table: WordTable, before: str) -> None:
        """Names the keys that say nothing here."""
        for key, entry in entries(node).items():
            word = table.find(key)
            if word is None:
                said = "this converter does not know it"
            elif word.here is None and not self._echoes(key):
                said = word.note
            else:
                continue
            self.conversion.test_set_findings.append(without_counterpart(entry.key.place, f"{before}{key}", said))

    def _elsewhere(self, node: YamlNode | None, what: str) -> None:
        """Names a part that stands in a file of its own, which is not read."""
        if node is not None and isinstance(node.value, str):
            note = f"{node.value} is not read; write it in this file"
            self.conversion.test_set_findings.append(without_counterpart(node.spot.place, what, note))

    def _echoes(self, key: str = "providers") -> bool:
        """Whether outputs are the prompts themselves."""
        providers = value_at(self.tree, "providers") or value_at(self.tree, "targets")
        prompts = items(value_at(self.tree, "prompts"))
        only = items(providers) if providers is not None and items(providers) else [providers]
        is_echo = len(only) == 1 and only[0] is not None and "echo" in (only[0].value, text_at(only[0], "id"))
        return key in ("providers", "targets", "prompts") and is_echo and len(prompts) == 1

    def _tests(self) -> list[_Test]:
        found: list[_Test] = []
        tests = value_at(self.tree, "tests")
        named = [tests] if tests is not None and isinstance(tests.value, str) else items(tests)
        for node in named:
            if isinstance(node.value, str):
                found += self._file_tests(node, len(found))
            else:
                self._unknown(node, self.test_keys, "tests, ")
                self._elsewhere(value_at(node, "vars"), "vars")
                found += self._inline(node, len(found))
        return found

    def _inline(self, node: YamlNode, before: int) -> list[_Test]:
        """The rows of a test: one, or one for each combination of variables that are lists."""
        own = _vars(value_at(self.default, "vars") if self.default is not None else None) | _vars(value_at(node, "vars"))
        listed = [name for name, value in own.items() if isinstance(value, list)]
        found = []
        for number, values in enumerate(product(*(own[name] for name in listed)), before + 1):
            cells = {**own, **dict(zip(listed, values, strict=True))}
            if (described := text_at(node, "description")) is not None:
                cells.setdefault("description", described)
            found.append(self._test(str(number), cells, value_at(node, "providerOutput")))
            found[-1].asserts = items(value_at(node, "assert"))
            found[-1].threshold = _within(value_at(node, "threshold"), 1.0, "threshold", self.conversion)
            disabled = value_at(node, "options", "disableDefaultAsserts")
            found[-1].defaults = disabled is None or disabled.value is not True
        return found

    def _file_tests(self, node: YamlNode, before: int) -> list[_Test]:
        """The rows of a test file."""
        path = self.file.parent / str(node.value).removeprefix("file://")
        if path.suffix.lower() not in ROW_FILES or not path.is_file():
            note = "only test files that are there, as CSV or JSON Lines, are read"
            self.conversion.test_set_findings.append(without_counterpart(node.spot.place, f"tests, {node.value}", note))
            return []
        header = export_header(path)
        cells = cells_of(path, header)
        for column in header:
            if column.startswith("__") and not _ROW_EXPECTED.fullmatch(column):
                place = f"{path} column {json.dumps(column)}"
                note = "of the special columns only __expected is taken over"
                self.conversion.test_set_findings.append(without_counterpart(place, column, note))
        found = []
        for index in range(len(cells[header[0]]) if header else 0):
            own = {name: cells[name][index] for name in header if not name.startswith("__")}
            test = self._test(str(before + index + 1), own, None)
            for name in header:
                text = cells[name][index]
                if _ROW_EXPECTED.fullmatch(name) and isinstance(text, str) and text.strip():
                    test.texts.append((f"{path} row {index + 1}, column {json.dumps(name)}", text.strip()))
            found.append(test)
        return found

    def _test(self, id_: str, own: Mapping[str, Any], answered: YamlNode | None) -> _Test:
        cells = {column_of_variable(name): value for name, value in own.items()}
        output = plain(answered) if answered is not None else None
        if answered is None and self._echoes():
            prompt = items(value_at(self.tree, "prompts"))[0]
            text = prompt.value if isinstance(prompt.value, str) else text_at(prompt, "raw") or "{%"
            try:
                output = rendered(text, cells)
            except NothingAlike as error:
                note = f"the prompt cannot be filled in: {error}"
                self.conversion.test_set_findings.append(without_counterpart(prompt.spot.place, "prompts", note))
        return _Test(id_, {**cells, **({"output": output} if output is not None else {})})

    def _thresholds(self, tests: Sequence[_Test]) -> None:
        default = (
            _within(value_at(self.default, "threshold"), 1.0, "threshold", self.conversion)
            if self.default is not None
            else None
        )
        by_limit: dict[float, list[str]] = {}
        for test in tests:
            limit = next((one for one in (test.threshold, default) if one is not None), 1.0)
            by_limit.setdefault(limit, []).append(test.id)
        if set(by_limit) <= {1.0} and default is None:
            return
        if len(by_limit) <= 1:
            self.conversion.thresholds = {next(iter(by_limit), default or 1.0): None}
        else:
            self.conversion.thresholds = {limit: tuple(ids) for limit, ids in by_limit.items()}

    def _assertion(self, node: YamlNode, tests: Sequence[_Test], all_rows: bool, group: Grouping | None = None) -> None:
        """Adds an assertion for these tests, or says why not. Without tests it is for all rows."""
        node = self._resolved(node)
        type_, place = text_at(node, "type") or "", node.spot.place
        if type_ == "assert-set" and group is None:
            self._set(node, tests, all_rows)
            return
        for key in ("transform", "contextTransform"):
            if key in entries(node):
                word = self.keys.find(key)
                self.conversion.parts.append(without_counterpart(place, type_, word.note if word else ""))
                return
        value = value_at(node, "value")
        given = plain(value) if value is not None else None
        own = _Assertion(
            type_,
            place,
            given,
            _within(value_at(node, "weight"), inf, "weight", self.conversion),
            text_at(node, "metric"),
            _within(value_at(node, "threshold"), 1.0, "threshold", self.conversion),
        )
        self._add(own, tests, all_rows, group)

    def _text_assertion(self, where: str, text: str, test: _Test) -> None:
        """An assertion as a test file writes it: `contains:Paris`, or just `Paris`."""
        match = _ASSERTION_TEXT.fullmatch(text)
        aliases = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}
        name = aliases.get(match["type"], match["type"]) if match else ""
        if (
            match is None
            or self.words.find(name) is None
            or (match["value"] is None and name not in ("is-json", "contains-json", "is-xml"))
        ):
            own = _Assertion("equals", where, text)
        else:
            threshold = min(float(match["threshold"]), 1.0) if match["threshold"] else None
            value = match["value"].strip() if match["value"] is not None else None
            own = _Assertion(name, where, value, threshold=threshold)
        self._add(own, [test], False, None)

    def _set(self, node: YamlNode, tests: Sequence[_Test], all_rows: bool) -> None:
        taken = {one.name for one in self.conversion.groups}
        stem = re.sub(r"[^\w-]+", "_", text_at(node, "metric") or "assert_set")
        name = next(
            one for one in (stem, *(f"{stem}_{number}" for number in range(2, len(taken) + 3))) if one not in taken
        )
        weight = _within(value_at(node, "weight"), inf, "weight", self.conversion)
        group = Grouping(
            name,
            _within(value_at(node, "threshold"), 1.0, "threshold", self.conversion),
            1.0 if weight is None else weight,
        )
        self.conversion.groups.append(group)
        for one in items(value_at(node, "assert")):
            self._assertion(one, tests, all_rows, group)

    def _resolved(self, node: YamlNode) -> YamlNode:
        """The assertion that `$ref` names, or the one itself."""
        named = text_at(node, "$ref")
        if named is None:
            return node
        found = value_at(self.tree, *named.removeprefix("#/").split("/"))
        return found if found is not None else node

    def _add(self, own: _Assertion, tests: Sequence[_Test], all_rows: bool, group: Grouping | None) -> None:
        word = self.words.find(own.type)
        if word is None or word.here is None:
            self.conversion.parts.append(
                without_counterpart(own.place, own.type or "an assertion", self._why(own.type, word))
            )
            return
        alike: list[_Test | None] = list(tests) or [None]
        whole = whole_variable(own.value) is not None
        if whole or not has_template(own.value) or word.here == "llm_judge":
            self._made(word, own, tests, all_rows, group)
            return
        for test in alike:
            try:
                value = filled(own.value, test.cells if test is not None else {})
            except NothingAlike as error:
                self.conversion.parts.append(without_counterpart(own.place, own.type, str(error)))
                return
            self._made(word, replace(own, value=value), [test] if test is not None else [], False, group)

    def _why(self, type_: str, word: Word | None) -> str:
        """Why an assertion has no counterpart."""
        if word is not None:
            return word.note
        if not type_:
            return "it has no type"
        known = self.words.find(type_.removeprefix("not-"))
        return "its opposite is not checked here" if known is not None else "this converter does not know it"

    def _made(self, word: Word, own: _Assertion, tests: Sequence[_Test], all_rows: bool, group: Grouping | None) -> None:
        try:
            type_, settings = SHAPES[word.theirs](own.value, self.file.parent)
        except NothingAlike as error:
            self.conversion.parts.append(without_counterpart(own.place, own.type, str(error)))
            return
        weight = 1.0 if own.weight is None else own.weight
        settings = {**settings, **word.always} if type_ == word.here else settings
        if type_ == "llm_judge" and own.threshold is not None:
            settings["pass_at"] = own.threshold
        key = json.dumps(
            [type_, settings, weight, own.metric, group.name if group else None], sort_keys=True, default=str
        )
        plainly = own.value is None and own.type in _PLAIN_WITHOUT_VALUE
        finding = WordFinding(
            own.place, own.type, Counterpart.SAME if plainly else word.counterpart, "" if plainly else word.note
        )
        rows = None if all_rows or not tests else tuple(test.id for test in tests)
        known = self.made.get(key)
        if known is None:
            name = own.metric or own.type.replace("-", "_")
            known = ConvertedEvaluator(type_, name, settings, [finding], rows, weight=weight)
            known.group = group.name if group else None
            self.made[key] = known
            self.conversion.parts.append(known)
            return
        known.findings.append(WordFinding(own.place, own.type, word.counterpart))
        known.rows = None if rows is None or known.rows is None else (*known.rows, *rows)


class _Assertion(Struct, frozen=True):
    type: str
    place: str
    value: Any
    weight: float | None = None
    metric: str | None = None
    threshold: float | None = None


def _vars(node: YamlNode | None) -> dict[str, Any]:
    found = plain(node) if node is not None else None
    return dict(found) if isinstance(found, dict) else {}


def _number(node: YamlNode | None) -> float | None:
    value = node.value if node is not None else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _within(node: YamlNode | None, most: float, what: str, conversion: Conversion) -> float | None:
    """A weight or a threshold, brought within what it can be here; a finding says so."""
    value = _number(node)
    if node is None or value is None or 0 <= value <= most:
        return value
    nearest = 0.0 if value < 0 else most
    note = f"{value:g} is below 0, so 0 is taken" if value < 0 else f"{value:g} is above {most:g}, so {most:g} is taken"
    conversion.test_set_findings.append(WordFinding(node.spot.place, what, Counterpart.NOTED, note))
    return nearest
