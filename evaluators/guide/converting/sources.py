"""Other systems' files: YAML and JSON as trees in which every value knows its line and column, and exported tables of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from evaluators.guide.converting.converter import Conversion, ConvertedEvaluator, ForeignValue, MappingNote, MappingStatus
from evaluators.model.issues import Problems, problem
from evaluators.model.settings import BadSettings, build
from evaluators.suites.files import read_text
from evaluators.suites.nodes import Findings, MapEntry, Spot, SuiteInput, YamlNode
from evaluators.suites.python_data import tree_of, written_data
from evaluators.suites.source import any_tree
from evaluators.testsets.byte_source import locate
from evaluators.testsets.columns import usual_columns
from evaluators.testsets.documents import open_table
from evaluators.testsets.reader import Reader, all_chunks, rows_of
from evaluators.testsets.test_set_config import TestSetConfig


def text_of(path: Path) -> str:
    """The text of a file. Raises Problems (config) when there is none that can be read."""
    try:
        return read_text(path)
    except BadSettings as error:
        detail = error.details[0]
        raise problem(detail.code, detail.message, where=str(path)) from None


def document_tree(path: Path) -> YamlNode:
    """The values of a YAML or JSON file. Raises Problems (config) with what is wrong in it.

    JSON is read as YAML first, because that gives places; JSON that YAML refuses (tabs, say) is read without lines.
    """
    text = text_of(path)
    try:
        return any_tree(SuiteInput(str(path), text, path.parent))
    except Problems:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if value is None:
            raise
        return tree_of(value, SuiteInput(str(path), "", path.parent, []), Findings())


def entries(node: YamlNode) -> Mapping[str, MapEntry]:
    """The entries of a map node, by key; none for a node that is no map."""
    return node.value if isinstance(node.value, dict) else {}


def items(node: YamlNode | None) -> list[YamlNode]:
    """The items of a list node; none for a node that is no list, and for None."""
    return node.value if node is not None and isinstance(node.value, list) else []


def value_at(node: YamlNode, *keys: str) -> YamlNode | None:
    """The node below these keys of nested maps; None where one of them is not there."""
    for key in keys:
        entry = entries(node).get(key)
        if entry is None:
            return None
        node = entry.node
    return node


def text_at(node: YamlNode, *keys: str) -> str | None:
    """The text below these keys of nested maps; None where there is none, or something else."""
    value = value_at(node, *keys)
    return value.value if value is not None and isinstance(value.value, str) else None


def plain_data(node: YamlNode) -> Any:
    """The value of a node as plain data: maps, lists and single values, without places."""
    return written_data(node)


def settings_of_map(node: YamlNode | None) -> dict[str, ForeignValue]:
    """The settings in a map by name, each with its line and column in the file."""
    if node is None:
        return {}
    return {key: ForeignValue(plain_data(entry.node), entry.key.place) for key, entry in entries(node).items()}


def maps_within(node: YamlNode, named: tuple[YamlNode, ...] = ()) -> Iterator[tuple[YamlNode, tuple[YamlNode, ...]]]:
    """Every map in a tree, the outer first, each with the maps around it, the nearest first."""
    if isinstance(node.value, dict):
        yield node, named
        for entry in node.value.values():
            yield from maps_within(entry.node, (node, *named))
    for item in items(node):
        yield from maps_within(item, named)


def tree_at(value: Any, spot: Spot) -> YamlNode:
    """The tree of a JSON value, all of it at one spot: of a line, or of a cell."""
    if isinstance(value, dict):
        return YamlNode({name: MapEntry(spot, tree_at(inner, spot)) for name, inner in value.items()}, spot)
    return YamlNode([tree_at(inner, spot) for inner in value] if isinstance(value, list) else value, spot)


def named_spot(name: str) -> Spot:
    """A spot that messages call by this name: `tests.csv row 2`."""
    return Spot(SuiteInput(name, locs=[()]), 0, 0)


def json_lines(file: Path) -> Iterator[tuple[Spot, Any]]:
    """The values of a file of JSON lines, each with its line. Raises Problems (config) for a line that is not JSON."""
    document = SuiteInput(str(file), text_of(file), file.parent)
    for number, line in enumerate(document.text.split("\n")):
        if line.strip():
            spot = Spot(document, number, 0)
            try:
                yield spot, json.loads(line)
            except (ValueError, RecursionError):
                raise Problems([spot.issue("bad-json", "this line is not JSON")]) from None


ROW_FILES: Final = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
_FIRST: Final = 200


def apply_reading(conversion: Conversion) -> None:
    """Adds the reading settings of the files to the suite's test set; columns of the files win."""
    reading = dict(conversion.reading)
    if not reading or "file" not in conversion.test_set:
        return
    elsewhere = {role for role in ("expected", "output") if reading.get(role) is not None}
    columns = {role: name for role, name in _named_columns(conversion).items() if role not in elsewhere}
    conversion.test_set = {**conversion.test_set, **reading, "columns": columns}
    if not columns:
        del conversion.test_set["columns"]


def _named_columns(conversion: Conversion) -> dict[str, Any]:
    """The columns of the test set by role. Those that the user gave win over those that were found."""
    return {**conversion.test_set.get("columns", {}), **conversion.reading.get("columns", {})}


def _open_rows(file: Path, reading: Mapping[str, Any]) -> Reader:
    """Opens a file of rows for reading. `reading` are the settings of `test_set` that say how: encoding, delimiter, columns."""
    settings = {name: value for name, value in reading.items() if name not in ("columns", "expected", "output")}
    config = build(TestSetConfig, {"file": str(file), **settings}, noun="test_set")
    return open_table(config.with_reading_settings(locate(str(file), Path())))


def export_header(file: Path, reading: Mapping[str, Any]) -> list[str]:
    """The names of the columns of a file of rows. Raises Problems when it cannot be read."""
    return list(_open_rows(file, reading).header)


def numbered_rows(file: Path, reading: Mapping[str, Any]) -> tuple[list[str], Iterator[tuple[int, dict[str, Any]]]]:
    """The names of the columns, and each row: its number, as a spreadsheet shows it, and its cells."""
    table = _open_rows(file, reading)
    header = list(table.header)
    return header, ((number, dict(zip(header, row, strict=True))) for number, row in rows_of(table, header))


def cells_of(
    file: Path, columns: Sequence[str], reading: Mapping[str, Any], most: int | None = None
) -> dict[str, list[Any]]:
    """The cells of these columns by name, of the first `most` rows; of all rows where that is None."""
    table = _open_rows(file, reading)
    cells: dict[str, list[Any]] = {name: [] for name in columns}
    for chunk in all_chunks(table, list(columns)):
        for name in columns:
            left = None if most is None else most - len(cells[name])
            cells[name].extend(islice(chunk.columns[name], left))
        if most is not None and columns and len(cells[columns[0]]) >= most:
            break
    return cells


def remark_on_outputs(conversion: Conversion, file: Path, header: Sequence[str]) -> None:
    """Adds a remark to the conversion where an export has no column of outputs, which it needs to be scored."""
    named = _named_columns(conversion)
    if "output" not in named and conversion.reading.get("output") is None and not usual_columns(header, "output"):
        conversion.remarks.append(
            f"{file} has no column with the model's outputs. Add one that is called output, or name a file of outputs "
            "with --outputs-from when you run the suite."
        )


def proposed_evaluators(
    conversion: Conversion, where: str, *, normalized: bool
) -> list[ConvertedEvaluator | MappingNote]:
    """A single evaluator to begin with, chosen by what the expected answers look like, for an export of rows that names none. `where` is
    the place in its note; `normalized` prefers fields that are compared without case and accents."""
    expected = _expected_cells(conversion)
    documents = [_json_object(cell) for cell in expected]
    present = [document for document in documents if document is not None]
    settings: dict[str, Any] = {}
    if not present or len(present) < len(documents):
        kind = "exact_match"
    elif normalized:
        kind = "json_field_match_normalized"
    else:
        names = sorted({name for document in present for name in document})
        kind, settings = "json_multi_field_match", {"fields": [json_path(name) for name in names]}
    note = "a proposal, from what the expected answers look like: the export names no evaluator"
    return [ConvertedEvaluator(kind, kind, settings, [MappingNote(where, kind, MappingStatus.NOTED, note)])]


def json_path(name: str) -> str:
    """The path of a top-level key: the key itself, or in brackets and quotes where it has other characters than a plain name."""
    plain = name.isidentifier() or (name and name.replace("-", "_").replace(" ", "_").isidentifier())
    return name if plain and name == name.strip() else f"[{json.dumps(name, ensure_ascii=False)}]"


def _expected_cells(conversion: Conversion) -> list[Any]:
    """The first expected answers: of the rows in a JSON export, or of the column in a file of rows; none where it is not known."""
    if conversion.rows:
        return [row[name] for row in conversion.rows[:_FIRST] for name in usual_columns(row, "expected")]
    file = Path(conversion.test_set["file"])
    named = _named_columns(conversion).get("expected")
    column = named or next(iter(usual_columns(export_header(file, conversion.reading), "expected")), None)
    return cells_of(file, [column], conversion.reading, _FIRST)[column] if column is not None else []


def _json_object(cell: Any) -> dict[str, Any] | None:
    """The JSON object that a cell is, or that its text holds; None for an empty object and for anything else."""
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except ValueError:
            return None
    return cell if isinstance(cell, dict) and cell else None
