"""Every word of the language can be explained."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from evaluators.api.explaining import explain_name
from evaluators.api.language import METRICS, OF_A_FIELD, OF_A_ROW, language_words
from evaluators.runs.gates import ScoreMetric
from tests.kit import cli

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGE, SETTINGS = DOCS / "reference" / "language.md", DOCS / "reference" / "settings.md"
GLOSSARY = DOCS / "concepts.md"
_TABLE = re.compile(r"^\| key \|.*\n\| --- .*\n((?:\|.*\n)+)", re.MULTILINE)


def keys_of_the_page() -> list[str]:
    """The keys in the tables of the pages about the language and its settings."""
    tables = [table for page in (LANGUAGE, SETTINGS) for table in _TABLE.findall(page.read_text(encoding="utf-8"))]
    rows = [row for table in tables for row in table.splitlines()]
    return sorted({key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])})


@pytest.mark.slow
@pytest.mark.parametrize("word", keys_of_the_page())
def test_a_key_of_the_page_is_explained(word: str) -> None:
    assert explain_name(word, "text").startswith(f"{word}\n")


@pytest.mark.parametrize("word", ["gates", "needs", "fail_below", "precision", "lower_bound", "pick", "unmet", "weight"])
def test_a_word_is_explained_in_every_format(word: str) -> None:
    for format_ in ("text", "markdown", "json"):
        done = cli("explain", word, "--format", format_)
        assert done.exit_code == 0
        assert word in done.output.replace("\\_", "_")


def test_a_figure_is_explained_by_what_it_divides() -> None:
    assert "right / (right + wrong + extra)" in explain_name("precision", "text")
    assert set(METRICS) == set(get_args(ScoreMetric))


def test_a_word_that_nobody_has_gets_the_nearest_one() -> None:
    done = cli("explain", "fals_below")
    assert (done.exit_code, 'did you mean "fail_below"?' in done.output) == (2, True)


def test_every_word_has_a_page() -> None:
    assert all(explain_name(word, "text") for word in language_words())


def of_the_glossary(title: str) -> dict[str, str]:
    """The words of one table of docs/concepts.md, with what they mean."""
    section = GLOSSARY.read_text(encoding="utf-8").partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in section.splitlines() if line.startswith("| ")]
    return {word: meaning for word, meaning in rows if word != "word"}


def test_the_words_of_reports_are_those_of_the_glossary() -> None:
    assert of_the_glossary("What becomes of a field") == OF_A_FIELD
    rows = of_the_glossary("What becomes of a row")
    passed = rows.pop("passed, failed")
    assert rows == {word: meaning for word, meaning in OF_A_ROW.items() if word not in ("passed", "failed")}
    assert passed == f"{OF_A_ROW['passed']}, or not"


def test_a_word_of_reports_says_where_it_is_read() -> None:
    assert "A word of reports." in explain_name("extra", "text")
    assert "Only the output has it." in explain_name("extra", "text")
