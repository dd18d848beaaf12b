"""Mutations of the program's own code: small mistakes, made one at a time, that the tests must notice.

    python -m tests.tools.mutation gates --sample 100 --seed 1

mutmut makes the mistakes (`a < b` for `a <= b`, `and` for `or`, an argument left out) in a copy of the project, and runs the
tests that reach the function. Tests that draw their inputs are left out, unless `--properties` asks for them: whether a drawn
test notices is luck, so each mistake must fail an example that is written down. Mistakes in the wording of a message are not
made. The end says how many were noticed, and shows each that was not.

`--by-hand` makes the mistakes of `by_hand.yaml` in place of mutmut's.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from tests.tools.mutation.areas import AREAS, SLOW, Area

ROOT = Path(__file__).parents[3]
MISTAKES: list[dict[str, str]] = yaml.safe_load(
    (ROOT / "tests" / "mutation" / "by_hand.yaml").read_text(encoding="utf-8")
)
EXAMPLES = ("-m", "not hypothesis")
"""Only tests that draw nothing."""
QUICK = ("-k", " and ".join(f"not {word}" for word in SLOW))
NOTICED = {1, 3, 24, -24, 36, 152, 255}
"""What mutmut keeps of a mutant that the tests noticed: a test failed, or never came to an end."""
_ALL = "mutants of no function"


def main() -> int:
    read = argparse.ArgumentParser(
        prog="python -m tests.tools.mutation", description="Make small mistakes; count what tests notice."
    )
    read.add_argument("areas", nargs="*", metavar="AREA", help=f"some of {', '.join(AREAS)}; all without one")
    read.add_argument("--only", metavar="MODULE", help="one module of the area, such as runs/tally.py")
    read.add_argument("--sample", type=int, default=100, metavar="N", help="mutants of each area (default: 100)")
    read.add_argument("--seed", type=int, default=1, metavar="S", help="what the sample is drawn from (default: 1)")
    read.add_argument("--properties", action="store_true", help="run tests that draw their inputs, too")
    read.add_argument("--folder", type=Path, help="where the copies of the project are kept for the next time")
    read.add_argument("--by-hand", action="store_true", help="make the mistakes of by_hand.yaml, all of them")
    asked = read.parse_args()
    if unknown := [name for name in asked.areas if name not in AREAS]:
        read.error(f"there is no area {', '.join(unknown)}; areas: {', '.join(AREAS)}")
    if not asked.by_hand and shutil.which("mutmut") is None:
        read.error('mutmut is not installed: pip install "mutmut>=3.8"')
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = asked.folder or Path(scratch)
        if asked.by_hand:
            return _by_hand(folder.resolve() / "by-hand")
        for name in asked.areas or AREAS:
            area = AREAS[name]._replace(modules=(asked.only,)) if asked.only else AREAS[name]
            copy = folder.resolve() / name
            names = sorted(_mutants(copy, area, asked.properties))
            drawn = random.Random(asked.seed).sample(names, min(asked.sample, len(names)))
            _report(name, copy, len(names), _tried(copy, drawn))
    return 0


def _by_hand(copy: Path) -> int:
    """Whether every mistake of `by_hand.yaml` makes an example fail; 1 when one does not."""
    _copied(copy)
    unnoticed = 0
    for one in MISTAKES:
        file = copy / "evaluators" / one["file"]
        code = file.read_text(encoding="utf-8")
        file.write_text(code.replace(one["code"], one["instead"]), encoding="utf-8")
        tried = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-n0", "-m", "", "-p", "no:cacheprovider", *EXAMPLES, f"tests/{one['tests']}"],
            cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, text=True,
        )  # fmt: skip
        file.write_text(code, encoding="utf-8")
        failed = re.search(r"^FAILED \S+?::(\S+)", tried.stdout, re.MULTILINE)
        unnoticed += failed is None
        print(f"{one['mistake']}: {failed[1] if failed else 'NOT NOTICED'}", flush=True)
    print(f"{len(MISTAKES) - unnoticed} of {len(MISTAKES)} noticed")
    return 1 if unnoticed else 0


def _mutants(copy: Path, area: Area, properties: bool) -> Iterator[str]:
    """The mutants of an area, made in a copy of the project; those of wording are left out."""
    _copied(copy)
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as settings:
        settings.write(_settings(area, properties))
    made = subprocess.run(["mutmut", "run", "--max-children", "1", _ALL], cwd=copy, capture_output=True, text=True)
    if not (copy / "mutants/mutmut-stats.json").is_file():
        sys.exit(f"mutmut could not run the tests as they are:\n{made.stdout[-4000:]}{made.stderr[-4000:]}")
    for meta in _metas(copy):
        module = meta.with_suffix("")
        wordings = _of_wording(ast.parse(module.read_text(encoding="utf-8")))
        yield from (name for name in _codes(meta) if name.rpartition(".")[2] not in wordings)


def _copied(copy: Path) -> None:
    """Every file of the project, as it is now."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for place in listed.stdout.splitlines():
        if (ROOT / place).is_file():
            (copy / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / place, copy / place)


def _settings(area: Area, properties: bool) -> str:
    options = ["-n0", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib", *QUICK]
    chosen = {
        "source_paths": ["evaluators"],
        "process_isolation": "forkserver",  # else what a function remembers of the first run hides mistakes
        "only_mutate": [f"evaluators/{one}" for one in area.modules],
        "also_copy": ["configs", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"],
        "pytest_add_cli_args": [*options, *(() if properties else EXAMPLES)],
        "pytest_add_cli_args_test_selection": [f"tests/{one}" for one in area.tests],
    }
    return "\n[tool.mutmut]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in chosen.items())


def _of_wording(module: ast.Module) -> set[str]:
    """The mutants that differ from their function in a sentence only, in texts with a blank; or in whether `zip` is strict,
    which says of lists that are as long as each other that they are."""
    functions = {node.name: _without_sentences(node) for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    return {
        name
        for name, code in functions.items()
        if (begin := name.rpartition("__mutmut_")[0]) and code == functions.get(f"{begin}__mutmut_orig")
    }


def _without_sentences(function: ast.FunctionDef) -> str:
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            node.value = ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = []
    return "".join(map(ast.dump, (function.args, *function.body)))


def _tried(copy: Path, names: list[str]) -> dict[str, int | None]:
    """What mutmut says of each mutant."""
    if names:
        subprocess.run(["mutmut", "run", "--max-children", "1", *names], cwd=copy, capture_output=True, text=True)
    codes = {name: code for meta in _metas(copy) for name, code in _codes(meta).items()}
    return {name: codes[name] for name in names}


def _report(name: str, copy: Path, of: int, codes: dict[str, int | None]) -> None:
    unnoticed = [mutant for mutant, code in codes.items() if code not in NOTICED]
    tried = len(codes)
    noticed = tried - len(unnoticed)
    print(f"{name}: {noticed} of {tried} noticed ({noticed / max(tried, 1):.0%}), drawn from {of:,}", flush=True)
    for mutant in sorted(unnoticed):
        shown = subprocess.run(["mutmut", "show", mutant], cwd=copy, capture_output=True, text=True).stdout
        why = "no example reaches it" if codes[mutant] == 33 else f"code {codes[mutant]}"
        print(f"\n{mutant} ({why})\n" + "\n".join(_changed(shown.splitlines())), flush=True)


def _changed(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line[:1] in "+-@" and not line.startswith(("+++", "---")))


def _metas(copy: Path) -> Iterator[Path]:
    return (copy / "mutants").rglob("*.py.meta")


def _codes(meta: Path) -> dict[str, int | None]:
    found: dict[str, int | None] = json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


if __name__ == "__main__":
    sys.exit(main())
