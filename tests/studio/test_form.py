"""A suite as a form, and a change of the form as a change of the text: what was asked, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from evaluators.model.issues import Problems
from evaluators.studio.edits import apply_edit
from evaluators.studio.form import form_of, read_suite
from evaluators.studio.messages import (
    AddCheck,
    AnyEdit,
    Apply,
    Check,
    FieldLine,
    Form,
    RemoveCheck,
    RemoveField,
    SetCheck,
    SetField,
    SetGate,
    SetRole,
)
from evaluators.suites.text_edits import data_of
from tests.kit import problem_of, quick_first
from tests.suites.test_text_edits import CONFIGS, comments_in

SUITES = sorted((CONFIGS / "gallery").glob("*/suite.yaml"))
TEXT = """\
# Invoices.
name: mine
test_set: rows.csv
comparators:
  money: {numeric: {tolerance: {abs: 0.01}}}   # cents
slices: [row.supplier]
evaluators:
  - contains_json
  - length: {max: 40}
  - type: json_multi_field_match   # header
    name: header
    needs: [contains_json]
    pass_at: 0.5
    fields:
      number: exact
      # amounts
      total: {compare: money, weight: 2, transforms: [strip]}
      tax: {numeric: {tolerance: {abs: 0.1}, parse: {thousands: ","}}}
      lines: {align: {key_field: {key: sku}}}
      lines[*].qty: numeric
      notes: skip
  - schema_match: {name: whole, fields: [a, b]}
gates:
  header: {fail_below: 0.9, min_rows: 30}
"""
HEADER = 2


def form(text: str) -> Form:
    return form_of(read_suite(text, "suite.yaml", Path()))


def change(edit: AnyEdit, text: str = TEXT) -> str:
    return apply_edit(read_suite(text, "suite.yaml", Path()), edit)


def line(text: str, path: str, place: int = HEADER) -> FieldLine:
    (found,) = (one for one in form(text).checks[place].fields if one.path == path)
    return found


def test_a_suite_is_shown_as_lines_and_what_is_only_in_the_text_is_counted() -> None:
    found = form(TEXT)
    assert (found.name, found.own_comparators, found.text_only) == ("mine", ["money"], 1)
    assert [(one.name, one.line, one.text_only, one.lists_fields) for one in found.checks] == [
        ("contains_json", 8, 0, False), ("length", 9, 0, False), ("header", 10, 1, True), ("whole", 22, 0, True),
    ]  # fmt: skip
    assert found.checks[1].options == {"max": 40}
    assert msgspec.to_builtins(found.checks[HEADER].fields) == [
        {"evaluator": 2, "path": "number", "name": "number", "line": 15, "compare": "exact"},
        {"evaluator": 2, "path": "total", "name": "total", "line": 17, "compare": "money", "weight": 2, "text_only": 1},
        {
            "evaluator": 2,
            "path": "tax",
            "name": "tax",
            "line": 18,
            "compare": "numeric",
            "options": {"tolerance.abs": 0.1},
            "text_only": 1,
        },
        {
            "evaluator": 2,
            "path": "lines",
            "name": "lines",
            "line": 19,
            "compare": "",
            "align": "key_field",
            "align_key": "sku",
        },
        {"evaluator": 2, "path": "lines[*].qty", "name": "lines[*].qty", "line": 20, "compare": "numeric"},
        {"evaluator": 2, "path": "notes", "name": "notes", "line": 21, "compare": "", "skip": True},
    ]
    assert msgspec.to_builtins(found.gates) == [{"target": "header", "line": 24, "fail_below": 0.9, "text_only": 1}]


def test_a_gate_on_another_metric_than_the_mean_is_shown_with_it() -> None:
    found = form("version: 1\nevaluators: [exact_match]\ngates:\n  exact_match: {metric: pass_rate, fail_below: 0.9}\n")
    assert msgspec.to_builtins(found.gates) == [
        {"target": "exact_match", "line": 4, "figure": "pass_rate", "fail_below": 0.9}
    ]


def test_the_comparator_of_whole_cells_and_their_columns_are_shown_and_changed() -> None:
    """A pair of columns is compared as a field is; what the menu does not show of it is counted."""
    written = (
        "evaluators:\n  - exact_match: {name: a, output: given, expected: wanted}\n"
        "  - exact_match: {name: b, compare: {date: {formats: [iso]}}}\n  - contains_json\n"
    )
    assert [(one.compare, one.columns, one.text_only) for one in form(written).checks] == [
        ("", ["given", "wanted"], 0), ("date", [], 1), (None, [], 0),
    ]  # fmt: skip
    assert "wanted, compare: numeric}" in change(SetCheck(0, {"compare": "numeric"}), written)
    assert "{name: b, compare: url}" in change(SetCheck(1, {"compare": "url"}), written)
    assert "{name: b}" in change(SetCheck(1, {"compare": None}), written)


@pytest.mark.parametrize(
    ("edit", "was", "becomes"),
    [
        (SetField(HEADER, "number", compare="fuzzy"), "number: exact", "number: fuzzy"),
        (SetField(HEADER, "number", weight=2), "number: exact", "number: {compare: exact, weight: 2}"),
        (SetField(HEADER, "number", required=True), "number: exact", "number: {compare: exact, required: true}"),
        (SetField(HEADER, "number", skip=True), "number: exact", "number: skip"),
        (SetField(HEADER, "notes", skip=False), "notes: skip", "notes: exact"),
        (
            SetField(HEADER, "number", compare="numeric", options={"tolerance.abs": 1}),
            "number: exact", "number: {numeric: {tolerance: {abs: 1}}}",
        ),
        (SetField(HEADER, "total", weight=None), "{compare: money, weight: 2, trans", "{compare: money, trans"),
        (SetField(HEADER, "total", compare="exact"), "{compare: money, weight", "{compare: exact, weight"),
        (SetField(HEADER, "tax", options={"tolerance.rel": 0.5}), "{tolerance: {abs: 0.1}, parse", "{tolerance: {rel: 0.5}, parse"),
        (SetField(HEADER, "tax", options={}), "{tolerance: {abs: 0.1}, parse", "{parse"),
        (SetField(HEADER, "lines", align="any_order"), "{align: {key_field: {key: sku}}}", "{align: any_order}"),
        (SetField(HEADER, "lines", align="key_field", align_key="id"), "{key: sku}", "{key: id}"),
        (SetField(HEADER, "lines", align=None), "lines: {align: {key_field: {key: sku}}}", "lines: exact"),
        (SetField(HEADER, "/total", weight=3), "weight: 2", "weight: 3"),
        (SetField(HEADER, "a b", compare="date"), "notes: skip\n", 'notes: skip\n      "a b": date\n'),
        (SetField(3, "b", compare="fuzzy"), "fields: [a, b]", "fields: {a: exact, b: fuzzy}"),
        (RemoveField(HEADER, "tax"), '      tax: {numeric: {tolerance: {abs: 0.1}, parse: {thousands: ","}}}\n', ""),
        (RemoveField(3, "a"), "fields: [a, b]", "fields: [b]"),
        (AddCheck("length", {"max": 5}, "short"), "[a, b]}\n", "[a, b]}\n  - type: length\n    name: short\n    max: 5\n"),
        (AddCheck("format_valid", {"format": "json"}), "b]}\n", "b]}\n  - type: format_valid\n    format: json\n"),
        (
            AddCheck("json_multi_field_match", name="more", fields=["x"]), "[a, b]}\n",
            "[a, b]}\n  - type: json_multi_field_match\n    name: more\n    fields:\n      x: exact\n",
        ),
        (SetCheck(1, {"max": 50, "min": 2}), "{max: 40}", "{max: 50, min: 2}"),
        (SetCheck(HEADER, {"pass_at": None}), "    pass_at: 0.5\n", ""),
        (SetCheck(0, {"require": "object"}), "- contains_json\n", "- {contains_json: {require: object}}\n"),
        (RemoveCheck(1), "  - length: {max: 40}\n", ""),
        (SetGate("header", "fail_below", 0.8), "fail_below: 0.9", "fail_below: 0.8"),
        (SetGate("header", "warn_below", 0.95), "min_rows: 30}", "min_rows: 30, warn_below: 0.95}"),
        (SetGate("header.total", "fail_below", 1), "min_rows: 30}\n", "min_rows: 30}\n  header.total: {fail_below: 1}\n"),
        (SetRole("output", "answer"), "test_set: rows.csv", "test_set: {file: rows.csv, columns: {output: answer}}"),
        (Apply(HEADER, "number", "normalized: {case: ignore}"), "number: exact", "number: {normalized: {case: ignore}}"),
        (Apply(HEADER, "total", "exact"), "{compare: money", "{compare: exact"),
        (Apply(HEADER, "", "both_missing: match"), "notes: skip\n", "notes: skip\n    both_missing: match\n"),
        (Apply(1, "", "- length: {max: 90}"), "- length: {max: 40}", "- {length: {max: 90}}"),
    ],
)  # fmt: skip
def test_a_change_of_the_form_changes_its_line_alone(edit: AnyEdit, was: str, becomes: str) -> None:
    assert TEXT.count(was) == 1
    assert change(edit) == TEXT.replace(was, becomes)


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (RemoveField(3, "a"), "last-field"),
        (SetField(9, "a", weight=1), "no-evaluator"),
        (RemoveCheck(0), "last-evaluator"),
    ],
)
def test_a_change_that_would_leave_no_suite_is_refused(edit: AnyEdit, code: str) -> None:
    text = "evaluators:\n  - schema_match: {fields: [a]}\n"
    edit = msgspec.structs.replace(edit, evaluator=0) if code == "last-field" else edit
    assert problem_of(lambda: change(edit, text)).code == code


def test_a_line_says_how_results_spell_its_path() -> None:
    assert line(TEXT.replace("tax:", "/tax/net:"), "/tax/net").name == "tax.net"


def test_a_skipped_field_has_no_weight() -> None:
    assert problem_of(lambda: change(SetField(HEADER, "notes", weight=2))).code == "skipped-field"


def test_what_an_extended_file_says_is_shown_and_not_edited(folder: Path) -> None:
    (folder / "base.yaml").write_text("evaluators:\n  - length: {max: 5}\n")
    found = form_of(read_suite("extends: base.yaml\n", "suite.yaml", folder))
    assert [(one.name, one.line, one.editable) for one in found.checks] == [("length", 0, False)]


@pytest.mark.parametrize("seed", quick_first(range(4)))
def test_after_any_change_the_text_says_what_was_asked_and_keeps_every_comment(seed: int) -> None:
    random, done = Random(seed), 0
    file, text = SUITES[seed], ""
    while done < 250:
        if not text or done % 25 == 0:
            file = random.choice(SUITES)
            text = file.read_text(encoding="utf-8")
        before = form_of(read_suite(text, file.name, file.parent))
        edit = _random_edit(random, before)
        try:
            changed = apply_edit(read_suite(text, file.name, file.parent), edit)
            after = form_of(read_suite(changed, file.name, file.parent))
        except Problems:  # it says why, and the text stays as it is
            text = "" if random.random() < 0.2 else text
            continue
        assert not comments_in(text) - comments_in(changed)
        _check_asked(edit, before, after)
        _check_others(edit, data_of(text), data_of(changed))
        text, done = changed, done + 1


def _random_edit(random: Random, found: Form) -> AnyEdit:
    lines = [one for check in found.checks for one in check.fields]
    check = random.choice(found.checks)
    target = random.choice([check.name, *(f"{check.name}.{one.path}" for one in check.fields)])
    gate = SetGate(target, random.choice(["fail_below", "warn_below"]), random.choice([None, 0.5, 1]))
    others: list[AnyEdit] = [
        gate,
        SetCheck(check.place, {"pass_at": random.choice([None, 0.5, 1])}),
        AddCheck("contains_json", {}, "more"),
    ]
    if len(found.checks) > 1:
        others.append(RemoveCheck(check.place))
    if not lines or random.random() < 0.3:
        return random.choice(others)
    line = random.choice(lines)
    ways: list[dict[str, Any]] = [
        {"weight": random.choice([None, 0, 2, 0.5])}, {"required": random.choice([True, None])}, {"skip": not line.skip},
        {"compare": "numeric", "options": random.choice([{}, {"tolerance.abs": 0.1}, {"tolerance.rel": 0.5, "parse": True}])},
        {"compare": "normalized", "options": {"case": "keep"}}, {"compare": random.choice(["exact", "fuzzy", "date"])},
        {"align": random.choice([None, "any_order", "hungarian"])}, {"align": "key_field", "align_key": "id"},
    ]  # fmt: skip
    if random.random() < 0.15:
        return RemoveField(line.evaluator, line.path)
    path = f"new {random.randrange(100)}: #" if random.random() < 0.1 else line.path
    return SetField(line.evaluator, path, **random.choice(ways))


def _check_asked(edit: AnyEdit, before: Form, after: Form) -> None:
    """The form shows afterwards what was asked for."""
    match edit:
        case SetField():
            found = _named(after.checks[edit.evaluator].fields, edit.path)
            assert found is not None
            asked = {name: value for name, value in msgspec.structs.asdict(edit).items() if value is not msgspec.UNSET}
            for name in ("compare", "options", "align_key", "weight", "skip"):
                if name in asked:
                    assert getattr(found, name) == asked[name], name
            if "required" in asked:
                assert found.required is bool(asked["required"])
            if "align" in asked:
                assert found.align == (asked["align"] or "")
        case RemoveField():
            assert _named(after.checks[edit.evaluator].fields, edit.path) is None
        case SetCheck():
            assert after.checks[edit.place].options.get("pass_at") == edit.options["pass_at"]
        case SetGate():
            gate = next((one for one in after.gates if one.target == edit.target), None)
            assert (getattr(gate, edit.limit) if gate is not None else None) == edit.value
        case AddCheck():
            assert [one.name for one in after.checks] == [*(one.name for one in before.checks), "more"]
        case RemoveCheck():
            assert [one.name for one in after.checks] == [one.name for one in before.checks if one.place != edit.place]


def _named(lines: Sequence[FieldLine], path: str) -> FieldLine | None:
    return next((one for one in lines if one.path == path), None)


def _check_others(edit: AnyEdit, was: Any, now: Any) -> None:
    """Everything that the change is not about says what it said."""
    section = "gates" if isinstance(edit, SetGate) else "evaluators"
    assert {key: value for key, value in now.items() if key != section} == {
        key: value for key, value in was.items() if key != section
    }
    if isinstance(edit, SetField | RemoveField | SetCheck):
        place = edit.place if isinstance(edit, SetCheck) else edit.evaluator
        others = [one for at, one in enumerate(was["evaluators"]) if at != place]
        assert [one for at, one in enumerate(now["evaluators"]) if at != place] == others


def test_the_place_of_a_check_is_its_place_in_the_list() -> None:
    assert [one.place for one in form(TEXT).checks] == list(range(4))
    assert isinstance(form(TEXT).checks[0], Check)
