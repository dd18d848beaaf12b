"""The settings under `test_set:`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from msgspec.structs import replace
from pydantic import AfterValidator, Field, field_validator, model_validator

from evaluators.needs import ROLES, Role
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, Name, ReadBy, Settings, bad, build
from evaluators.testsets.byte_source import STANDARD_INPUT, ByteSource
from evaluators.testsets.byte_store import at
from evaluators.testsets.columns import DELIMITERS
from evaluators.testsets.reader import READERS
from evaluators.values.files import as_file_name, shown, why_no_file_name
from evaluators.values.json_choice import Pick

if TYPE_CHECKING:
    from evaluators.testsets.platforms.fetching import PlatformRows


def _known_format(name: str) -> str:
    if name not in READERS:
        known = READERS.names()
        raise bad(f'unknown format "{name}"', hint=suggestion(name, known) or f"known: {', '.join(known)}")
    return name


def _elsewhere(module: str, model: str, schema: str) -> ReadBy:
    """Reads settings of rows that are in no file. Few suites have some: their model is imported then."""

    def read(data: Any, context: Mapping[str, Any]) -> Any:
        return None if data is None else build(getattr(import_module(module), model), data)

    return ReadBy(read, schema)


Format: TypeAlias = Annotated[str, AfterValidator(_known_format)]
MLflow: TypeAlias = Annotated[Any, _elsewhere("evaluators.testsets.platforms.mlflow", "MLflowRows", "mlflow_rows")]
Phoenix: TypeAlias = Annotated[Any, _elsewhere("evaluators.testsets.platforms.phoenix", "PhoenixRows", "phoenix_rows")]
Connection: TypeAlias = Annotated[
    Any, _elsewhere("evaluators.testsets.query_settings", "DatabaseConnection", "database_connection")
]
RowNumber: TypeAlias = Annotated[int, Field(strict=True, ge=1)]


class ColumnNames(Settings):
    """The columns of the four roles, where their names are not the usual ones."""

    id: Name | None = None
    """Names a row."""
    input: Name | None = None
    """What the model was given."""
    output: Name | None = None
    """What the model answered."""
    expected: Name | None = None
    """What it should have answered."""

    def named(self) -> dict[Role, str]:
        """The columns that are named."""
        return {role: column for role in ROLES if (column := getattr(self, role)) is not None}


class Joined(Settings):
    """A column of another file, joined to the rows by id; without `file`, a column of the same rows."""

    file: Name | None = None
    """The other file, relative to the suite; the rows' own file without it."""
    key: Name | None = None
    """The column of the other file that holds the id of the row; guessed from usual names without it."""
    column: Name | None = None
    """The column to take; guessed from usual names without it."""
    format: Format | None = None
    """csv, tsv, jsonl, json, parquet or xlsx; goes by the file's name without it."""

    sheet: Name | None = None
    """The sheet of a workbook of Excel; the first that is not hidden without it."""
    header_row: RowNumber | None = None
    """The row of the sheet that has the names of the columns; the first that has anything in it without it."""

    def named(self, role: Role) -> dict[Role, str]:
        """The columns that the settings name: that of the id, and that of the given role."""
        named: dict[Role, str | None] = {"id": self.key, role: self.column}
        return {one: column for one, column in named.items() if column is not None}

    @model_validator(mode="after")
    def _of_some_file(self) -> Self:
        if self.file is None and self.column is None:
            raise bad('a "file" or a "column" must be named', hint="{column: NAME} is a column of the rows themselves")
        if self.file is None and any(one is not None for one in (self.key, self.format, self.sheet, self.header_row)):
            message = '"key", "format", "sheet" and "header_row" belong to another "file"'
            raise bad(message, hint="name the file, or keep `column` alone")
        return self


Place = Name | Joined
"""A folder, a pattern or a document, or a column of another file."""


class TestSetConfig(Settings):
    """The data that a suite runs on. A text alone is the name of a file."""

    __test__: ClassVar[bool] = False

    file: Name | None = None
    """The file with the rows, relative to the suite; `-` is standard input."""
    mlflow: MLflow = None
    """Outputs that live in MLflow, in place of a file: the table of a run, or traces."""
    phoenix: Phoenix = None
    """Outputs that live in Phoenix, in place of a file: an experiment, a dataset, or traces."""
    sql: Name | None = None
    """A statement whose rows are the test set, in place of a file: `select id, output, expected from answers order by id`."""
    connection: Connection = None
    """The database that `sql` is asked of."""
    format: Format | None = None
    """csv, tsv, jsonl, json, parquet or xlsx; goes by the file's name without it."""
    encoding: str | None = None
    """The encoding of a CSV or TSV file, such as cp1252 for one saved on Windows; UTF-8, or what the file seems to be, without it."""
    delimiter: str | None = None
    """What separates the cells of a CSV file: a character, or comma, semicolon, tab, bar; worked out without it."""
    sheet: Name | None = None
    """The sheet of a workbook of Excel; the first that is not hidden without it."""
    header_row: RowNumber | None = None
    """The row of the sheet that has the names of the columns; the first that has anything in it without it."""
    most_unpacked_gib: float | None = Field(default=None, gt=0, strict=True)
    """How many gigabytes (of 2^30 bytes) a compressed file or a Parquet file may unpack to, before reading it ends: 16 without it,
    and 1 for a workbook of Excel."""
    columns: ColumnNames = Field(default_factory=ColumnNames.model_construct)
    """Which columns play which role."""
    unreadable_output: Literal["fail", "skip"] = "fail"
    """What an output without usable JSON counts: 0.0, or nothing."""
    empty_expected: Literal["invalid", "value"] = "invalid"
    """What an expected cell without an answer is for evaluators that compare text: the test set's mistake, or the empty
    text. Empty is a cell with nothing or only spaces in it, null, and a row without the key."""
    parse: Literal["lenient", "strict"] = "lenient"
    """Whether JSON is found inside prose and fences, or must be all there is."""
    pick: Pick = "fitting"
    """Which JSON document of an output counts where it holds several: `fitting`, `first`, `last`, `largest`, or `only`."""
    expected: Place | None = None
    """The expected answers, when they are documents (a folder, a pattern or one file) or a column of another file."""
    output: Place | None = None
    """The outputs, when they are documents (a folder, a pattern or one file) or a column of another file."""
    outputs: Name | dict[Name, Place] | None = None
    """Outputs of several variants: names with a file, folder or column each, or a folder or pattern that holds them all."""
    pair_by: Literal["path", "name", "position"] | None = None
    """What pairs documents: their paths, their file names alone, or, for two lists of documents, their places."""
    attach: dict[Name, Name] = Field(default_factory=dict)
    """Further columns, each with the text of a file, found by the row's cells: `{schema: "schemas/{folder}.json"}`."""
    no_output: Literal["invalid", "fail"] = "invalid"
    """What a row counts that has no output among joined outputs: nothing (the test set is to blame), or 0.0."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return {"file": data} if isinstance(data, str) else data

    @field_validator("sql")
    @classmethod
    def _a_query(cls, statement: str | None) -> str | None:
        if statement is not None:
            from evaluators.testsets.query_settings import why_not_a_query  # few suites ask a database

            if (why := why_not_a_query(statement)) is not None:
                raise bad(f'"sql" cannot be run: {why}')
        return statement

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, text: str | None) -> str | None:
        character = None if text is None else {**DELIMITERS, "\\t": "\t"}.get(text, text)
        if character is not None and (len(character) != 1 or character in '"\r\n'):
            raise bad(f'"delimiter" must be one character; found "{text}"', hint="for a tab write: tab")
        return character

    @field_validator("outputs")
    @classmethod
    def _names_of_files(cls, outputs: Name | dict[Name, Place] | None) -> Name | dict[Name, Place] | None:
        names = outputs if isinstance(outputs, dict) else ()
        if details := [wrong for name in names if (wrong := variant_name(name)) is not None]:
            raise BadSettings(details)
        return outputs

    @property
    def platform(self) -> PlatformRows | None:
        """Where the rows are fetched from; None where they are in files."""
        found: PlatformRows | None = self.mlflow or self.phoenix
        return found

    @model_validator(mode="after")
    def _of_one_place(self) -> Self:
        places = [name for name in ("file", "mlflow", "phoenix", "sql") if getattr(self, name) is not None]
        if len(places) > 1:
            raise bad(f'the rows are named twice: "{places[0]}" and "{places[1]}"', hint="keep one of them")
        if self.sql is not None and self.connection is None:
            raise bad('"sql" needs a "connection"', hint="connection: {env: DATABASE_URL}, or {sqlite: rows.db}")
        if self.connection is not None and self.sql is None:
            raise bad('"connection" belongs to "sql"', hint="sql: select … order by id")
        return self

    @model_validator(mode="after")
    def _once(self) -> Self:
        if self.output is not None and self.outputs is not None:
            raise bad('"output" and "outputs" cannot be together', hint="with several variants keep `outputs`")
        for role, elsewhere in (("output", self.output or self.outputs), ("expected", self.file and self.expected)):
            if elsewhere is not None and getattr(self.columns, role) is not None:
                raise bad(f'the {role} is named twice: under "columns", and as "{role}"', hint="keep one of them")
        for role, place in (("output", self.output), ("expected", self.expected)):
            if isinstance(place, Joined) and place.file is None:
                hint = f"write `columns: {{{role}: {place.column}}}`"
                raise bad(f'"{role}" names a column of the rows themselves', hint=hint)
        if isinstance(self.outputs, dict) and not self.outputs:
            raise bad('"outputs" must not be empty')
        return self

    def reads(self, source: ByteSource) -> ByteSource:
        """The file with the settings that say how it is read: encoding, delimiter, sheet, header row."""
        return replace(
            source,
            most_unpacked_gib=self.most_unpacked_gib,
            encoding=self.encoding or "",
            delimiter=self.delimiter,
            sheet=self.sheet,
            header_row=self.header_row,
        )

    def but(self, changes: Mapping[str, Any]) -> TestSetConfig:
        """The settings with some of them replaced. Raises BadSettings when they do not go together."""
        return build(TestSetConfig, {**self.model_dump(exclude_unset=True), **changes}, noun="test_set")

    def moved(self, folder: Path) -> TestSetConfig:
        """The settings with their places, which are relative to `folder`, made relative to the working folder."""
        changes = {name: _moved(getattr(self, name), folder) for name in PLACES if getattr(self, name)}
        if self.connection is not None and self.connection.sqlite is not None:
            place = _moved(self.connection.sqlite, folder)
            changes["connection"] = self.connection.model_copy(update={"sqlite": place})
        return self.model_copy(update=changes)


PLACES: Final = ("file", "expected", "output", "outputs", "attach")
"""The settings that name files and folders."""


def variant_name(name: str) -> Detail | None:
    """What is wrong with the name of a variant, which becomes part of the names of its files."""
    why = why_no_file_name(name)
    if why is None:
        return None
    message = f'"{shown(name)}" cannot be the name of a variant, which has files of its name: it {why}'
    return Detail((name,), message, f'call it "{shown(as_file_name(name))}"', key=True, code="variant-name")


def _moved(place: Any, folder: Path) -> Any:
    if isinstance(place, Joined):
        return place if place.file is None else place.model_copy(update={"file": _moved(place.file, folder)})
    if isinstance(place, Mapping):
        return {name: _moved(one, folder) for name, one in place.items()}
    return place if place == STANDARD_INPUT else at(folder, place)


def read_test_set(data: Any, context: Mapping[str, Any]) -> TestSetConfig:
    """The settings under `test_set`."""
    return build(TestSetConfig, data, noun="test_set")
