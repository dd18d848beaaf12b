"""What the program says to people who make one mistake in a suite that works: one message, with a way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evaluators
from tests.kit import read_yaml

GALLERY = Path(__file__).parents[2] / "configs" / "gallery"
MISTAKES = read_yaml(Path(__file__).parent / "mistakes.yaml")


def problems(topic: str, old: str, new: str) -> list[evaluators.Issue]:
    text = (GALLERY / topic / "suite.yaml").read_text(encoding="utf-8")
    assert old in text
    try:
        result = evaluators.loads(text.replace(old, new, 1), "suite.yaml", GALLERY / topic).run()
    except evaluators.Problems as error:
        return list(error.issues)
    return list(result.issues)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: str(mistake["it"]))
def test_one_mistake_is_one_message_with_a_way_out(mistake: dict[str, Any]) -> None:
    found = problems(mistake["topic"], mistake["for"], mistake["put"])
    assert [issue.message for issue in found] == [mistake["says"]]
    assert found[0].hint == mistake.get("hint")


def test_a_table_in_one_column_is_told_how_its_columns_are_separated() -> None:
    found = problems("semicolon_export", "delimiter: semicolon", 'delimiter: ","')
    assert [issue.hint for issue in found] == ["write `delimiter: semicolon` under test_set, or --delimiter semicolon"]
