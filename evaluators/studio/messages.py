"""What the page and the server say to each other, as JSON: one Struct for each answer, and for requests with many parts.

`POST /api/NAME` takes a request and gives its answer; `GET` is for pages and files. Every request to `/api/` brings the
token of the address in the header `X-Studio-Token`; links to pages bring it as `?token=`. Paths are relative to the folder that the
studio was started in, with `/` between names. Rows are called by their numbers in the test set, as messages do. What goes wrong is
`Refused`, with the status that says whose business it is: 400 (the request), 401 (the token), 403 (Host, Origin, a place outside of the
folder), 404, 409 (the file changed underneath: `Changed`), 413, 422 (`Refused` with the problems of a suite or of data).

`app.ROUTES` says which method answers a request; the parameters of the method are the keys of the request. Beside them there are pages:

| route | gives |
|---|---|
| GET / | the page; its token is in the fragment of the address, `#token=…`, which no server is sent |
| GET /static/NAME | script and style of the page, and those of reports |
| POST /api/upload?name=rows.csv | takes the bytes of a file, gives Uploaded: where it was saved in the folder; never over another file |
| GET /runs/NAME/report?token= | the report of a run, as `evaluators view` writes it |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

Loc: TypeAlias = list[str | int]
"""Where something stands in a suite: keys and places in lists, from the top."""


class Problem(Struct, omit_defaults=True):
    """A problem as `check` says it. Lines and columns count from 1; 0 where it is in no line of this text."""

    message: str
    line: int = 0
    column: int = 0
    hint: str = ""
    where: str = ""
    """The place as messages print it: `suite.yaml:7:5`, or another file."""
    tone: Literal["bad", "warn", "note"] = "bad"


class Refused(Struct):
    """Why a request was not done."""

    code: str
    message: str
    problems: list[Problem] = []


# what is open


class FileLine(Struct):
    """A file in the folder of the studio that can be opened."""

    path: str
    kind: Literal["suite", "data"]


class Started(Struct):
    """What the page begins with."""

    folder: str
    """The name of the folder, for people."""
    opened: str
    """What the command line named, to be opened at once; empty for a folder."""
    files: list[FileLine]
    comparators: list[Choice]
    """How one value can be compared: the menu of a field."""
    checks: list[Choice]
    """The evaluators that can be added: the menu of `Add check`."""
    alignments: list[Choice]
    """How the items of two lists are paired."""
    schema: dict[str, Any]
    """The JSON Schema of the language, for completion."""
    command: str


class Option(Struct, omit_defaults=True):
    """A setting of a comparator or an evaluator, as a form shows it."""

    name: str
    """The key; of a map inside, with a dot: `tolerance.abs`."""
    kind: Literal["number", "switch", "choice", "text", "list"]
    """A list is of texts or numbers, one line each."""
    meaning: str = ""
    default: Any = None
    choices: list[str] = []
    low: float | None = None
    high: float | None = None


class Choice(Struct, omit_defaults=True):
    """An item of a menu."""

    name: str
    """As the suite writes it."""
    words: str
    """In plain words: "same number"."""
    does: str
    """One sentence."""
    group: Literal["start here", "further", "compatibility"] = "further"
    options: list[Option] = []
    """What a form can show of its settings; others are only in the text."""


class SuiteFile(Struct):
    """A suite on disk."""

    path: str
    text: str
    hash: str


class Column(Struct, omit_defaults=True):
    """A column of data, with a few of its cells and what it was taken for."""

    name: str
    samples: list[str]
    role: Literal["", "id", "input", "output", "expected"] = ""
    why: str = ""
    """Why it plays the role, or what it was taken for otherwise: "a number about the call", "verdicts"."""


class Question(Struct, omit_defaults=True):
    """What the data does not settle. One with a role is open until it is answered: nobody guesses."""

    text: str
    answers: list[str]
    hints: list[str] = []
    role: str = ""
    chosen: str = ""
    """The answer that was given, or taken because it is the likeliest; empty for an open question."""


class Data(Struct):
    """The first rows of data, and the roles of its columns."""

    path: str
    columns: list[Column]
    rows: list[list[str]]
    """The first rows, cell by cell in the order of the columns; long cells are cut, and end with `…`."""
    questions: list[Question]
    notes: list[str]
    """What was found besides: several outputs side by side, how the file is read."""


class Opened(Struct):
    """What was opened: a suite, and the data that it names where that can be read; or data alone, with what is drafted for it."""

    suite: SuiteFile | None
    data: Data | None
    drafted: Drafted | None
    command: str


class Uploaded(Struct):
    """Where a file was saved."""

    path: str


class Drafted(Struct):
    """A first suite. While a question is open there is no text."""

    path: str
    """Where it would be saved."""
    text: str
    data: Data
    command: str


# a suite as text and as a form


class FieldLine(Struct, omit_defaults=True):
    """A field of an evaluator, as a line of the form."""

    evaluator: int
    """The place of the evaluator in the list."""
    path: str
    """As the suite writes it."""
    name: str
    """As results spell it: the `field` of columns and of advice."""
    line: int
    """Its line in the text, from 1; 0 where another file says it."""
    compare: str
    """The comparator, one of the menu; a name of the suite's own; empty where the form cannot show it."""
    options: dict[str, Any] = {}
    """Settings of the comparator by the names of `Option`."""
    align: str = ""
    """How a list is paired: one of the alignments; `key_field` has its key in `align_key`."""
    align_key: str = ""
    weight: int | float | None = None
    required: bool = False
    skip: bool = False
    text_only: int = 0
    """Settings that are only in the text."""
    editable: bool = True
    """False where it comes from a file that is extended, or is written with an anchor: the text alone can change it."""


class Check(Struct, omit_defaults=True):
    """An evaluator, as a line of the form."""

    place: int
    name: str
    type: str
    does: str
    line: int
    fields: list[FieldLine] = []
    lists_fields: bool = False
    """Fields can be added."""
    options: dict[str, Any] = {}
    text_only: int = 0
    editable: bool = True
    compare: str | None = None
    """What compares its cells, one of the menu; empty where nothing is written, and None for a type that has no comparator."""
    columns: list[str] = []
    """The columns of the output and of the expected answer, where they are its own."""


class GateLine(Struct, omit_defaults=True):
    """A gate: a limit on the metric of an evaluator or a field."""

    target: str
    line: int
    figure: str = "mean"
    fail_below: int | float | None = None
    warn_below: int | float | None = None
    fail_above: int | float | None = None
    warn_above: int | float | None = None
    text_only: int = 0
    editable: bool = True


class Form(Struct):
    """A suite as lines."""

    name: str
    checks: list[Check]
    gates: list[GateLine]
    own_comparators: list[str]
    """Names under `comparators:`, which join the menu of fields."""
    text_only: int
    """Settings of the whole suite that are only in the text."""
    judges: list[str]
    """A sentence about each judge that the suite names; asked only after a click."""


class ReadSuite(Struct):
    """A text as the one reader reads it. Where it cannot be read there is no form, and the last one stays on the page."""

    text: str
    form: Form | None
    problems: list[Problem]
    command: str = ""


class SetField(Struct, tag_field="edit", tag="field", omit_defaults=True):
    """Write a field of an evaluator; what is left out stays as it is, and null takes a setting away. A new path adds the field."""

    evaluator: int
    path: str
    compare: str | UnsetType = UNSET
    options: dict[str, Any] | UnsetType = UNSET
    """By the names of `Option`; all that the form shows: what is not there is taken away."""
    align: str | None | UnsetType = UNSET
    align_key: str | UnsetType = UNSET
    weight: int | float | None | UnsetType = UNSET
    required: bool | None | UnsetType = UNSET
    skip: bool | UnsetType = UNSET


class RemoveField(Struct, tag_field="edit", tag="remove-field"):
    """Take a field away."""

    evaluator: int
    path: str


class AddCheck(Struct, tag_field="edit", tag="add-check"):
    """Add an evaluator at the end."""

    type: str
    options: dict[str, Any] = {}
    name: str = ""
    fields: list[str] = []
    """Its first fields, each compared exactly, where it lists fields."""


class SetCheck(Struct, tag_field="edit", tag="check", omit_defaults=True):
    """Write the settings of an evaluator."""

    place: int
    options: dict[str, Any]
    """By the names of `Option`; null takes one away, and what is not there stays."""


class RemoveCheck(Struct, tag_field="edit", tag="remove-check"):
    """Take an evaluator away."""

    place: int


class SetGate(Struct, tag_field="edit", tag="gate", omit_defaults=True):
    """Write a limit; null takes it away, and a gate without one goes."""

    target: str
    limit: Literal["fail_below", "warn_below", "fail_above", "warn_above"]
    value: int | float | None


class SetRole(Struct, tag_field="edit", tag="role"):
    """Write which column plays a role; an empty text takes it away."""

    role: Literal["id", "input", "output", "expected"]
    column: str


class Apply(Struct, tag_field="edit", tag="apply"):
    """Write a piece of advice: `write` of `AdviceLine.edit`, as it is."""

    evaluator: int
    path: str
    write: str


AnyEdit: TypeAlias = SetField | RemoveField | AddCheck | SetCheck | RemoveCheck | SetGate | SetRole | Apply


# scores


class Score(Struct):
    """Score rows by a text. `tab` is any text that a page makes up for itself: of its requests the one with the highest `turn` wins, and
    of two with the same the later one. Requests may arrive in another order than they were sent."""

    text: str
    path: str
    tab: str
    turn: int = 0
    rows: Annotated[int, Meta(ge=1)] | None = 50
    """How many of the first rows; null scores all."""
    before: str = ""
    """The `id` of what was scored before: what the change turned is told."""
    ask: bool = False
    """Judges may be asked: somebody was told how many questions that is."""
    fetch: bool = False
    """Rows may be asked for in a database or on another machine."""
    data: str = ""
    """A file with rows in place of those that the suite names."""


class ScoreColumn(Struct, omit_defaults=True):
    """A column of the table: a field, or an evaluator as a whole."""

    evaluator: str
    place: int
    field: str = ""
    rule: str = ""
    """The comparator and its settings, as a person reads them."""
    right: int = 0
    of: int = 0
    """In how many of the rows that were measured it is right."""


class ScoredRow(Struct, omit_defaults=True):
    """A row of the table."""

    row: int
    id: str
    statuses: str
    """A letter for each column, as `Scored.words` names it; of an evaluator `P` (passed), `F` (failed) or `.` (no score)."""
    scores: list[float | None] = []
    """The score of each evaluator."""
    variant: str = ""


class Turned(Struct):
    """What the last change turned, in one column."""

    evaluator: str
    field: str
    right: list[int] = []
    """The rows that became right, and those that became wrong: the first 20 of each, and how many there are."""
    wrong: list[int] = []
    became_right: int = 0
    became_wrong: int = 0
    other: int = 0
    """Values that are measured now and were not before, or the other way round."""


class Progress(Struct):
    """How far rows are that are being scored."""

    rows: int
    share: float | None
    """Which part of them; null where that is not known."""


class Asks(Struct):
    """Whom the suite asks: nobody is asked until `Score.ask` says so."""

    said: list[str]
    """Where questions would go, how many at most, and about what they would cost: what `--dry-run` says."""
    open: bool
    """Some of them have no answer yet."""


class Figure(Struct):
    """A metric of an evaluator over the rows that were scored."""

    evaluator: str
    mean: float | None
    pass_rate: float | None
    scored: int
    rows: int
    variant: str = ""
    low: float | None = None
    high: float | None = None
    """The interval of the mean; only where all rows were scored."""


class GateEnd(Struct):
    """What became of a gate; only where all rows were scored."""

    target: str
    status: str
    said: str


class Scored(Struct):
    """What scoring came to."""

    id: str
    rows: int
    whole: bool
    """All rows were scored: gates and intervals are shown."""
    said: str
    """"of the first 50 rows"."""
    columns: list[ScoreColumn]
    table: list[ScoredRow]
    """The first 500 rows; `POST /api/rows` has others."""
    words: Mapping[str, tuple[str, str, str]]
    """By letter: the word, the sign and the tone (`good`, `wrong`, `missing`, `extra`, `fault`, `none`) of a status."""
    figures: list[Figure]
    gates: list[GateEnd]
    turned: list[Turned]
    asks: Asks | None
    problems: list[Problem]
    """What kept rows from being measured."""
    seconds: float
    command: str


class RowsShown(Struct):
    """Some rows, and how many there are of that kind."""

    of: int
    table: list[ScoredRow]


class RowShown(Struct):
    """One row as a report has it: `head` is what its script reads as `Head`, and `lines` are the packed lines by the names of their
    elements (`codes-0`, `rows-0`, `outcomes-0`, `cells-0`, `read-0`): zlib in base64."""

    head: dict[str, Any]
    lines: dict[str, str]
    command: str


class AdviceLine(Struct):
    """A suggestion, beside the field that it is about."""

    evaluator: str
    place: int
    field: str
    said: str
    """The sentence of `evaluators advice`."""
    write: str
    """The line to write, for people; empty where the outputs have to change."""
    turned: int
    rows: list[int]
    edit: Apply | None
    """What applies it; None where only a person can."""


class Advised(Struct):
    """All suggestions for what was scored."""

    lines: list[AdviceLine]
    command: str


# files


class Saved(Struct):
    """The file is written."""

    hash: str
    command: str


class Changed(Struct):
    """The file on disk is another one than `base`: nothing was written."""

    code: str
    message: str
    text: str
    hash: str


class Stated(Struct):
    """The hash of each file; empty for one that is not there."""

    hashes: dict[str, str]


class Correct(Struct):
    """The expected answer of a row is wrong. `text` is the suite as it stands on the page."""

    text: str
    path: str
    score: str
    row: int
    evaluator: str
    place: str
    """The path of the value, as results spell it; empty for the whole answer."""
    reason: str
    value: str = ""
    """The value that is right, as JSON; empty where nothing should stand there."""


class Corrected(Struct):
    """The correction is in the file of corrections. `text` is the suite with the line that applies it, where it had none."""

    path: str
    text: str
    said: str
    command: str


# runs


class RunState(Struct):
    """How far a run is."""

    id: str
    done: bool
    share: float | None
    """The part of the rows that is scored; null where that is not known."""
    rows: int
    said: str
    """What the command line says at the end; empty before."""
    exit_code: int | None
    ended: str
    """What the exit code means; empty before."""
    name: str
    """The run in `RunList`, once it is there."""
    command: str


class RunLine(Struct):
    """A run."""

    name: str
    """What links call it: its folder, relative to that of the studio."""
    title: str
    started: str
    rows: int
    passed: bool | None
    said: str
    means: dict[str, float | None]
    """By evaluator."""


class Trend(Struct):
    """The means of an evaluator, the oldest run first."""

    evaluator: str
    runs: list[str]
    means: list[float]


class RunList(Struct):
    """The runs, the newest first."""

    runs: list[RunLine]
    trends: list[Trend]
    command: str


class Compared(Struct):
    """Two runs compared as a page of a comparison has it: what its script reads as `Head`, and the packed lines of changed rows."""

    head: dict[str, Any]
    lines: dict[str, str]
    refused: bool
    """They differ in rows or settings, so that only what both have in common can be compared."""
    command: str
