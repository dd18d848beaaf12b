"""Show what one change of a suite would turn from wrong to right in a run."""

from __future__ import annotations

import click

from evaluators.cli._named_runs import run_place
from evaluators.cli._options import REGISTER
from evaluators.cli._printing import print_page


@click.command("advice")
@click.argument("run", type=click.Path(), required=False)
@REGISTER
def command(run: str | None) -> None:
    """List the suggestions of a run: which one change to the suite would turn how many wrong values right.

    RUN is a run folder, or the run.json in it; without it, the newest run in `runs`. The advice comes from the wrong values
    that the run recorded, and from the suite as the folder holds it. Nothing is changed: whether a difference matters is for
    you to say.
    """
    from evaluators.api.finished_run import advice_page

    print_page(advice_page(run_place(run)))
