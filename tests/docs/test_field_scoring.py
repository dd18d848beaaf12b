"""The tables of `docs/reference/field-scoring.md` say what happens: each line is scored, and so is the receipt of the picture."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import evaluators
from evaluators.model.rows import Result
from evaluators.scoring.evaluators.schema_match import SchemaMatch
from tests.docs.blocks import blocks

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reference" / "field-scoring.md"
PICTURE = DOCS / "images" / "field-scoring.svg"
GONE = object()
VALUES: dict[str, list[Any]] = {
    "missing": [GONE],
    "null": [None],
    "empty": [{}],
    "`{}`": [{}],
    "`[]`": [[]],
    "full": [{"a": 1, "b": 2}],
    "something else": ["text", 3],
    '"Oslo"': ["Oslo"],
}
SINGLE = {"fields": ["it", "other"]}
CONTAINER = {"fields": ["it.a", "it.b", "other"]}


def tables() -> list[list[list[str]]]:
    """The tables with the columns expected, output and what it is."""
    found: list[list[list[str]]] = []
    inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| expected | output |"):
            found.append([])
            inside = True
        elif inside and line.startswith("| "):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif not line.startswith("|"):
            inside = False
    return found


def values(words: str) -> list[Any]:
    listed = re.split(r", | or ", words.replace(", such as text", ""))
    return [value for word in listed for value in VALUES[word.strip().removeprefix("or ")]]


def statuses(settings: dict[str, Any], expected: Any, output: Any) -> Counter[str]:
    """What becomes of a place, beside a field that always matches."""
    sides = [{"other": 1, **({} if side is GONE else {"it": side})} for side in (expected, output)]
    score = SchemaMatch(**settings).score(expected=sides[0], output=sides[1])
    return Counter(field.status.plain for field in score.fields if field.path != "other")


def said(outcome: str, leaves: int) -> Counter[str]:
    """The statuses that the words of a line stand for."""
    if outcome.startswith("nothing"):
        return Counter()
    if outcome == "each value in it is missing, and one value is extra":
        return Counter(missing=leaves, extra=1)
    for status in ("right", "wrong", "missing", "extra"):
        if outcome in (status, f"one {status}"):
            return Counter({status: 1})
        if outcome == f"each value in it is {status}":
            return Counter({status: leaves})
    raise AssertionError(f"the page says {outcome!r}")


@pytest.mark.parametrize(("settings", "lines"), list(zip((SINGLE, CONTAINER), tables(), strict=True)))
def test_a_line_about_presence_says_what_happens(settings: dict[str, Any], lines: list[list[str]]) -> None:
    for expected, output, outcome in lines:
        if outcome == "each field on its own":
            continue
        for one in values(expected):
            for other in values(output):
                found = statuses(settings, one, other)
                assert found == said(outcome, leaves=2), f"{expected} / {output}: {one!r}, {other!r}"


def receipt() -> Result:
    """The example of the page, scored by its suite."""
    texts = {block.file: block.text for block in blocks(PAGE) if block.file}
    lines = re.findall(r"^ {8}(\S+): (.+)$", texts["receipts.yaml"], re.MULTILINE)
    assert len(lines) == 6
    suite = evaluators.loads(texts["receipts.yaml"])
    row = {"expected": json.loads(texts["expected.json"]), "output": json.loads(texts["output.json"])}
    return suite.evaluate(row)["receipt"]


def test_the_picture_has_the_counts_of_the_example() -> None:
    counted = Counter(field.status.plain for field in receipt().fields)
    assert counted == Counter(right=5, wrong=1, missing=1, extra=3)
    drawn = Counter(re.findall(r">[✓✗−+] (\w+)</text>", PICTURE.read_text(encoding="utf-8")))
    assert drawn == counted


def test_the_totals_of_the_example_are_those_of_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    figures = receipt().details
    assert "2.5 / 4 = 0.625" in text
    assert "3 / 5 = 0.6" in text
    assert (figures["field_score"], figures["overall_score"], figures["overall_pass_rate"]) == (0.625, 0.6, 0.5)
