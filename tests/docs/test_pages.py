"""Every page is run: its files are written, its commands are executed, and what they print is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.api.loading import load
from evaluators.model.issues import Issue, Problems
from tests.docs.blocks import blocks, commands, generated
from tests.docs.sessions import prepare, run_page

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if "decisions" not in page.parts and not generated(page)
)
RUN_ELSEWHERE = {
    *(
        ROOT / "docs" / "integrations" / f"{name}.md"
        for name in ("dask", "dvc", "opentelemetry", "ray", "trackio", "wandb")
    ),
    ROOT / "docs" / "how-to" / "buckets.md",
}
"""Pages with a test of their own in `tests/hosts`: they need a server or a platform."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return prepare(tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({*PAGES} - RUN_ELSEWHERE), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_is_what_happens(page: Path, place: Path) -> None:
    run_page(page, place)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_suite_on_a_page_is_valid(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.file is not None and block.language != "console":
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        whole = block.language == "yaml" and "evaluators:" in block.text and "# part of a suite" not in block.text
        if not whole or (block.file and not block.file.endswith((".yaml", ".yml"))) or "# a mistake" in block.text:
            continue
        suite = tmp_path / "the suite.yaml"
        suite.write_text(block.text, encoding="utf-8")
        found = problems_of(suite)
        assert {issue.code for issue in found} <= {"no-such-file", "no-such-schema"}, f"{page.name}:{block.line}\n{found}"


def problems_of(suite: Path) -> tuple[Issue, ...]:
    """What is wrong with a suite, as far as the file itself tells."""
    try:
        load(suite)
    except Problems as error:
        return error.issues
    return ()


def test_the_continuous_integration_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    wanted = [
        step
        for block in blocks(ROOT / "README.md")
        if block.language == "console"
        for command in commands(block)
        if " && " in command.text
        for step in command.text.split(" && ")
    ]
    assert wanted
    for step in wanted:  # the script makes its environment elsewhere, and installs without a word
        said = step.replace("pip install", "pip install --quiet").replace(".venv", "$work/venv")
        assert any(line.startswith((step, said)) for line in script.replace('"$work/venv', "$work/venv").splitlines()), (
            step
        )
