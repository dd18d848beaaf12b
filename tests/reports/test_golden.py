"""What a person sees, word for word.

After a wanted change, `REGENERATE=1 python -m pytest tests/reports/test_golden.py` writes the golden files anew. Each test whose
file has changed fails then, with the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.reports.format import FORMATS, Format, run_files
from evaluators.reports.headline import Options
from evaluators.run.result import RunResult
from evaluators.run.run_json import run_json
from tests.kit import golden

GOLDEN = Path(__file__).parent / "golden"
OPTIONS = Options(files=("runs/2026-03-14_09-26-53_5f0c2a9b",))


def files_of(result: RunResult) -> dict[str, str]:
    markdown: Format = FORMATS.find("markdown")()
    text: Format = FORMATS.find("text")()
    return {
        **run_files(result, ("field_sums", "markdown", "json", "junit"), OPTIONS),
        "summary.md": markdown.render(result, OPTIONS),
        "tables.txt": text.render(result, OPTIONS),
        "run.json": run_json(result),
    }


@pytest.mark.parametrize(
    "name",
    ["summary.txt", "tables.txt", "summary.md", "fields.md", "field_summary.csv", "junit.xml", "run.json"],
)
def test_a_report_is_the_golden_one(named_run: tuple[str, RunResult], name: str) -> None:
    run, result = named_run
    golden(GOLDEN / run / name, files_of(result)[name])
