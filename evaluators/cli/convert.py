"""Turn another system's configuration into a suite."""

from __future__ import annotations

from typing import Any

import click

from evaluators.cli._options import (
    COLUMNS,
    DELIMITER,
    ENCODING,
    EXPECTED,
    HEADER_ROW,
    OUTPUT,
    SHEET,
    reading_settings,
)


@click.command("convert")
@click.argument("system")
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--suite", type=click.Path(), metavar="FILE", help="The suite to write.  [default: standard output]")
@click.option("--rows", type=click.Path(), metavar="FILE", help="Write the rows that are in the files, as CSV.")
@click.option("--force", is_flag=True, help="Replace files of these names.")
@COLUMNS
@EXPECTED
@OUTPUT
@DELIMITER
@ENCODING
@SHEET
@HEADER_ROW
def command(
    system: str, files: tuple[str, ...], suite: str | None, rows: str | None, force: bool, **reading: Any
) -> None:
    """Turn another system's files into a suite.

    SYSTEM is promptfoo, agenta, galtea, deepeval or orbiter. FILES are its configuration, and what it exports: several files make one
    suite. Files are read as data; Python in them is never run.

    Options such as --encoding say how a file with rows among them is read; the suite says so, too.

    Every assertion and setting is looked up in a table. What has no counterpart here is a comment at its place in the suite, and a
    line of the summary, with file, line and column. The suite that comes out passes `evaluators check`.

    The exit code is 0 when a suite was written, also when some of it has no counterpart, and 2 when a file cannot be read, when
    nothing in it has a counterpart, or when a file of that name is there already.
    """
    from evaluators.cli._converted_suite import convert
    from evaluators.cli._new_files import refuse_taken, write
    from evaluators.cli._printing import say

    targets = [target for target in (suite, rows) if target is not None]
    refuse_taken(targets, force=force)
    converted = convert(system, files, suite, rows, reading_settings(**reading))
    write(
        {target: text for target, text in ((suite, converted.suite), (rows, converted.rows)) if target and text},
        force=force,
    )
    if suite is None:
        say(converted.suite)
        click.echo(converted.words, err=True, nl=False)
    else:
        say(converted.words)
