"""Messages, hints and docstrings name only options that there are, and the help names every format and reader."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

import evaluators
from evaluators.cli import command
from evaluators.cli._options import RUN_FILES
from evaluators.reports.format import FORMATS
from evaluators.testsets.reader import READERS

OF_OTHERS: Final = {"--head"}
"""`ray start --head`."""
OPTION: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*")
CALL: Final = re.compile(r"evaluators ([a-z][a-z-]+)((?:(?!evaluators |[`\n]).)*)")


def options() -> dict[str, set[str]]:
    """The options of each command."""
    context = click.Context(command)
    commands = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return {
        name: {"--help", *(option for parameter in one.params for option in (*parameter.opts, *parameter.secondary_opts))}
        for name, one in commands.items()
        if one is not None
    }


def texts() -> Iterator[tuple[Path, str]]:
    """Every text in the code of the package, each with its file; what a text fills in is an X."""
    for file in sorted(Path(evaluators.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield file, node.value
            elif isinstance(node, ast.JoinedStr):
                yield file, "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)


def test_every_option_that_a_text_names_is_one_of_its_command() -> None:
    known = options()
    anywhere = {option for each in known.values() for option in each} | {
        option for parameter in command.params for option in parameter.opts
    }
    wrong = [
        (file.name, option, text)
        for file, text in texts()
        for option in OPTION.findall(text)
        if option not in anywhere | OF_OTHERS
    ] + [
        (file.name, option, text)
        for file, text in texts()
        for name, rest in CALL.findall(text)
        for option in OPTION.findall(rest)
        if name in known and option not in known[name]
    ]
    assert not wrong


def help_of_run(option: str) -> str:
    """The help of an option of `evaluators run`."""
    run = command.get_command(click.Context(command), "run")
    assert run is not None
    return next(str(getattr(parameter, "help", "")) for parameter in run.params if option in parameter.opts)


@pytest.mark.parametrize("name", FORMATS.shipped_names())
def test_the_help_names_every_format_of_a_report(name: str) -> None:
    form = FORMATS.find(name)
    if form.file:
        assert re.search(rf"\b{name}\b", help_of_run("--formats"))
    for ending in form.suffixes:
        assert re.search(rf"(?<!\w){re.escape(ending)}\b", RUN_FILES)


@pytest.mark.parametrize("name", READERS.shipped_names())
def test_the_help_names_every_reader(name: str) -> None:
    assert re.search(rf"\b{name}\b", help_of_run("--test-set-format"))
