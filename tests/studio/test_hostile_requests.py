"""Whatever a request holds, the answer is a result or says what is wrong; it is never a fault of the program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import write_files
from tests.studio.serving import Page, serving

SUITE = "test_set: rows.csv\nevaluators:\n  - json_multi_field_match: {name: all, fields: {x: exact, y: exact}}\n"
TEXTS = [
    "", "\0", "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "a" * 100_000, "[" * 20_000, "&a [*a, *a]", "- - -",
    "{a: 1, a: 2}", "%YAML 1.1\n---\n", "evaluators: !!python/object/apply:os.system [id]\n", "evaluators: [exact_match]\n---\na: 1\n",
    "a: &x [1]\n" + "".join(f"b{n}: &y{n} [*x, *x, *x, *x]\n" for n in range(50)), "<<: {a: 1}\n", "\ufeffname: x\n", "? [a, b]\n: 1\n",
    "evaluators:\n- exact_match: {compare: {regex: {pattern: '(a+)+$'}}}\n", "extends: suite.yaml\n" + SUITE, "name: ${HOME}\n" + SUITE,
    "evaluators: [{json_multi_field_match: {fields: {'<script>alert(1)</script>': exact}}}]\ntest_set: rows.csv\n",
]  # fmt: skip
NAMES = [
    "",
    "/",
    "..",
    ".",
    "rows.csv",
    "no\nline.yaml",
    "a" * 5_000 + ".yaml",
    "~/suite.yaml",
    "s3://x/suite.yaml",
    "-",
    "CON.yaml",
]
EDITS: list[dict[str, Any]] = [
    {"edit": "field", "evaluator": -1, "path": "x", "weight": 1}, {"edit": "field", "evaluator": 10**9, "path": "x"},
    {"edit": "field", "evaluator": 0, "path": "", "compare": ""}, {"edit": "field", "evaluator": 0, "path": "x", "compare": "none"},
    {"edit": "field", "evaluator": 0, "path": "x", "options": {"a.b.c": {"d": [None, {}]}, "": 1}},
    {"edit": "field", "evaluator": 0, "path": "x[", "weight": -1}, {"edit": "field", "evaluator": 0, "path": "\0", "align": "x"},
    {"edit": "remove-field", "evaluator": 0, "path": "none"}, {"edit": "add-check", "type": "none"}, {"edit": "remove-check", "place": 5},
    {"edit": "add-check", "type": "length", "options": {"max": "x: {", "min": [[]]}, "name": "a.b"}, {"edit": "remove-check", "place": -1},
    {"edit": "check", "place": 0, "options": {"fields.x": None, "fields": None, "": 1}},
    {"edit": "gate", "target": "", "limit": "fail_below", "value": 5},
    {"edit": "gate", "target": "none.x", "limit": "fail_below", "value": None}, {"edit": "role", "role": "id", "column": "\u2028: #"},
    {"edit": "apply", "evaluator": 0, "path": "x", "write": "{"}, {"edit": "apply", "evaluator": 0, "path": "", "write": "- "},
    {"edit": "apply", "evaluator": 0, "path": "", "write": "a: 1\nb: [", }, {"edit": "apply", "evaluator": 0, "path": "x", "write": ""},
]  # fmt: skip


@pytest.fixture
def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    write_files(folder, {"suite.yaml": SUITE, "rows.csv": 'output,expected\n"{""x"": 1}","{""x"": 1}"\n'})
    monkeypatch.chdir(folder)
    with serving(folder) as found:
        yield found


def check(page: Page, name: str, asked: dict[str, Any]) -> None:
    status, answer = page.ask(name, asked)
    assert status != 500, (name, answer["message"])
    assert status in (200, 400, 403, 409, 422), (name, asked, answer)
    if status != 200:
        assert answer["message"]


def test_a_text_of_any_kind_is_read_or_refused(page: Page) -> None:
    for text in TEXTS:
        for name in ("read", "score", "edit"):
            more = {"tab": "one"} if name == "score" else {"edit": EDITS[0]} if name == "edit" else {}
            check(page, name, {"text": text, "path": "suite.yaml", **more})


@pytest.mark.parametrize("suite", [SUITE, "test_set: rows.csv\nevaluators:\n  - exact_match\n"], ids=["fields", "a word"])
def test_an_edit_of_any_kind_is_made_or_refused(page: Page, suite: str) -> None:
    for edit in EDITS:
        check(page, "edit", {"text": suite, "path": "suite.yaml", "edit": edit})


@pytest.mark.parametrize("rows", [0, -1, 2.5, "all"])
def test_rows_are_counted_from_one(page: Page, rows: Any) -> None:
    assert page.ask("score", {"text": SUITE, "path": "suite.yaml", "tab": "one", "rows": rows})[0] == 400


def test_a_suggestion_for_an_evaluator_that_is_a_word_is_written_beside_it(page: Page) -> None:
    edit = {"edit": "apply", "evaluator": 0, "path": "", "write": "compare: fuzzy"}
    text = "test_set: rows.csv\nevaluators:\n  - exact_match  # as it is\n"
    status, answer = page.ask("edit", {"text": text, "path": "suite.yaml", "edit": edit})
    assert (status, answer["text"]) == (200, text.replace("exact_match ", "{exact_match: {compare: fuzzy}} "))


def test_a_name_of_any_kind_is_found_or_refused(page: Page, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    for path in NAMES:
        for name, more in (("open", {}), ("draft", {}), ("run", {}), ("runs", {}), ("save", {"text": "a", "base": "x"})):
            check(page, name, {"path": path, **more})
        check(page, "read", {"path": path, "text": SUITE})
        check(page, "state", {"paths": [path]})
        assert page.send("GET", f"/runs/{path.strip() or 'x'}/report?token=x".replace("\n", "%0A"))[0] in (401, 404)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("rows", [0, -1, 1, 10**12])
def test_any_number_of_rows_is_scored_or_refused(page: Page, rows: int) -> None:
    check(page, "score", {"text": SUITE, "path": "suite.yaml", "tab": "one", "rows": rows})


def test_any_part_of_the_rows_is_shown_or_refused(page: Page) -> None:
    found = page.done("score", {"text": SUITE, "path": "suite.yaml", "tab": "one"})
    for first, count in ((-5, 3), (0, -1), (10**9, 10**9), (0, 10**9)):
        check(page, "rows", {"score": found["id"], "first": first, "count": count})
    for number in (-1, 0, 1, 2, 10**9):
        check(page, "row", {"score": found["id"], "row": number})
