"""`python -m tests.tools.bundle_codemirror`: bundles the editor of the studio into `codemirror.js`, with the licences of what is in it.

Needs npm and its registry. The lock file says every version and its hash, so the same bytes come out again; `--check` says whether they do.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "evaluators" / "studio" / "page"
SOURCE: Final = PAGE / "codemirror"
BUNDLE: Final = PAGE / "codemirror.js"
LICENCES: Final = PAGE / "codemirror.LICENSES.txt"


def bundled(work: Path) -> tuple[str, str]:
    """The script, and the licences of the packages in it. `work` is an empty folder."""
    for name in ("package.json", "package-lock.json", "entry.js"):
        shutil.copy(SOURCE / name, work / name)
    _run(work, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    options = ("--bundle", "--minify", "--format=iife", "--global-name=CodeMirror", "--target=es2022", "--charset=utf8")
    made = ("--legal-comments=none", "--metafile=made.json", "--outfile=codemirror.js")
    _run(work, str(work / "node_modules" / ".bin" / "esbuild"), "entry.js", *options, *made)
    inputs = json.loads((work / "made.json").read_text(encoding="utf-8"))["inputs"]
    packages = sorted({_package_of(name) for name in inputs if name.startswith("node_modules/")})
    notices = [_notice(work / "node_modules" / name) for name in packages]
    heading = f"/* CodeMirror and what it needs, MIT licence: {', '.join(name for name, _ in notices)}; see {LICENCES.name} */\n"
    script = (work / "codemirror.js").read_text(encoding="utf-8")
    return heading + script, "\n\n".join(f"{name}\n\n{text}" for name, text in notices) + "\n"


def _package_of(path: str) -> str:
    parts = path.split("/")[1:]
    return "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]


def _notice(folder: Path) -> tuple[str, str]:
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    if described["license"] != "MIT":
        raise ValueError(f"{described['name']} has the licence {described['license']}")
    return f"{described['name']} {described['version']}", (folder / "LICENSE").read_text(encoding="utf-8").strip()


def _run(folder: Path, *words: str) -> None:
    subprocess.run(words, cwd=folder, check=True, timeout=300)


def main(words: list[str]) -> int:
    """Writes the bundle, or says whether it is as it would be written. The exit code."""
    with tempfile.TemporaryDirectory() as folder:
        script, licences = bundled(Path(folder))
    if words == ["--check"]:
        same = BUNDLE.read_text(encoding="utf-8") == script and LICENCES.read_text(encoding="utf-8") == licences
        print("codemirror.js is what its lock file says" if same else "run `python -m tests.tools.bundle_codemirror`")
        return 0 if same else 1
    BUNDLE.write_text(script, encoding="utf-8")
    LICENCES.write_text(licences, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
