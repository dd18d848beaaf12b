"""One vocabulary for people: right, wrong, missing, extra. Files for programs keep their status words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluators.model.rows import FieldStatus
from evaluators.model.words import plain_word
from evaluators.reports.catalog import KINDS, Kind, entries, page
from evaluators.reports.document import Page
from evaluators.reports.fields_page import fields_page
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.run_page import run_page
from evaluators.reports.text import WIDTH, page_text
from evaluators.runs.result import RunResult
from tests.docs.blocks import blocks

ROOT = Path(__file__).parents[2]
FOR_PROGRAMS = re.compile(r"\b(mismatch(es)?|omissions?|hallucinations?|spurious)\b")
EVERYTHING: list[tuple[Kind, str]] = [(kind, entry.name) for kind in KINDS for entry in entries(kind)]
HAND_WRITTEN = sorted(
    path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if "decisions" not in path.parts
)


def test_each_status_has_a_word_for_programs_and_one_for_people() -> None:
    assert {status.word: status.plain for status in FieldStatus} == {
        "not_measured": "not measured",
        "match": "right",
        "mismatch": "wrong",
        "omission": "missing",
        "hallucination": "extra",
        "skipped": "skipped",
        "error": "error",
        "not_judged": "not judged",
    }
    assert (plain_word("error"), plain_word("gold_null")) == ("error", "gold_null")


@pytest.mark.parametrize("rendered", [page_text, page_markdown])
def test_the_pages_of_a_run_use_the_words_for_people(
    named_run: tuple[str, RunResult], rendered: Callable[[Page], str]
) -> None:
    for document in (run_page(named_run[1], Options()), fields_page(named_run[1])):
        assert not FOR_PROGRAMS.findall(rendered(document))


@pytest.mark.parametrize("golden", sorted((Path(__file__).parent / "golden").glob("comparison_*/page.*")), ids=str)
def test_the_pages_of_a_comparison_use_the_words_for_people(golden: Path) -> None:
    assert not FOR_PROGRAMS.findall(golden.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), EVERYTHING)
def test_the_reference_uses_the_words_for_people(kind: Kind, name: str) -> None:
    assert not FOR_PROGRAMS.findall(page_text(page(kind, name), WIDTH))


@pytest.mark.parametrize("path", HAND_WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_page_shows_of_the_program_uses_the_words_for_people(path: Path) -> None:
    for block in blocks(path):
        assert block.language != "console" or not FOR_PROGRAMS.findall(block.text), f"{path.name}:{block.line}"
