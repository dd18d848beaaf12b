"""Sentences that findings are worded by: each gets what stands in it, also those that hardly a run says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import evaluators
from evaluators.runs import wording
from evaluators.runs.compare import wording as compare_wording
from evaluators.runs.wording import Finding, Wording

ROOMS = {"runs": wording.sentence, "runs/compare": compare_wording.sentence}


def findings(room: str) -> Iterator[ast.Call]:
    for path in (Path(evaluators.__file__).parent / room).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
                yield node


def wanted(sentence: str) -> set[str]:
    return {name.partition(".")[0] for _, name, _, _ in Formatter().parse(sentence) if name}


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_found_has_what_stands_in_its_sentence(room: str) -> None:
    sentences, checked = ROOMS[room].sentences, set()
    for call in findings(room):
        texts = [node.value for node in ast.walk(call.args[0]) if isinstance(node, ast.Constant)]
        facts = call.args[1] if len(call.args) > 1 else ast.Dict([], [])
        if not isinstance(facts, ast.Dict):
            continue
        given = {key.value for key in facts.keys if isinstance(key, ast.Constant)}
        for code in sentences.keys() & set(texts):
            assert wanted(sentences[code]) <= given, code
            checked.add(code)
    assert len(checked) > 0.6 * len(sentences), sorted(sentences.keys() - checked)


def test_one_or_several_lists_and_findings_within_findings() -> None:
    said = Wording({
        "rows": "{count:rows} {count:is/are} {what}", "lost": "lost{of:brackets}", "all": "{names:listed}",
    })  # fmt: skip
    one = Finding("rows", {"count": 1, "what": Finding("lost", {"of": None})})
    several = Finding("rows", {"count": 1200, "what": Finding("lost", {"of": "{braces}"})})
    assert said(one) == "1 row is lost"
    assert said(several, one) == "1,200 rows are lost ({braces})1 row is lost"
    assert said(Finding("all", {"names": [one, "b"]})) == "1 row is lost, b"
