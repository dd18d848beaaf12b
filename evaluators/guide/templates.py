"""What `new` writes: the files of a suite, an evaluator or a comparator to start from, and what to do next.

The templates stand in the folder `starters`. Words such as `$name` and `$title`, the name of the class, are filled in.
"""

from __future__ import annotations

import keyword
import re
from importlib.resources import files as files_in
from pathlib import Path
from string import Template
from typing import Final

from evaluators.model.issues import problem
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def files_of(kind: str, name: str, folder: str) -> dict[str, str]:
    """The texts of the files to write, by path, for a new suite, evaluator or comparator. Raises Problems (config) for a name that cannot
    be used."""
    if kind == "suite":
        file = name if name.lower().endswith((".yaml", ".yml")) else f"{name}.yaml"
        stem = re.sub(r"[\x00-\x1f\"\\]", " ", Path(file).stem)
        return {str(Path(folder) / file): _filled_in_template("suite.yaml", name=stem)}
    _check_name(kind, name)
    written = {f"{name}.py": ".py.txt", f"{name}.yaml": "_cases.yaml", f"test_{name}.py": "_test.py.txt"}
    title = class_name(name)
    return {
        str(Path(folder) / file): _filled_in_template(f"{kind}{end}", name=name, title=title)
        for file, end in written.items()
    }


def class_name(name: str) -> str:
    """The name of a class for a name with underscores: `HasDigits` for `has_digits`."""
    return "".join(part.capitalize() for part in name.split("_"))


def next_steps(kind: str, name: str, files: tuple[str, ...]) -> str:
    """The text that says what to do next with the files that were written."""
    if kind == "suite":
        return f"Next: evaluators check {files[0]}\n"
    return _filled_in_template(
        "next.txt", python=files[0], table=files[1], test=files[2], kind=kind, name=name, title=class_name(name),
        group="evaluators.scoring.evaluators" if kind == "evaluator" else "evaluators.scoring.comparators",
    )  # fmt: skip


def _filled_in_template(template: str, **words: str) -> str:
    """The text of a template in the folder `starters`, with its words filled in."""
    text = (files_in("evaluators.guide") / "starters" / template).read_text(encoding="utf-8")
    return Template(text).substitute(words)


def _check_name(kind: str, name: str) -> None:
    """Raises Problems for a name that is not in small letters, is a keyword of Python, or ships with the package."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        hint = "small letters, digits and _, starting with a letter, such as has_digits"
        raise problem("bad-name", f'"{name}" cannot be the name of {_ARTICLE[kind]} {kind}', hint=hint)
    if name in (BUILTIN.shipped_names() if kind == "evaluator" else COMPARATORS.shipped_names()):
        raise problem("name-taken", f'"{name}" ships with the package', hint="choose another name")


_ARTICLE: Final = {"evaluator": "an", "comparator": "a"}
