"""The files behind the places that a test set names: rows of a table, documents, or cells by id.

A place is a file, a folder or a pattern, as a text, or a `Joined` with settings of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.scoring.needs import Role
from evaluators.scoring.values.quoting import flow_text
from evaluators.testsets.byte_source import ByteSource, locate
from evaluators.testsets.byte_store import kind_at
from evaluators.testsets.columns import (
    Which,
    guess_columns,
    say_which,
    usual_columns,
)
from evaluators.testsets.composed import columns_in_braces, with_documents, with_paths
from evaluators.testsets.derived import JoinedCells, knows
from evaluators.testsets.documents import (
    Documents,
    documents_at,
    holds_documents,
    one_document,
    open_file,
    variants_at,
    without_endings,
)
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.memory_rows import (
    MemoryRows,
    are_rows,
    document_rows,
    holds_a_list,
    keyed_rows,
    list_in,
    pair_files,
)
from evaluators.testsets.naming_key import ids_in, naming_columns
from evaluators.testsets.reader import Reader, Table
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import Joined, Place, TestSetConfig

TABLES: Final = (".csv", ".tsv", ".parquet", ".xlsx")
"""Endings of files that hold rows, and never one document."""
_NAMED_LIST: Final = re.compile(r"(?<=`)list: [^`]+")


class PlaceFiles(Struct, frozen=True):
    """The places of a test set, opened as its settings say. In messages each has the name that the suite writes.

    Every method raises Problems (testset) where a file is not there or cannot be used.
    """

    config: TestSetConfig
    folder: Path
    fetched: FetchedRows | None = None
    """Rows from elsewhere, in the file that the settings name."""

    def holds_rows(self, path: str) -> bool:
        """Whether the file at `path`, of expected answers, holds rows of a table, and not documents: it is a table by its ending, or its
        list and those of the outputs are rows. A folder or a pattern holds documents."""
        if holds_documents(path, self.folder):
            return False
        source = self.locate(path)
        if source.suffix in TABLES:
            return True
        outputs = [self.config.output] if self.config.output is not None else self.variants().values()
        files = [output for output in outputs if isinstance(output, str) and not holds_documents(output, self.folder)]
        lists = [list_in(self.locate(file)) for file in files]
        rows = are_rows(list_in(source) or [], "expected")
        return rows and all(documents is None or are_rows(documents, "output") for documents in lists)

    def variants(self) -> Mapping[str, Place]:
        """The place of each variant; empty where there is one output per row."""
        outputs = self.config.outputs or {}
        return variants_at(outputs, self.folder) if isinstance(outputs, str) else outputs

    def reader(self, place: TestSetConfig | Joined) -> Reader:
        """The reader of a file of rows, with the settings of the test set or of the place that names it."""
        config, fetched = self.config, self.fetched
        own = config.file is None and place is config.expected
        format = place.format or (config.format if own else None)

        def with_settings(source: ByteSource) -> ByteSource:
            """The source of a file, with the settings of the test set or of the place that names it."""
            if place is not config:
                read = (
                    config.with_reading_settings(source)
                    if own
                    else replace(source, most_unpacked_gib=config.most_unpacked_gib)
                )
                reader_settings = {
                    name: value for name in ("sheet", "header_row", "list") if (value := getattr(place, name)) is not None
                }
                return replace(read, **reader_settings)
            name = config.masked(source.name) if fetched is None else fetched.name
            return replace(config.with_reading_settings(source), name=name, file_name=source.file_name or source.name)

        try:
            return open_file(place.file or "", self.folder, format, with_settings)
        except Problems as error:
            if place is config:
                raise
            file = flow_text(config.written(place.file or ""))
            raise Problems(_with_list_named(issue, file) for issue in error.issues) from None

    def documents(self, path: str) -> Documents:
        """The documents in a folder or of a pattern, with the ids by which they are paired: paths, or names where `pair_by` says so."""
        by = self.config.pair_by or "path"
        if by == "position":
            message = "documents that are files have no position in a list"
            raise problem("bad-pairing", message, where=path, hint="pair_by is `path` or `name` here")
        documents = documents_at(path, self.folder, by)
        return {**documents, "expected": list(map(self._with_written_name, documents["expected"]))}

    def expected_documents(self, path: str) -> MemoryRows:
        """The expected documents at a place as rows: those of a folder or pattern, or the one in a file."""
        if holds_documents(path, self.folder):
            return document_rows(self.documents(path), self.shown_name(path))
        return document_rows(one_document(self.locate(path)), path)

    def paired_rows(self, expected: str, output: str) -> tuple[MemoryRows, MemoryRows, tuple[Issue, ...]]:
        """(rows, outputs, warnings): the rows of expected documents, those of outputs, each from a file, a folder or a pattern, and
        warnings about pairing. One expected document may serve all outputs; one file of outputs for a folder of expected documents must be
        an object by their ids, or Problems are raised."""
        if holds_documents(output, self.folder):
            documents = self.documents(output)
            if holds_documents(expected, self.folder):
                return self._paired_folders(expected, self.documents(expected), output, documents)
            outputs = document_rows(documents, self.shown_name(output))
            source = self.locate(expected)
            return document_rows({**documents, "expected": [source] * len(documents["id"])}, expected), outputs, ()
        if holds_documents(expected, self.folder):
            rows = self.expected_documents(expected)
            keyed = self.cells_by_id(Joined(file=output), "expected", lambda: ids_in(rows, "id"))
            if keyed is not None and not ids_in(keyed, "id").isdisjoint(ids_in(rows, "id")):
                return rows, keyed, ()
            message = "this is one document, and the expected ones are several"
            hint = "name the folder that holds one output per expected document"
            raise problem("one-output", message, where=output, hint=hint)
        pair_by, key = self.config.pair_by, self.config.columns.id
        return pair_files(self.locate(expected), self.locate(output), pair_by, key, where=expected)

    def _paired_folders(
        self, expected_place: str, expected: Documents, output_place: str, outputs: Documents
    ) -> tuple[MemoryRows, MemoryRows, tuple[Issue, ...]]:
        """The rows of the expected documents, those of the outputs, and warnings, where each place is a folder or a pattern.

        Unless `pair_by` is set, documents that no name pairs are paired by their names without a common ending, with a warning.
        """
        aside = ""
        if self.config.pair_by is None:
            expected, outputs, aside = without_endings(expected, outputs, one_sided=self.config.outputs is not None)
        rows = document_rows(expected, self.shown_name(expected_place))
        output_rows = document_rows(outputs, self.shown_name(output_place))
        if not aside:
            return rows, output_rows, ()
        message = f"no name of a document is in both places, so they are paired by their names without {aside}"
        return rows, output_rows, (Issue("common-ending", Blame.TESTSET, message, self.shown_name(output_place)),)

    def naming_cells(self, place: Place) -> tuple[Table, Sequence[str]]:
        """The table of another place, and those of its columns that may hold the ids of its cells."""
        if isinstance(place, str) and holds_documents(place, self.folder):
            return document_rows(self.documents(place), self.shown_name(place)), ["id"]
        other = Joined(file=place) if isinstance(place, str) else place
        keyed = self.cells_by_id(other, "output", None)
        if keyed is not None:
            return keyed, ["id"]
        reader = self.reader(other)
        if other.key is not None:
            return with_paths(reader, [other.key], self.config.written(other.file or "")), [other.key]
        return reader, usual_columns(reader.header, "id") or reader.header

    def cells_elsewhere(self, path: Place, role: Literal["output", "expected"], rows: TestSet) -> JoinedCells:
        """The cells of a role that stand at `path`, in another file or in documents, with the column of their ids, by which they join the
        `rows`. That column is the named one, or one with a usual name, or else the one that shares most with the ids of the rows. Raises
        Problems where it is unclear which column is what."""
        if isinstance(path, str) and holds_documents(path, self.folder):
            documents = document_rows(self.documents(path), self.shown_name(path))
            return JoinedCells(documents, "id", "expected", documents.name)
        other = Joined(file=path) if isinstance(path, str) else path
        name = self.config.written(other.file or "")
        key, named = rows.columns.id or "", other.named(role)
        keyed = self.cells_by_id(other, role, lambda: ids_in(rows.table, key))
        if keyed is not None:
            return JoinedCells(keyed, "id", role, name)
        reader = self.reader(other)
        if "id" not in named and (parts := columns_in_braces(key)) and {*parts} <= {*reader.header}:
            named["id"] = key
        table = with_paths(reader, named.values(), name)
        if "id" not in named and not usual_columns(reader.header, "id"):
            naming = naming_columns(rows.table, [key], table, table.header)
            named |= {} if naming is None else {"id": naming[1]}
        needed: set[Role] = {"id"} if other.columns is not None else {"id", role}
        columns = guess_columns(
            table.header, named, needed=needed, name=name, knows=partial(knows, table),
            which=say_which_elsewhere(
                role, other, named.get("id") or next(iter(usual_columns(reader.header, "id")), None), reader.header
            ),
        )  # fmt: skip
        if other.columns is None:
            return JoinedCells(table, columns.id or "", columns.of(role) or "", name)
        made = with_documents(table, other, role, [columns.id or ""], self.config.empty_expected, name)
        return JoinedCells(made, columns.id or "", role, name)

    def cells_by_id(
        self, other: Joined, role: Literal["output", "expected"], ids: Callable[[], Collection[str]] | None
    ) -> MemoryRows | None:
        """The cells of a JSON file that is an object from ids to cells; None for every other file, and where the place has settings of
        rows.

        An object with a list of rows in it is also one from ids to cells, if some of its keys are among the `ids` of the test set.
        """
        settings_of_rows, file = (other.column, other.key, other.columns, other.list), other.file or ""
        if any(setting is not None for setting in settings_of_rows) or holds_documents(file, self.folder):
            return None
        source = self.locate(file)
        if (other.format or source.suffix[1:]) != "json":
            return None
        keyed = keyed_rows(source, role)
        if keyed is None or not holds_a_list(source):
            return keyed
        return keyed if ids is not None and not ids_in(keyed, "id").isdisjoint(ids()) else None

    def locate(self, path: str) -> ByteSource:
        """The file at a place. In messages it has the name that the suite writes."""
        return self._with_written_name(locate(path, self.folder))

    def shown_name(self, path: str) -> str:
        """The name of a place for messages, as the suite writes it; a folder has a slash at its end."""
        shown = str(self.config.written(path))
        return f"{shown.rstrip('/')}/" if kind_at(self.folder, path) == "folder" else shown

    def _with_written_name(self, source: ByteSource) -> ByteSource:
        """The source with the name that the suite writes, which messages then say, and with the suite's limit for compressed files."""
        shown = self.config.written(source.name)
        bounded = replace(source, most_unpacked_gib=self.config.most_unpacked_gib)
        return bounded if shown == source.name else replace(bounded, name=shown, file_name=source.name)


def _with_list_named(issue: Issue, file: str) -> Issue:
    """The issue with a hint for a file that `output` or `expected` names: where it has several lists, which setting chooses one. Other
    issues stay as they are."""
    named = _NAMED_LIST.search(issue.hint or "") if issue.code == "several-lists" else None
    if named is None:
        return issue
    return replace(issue, hint=f"say which one: `{{file: {file}, {named[0]}}}` in place of {file}")


def say_which_elsewhere(
    role: Literal["output", "expected"], place: Place | None, key: str | None, header: Sequence[str]
) -> Which:
    """A function that words a hint: the line to write in the suite where it is unclear which column of another file plays a role. `key`
    is the usual column of ids there, and `header` has all columns."""
    file = flow_text(place.file if isinstance(place, Joined) else place)
    usual = flow_text(key or "NAME")

    def which(wanted: Role, named: Mapping[Role, str]) -> str:
        """The hint for the role that is wanted; `named` gives the column that may play it."""
        column = named[wanted]
        if wanted == "id":
            both = "give both files a column with the same ids, or paste the column of one into the other"
            naming = f"`{role}: {{file: {file}, key: {flow_text(column)}}}` under test_set"
            return both if len(header) == 1 else f"{both}; where a column has ids, {naming} says which one"
        if wanted != role:
            return say_which(wanted, {wanted: column})
        line = f"say which one: `{role}: {{file: {file}, column: {flow_text(column)}}}` under test_set"
        return f"{line}; where each field has a column, `{role}: {{file: {file}, columns: {{all_but: [{usual}]}}}}`"

    return which
