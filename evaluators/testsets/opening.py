"""From the settings to the test set: its rows, what is joined and attached to them, the variants, and the rows that are selected.

`open_test_set` looks at the beginning of every file, settles which column is what, and says so in `notes`. Everything
that is wrong with a file as a whole is raised then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import ROLES, Cell, Role
from evaluators.scoring.values.quoting import flow_text
from evaluators.testsets.byte_source import ByteSource, locate
from evaluators.testsets.byte_store import kind_at
from evaluators.testsets.columns import (
    Columns,
    Which,
    guess_columns,
    no_such_column,
    say_which,
    say_which_in_python,
    usual_columns,
)
from evaluators.testsets.composed import columns_in_braces, composed, with_paths
from evaluators.testsets.corrections import corrections_among, with_corrections, without_corrections
from evaluators.testsets.derived import JoinedCells, aliased, attached, columns_read, joined, knows
from evaluators.testsets.documents import (
    Documents,
    documents_at,
    holds_documents,
    one_document,
    open_file,
    refuse_options,
    variants_at,
    without_endings,
)
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.memory_rows import (
    MemoryRows,
    are_rows,
    common_key,
    document_rows,
    holds_a_list,
    keyed_rows,
    list_in,
    listed_rows,
    paired_files,
)
from evaluators.testsets.naming_key import ids_in, naming_columns, pair_without_endings
from evaluators.testsets.reader import OPTIONS, Reader, Table
from evaluators.testsets.run_files import passing_over
from evaluators.testsets.selection import Selection, selected
from evaluators.testsets.table_head import NO_HEADER
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import ColumnNames, Joined, Place, TestSetConfig

ALL_ROWS: Final = Selection()
FILE_ENDINGS: Final = "file-endings"
"""The code of the warning that ids were paired without the endings of files."""
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
        settings = {"file": fetched.file, "format": "jsonl", "columns": columns}
        config = config.model_copy(update={**settings, **dict.fromkeys(("sql", "connection", "mlflow", "phoenix"))})
    return _Opening(config, folder, frozenset(needed), selection, fetched or given, given is not None)


def _readable(test_set: TestSet) -> TestSet:
    """The test set without secrets in its messages: file names that environment variables filled in are as the suite writes them."""
    config = test_set.config
    return replace(
        test_set,
        name=config.written(test_set.name),
        issues=tuple(map(config.masked_issue, test_set.issues)),
        warnings=tuple(map(config.masked_issue, test_set.warnings)),
        variant_sets={name: _readable(variant) for name, variant in test_set.variant_sets.items()},
    )


@contextmanager
def _masked_problems(config: TestSetConfig) -> Iterator[None]:
    """Within the `with` block, Problems are raised without what environment variables filled into file names."""
    try:
        yield
    except Problems as error:
        raise Problems(map(config.masked_issue, error.issues)) from error


class _Opening(Struct, frozen=True):
    """The opening of a test set: the steps from its settings to a table with the columns of all roles."""

    config: TestSetConfig
    folder: Path
    needed: frozenset[Role]
    selection: Selection
    fetched: FetchedRows | None = None
    """Rows from elsewhere, in the file that the settings name."""
    of_program: bool = False
    """A program gave the rows."""

    def test_set(self) -> TestSet:
        """The test set: of rows, of documents, or of expected answers that are rows themselves."""
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
        return self._with_selection(self._begun(place, rows))

    def _of_rows(self) -> TestSet:
        """The test set of a file of rows, with expected answers and outputs from elsewhere joined to it."""
        config = self.config
        reader, configured = self._rows()
        expected = config.expected if config.file is not None else _of_same_rows(config.expected)
        outputs = [config.output] if config.output is not None else list(self._variants().values())
        elsewhere: set[Role] = {"output"} if outputs else set()
        if expected is not None:
            elsewhere.add("expected")
        own_columns: dict[Role, str] = {role: column for role, column in configured.items() if role not in elsewhere}
        joining = [place for place in (*outputs, expected) if place is not None and not _is_own(place)]
        name = reader.source.name
        table = with_paths(reader, own_columns.values(), name)
        if joining and "id" not in own_columns and not usual_columns(reader.header, "id"):
            own_columns |= self._id_by(table, joining)
        joined_by: set[Role] = {"id"} if joining else set()
        needed = (self.needed - elsewhere) | joined_by
        key = own_columns.get("id") or next(iter(usual_columns(reader.header, "id")), None)
        which = self._which_of_rows() if config.file is not None else _which_of("expected", config.expected, key)
        try:
            columns = guess_columns(
                table.header, own_columns, needed=needed, name=name, knows=partial(knows, table), which=which
            )
        except Problems as error:
            headless = [doubt for doubt in reader.doubts if doubt.code == NO_HEADER]
            raise Problems(headless or [*error.issues, *reader.doubts]) from None
        table_begun = self._begun(name, table, columns)
        if expected is not None:
            table_begun = self._with_cells(table_begun, "expected", expected)
        return self._with_outputs(table_begun)

    def _which_of_rows(self) -> Which:
        """A function that gives the line to write where the columns of the rows are not clear."""
        if self.of_program:
            return say_which_in_python
        return partial(say_which, file=self.config.bare_file if self.fetched is None else None)

    def _id_by(self, table: Table, places: Iterable[Place]) -> dict[Role, str]:
        """The column of the rows that names them as cells elsewhere are named, where there is one."""
        for place in places:
            naming = naming_columns(table, table.header, *self._named_elsewhere(place))
            if naming is not None:
                return {"id": naming[0]}
        return {}

    def _named_elsewhere(self, place: Place) -> tuple[Table, Sequence[str]]:
        """The cells of another place, and the columns that may name them."""
        if isinstance(place, str) and holds_documents(place, self.folder):
            return document_rows(self._documents_at(place), self._place_text(place)), ["id"]
        other = Joined(file=place) if isinstance(place, str) else place
        keyed = self._cells_by_id(other, "output", None)
        if keyed is not None:
            return keyed, ["id"]
        reader = self._reader(other)
        if other.key is not None:
            return with_paths(reader, [other.key], self.config.written(other.file or "")), [other.key]
        return reader, usual_columns(reader.header, "id") or reader.header

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

    def _reader(self, place: TestSetConfig | Joined) -> Reader:
        """A file of rows, read as its settings say."""
        config, fetched = self.config, self.fetched

        own = config.file is None and place is config.expected
        format = place.format or (config.format if own else None)

        def settled(source: ByteSource) -> ByteSource:
            """The source of a file, with the settings of the test set or of the place that names it."""
            if place is not config:
                read = config.reads(source) if own else replace(source, most_unpacked_gib=config.most_unpacked_gib)
                reader_settings = {
                    name: value for name in ("sheet", "header_row", "list") if (value := getattr(place, name)) is not None
                }
                return replace(read, **reader_settings)
            name = config.masked(source.name) if fetched is None else fetched.name
            return replace(config.reads(source), name=name, file_name=source.file_name or source.name)

        try:
            return open_file(place.file or "", self.folder, format, settled)
        except Problems as error:
            if place is config:
                raise
            file = flow_text(config.written(place.file or ""))
            raise Problems(_list_of(issue, file) for issue in error.issues) from None

    def _with_outputs(self, begun: TestSet) -> TestSet:
        """The rows with their outputs, or with those of each variant."""
        if self.config.output is not None:
            return self._with_selection(self._with_cells(begun, "output", self.config.output))
        places = self._variants()
        alone = replace(begun, issues=(), warnings=())
        variants: dict[str, TestSet] = {}
        issues: list[Issue] = []
        for name, place in places.items():
            try:
                variants[name] = self._with_selection(self._with_cells(alone, "output", place))
            except Problems as error:
                issues += (issue for issue in error.issues if issue not in issues)
        if issues:
            raise Problems(issues)
        whole = self._with_selection(begun)
        read = {column for variant in variants.values() for column in columns_read(variant.table)}
        if variants and "output" in begun.table.header and "output" not in read:
            message = "is not read, because with variants each has an output of its own; give it another name to keep it"
            whole = replace(whole, passed_over=(f'{begun.name}: the column "output" {message}',))
        return _with_variants(whole, variants)

    def _with_cells(self, begun: TestSet, role: Literal["output", "expected"], place: Place) -> TestSet:
        """The test set with the cells of a role from a place: another file, documents, or columns of its own rows."""
        if not isinstance(place, Joined) or place.file is not None:
            return self._joined(begun, role, self._lookup(place, role, begun))
        columns = replace(begun.columns, **{role: role})
        if place.columns is not None:
            taken = self._no_fields(begun)
            documents = composed(begun.table, place, role, taken, self.config.empty_expected, begun.name)
            return replace(begun, table=documents, columns=columns)
        column = place.column or ""
        table = with_paths(begun.table, [column], begun.name)
        if not knows(table, column):
            raise Problems([no_such_column(column, begun.table.header, begun.name)])
        return replace(begun, table=aliased(table, column, role), columns=columns)

    def _no_fields(self, begun: TestSet) -> set[str]:
        """The columns of rows that play a role, hold an attached file, or are named for the other side."""
        config = self.config
        outputs = config.outputs.values() if isinstance(config.outputs, dict) else (config.output,)
        named = (column for place in (*outputs, config.expected) for column in _columns_named(place))
        roles = (begun.columns.of(role) for role in ROLES)
        return {*named, *filter(None, roles), *columns_read(begun.table), *config.attach}

    def _holds_rows(self, path: str) -> bool:
        """Whether expected answers in one file are rows of a table, and not documents."""
        if holds_documents(path, self.folder):
            return False
        source = self._locate(path)
        if source.suffix in TABLES:
            return True
        outputs = [self.config.output] if self.config.output is not None else self._variants().values()
        files = [output for output in outputs if isinstance(output, str) and not holds_documents(output, self.folder)]
        lists = [list_in(self._locate(file)) for file in files]
        rows = are_rows(list_in(source) or [], "expected")
        return rows and all(documents is None or are_rows(documents, "output") for documents in lists)

    def _of_documents(self, path: str) -> TestSet:
        """The test set of expected documents paired with output documents. One expected document may serve all outputs."""
        options = [option for option in OPTIONS if getattr(self.config, option) is not None]
        refuse_options(options, (), self._place_text(path), "documents")
        if self.config.output is not None:
            return self._with_paired_outputs(path, self.config.output)
        if self.config.outputs is None:
            hint = "name them beside it: `test_set: {expected: gold/, output: outputs/}`"
            raise problem("no-outputs", "there are expected documents, but no outputs", where=path, hint=hint)
        variants = {name: self._with_paired_outputs(path, other) for name, other in self._variants().items()}
        rows = self._expected_documents(path)
        return _with_variants(self._with_selection(self._begun(path, rows)), variants)

    def _with_paired_outputs(self, expected: str, output: Place) -> TestSet:
        """The test set of expected documents with their outputs from one place."""
        if not isinstance(output, str):
            table_begun = self._begun(expected, self._expected_documents(expected))
            return self._with_selection(self._with_cells(table_begun, "output", output))
        rows, outputs, warnings = self._two_places(expected, output)
        lookup = JoinedCells(outputs, "id", "expected", outputs.name)
        table_begun = self._begun(expected, rows)
        table_begun = replace(table_begun, warnings=(*table_begun.warnings, *warnings))
        return self._with_selection(self._joined(table_begun, "output", lookup))

    def _two_places(self, expected: str, output: str) -> tuple[MemoryRows, MemoryRows, tuple[Issue, ...]]:
        """The rows of expected documents, and those of outputs, each from a file, a folder or a pattern; and warnings about pairing."""
        if holds_documents(output, self.folder):
            documents = self._documents_at(output)
            if holds_documents(expected, self.folder):
                return self._two_folders(expected, self._documents_at(expected), output, documents)
            outputs = document_rows(documents, self._place_text(output))
            source = self._locate(expected)
            return document_rows({**documents, "expected": [source] * len(documents["id"])}, expected), outputs, ()
        if holds_documents(expected, self.folder):
            rows = self._expected_documents(expected)
            keyed = self._cells_by_id(Joined(file=output), "expected", lambda: ids_in(rows, "id"))
            if keyed is not None and not ids_in(keyed, "id").isdisjoint(ids_in(rows, "id")):
                return rows, keyed, ()
            message = "this is one document, and the expected ones are several"
            hint = "name the folder that holds one output per expected document"
            raise problem("one-output", message, where=output, hint=hint)
        pair_by, key = self.config.pair_by, self.config.columns.id
        return paired_files(self._locate(expected), self._locate(output), pair_by, key, where=expected)

    def _expected_documents(self, path: str) -> MemoryRows:
        if holds_documents(path, self.folder):
            return document_rows(self._documents_at(path), self._place_text(path))
        return document_rows(one_document(self._locate(path)), path)

    def _two_folders(
        self, expected_place: str, expected: Documents, output_place: str, outputs: Documents
    ) -> tuple[MemoryRows, MemoryRows, tuple[Issue, ...]]:
        """The rows of the expected documents, those of the outputs, and warnings, where each place is a folder or a pattern.

        Unless `pair_by` is set, documents that no name pairs are paired by their names without a common ending, with a warning.
        """
        aside = ""
        if self.config.pair_by is None:
            expected, outputs, aside = without_endings(expected, outputs, one_sided=self.config.outputs is not None)
        rows = document_rows(expected, self._place_text(expected_place))
        output_rows = document_rows(outputs, self._place_text(output_place))
        if not aside:
            return rows, output_rows, ()
        message = f"no name of a document is in both places, so they are paired by their names without {aside}"
        return rows, output_rows, (Issue("common-ending", Blame.TESTSET, message, self._place_text(output_place)),)

    def _documents_at(self, path: str) -> Documents:
        """The documents at a place, paired as the settings say."""
        by = self.config.pair_by or "path"
        if by == "position":
            message = "documents that are files have no position in a list"
            raise problem("bad-pairing", message, where=path, hint="pair_by is `path` or `name` here")
        documents = documents_at(path, self.folder, by)
        return {**documents, "expected": list(map(self._with_written_name, documents["expected"]))}

    def _locate(self, path: str) -> ByteSource:
        """The file at a place. In messages it has the name that the suite writes."""
        return self._with_written_name(locate(path, self.folder))

    def _with_written_name(self, source: ByteSource) -> ByteSource:
        """The source under the name that the suite writes."""
        shown = self.config.written(source.name)
        bounded = replace(source, most_unpacked_gib=self.config.most_unpacked_gib)
        return bounded if shown == source.name else replace(bounded, name=shown, file_name=source.name)

    def _place_text(self, path: str) -> str:
        """The name of a place in messages: a folder has a slash at its end."""
        shown = str(self.config.written(path))
        return f"{shown.rstrip('/')}/" if kind_at(self.folder, path) == "folder" else shown

    def _lookup(self, path: Place, role: Literal["output", "expected"], rows: TestSet) -> JoinedCells:
        """The reader of the cells of a role that are elsewhere: in documents, or in another file, which names them as the rows are."""
        if isinstance(path, str) and holds_documents(path, self.folder):
            documents = document_rows(self._documents_at(path), self._place_text(path))
            return JoinedCells(documents, "id", "expected", documents.name)
        other = Joined(file=path) if isinstance(path, str) else path
        name = self.config.written(other.file or "")
        key, named = rows.columns.id or "", other.named(role)
        keyed = self._cells_by_id(other, role, lambda: ids_in(rows.table, key))
        if keyed is not None:
            return JoinedCells(keyed, "id", role, name)
        reader = self._reader(other)
        if "id" not in named and (parts := columns_in_braces(key)) and {*parts} <= {*reader.header}:
            named["id"] = key
        table = with_paths(reader, named.values(), name)
        if "id" not in named and not usual_columns(reader.header, "id"):
            naming = naming_columns(rows.table, [key], table, table.header)
            named |= {} if naming is None else {"id": naming[1]}
        needed: set[Role] = {"id"} if other.columns is not None else {"id", role}
        columns = guess_columns(
            table.header, named, needed=needed, name=name, knows=partial(knows, table),
            which=_which_of(role, other, named.get("id") or next(iter(usual_columns(reader.header, "id")), None)),
        )  # fmt: skip
        if other.columns is None:
            return JoinedCells(table, columns.id or "", columns.of(role) or "", name)
        made = composed(table, other, role, [columns.id or ""], self.config.empty_expected, name)
        return JoinedCells(made, columns.id or "", role, name)

    def _cells_by_id(
        self, other: Joined, role: Literal["output", "expected"], ids: Callable[[], Collection[str]] | None
    ) -> MemoryRows | None:
        """The cells of a JSON file that is an object from ids to cells; None for every other file.

        An object with a list of rows in it is also one from ids to cells, if some of its keys are among the `ids` of the test set.
        """
        settings_of_rows, file = (other.column, other.key, other.columns, other.list), other.file or ""
        if any(setting is not None for setting in settings_of_rows) or holds_documents(file, self.folder):
            return None
        source = self._locate(file)
        if (other.format or source.suffix[1:]) != "json":
            return None
        keyed = keyed_rows(source, role)
        if keyed is None or not holds_a_list(source):
            return keyed
        return keyed if ids is not None and not ids_in(keyed, "id").isdisjoint(ids()) else None

    def _joined(self, begun: TestSet, role: Literal["output", "expected"], lookup: JoinedCells) -> TestSet:
        """The test set with the cells of one role joined to its rows by id, and the issues of ids without a partner."""
        message = f"there is no {role} for this row in {lookup.name}"
        absent: Cell = CellError(Issue(f"no-{role}-for-row", Blame.TESTSET, message))
        if role == "output" and self.config.no_output == "fail":
            absent = MISSING
        key = begun.columns.id or ""
        table, issues, warnings = joined(begun.table, key, lookup, role, absent)
        if any(issue.code == f"no-{role}-for-row" for issue in (*issues, *warnings)) and pair_without_endings(
            ids_in(begun.table, key), ids_in(lookup.table, lookup.key)
        ):
            table, issues, warnings = joined(begun.table, key, replace(lookup, bare=True), role, absent)
            message = f"no id is in both {begun.name} and {lookup.name}, so they are paired without folders and endings of files"
            warnings = [
                Issue(FILE_ENDINGS, Blame.TESTSET, message, lookup.name, "to review: look at one pair"),
                *warnings,
            ]
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
        warnings = () if fetched is None else fetched.warnings
        return TestSet(
            name, table, columns, self.config, warnings=warnings, unrepeatable=unrepeatable, fetched=fetched is not None
        )

    def _with_selection(self, begun: TestSet) -> TestSet:
        """The test set with corrected answers and only the selected rows, and a note that says which column is what."""
        begun, standing = self._with_corrections(begun)
        table, corrections, columns = selected(begun.table, self.selection, begun.name), begun.corrections, begun.columns
        if not corrections:
            return replace(begun, table=table, extra_notes=(columns.sentence(begun.name),))
        key, expected = columns.id or "", columns.expected or ""
        return replace(
            begun,
            table=table,
            corrections=corrections_among(table, key, corrections) if self.selection else corrections,
            uncorrected=without_corrections(table, key, expected, standing),
            extra_notes=(columns.sentence(begun.name),),
        )

    def _with_corrections(self, begun: TestSet) -> tuple[TestSet, Mapping[str, Cell]]:
        """The test set with its corrections made, and the cells as they stand, by id. A correction that cannot be made is a warning. Raises
        Problems where rows have no ids."""
        file, key, expected = self.config.corrections, begun.columns.id, begun.columns.expected
        if file is None:
            return begun, {}
        name = self.config.written(file)
        if key is None:
            hint = "a correction goes by the id of its row: `columns: {id: NAME}` under test_set names the column"
            raise problem(
                "corrections-need-ids",
                "the rows have no ids, so no answer of them can be corrected",
                where=name,
                hint=hint,
            )
        if expected is None:
            hint = "`columns: {expected: NAME}` under test_set names the column"
            raise problem("nothing-to-correct", "the test set has no column of expected answers", where=name, hint=hint)
        table, applied, standing = with_corrections(begun.table, key, expected, self._locate(file))
        hint = "if it is still right, correct the value as it is now; a line with the same `old` and `new` withdraws it"
        void = [
            Issue("void-correction", Blame.TESTSET, f"correction {correction.sentence}", name, hint)
            for correction in applied
            if correction.void is not None
        ]
        return replace(begun, table=table, corrections=applied, warnings=(*begun.warnings, *void)), standing


def _with_variants(base: TestSet, variants: Mapping[str, TestSet]) -> TestSet:
    """The test set with those of its variants, and their problems under their names."""
    issues, warnings = list(base.issues), list(base.warnings)
    for name, variant in variants.items():
        issues += (replace(issue, where=f"variant {name}: {issue.where}") for issue in variant.issues)
        own = (issue for issue in variant.warnings if issue not in base.warnings)
        warnings += (replace(issue, where=f"variant {name}: {issue.where}") for issue in own)
    return replace(base, issues=tuple(issues), warnings=tuple(warnings), variant_sets=dict(variants))


def _is_own(place: Place) -> bool:
    """Whether a place is columns of the rows themselves."""
    return isinstance(place, Joined) and place.file is None


def _of_same_rows(place: Place | None) -> Joined | None:
    """The fields of expected answers whose file is that of the rows; None where they have no columns of their own."""
    if not isinstance(place, Joined) or place.columns is None:
        return None
    return place.model_copy(update=dict.fromkeys(("file", "key", "format", "sheet", "header_row", "list")))


def _columns_named(place: Place | None) -> Iterator[str]:
    """The columns of the rows themselves that a place names."""
    if not isinstance(place, Joined) or place.file is not None:
        return
    if place.column is not None:
        yield place.column
    if isinstance(place.columns, dict):
        yield from place.columns.values()


def _list_of(issue: Issue, file: str) -> Issue:
    """The problem of a file with several lists, with what to write where it is not the file of the rows."""
    named = _NAMED_LIST.search(issue.hint or "") if issue.code == "several-lists" else None
    return (
        issue
        if named is None
        else replace(issue, hint=f"say which one: `{{file: {file}, {named[0]}}}` in place of {file}")
    )


_NAMED_LIST: Final = re.compile(r"(?<=`)list: [^`]+")


def _which_of(role: Literal["output", "expected"], place: Place | None, key: str | None) -> Which:
    """A function that gives the line to write where the columns of another file are not clear."""
    file = flow_text(place.file if isinstance(place, Joined) else place)
    usual = flow_text(key or "NAME")

    def which(wanted: Role, named: Mapping[Role, str]) -> str:
        """The line that names the column of a role in another file."""
        column = named[wanted]
        if wanted == "id":
            return f"say which one: `{role}: {{file: {file}, key: {flow_text(column)}}}` under test_set"
        if wanted != role:
            return say_which(wanted, {wanted: column})
        line = f"say which one: `{role}: {{file: {file}, column: {flow_text(column)}}}` under test_set"
        return f"{line}; where each field has a column, `{role}: {{file: {file}, columns: {{all_but: [{usual}]}}}}`"

    return which
