"""Score the rows of a test set with a suite."""

from __future__ import annotations

import click


@click.command("run")
@click.argument("suite", type=click.Path())
@click.argument("test_set", type=click.Path(), required=False)
def command(suite: str, test_set: str | None) -> None:
    """Score the rows of a test set with a suite."""
    from evaluators.running.suite import load

    load(suite).run(test_set)
