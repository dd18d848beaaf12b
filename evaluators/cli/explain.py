"""Explain an evaluator, a comparator, a transform, a preset or a whole suite."""

from __future__ import annotations

import click

from evaluators.cli._name_completion import everything


@click.command("explain")
@click.argument("subject", metavar="NAME|SUITE", shell_complete=everything)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json", "mermaid"]),
    default="text",
    show_default=True,
    help="How the page is written. A diagram (mermaid) can be made of a suite only.",
)
def command(subject: str, format_: str) -> None:
    """Explain one thing that a suite can name, or a suite.

    NAME is an evaluator, a comparator, a transform or a preset: you get what it does, its settings, and examples whose
    results are computed now. `evaluators list` shows all names. `align`, or the name of an alignment, says how lists are
    paired.

    SUITE is a YAML file: you get what each evaluator reads, what it waits for and what it compares, then the order and
    the steps.
    """
    from evaluators.api import explaining
    from evaluators.cli._printing import say

    if explaining.is_suite(subject):
        say(explaining.of_suite(subject, format_))
    else:
        say(explaining.of_name(subject, format_))
