"""What an evaluator needs of a row, and how each need is read from a cell.

Equal needs are equal values, so that the graph merges them and a cell is parsed once. Reading never raises: a cell that
cannot give what is needed gives a `CellError` that says why and whose move it is.

`when`: which rows, or which fields of a row, a check is for. Conditions are data, never code.

A condition is a reference with a literal, a list of literals, or `{present: true}`. A boolean or a number also fits a text cell
that reads as it. References are `row.COLUMN`,
`output.PATH` and `expected.PATH`. All the conditions of a `when` must hold. A path that leads to several places holds
when one of the values there does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Struct
from pydantic import BeforeValidator

from evaluators.model.issues import Blame, CellError, Issue, RowProblem
from evaluators.model.limits import limits_here
from evaluators.model.rows import JSON, MISSING, Missing
from evaluators.model.settings import BadSettings, Detail, Name, Settings, bad, build, read_each, spell
from evaluators.model.settings.plain_words import quotes_hint
from evaluators.scoring.values import json_choice, json_documents, json_text
from evaluators.scoring.values.cell_words import fits, nearly_fits
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.json_choice import LENIENT, PickedDocument, Search, Want
from evaluators.scoring.values.json_documents import FoundDocuments
from evaluators.scoring.values.json_reader import is_nested_deeper, too_deep_message
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.paths import BadPath, Path
from evaluators.scoring.values.paths import parse as parse_path
from evaluators.scoring.values.patterns import compile_pattern
from evaluators.scoring.values.quoting import kind

Role: TypeAlias = Literal["id", "input", "output", "expected"]
ROLES: Final[tuple[Role, ...]] = ("id", "input", "output", "expected")
Wanted: TypeAlias = Literal["object", "array", "container", "any", "like_expected"]


class Column(Struct, frozen=True):
    """A cell as it stands: text, or a JSON value where the file holds one.

    `name` is a role (id, input, output, expected) unless `literal`, and then it is the name of a column, which may
    still play a role.
    """

    name: str
    literal: bool = False
    role: Role | None = None
    at: str | None = None
    """The path of the document in the cell's JSON that is read in place of the cell."""

    @property
    def without_path(self) -> Column:
        """The same column without the path `at`: the cell in which that path is looked up."""
        return Column(self.name, self.literal, self.role)

    @property
    def want_around(self) -> Want:
        """The kind of JSON document that can have something at the path `at`."""
        step = next(iter(parse_path(self.at or "$").steps), None)
        return "any" if step is None else "object" if isinstance(step, str) else "array"

    @property
    def absent(self) -> CellError:
        """The cell error of a row in which the column holds nothing: the output's fault for the output column, else the test set's."""
        return NO_OUTPUT if "output" in (self.role, None if self.literal else self.name) else NO_EXPECTED

    def name_by(self, roles: Mapping[str, str]) -> str:
        """The name of the column in the test set. `roles` says, for each role such as `output`, which column plays it."""
        return self.name if self.literal else roles.get(self.name, self.name)


class Text(Struct, frozen=True):
    """A cell as text. A JSON value is written as JSON, non-ASCII kept; no value is a cell error."""

    column: Column
    filled: bool = False
    """A text that is empty is a cell error, too."""


class Expected(Struct, frozen=True):
    """An expected cell as a document, read strictly. What does not parse is the test set's fault."""

    column: Column
    optional: bool = False
    """A test set may have no such column. A document that is not there, or does not parse, is MISSING."""


class Output(Struct, frozen=True):
    """An output cell as a document.

    `want` narrows what counts (`like_expected`: an object when the expected document is one, and so on). `beside` names
    the expected document it is compared with: where the two are equal the very same object is handed to the check, so
    that `output is expected` says so.
    """

    column: Column
    want: Wanted = "object"
    beside: Expected | None = None
    lenient: bool = True


class Part(Struct, frozen=True):
    """The verdict of another evaluator of the suite, by name."""

    evaluator: str
    key: str | int = 0
    """Where the settings name it: a key of a map of weights, or a place in a list."""


Need: TypeAlias = Column | Text | Expected | Output | Part
Needs: TypeAlias = tuple[Need, ...]

Cell: TypeAlias = "JSON | Missing | CellError"

NO_OUTPUT = CellError(Issue("no-output", Blame.OUTPUT, "there is no output"))
_EMPTY_OUTPUT = CellError(Issue("unreadable-output", Blame.OUTPUT, "the output is empty"))
NO_EXPECTED = CellError(Issue("no-expected", Blame.TESTSET, "the cell is empty"))
EMPTY_EXPECTED = CellError(
    Issue(
        "no-expected", Blame.TESTSET, "the cell is empty",
        hint='fill it in; where an empty answer is the right one, write "empty_expected: value" below test_set',
    )
)  # fmt: skip

EmptyExpected: TypeAlias = Literal["invalid", "value"]
"""What an expected cell is that holds nothing, where an answer is compared as it stands."""


TOO_LONG: Final = "cell-too-long"


def too_long(length: int, most: int) -> CellError:
    """The error of a cell of `length` characters, of which `most` are read. The test set is to blame; see `as_output_error` for
    outputs."""
    return CellError(Issue(TOO_LONG, Blame.TESTSET, f"the cell has {length:,} characters; up to {most:,} are read"))


def as_output_error(error: CellError) -> CellError:
    """The error of a cell of the output column: one that is too long becomes the fault of the output; any other stays as it is."""
    if error.issue.code != TOO_LONG:
        return error
    return CellError(Issue("unreadable-output", Blame.OUTPUT, error.issue.message.replace("the cell", "the output", 1)))


def column_of(need: Need) -> Column | None:
    """The column that a need is read from; None for another evaluator's verdict."""
    if isinstance(need, Part):
        return None
    return need if isinstance(need, Column) else need.column


def expected_answer(cell: Cell, empty: EmptyExpected = "invalid") -> Cell:
    """The expected cell as it is compared: unchanged, and not read as JSON.

    A cell that holds nothing (an empty text, nothing but spaces, null, or no such key) becomes a cell error. With
    `empty="value"` it counts as a value: a text stays as it is, anything else becomes the empty text.
    """
    nothing = cell.isspace() or not cell if isinstance(cell, str) else cell is None or cell is MISSING
    if not nothing:
        return cell
    if empty == "invalid":
        return EMPTY_EXPECTED
    return cell if isinstance(cell, str) else ""


def text_of(cell: Cell, absent: CellError, filled: bool = False) -> str | CellError:
    """The cell as text: JSON values are written as JSON. Where nothing is there, the cell error `absent`; with `filled`, also for
    an empty text."""
    if isinstance(cell, str):
        return absent if filled and (not cell or cell.isspace()) else cell
    if isinstance(cell, CellError):
        return as_output_error(cell) if absent is NO_OUTPUT else cell
    if cell is None or cell is MISSING:
        return absent
    return json_text.to_text(cell)


def expected_document(cell: Cell) -> JSON | CellError:
    """The JSON document that an expected cell holds, read strictly; a cell error where it holds none."""
    if isinstance(cell, str):
        if not cell or cell.isspace():
            return NO_EXPECTED
        try:
            return json_text.parse(cell, limits_here().depth)
        except json_text.NotJSON as error:
            return CellError(_expected_not_json(cell, error))
    if cell is MISSING:
        return NO_EXPECTED
    deep = _depth_error(cell)
    return cell if deep is None else CellError(_expected_not_json("", deep))


def output_document(cell: Cell, want: Want, search: Search = LENIENT, prefer: Want = "any") -> JSON | CellError:
    """The JSON document that an output cell holds, of the kind `want`; a cell error where it holds none.

    For `search` and `prefer` see `json_choice.choose`.
    """
    if isinstance(cell, str):
        if search.lenient:
            documents = documents_in_output(cell)
            chosen = documents if isinstance(documents, CellError) else chosen_document(documents, want, search, prefer)
            return chosen if isinstance(chosen, CellError) else chosen.found.value
        if not cell or cell.isspace():
            return _EMPTY_OUTPUT
        try:
            return _check_kind(json_text.parse(cell, limits_here().depth), want)
        except json_text.NotJSON as error:
            return _unusable_output(error, cell)
    if cell is MISSING:
        return NO_OUTPUT
    if isinstance(cell, CellError):
        return as_output_error(cell)
    return _check_kind([cell] if isinstance(cell, dict) and search.lists_all(want, prefer) else cell, want)


def structured_output(cell: Cell) -> Cell:
    """An output that is a JSON value, not text; a cell error where it is nested too deeply."""
    deep = _depth_error(cell)
    return cell if deep is None else _unusable_output(deep)


def _depth_error(cell: Cell) -> json_text.NotJSON | None:
    """The error, not raised, of a JSON value that is nested deeper than `limits: {depth}`; None for every other cell."""
    if not isinstance(cell, dict | list):
        return None
    depth = limits_here().depth
    return json_text.NotJSON(too_deep_message(depth)) if is_nested_deeper(cell, depth) else None


def documents_in_output(cell: str) -> FoundDocuments | CellError:
    """Every JSON document in the text of an output, wherever it stands; a cell error for a text that is empty, too long or cut off."""
    if not cell or cell.isspace():
        return _EMPTY_OUTPUT
    try:
        return json_documents.documents(cell)
    except json_text.NotJSON as error:
        return _unusable_output(error, cell)


def chosen_document(documents: FoundDocuments, want: Want, search: Search, prefer: Want) -> PickedDocument | CellError:
    """The document that counts among those in an output; a cell error where none does. For the parameters see `json_choice.choose`."""
    try:
        return json_choice.choose(documents, want, search, prefer)
    except json_text.NotJSON as error:
        return _unusable_output(error, "" if documents.found else documents.text)


def want_like(expected: JSON) -> Want:
    """The kind of document to look for when it is to be compared with `expected`."""
    if isinstance(expected, dict):
        return "object"
    return "array" if isinstance(expected, list) else "any"


def values_at(documents: Iterable[Any], column: Column) -> list[Any]:
    """The value at the column's path `at` in each document, in order; a cell error where there is nothing. Documents that are
    cell errors stay."""
    path = parse_path(column.at or "$")
    nothing = f'has nothing at "{column.at}"'
    if column.absent is NO_OUTPUT:
        issue = Issue("unreadable-output", Blame.OUTPUT, f"the output {nothing}")
    else:
        issue = Issue("expected-not-there", Blame.TESTSET, f"the expected document {nothing}", hint=_ONE_SIDE)
    values = [document if document.__class__ is CellError else path.get(document) for document in documents]
    return [CellError(issue) if value is MISSING else value for value in values]


_ONE_SIDE: Final = "where only outputs have something around the document, write output_at in place of at"


def _expected_not_json(cell: str, error: json_text.NotJSON) -> Issue:
    """The issue of an expected cell that should hold JSON, with a hint for Python literals and for plain words."""
    if is_python(cell):
        message, hint = f"Python, not JSON: {error}", "write the cell with json.dumps(value), not with str(value)"
    else:
        message = f"not JSON: {error}"
        hint = "the expected cell must hold JSON and nothing else; in a CSV file, JSON with commas is quoted"
        if _PLAIN_WORDS.fullmatch(cell):
            hint = "texts that are no JSON, such as labels, are compared by exact_match"
    return Issue("expected-not-json", Blame.TESTSET, message, hint=hint)


def is_python(text: str) -> bool:
    """Whether the text is a list or dict as Python prints it: keys in single quotes, True, False or None."""
    return _PYTHON.match(text) is not None


_PLAIN_WORDS: Final = late_pattern(r"[^\W\d][\w \-/]{0,60}")
"""A few words, as labels are."""
_PYTHON: Final = late_pattern(
    r"""\s*[\[{][\s\[{]*(?:'(?:[^'\\]|\\.)*'\s*[:,\]]|"[^"\\]*"\s*:\s*(?:True|False|None)\b|(?:True|False|None)\s*[,\]])"""
)


def _unusable_output(error: json_text.NotJSON, cell: str = "") -> CellError:
    """The cell error of an output in which no JSON can be read. `cell` is its text, by which Python's notation is told."""
    message = "Python, not JSON" if is_python(cell) else "not usable JSON"
    return CellError(Issue("unreadable-output", Blame.OUTPUT, f"the output is {message}: {error}"))


def _check_kind(value: JSON, want: Want) -> JSON | CellError:
    """The JSON value, or a cell error of the output where it is not of the kind `want`."""
    if want == "any" or (isinstance(value, dict) and want != "array"):
        return value
    if isinstance(value, list) and want in ("array", "container"):
        return value
    wanted = {"object": "an object", "array": "a list", "container": "an object or a list"}[want]
    message = f"{wanted} was expected, the output holds {kind(value)}"
    return CellError(Issue("unreadable-output", Blame.OUTPUT, message))


Source: TypeAlias = Literal["row", "output", "expected"]


class Condition(Struct, frozen=True):
    """One condition. `values` are the literals that satisfy it; `present` is set instead for a presence test."""

    source: Source
    column: str
    path: Path | None
    values: tuple[JSON, ...] = ()
    present: bool | None = None

    def __eq__(self, other: object) -> bool:
        """Whether both mean the same: `true` is not 1 here, and 1 is not 1.0."""
        return isinstance(other, Condition) and self._meaning() == other._meaning()

    def __hash__(self) -> int:
        return hash(self._meaning())

    def _meaning(self) -> tuple[object, ...]:
        """All that tells conditions apart, by which they are compared."""
        joins = self.path.joins if self.path else ()
        return self.source, self.column, str(self.path), joins, repr(self.values), self.present

    def holds(self, value: JSON | Missing | CellError) -> bool:
        """Whether the condition holds for what stands at the reference: a cell, or a document.

        An output that cannot be read holds nothing. Raises RowProblem for any other cell that cannot be read: what the
        test set or the environment keeps back is not known, so the row is not left out.
        """
        if isinstance(value, CellError):
            if value.issue.blame is not Blame.OUTPUT and not self._asks_if_given(value):
                raise RowProblem(value.issue)
            value = MISSING
        actual = self.path.get(value) if self.path is not None and value is not MISSING else value
        if self.present is not None:
            has_value = actual is not MISSING and not (self.source == "row" and actual in ("", None))
            return has_value is self.present
        if actual is MISSING:
            return False
        if self.source == "row":
            return any(fits(wanted, actual) for wanted in self.values)
        candidates = actual if self.path is not None and not self.path.definite and isinstance(actual, list) else [actual]
        return any(json_equal(wanted, value) for wanted in self.values for value in candidates)

    def nearly_holds(self, cell: JSON | Missing | CellError) -> bool:
        """Whether a cell of the condition's column is nearly one of its values, and is none."""
        if self.source != "row" or cell is MISSING or isinstance(cell, CellError) or self.holds(cell):
            return False
        return any(nearly_fits(wanted, cell) for wanted in self.values)

    def _asks_if_given(self, fault: CellError) -> bool:
        """Whether the condition asks if a cell is there, and the cell is missing because another file has none for the row."""
        return self.source == "row" and self.present is not None and fault.issue.code in _NOT_GIVEN


_NOT_GIVEN: Final = ("no-output-for-row", "no-expected-for-row")


_EQUALS: Final = late_pattern(r"\s*(?:row\.)?(\w+)\s*==?\s*[\"\']?(.+?)[\"\']?\s*")


def _condition_hint(data: object) -> str:
    """A hint with a condition as a suite writes it; where `data` is a text such as `kind == invoice`, with its column and value."""
    match = _EQUALS.fullmatch(data) if isinstance(data, str) else None
    return f"when: {{row.{match[1]}: {match[2]}}}" if match else "when: {row.kind: invoice}"


def all_hold(conditions: Iterable[Condition], sides: Mapping[str, Any], cells: Mapping[str, Any]) -> bool:
    """Whether all conditions hold for a row. `sides` has its documents under `output` and `expected`, `cells` its cells by column.
    Raises RowProblem where one cannot be read, see `Condition.holds`."""
    return all(
        condition.holds(cells.get(condition.column, MISSING) if condition.source == "row" else sides[condition.source])
        for condition in conditions
    )


def read_conditions(data: object) -> tuple[Condition, ...]:
    """The conditions of a `when` block, which maps references such as `row.kind` to values. Raises BadSettings with every problem."""
    if not isinstance(data, Mapping) or not data:
        raise bad(f"when must be a map from a reference to a value; found {spell(data)}", hint=_condition_hint(data))
    return read_each(data.items(), lambda reference, wanted: _read_condition(str(reference), wanted))


def columns_of(conditions: Iterable[Condition]) -> tuple[str, ...]:
    """The columns that conditions on cells of the row read, each once, in the order of the conditions."""
    return tuple(dict.fromkeys(condition.column for condition in conditions if condition.source == "row"))


def _read_condition(reference: str, wanted: object) -> Condition:
    """The condition that a reference and its value write, such as `row.kind: invoice`. Raises BadSettings."""
    source, _, rest = reference.partition(".")
    if source not in ("row", "output", "expected") or not rest:
        hint = "references are row.COLUMN, output.PATH and expected.PATH"
        if "." not in reference:
            hint = f"for a column write row.{reference}; {hint}"
        raise BadSettings([Detail((), f'"{reference}" is not a reference', hint, key=True)])
    path = None if source == "row" else _read_path(rest)
    values, present = _wanted_values(wanted)
    return Condition(source, rest if source == "row" else "", path, values, present)  # type: ignore[arg-type]  # checked


def _read_path(text: str) -> Path:
    """The path of a reference. Raises BadSettings for a text that is no path."""
    try:
        return parse_path(text)
    except BadPath as error:
        place = f" at character {error.position + 1}" if error.position is not None else ""
        message = f'malformed path "{text}": {error.message}{place}'
        raise BadSettings([Detail((), message, error.hint, key=True, code="bad-path")]) from error


def _wanted_values(wanted: object) -> tuple[tuple[Any, ...], bool | None]:
    """(values, present): the values that a condition lists, and None; or no values, and its boolean under `present`. Raises BadSettings."""
    if isinstance(wanted, Mapping):
        if set(wanted) != {"present"} or not isinstance(wanted["present"], bool):
            raise bad("a condition is a value, a list of values, or {present: true}", hint="write {present: true}")
        return (), wanted["present"]
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        if not wanted:
            raise bad("a condition with no value never holds")
        nested = [index for index, value in enumerate(wanted) if isinstance(value, (Mapping, list, tuple))]
        if nested:
            message = "the values of a condition are texts, numbers, true, false or null; found {}"
            raise BadSettings(Detail((index,), message.format(spell(wanted[index]))) for index in nested)
        return tuple(wanted), None
    return (wanted,), None


# A setting that stands in a column of the row


class FromColumn(Settings):
    """A setting whose value stands in a column of the row: `{column: must_have, separator: ";"}`."""

    column: Name
    separator: str | None = None
    """Splits the cell into a list; without it a cell that is a JSON list is a list, and any other is one item."""

    def need(self) -> Column:
        """The column that an evaluator with this setting needs."""
        return Column(self.column, literal=True)


def _read_pattern(value: object) -> object:
    """The pattern of a setting: its text, or the column that holds it. Raises ValueError or BadSettings for one that cannot be used."""
    if isinstance(value, Mapping | FromColumn):
        return from_column(value, splits=False)
    if not isinstance(value, str):
        hint = quotes_hint(value)
        raise ValueError(f'"pattern" must be text; found {spell(value)}' + (f"\nhint: {hint}" if hint else ""))
    if _ROW_COLUMN.fullmatch(value):
        return from_column({"column": value.removeprefix("row.")}, splits=False)
    if not value:
        raise ValueError('"pattern" is empty, and an empty pattern is found everywhere')
    compile_pattern(value)
    return value


_ROW_COLUMN: Final = late_pattern(r"row\.[^\W\d]\w*")
"""A column as the other settings name it; as a pattern it is written `row\\.x`."""
Pattern: TypeAlias = Annotated[str | FromColumn, BeforeValidator(_read_pattern, json_schema_input_type=str | FromColumn)]
"""A regular expression, or the column in which each row has its own."""


def from_column(value: Mapping[Any, Any] | FromColumn, *, splits: bool) -> FromColumn:
    """The column that a setting names, `value` being its map. Raises BadSettings, also for a separator where the setting is one
    value (`splits` is false)."""
    column = value if isinstance(value, FromColumn) else build(FromColumn, dict(value))
    if not column.column.strip():
        raise bad("the column has no name", "column")
    if column.separator == "":
        raise bad("the separator is empty", "separator", hint='write it in quotes, as in separator: ";"')
    if column.separator is not None and not splits:
        raise bad("this setting is one value: there is nothing to separate", "separator", key=True)
    return column


def text_in(column: FromColumn, cell: Any) -> str:
    """The text of a row's `cell`, from which a setting takes its value. Raises RowProblem for a cell that is empty."""
    text = cell if isinstance(cell, str) else "" if cell is None or cell is MISSING else json_text.to_text(cell)
    if not text.strip():
        raise unusable_cell(column, "the cell is empty")
    return text


def pattern_in(column: FromColumn, cell: Any) -> str:
    """The pattern in a row's `cell`, from which a setting takes its value. Raises RowProblem for an empty or malformed one."""
    text = text_in(column, cell)
    try:
        compile_pattern(text)
    except ValueError as error:
        message, _, hint = str(error).partition("\nhint: ")
        raise unusable_cell(column, message, hint or None) from error
    return text


def unusable_cell(column: FromColumn, message: str, hint: str | None = None) -> RowProblem:
    """The problem of a cell from which a setting cannot take its value, ready to raise; the test set is to blame."""
    return RowProblem(Issue("unusable-cell", Blame.TESTSET, message, f'column "{column.column}"', hint))
