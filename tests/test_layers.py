"""The layers of the package: a module imports from its own layer or below, and plugs are found, never imported by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from grimp import ImportGraph, build_graph
from importlinter.cli import lint_imports

import evaluators

HOUSE = Path(evaluators.__file__).parents[1]
SOCKETS = (
    "evaluators.builtin",
    "evaluators.comparators",
    "evaluators.engines.plugs",
    "evaluators.harnesses",
    "evaluators.reports.formats",
    "evaluators.testsets.readers",
    "evaluators.tracking.plugs",
)
SCREEN = "evaluators.cli"
"""Commands print by the report formats that they are known for."""


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> ImportGraph:
    return build_graph("evaluators", cache_dir=str(tmp_path_factory.mktemp("imports")))


def test_the_contracts_of_the_layers_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    failed = lint_imports(str(HOUSE / "pyproject.toml"), no_cache=True, no_logo=True)
    assert not failed, capsys.readouterr().out


def test_every_folder_and_module_of_the_package_is_in_a_layer(imports: ImportGraph) -> None:
    contract = (HOUSE / "pyproject.toml").read_text(encoding="utf-8")
    outside = {each for each in imports.find_children("evaluators") if f'"{each}"' not in contract}
    assert outside == set()


@pytest.mark.parametrize("socket", SOCKETS)
def test_nobody_imports_a_plug_by_name(imports: ImportGraph, socket: str) -> None:
    plugs = {each for each in imports.find_children(socket) if not each.rpartition(".")[2].startswith("_")}
    assert plugs
    named = {
        (importer, plug)
        for plug in plugs
        for importer in imports.find_modules_that_directly_import(plug)
        if not importer.startswith(f"{SCREEN}.")
    }
    assert named == set()
