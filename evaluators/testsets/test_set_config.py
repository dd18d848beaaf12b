"""The settings under `test_set:`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from msgspec.structs import replace
from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, Detail, Name, ReadBy, Settings, bad, build, spell
from evaluators.scoring.needs import ROLES, Role
from evaluators.scoring.values.file_names import as_file_name, clip_name, why_no_file_name
from evaluators.scoring.values.json_choice import Pick
from evaluators.scoring.values.paths import BadPath
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.testsets.byte_source import STANDARD_INPUT, ByteSource
from evaluators.testsets.byte_store import resolve_place
from evaluators.testsets.columns import DELIMITERS
from evaluators.testsets.reader import OPTIONS, READERS

if TYPE_CHECKING:
    from evaluators.testsets.platforms.fetching import PlatformRows


def _known_format(name: str) -> str:
    """The name of a format, unchanged. Raises BadSettings, with the nearest known one, where no reader has that name."""
    if name not in READERS:
        known = READERS.names()
        raise bad(f'unknown format "{name}"', hint=suggestion(name, known) or f"known: {', '.join(known)}")
    return name


def _read_by_model(module: str, model: str, schema: str) -> ReadBy:
    """A way to read settings by a model of another module, which is imported when a suite has such settings: few do. `schema` is the name
    of their part of the schema for suites."""

    def read(data: Any, context: Mapping[str, Any]) -> Any:
        """The settings as the model has them; None where there are none."""
        return None if data is None else build(getattr(import_module(module), model), data)

    return ReadBy(read, schema)


Format: TypeAlias = Annotated[str, AfterValidator(_known_format)]
MLflow: TypeAlias = Annotated[Any, _read_by_model("evaluators.testsets.platforms.mlflow", "MLflowRows", "mlflow_rows")]
Phoenix: TypeAlias = Annotated[
    Any, _read_by_model("evaluators.testsets.platforms.phoenix", "PhoenixRows", "phoenix_rows")
]
Connection: TypeAlias = Annotated[
    Any, _read_by_model("evaluators.testsets.query_settings", "DatabaseConnection", "database_connection")
]
RowNumber: TypeAlias = Annotated[int, Field(strict=True, ge=1)]


class ColumnNames(Settings):
    """The columns of the four roles, where their names are not the usual ones."""

    id: Name | None = None
    """Names a row. A text with columns in braces is made of several: `"{doc}/{page}"`."""
    input: Name | None = None
    """What the model was given."""
    output: Name | None = None
    """What the model answered."""
    expected: Name | None = None
    """What it should have answered."""

    def named(self) -> dict[Role, str]:
        """The columns that are named, by role, in the order of roles."""
        return {role: column for role in ROLES if (column := getattr(self, role)) is not None}


class AllBut(Settings):
    """Every column is a field of its own name, but these, and those that play another role."""

    all_but: list[Name]
    """The columns that are no fields."""


def field_keys(field: str) -> tuple[str, ...]:
    """The keys that lead to a field of a document: `address.city` has two. Raises BadSettings for a path that is none of keys."""
    hint = "a field is a key, or keys joined by dots: address.city"
    try:
        path = parse_path(field)
    except BadPath as error:
        raise bad(f'"{field}" is no path of a field: {error.message}', hint=error.hint or hint) from None
    first, *rest = path.steps or (None,)
    if not path.definite or first is None or any(not isinstance(step, str) for step in rest):
        raise bad(f'"{field}" is no path of a field: it does not go by keys alone', hint=hint)
    return tuple(map(str, path.steps))


def _field_problems(fields: Iterable[str]) -> Iterator[Detail]:
    """The problems of fields that are no paths of keys, or that cannot stand beside an earlier one: the same field, or one that lies inside
    the other."""
    known: dict[tuple[str, ...], str] = {}
    for field in fields:
        try:
            keys = field_keys(field)
        except BadSettings as error:
            yield from (replace(detail, loc=(field,), key=True) for detail in error.details)
            continue
        for other, written in known.items():
            if keys[: len(other)] == other or other[: len(keys)] == keys:
                how = "are the same field" if keys == other else "cannot both be there: one lies inside the other"
                yield Detail((field,), f'"{written}" and "{field}" {how}', "leave one of them out", key=True)
        known.setdefault(keys, field)


def _checked_field_columns(data: object) -> object:
    """The data, unchanged. Raises BadSettings for what names neither a column for each field nor the columns that are no fields."""
    if isinstance(data, AllBut):
        return data
    hint = "write `columns: {FIELD: COLUMN, …}`, or `columns: {all_but: [id, note]}`"
    if isinstance(data, Mapping) and not data:
        raise bad('"columns" names no field', hint=hint)
    if not isinstance(data, Mapping):
        raise bad(f'"columns" must be a map from a field to its column; found {spell(data)}', hint=hint)
    if isinstance(data.get("all_but"), list | tuple):
        if len(data) > 1:
            other = next(str(name) for name in data if name != "all_but")
            message = f'"all_but" takes every other column, so "{other}" cannot stand beside it'
            raise bad(message, hint="keep `all_but`, or write all fields with their columns")
        return data
    if "all_but" in data:
        hint = f"write `all_but: [{data['all_but']}]`; a field of that name is written `'[\"all_but\"]': COLUMN`"
        raise BadSettings([Detail(("all_but",), '"all_but" must be a list of columns', hint)])
    for field, column in data.items():
        if not isinstance(column, str) or not column:
            message = f'the column of the field "{field}" must be a name; found {spell(column)}'
            raise BadSettings([Detail((field,), message, hint)])
    if details := list(_field_problems(map(str, data))):
        raise BadSettings(details)
    return data


class Joined(Settings):
    """A column of another file, joined to the rows by id, or a document of several columns; without `file`, of the same rows."""

    file: Name | None = None
    """The other file, relative to the suite; the rows' own file without it."""
    key: Name | None = None
    """The column of the other file that holds the id of the row, or a text of several, `"{doc}/{page}"`; guessed from usual names, and
    from the columns of the row's own id, without it."""
    column: Name | None = None
    """The column to take, or a path into one; guessed from usual names without it."""
    columns: Annotated[AllBut | dict[Name, Name], BeforeValidator(_checked_field_columns)] | None = None
    """Where each field has a column of its own: field → column, `{vendor: vendor, total: total_gold}`, or `{all_but: [id, note]}`.
    A field is a path in dots: `address.city`. The text of a cell is compared as the field's comparator reads it."""
    empty_cells: Literal["absent", "text"] = "absent"
    """What an empty cell of `columns` is: a field that is not there, or what stands in it. Empty is nothing, only spaces, and null."""
    format: Format | None = None
    """csv, tsv, jsonl, json, parquet or xlsx; goes by the file's name without it."""

    sheet: Name | None = None
    """The sheet of a workbook of Excel; the first that is not hidden without it."""
    header_row: RowNumber | None = None
    """The row that has the names of the columns, in CSV and TSV files and workbooks; the first that has anything in it without it."""
    list: Name | None = None
    """The list that holds the rows, in a JSON file with several: its key, or a path."""

    def named(self, role: Role) -> dict[Role, str]:
        """The columns that the settings name: that of the id, and that of the given role."""
        named: dict[Role, str | None] = {"id": self.key, role: self.column}
        return {role: column for role, column in named.items() if column is not None}

    @model_validator(mode="after")
    def _check_settings(self) -> Self:
        """Refuses settings that name nothing, or go with another setting."""
        if self.file is None and self.column is None and self.columns is None:
            raise bad('a "file" or a "column" must be named', hint="{column: NAME} is a column of the rows themselves")
        if self.column is not None and self.columns is not None:
            raise bad('"column" and "columns" cannot be together', hint="keep `columns`, which says where each field is")
        if self.columns is None and self.empty_cells != "absent":
            raise bad('"empty_cells" belongs to "columns"', hint="columns: {FIELD: COLUMN, …}")
        of_files = (self.key, self.format, self.sheet, self.header_row, self.list)
        if self.file is None and any(file is not None for file in of_files):
            message = '"key", "format", "sheet", "header_row" and "list" belong to another "file"'
            raise bad(message, hint=f"name the file, or keep `{'column' if self.columns is None else 'columns'}` alone")
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
    """The row that has the names of the columns, in CSV and TSV files and workbooks; the first that has anything in it without it."""
    list: Name | None = None
    """The list that holds the rows, in a JSON file with several: its key, such as `samples`, or a path."""
    most_unpacked_gib: float | None = Field(default=None, gt=0, strict=True)
    """How many gigabytes (of 2^30 bytes) a compressed file or a Parquet file may unpack to, before reading it ends: 16 without it,
    and 1 for a workbook of Excel."""
    columns: ColumnNames = Field(default_factory=ColumnNames.model_construct)
    """Which columns play which role. A path such as `outputs.answer` leads into the JSON of a column."""
    unreadable_output: Literal["fail", "skip"] = "fail"
    """What an output without usable JSON counts: 0.0, or nothing."""
    empty_expected: Literal["invalid", "value"] = "invalid"
    """What an expected cell without an answer is for evaluators that compare text: the test set's mistake, or the empty
    text. Empty is a cell with nothing or only spaces in it, null, and a row without the key. With `value`, an output whose
    columns for fields are all empty is the document `{}`."""
    parse: Literal["lenient", "strict"] = "lenient"
    """Whether JSON is found inside prose and fences, or must be all there is."""
    pick: Pick = "fitting"
    """Which JSON document of an output counts where it holds several: `fitting`, `first`, `last`, `largest`, `only`, or `all`
    as a list."""
    expected: Place | None = None
    """The expected answers, when they are documents (a folder, a pattern or one file), a column of another file, or have a column
    for each field: `{columns: {vendor: vendor, total: total_gold}}`."""
    output: Place | None = None
    """The outputs, when they are documents (a folder, a pattern or one file) or a column of another file."""
    outputs: Name | dict[Name, Place] | None = None
    """Outputs of several variants: names with a file, folder or column each, or a folder or pattern that holds them all."""
    pair_by: Literal["path", "name", "position"] | None = None
    """What pairs documents: their paths, their file names alone, or, for two lists of documents, their places."""
    attach: dict[Name, Name] = Field(default_factory=dict)
    """Further columns, each with the text of a file, found by the row's cells: `{schema: "schemas/{folder}.json"}`."""
    corrections: Name | None = None
    """A file of corrected expected answers, a JSON object a line: `{"id": "17", "path": "total", "old": 12, "new": 12.5, "reason": "…"}`.
    Rows need ids. A correction whose old value no longer stands there is not made, and that is said."""
    no_output: Literal["invalid", "fail"] = "invalid"
    """What a row counts that has no output among joined outputs: nothing (the test set is to blame), or 0.0."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        """The settings as a map; a text alone names the file."""
        return {"file": data} if isinstance(data, str) else data

    @field_validator("sql")
    @classmethod
    def _check_query(cls, statement: str | None) -> str | None:
        """The statement, unchanged. Refuses one that is no query."""
        if statement is not None:
            from evaluators.testsets.query_settings import why_not_a_query  # few suites ask a database

            if (why := why_not_a_query(statement)) is not None:
                raise bad(f'"sql" cannot be run: {why}')
        return statement

    @field_validator("delimiter")
    @classmethod
    def _as_character(cls, text: str | None) -> str | None:
        """The delimiter as its character; words for it, such as `tab`, are known. Refuses anything longer, quotation marks and line
        breaks."""
        character = None if text is None else {**DELIMITERS, "\\t": "\t"}.get(text, text)
        if character is not None and (len(character) != 1 or character in '"\r\n'):
            raise bad(f'"delimiter" must be one character; found "{text}"', hint="for a tab write: tab")
        return character

    @field_validator("outputs")
    @classmethod
    def _check_variant_names(cls, outputs: Name | dict[Name, Place] | None) -> Name | dict[Name, Place] | None:
        """The outputs, unchanged. Refuses names of variants that cannot be part of a file's name."""
        names = outputs if isinstance(outputs, dict) else ()
        if details := [wrong for name in names if (wrong := variant_name_problem(name)) is not None]:
            raise BadSettings(details)
        return outputs

    @property
    def platform(self) -> PlatformRows | None:
        """The platform that rows are fetched from; None where they are in files."""
        platform: PlatformRows | None = self.mlflow or self.phoenix
        return platform

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        """Refuses rows that are named twice, and settings that go with another place."""
        places = [name for name in ("file", "mlflow", "phoenix", "sql") if getattr(self, name) is not None]
        if len(places) > 1:
            raise bad(f'the rows are named twice: "{places[0]}" and "{places[1]}"', hint="keep one of them")
        read = next((option for option in ("format", *OPTIONS) if getattr(self, option) is not None), None)
        if read is not None and places and places != ["file"]:
            raise bad(
                f'"{read}" says how a file is read, and the rows come from "{places[0]}"', hint=f"leave out `{read}`"
            )
        if self.sql is not None and self.connection is None:
            raise bad('"sql" needs a "connection"', hint="connection: {env: DATABASE_URL}, or {sqlite: rows.db}")
        if self.connection is not None and self.sql is None:
            raise bad('"connection" belongs to "sql"', hint="sql: select … order by id")
        return self

    @model_validator(mode="after")
    def _check_once(self) -> Self:
        """Refuses outputs and expected answers that are named twice, a joined column without a file or columns of its own, and empty
        `outputs`."""
        if self.output is not None and self.outputs is not None:
            raise bad('"output" and "outputs" cannot be together', hint="with several variants keep `outputs`")
        of_rows = self.file is not None or (isinstance(self.expected, Joined) and self.expected.columns is not None)
        for role, elsewhere in (
            ("output", self.output or self.outputs),
            ("expected", self.expected if of_rows else None),
        ):
            if elsewhere is not None and getattr(self.columns, role) is not None:
                raise bad(f'the {role} is named twice: under "columns", and as "{role}"', hint="keep one of them")
        for role, place in (("output", self.output), ("expected", self.expected)):
            if isinstance(place, Joined) and place.file is None and place.columns is None:
                hint = f"write `columns: {{{role}: {place.column}}}`"
                raise bad(f'"{role}" names a column of the rows themselves', hint=hint)
        if isinstance(self.outputs, dict) and not self.outputs:
            raise bad('"outputs" must not be empty')
        return self

    @property
    def bare_file(self) -> str | None:
        """The file as the suite writes it, where the settings say no more than that, and columns."""
        bare = self.model_dump(exclude_defaults=True).keys() <= {"file", "columns"}
        return self.written(self.file) if bare else None

    def with_reading_settings(self, source: ByteSource) -> ByteSource:
        """The file with the settings that say how it is read: encoding, delimiter, sheet, header row."""
        return replace(
            source,
            most_unpacked_gib=self.most_unpacked_gib,
            encoding=self.encoding or "",
            delimiter=self.delimiter,
            sheet=self.sheet,
            header_row=self.header_row,
            list=self.list,
        )

    def but(self, changes: Mapping[str, Any]) -> TestSetConfig:
        """The settings with some of them replaced. Raises BadSettings when they do not go together."""
        return build(TestSetConfig, {**self.model_dump(exclude_unset=True), **changes}, noun="test_set")

    def resolved_from(self, folder: Path) -> TestSetConfig:
        """The settings with their places, which are relative to `folder`, made relative to the working folder."""
        changes = {name: _resolved_place(getattr(self, name), folder) for name in PLACES if getattr(self, name)}
        if self.connection is not None and self.connection.sqlite is not None:
            place = _resolved_place(self.connection.sqlite, folder)
            changes["connection"] = self.connection.model_copy(update={"sqlite": place})
        return self.model_copy(update=changes)


PLACES: Final = ("file", "expected", "output", "outputs", "attach", "corrections")
"""The settings that name files and folders."""


def variant_name_problem(name: str) -> Detail | None:
    """The problem of the name of a variant, which becomes part of the names of its files; None for a name that can be."""
    why = why_no_file_name(name)
    if why is None:
        return None
    message = f'"{clip_name(name)}" cannot be the name of a variant, which has files of its name: it {why}'
    return Detail((name,), message, f'call it "{clip_name(as_file_name(name))}"', key=True, code="variant-name")


def _resolved_place(place: Any, folder: Path) -> Any:
    """A place that is relative to `folder` as one from the working folder; also for the place in a `Joined` and for maps of places."""
    if isinstance(place, Joined):
        return place if place.file is None else place.model_copy(update={"file": _resolved_place(place.file, folder)})
    if isinstance(place, Mapping):
        return {name: _resolved_place(inner, folder) for name, inner in place.items()}
    return place if place == STANDARD_INPUT else resolve_place(folder, place)


def read_test_set(data: Any, context: Mapping[str, Any]) -> TestSetConfig:
    """The settings under `test_set`, read from plain data. Raises BadSettings for bad ones."""
    return build(TestSetConfig, data, noun="test_set")
