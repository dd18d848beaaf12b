"""The generated pages are up to date, and there is one for everything that ships with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.values.transforms import TRANSFORMS
from evaluators.suites.extends import preset_names
from tests.docs.generate import COMMAND, DOCS, pages, present, write


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The generated files as they should be."""
    return pages()


def test_every_generated_page_is_up_to_date(made: dict[str, str]) -> None:
    stale = [path for path, text in made.items() if _text(DOCS / path) != text]
    assert not stale, f"out of date: {', '.join(stale)}\nwrite them anew: {COMMAND}"


def test_no_page_stays_when_its_subject_is_gone(made: dict[str, str]) -> None:
    left = [path for path in present() if path not in made]
    assert not left, f"nothing makes these pages any more: {', '.join(left)}\nremove them: {COMMAND}"


@pytest.mark.slow
def test_the_pages_are_the_same_every_time(made: dict[str, str]) -> None:
    assert pages() == made


def test_every_evaluator_and_comparator_has_a_page_and_a_line_in_the_index(made: dict[str, str]) -> None:
    for kind, socket in (("evaluators", BUILTIN), ("comparators", COMPARATORS)):
        for name in socket.shipped_names():
            assert f"reference/{kind}/{name}.md" in made
            assert f"[{name}]({kind}/{name}.md)" in made[f"reference/{kind}.md"]


def test_every_transform_and_preset_has_a_section(made: dict[str, str]) -> None:
    for name in TRANSFORMS:
        assert f"\n## {name}\n" in made["reference/transforms.md"].replace("\\", "")
    for name in preset_names():
        assert f"\n## preset:{name}\n" in made["reference/presets.md"]


def test_what_all_transforms_share_is_said_once(made: dict[str, str]) -> None:
    assert made["reference/transforms.md"].count("A transform changes both values") == 1


def test_a_heading_inside_code_is_left_alone(made: dict[str, str]) -> None:
    assert "\n# Names for the comparisons" in made["reference/presets.md"]


@pytest.mark.slow
def test_writing_changes_what_is_out_of_date_and_nothing_else(tmp_path: Path, made: dict[str, str]) -> None:
    assert sorted(write(tmp_path)) == sorted(made)
    (tmp_path / "reference" / "evaluators.md").write_text("old", encoding="utf-8")
    gone = tmp_path / "reference" / "evaluators" / "gone.md"
    gone.write_text(made["reference/evaluators.md"], encoding="utf-8")
    assert write(tmp_path) == ["reference/evaluators.md", "reference/evaluators/gone.md"]
    assert write(tmp_path) == []
    assert not gone.exists()


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def test_every_command_names_both_spellings_of_help(made: dict[str, str]) -> None:
    page = made["reference/command-line.md"]
    assert page.count("| `-h`, `--help` |") == page.count("\n## ")
