"""The layers of the package: a module imports from its own layer or below, and plugs are found, never imported by name."""

from __future__ import annotations

import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from grimp import ImportGraph, build_graph
from importlinter.cli import lint_imports

import evaluators

HOUSE = Path(evaluators.__file__).parents[1]
SOCKETS = (
    "evaluators.scoring.evaluators",
    "evaluators.scoring.comparators",
    "evaluators.integrations.harnesses",
    "evaluators.guide.converting.plugs",
    "evaluators.runs.engines.plugs",
    "evaluators.reports.formats",
    "evaluators.scoring.judges.plugs",
    "evaluators.testsets.readers",
    "evaluators.reports.tracking.plugs",
)
SCREEN = "evaluators.cli"
"""Commands print by the report formats that they are known for."""


@pytest.fixture(scope="module")
def imports(tmp_path_factory: pytest.TempPathFactory) -> ImportGraph:
    return build_graph("evaluators", cache_dir=str(tmp_path_factory.mktemp("imports")))


def test_the_contracts_of_the_layers_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    failed = lint_imports(str(HOUSE / "pyproject.toml"), no_cache=True, no_logo=True)
    assert not failed, capsys.readouterr().out


def test_every_room_is_in_the_contract_of_the_rooms(imports: ImportGraph) -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    rooms, *_ = project["tool"]["importlinter"]["contracts"]
    assert {room for layer in rooms["layers"] for room in layer.split(" | ")} == imports.find_children("evaluators")


@pytest.mark.parametrize(
    "upper", ["evaluators.runs.compare", "evaluators.reports.tracking", "evaluators.guide.converting"]
)
def test_what_stands_on_a_room_is_not_imported_by_the_rest_of_it(imports: ImportGraph, upper: str) -> None:
    inside = {upper, *imports.find_descendants(upper)}
    rest = {each for each in imports.find_descendants(upper.rpartition(".")[0]) if each not in inside}
    assert rest
    assert {each for each in rest if imports.find_modules_directly_imported_by(each) & inside} == set()


def test_no_module_leads_back_to_itself_by_its_imports_also_not_inside_a_function_or_for_types(
    imports: ImportGraph,
) -> None:
    order = TopologicalSorter({each: imports.find_modules_directly_imported_by(each) for each in imports.modules})
    assert len(tuple(order.static_order())) == len(imports.modules)


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
    assert named == set(), "what plugs share stands in a file whose name begins with an underscore"


def test_value_classes_are_structs_but_where_a_host_wants_a_data_class() -> None:
    taken = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    package = HOUSE / "evaluators"
    found = [
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if taken.search(path.read_text("utf-8"))
    ]
    assert found == ["integrations/harnesses/pydantic_evals.py"]


def test_rows_are_scored_by_jobs_that_are_assembled_in_one_place() -> None:
    """Runs, batches, hosts and dry runs alike; one row that is explained needs no more than the plan of its suite."""
    package = HOUSE / "evaluators"
    assembling = re.compile(r"(?<![\w.])Job\(\s*(?!Struct)\w")
    found = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if assembling.search(path.read_text("utf-8"))
    ]
    assert found == ["runs/driver.py"]
