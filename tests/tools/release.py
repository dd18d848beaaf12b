"""`python -m tests.tools.release FOLDER`: builds what a release puts on an index, and looks into it.

Exits with 1 when the index would not take it, when the wheel holds what only a copy of the repository needs, or lacks what the
program reads.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

from evaluators.model.rows import __version__

ROOT: Final = Path(__file__).parents[2]
MOST_BYTES: Final = 2_070_000
"""Of the wheel, some 5 % above what it weighs: a folder of tests or pages that slips in is seen, a file of code is not."""
READ: Final = (
    "evaluators/suites/presets/extraction.yaml", "evaluators/guide/starters/comparator.py.txt",
    "evaluators/reports/html/report.css", "evaluators/reports/html/report.js", "evaluators/py.typed",
    "evaluators/studio/page/index.html", "evaluators/studio/page/studio.css", "evaluators/studio/page/studio.js",
    "evaluators/studio/page/codemirror.js", "evaluators/studio/page/codemirror.LICENSES.txt",
)  # fmt: skip
"""Files of the program that are no Python."""


def main(words: list[str]) -> int:
    """Builds into a folder and prints what is wrong. The exit code."""
    folder = Path(words[0])
    subprocess.run([sys.executable, "-m", "build", "--quiet", "--outdir", str(folder), str(ROOT)], check=True)
    built = sorted(folder.iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, built)], check=True)
    wheel = next(file for file in built if file.suffix == ".whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    wrong = problems(names, wheel.name, wheel.stat().st_size)
    print("\n".join(wrong) or f"{wheel.name}: {len(names)} files, {wheel.stat().st_size:,} bytes")
    return int(bool(wrong))


def problems(names: list[str], wheel: str, size: int) -> list[str]:
    """What is wrong with a wheel, by the names of its files, its own name and its size."""
    found = [f"{name} is not in the wheel" for name in READ if name not in names]
    found += [
        f"{name} is no part of the program"
        for name in names
        if not name.startswith(("evaluators/", "structured_evaluators-"))
    ]
    found += [f"{name} is an example" for name in names if "gallery" in name]
    found += [
        f"{name} is joined into another script" for name in names if re.search("/(html|page)/(script|codemirror)/", name)
    ]
    if f"-{__version__}-" not in wheel:
        found.append(f"{wheel} is not named by the version, {__version__}")
    if size > MOST_BYTES:
        found.append(f"the wheel has {size:,} bytes; {MOST_BYTES:,} are enough")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
