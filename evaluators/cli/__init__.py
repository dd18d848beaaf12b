"""The command line: one file per command, found in this folder, imported when it is called or its help is asked for.

`cli/run.py` holds the command `run` as a click command named `command`; a word that Python keeps for itself takes an
underscore at its end (`try_.py`). Files whose names start with an underscore are no commands. The first line of a file,
its docstring, is what `evaluators --help` says of the command: it is read, and nothing is imported for it.

A command raises `Problems` or ends the context with an exit code. Every other ending is handled here, once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from typing import Any, Final

import click

from evaluators.model.exit_words import exit_codes_text

PROGRAM: Final = "evaluators"


def _command_modules() -> dict[str, str]:
    """The name of each command's module by the name of the command, sorted, such as `try_` by `try`."""
    names = (name.removesuffix(".py") for name in os.listdir(__path__[0]) if name.endswith(".py"))
    return {name.rstrip("_").replace("_", "-"): name for name in sorted(names) if not name.startswith("_")}


def _summary(module: str) -> str:
    """The first line of a command's file, without its quotes."""
    with open(os.path.join(__path__[0], f"{module}.py"), encoding="utf-8") as file:
        return file.readline().strip().strip('"')


_MEANT: Final = {
    "validate": "`evaluators check SUITE` looks for mistakes",
    "lint": "`evaluators check SUITE` looks for mistakes",
    "watch": "`evaluators run SUITE --watch` scores again when a file changes",
    "score": "`evaluators run SUITE` scores the rows of a test set",
    "evaluate": "`evaluators run SUITE` scores the rows of a test set",
}
"""Words that people try, and what they mean by them."""
_FIRST: Final = ("init", "check", "run", "view")
"""The commands of a first run, in their order."""


class Commands(click.Group):
    """The commands in this folder. Knows their names and summaries without importing them."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of a call. Ctrl-C while a command is looked up ends the program with the same words and exit code as later."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except KeyboardInterrupt as error:
            from evaluators.cli._endings import report_error

            sys.exit(report_error(error, with_traceback=False))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return list(_command_modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now, with the option `--traceback` and its exit codes in the help text; None where there is
        none."""
        module = _command_modules().get(cmd_name)
        if module is None:
            return None
        command: click.Command = import_module(f"{__name__}.{module}").command
        if TRACEBACK not in command.params:
            command.params.append(TRACEBACK)
            command.callback = _record_reads_and_secrets(command.callback)
            command.help = f"{cleandoc(command.help or '')}\n\n{exit_codes_text(cmd_name)}"
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names. Refuses another word with a suggestion."""
        if args and args[0] not in _command_modules() and not args[0].startswith("-") and not ctx.resilient_parsing:
            from evaluators.model.registry import suggestion

            near = suggestion(args[0], _command_modules())
            hint = _MEANT.get(args[0]) or near or f"the commands are: {', '.join(_command_modules())}"
            ctx.fail(f'there is no command "{args[0]}"; {hint}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands into the help text: those of a first run, in their order, then the others."""
        modules = _command_modules()
        sections = {"A first run": _FIRST, "Commands": [name for name in modules if name not in _FIRST]}
        for title, names in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, _summary(modules[name])) for name in names], col_max=16)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Every problem ends in words and an exit code, never in a traceback unless it is asked for."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit, BrokenPipeError):
            raise
        except BaseException as error:  # the outermost guard of the program
            from evaluators.cli._endings import report_error

            sys.exit(report_error(error, ctx.meta.get(_ASKED, False), ctx.meta.get(_FILLED)))


def _record_reads_and_secrets(callback: Callable[..., Any] | None) -> Callable[..., Any]:
    """Wraps the callback of a command, so that it notes two things while it runs: the files that it reads, which it must not write over,
    and the texts that the environment filled in, which `report_error` masks (under `_FILLED` in the context's `meta`)."""

    def recording(*args: Any, **options: Any) -> Any:
        from evaluators.model.settings import noting_filled_texts  # help does without it
        from evaluators.scoring.values.files import noting_reads

        with noting_reads(), noting_filled_texts() as click.get_current_context().meta[_FILLED]:
            return callback(*args, **options) if callback is not None else None

    return recording


_ASKED: Final = "evaluators.traceback"
_FILLED: Final = "evaluators.filled"


def _note_traceback(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Notes in the context's `meta` that the command was given `--traceback`."""
    if value:
        ctx.meta[_ASKED] = True


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Prints the version and ends the program, where `--version` is given: click calls it before any command."""
    if value and not ctx.resilient_parsing:
        from evaluators.model.rows import __version__  # help does without it

        click.echo(f"{PROGRAM}, version {__version__}")
        ctx.exit()


TRACEBACK: Final = click.Option(
    ["--traceback"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    envvar="EVALUATORS_TRACEBACK",
    callback=_note_traceback,
    help="Show where in the program a problem arose.",
)


@click.group(
    PROGRAM,
    cls=Commands,
    params=[TRACEBACK],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`evaluators COMMAND --help` says more about a command.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def command() -> None:
    """Score structured output: a suite, written in YAML, runs over the rows of a test set."""
