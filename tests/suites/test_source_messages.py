"""Every bad YAML of the table gets its message, place and hint from both of PyYAML's parsers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluators.suites import source
from tests.kit import problem_of, read_yaml

TABLE: list[dict[str, str]] = read_yaml(Path(__file__).with_suffix(".yaml"))
PARSERS = (yaml.SafeLoader, yaml.CSafeLoader) if yaml.__with_libyaml__ else (yaml.SafeLoader,)


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: str(parser.__name__))
@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["it"])
def test_a_message_says_what_was_written(entry: dict[str, str], parser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PARSER", parser)
    issue = problem_of(lambda: source.loads(entry["yaml"], environment={}))
    found = {"it": entry["it"], "yaml": entry["yaml"], "where": issue.where, "message": issue.message}
    assert found | ({"hint": issue.hint} if issue.hint else {}) == entry


@pytest.mark.parametrize("entry", [entry for entry in TABLE if "write: " in entry.get("hint", "")], ids=lambda e: e["it"])
def test_a_corrected_line_can_be_read(entry: dict[str, str]) -> None:
    assert yaml.safe_load(entry["hint"].removeprefix("write: ")) is not None
