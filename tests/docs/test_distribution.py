"""What pip calls this package: `evaluators` is somebody else's package, so no page and no message may say to install that."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from evaluators.model.issues import DISTRIBUTION, UPGRADE_HINT, extra_hint
from evaluators.model.rows import __version__
from tests.tools.release import READ, problems

ROOT = Path(__file__).parents[2]
FOREIGN = re.compile(
    r"""
    pip\ install [^\n`&]*? (?<![\w./\\-]) evaluators (?![\w-])
    | ^ evaluators (\[[\w,]*\])? $
    | ["'`] evaluators \[ [a-z,]+ \]
    """,
    re.M | re.X,
)
"""A command that installs the plain name, a requirement of that name, and an extra of it."""
TEXTS = (".md", ".py", ".yaml", ".yml", ".toml", ".txt", ".json", ".ipynb")


def texts() -> list[Path]:
    folders = ("evaluators", "configs", "docs", "tests/hosts")
    inside = (file for folder in folders for file in (ROOT / folder).rglob("*"))
    return sorted(file for file in (*inside, *ROOT.glob("*")) if file.suffix in TEXTS and file.is_file())


@pytest.mark.parametrize(
    "line",
    [
        "pip install evaluators",
        'pip install -U "evaluators[mlflow]"',
        "pip install --upgrade evaluators",
        "evaluators[sql]",
    ],
)
def test_the_foreign_name_is_recognised(line: str) -> None:
    assert FOREIGN.search(f"so:\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "pip install .",
        f"pip install path/to/{DISTRIBUTION}",
        extra_hint("sql"),
        UPGRADE_HINT,
        "pip install . && evaluators run x.yaml",
    ],
)
def test_our_own_name_and_the_command_are_not(line: str) -> None:
    assert not FOREIGN.search(line)


def test_no_page_and_no_message_installs_the_foreign_package() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {hit[0]}"
        for file in texts()
        for hit in FOREIGN.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_project_has_the_name_that_messages_say() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert [one for one in project["optional-dependencies"]["dev"] if one.startswith(f"{DISTRIBUTION}[")]
    assert "evaluators" in project["scripts"]


def test_an_extra_is_installed_from_a_copy() -> None:
    assert extra_hint("sql") == 'pip install "path/to/structured-evaluators[sql]", with the path of your copy'
    assert extra_hint("remote", "s3fs>=2026").startswith(
        'pip install "path/to/structured-evaluators[remote]" "s3fs>=2026",'
    )


WHEEL = f"structured_evaluators-{__version__}-py3-none-any.whl"


@pytest.mark.parametrize(
    ("names", "wheel", "size", "wrong"),
    [
        (list(READ), WHEEL, 1000, []),
        (list(READ[1:]), WHEEL, 1000, [f"{READ[0]} is not in the wheel"]),
        ([*READ, "tests/x.py"], WHEEL, 1000, ["tests/x.py is no part of the program"]),
        ([*READ, "evaluators/configs/gallery/x.csv"], WHEEL, 1000, ["evaluators/configs/gallery/x.csv is an example"]),
        (list(READ), "structured_evaluators-9-py3-none-any.whl", 1000, ["structured_evaluators-9-py3-none-any.whl is not named"]),
        (list(READ), WHEEL, 9_000_000, ["the wheel has 9,000,000 bytes"]),
    ],
)  # fmt: skip
def test_what_a_release_builds_is_looked_into(names: list[str], wheel: str, size: int, wrong: list[str]) -> None:
    found = problems(names, wheel, size)
    assert len(found) == len(wrong)
    assert all(one.startswith(start) for one, start in zip(found, wrong, strict=True))
