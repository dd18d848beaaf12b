"""The notebook of the gallery is executed, and shows what it should."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.gallery import GALLERY
from tests.waiting import PATIENCE

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("pandas")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    folder = shutil.copytree(GALLERY / "invoice_extraction", tmp_path / "invoices")
    notebook = nbformat.read(folder / "scores.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(folder)}}).execute()
    shown = [_shown(cell) for cell in notebook.cells if cell.cell_type == "code"]
    assert "invoice extraction" in shown[0]["text/plain"]
    assert all("<table" in one["text/html"] for one in shown)


def _shown(cell: Any) -> Any:
    (output,) = [one for one in cell.outputs if one.output_type == "execute_result"]
    return output.data
