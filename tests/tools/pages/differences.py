"""`docs/contributing/every-difference.md`, made from the reasons in `tests/conformance/divergences.yaml`.

`python -m tests.tools.pages.differences` writes it, and a test says when it is out of date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "contributing" / "every-difference.md"
LISTED: Final = ROOT / "tests" / "conformance" / "divergences.yaml"
COMMAND: Final = "python -m tests.tools.pages.differences"
SYSTEMS: Final = {
    "agenta": ("Agenta", "../switching/agenta.md"),
    "galtea": ("Galtea", "../switching/galtea.md"),
    "orbiter": ("orbiter", "../switching/orbiter.md"),
    "struct_extract_eval": ("struct-extract-eval", "../switching/struct-extract-eval.md"),
    "extract_bench": ("extract-bench", "../switching/extract-bench.md"),
    "extract_bench_llm": ("extract-bench, where a model is asked", "../switching/extract-bench.md"),
    "orbiter_judge": ("orbiter, where a model is asked", "../switching/orbiter.md"),
}
HEAD: Final = f"""<!-- Written by `{COMMAND}`. Changes made here are lost. -->

# Every difference, with its reason

What other systems answer was recorded, thousands of cases in all, and the tests ask for the same answers here. Where ours is
another one, it is so on purpose. These are all the reasons. After each come examples: names of recorded cases, as the tests call
them.
"""


def page() -> str:
    """The text of the page."""
    found = yaml.safe_load(LISTED.read_text(encoding="utf-8"))
    assert found.keys() <= SYSTEMS.keys()
    return "\n".join([HEAD, *(_system(name, found[name]) for name in SYSTEMS if found.get(name))])


def _system(name: str, rules: Sequence[Mapping[str, Any]]) -> str:
    title, link = SYSTEMS[name]
    examples: dict[str, list[str]] = {}
    for rule in rules:
        examples.setdefault(" ".join(str(rule["reason"]).split()), []).extend(rule.get("examples", ()))
    lines = [f"- {_with_examples(reason, named)}" for reason, named in examples.items()]
    system = title.partition(",")[0]
    return f"## {title}\n\n[Coming from {system}]({link}) says what maps to what.\n\n" + "\n".join(lines) + "\n"


def _with_examples(reason: str, examples: Sequence[str]) -> str:
    named = ", ".join(f"`{example}`" for example in examples)
    return f"{reason} *For example {named}.*" if named else reason


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
