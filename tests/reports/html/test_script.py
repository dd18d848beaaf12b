"""The script of the page: joined from its modules, and what these compute."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.join_script import SCRIPTS, joined, read_modules
from tests.waiting import PATIENCE

UNITS = (Path(__file__).parent / "script", Path(__file__).parents[2] / "studio" / "page")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_the_script_is_what_its_modules_are(script: Path) -> None:
    modules = read_modules(SCRIPTS[script])
    assert script.read_text(encoding="utf-8") == joined(modules), "run `python -m tests.tools.join_script`"


def test_modules_that_nobody_needs_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    for name, text in {
        "main.js": 'import { a } from "./a.js";\nimport { b } from "./more/b.js";\na(b);\n',
        "a.js": "export const a = 1;\n",
        "more/b.js": "export const b = 1;\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sorted(read_modules(tmp_path)) == ["a", "b", "main"]
    (tmp_path / "c.js").write_text("")
    with pytest.raises(ValueError, match=r"nobody needs c\.js"):
        read_modules(tmp_path)
    (tmp_path / "more" / "b.js").write_text('import { a } from "./a.js";\nexport const b = a;\n')
    (tmp_path / "more" / "a.js").write_text("export const a = 2;\n")
    with pytest.raises(ValueError, match=r"two modules have the name a\.js"):
        read_modules(tmp_path)


def test_modules_are_joined_in_the_order_in_which_they_need_each_other() -> None:
    modules = {
        "a": '// What it is.\n\nimport { two } from "./b.js";\n\n/** One.\n * @type {number} */\nexport const one = two - 1;\n',
        "b": "export const two = 2;\n",
    }
    assert joined(modules) == '"use strict";\n(() => {\nconst two = 2;\nconst one = two - 1;\n})();\n'


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"a": "const one = 1;\n", "b": "export function one() {}\n"}, "one is a name in a.js and in b.js"),
        ({"a": "const [one, two] = [1, 2];\n", "b": "let two = 1;\n"}, "two is a name in a.js and in b.js"),
        ({"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\n'}, "modules need each other: "),
        ({"a": 'import { b as c } from "./b.js";\n', "b": "export const b = 1;\n"}, "imported as they are: b as c"),
        ({"a": "export default 1;\n"}, "a.js: not an import or export"),
        ({"a": 'import * as b from "./b.js";\n', "b": ""}, "import * as b"),
    ],
)
def test_what_would_mean_something_else_in_one_file_is_refused(modules: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError) as raised:
        joined(modules)
    assert said in str(raised.value)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this machine")
@pytest.mark.parametrize("folder", UNITS, ids=("report", "studio"))
def test_what_the_modules_compute(folder: Path) -> None:
    files = sorted(map(str, folder.glob("*.test.mjs")))
    assert files
    ran = subprocess.run(["node", "--test", *files], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
