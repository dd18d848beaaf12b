"""Plugs of other distributions: found by their entry points, as functions, classes, or what registers itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit import write_files, write_rows

COMPARATORS = """
import evaluators

def loose(expected, actual, params):
    return expected.lower().rstrip(".") == actual.lower().rstrip(params.get("strip", "."))

@evaluators.comparator("near", batch=True)
def near(questions, params):
    return [abs(one.expected - one.actual) <= params["by"] for one in questions]

class Initials(evaluators.Comparator):
    def compare(self, expected, actual):
        return expected[0] == actual[0]
"""
EVALUATOR = """
from typing import Literal
import evaluators

@evaluators.evaluator("polite")
class Polite(evaluators.Evaluator):
    "Pass when the output says please."

    type: Literal["polite"] = "polite"

    def needs(self):
        return (evaluators.Text(self.column("output")),)

    def measure(self, text):
        return "please" in text
"""
GOOD = """
[evaluators.scoring.comparators]
loose = acme_checks.fields:loose
near = acme_checks.fields:near
initials = acme_checks.fields:Initials

[evaluators.scoring.evaluators]
polite = acme_checks.rows:Polite
"""
BAD = """
[evaluators.scoring.comparators]
gone = no_such_module:gone
two = broken_checks:two
"""
SUITE = """
evaluators:
  - polite
  - json_multi_field_match:
      parse: lenient
      fields: {vendor: {loose: {strip: "!"}}, total: {near: {by: 2}}, city: initials}
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed distribution whose plugs are good."""
    write_files(tmp_path, {
        "acme_checks/__init__.py": "", "acme_checks/fields.py": COMPARATORS, "acme_checks/rows.py": EVALUATOR,
        "acme_checks-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: acme-checks\nVersion: 1.0\n",
        "acme_checks-1.0.dist-info/entry_points.txt": GOOD, "suite.yaml": SUITE,
    })  # fmt: skip
    return tmp_path


def broken(site: Path) -> None:
    write_files(site, {
        "broken_checks.py": "def two(expected, actual): return True\n",
        "broken_checks-2.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: broken-checks\nVersion: 2.0\n",
        "broken_checks-2.0.dist-info/entry_points.txt": BAD,
    })  # fmt: skip


def command(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "300"}
    return subprocess.run(
        [sys.executable, "-m", "evaluators", *words], cwd=site, env=environment, capture_output=True, text=True
    )


def test_every_command_knows_the_plugs_of_an_installed_distribution(site: Path) -> None:
    output = 'please: {"vendor": "ACME!", "total": 11, "city": "Bonn"}'
    row = {"output": output, "expected": {"vendor": "Acme.", "total": 10, "city": "Berlin"}}
    write_rows(site / "rows.jsonl", [row])
    done = command(site, "run", "suite.yaml", "rows.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("1.0000") >= 2


def test_a_program_may_import_the_module_of_an_installed_plug_first(site: Path) -> None:
    program = """
import acme_checks.fields, acme_checks.rows, evaluators
print(evaluators.load("suite.yaml").evaluate({"output": '{"total": 9}', "expected": {"total": 10}}))
try:
    evaluators.register("loose", lambda expected, actual, params: True)
except evaluators.Problems as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, "-c", program], cwd=site, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 'comparator "loose" is already registered' in done.stdout


def test_a_broken_plug_is_a_warning_and_the_rest_is_listed(site: Path) -> None:
    broken(site)
    done = command(site, "list", "comparators")
    assert done.returncode == 0
    assert "  loose " in done.stdout
    assert "  numeric " in done.stdout
    assert "gone" not in done.stdout
    assert done.stderr == (
        'warning: the comparator "gone" of the package "broken-checks" cannot be used: '
        "ModuleNotFoundError: No module named 'no_such_module'\n"
        '  hint: its entry point is gone = "no_such_module:gone" in the group evaluators.scoring.comparators: '
        "mend it, or uninstall the package\n"
        'warning: the comparator "two" of the package "broken-checks" cannot be used: '
        'comparator "two" must be a function f(expected, actual, params): too many positional arguments\n'
        '  hint: its entry point is two = "broken_checks:two" in the group evaluators.scoring.comparators: '
        "mend it, or uninstall the package\n"
    )


def test_a_broken_plug_costs_the_suite_that_names_it_only(site: Path) -> None:
    broken(site)
    assert command(site, "check", "suite.yaml").returncode == 0
    (site / "suite.yaml").write_text("evaluators: [json_multi_field_match: {fields: {a: gone}}]\n", encoding="utf-8")
    done = command(site, "check", "suite.yaml")
    assert done.returncode == 2
    assert 'the comparator "gone" of the package "broken-checks" cannot be used' in done.stderr
    assert command(site, "explain", "numeric").returncode == 0
