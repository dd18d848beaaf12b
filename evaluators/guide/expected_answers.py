"""Expected answers for the commands that look at nothing else: from rows, from documents, or from a suite's test set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.loading import load
from evaluators.api.suite import Suite
from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.settings import build
from evaluators.scoring.needs import Cell, expected_document
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.yaml_text import NotYAML, load_untrusted
from evaluators.testsets.byte_source import locate, whole_of
from evaluators.testsets.columns import usual_columns
from evaluators.testsets.derived import first_table
from evaluators.testsets.documents import holds_documents, holds_rows, open_file
from evaluators.testsets.memory_rows import DOCUMENT, MemoryRows
from evaluators.testsets.opening import open_expected
from evaluators.testsets.reader import Table, all_chunks
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

if TYPE_CHECKING:
    from evaluators.model.settings import BadSettings

SUITES: Final = (".yaml", ".yml")

MOST_ROWS: Final = 20_000
"""Rows that a first suite is made from."""
FIRST_ROWS: Final = 200
"""Rows of which it is looked at what the columns are."""


class Answer(Struct, frozen=True):
    """One expected answer: where it stands, what it is, and the cell beside it that holds its schema."""

    where: str
    document: Any
    """The JSON, or a fault."""
    schema: Cell = None


class Answers(Struct, frozen=True):
    """A test set whose expected answers are ready to be read, and the suite that names it, if a suite does."""

    test_set: TestSet
    suite: Suite | None

    def read(self, schema_column: str | None = None) -> Iterator[Answer]:
        """The answers in order. Raises Problems where the column of the schemas is not there."""
        test_set, column = self.test_set, self.test_set.columns.expected or "expected"
        columns = [column] if schema_column is None else [column, schema_column]
        for chunk in all_chunks(test_set, columns):
            for index, offset in enumerate(chunk.offsets):
                named = chunk.ids[index] if chunk.ids is not None else ""
                where = self._place_of_answer(test_set.first_number + offset, named, column)
                schema = None if schema_column is None else chunk.columns[schema_column][index]
                yield Answer(where, expected_document(chunk.columns[column][index]), schema)

    def _place_of_answer(self, number: int, id: str, column: str) -> str:
        """The place of an answer for messages: a document by its id, a row by its number and the column."""
        table = first_table(self.test_set.table)
        if isinstance(table, MemoryRows) and table.noun == DOCUMENT:
            return f'{table.name} document "{id}"'
        return self.test_set.place(number, column)


def open_answers(path: str, column: str | None, settings: Mapping[str, Any]) -> Answers:
    """The expected answers of a file of rows, of documents, or of the test set that a suite names.

    `settings` are those of `test_set` that say how a file is read. Raises Problems when the answers cannot be opened, or when
    it is unclear which column holds them.
    """
    column = column or settings.get("columns", {}).get("expected")
    suite = load(path) if path.lower().endswith(SUITES) else None
    config = _test_set_config(path, column, settings) if suite is None else suite.test_set.but(dict(settings))
    folder = Path() if suite is None else suite.test_set_folder
    if suite is not None and column is not None:
        config = config.but({"columns": {**config.columns.named(), "expected": column}, "expected": None})
    try:
        return Answers(open_expected(config, folder), suite)
    except Problems as problems:
        raise Problems(_own_option(issue) for issue in problems.issues) from None


def _own_option(issue: Issue) -> Issue:
    """The issue with the option of these commands in its hint: they have no roles to name."""
    unnamed = issue.hint is not None and "--columns " in issue.hint
    return replace(issue, hint="say which one: --column NAME") if unnamed else issue


def _test_set_config(path: str, column: str | None, settings: Mapping[str, Any]) -> TestSetConfig:
    """The test set for a file or folder: rows where it has a column of expected answers, and documents otherwise. `column` is the name of
    that column, if the user gave it; `settings` say how the file is read."""
    columns = dict(settings) if column is None else {**settings, "columns": {"expected": column}}
    if holds_documents(path, Path()):
        if holds_rows(path, Path()):
            return build(TestSetConfig, {"file": path, **columns}, noun="test_set")
        return build(TestSetConfig, {"expected": path}, noun="test_set")
    source = locate(path, Path())
    if column is None and source.suffix in (".json", ".jsonl", ".ndjson"):
        try:
            header = open_file(path, Path()).header
        except Problems:
            header = ()  # one document
        if not usual_columns(header, "expected"):
            return build(TestSetConfig, {"expected": path}, noun="test_set")
    return build(TestSetConfig, {"file": path, **columns}, noun="test_set")


def first_cells(table: Table, names: Sequence[str], most: int | None) -> tuple[dict[str, list[Any]], int]:
    """The cells of the first rows by column, and how many rows those are; all rows where `most` is None."""
    cells: dict[str, list[Any]] = {name: [] for name in names}
    count = 0
    for chunk in all_chunks(table, list(names)):
        for name in names:
            cells[name].extend(chunk.columns[name])
        count += chunk.count
        if most is not None and count >= most:
            return {name: column[:most] for name, column in cells.items()}, most
    return cells, count


def schema_in(file: str) -> Any:
    """The data in a JSON or YAML file that holds a schema. Raises Problems (config)."""
    text = whole_of(locate(file, Path())).decode("utf-8", "replace")
    try:
        data = load_untrusted(text) if file.lower().endswith(SUITES) else parse(text)
    except (NotJSON, NotYAML) as error:
        raise problem("bad-schema", f"this is no schema: {error}", where=file) from None
    if not isinstance(data, Mapping):
        raise problem("bad-schema", "a schema is a map", where=file)
    return data


def schema_problems(error: BadSettings, name: str) -> Problems:
    """The problems of a schema as issues, each with its place in the schema, which is called `name`."""
    from evaluators.scoring.fields.references import pointer

    return Problems(
        Issue(detail.code, Blame.CONFIG, detail.message, f"{name} {pointer(detail.loc)}", detail.hint)
        for detail in error.details
    )


def unreadable_issue(answer: Answer) -> Issue | None:
    """The problem of an answer that is no JSON, with the answer's place; None for any other answer."""
    return answer.document.issue.at(answer.where) if isinstance(answer.document, CellError) else None
