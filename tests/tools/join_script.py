"""`python -m tests.tools.join_script`: joins modules into the scripts of the report and of the studio.

Modules come in the order in which they need each other, without their imports, exports and comments. What could mean something
else in one file than in many is refused: a name that two modules have, an import under another name, modules that need each other.
"""

from __future__ import annotations

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[2] / "evaluators"
SCRIPTS: Final = {
    PACKAGE / "reports" / "html" / "report.js": PACKAGE / "reports" / "html" / "script",
    PACKAGE / "studio" / "page" / "studio.js": PACKAGE / "studio" / "page" / "script",
}
"""The script that is joined, and the folder of its modules: all that `main.js` needs."""

_IMPORT: Final = re.compile(r'^import \{([^}]+)\} from "(\.[\w./]*/(\w+)\.js)";\n', re.MULTILINE)
_COMMENT: Final = re.compile(r"^[ \t]*(?:/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*\n|//.*\n)", re.MULTILINE)
_NAME: Final = re.compile(r"^(?:async )?(?:function|class|const|let) (?:(\w+)|\[([\w, ]+)\])", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async function|function|class|const|let) )", re.MULTILINE)
_LEFT: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def joined(modules: dict[str, str]) -> str:
    """One script of all modules, by their names. Raises ValueError for what would mean something else in one file."""
    needs = {name: {found[2] for found in _IMPORT.findall(text)} for name, text in modules.items()}
    try:
        order = list(TopologicalSorter({name: sorted(needs[name]) for name in sorted(needs)}).static_order())
    except CycleError as error:
        raise ValueError(f"modules need each other: {' -> '.join(error.args[1])}") from None
    parts: list[str] = []
    owners: dict[str, str] = {}
    for name in order:
        if renamed := [names for names, *_ in _IMPORT.findall(modules[name]) if " as " in names]:
            raise ValueError(f"{name}.js: names are imported as they are: {renamed[0].strip()}")
        text = _EXPORT.sub("", _COMMENT.sub("", _IMPORT.sub("", modules[name])))
        if left := _LEFT.search(text):
            raise ValueError(f"{name}.js: not an import or export that can be joined: {left[0]}")
        for one, several in _NAME.findall(text):
            for made in [one] if one else several.split(", "):
                if owners.setdefault(made, name) != name:
                    raise ValueError(f"{made} is a name in {owners[made]}.js and in {name}.js")
        parts.append(re.sub(r"\n{2,}", "\n", text).strip("\n"))
    body = "\n".join(parts)
    return f'"use strict";\n(() => {{\n{body}\n}})();\n'


def read_modules(folder: Path) -> dict[str, str]:
    """What the `main.js` of a folder needs, by name.

    Raises ValueError for a module of the folder that nobody needs, and for two modules of one name.
    """
    found: dict[str, Path] = {}
    waiting = [folder / "main.js"]
    while waiting:
        path = waiting.pop().resolve()
        if found.setdefault(path.stem, path) != path:
            raise ValueError(f"two modules have the name {path.stem}.js")
        needs = [path.parent / name for _, name, _ in _IMPORT.findall(path.read_text(encoding="utf-8"))]
        waiting += [one for one in needs if one.resolve() not in found.values()]
    if alone := [path.name for path in sorted(folder.glob("*.js")) if path.resolve() not in found.values()]:
        raise ValueError(f"nobody needs {', '.join(alone)}")
    return {name: path.read_text(encoding="utf-8") for name, path in sorted(found.items())}


def main() -> int:
    """Writes the scripts. The exit code."""
    for script, folder in SCRIPTS.items():
        script.write_text(joined(read_modules(folder)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
