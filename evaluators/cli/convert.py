"""Turn another system's configuration into a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evaluators.cli._new_files import refuse_existing, write
from evaluators.cli._options import READING_PLACES, reading_settings
from evaluators.cli._printing import print_out


@click.command("convert")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="[SYSTEM] FILES...")
@click.option("-o", "--suite", type=click.Path(), metavar="FILE", help="The suite to write.  [default: standard output]")
@click.option("--rows", type=click.Path(), metavar="FILE", help="Write the rows that are in the files, as CSV.")
@click.option("--force", is_flag=True, help="Replace files of these names.")
@READING_PLACES
def command(files: tuple[str, ...], suite: str | None, rows: str | None, force: bool, **reading: Any) -> None:
    """Turn another system's files into a suite.

    SYSTEM is promptfoo, openai, agenta, galtea or orbiter; without it, the first file tells. FILES are its configuration, and
    what it exports: several files make one suite. Files are read as data; Python in them is never run.

    Options such as --encoding say how a file with rows among them is read; the suite says so, too.

    Every assertion and setting is looked up in a table. What has no counterpart here is a comment at its place in the suite, and a
    line of the summary, with file, line and column. What asks a model becomes an `llm_judge` that is commented out until the suite
    names a judge. The suite that comes out passes `evaluators check`, unless everything in it asks a judge.
    """
    from evaluators.guide.converting.converted_suite import convert

    targets = [target for target in (suite, rows) if target is not None]
    refuse_existing(targets, force=force)
    system = files[0] if len(files) > 1 and not Path(files[0]).exists() else None
    converted = convert(system, files[1:] if system else files, suite, rows, reading_settings(**reading))
    write(
        {target: text for target, text in ((suite, converted.suite), (rows, converted.rows)) if target and text},
        force=force,
    )
    if suite is None:
        print_out(converted.suite)
        click.echo(converted.words, err=True, nl=False)
    else:
        print_out(converted.words)
