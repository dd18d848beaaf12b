"""Where the expected answers and the outputs of a first suite are, when they are in files, sheets or columns of their own.

Each function gives the settings of `test_set` that say so, and none where it is not so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evaluators.guide.chosen_columns import ChosenColumns
from evaluators.guide.column_cells import nonempty_cells
from evaluators.guide.column_names import may_be_measure
from evaluators.guide.expected_answers import FIRST_ROWS, MOST_ROWS, first_cells
from evaluators.guide.field_columns import field_columns, holds_objects, output_keys
from evaluators.guide.inner_columns import reply_paths
from evaluators.guide.label_lists import FIELD, mark_between_labels
from evaluators.guide.places import sheets_by_side
from evaluators.guide.roles_of_file import nameable, roles_without_asking
from evaluators.guide.row_names import names_in_both
from evaluators.model.issues import Problems, problem
from evaluators.model.settings import build
from evaluators.runs.metrics import rows_text
from evaluators.scoring.fields.inference.proposals import DefaultAnswers
from evaluators.scoring.needs import Role
from evaluators.testsets.byte_source import locate
from evaluators.testsets.byte_store import kind_at
from evaluators.testsets.columns import is_usual, usual_columns
from evaluators.testsets.documents import documents_at, holds_documents, holds_rows, open_file, text_of, variants_at
from evaluators.testsets.memory_rows import keyed_rows
from evaluators.testsets.naming_key import called_id
from evaluators.testsets.place_files import TABLES
from evaluators.testsets.reader import Reader
from evaluators.testsets.test_set_config import TestSetConfig
from evaluators.testsets.workbook import sheet_names

_PART: Final = re.compile(r"part-\d+")
"""How Spark and others call the parts of one table."""
SIDES: Final[tuple[Role, Role]] = ("expected", "output")
_LISTS: Final = (".json", ".jsonl", ".ndjson")


def models_in_files(data: str | None, output: str | None) -> dict[str, str]:
    """The files of rows in a folder, or of a pattern, that hold the outputs of one model each, by the names of the models.

    Empty where the files are documents, named like something in the first rows of `data`, where their columns differ, and where they are
    parts of one table.
    """
    if data is None or output is None or not holds_documents(output, Path()) or not holds_rows(output, Path()):
        return {}
    models = variants_at(output, Path())
    files = [rows_at({"output": place}, "output", {}) for place in models.values()]
    if len({table.header for table in files if table is not None}) != 1 or all(map(_PART.match, models)):
        return {}
    table = None if holds_documents(data, Path()) else rows_at({"file": data}, "file", {})
    cells = first_cells(table, nameable(table.header), MOST_ROWS)[0] if table is not None else {}
    texts = {str(cell) for column in cells.values() for cell in column if isinstance(cell, str | int)}
    return models if table is not None and texts.isdisjoint(models) else {}


def models_in_folders(expected: str | None, output: str | None) -> dict[str, str]:
    """The folders with documents in a folder of outputs, by the names of the models, where each has documents called like expected ones,
    and two have the same; empty where outputs are called like expected documents already, and where fewer than two folders are there."""
    if expected is None or output is None or kind_at(Path(), output) != "folder" or not holds_documents(expected, Path()):
        return {}
    names, outputs = ({*documents_at(place, Path())["id"]} for place in (expected, output))
    below: dict[str, set[str]] = {}
    for id in outputs:
        folder, _, name = id.partition("/")
        below.setdefault(folder, set()).add(name)
    if len(below) < 2 or not names.isdisjoint(outputs) or any(map(names.isdisjoint, below.values())):
        return {}
    if sum(map(len, below.values())) == len(set[str]().union(*below.values())):  # parts of one model's outputs
        return {}
    return variants_at(output, Path())


def columns_name_both_sides(expected: str | None, output: str | None) -> bool:
    """Whether two files hold rows whose columns say which are expected answers and which outputs, and no documents."""
    places = {"expected": expected, "output": output}
    if any(place is None or not place.lower().endswith((*_LISTS, *TABLES)) for place in places.values()):
        return False
    gold, outputs = (rows_at(places, role, {}) for role in ("expected", "output"))
    if gold is None or outputs is None:
        return False
    if gold.source.suffix in TABLES:
        return bool(usual_columns(gold.header, "expected")) and not usual_columns(outputs.header, "output")
    named = any(is_usual(name, "expected") for name in gold.header) and (
        any(is_usual(name, "output") for name in outputs.header) or len(_answers_alone(outputs, gold)) == 1
    )
    return named and names_in_both(gold, outputs, next(iter(usual_columns(gold.header, "id")), None)) is not None


def _answers_alone(outputs: Reader, gold: Reader) -> list[str]:
    """The columns that a file of outputs alone has, without ids, numbers about the call and expected answers."""
    return [
        name
        for name in outputs.header
        if name not in gold.header
        and not (called_id(name) or may_be_measure(name) or is_usual(name, "id") or is_usual(name, "expected"))
    ]


def sheets_of_both_sides(data: str) -> dict[Role, str]:
    """The sheets of a workbook with the expected answers and with the outputs, as their names say, where neither has both and something
    names the rows of the two; else empty."""
    sides = sheets_by_side(locate(data, Path()))
    tables = {role: rows_at({role: {"file": data, "sheet": sheet}}, role, {}) for role, sheet in sides.items()}
    gold, outputs = tables.get("expected"), tables.get("output")
    if gold is None or outputs is None:
        return {}
    every = (rows_at({"file": data}, "file", {"sheet": sheet}) for sheet in sheet_names(gold.source))
    if any(all(usual_columns(table.header, role) for role in SIDES) for table in every if table is not None):
        return {}
    return sides if names_in_both(gold, outputs, next(iter(usual_columns(gold.header, "id")), None)) is not None else {}


def fields_in_columns(
    config: Mapping[str, Any], chosen: ChosenColumns, reading: Mapping[str, str | int], ask: DefaultAnswers
) -> dict[str, Any]:
    """The settings for expected answers, and for outputs, that have a column for each field; empty where there are none.

    A column of expected answers that was chosen by its name is taken out of `chosen`, and so is an input that is a field; a note is added
    to `ask.said`.
    """
    rows, gold, outputs = (rows_at(config, name, reading) for name in ("file", "expected", "output"))
    if rows is None and not any(table is not None and table.source.suffix in TABLES for table in (gold, outputs)):
        return {}  # lists of documents are paired as they are
    out = outputs if outputs is not None or "output" in config else rows
    answers = gold if gold is not None or "expected" in config else rows
    documents = _first_documents(config) if out is None and answers is not None else []
    if answers is None or (out is None and not documents):
        return {}
    column = None
    if out is not None:
        column = chosen.columns.get("output") if out is rows else next(iter(usual_columns(out.header, "output")), None)
    if column is None and out is not None and out is rows:
        return {}
    keys = output_keys(documents)
    if column is not None and out is not None:
        keys = output_keys(first_cells(out, [column], FIRST_ROWS)[0][column])
    elif out is not None:
        keys = [name for name in out.header if not is_usual(name, "id") and not called_id(name)]
    if answers is rows and (wanted := chosen.columns.get("expected")) is not None:
        by_user = chosen.why["expected"] == "as you said"
        if by_user or holds_objects(first_cells(rows, [wanted], FIRST_ROWS)[0][wanted]):
            return {}
    elif answers is gold and usual_columns(gold.header, "expected"):
        return {}
    own = ("id", "output") if answers is rows else ("id",)
    taken = [column for role, column in chosen.columns.items() if role in own]
    columns = field_columns(keys, answers.header, [*taken, *usual_columns(answers.header, "id")])
    if not columns:
        return {}
    chosen.left = []
    for role in ("expected", "input"):
        if answers is rows and (role == "expected" or chosen.columns.get(role) in columns.values()):
            chosen.columns.pop(role, None)
    ask.said.append(
        f"the expected answers have a column for each field, called like the keys of the outputs: {', '.join(columns.values())}"
    )
    places: dict[str, Any] = {
        "expected": {**({} if answers is rows else {"file": config["expected"]}), "columns": columns}
    }
    if column is None and out is not None:
        places["output"] = {**_place_in(config, "output"), "columns": {key: key for key in columns}}
    return places


def _first_documents(config: Mapping[str, Any]) -> list[Any]:
    """The texts of the first documents with outputs, which files of their own hold; none where the outputs are no such documents."""
    place = config.get("output")
    if not isinstance(place, str) or not holds_documents(place, Path()):
        return []
    return [text_of(source) for source in documents_at(place, Path())["expected"][:FIRST_ROWS]]


def column_of_outputs(config: Mapping[str, Any], ask: DefaultAnswers) -> dict[str, Any]:
    """The setting for outputs in another file whose column has no usual name: the path at which replies of a programming interface hold
    what the model said, or the only column that may hold outputs; else none. Raises Problems for a file with one column."""
    given = rows_at(config, "output", {}) if "file" in config else None
    if given is None:
        return {}
    header = nameable(given.header)
    if len(header) == 1:
        message = f'it has one column, "{header[0]}", and nothing that says to which row a line of it belongs'
        hint = f"paste it into {config['file']} as a column called output, or give it a column of ids beside the outputs"
        raise problem("no-ids", message, where=given.source.name, hint=hint)
    cells, _ = first_cells(given, header, FIRST_ROWS)
    column = next(iter(reply_paths(cells)), None)
    if column is None and not usual_columns(header, "output"):
        asked, chosen = roles_without_asking(header, cells, {}, ["expected"])
        left = [
            name for name in header if not called_id(name) and not is_usual(name, "id") and name not in chosen.measures
        ]
        column = left[0] if len(left) == 1 else None if asked else chosen.columns.get("output")
    if column is None:
        return {}
    place = _place_in(config, "output")
    ask.said.append(f'the outputs are in column "{column}" of {place["file"]}')
    return {"output": {**place, "column": column}}


def labels_in_columns(
    config: Mapping[str, Any], chosen: ChosenColumns, reading: Mapping[str, str | int], ask: DefaultAnswers
) -> dict[str, Any]:
    """The settings for labels, where cells of both columns hold several with a mark between them; else none. The two columns lose their
    roles in `chosen`, which keeps them as `labels`."""
    rows = rows_at(config, "file", reading)
    columns = {role: chosen.columns[role] for role in SIDES if role in chosen.columns}
    if rows is None or len(columns) < len(SIDES) or not {*columns.values()} <= {*rows.header}:
        return {}
    cells, _ = first_cells(rows, [*columns.values()], MOST_ROWS)
    mark = mark_between_labels(*(cells[columns[role]] for role in SIDES))
    if mark is None:
        return {}
    ask.said.append(f'labels are in columns "{columns["expected"]}" and "{columns["output"]}", several in a cell')
    chosen.labels, chosen.mark = columns, mark
    empty = len(cells[columns["expected"]]) - len(nonempty_cells(cells[columns["expected"]]))
    if empty:
        ask.said.append(
            f"{rows_text(empty)} without an expected label: no label is then the right answer (`empty_expected: value`)"
        )
    chosen.columns = {role: column for role, column in chosen.columns.items() if role not in columns}
    places: dict[str, Any] = {role: {"columns": {FIELD: name}} for role, name in columns.items()}
    return {**places, "empty_expected": "value"} if empty else places


def keys_of_files(config: Mapping[str, Any], chosen: ChosenColumns, reading: Mapping[str, str | int]) -> dict[str, Any]:
    """The settings for other files whose rows are named by a column without a usual name, with that column as their `key`; none for others.
    What names the rows of both files becomes the id in `chosen`, unless the user said which it is."""
    rows = rows_at(config, "file", reading)
    changed: dict[str, Any] = {}
    id, said = chosen.columns.get("id"), chosen.why.get("id") == "as you said"
    for role in SIDES:
        other = rows_at(config, role, {})
        if (
            rows is None
            or other is None
            or (other.source.suffix == ".json" and keyed_rows(other.source, role) is not None)
        ):
            continue
        names = names_in_both(rows, other, id)
        if names is None or (said and names[0] != id):
            continue
        id, key = names
        if id != chosen.columns.get("id"):
            chosen.take("id", id, "it names the rows of both files")
        usual = usual_columns(other.header, "id")
        if [key] != usual and (usual or (key.startswith("{") and key != id)):
            changed[role] = {**_place_in(config, role), "key": key}
    return changed


def _place_in(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The setting `name` as a map with the key `file`."""
    place = config[name]
    return dict(place) if isinstance(place, Mapping) else {"file": place}


def rows_at(config: Mapping[str, Any], name: str, reading: Mapping[str, str | int]) -> Reader | None:
    """The opened file of rows that the setting `name` of `config` says; None where it says none, for documents, and for a file that cannot
    be read. `reading` says how the file of the rows itself is read."""
    place = config.get(name)
    settings = {"sheet": place["sheet"]} if isinstance(place, Mapping) and "sheet" in place else {}
    place = place.get("file") if isinstance(place, Mapping) else place
    if place is None or (name != "file" and holds_documents(place, Path())):
        return None
    named = build(TestSetConfig, {"file": place, **(reading if name == "file" else settings)}, noun="test_set")
    try:
        return open_file(place, Path(), None, named.with_reading_settings)
    except Problems:
        return None  # whoever opens the test set says why
