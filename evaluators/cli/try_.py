"""Try a suite, or one evaluator, on one row, and see why it scores what it scores."""

from __future__ import annotations

import sys
from typing import Any

import click

from evaluators.cli._completion import types
from evaluators.cli._options import READING, REGISTER, WholeNumber, reading_settings
from evaluators.cli._printing import asked_width, print_out


@click.command("try")
@click.argument("suite", metavar="SUITE|TYPE", shell_complete=types)
@click.argument("test_set", type=click.Path(), required=False)
@click.option("--row", type=WholeNumber(1), help="The row with this number, as a spreadsheet shows it.")
@click.option("--id", "row_id", metavar="ID", help="The row with this id.")
@click.option("--variant", metavar="NAME", help="The variant whose output is tried; the first one without it.")
@click.option("--output", metavar="TEXT", help="The output to try, in place of a row.")
@click.option("--expected", metavar="TEXT", help="The expected answer that goes with it.")
@click.option("--input", metavar="TEXT", help="The input that goes with it.")
@click.option(
    "--column",
    "given",
    multiple=True,
    metavar="NAME=TEXT",
    help="The value of another column. Can be given several times.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of TYPE, written as in YAML. Can be given several times.",
)
@READING
@REGISTER
def command(suite: str, test_set: str | None, given: tuple[str, ...], settings: tuple[str, ...], **options: Any) -> None:
    """Score one row, and show why: every evaluator, and every field with both values.

    SUITE is a YAML file. TYPE, the name of an evaluator type, does too: its settings are then given with --set.

    The row comes from TEST_SET, or from the test set that the suite names: the first row, or the one that --row or --id
    asks for. Or you give it yourself with --output and --expected. A TEXT that starts with @ is the name of a file with
    the text, and - is standard input.
    """
    from evaluators.api import trying
    from evaluators.reports.text import WIDTH, page_text

    loaded = trying.suite_of(suite, settings)
    values = {role: options.pop(role) for role in ("output", "expected", "input")}
    row, row_id, variant = (options.pop(name) for name in ("row", "row_id", "variant"))
    if given or any(value is not None for value in values.values()):
        trying.refuse_row_options({"TEST_SET": test_set, "--row": row, "--id": row_id, "--variant": variant})
        page, code = trying.given_row_page(loaded, values, given)
    else:
        page, code = trying.row_page(loaded, test_set, row, row_id, variant, reading_settings(**options))
    print_out(page_text(page, min(asked_width() or WIDTH, WIDTH), apart=True))
    sys.exit(code)
