"""promptfoo's tests, wherever they stand: in a configuration, or in the files that it names.

A row of a table, or a map with the columns of one (`__expected`), becomes the map that a configuration would have for the test, so
that one way leads from a test to its rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import glob
from itertools import product
from os.path import isfile  # also of names that are too long for a file
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct, field

from evaluators.guide.converting.promptfoo_values import column_of_variable
from evaluators.guide.converting.promptfoo_words import TABLES
from evaluators.guide.converting.sources import (
    ROW_FILES,
    document_tree,
    entries,
    items,
    json_lines,
    named_spot,
    numbered_rows,
    plain_data,
    text_at,
    text_of,
    tree_at,
    value_at,
)
from evaluators.model.issues import Blame, Issue
from evaluators.suites.nodes import MapEntry, YamlNode

Note: TypeAlias = Callable[[str, str, str], None]
"""Takes the place of a word, the word, and why it is not taken over."""
DOCUMENTS: Final = (".yaml", ".yml", ".json")
_TEXTS: Final = (".txt", ".md", ".html", ".xml", ".csv", *DOCUMENTS)
"""The files whose text a variable may be."""
_PROGRAMS: Final = (".py", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".rb")
_FUNCTION: Final = re.compile(r"(?<=\w):\w+\Z")
"""The name of a function behind the name of a program."""
_EXPECTED: Final = re.compile(r"__expected\d*")
_TEST_KEYS: Final = {"__description": "description", "__providerOutput": "providerOutput", "__threshold": "threshold"}
_ALIASES: Final = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}
_WITHOUT_VALUE: Final = ("is-json", "contains-json", "is-xml")
_ASSERTION: Final = re.compile(r"(?P<type>[a-z][a-z0-9:-]*?)(?:\((?P<threshold>[\d.]+)\))?(?::(?P<value>.*))?", re.DOTALL)


class NamedFiles(Struct):
    """The files that a configuration names, as they are found one after the other."""

    note: Note
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `test_set` that say how files of rows are read."""
    read: set[Path] = field(default_factory=set)
    """Those that were there, resolved."""
    unread: list[Issue] = field(default_factory=list)
    """What could not be read, and why."""

    def find(self, node: YamlNode, folder: Path, key: str, kinds: Sequence[str] = (*DOCUMENTS, *ROW_FILES)) -> list[Path]:
        """The files that a path or a pattern names and that are of one of the `kinds`; they are added to `read`. Where it names anything
        else, a note about `key` is made, and an issue is added to `unread`."""
        name = str(node.value).removeprefix("file://")
        names = [name] if isfile(folder / name) else sorted(glob(name, root_dir=folder, recursive=True))
        files = [folder / name for name in names if isfile(folder / name)]
        readable = [file for file in files if file.suffix.lower() in kinds]
        if "://" in name:
            why = "nothing is fetched: save it as a file, and name that"
        elif Path(_FUNCTION.sub("", name)).suffix in _PROGRAMS:
            why = "a program is not run: write what it gives to a file, as YAML or JSON, and name that"
        elif not files:
            why = "there is no such file"
        elif len(readable) < len(files):
            why = f"only {', '.join(kinds)} files are read"
        else:
            why = ""
        if why:
            self.note(node.spot.place, f"{key}, {node.value}", why)
            self.unread.append(
                Issue("file-not-read", Blame.CONFIG, f"{key}: {node.value} is not read: {why}", node.spot.place)
            )
        self.read.update(file.resolve() for file in readable)
        return readable


class PromptfooTest(Struct):
    """A test with one value for each of its variables: one row."""

    cells: dict[str, Any]
    asserts: list[YamlNode]
    threshold: YamlNode | None = None
    defaults: bool = True
    """Whether the assertions of `defaultTest` hold for it."""
    transform: str = ""
    """What is done to its output before any assertion looks at it."""
    id: str = ""
    passed: bool | None = None
    """What promptfoo said of it; None where it was not asked."""


def named_tests(
    node: YamlNode, folder: Path, named: NamedFiles, within: tuple[Path, ...] = ()
) -> Iterator[tuple[YamlNode, Path]]:
    """Each test that a value of `tests` has or names, with the folder where its own paths start.

    `within` are the files around it. Raises Problems (config) for a file that cannot be read.
    """
    for listed_node in node.value if isinstance(node.value, list) else [node]:
        place = value_at(listed_node, "path") or listed_node
        if isinstance(place.value, str):
            for file in named.find(place, folder, "tests"):
                if file in within:
                    named.note(place.spot.place, f"tests, {place.value}", "the file names itself")
                else:
                    yield from file_tests(file, named, (*within, file))
        else:
            yield _without_table_columns(listed_node, named.note), folder


def file_tests(file: Path, named: NamedFiles, within: tuple[Path, ...] = ()) -> Iterator[tuple[YamlNode, Path]]:
    """Each test in a file of tests or of rows, with the folder where its own paths start. `within` are the files around it. Raises Problems
    (config) for a file that cannot be read."""
    suffix = file.suffix.lower()
    if suffix in DOCUMENTS:
        yield from named_tests(document_tree(file), file.parent, named, within)
    elif suffix == ".jsonl":
        for spot, value in json_lines(file):
            yield _without_table_columns(tree_at(value, spot), named.note), file.parent
    else:
        header, rows = numbered_rows(file, named.reading)
        _note_columns(header, str(file), named.note)
        for number, cells in rows:
            yield _test_of_row(cells, f"{file} row {number}"), file.parent


def _without_table_columns(node: YamlNode, note: Note) -> YamlNode:
    """The test as a configuration has it; one that is written as a row of a table, with `__expected`, is turned into that form."""
    if not any(map(_EXPECTED.fullmatch, entries(node))):
        return node
    _note_columns(entries(node), node.spot.place, note)
    return _test_of_row(plain_data(node), node.spot.place)


def _note_columns(names: Iterable[str], place: str, note: Note) -> None:
    """Makes a note of each column of promptfoo's own, `__name`, that is not taken over."""
    for name in names:
        if name.startswith("__") and not _EXPECTED.fullmatch(name) and name not in (*_TEST_KEYS, "__metric"):
            note(f'{place} column "{name}"', name, "a column of this name is not taken over")


def _test_of_row(cells: Mapping[str, Any], where: str) -> YamlNode:
    """The test that a configuration would have for a row of a table. `where` is the row's place in messages."""
    spot = named_spot(where)
    test = {key: cells[name] for name, key in _TEST_KEYS.items() if cells.get(name) not in (None, "")}
    if (limit := test.get("threshold")) is not None:
        test["threshold"] = _number_or_none(limit)
    test["vars"] = {name: cell for name, cell in cells.items() if not name.startswith("__")}
    metric = {"metric": cells["__metric"]} if cells.get("__metric") else {}
    asserts: list[YamlNode] = []
    for name, cell in cells.items():
        text = cell.strip() if isinstance(cell, str) else "" if cell is None else json.dumps(cell, ensure_ascii=False)
        if _EXPECTED.fullmatch(name) and text:
            asserts.append(tree_at({**_assertion_of_text(text), **metric}, named_spot(f'{where}, column "{name}"')))
    return YamlNode({**entries(tree_at(test, spot)), "assert": MapEntry(spot, YamlNode(asserts, spot))}, spot)


def _assertion_of_text(text: str) -> dict[str, Any]:
    """The assertion, as a configuration has it, for what a table has in a cell: `contains:Paris`, or just `Paris`, which must be equal."""
    match = _ASSERTION.fullmatch(text)
    name = _ALIASES.get(match["type"], match["type"]) if match else ""
    if match is None or TABLES[0].find(name) is None or (match["value"] is None and name not in _WITHOUT_VALUE):
        return {"type": "equals", "value": text}
    record: dict[str, Any] = {"type": name}
    if match["value"] is not None:
        record["value"] = match["value"].strip()
    if (threshold := _number_or_none(match["threshold"] or "")) is not None:
        record["threshold"] = min(threshold, 1.0)
    return record


def _number_or_none(text: Any) -> float | None:
    """The number in a cell; None where it is no number."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def rows_of_test(
    node: YamlNode, default: YamlNode | None, folders: tuple[Path, Path], named: NamedFiles
) -> Iterator[PromptfooTest]:
    """The rows of a test: one, or one for each combination of variables that are lists.

    `default` is `defaultTest`; `folders` are where its paths and those of the test start.
    """
    beside = default if default is not None else YamlNode({}, node.spot)
    own = _variables(value_at(beside, "vars"), folders[0], named) | _variables(value_at(node, "vars"), folders[1], named)
    expands = not any(_is_true(test, "disableVarExpansion") for test in (node, beside))
    listed = [name for name, value in own.items() if expands and isinstance(value, list)]
    described, prompt = text_at(node, "description"), text_at(node, "prompt")
    answered = value_at(node, "providerOutput")
    for values in product(*(own[name] for name in listed)):
        cells = {
            column_of_variable(name): value for name, value in {**own, **dict(zip(listed, values, strict=True))}.items()
        }
        if described is not None:
            cells.setdefault("description", described)
        if prompt is not None:
            cells.setdefault("prompt", prompt)
        if answered is not None:
            cells["output"] = plain_data(answered)
        yield PromptfooTest(
            cells,
            items(value_at(node, "assert")),
            value_at(node, "threshold") or value_at(beside, "threshold"),
            not _is_true(node, "disableDefaultAsserts"),
            _transform(node) or _transform(beside),
        )


def _transform(node: YamlNode) -> str:
    """The transform of the output in the options of a test; `postprocess` is the old name."""
    return text_at(node, "options", "transform") or text_at(node, "options", "postprocess") or ""


def _is_true(node: YamlNode, option: str) -> bool:
    """Whether an option of a test is set to true."""
    value = value_at(node, "options", option)
    return value is not None and value.value is True


def _variables(node: YamlNode | None, folder: Path, named: NamedFiles) -> dict[str, Any]:
    """The variables of a test by name, those in files that it names included; a variable that names files has their texts."""
    variables: dict[str, Any] = {}
    for entry_node in [] if node is None else items(node) or [node]:
        if isinstance(entry_node.value, str):
            for file in named.find(entry_node, folder, "vars"):
                variables |= _variables(document_tree(file), file.parent, named)
        for name, entry in entries(entry_node).items():
            value = entry.node.value
            if isinstance(value, str) and value.startswith("file://"):
                texts = [_variable_text(file) for file in named.find(entry.node, folder, f"vars, {name}", _TEXTS)]
                variables[name] = texts if len(texts) > 1 else next(iter(texts), None)
            else:
                variables[name] = plain_data(entry.node)
    return variables


def _variable_text(file: Path) -> str:
    """The value of a variable that names a file: a YAML file as JSON, any other as text."""
    if file.suffix.lower() in (".yaml", ".yml"):
        return json.dumps(plain_data(document_tree(file)), ensure_ascii=False)
    return text_of(file).strip()
