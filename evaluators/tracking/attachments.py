"""The files of a run that a platform keeps beside its figures: the run folder, the page of the run, and all rows as one table.

What may differ between two runs of the same rows stays behind, unless somebody asks for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evaluators.reports.format import FORMATS, RowsPageFormat
from evaluators.reports.headline import Options
from evaluators.reports.html.material import material_of
from evaluators.run.reader import Run
from evaluators.run.store import ENVIRONMENT_JSON, LINKS_JSON
from evaluators.tracking.row_table import RowTable

PAGE: Final = "report.html"
TABLE: Final = "rows.json"


@contextmanager
def attachments(record: Run, table: RowTable, environment: bool = False) -> Iterator[dict[str, Path]]:
    """Files by the names that platforms show: `run/…` as in the run folder with the page `run/report.html`, and `rows.json`.

    They are there as long as the context is. With `environment`, the file about the machine is among them.
    """
    left = {LINKS_JSON} if environment else {LINKS_JSON, ENVIRONMENT_JSON}
    files = (file for file in sorted(record.place.rglob("*")) if file.is_file() and file.name not in left)
    found = {f"run/{file.relative_to(record.place).as_posix()}": file for file in files}
    with TemporaryDirectory() as temporary:
        made = Path(temporary)
        if f"run/{PAGE}" not in found:
            (made / PAGE).write_text(_page(record), encoding="utf-8")
            found[f"run/{PAGE}"] = made / PAGE
        (made / TABLE).write_text(table_json(table), encoding="utf-8")
        yield {**found, TABLE: made / TABLE}


def _page(record: Run) -> str:
    html = FORMATS.find("html")()
    assert isinstance(html, RowsPageFormat)
    return html.render_rows(record.result, Options(), material_of(record))


def table_json(table: RowTable) -> str:
    """The table as JSON: `columns`, and `data` with a list for each row."""
    return json.dumps({"columns": table.columns, "data": table.rows}, ensure_ascii=False, allow_nan=False) + "\n"
