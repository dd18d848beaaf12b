"""The guide to harnesses: its programs print what it shows. Those that need a host are run where it is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.model.issues import Problems
from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "harnesses.md"
HERE = {"with_figures.py": None, "with_pandas.py": "pandas"}
HOSTS = {
    "mlflow": "mlflow", "phoenix": "arize-phoenix-client", "pydantic_evals": "pydantic-evals", "inspect_ai": "inspect-ai",
    "deepeval": "deepeval", "langfuse": "langfuse", "autoevals": "autoevals", "weave": "weave", "opik": "opik",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HERE)
def test_an_example_prints_what_the_guide_shows(name: str, tmp_path: Path) -> None:
    if HERE[name] is not None:
        pytest.importorskip(HERE[name])
    assert run_example(GUIDE, name, tmp_path) == examples(GUIDE)[name]


def test_every_other_example_is_run_with_its_host() -> None:
    ran = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests" / "hosts").rglob("test_*guide.py"))
    for name in examples(GUIDE).keys() - HERE.keys():
        assert f'"{name}"' in ran, name


@pytest.mark.slow
@pytest.mark.parametrize("harness", HOSTS)
def test_a_host_that_is_not_installed_is_one_sentence(harness: str) -> None:
    program = (
        "import sys\n"
        f"for name in ('{harness}', 'phoenix.client'): sys.modules[name] = None\n"
        "from evaluators.model.issues import Problems\n"
        f"try: import evaluators.integrations.harnesses.{harness}\n"
        "except Problems as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == f'  hint: pip install "{HOSTS[harness]}"', done.stderr
    assert done.stdout.startswith(f'the harness "{harness}" needs a package that is not installed: ')
    assert Problems
