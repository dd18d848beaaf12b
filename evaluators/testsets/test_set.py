"""The thing that a run reads: rows, the columns that play a role, and the variants of the output.

`open_test_set` looks at the beginning of every file, settles which column is what, and says so in `notes`. Everything
that is wrong with a file as a whole is raised then; what is wrong with one row waits in the row. A `TestSet` is small and
can be pickled: a worker reads on its own.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import escape, glob
from pathlib import Path
from typing import ClassVar, Final, Literal

from evaluators.issues import Blame, Fault, Issue, problem
from evaluators.model import MISSING
from evaluators.needs import Cell, Role
from evaluators.testsets.columns import Columns, guess_columns
from evaluators.testsets.config import Joined, Place, TestSetConfig
from evaluators.testsets.joining import (
    Documents,
    DocumentsByName,
    JoinedTable,
    Lookup,
    OtherFile,
    documents_in,
    id_text,
)
from evaluators.testsets.opening import open_file, open_table
from evaluators.testsets.reader import Chunk, Reader, Split, Table
from evaluators.testsets.selection import Selection, selected
from evaluators.testsets.source import Source, fingerprint, locate

ALL_ROWS: Final = Selection()


@dataclass(frozen=True)
class TestSet:
    """The rows of a run. With variants, `variant` gives the rows with one variant's outputs, and nothing else is read."""

    __test__: ClassVar[bool] = False

    name: str
    table: Table
    columns: Columns
    config: TestSetConfig
    issues: tuple[Issue, ...] = ()
    """Ids that do not fit together, for people to see; the rows concerned have faults as well."""
    variant_sets: Mapping[str, TestSet] = field(default_factory=dict)
    extra_notes: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.header

    @property
    def first_number(self) -> int:
        """The number of the first row, as a spreadsheet shows it."""
        return self.table.first_number

    @property
    def notes(self) -> tuple[str, ...]:
        """What was worked out, in sentences for people: the delimiter, the columns, the selection."""
        return (*self.table.notes, *self.extra_notes)

    @property
    def delimiter(self) -> str | None:
        """What separates the cells of the file with the rows; None where it is no CSV or TSV."""
        table: object = self.table
        while table is not None and not hasattr(table, "delimiter"):
            table = getattr(table, "table", None) or getattr(table, "base", None)
        found: str | None = getattr(table, "delimiter", None)
        return found

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants; empty when there is one output per row."""
        return tuple(self.variant_sets)

    @property
    def files(self) -> tuple[Source, ...]:
        """Every file that is read, each once."""
        every = [*self.table.files, *(source for one in self.variant_sets.values() for source in one.table.files)]
        return tuple(dict.fromkeys(every))

    def variant(self, name: str) -> TestSet:
        """The test set with the outputs of one variant."""
        return self.variant_sets[name]

    def fingerprint(self) -> str:
        """SHA-256 over the bytes of every file, as `sha256:…`."""
        return fingerprint(self.files)

    def splits(self) -> list[Split]:
        """The pieces of the rows, in order; they depend on the files alone."""
        return self.table.splits()

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one piece, with their ids. An id is empty where the row has none."""
        key = self.columns.id
        if key is None:
            yield from self.table.read(split, columns)
            return
        for chunk in self.table.read(split, list(dict.fromkeys([*columns, key]))):
            yield replace(chunk, ids=[id_text(cell) for cell in chunk.columns[key]])

    def number(self, rows_before: int, offset: int) -> int:
        """The number that a spreadsheet shows for a row, from the spans of the splits before and its own offset."""
        return self.first_number + rows_before + offset

    def place(self, number: int, column: str | None = None) -> str:
        """Where a row stands, as messages say it: `rows.csv row 12, column "expected"`."""
        return f"{self.name} row {number}" + (f', column "{column}"' if column is not None else "")


def open_test_set(
    config: TestSetConfig,
    folder: Path,
    *,
    needed: Collection[Role] = (),
    selection: Selection = ALL_ROWS,
) -> TestSet:
    """The test set that the settings name; files are relative to `folder`. `needed` are the roles that the suite reads.

    Raises Problems when a file is not there or not usable, or when it is unclear which column is what.
    """
    return _Opening(config, folder, frozenset(needed), selection).test_set()


@dataclass(frozen=True)
class _Opening:
    config: TestSetConfig
    folder: Path
    needed: frozenset[Role]
    selection: Selection

    def test_set(self) -> TestSet:
        if self.config.file is None and isinstance(self.config.expected, str):
            return self._of_documents(self.config.expected)
        reader, configured = self._rows()
        elsewhere = self._elsewhere()
        joining: frozenset[Role] = frozenset(["id"]) if elsewhere else frozenset()
        needed = (self.needed - elsewhere) | joining
        kept: dict[Role, str] = {role: column for role, column in configured.items() if role not in elsewhere}
        name = reader.source.name
        columns = guess_columns(reader.header, kept, needed=needed, name=name, knows=reader.knows)
        table: Table = reader
        issues: list[Issue] = []
        if self.config.file is not None and self.config.expected is not None:
            joined = self._joined(table, columns, "expected", self._lookup(self.config.expected, "expected"))
            issues, table, columns = joined.issues(), joined, replace(columns, expected="expected")
        return self._with_outputs(name, table, columns, issues)

    def _rows(self) -> tuple[Reader, dict[Role, str]]:
        """The file with the rows, and the columns that the settings name."""
        config, configured = self.config, self.config.columns.named()
        if config.file is not None:
            source = locate(config.file, self.folder)
            source = replace(source, encoding=config.encoding, delimiter=config.delimiter)
            return open_table(source, config.format), configured
        if isinstance(config.expected, Joined):
            named: dict[Role, str | None] = {"id": config.expected.key, "expected": config.expected.column}
            configured |= {role: column for role, column in named.items() if column is not None}
            return open_file(config.expected.file, self.folder, config.expected.format), configured
        hint = "name it on the command line, or in the suite: `test_set: {file: rows.csv}`"
        raise problem("no-test-set", "there is no test set", hint=hint)

    def _elsewhere(self) -> frozenset[Role]:
        """The roles whose cells come from another file."""
        roles: set[Role] = set()
        if self.config.output is not None or self.config.outputs is not None:
            roles.add("output")
        if self.config.file is not None and self.config.expected is not None:
            roles.add("expected")
        return frozenset(roles)

    def _with_outputs(self, name: str, table: Table, columns: Columns, issues: list[Issue]) -> TestSet:
        if self.config.output is not None:
            return self._with_output(name, table, columns, issues, self.config.output)
        if self.config.outputs is None:
            return self._finished(name, table, columns, issues)
        variants = {
            variant: self._with_output(name, table, columns, [], place) for variant, place in self._variants().items()
        }
        return self._with_variants(self._finished(name, table, columns, issues), variants)

    def _with_output(self, name: str, table: Table, columns: Columns, issues: list[Issue], place: Place) -> TestSet:
        joined = self._joined(table, columns, "output", self._lookup(place, "output"))
        return self._finished(name, joined, replace(columns, output="output"), [*issues, *joined.issues()])

    def _of_documents(self, place: str) -> TestSet:
        """Documents with documents; one expected document may serve all outputs."""
        config = self.config
        if isinstance(config.output, Joined):
            return self._with_outputs(place, self._expected_documents(place), Columns(id="id", expected="expected"), [])
        if config.output is not None:
            return self._paired(place, config.output)
        if config.outputs is None:
            hint = "name them beside it: `test_set: {expected: gold/, output: outputs/}`"
            raise problem("no-outputs", "there are expected documents, but no outputs", where=place, hint=hint)
        variants = {name: self._paired(place, other) for name, other in self._variants().items()}
        columns = Columns(id="id", expected="expected")
        return self._with_variants(self._finished(place, self._expected_documents(place), columns, []), variants)

    def _paired(self, expected: str, output: Place) -> TestSet:
        columns = Columns(id="id", expected="expected")
        if isinstance(output, Joined):
            return self._with_output(expected, self._expected_documents(expected), columns, [], output)
        rows = self._expected_documents(expected)
        serves_all = not self._path(expected).is_dir()
        if self._path(output).is_dir():
            documents = documents_in(self._path(output), output)
            if serves_all:
                rows = Documents(tuple((id, rows.rows[0][1]) for id, _ in documents))
        elif serves_all:
            documents = ((rows.rows[0][0], locate(output, self.folder)),)
        else:
            hint = "name the folder that holds one output per expected document"
            raise problem(
                "one-output", "this is one document, and the expected ones are a folder", where=output, hint=hint
            )
        joined = self._joined(rows, columns, "output", DocumentsByName(documents, output))
        return self._finished(expected, joined, replace(columns, output="output"), joined.issues())

    def _expected_documents(self, place: str) -> Documents:
        if self._path(place).is_dir():
            return Documents(documents_in(self._path(place), place))
        return Documents(((Path(place).stem, locate(place, self.folder)),))

    def _lookup(self, place: Place, role: Literal["output", "expected"]) -> Lookup:
        """Where the cells of a role come from: a folder of documents, or a column of another file."""
        if isinstance(place, str) and self._path(place).is_dir():
            return DocumentsByName(documents_in(self._path(place), place), place)
        other = Joined(file=place) if isinstance(place, str) else place
        reader = open_file(other.file, self.folder, other.format)
        named: dict[Role, str | None] = {"id": other.key, role: other.column}
        configured = {one: column for one, column in named.items() if column is not None}
        columns = guess_columns(reader.header, configured, needed=("id", role), name=other.file, knows=reader.knows)
        return OtherFile(reader, columns.id or "", columns.of(role) or "", other.file)

    def _joined(self, base: Table, columns: Columns, role: Literal["output", "expected"], lookup: Lookup) -> JoinedTable:
        absent: Cell = Fault(
            Issue(f"no-{role}-for-row", Blame.TESTSET, f"there is no {role} for this row in {lookup.name}")
        )
        if role == "output" and self.config.no_output == "fail":
            absent = MISSING
        return JoinedTable(base, columns.id or "", lookup, role, absent)

    def _variants(self) -> dict[str, Place]:
        outputs = self.config.outputs
        if isinstance(outputs, dict):
            return dict(outputs)
        pattern = outputs or ""
        inside = self._path(pattern)
        paths = inside.iterdir() if inside.is_dir() else map(Path, glob(os.path.join(escape(str(self.folder)), pattern)))
        found: dict[str, Place] = {}
        for path in sorted(path for path in paths if not path.name.startswith(".")):
            name = path.name if path.is_dir() else Path(path.name.removesuffix(".gz")).stem
            if name in found:
                message = f'two variants are called "{name}"'
                raise problem("same-variant", message, where=pattern, hint="give each a name: `outputs: {NAME: FILE, …}`")
            found[name] = str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else str(path)
        if not found:
            hint = "a folder, or a pattern such as `outputs/*.jsonl`, relative to the suite"
            raise problem("no-outputs", "no file or folder of outputs is there", where=pattern, hint=hint)
        return found

    def _path(self, place: str) -> Path:
        return self.folder / place

    def _finished(self, name: str, table: Table, columns: Columns, issues: Sequence[Issue]) -> TestSet:
        table = selected(table, self.selection, name)
        return TestSet(name, table, columns, self.config, tuple(issues), extra_notes=(columns.sentence(name),))

    def _with_variants(self, base: TestSet, variants: Mapping[str, TestSet]) -> TestSet:
        issues = [
            replace(issue, where=f"variant {name}: {issue.where}")
            for name, variant in variants.items()
            for issue in variant.issues
        ]
        return replace(base, issues=(*base.issues, *issues), variant_sets=dict(variants))
