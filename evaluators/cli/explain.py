"""Explain any word of the language, or a whole suite."""

from __future__ import annotations

import click

from evaluators.cli._completion import everything
from evaluators.cli._options import REGISTER
from evaluators.cli._printing import asked_width, print_out, print_reference


@click.command("explain")
@click.argument("subject", metavar="NAME|SUITE", shell_complete=everything)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How the page is written.",
)
@click.option("--steps", is_flag=True, help="Of a suite, also show the order of its evaluators and the steps of a row.")
@REGISTER
def command(subject: str, format_: str, steps: bool) -> None:
    """Explain one word of the language, or a suite.

    NAME is an evaluator, a comparator, a transform or a preset: you get what it does, its settings, and examples whose
    results are computed now. `evaluators list` shows all names. `align`, or the name of an alignment, says how lists are
    paired. NAME may be any other word of a suite, too: a key such as `fail_below`, or a value such as `precision`. It may
    also be a word that reports use, such as `extra`.

    SUITE is a YAML file: you get what each evaluator compares with what, and how, what it waits for, and what passes. With
    --steps you also get in which order all that happens.
    """
    from evaluators.api import explaining
    from evaluators.reports.text import WIDTH

    width = min(asked_width() or WIDTH, WIDTH)
    is_suite = explaining.is_suite(subject)
    page = (
        explaining.explain_suite(subject, format_, steps, width)
        if is_suite
        else explaining.explain_name(subject, format_, width)
    )
    print_reference(page) if format_ == "text" else print_out(page)
