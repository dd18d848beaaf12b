"""Options that several commands have, each said once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

if TYPE_CHECKING:
    _ParamType = click.ParamType[str | int]
else:
    _ParamType = click.ParamType  # click takes a parameter here from 8.4 on

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


ROLES: Final = ("id", "input", "output", "expected")


def pairs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The `NAME=VALUE` texts of an option as pairs. Raises click.BadParameter for one without a name or an equals sign."""
    split = [value.partition("=") for value in values]
    for value, (name, equals, _) in zip(values, split, strict=True):
        if not equals or not name:
            raise click.BadParameter(f'"{value}" is not of the form {param.metavar}', ctx, param)
    return tuple((name, rest) for name, _, rest in split)


def roles(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """The columns by role, from the `ROLE=COLUMN` texts of an option. Raises click.BadParameter for an unknown role."""
    named = dict(pairs(ctx, param, values))
    for role, column in named.items():
        if role not in ROLES:
            if column in ROLES:
                raise click.BadParameter(f'the role stands first: {column}="{role}"', ctx, param)
            raise click.BadParameter(f'there is no role "{role}"; the roles are {", ".join(ROLES)}', ctx, param)
    return named


class WholeNumber(_ParamType):
    """A whole number, at least `least` where that is given."""

    name = "N"

    def __init__(self, least: int | None = None) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises click.BadParameter for anything else, which says what is allowed."""
        try:
            number = int(str(value))
        except ValueError:
            number = None
        if number is not None and (self.least is None or number >= self.least):
            return number
        allowed = "a whole number" if self.least is None else f"a whole number, {self.least} or more"
        raise click.BadParameter(f'"{value}" is not {allowed}', ctx, param)


class Evidence(_ParamType):
    """`first`, `all`, or a number of rows."""

    name = "WORD or N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        """The word, or the number. Raises click.BadParameter for anything else."""
        if value in ("first", "all"):
            return str(value)
        if str(value).isdigit() and int(value) > 0:
            return int(value)
        raise click.BadParameter(f'"{value}" is not first, all, or a number of rows', ctx, param)


COLUMNS: Final = click.option(
    "--columns",
    callback=roles,
    multiple=True,
    metavar="ROLE=COLUMN",
    help="Say which column is the id, input, output or expected answer, as in --columns output=answer. Can be "
    "given several times.",
)
EXPECTED: Final = click.option(
    "--expected",
    type=click.Path(),
    metavar="PLACE",
    help="A folder or file with the expected answers, in place of a column.",
)
OUTPUTS_FROM: Final = click.option(
    "--outputs-from",
    "output",
    type=click.Path(),
    metavar="PLACE",
    help="A folder or file with the outputs, in place of a column.",
)
DELIMITER: Final = click.option(
    "--delimiter",
    metavar="CHARACTER",
    help="What separates the cells of a CSV file: a character, or comma, semicolon, tab, bar.",
)
ENCODING: Final = click.option("--encoding", metavar="NAME", help="The encoding of a CSV or TSV file, such as cp1252.")
SHEET: Final = click.option(
    "--sheet", metavar="NAME", help="The sheet of an Excel file; the first that is not hidden without it."
)
HEADER_ROW: Final = click.option(
    "--header-row", type=WholeNumber(1), help="The row of a CSV or Excel file that has the names of the columns."
)
LIST: Final = click.option(
    "--list", metavar="KEY", help="The list that holds the rows, in a JSON file with several, such as samples."
)


def _combine_options(*options: Option) -> Option:
    """One decorator that adds several options to a command; the help lists them in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


READING: Final[Option] = _combine_options(COLUMNS, DELIMITER, ENCODING, SHEET, HEADER_ROW, LIST)
"""How a file of rows is read."""
READING_PLACES: Final[Option] = _combine_options(
    COLUMNS, EXPECTED, OUTPUTS_FROM, DELIMITER, ENCODING, SHEET, HEADER_ROW, LIST
)
"""The same, and where outputs and expected answers are when they are no columns."""


_SETTINGS: Final = ("format", "delimiter", "encoding", "sheet", "header_row", "list", "expected", "output", "outputs")


def reading_settings(columns: dict[str, str], **named: Any) -> dict[str, Any]:
    """The settings of `test_set` from the options of a command: `columns` by role, and others by their names, in the order of `_SETTINGS`.
    Those that are None are left out."""
    settings = {name: named[name] for name in sorted(named, key=_SETTINGS.index) if named[name] is not None}
    return {**settings, "columns": columns} if columns else settings


RUN_FILES: Final = (
    "Its ending says how: .html (.htm) is a page for a browser; .json, .md (.markdown), .txt and .xml (JUnit) hold the metrics; .csv and "
    ".jsonl hold the rows; .fields.csv and .report.json list every field that a schema scores; .repeats.csv, .confidence.csv, .labels.csv "
    "and .measures.csv are tables of these; .parquet and .rows.jsonl, .codes.jsonl, .outcomes.jsonl, .cells.jsonl and .answers.jsonl are "
    "tables of run.db."
)
"""What a file of a run holds, by its ending."""


def report_option(help: str) -> Option:
    """The option `-o FILE`, which can be given several times and is the parameter `files`. `help` is its text but for the last sentence."""
    return click.option(
        "-o",
        "--report",
        "files",
        multiple=True,
        type=click.Path(),
        metavar="FILE",
        help=f"{help} Can be given several times.",
    )


TRACE_ROWS: Final[Option] = click.option(
    "--trace-rows",
    type=WholeNumber(0),
    help="Send N rows one by one to trackers that show single rows, rows with something wrong first. The table that a tracker "
    "gets has all rows anyway.",
)


def comma_separated(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """The words of `WORD,…`; None where nothing is given."""
    return None if value is None else tuple(word for part in value.split(",") if (word := part.strip()))


def format_option(*words: str) -> Option:
    """The option `--format` with these words, of which the first is the default; it is the parameter `format_`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(words),
        default=words[0],
        show_default=True,
        help="How the list is written.",
    )


EVERY_TABLE: Final = click.option(
    "--verbose", "-v", is_flag=True, help="Print every table of the run in place of the summary."
)
EXPLAIN: Final = click.option("--explain", is_flag=True, help="Say below the summary what its words mean.")


def _register(ctx: click.Context, param: click.Parameter, files: tuple[str, ...]) -> None:
    """Runs the named Python files, so that evaluators and comparators in them are known to this command. Raises Problems as
    `register_file`."""
    if files and not ctx.resilient_parsing:
        from evaluators.api.extending import register_file

        for file in files:
            register_file(file)


REGISTER: Final[Option] = click.option(
    "--register",
    multiple=True,
    type=click.Path(),
    metavar="FILE.py",
    is_eager=True,
    expose_value=False,
    callback=_register,
    help="Run this Python file, and know the evaluator or comparator in it by its name. A suite runs no file by itself. Can be given "
    "several times.",
)

OTHER: Final = "Other options"


class GroupedCommand(click.Command):
    """A command with its options in groups: the names of the options, in their order, by the title of the group."""

    def __init__(self, *args: Any, groups: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.groups = groups

    def options_by_group(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The options by the title of their group. Those of no group come last."""
        options = {
            max(option.opts, key=len): option for option in self.get_params(ctx) if isinstance(option, click.Option)
        }
        groups: dict[str, list[click.Parameter]] = {
            title: [options.pop(name) for name in names] for title, names in self.groups.items()
        }
        return {**groups, OTHER: list(options.values())}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options as one list for each group. The texts of all of them begin at the same column."""
        lists = {
            title: [line for option in options if (line := option.get_help_record(ctx)) is not None]
            for title, options in self.options_by_group(ctx).items()
        }
        widest = max(len(names) for lines in lists.values() for names, _ in lines)
        for title, lines in lists.items():
            with formatter.section(title):
                formatter.write_dl([(names.ljust(widest), text) for names, text in lines])
