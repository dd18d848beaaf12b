"""From the settings to the test set: its rows, what is joined and attached to them, the variants, and the rows that are selected.

`open_test_set` looks at the beginning of every file, settles which column is what, and says so in `notes`. Everything
that is wrong with a file as a whole is raised then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from evaluators.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model import MISSING
from evaluators.needs import Cell, Role
from evaluators.testsets.byte_source import ByteSource, locate
from evaluators.testsets.byte_store import kind_at
from evaluators.testsets.columns import Columns, guess_columns, no_such_column
from evaluators.testsets.derived import JoinedCells, aliased, attached, joined
from evaluators.testsets.documents import (
    Documents,
    documents_at,
    holds_documents,
    one_document,
    open_file,
    variants_at,
)
from evaluators.testsets.memory_rows import (
    FetchedRows,
    MemoryRows,
    are_rows,
    common_key,
    document_rows,
    list_in,
    listed_rows,
    paired_files,
)
from evaluators.testsets.reader import Reader, Table, knows
from evaluators.testsets.run_files import passing_over
from evaluators.testsets.selection import Selection, selected
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import ColumnNames, Joined, Place, TestSetConfig

ALL_ROWS: Final = Selection()
_DOCUMENTS: Final = Columns(id="id", expected="expected")
TABLES: Final = (".csv", ".tsv", ".parquet", ".xlsx")
"""Endings of files that hold rows, and never one document."""


def open_test_set(
    config: TestSetConfig,
    folder: Path,
    *,
    needed: Collection[Role] = (),
    selection: Selection = ALL_ROWS,
    results: Iterable[Path] = (),
    given: FetchedRows | None = None,
) -> TestSet:
    """The test set that the settings name; files are relative to `folder`. `needed` are the roles that the suite reads, `results` the
    folders in which runs are kept: what these have written is no part of it. `given` are rows of a program, whose file the settings name.

    Raises Problems when a file is not there or not usable, or when it is unclear which column is what.
    """
    with _masked_problems(config), passing_over(results) as notes:
        opened = _opening(config, folder, needed, selection, given).test_set()
        return _readable(replace(opened, passed_over=(*opened.passed_over, *notes)))


def open_expected(config: TestSetConfig, folder: Path) -> TestSet:
    """The expected answers of a test set alone, whatever its outputs are. Raises Problems as `open_test_set` does."""
    alone = config.model_copy(update={"output": None, "outputs": None})
    with _masked_problems(config):
        return _readable(_opening(alone, folder, ["expected"]).expected_alone())


def _opening(
    config: TestSetConfig,
    folder: Path,
    needed: Collection[Role],
    selection: Selection = ALL_ROWS,
    given: FetchedRows | None = None,
) -> _Opening:
    """The opening of a test set; rows of a platform or a database are fetched into a file first. Raises Problems when they cannot be."""
    fetched = None
    if config.sql is not None:
        from evaluators.testsets.databases import queried  # few test sets are in a database

        fetched = queried(config.sql, config.connection, folder)
    elif config.platform is not None:
        fetched = config.platform.fetch()
    if fetched is not None:
        columns = ColumnNames(**{**fetched.roles, **config.columns.named()})
        asked = {"file": fetched.file, "format": "jsonl", "columns": columns}
        config = config.model_copy(update={**asked, **dict.fromkeys(("sql", "connection", "mlflow", "phoenix"))})
    return _Opening(config, folder, frozenset(needed), selection, fetched or given)


def _readable(test_set: TestSet) -> TestSet:
    """The test set without secrets in its messages: file names that environment variables filled in are as the suite writes them."""
    config = test_set.config
    return replace(
        test_set,
        name=config.written(test_set.name),
        issues=tuple(map(config.masked_issue, test_set.issues)),
        warnings=tuple(map(config.masked_issue, test_set.warnings)),
        variant_sets={name: _readable(one) for name, one in test_set.variant_sets.items()},
    )


@contextmanager
def _masked_problems(config: TestSetConfig) -> Iterator[None]:
    """Within the `with` block, Problems are raised without what environment variables filled into file names."""
    try:
        yield
    except Problems as error:
        raise Problems(map(config.masked_issue, error.issues)) from error


class _Opening(Struct, frozen=True):
    config: TestSetConfig
    folder: Path
    needed: frozenset[Role]
    selection: Selection
    fetched: FetchedRows | None = None
    """Rows from elsewhere, in the file that the settings name."""

    def test_set(self) -> TestSet:
        config = self.config
        if config.file is not None or not isinstance(config.expected, str):
            return self._of_rows()
        if not self._holds_rows(config.expected):
            return self._of_documents(config.expected)
        expected = {"expected": Joined(file=config.expected)}
        return replace(self, config=config.model_copy(update=expected))._of_rows()

    def expected_alone(self) -> TestSet:
        """The expected answers without outputs."""
        place = self.config.expected
        if self.config.file is not None or not isinstance(place, str) or self._holds_rows(place):
            return self.test_set()
        rows = self._expected_documents(place)
        if not holds_documents(place, self.folder):
            source = self._locate(place)
            listed = list_in(source)
            if listed is not None and self.config.pair_by not in ("path", "name"):
                rows = listed_rows(source, common_key([listed], self.config.columns.id))
        return self._finished(self._begun(place, rows))

    def _of_rows(self) -> TestSet:
        config = self.config
        reader, configured = self._rows()
        variants = config.outputs if isinstance(config.outputs, dict) else {"": config.outputs}
        places = [place for place in (config.output, *variants.values()) if place is not None]
        elsewhere: set[Role] = {"output"} if places else set()
        if config.file is not None and config.expected is not None:
            elsewhere.add("expected")
            places.append(config.expected)
        joining: set[Role] = {"id"} if any(_own_column(place) is None for place in places) else set()
        kept: dict[Role, str] = {role: column for role, column in configured.items() if role not in elsewhere}
        name = reader.source.name
        try:
            columns = guess_columns(
                reader.header, kept, needed=(self.needed - elsewhere) | joining, name=name, knows=reader.knows
            )
        except Problems as error:
            raise Problems([*error.issues, *reader.different]) from None
        begun = self._begun(name, reader, columns)
        if config.file is not None and config.expected is not None:
            begun = self._joined(begun, "expected", self._lookup(config.expected, "expected"))
        return self._with_outputs(begun)

    def _rows(self) -> tuple[Reader, dict[Role, str]]:
        """The file with the rows, and the columns that the settings name."""
        config, configured = self.config, self.config.columns.named()
        if config.file is not None:
            reader = self._reader(config)
            if self.fetched is not None and self.fetched.header is not None:
                reader = replace(reader, header=self.fetched.header, notes=(*reader.notes, *self.fetched.notes))
            return reader, configured
        if isinstance(config.expected, Joined) and config.expected.file is not None:
            return self._reader(config.expected), configured | config.expected.named("expected")
        hint = "name it on the command line, or in the suite: `test_set: {file: rows.csv}`"
        raise problem("no-test-set", "there is no test set", hint=hint)

    def _reader(self, asked: TestSetConfig | Joined) -> Reader:
        """A file of rows, read as its settings say."""
        config, fetched = self.config, self.fetched

        def settled(source: ByteSource) -> ByteSource:
            if asked is not config:
                most = config.most_unpacked_gib
                return replace(source, most_unpacked_gib=most, sheet=asked.sheet, header_row=asked.header_row)
            name = config.masked(source.name) if fetched is None else fetched.name
            return replace(config.reads(source), name=name, file_name=source.file_name or source.name)

        return open_file(asked.file or "", self.folder, asked.format, settled)

    def _with_outputs(self, begun: TestSet) -> TestSet:
        """The rows with their outputs, or with those of each variant."""
        if self.config.output is not None:
            return self._finished(self._with_output(begun, self.config.output))
        places = self._variants()
        lacking = [
            column
            for place in places.values()
            if (column := _own_column(place)) is not None and not knows(begun.table, column)
        ]
        if lacking:
            raise Problems(no_such_column(column, begun.table.header, begun.name) for column in lacking)
        alone = replace(begun, issues=(), warnings=())
        variants = {name: self._finished(self._with_output(alone, place)) for name, place in places.items()}
        whole = self._finished(begun)
        if variants and "output" in begun.table.header and "output" not in map(_own_column, places.values()):
            message = "is not read, because with variants each has an output of its own; give it another name to keep it"
            whole = replace(whole, passed_over=(f'{begun.name}: the column "output" {message}',))
        return _with_variants(whole, variants)

    def _with_output(self, begun: TestSet, path: Place) -> TestSet:
        """The test set with its outputs from a place: another file, documents, or a column of its own rows."""
        column = _own_column(path)
        if column is None:
            return self._joined(begun, "output", self._lookup(path, "output"))
        if not knows(begun.table, column):
            raise Problems([no_such_column(column, begun.table.header, begun.name)])
        columns = replace(begun.columns, output="output")
        return replace(begun, table=aliased(begun.table, column, "output"), columns=columns)

    def _holds_rows(self, path: str) -> bool:
        """Whether expected answers in one file are rows of a table, and not documents."""
        if holds_documents(path, self.folder):
            return False
        source = self._locate(path)
        if source.suffix in TABLES:
            return True
        outputs = [self.config.output] if self.config.output is not None else self._variants().values()
        files = [one for one in outputs if isinstance(one, str) and not holds_documents(one, self.folder)]
        lists = [list_in(self._locate(one)) for one in files]
        return are_rows(list_in(source) or [], "expected") and all(are_rows(one or [], "output") for one in lists)

    def _of_documents(self, path: str) -> TestSet:
        """The test set of expected documents paired with output documents. One expected document may serve all outputs."""
        if self.config.output is not None:
            return self._paired(path, self.config.output)
        if self.config.outputs is None:
            hint = "name them beside it: `test_set: {expected: gold/, output: outputs/}`"
            raise problem("no-outputs", "there are expected documents, but no outputs", where=path, hint=hint)
        variants = {name: self._paired(path, other) for name, other in self._variants().items()}
        rows = self._expected_documents(path)
        return _with_variants(self._finished(self._begun(path, rows)), variants)

    def _paired(self, expected: str, output: Place) -> TestSet:
        """The test set of expected documents with their outputs from one place."""
        if not isinstance(output, str):
            return self._finished(self._with_output(self._begun(expected, self._expected_documents(expected)), output))
        rows, outputs = self._two_places(expected, output)
        lookup = JoinedCells(outputs, "id", "expected", outputs.name)
        return self._finished(self._joined(self._begun(expected, rows), "output", lookup))

    def _two_places(self, expected: str, output: str) -> tuple[MemoryRows, MemoryRows]:
        """The rows of expected documents, and those of outputs, each from a file, a folder or a pattern."""
        if holds_documents(output, self.folder):
            documents = self._documents_at(output)
            outputs = document_rows(documents, self._said(output))
            if holds_documents(expected, self.folder):
                return self._expected_documents(expected), outputs
            source = self._locate(expected)
            return document_rows({**documents, "expected": [source] * len(documents["id"])}, expected), outputs
        if holds_documents(expected, self.folder):
            message = "this is one document, and the expected ones are several"
            hint = "name the folder that holds one output per expected document"
            raise problem("one-output", message, where=output, hint=hint)
        pair_by, key = self.config.pair_by, self.config.columns.id
        return paired_files(self._locate(expected), self._locate(output), pair_by, key, where=expected)

    def _expected_documents(self, path: str) -> MemoryRows:
        if holds_documents(path, self.folder):
            return document_rows(self._documents_at(path), self._said(path))
        return document_rows(one_document(self._locate(path)), path)

    def _documents_at(self, path: str) -> Documents:
        by = self.config.pair_by or "path"
        if by == "position":
            message = "documents that are files have no position in a list"
            raise problem("bad-pairing", message, where=path, hint="pair_by is `path` or `name` here")
        found = documents_at(path, self.folder, by)
        return {**found, "expected": list(map(self._named, found["expected"]))}

    def _locate(self, path: str) -> ByteSource:
        """The file at a place. In messages it has the name that the suite writes."""
        return self._named(locate(path, self.folder))

    def _named(self, source: ByteSource) -> ByteSource:
        shown = self.config.written(source.name)
        bounded = replace(source, most_unpacked_gib=self.config.most_unpacked_gib)
        return bounded if shown == source.name else replace(bounded, name=shown, file_name=source.name)

    def _said(self, path: str) -> str:
        """The name of a place in messages: a folder has a slash at its end."""
        shown = str(self.config.written(path))
        return f"{shown.rstrip('/')}/" if kind_at(self.folder, path) == "folder" else shown

    def _lookup(self, path: Place, role: Literal["output", "expected"]) -> JoinedCells:
        """The reader of the cells of a role that are elsewhere: in documents, or in a column of another file."""
        if isinstance(path, str) and holds_documents(path, self.folder):
            documents = document_rows(self._documents_at(path), self._said(path))
            return JoinedCells(documents, "id", "expected", documents.name)
        other = Joined(file=path) if isinstance(path, str) else path
        reader, file = self._reader(other), other.file or ""
        columns = guess_columns(reader.header, other.named(role), needed=("id", role), name=file, knows=reader.knows)
        return JoinedCells(reader, columns.id or "", columns.of(role) or "", self.config.written(file))

    def _joined(self, begun: TestSet, role: Literal["output", "expected"], lookup: JoinedCells) -> TestSet:
        """The test set with the cells of one role joined to its rows by id, and the issues of ids without a partner."""
        message = f"there is no {role} for this row in {lookup.name}"
        absent: Cell = CellError(Issue(f"no-{role}-for-row", Blame.TESTSET, message))
        if role == "output" and self.config.no_output == "fail":
            absent = MISSING
        table, issues, warnings = joined(begun.table, begun.columns.id or "", lookup, role, absent)
        columns = replace(begun.columns, **{role: role})
        issues, warnings = [*begun.issues, *issues], [*begun.warnings, *warnings]
        return replace(begun, table=table, columns=columns, issues=tuple(issues), warnings=tuple(warnings))

    def _variants(self) -> Mapping[str, Place]:
        """The place of each variant; empty where there is one output per row."""
        outputs = self.config.outputs or {}
        return variants_at(outputs, self.folder) if isinstance(outputs, str) else outputs

    def _begun(self, name: str, table: Table, columns: Columns = _DOCUMENTS) -> TestSet:
        """A test set with the columns of attached files, before outputs are joined to it."""
        table = attached(table, self.config.attach, self.folder, name)
        fetched = self.fetched
        unrepeatable = None if fetched is None else fetched.unrepeatable
        return TestSet(name, table, columns, self.config, unrepeatable=unrepeatable, fetched=fetched is not None)

    def _finished(self, begun: TestSet) -> TestSet:
        """The test set with only the selected rows, and a note that says which column is what."""
        table = selected(begun.table, self.selection, begun.name)
        return replace(begun, table=table, extra_notes=(begun.columns.sentence(begun.name),))


def _with_variants(base: TestSet, variants: Mapping[str, TestSet]) -> TestSet:
    issues, warnings = list(base.issues), list(base.warnings)
    for name, one in variants.items():
        issues += (replace(issue, where=f"variant {name}: {issue.where}") for issue in one.issues)
        warnings += (replace(issue, where=f"variant {name}: {issue.where}") for issue in one.warnings)
    return replace(base, issues=tuple(issues), warnings=tuple(warnings), variant_sets=dict(variants))


def _own_column(path: Place) -> str | None:
    """The column of the rows themselves that a place names; None for every other place."""
    return path.column if isinstance(path, Joined) and path.file is None else None
