"""Texts that the environment filled in, and how people read them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote as urlquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.api.loading import load, loads
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.rows import Row
from evaluators.model.settings import Filled, noting_filled_texts
from evaluators.suites.files import FilledText, fill_variables

SECRET = "hush-hush-4711"


def _filled(value: str, shown: str = "${NAME}") -> Filled:
    filled = Filled()
    filled.note(value, shown, {value: shown})
    return filled


def _of(found: FilledText) -> Filled:
    filled = Filled()
    filled.note(found.text, found.shown, found.values)
    return filled


def test_a_setting_reads_as_the_suite_writes_it() -> None:
    found = fill_variables("^${NAME}-${OTHER:-x}$", {"NAME": SECRET})
    filled = _of(found)
    assert filled.as_written({"pattern": [f"^{SECRET}-x$", 7, None]}) == {"pattern": ["^${NAME}-x$", 7, None]}
    assert filled.as_written(f"a part of it, {SECRET}") == "a part of it, ${NAME}"


def test_a_default_stands_for_itself() -> None:
    assert fill_variables("${NAME:-here}/$${x}", {}).shown == "here/${x}"
    assert fill_variables("${NAME:-here}", {"NAME": "there"}) == FilledText("there", "${NAME}", {"there": "${NAME}"})


@pytest.mark.parametrize(
    ("value", "sentence", "masked"),
    [
        (SECRET, f'unknown type "{SECRET}"', 'unknown type "${NAME}"'),
        (SECRET, f'found the text "{SECRET[:10]}…"', 'found the text "${NAME}…"'),
        (SECRET, f"ends in {SECRET[-9:]}.", "ends in ${NAME}."),
        ("hush", "say hush, not hash", "say ${NAME}, not hash"),
        ("hus", 'say hus and "hus"', 'say hus and "${NAME}"'),
        ("a", 'the label "a" of a table', 'the label "${NAME}" of a table'),
        ("", "nothing is left out", "nothing is left out"),
        ("hush", "hushed, hush1, a_hush", "hushed, hush1, a_${NAME}"),
        (SECRET, f"reads {SECRET}x and x{SECRET}", f"reads {SECRET}x and x{SECRET}"),
    ],
)
def test_a_sentence_loses_the_value_whole_or_in_part(value: str, sentence: str, masked: str) -> None:
    assert _filled(value).masked(sentence) == masked


@given(
    st.text("abcdefgh01", min_size=8, max_size=40), st.text(".,-_ ", max_size=30), st.text("/: ", max_size=30), st.data()
)
def test_no_long_part_of_a_value_is_left(value: str, before: str, after: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(value) - 8))
    end = data.draw(st.integers(start + 8, len(value)))
    masked = _filled(value).masked(f"{before}{value[start:end]}{after}")
    assert not any(value[at : at + 8] in masked for at in range(len(value) - 7))
    assert masked.startswith(before)
    assert masked.endswith(after)


@pytest.mark.parametrize("value", ["t0k3n", "a-long-token-4711"])
def test_an_address_with_a_value_in_it_is_shown_as_the_suite_writes_it(value: str) -> None:
    filled = _of(fill_variables("http://host/rows.csv?k=${NAME}", {"NAME": value}))
    for sentence in ("there is no http://host/rows.csv?k={}: 404", "http://host/rows.csv cannot be read", "k={}", "{}/x"):
        assert filled.masked(sentence.format(value)) == sentence.format("${NAME}")
        assert filled.masked(filled.masked(sentence.format(value))) == sentence.format("${NAME}")


def test_a_text_that_was_changed_is_replaced_with_the_value_in_it() -> None:
    filled = _of(fill_variables("x${NAME} ", {"NAME": SECRET}))
    assert filled.masked(f"hint: write x{SECRET}") == "hint: write x${NAME} "


REPLACED = "{regex_replace: {pattern: '^', with: '${NAME}'}}"


@pytest.mark.parametrize(
    ("suite", "place"),
    [
        ("evaluators: [{json_multi_field_match: {fields: [a], transforms: ["+REPLACED+"]}}]", "1:"),
        ("evaluators: [{json_multi_field_match: {fields: {a: {compare: exact, transforms: ["+REPLACED+"]}}}}]", "1:"),
        ("evaluators: [{schema_match: {schema: {properties: {a: {x-eval-transform: ["+REPLACED+"]}}}}}]", "1:"),
        ("evaluators: [{exact_match: {labels: ['${NAME}', b]}}]", "1:"),
        ("evaluators: [{exact_match: {labels: [a, b]}}]\ngates: {exact_match: {label: '${NAME}', metric: f1, fail_below: 1}}", "2:"),
        ("evaluators: [exact_match]\ngates: {exact_match: {slice: {kind: '${NAME}'}, fail_below: 1}}", "2:"),
        ("evaluators: [exact_match]\nslices: ['row.${NAME}']", "2:"),
        ("evaluators: [{json_multi_field_match: {fields: ['${NAME}']}}]", "1:"),
        ("evaluators: [{json_multi_field_match: {fields: [a], at: 'x.${NAME}'}}]", "1:"),
        ("evaluators: [{type: schema_match, fields: [a], output_at: '${NAME}'}]", "1:"),
        ("evaluators: [{schema_match: {fields: {a: {compare: exact, confidence: '${NAME}'}}}}]", "1:"),
        ("evaluators: [{rules: {r: {present: '${NAME}'}}}]", "1:"),
        ("evaluators: [{type: rules, r: {sum: [a, '${NAME}'], equals: b}}]", "1:"),
        ("evaluators: [{grounded: {source: input, fields: ['${NAME}']}}]", "1:"),
        ("evaluators: [exact_match]\nslices: ['${NAME:-row.a}']", "2:"),
    ],
)  # fmt: skip
def test_what_makes_values_of_its_own_takes_none_from_the_environment(suite: str, place: str) -> None:
    with pytest.raises(Problems) as caught:
        loads(suite, environment={"NAME": SECRET})
    (issue,) = [one for one in caught.value.issues if one.code == "variable-refused"]
    assert issue.where is not None
    assert issue.where.startswith(f"suite.yaml:{place}")
    assert "${NAME" in issue.message
    assert SECRET not in str(caught.value)


def test_a_property_that_is_called_like_a_setting_takes_a_variable() -> None:
    loads(
        "evaluators: [{json_schema_valid: {schema: {properties: {labels: {const: '${NAME}'}}}}}]",
        environment={"NAME": SECRET},
    )


def test_a_cell_is_shown_as_it_is_and_a_setting_is_not() -> None:
    suite = loads(
        "evaluators: [{json_multi_field_match: {fields: {a: {regex: {pattern: '${NAME}'}}}}}]",
        environment={"NAME": SECRET},
    )
    cells = {"output": f'{{"a": "{SECRET}"}}', "expected": '{"a": "x"}'}
    result = suite.evaluate(Row(cells))["json_multi_field_match"]
    assert result.fields[0].reason == f'"{SECRET}" fits the pattern "${{NAME}}"'


def test_a_phrase_of_a_cell_is_shown_as_it_is() -> None:
    suite = loads(
        "evaluators: [{contains: {substring: {column: wanted}}}, {starts_with: {prefix: '${NAME}'}}]",
        environment={"NAME": SECRET},
    )
    results = suite.evaluate(Row({"output": "x", "wanted": SECRET})).results
    reasons = [one.reason for one in results.values() if one.score is not None]
    assert reasons == [f'the output does not contain "{SECRET}"', 'the output does not start with "${NAME}"']


def test_evaluators_are_called_as_the_suite_writes_and_referred_to_either_way() -> None:
    suite = loads(
        "evaluators:\n"
        "  - exact_match: {name: 'of ${NAME}'}\n"
        "  - contains: {substring: a, needs: ['of ${NAME}']}\n"
        f"  - weighted_mean: {{of: {{'of {SECRET}': 2, contains: 1}}}}\n"
        f"gates: {{'of {SECRET}': {{fail_below: 0.5}}}}\n",
        environment={"NAME": SECRET},
    )
    assert [line.name for line in suite.lines] == ["of ${NAME}", "contains", "weighted_mean"]
    assert suite.gates[0].target.evaluator == "of ${NAME}"


def test_a_suite_without_variables_keeps_nothing() -> None:
    source = loads("evaluators: [exact_match]").config.source
    assert source.shown is source.data
    assert not source.filled


@pytest.mark.parametrize("value", ["se\"cr'et\\q7", "two\nlines", "geh\u00e9\u00eem word", "a%2Fb c&d"])
@pytest.mark.parametrize("spelled", [json.dumps, repr, urlquote])
def test_a_problem_has_no_value_in_any_spelling(value: str, spelled: Callable[[str], str]) -> None:
    issue = Issue("bad", Blame.CONFIG, f"found {spelled(value)}", f"s.yaml {spelled(value)}", f"write [{spelled(value)}]")
    masked = _filled(value).masked_issue(issue)
    for text in (masked.message, masked.where or "", masked.hint or ""):
        assert "${NAME}" in text
        assert spelled(value)[1:-1] not in text


@given(st.text(min_size=4, max_size=30).filter(lambda text: text.strip() == text), st.sampled_from(["r", "j", "u", "p"]))
def test_a_traceback_has_no_value_in_any_spelling(value: str, how: str) -> None:
    spelled = {"r": repr(value)[1:-1], "j": json.dumps(value)[1:-1], "u": urlquote(value, safe=""), "p": value}[how]
    filled = Filled()
    filled.note(value, "${SECRET}", {value: "${SECRET}"})
    found = filled.masked_spelled(f'ValueError: "{spelled}" in http://host/{spelled}/rows.csv')
    assert found == 'ValueError: "${SECRET}" in http://host/${SECRET}/rows.csv'


def test_a_traceback_that_holds_a_short_value_stays_readable() -> None:
    filled = Filled()
    filled.note("1", "${N}", {"1": "${N}"})
    trace = 'File "x.py", line 1, in f\nKeyError: 1'
    assert filled.masked_spelled(trace) == trace


def test_what_a_suite_that_is_wrong_took_is_noted_for_the_traceback() -> None:
    with noting_filled_texts() as filled, pytest.raises(Problems):
        load({"evaluators": ["${SECRET}"]}, environment={"SECRET": "Qxv7Hidden"})
    assert filled.masked_spelled("KeyError: 'Qxv7Hidden'") == "KeyError: '${SECRET}'"


def test_what_a_row_keeps_of_a_fault_has_no_value(tmp_path: Path) -> None:
    def broken(expected: Any, actual: Any, path: str) -> bool:
        raise ValueError("cannot take Qxv7Hidden")

    evaluators.comparator("broken_here", overwrite=True)(broken)
    suite = load(
        {"evaluators": [{"json_multi_field_match": {"fields": {"a": "broken_here"}}},
                        {"contains": {"substring": "${SECRET}"}}]},
        environment={"SECRET": "Qxv7Hidden"},
    )  # fmt: skip
    suite.run([{"id": "1", "output": {"a": 1}, "expected": {"a": 2}}], results=tmp_path, name="x")
    text = "".join(one.read_text("utf-8") for one in (tmp_path / "x").rglob("*.json*"))
    assert "cannot take ${SECRET}" in text
    assert "Qxv7Hidden" not in text


@pytest.mark.parametrize("value", ["plain-hush-4711", "hush\\n4711\\u00e9", 'hush"4711"'])
def test_a_run_does_not_keep_where_its_rows_are_where_the_environment_said_so(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HUSH", value)
    Path("rows.csv").write_text("id,output,expected\n1,a,a\n", encoding="utf-8")
    text = "test_set: {file: rows.csv, attach: {note: '${HUSH}/{id}.txt'}}\nevaluators: [exact_match]\n"
    Path("suite.yaml").write_text(text, encoding="utf-8")
    load("suite.yaml").run(results="runs", name="x")
    assert "hush" not in Path("runs/x/environment.json").read_text(encoding="utf-8")
