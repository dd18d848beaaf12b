"""List the evaluators, comparators, transforms and presets."""

from __future__ import annotations

import click


@click.command("list")
@click.argument(
    "kind", type=click.Choice(["evaluators", "comparators", "transforms", "presets"]), required=False, metavar="[KIND]"
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the list is written.",
)
def command(kind: str | None, format_: str) -> None:
    """List everything that a suite can name, each with one sentence.

    KIND is evaluators, comparators, transforms or presets. Without it, all four are listed.

    `evaluators explain NAME` says more about one of them.
    """
    from evaluators.cli._lists import as_json, as_text
    from evaluators.cli._printing import say
    from evaluators.reports.catalog import KINDS, entries

    found = {each: entries(each) for each in KINDS if kind in (None, each)}
    say(as_json(found) if format_ == "json" else as_text(found))
