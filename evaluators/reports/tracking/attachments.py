"""What platforms keep of a run beside its metrics: its settings, a note, all rows as one table, and the files of its folder.

What a run was made with is its suite as it is written, and the fingerprints of suite and test set: values of `${NAME}` stay names.
Neither the machine nor its folders nor the command line are among it, unless somebody asks for them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from evaluators.model.rows import FIELD_STATUSES
from evaluators.reports.document import Page, Section
from evaluators.reports.format import FORMATS
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.names import field_name, flat_columns, segment
from evaluators.reports.rows import RowView, field_numbers, row_views, whole_view
from evaluators.reports.run_page import run_page
from evaluators.reports.tracking.metrics import metrics_of, overall_metrics
from evaluators.reports.tracking.recorded_suite import overall_scores, settings_of, written_suite
from evaluators.runs.reader import Run
from evaluators.runs.store import ENVIRONMENT_JSON, LINKS_JSON, open_text
from evaluators.scoring.values.json_text import to_text
from evaluators.scoring.values.quoting import flow_text

RowTable: TypeAlias = dict[str, list[Any]]
"""A table as platforms read it: `columns`, and `data` with a list for each row. Cells are texts, numbers, true, false or None."""

PAGE: Final = "report.html"
TABLE: Final = "rows.json"
METRICS: Final = "metrics.json"
_CUT: Final = "\n\nThe rest is in the run's report.\n"


def params_of(record: Run, environment: bool = False) -> dict[str, Any]:
    """The parameters of a run as maps: `run`, `evaluators` by name, and `suite` with its other sections; the last two only where the run
    folder has the suite. With `environment`, there is a map `environment`, too: the machine and the program that made the run."""
    result = record.result
    run = {
        "suite": result.name,
        "suite_fingerprint": result.suite_fingerprint,
        "test_set": result.test_set,
        "test_set_fingerprint": result.data_fingerprint,
        "version": result.version,
    }
    about: dict[str, Any] = {"run": run}
    if environment:
        about["environment"] = environment_of(record)
    written = written_suite(record)
    if not written:
        return about
    names = [evaluator.name for evaluator in record.facts.evaluators]
    evaluators = dict(zip(names, written.pop("evaluators"), strict=True))
    return {**about, "evaluators": evaluators, "suite": written}


def flat_params(record: Run) -> dict[str, str]:
    """The parameters of a run as one text for each name, such as `evaluator/header/field/items.each.price`; sorted.

    A value is in YAML's one-line spelling; that of a field has its path as the suite spells it.
    Raises ValueError should two settings ever come to the same name.
    """
    params = params_of(record)
    tags: dict[str, str] = {}
    pairs = [(f"run/{key}", value) for key, value in params["run"].items()]
    pairs += [(f"suite/{segment(key)}", value) for key, value in params.get("suite", {}).items()]
    for name, written in params.get("evaluators", {}).items():
        pairs += [(f"evaluator/{segment(name)}/{key}", value) for key, value in _settings(written)]
    for key, value in pairs:
        if key in tags:
            raise ValueError(f"two settings are called {key}")
        tags[key] = value if isinstance(value, str) else flow_text(value)
    return dict(sorted(tags.items()))


def environment_of(record: Run) -> dict[str, str]:
    """The machine, the folders and the command line of a run, which are sent to a platform only on request."""
    known = record.result.environment
    if known is None:
        return {}
    about = {"host": known.host, "folder": known.folder, "suite": known.suite, "command": shlex.join(known.command)}
    return {name: value for name, value in about.items() if value}


def _settings(written: Any) -> Iterator[tuple[str, Any]]:
    """The settings of an evaluator as pairs of name and value; each of its fields is a setting of its own."""
    for key, value in settings_of(written).items():
        if key == "fields" and isinstance(value, Mapping):
            yield from ((f"field/{field_name(path)}", {path: rule}) for path, rule in value.items())
        else:
            yield (key if key == "type" else f"setting/{segment(key)}"), value


def row_table(record: Run, variants: Sequence[str | None] | None = None) -> RowTable:
    """The rows of a run in order, those of one variant after those of another; those of `variants` alone where some are named.

    Columns: `variant` where there are some, `row`, `id`, the columns that make slices, the columns of the test set where cells
    were kept, each once; then for each evaluator `NAME.status`, `NAME.score`, `NAME.passed`, `NAME.reason`, and for each of its
    fields `NAME.PATH` with its status and `NAME.PATH.score`. Paths are as results spell them.
    """
    cells, listed = _columns(record), [(evaluator.name, evaluator.fields) for evaluator in record.facts.evaluators]
    variant = ["variant"] if record.result.variants else []
    columns = flat_columns(listed, ("status", "score", "passed", "reason"), before=(*variant, "row", "id", *cells))
    data = []
    for row in row_views(record, variants):
        kept = {**dict(zip(record.facts.slices, row.slices, strict=False)), **(row.cells or {})}
        head = [row.variant] if variant else []
        data.append([*head, row.number, row.id, *(_cell(kept.get(name)) for name in cells), *_results(listed, row)])
    return {"columns": list(columns), "data": data}


def _columns(record: Run) -> tuple[str, ...]:
    """The columns of the test set, in its order; one that makes slices is known also where no cell was kept. `id` is there anyway."""
    column_names = dict.fromkeys(
        name for variant in record.each_variant for line in record.cells(variant) for name in line.cells
    )
    slices = [name for name in record.facts.slices if name not in column_names]
    first = [name for name in record.facts.header if name in column_names]
    ids = "id" if record.result.columns.get("id") == "id" else None
    return tuple(name for name in dict.fromkeys([*slices, *first, *column_names]) if name != ids)


def _results(listed: Sequence[tuple[str, Sequence[str]]], row: RowView) -> Iterator[Any]:
    """A row's cells in the table: of each evaluator label, score, passed and reason, and of each field its status and number.

    A row with fewer statuses than the evaluator has fields is filled up with None.
    """
    for (_, fields), result in zip(listed, row.evaluators, strict=True):
        whole = whole_view(result)
        yield from (whole.label, whole.score, whole.passed, whole.reason)
        for code, number in zip(result.statuses, field_numbers(result), strict=True):
            yield from (FIELD_STATUSES[code].word, number)
        yield from [None] * (2 * (len(fields) - len(result.statuses)))


def _cell(cell: Any) -> Any:
    """A cell as platforms take it: documents and decimal numbers as their text."""
    return cell if cell is None or isinstance(cell, str | int | bool) else to_text(cell)


def note_of(record: Run, most: int) -> str:
    """The summary of a run in at most `most` characters, its result in words first: whole sections, as far as there is room."""
    page = run_page(record.result)
    sections_shown: list[Section] = []
    for section in page.sections:
        longer = [*sections_shown, section]
        if len(_markdown(page, longer)) > most - len(_CUT):
            return (_markdown(page, sections_shown).rstrip() + _CUT)[:most]
        sections_shown = longer
    return _markdown(page, sections_shown)


def _markdown(page: Page, sections: list[Section]) -> str:
    return page_markdown(Page(page.title, tuple(sections), page.tone))


@contextmanager
def attachments(record: Run, table: RowTable | None, environment: bool = False) -> Iterator[dict[str, Path]]:
    """Files by the names that platforms show: `run/…` as in the run folder with the page `run/report.html`, `metrics.json` with every
    metric, and `rows.json` with the table, where there is one.

    They are there as long as the context is. With `environment`, the file about the machine is among them.
    """
    left = {LINKS_JSON} if environment else {LINKS_JSON, ENVIRONMENT_JSON}
    files = (file for file in sorted(record.place.rglob("*")) if file.is_file() and file.name not in left)
    attached = {f"run/{file.relative_to(record.place).as_posix()}": file for file in files}
    with TemporaryDirectory() as temporary:
        made = Path(temporary)
        if f"run/{PAGE}" not in attached:
            with open_text(made / PAGE) as stream:
                FORMATS.find("html")().write(record, stream, Options())
            attached[f"run/{PAGE}"] = made / PAGE
        every = {**metrics_of(record.result, every=True), **overall_metrics(overall_scores(record))}
        (made / METRICS).write_text(json.dumps(every, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        attached[METRICS] = made / METRICS
        if table is not None:
            (made / TABLE).write_text(json.dumps(table, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
            attached[TABLE] = made / TABLE
        yield attached
