"""The worked examples of the public pages of Agenta, Galtea and orbiter give what the pages say."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from evaluators.model.rows import MISSING
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Example
from evaluators.suites.config import read_config
from evaluators.suites.source import from_data
from tests.conformance.cases import HERE
from tests.kit import read_yaml

KEYS = {
    "page", "type", "settings", "input", "output", "expected", "score", "fields", "details", "reason", "shown",
}  # fmt: skip


@cache
def pages() -> list[dict[str, Any]]:
    loaded = read_yaml(HERE / "pages.yaml")
    assert isinstance(loaded, list)
    return loaded


def entries(shown: bool = False) -> list[Any]:
    return [pytest.param(one, id=one["page"]) for one in pages() if one.get("shown") or not shown]


def evaluator_of(entry: dict[str, Any]) -> Evaluator:
    line = {"type": entry["type"], **entry.get("settings", {})}
    return read_config(from_data({"evaluators": [line]})).lines[0].settings


@pytest.mark.parametrize("entry", entries())
def test_a_page_is_right_about_its_example(entry: dict[str, Any]) -> None:
    assert entry.keys() <= KEYS
    cells = {role: entry.get(role, MISSING) for role in ("output", "expected", "input")}
    score = evaluator_of(entry).score(**cells)
    assert score.score == pytest.approx(entry["score"], abs=1e-12)
    assert {found.path: found.status.word for found in score.fields} == entry.get(
        "fields", {found.path: found.status.word for found in score.fields}
    )
    details = entry.get("details", {})
    assert {name: score.details.get(name) for name in details} == details
    assert entry.get("reason", "") in (score.reason or "")


@pytest.mark.parametrize("entry", entries(shown=True))
def test_an_evaluator_shows_the_example_with_its_source(entry: dict[str, Any]) -> None:
    evaluator = evaluator_of(entry)
    system = entry["page"].partition(":")[0]
    shown = [one for one in evaluator.examples if (one.source or "").startswith(system)]
    assert any(_is_shown(one, entry) for one in shown)


def _is_shown(example: Example, entry: dict[str, Any]) -> bool:
    return _plain(example.output) == _plain(entry["output"]) and example.score == pytest.approx(entry["score"])


def _plain(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


@pytest.mark.parametrize("system", ["Agenta", "Galtea", "orbiter"])
def test_every_example_with_a_source_names_a_system_of_ours(system: str) -> None:
    sources = [example.source for name in BUILTIN.names() for example in BUILTIN.find(name).examples if example.source]
    assert [source for source in sources if source.startswith(system)]
