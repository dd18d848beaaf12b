"""Whatever is written in a suite or stands in a cell, the answer is a message or a verdict, never a traceback."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, Problems
from evaluators.model.rows import Result, RowStatus
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator
from evaluators.scoring.plan.need_steps import Reading
from evaluators.scoring.plan.suite_plan import compile_plan
from evaluators.suites.config import SuiteConfig, read_config
from evaluators.suites.source import from_data, loads

ROLES = {role: role for role in ("id", "input", "output", "expected")}
SUITE = """\
version: 1
name: invoices
comparators:
  money: {numeric: {tolerance: {abs: 0.01}}}
evaluators:
  - contains_json
  - length: {max: 4000, when: {row.kind: [a, b], "output.a[*]": {present: true}}}
  - type: json_multi_field_match
    name: header
    needs: [contains_json]
    transforms: [strip, {round_digits: {digits: 2}}]
    fields:
      a: exact
      vendor.name: {normalized: {case: ignore, accents: ignore}}
      $.b: {date: {formats: [YYYY-MM-DD]}}
      /totals/gross: {compare: money, weight: 2, required: true}
      items: {align: {key_field: {key: sku}}}
      items[*].qty: numeric
      "$.items[?(@.qty > 1)].sku": {fuzzy: {partial: true}}
      notes: skip
      c: {regex: {pattern: "^[a-z]+$"}}
  - json_diff_match: {extra_fields: penalize, case_insensitive_keys: true, skip: ["items[*].qty"]}
  - json_diff_match: {name: types, compare_schema_only: true, unmet: skip, needs: [header]}
  - json_field_match
  - json_field_match_normalized: {normalize: {case: ignore}}
  - field_match: {field: a}
  - exact_match: {when: {expected.a: 1}}
  - regex_match: {pattern: "[a-z]+"}
  - similarity
  - weighted_mean: {of: {contains_json: 1, header: 3}, pass_at: 0.9}
  - any_of: {of: [header, exact_match]}
slices: [row.kind]
"""
NAMES = [
    "auto_json_diff",
    "type",
    "name",
    "needs",
    "when",
    "fields",
    "of",
    "pass_at",
    "compare",
    "weight",
    "align",
    "transforms",
    "skip",
    "output",
    "expected",
    "parse",
    "unmet",
    "row.a",
    "output.a",
    "$..a",
    "a[*].b",
    "a[",
    "exact",
    "numeric",
    "key_field",
    "present",
    "schema",
    "keywords",
    "column",
    "evaluators",
    "pattern",
]
WORDS = st.sampled_from([*BUILTIN.names(), *NAMES])
SCALARS: st.SearchStrategy[Any] = (
    WORDS | st.none() | st.booleans() | st.integers(-2, 10**20) | st.floats(allow_nan=False) | st.text(max_size=6)
)
TREES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
DOCUMENT = {
    "a": 1, "vendor": {"name": "Ann"}, "b": "2024-01-31", "totals": {"gross": 3.5}, "c": "abc", "notes": None,
    "items": [{"sku": "x", "qty": 1}, {"sku": "y", "qty": "2"}],
}  # fmt: skip
TEXT = json.dumps(DOCUMENT)
KEYS = st.sampled_from(["a", "b", "c", "vendor", "name", "totals", "gross", "items", "sku", "qty", "A", "vendor.name"])
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=5),
    max_leaves=15,
)
PIECES = st.sampled_from(
    ['{"a":', "[", "]", "}", '"', "1e999", "NaN", "\\ud800", "```json\n", "```", ",", ":", "\x00", "é", "{"]
)
SPLICES = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 12), PIECES | st.text(max_size=3)), min_size=1, max_size=4
)


def spliced(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with some pieces cut out and others put in."""
    for at, length, piece in edits:
        at %= len(text) + 1
        text = text[:at] + piece + text[at + length :]
    return text


CELLS = (
    st.binary(max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode())
    | JSON_VALUES
    | JSON_VALUES.map(json.dumps)
    | SPLICES.map(lambda edits: spliced(TEXT, edits))
    | st.sampled_from([TEXT, "[" * 5000, '{"a":' * 250 + "1" + "}" * 250, "1" * 5000, "", "{}", "[]", "null"])
)


def suite_of(source: Any) -> SuiteConfig | None:
    """The suite, or None where its problems are told; every one of them has a message and is the suite's."""
    try:
        return read_config(source())
    except Problems as error:
        problems = error.issues
    assert problems
    for issue in problems:
        assert issue.message
        assert issue.where
        assert issue.blame is Blame.CONFIG
    return None


def run(suite: SuiteConfig, cells: dict[str, Any], reading: Reading | None = None) -> None:
    """Every evaluator has a verdict for the row, which can be explained, and none is a bug."""
    plan = compile_plan(suite.lines, ROLES, reading)
    slots = plan.run({name: [cell] for name, cell in cells.items()}, 1)
    explained = plan.explain(cells)
    for one in plan.evaluators:
        verdict: Result = slots[one.verdicts][0]
        assert verdict.status is not RowStatus.BUG, verdict.issue
        assert explained[one.line.name].status is verdict.status
        assert verdict.score is None or 0 <= verdict.score <= 1


WHOLE = read_config(loads(SUITE))


@given(CELLS, CELLS, st.sampled_from([Reading(), Reading(parse="strict"), Reading(unreadable="skip")]))
def test_any_cells_get_verdicts(output: Any, expected: Any, reading: Reading) -> None:
    run(WHOLE, {"output": output, "expected": expected, "kind": "a"}, reading)
    run(WHOLE, {"output": output, "expected": TEXT, "kind": "c"}, reading)


@given(
    st.integers(0, len(SUITE)),
    st.integers(0, 12),
    st.text(max_size=4) | WORDS | st.sampled_from(["\n", "  ", "- ", ": "]),
)
def test_any_edit_of_a_suite_loads_or_is_explained(at: int, length: int, piece: str) -> None:
    suite = suite_of(lambda: loads(SUITE[:at] + piece + SUITE[at + length :], environment={}))
    if suite is not None:
        run(suite, {"output": TEXT, "expected": TEXT, "kind": "a"})


@given(st.text(max_size=80))
def test_any_text_loads_or_is_explained(text: str) -> None:
    suite_of(lambda: loads(text, environment={}))
    suite_of(lambda: loads(f"evaluators: {text}", environment={}))


@given(st.sampled_from(BUILTIN.names()), st.dictionaries(WORDS, TREES, max_size=4))
def test_any_settings_load_or_are_explained(kind: str, options: dict[str, Any]) -> None:
    known = [name for name in BUILTIN.find(kind).model_fields if name != "type"]
    for name, value in zip(known, list(options.values()), strict=False):
        suite_of(lambda name=name, value=value: from_data({"evaluators": [{kind: {name: value}}]}, environment={}))
    suite_of(lambda: from_data({"evaluators": [{kind: options}]}, environment={}))
    suite_of(lambda: from_data({"evaluators": [{"type": kind, **options}]}, environment={}))


@given(st.dictionaries(WORDS, TREES, max_size=4), TREES)
def test_any_fields_load_or_are_explained(fields: dict[str, Any], tree: Any) -> None:
    for data in (fields, tree, {"a": tree}, {"a": {"compare": tree}}, {"a": {"align": tree}}, {"a": {"when": tree}}):
        suite = suite_of(
            lambda data=data: from_data({"evaluators": [{"json_multi_field_match": {"fields": data}}]}, environment={})
        )
        if suite is not None:
            run(suite, {"output": TEXT, "expected": TEXT})


@given(st.lists(TREES, max_size=3), TREES)
def test_any_lines_load_or_are_explained(lines: list[Any], tree: Any) -> None:
    suite_of(lambda: from_data({"evaluators": lines}, environment={}))
    for section in ("comparators", "evaluators", "slices", "version", "name"):
        suite_of(lambda section=section: from_data({"evaluators": ["exact_match"], section: tree}, environment={}))


@given(st.sampled_from(WHOLE.lines), CELLS, CELLS)
def test_an_evaluator_alone_gives_a_score_or_says_why_not(line: Any, output: Any, expected: Any) -> None:
    settings_of_line: Evaluator = line.settings
    if line.type in ("weighted_mean", "any_of"):
        return
    try:
        score = settings_of_line.score(output, expected)
    except Problems:
        return
    assert score.score is None or 0 <= score.score <= 1
