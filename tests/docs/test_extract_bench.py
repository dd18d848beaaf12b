"""The page about the ExtractBench data: its tables are those of the kept figures, and the figures are those of today."""

from __future__ import annotations

import pytest

from tests.data.extract_bench import SCHEMAS
from tests.tools.pages.extract_bench import COMMAND, KINDS, PAGE, SMALL, kept, page, scored


def test_the_tables_of_the_page_are_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(kept()), f"out of date; write it anew: {COMMAND}"


def test_every_document_has_figures_in_every_kind() -> None:
    scores = kept()
    assert list(scores) == list(KINDS)
    for rows in scores.values():
        assert len(rows) == 35
        assert {name.rpartition("/")[0] for name in rows} == set(SCHEMAS)


@pytest.mark.slow
def test_the_small_documents_have_the_figures_that_the_page_was_made_of() -> None:
    known, found = kept(), scored(SMALL)
    for kind, rows in found.items():
        assert {name: known[kind][name] for name in rows} == rows, f"{kind}: write the page anew: {COMMAND}"
