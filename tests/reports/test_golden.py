"""What a person sees, word for word.

After a wanted change, `REGENERATE=1 python -m pytest tests/reports/test_golden.py` writes the golden files anew. Each test whose
file has changed fails then, with the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.reports.fields_page import fields_page
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.summary import summary
from evaluators.reports.text import page_text
from evaluators.runs.result import RunResult
from evaluators.runs.run_json import run_json
from tests.kit import golden, written

GOLDEN = Path(__file__).parent / "golden"
OPTIONS = Options(files=("runs/2026-03-14_09-26-53_5f0c2a9b",))


def files_of(result: RunResult) -> dict[str, str]:
    return {
        "summary.txt": page_text(summary(result, OPTIONS)),
        "tables.txt": written("text", result, OPTIONS),
        "summary.md": written("markdown", result, OPTIONS),
        "fields.md": page_markdown(fields_page(result)),
        "field_summary.csv": written("field_sums", result),
        "junit.xml": written("junit", result),
        "run.json": run_json(result),
    }


@pytest.mark.parametrize(
    "name",
    ["summary.txt", "tables.txt", "summary.md", "fields.md", "field_summary.csv", "junit.xml", "run.json"],
)
def test_a_report_is_the_golden_one(named_run: tuple[str, RunResult], name: str) -> None:
    run, result = named_run
    golden(GOLDEN / run / name, files_of(result)[name])
