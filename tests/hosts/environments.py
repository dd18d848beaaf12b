"""The environments of the second tier: a folder beside this file, each with what it installs and what it tests.

mlflow/
  environment.txt     what pip installs, pinned as tested; `structured-evaluators[mlflow]` says which extras of this package
  environment.yaml    seconds: how long it may take with installing; network: private, if it needs that;
                      alone: what is installed without the packages it asks for, pinned;
                      platforms: what it tests against what, which docs/reference/integrations.md shows
  test_….py
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest
import yaml

HOSTS: Final = Path(__file__).parent
ROOT: Final = HOSTS.parents[1]
RUNNING: Final = "EVALUATORS_HOST"
"""The variable that names the environment whose tests are collected."""
REQUIRED: Final = "EVALUATORS_REQUIRE"
"""The variable that names environments which must not be skipped, with commas between."""
_OURS: Final = re.compile(r"^structured-evaluators(\[[\w,-]+\])?$")


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment."""

    name: str
    seconds: int
    """How long installing and testing may take together."""
    private_network: bool
    """Its tests run in a network of their own, or not at all."""
    requirements: tuple[str, ...]
    """What pip installs beside this package."""
    extras: str
    """The extras of this package, as pip takes them: `[mlflow]`, or nothing."""
    alone: tuple[str, ...] = ()
    """What pip installs without the packages that it asks for."""
    platforms: tuple[dict[str, Any], ...] = ()
    """The lines of the table of integrations."""

    @property
    def folder(self) -> Path:
        """Where its tests are."""
        return HOSTS / self.name

    @property
    def pinned(self) -> dict[str, str]:
        """The versions it is tested with, by package."""
        pairs = (line.partition("==") for line in (*self.requirements, *self.alone))
        return {re.sub(r"\[.*\]", "", name): version for name, _, version in pairs if version}


def environments() -> dict[str, Environment]:
    """All environments, by name."""
    return {file.parent.name: _read(file.parent) for file in sorted(HOSTS.glob("*/environment.txt"))}


def required() -> frozenset[str]:
    """The environments that must not be skipped."""
    return frozenset(filter(None, (word.strip() for word in os.environ.get(REQUIRED, "").split(","))))


def missing(environment: str, why: str) -> NoReturn:
    """Ends a test that cannot run here: it is skipped with the reason, and fails where the environment is required."""
    if environment in required():
        pytest.fail(f"{REQUIRED} names {environment}: {why}", pytrace=False)
    pytest.skip(why)


def _read(folder: Path) -> Environment:
    lines = (line.partition("#")[0].strip() for line in (folder / "environment.txt").read_text("utf-8").splitlines())
    wanted = tuple(line for line in lines if line)
    ours = [found for line in wanted if (found := _OURS.match(line))]
    facts = yaml.safe_load((folder / "environment.yaml").read_text("utf-8"))
    return Environment(
        folder.name, facts["seconds"], facts.get("network") == "private",
        tuple(line for line in wanted if not _OURS.match(line)), ours[0][1] or "" if ours else "",
        tuple(facts.get("alone", ())), tuple(facts.get("platforms", ())),
    )  # fmt: skip
