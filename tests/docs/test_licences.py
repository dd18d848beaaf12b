"""CONTRIBUTING names the licence of every required package, as the installed packages say it themselves."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPDX = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
}
"""What a package says that has no licence expression yet: the last part of its classifier."""


def licence(package: str) -> str:
    found = metadata(package)
    if expression := found["License-Expression"]:
        return str(expression)
    (said,) = (one.rpartition(" :: ")[2] for one in found.get_all("Classifier") or () if one.startswith("License :: "))
    return SPDX[said]


def test_the_page_for_contributors_names_the_licence_of_every_required_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.split("[<>=~!; ]", one)[0] for one in project["dependencies"]}
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page[page.index("| package | licence |") :].splitlines()[2:]
    rows = [line.strip() for line in table[: next(n for n, line in enumerate([*table, ""]) if "|" not in line)]]
    assert rows == [f"| {name} | {licence(name)} |" for name in sorted(required)]
