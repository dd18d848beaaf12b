"""Rows are answered as they were when the answers were frozen, but for those that changed.yaml says have changed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kit import quick_first, read_yaml
from tests.tools.freeze.answers import long_numbers
from tests.tools.freeze.frozen_files import CHANGED, header_of, kinds_in, read, unexplained
from tests.tools.freeze.kinds import DRAWN, FOUND, ROOT
from tests.tools.freeze.showing import shown

HERE = Path(__file__).parent
PARTS = 3
"""Into how many tests the suites of a kind are divided: the default tier has the first."""
RULES = ROOT / "tests" / "scoring" / "fields" / "presence_rules.yaml"
NEW_NAMES = {
    "what stands in for a judge is called fallback",
    "what people often write by mistake gets the line to write",
    "at and output_at are settings of every evaluator",
    "at and output_at are settings of every evaluator, and keys of this one",
    "a cell is compared as a field is, with compare and transforms",
    "the right answers of one_of may be a list in the expected document, which is a third way to say them",
    "a number becomes text as people write it: 12.0 is 12",
    "characters that cannot be seen are shown, and that only such differ is said",
    "a field whose values all count as absent is told so, and a hint spells an index as a field does",
    "a value that matches is shown as the output has it: 1.0 where 1 is expected",
    "a row comes to the same beside other rows as alone",
    "exact_match says of two JSON texts which of their values differ",
    "case_insensitive_keys is keys: {case: ignore}: reasons say which keys were read otherwise, and which are unclear",
}
"""Reasons that are no rule of presence: new names of words of a suite, hints and reasons that say more, what a transform makes."""


@pytest.fixture(autouse=True)
def long_numbers_are_read() -> Iterator[None]:
    with long_numbers():
        yield


@cache
def changed() -> list[dict[str, Any]]:
    return yaml.load((HERE / CHANGED).read_text(encoding="utf-8"), yaml.CSafeLoader) or []


@pytest.mark.parametrize("part", quick_first(range(PARTS)))
@pytest.mark.parametrize("kind", kinds_in(HERE))
def test_answers_are_as_they_were(kind: str, part: int) -> None:
    found, stale, _ = unexplained(HERE, kind, part=part, parts=PARTS)
    assert not found, f"{len(found)} answers differ\n{shown(found, 5)}"
    assert not stale, f"no change any more, take them out of {CHANGED}: {stale}"


def test_every_kind_is_frozen() -> None:
    assert set(kinds_in(HERE)) == {*DRAWN, *FOUND}
    for kind in kinds_in(HERE):
        assert header_of(HERE, kind)["rows"] == sum(len(was.get("rows", ())) for _, was in read(HERE, kind))


def test_each_change_names_the_rule_that_is_its_reason() -> None:
    rules = {rule["rule"] for rule in read_yaml(RULES)}
    assert {entry["reason"] for entry in changed()} <= rules | NEW_NAMES
    assert all(entry.keys() in ({"answer", "now", "reason"}, {"answer", "places", "reason"}) for entry in changed())
    assert len({entry["answer"] for entry in changed()}) == len(changed())


def test_each_change_is_of_a_suite_that_is_frozen() -> None:
    suites = {entry["answer"].split(" ")[0] for entry in changed()}
    kinds = {suite.partition("/")[0] for suite in suites}
    assert suites <= {suite.id for kind in kinds for suite, _ in read(HERE, kind)}
