"""Make a schema from expected answers, with a comparator for every field, to review."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from evaluators.cli._new_files import write
from evaluators.cli._options import READING, reading_settings
from evaluators.cli._printing import print_err, print_out, print_problems


@click.command("infer-schema")
@click.argument("expected", type=click.Path())
@click.option("--column", metavar="NAME", help="The column with the expected answers, where its name is not a usual one.")
@click.option(
    "--dialect",
    type=click.Choice(["x-eval", "evaluation_config"]),
    help="How the schema says what is compared. x-eval without it, or what an existing schema uses.",
)
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write the schema to FILE, not to the screen.")
@click.option("--force", is_flag=True, help="Replace a file of that name.")
@READING
def command(
    expected: str, column: str | None, dialect: str | None, output: str | None, force: bool, **reading: Any
) -> None:
    """Make a schema from expected answers, to review and to score with.

    EXPECTED is a file with rows, such as rows.csv, a folder of JSON documents, one JSON document or a list of them, or a
    suite, whose test set is taken. It may also be a JSON Schema: its references are filled in, and it is completed.

    The schema holds what the answers have in common. Look through it before you trust it: what was unclear is listed, and
    so are the lists, whose order counts until you say otherwise.
    """
    from evaluators.guide import inferring
    from evaluators.model.issues import Problems
    from evaluators.reports.report_files import reads_itself_issue
    from evaluators.testsets.run_files import fits

    if output is not None and fits(Path(output), expected, Path()):
        raise Problems([reads_itself_issue(output)])
    drafted = inferring.infer_schema(expected, column, dialect, reading_settings(**reading))
    if output is None:
        print_out(drafted.text)
        print_err(drafted.words(None).rstrip("\n"))
    else:
        write({output: drafted.text}, force=force)
        print_out(drafted.words(output))
    if drafted.problems:
        sys.exit(print_problems(drafted.problems))
