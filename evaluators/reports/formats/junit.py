"""JUnit XML, which CI systems show as tests: `-o FILE.xml`.

A gate is a test: failed when the gate fails, an error when it is undecided. An evaluator is a test too, and an error
when the test set, the environment or a bug left rows without a score; a low score alone fails nothing, because only a
gate says how low is too low. That everything was measured is a test, and an error, with every cause but failed gates, when
the exit code is neither 0 nor 1, or when a gate failed and something was not measured beside that. So no test fails in a
run that ends with exit code 0, and one fails in any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TextIO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from evaluators.reports.display import visible
from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.parts import metric_texts
from evaluators.reports.sections.confidence import calibration_line, threshold_line
from evaluators.reports.sections.evaluators import extra_rates, metric_text
from evaluators.reports.sections.labels import average_lines
from evaluators.reports.sections.repeats import chance_lines, flips_line, passes_line, repeat_line
from evaluators.runs.metric_table import EVALUATOR_METRICS, MEASURE_METRICS, Metric
from evaluators.runs.metrics import full_name, mean_interval_text, rows_text, score_text
from evaluators.runs.reader import Run
from evaluators.runs.result import EvaluatorStats, GateResult, RunResult
from evaluators.runs.wording import gate_label
from evaluators.scoring.values.quoting import json_escape

if TYPE_CHECKING:
    from evaluators.runs.compare.comparison import RunComparison

_ILLEGAL: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_OF_MEASURES: Final = [metric for metric in MEASURE_METRICS if metric.kind == "value"]


class JUnit(Format):
    """Gates and evaluators as tests."""

    suffixes = (".xml",)
    file = "junit.xml"

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes one test suite: a test for each gate and evaluator, and one that everything was measured."""
        result = run.result
        tests = [
            *_gate_tests(result),
            *(_evaluator_test(result, stats) for stats in result.evaluators),
            _run_test(result),
        ]
        stream.write(_junit_file(result.name, tests, _properties(result)))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """Writes one test suite for a comparison: a test for each regression check, and one that the runs can be compared."""
        tests = [*_check_tests(comparison), _comparability_test(comparison)]
        about = [("base", comparison.base), ("new", comparison.new), ("rows", str(comparison.rows))]
        stream.write(_junit_file(comparison.name, tests, [*about, ("exit_code", str(comparison.exit_code))]))


def _junit_file(name: str, tests: Sequence[Element], about: Iterable[tuple[str, str]]) -> str:
    """The text of the file: one test suite called `name`, with the properties `about` it and its tests."""
    suite = Element(
        "testsuite",
        name=_escape_illegal(name),
        tests=str(len(tests)),
        failures=str(sum(test.find("failure") is not None for test in tests)),
        errors=str(sum(test.find("error") is not None for test in tests)),
        skipped="0",
    )
    properties, about = SubElement(suite, "properties"), [*about]
    for key, (_, value) in zip(_make_unique([_escape_illegal(key) for key, _ in about]), about, strict=True):
        SubElement(properties, "property", name=key, value=_escape_illegal(value))
    for test, whole in zip(
        tests, _make_unique([f"{test.get('classname')}: {test.get('name')}" for test in tests]), strict=True
    ):
        test.set("name", whole.partition(": ")[2])
    suite.extend(tests)
    root = Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _make_unique(names: Sequence[str]) -> list[str]:
    """The names, in order, made unique: a second `m` becomes `m (2)`. Readers of the file may ignore case and repeated spaces."""
    given = {*map(_as_read, names)}
    unique: dict[str, str] = {}  # by what a reader makes of the name
    for name in names:
        candidate, number = name, 1
        while (read := _as_read(candidate)) in unique or (number > 1 and read in given):
            number += 1
            candidate = f"{name} ({number})"
        unique[read] = candidate
    return list(unique.values())


def _as_read(name: str) -> str:
    """A name without the differences that readers of the file may ignore."""
    return " ".join(name.casefold().split())


def _check_tests(comparison: RunComparison) -> Iterable[Element]:
    """A test for each regression check, named by its rule and what it is about."""
    for check in comparison.regression_checks:
        about = [text for text in (check.target, f"variant {check.variant}" if check.variant else None) if text]
        name = f"{check.rule} ({', '.join(about)})" if about else check.rule
        yield _test_case("regression_checks", name, _KINDS[check.verdict], check.message, check.message)


def _comparability_test(comparison: RunComparison) -> Element:
    """The test that the two runs can be compared: an error, with the causes, at any exit code but 0 and 1."""
    if comparison.exit_code in (0, 1):
        return _test_case("comparison", "the runs can be compared")
    message = "; ".join(comparison.causes)
    return _test_case("comparison", "the runs can be compared", "error", message, "\n".join(comparison.causes))


def _properties(result: RunResult) -> Iterable[tuple[str, str]]:
    """The properties that a CI system shows beside the tests: fingerprints, version, test set, exit code, and the metrics and
    measures in words."""
    yield "suite_fingerprint", result.suite_fingerprint
    yield "data_fingerprint", result.data_fingerprint
    yield "evaluators_version", result.version
    yield "test_set", result.test_set
    yield "rows", str(result.rows)
    yield "exit_code", str(result.exit_code)
    for stats in result.evaluators:
        for metric in EVALUATOR_METRICS:
            if metric.kind == "score" and _has_value(metric, stats):
                yield f"{full_name(stats)}: {metric.word}", metric_text(metric, stats)
    for measure in result.whole_measures:
        name = f"{measure.name} (variant {measure.variant})" if measure.variant else measure.name
        yield name, f"{metric_texts(_OF_MEASURES, measure)}, {measure.n:,} of {rows_text(measure.rows)}"


def _test_case(group: str, name: str, kind: str | None = None, message: str = "", detail: str = "") -> Element:
    """A test case called `name` in the class `group`; `kind` is the element that says it did not pass, such as `error`, and None where it
    passed. The `message` is an attribute of that element.

    The detail is the text of that element, or of `system-out` where the test passed.
    """
    test = Element("testcase", classname=group, name=_escape_illegal(visible(name)))
    if kind is not None:
        element = SubElement(test, kind, message=_escape_illegal(message), type=group)
        element.text = _escape_illegal(detail or message)
    elif detail:
        SubElement(test, "system-out").text = _escape_illegal(detail)
    return test


_KINDS: Final = {"failed": "failure", "undecided": "error", "passed": None, "warned": None}


def _gate_tests(result: RunResult) -> Iterable[Element]:
    """A test for each gate, named by its label; the limit is added where two gates have the same label."""
    often = Counter(map(gate_label, result.gates))
    for gate in result.gates:
        label = gate_label(gate)
        name = label if often[label] == 1 else f"{label}: {gate.limit}"
        yield _test_case("gates", name, _KINDS[gate.verdict], gate.message, _gate_detail(gate))


def _gate_detail(gate: GateResult) -> str:
    return f"{gate.verdict}: {gate.message} ({gate.limit}; {gate.n:,} measured)"


def _evaluator_test(result: RunResult, stats: EvaluatorStats) -> Element:
    """The test of an evaluator: an error where it left rows without a score; its metrics and counts are in the detail."""
    name = f"{stats.name} (variant {stats.variant})" if stats.variant else stats.name
    scored = f"{stats.scored:,} scored{_in_brackets(_counts_text(stats, ('unreadable', 'blocked')))}"
    counts = ", ".join([scored, *_counts_text(stats, ("skipped", "not_measured", "invalid", "unjudged", "bugs"))])
    detail = (
        f"mean score {score_text(stats.mean)}, "
        f"pass rate {score_text(stats.pass_rate)} {mean_interval_text(stats.pass_rate_ci)}; of {stats.rows:,} rows: {counts}"
    )
    detail = "\n".join((detail, *_further_metrics(result, stats)))
    left_out = _left_out_reasons(stats)
    if left_out:
        return _test_case("evaluators", name, "error", f"rows without a score: {', '.join(left_out)}", detail)
    return _test_case("evaluators", name, detail=detail)


def _further_metrics(result: RunResult, stats: EvaluatorStats) -> Iterable[str]:
    """Rates, averages over labels, repeats, fields that flip and confidences of an evaluator, a line each."""
    yield from (
        f"{metric.word} {metric_text(metric, stats)}"
        for metric in EVALUATOR_METRICS
        if metric.over and _has_value(metric, stats)
    )
    yield from extra_rates(stats)
    mine = (stats.name, stats.variant)
    for matrix in result.confusion_matrices:
        if (matrix.evaluator, matrix.variant) == mine:
            yield from average_lines(matrix)
    for repeat in result.repeats:
        if (repeat.evaluator, repeat.variant) == mine:
            yield f"{repeat_line(repeat)}{passes_line(repeat)}"
            yield from chance_lines(repeat)
            if repeat.fields:
                yield flips_line(repeat)
    for sure in result.confidence:
        if (sure.evaluator, sure.variant) == mine:
            yield f"confidence{f' in {sure.field}' if sure.field else ''}: {calibration_line(sure)}; {threshold_line(sure)}"


def _has_value(metric: Metric, stats: EvaluatorStats) -> bool:
    return metric.value(stats) is not None


def _left_out_reasons(stats: EvaluatorStats) -> list[str]:
    """The reasons why rows have no score, each with its number of rows."""
    return _counts_text(stats, ("bugs", "invalid", "unjudged"))


def _counts_text(stats: EvaluatorStats, names: Iterable[str]) -> list[str]:
    """The counts of these names in words, as far as there are any."""
    return [f"{count:,} {name.replace('_', ' ')}" for name in names if (count := getattr(stats, name))]


def _in_brackets(counts: Sequence[str]) -> str:
    return f" ({', '.join(counts)})" if counts else ""


def _run_test(result: RunResult) -> Element:
    """The test that everything was measured; an error with the causes that no failed gate accounts for."""
    failed = tuple(f"gate {gate_label(gate)} failed: " for gate in result.gates if gate.verdict == "failed")
    causes = [cause for cause in result.causes if not cause.startswith(failed)]
    if result.exit_code in (0, 1) and not causes and not any(map(_left_out_reasons, result.evaluators)):
        return _test_case("run", "everything was measured")
    message = "; ".join(causes) or f"exit code {result.exit_code}"
    return _test_case("run", "everything was measured", "error", message, "\n".join(causes))


def _escape_illegal(text: str) -> str:
    """The text with the characters that XML cannot hold as escapes, so that texts that differ stay different."""
    return _ILLEGAL.sub(lambda match: json_escape(match[0]), text)
