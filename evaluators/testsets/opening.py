"""From the settings to the test set: its rows, what is joined and attached to them, the variants, and the rows that are selected.

`open_test_set` looks at the beginning of every file, settles which column is what, and says so in `notes`. Everything
that is wrong with a file as a whole is raised then. The files behind the places are opened in `place_files`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, Problems, problem
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import ROLES, Cell, Role
from evaluators.testsets.columns import (
    Columns,
    Which,
    guess_columns,
    no_such_column,
    say_which,
    say_which_in_python,
    usual_columns,
)
from evaluators.testsets.composed import with_documents, with_paths
from evaluators.testsets.corrections import corrections_among, with_corrections, without_corrections
from evaluators.testsets.derived import (
    JoinedCells,
    columns_read,
    knows,
    with_alias,
    with_attached_files,
    with_joined_column,
)
from evaluators.testsets.documents import (
    holds_documents,
    refuse_options,
)
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.memory_rows import (
    key_of_documents,
    list_in,
    listed_rows,
)
from evaluators.testsets.naming_key import ids_in, ids_spelt_otherwise, naming_columns
from evaluators.testsets.place_files import PlaceFiles, say_which_elsewhere
from evaluators.testsets.reader import OPTIONS, Reader, Table
from evaluators.testsets.run_files import without_files_of_runs
from evaluators.testsets.selection import Selection, with_selected_rows
from evaluators.testsets.table_head import NO_HEADER
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import ColumnNames, Joined, Place, TestSetConfig

ALL_ROWS: Final = Selection()
IDS_SPELT_OTHERWISE: Final = "ids-spelt-otherwise"
"""The code of the warning that no id is in both places, and that ids were paired that differ in spelling alone."""
_DOCUMENTS: Final = Columns(id="id", expected="expected")


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
    with _masked_problems(config), without_files_of_runs(results) as notes:
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
    """The opening of a test set; rows of a platform or a database are fetched into a file first, which the settings then name. `needed` are
    the roles that the suite reads, `given` are rows of a program. Raises Problems when rows cannot be fetched."""
    fetched = None
    if config.sql is not None:
        from evaluators.testsets.databases import query_rows  # few test sets are in a database

        fetched = query_rows(config.sql, config.connection, folder)
    elif config.platform is not None:
        fetched = config.platform.fetch()
    if fetched is not None:
        columns = ColumnNames(**{**fetched.roles, **config.columns.named()})
        settings = {"file": fetched.file, "format": "jsonl", "columns": columns}
        config = config.model_copy(update={**settings, **dict.fromkeys(("sql", "connection", "mlflow", "phoenix"))})
    return _Opening(PlaceFiles(config, folder, fetched or given), frozenset(needed), selection, given is not None)


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

    files: PlaceFiles
    """The places that the settings name."""
    needed: frozenset[Role]
    selection: Selection
    of_program: bool = False
    """A program gave the rows."""

    @property
    def config(self) -> TestSetConfig:
        """The settings of the test set."""
        return self.files.config

    def test_set(self) -> TestSet:
        """The test set: of rows, of documents, or of expected answers that are rows themselves."""
        config = self.config
        if config.file is not None or not isinstance(config.expected, str):
            return self._of_rows()
        if not self.files.holds_rows(config.expected):
            return self._of_documents(config.expected)
        config_of_rows = config.model_copy(update={"expected": Joined(file=config.expected)})
        return replace(self, files=replace(self.files, config=config_of_rows))._of_rows()

    def expected_alone(self) -> TestSet:
        """The expected answers without outputs, where they are documents: those of a folder, the items of a list, or one document. A file
        of rows is opened as any test set is."""
        place = self.config.expected
        if self.config.file is not None or not isinstance(place, str) or self.files.holds_rows(place):
            return self.test_set()
        rows = self.files.expected_documents(place)
        if not holds_documents(place, self.files.folder):
            source = self.files.locate(place)
            listed = list_in(source)
            if listed is not None and self.config.pair_by not in ("path", "name"):
                rows = listed_rows(source, key_of_documents([listed], self.config.columns.id))
        return self._with_selection(self._begun(place, rows))

    def _of_rows(self) -> TestSet:
        """The test set of a file of rows, with expected answers and outputs from elsewhere joined to it."""
        config = self.config
        if config.pair_by == "position":
            message = "rows of files are paired by their ids, and `pair_by: position` is for lists of documents"
            hint = "leave it out, and give both files a column with the same ids"
            raise problem("bad-pairing", message, where=self.files.shown_name(_file_of_rows(config)), hint=hint)
        reader, configured = self._rows()
        expected = config.expected if config.file is not None else _of_same_rows(config.expected)
        outputs = [config.output] if config.output is not None else list(self.files.variants().values())
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
        which = (
            self._which_of_rows()
            if config.file is not None
            else say_which_elsewhere("expected", config.expected, key, table.header)
        )
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
        return partial(say_which, file=self.config.bare_file if self.files.fetched is None else None)

    def _id_by(self, table: Table, places: Iterable[Place]) -> dict[Role, str]:
        """The column of the rows that names them as cells elsewhere are named, where there is one."""
        for place in places:
            naming = naming_columns(table, table.header, *self.files.naming_cells(place))
            if naming is not None:
                return {"id": naming[0]}
        return {}

    def _rows(self) -> tuple[Reader, dict[Role, str]]:
        """The file with the rows, and the columns that the settings name, by role: `file`, or else the file of `expected`. Raises Problems
        where the settings name neither."""
        config, configured = self.config, self.config.columns.named()
        if config.file is not None:
            reader = self.files.reader(config)
            if self.files.fetched is not None and self.files.fetched.header is not None:
                reader = replace(
                    reader, header=self.files.fetched.header, notes=(*reader.notes, *self.files.fetched.notes)
                )
            return reader, configured
        if isinstance(config.expected, Joined) and config.expected.file is not None:
            return self.files.reader(config.expected), configured | config.expected.named("expected")
        hint = "name it on the command line, or in the suite: `test_set: {file: rows.csv}`"
        raise problem("no-test-set", "there is no test set", hint=hint)

    def _with_outputs(self, begun: TestSet) -> TestSet:
        """The test set with its outputs, where the settings name a place for them, and else with those of each variant. Raises Problems
        with what is wrong with the places, of all variants together."""
        if self.config.output is not None:
            return self._with_selection(self._with_cells(begun, "output", self.config.output))
        places = self.files.variants()
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
            return self._joined(begun, role, self.files.cells_elsewhere(place, role, begun))
        columns = replace(begun.columns, **{role: role})
        if place.columns is not None:
            taken = self._no_fields(begun)
            documents = with_documents(begun.table, place, role, taken, self.config.empty_expected, begun.name)
            return replace(begun, table=documents, columns=columns)
        column = place.column or ""
        table = with_paths(begun.table, [column], begun.name)
        if not knows(table, column):
            raise Problems([no_such_column(column, begun.table.header, begun.name)])
        return replace(begun, table=with_alias(table, column, role), columns=columns)

    def _no_fields(self, begun: TestSet) -> set[str]:
        """The columns of rows that play a role, hold an attached file, or are named for the other side."""
        config = self.config
        outputs = config.outputs.values() if isinstance(config.outputs, dict) else (config.output,)
        named = (column for place in (*outputs, config.expected) for column in _columns_named(place))
        roles = (begun.columns.of(role) for role in ROLES)
        return {*named, *filter(None, roles), *columns_read(begun.table), *config.attach}

    def _of_documents(self, path: str) -> TestSet:
        """The test set of expected documents paired with output documents. One expected document may serve all outputs."""
        options = [option for option in OPTIONS if getattr(self.config, option) is not None]
        refuse_options(options, (), self.files.shown_name(path), "documents")
        if self.config.output is not None:
            return self._with_paired_outputs(path, self.config.output)
        if self.config.outputs is None:
            hint = "name them beside it: `test_set: {expected: gold/, output: outputs/}`"
            raise problem("no-outputs", "there are expected documents, but no outputs", where=path, hint=hint)
        variants = {name: self._with_paired_outputs(path, other) for name, other in self.files.variants().items()}
        rows = self.files.expected_documents(path)
        return _with_variants(self._with_selection(self._begun(path, rows)), variants)

    def _with_paired_outputs(self, expected: str, output: Place) -> TestSet:
        """The test set of expected documents with their outputs from one place."""
        if not isinstance(output, str):
            table_begun = self._begun(expected, self.files.expected_documents(expected))
            return self._with_selection(self._with_cells(table_begun, "output", output))
        rows, outputs, warnings = self.files.paired_rows(expected, output)
        lookup = JoinedCells(outputs, "id", "expected", outputs.name)
        table_begun = self._begun(expected, rows)
        table_begun = replace(table_begun, warnings=(*table_begun.warnings, *warnings))
        return self._with_selection(self._joined(table_begun, "output", lookup))

    def _joined(self, begun: TestSet, role: Literal["output", "expected"], lookup: JoinedCells) -> TestSet:
        """The test set with the cells of one role joined to its rows by id, and the issues of ids without a partner. An output that is not
        there is a fault, unless the settings let it count 0. Where no id has a partner, ids that are only spelt otherwise are paired, with
        a warning."""
        message = f"there is no {role} for this row in {lookup.name}"
        absent: Cell = CellError(Issue(f"no-{role}-for-row", Blame.TESTSET, message))
        if role == "output" and self.config.no_output == "fail":
            absent = MISSING
        key = begun.columns.id or ""
        table, issues, warnings = with_joined_column(begun.table, key, lookup, role, absent)
        alike = None
        if any(issue.code == f"no-{role}-for-row" for issue in (*issues, *warnings)):
            alike = ids_spelt_otherwise(ids_in(begun.table, key), ids_in(lookup.table, lookup.key))
        if alike is not None:
            table, issues, warnings = with_joined_column(begun.table, key, replace(lookup, bare=True), role, absent)
            differ = "folders and endings of files, zeros or capitals"
            message = f"no id is in both {begun.name} and {lookup.name}, so ids are paired that differ only in {differ}: "
            message += f'"{alike[0]}" with "{alike[1]}"'
            warnings = [
                Issue(IDS_SPELT_OTHERWISE, Blame.TESTSET, message, lookup.name, "to review: look at one pair"),
                *warnings,
            ]
        columns = replace(begun.columns, **{role: role})
        issues, warnings = [*begun.issues, *issues], [*begun.warnings, *warnings]
        return replace(begun, table=table, columns=columns, issues=tuple(issues), warnings=tuple(warnings))

    def _begun(self, name: str, table: Table, columns: Columns = _DOCUMENTS) -> TestSet:
        """A test set with the columns of attached files, before outputs are joined to it."""
        table = with_attached_files(table, self.config.attach, self.files.folder, name)
        fetched = self.files.fetched
        unrepeatable = None if fetched is None else fetched.unrepeatable
        warnings = () if fetched is None else fetched.warnings
        return TestSet(
            name, table, columns, self.config, warnings=warnings, unrepeatable=unrepeatable, fetched=fetched is not None
        )

    def _with_selection(self, begun: TestSet) -> TestSet:
        """The test set with corrected answers and only the selected rows, and a note that says which column is what."""
        begun, standing = self._with_corrections(begun)
        table, corrections, columns = (
            with_selected_rows(begun.table, self.selection, begun.name),
            begun.corrections,
            begun.columns,
        )
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
        table, applied, standing = with_corrections(begun.table, key, expected, self.files.locate(file))
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


def _file_of_rows(config: TestSetConfig) -> str:
    """The file that holds the rows: that of the test set, or of its expected answers."""
    return config.file or (config.expected.file if isinstance(config.expected, Joined) else None) or ""


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
