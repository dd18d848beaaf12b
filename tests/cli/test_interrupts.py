"""Ctrl-C and SIGTERM at any moment end a command in 130: while it starts, while it imports, and when the run is over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.cli._endings import report_error

INTERRUPTED_AT = """
import os, signal, sys
sys.argv = ["evaluators", *{words!r}]
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.{signal})
sys.meta_path.insert(0, Interrupting())
from evaluators.__main__ import main
main()
"""
MOMENTS = [
    "evaluators.cli",  # the command line starts
    "evaluators.cli.run",  # the command is looked up
    "evaluators.api.loading",  # it begins
    "evaluators.testsets.opening",  # the run is prepared
    "evaluators.reports.conclusions",
    "evaluators.reports.summary",  # the run is over
]


@pytest.mark.slow
@pytest.mark.parametrize("module", MOMENTS)
@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_an_interrupt_at_any_moment_ends_in_130(module: str, signal: str, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text("evaluators: [exact_match]\n", encoding="utf-8")
    (tmp_path / "rows.csv").write_text("output,expected\na,a\n", encoding="utf-8")
    words = ["run", "suite.yaml", "rows.csv", "--no-results"]
    program = INTERRUPTED_AT.format(words=words, module=module, signal=signal)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert "Interrupted." in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_behind_an_error_of_python_is_an_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupting:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises((RuntimeError, KeyboardInterrupt)) as found:
        type("Made", (), {"attribute": Interrupting()})
    assert report_error(found.value, with_traceback=False) == 130
    assert capsys.readouterr().err == "Interrupted.\n"
