"""What is said of environments, and, where none is running, that their tests are not run here."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluators.reports.tracking.tracker import TRACKERS
from tests.hosts.environments import REQUIRED, RUNNING, environments, missing

EVERY = environments()
_IMPORTS = re.compile(r"^ *from (evaluators[\w.]*) import ([\w, ]+)$", re.MULTILINE)


@pytest.mark.parametrize("name", EVERY)
def test_an_environment_says_what_it_needs(name: str) -> None:
    environment = EVERY[name]
    assert 0 < environment.seconds <= 900
    assert list(environment.folder.rglob("test_*.py"))
    assert environment.pinned, "the packages of the host are pinned as they were tested"


@pytest.mark.parametrize("name", EVERY)
def test_the_tests_of_an_environment(name: str) -> None:
    if os.environ.get(RUNNING) != name:
        missing(name, f"its own environment is needed: python -m tests.hosts {name}")


def test_every_tracker_that_needs_a_package_has_an_environment() -> None:
    without = {"files"}
    assert {*TRACKERS.shipped_names()} - without <= {
        platform["tracker"] for each in EVERY.values() for platform in each.platforms if "tracker" in platform
    }


def test_what_is_required_is_an_environment() -> None:
    from tests.hosts.environments import required

    assert required() <= {*EVERY}, f"{REQUIRED} names what is no environment"


def _texts(file: Path) -> Iterator[str]:
    """The texts that stand in a file of Python, those with places to fill in without what fills them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        yield "".join(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))


def _is_there(module: str, name: str) -> bool:
    return hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}") is not None


def test_programs_that_tests_write_as_text_import_what_there_is() -> None:
    """No type checker reads such a text, and here it is run only where its host is installed."""
    files = Path(__file__).parent.rglob("*.py")
    found = [match for file in files for text in _texts(file) for match in _IMPORTS.finditer(text)]
    imported = {(match[1], name.split(" as ")[0].strip()) for match in found for name in match[2].split(",")}
    assert imported
    assert [each for each in sorted(imported) if not _is_there(*each)] == []
