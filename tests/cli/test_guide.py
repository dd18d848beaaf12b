"""The guide to the command line: every command that it shows gives what it shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluators.cli import command
from tests.gallery import GALLERY

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "command-line.md"
BLOCK = re.compile(r"```console\n\$ evaluators (.*)\n((?:.*\n)*?)```\n")
SHOWN = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(("words", "output"), SHOWN, ids=[words for words, _ in SHOWN])
def test_a_command_of_the_guide_gives_what_it_shows(
    words: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(GALLERY, tmp_path / "gallery")
    monkeypatch.chdir(tmp_path / "gallery")
    assert CliRunner().invoke(command, shlex.split(words)).output.strip("\n") == output.strip("\n")


def test_every_command_is_in_the_guide() -> None:
    import click

    shown = {words.split()[0] for words, _ in SHOWN}
    own = {"check", "explain", "infer-schema", "list", "new", "run", "schema", "try"}
    assert own <= shown & set(command.list_commands(click.Context(command)))
