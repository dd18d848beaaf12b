"""Send a run that has ended to a tracker."""

from __future__ import annotations

from contextlib import nullcontext

import click

from evaluators.cli._named_runs import run_place
from evaluators.cli._options import TRACE_ROWS
from evaluators.cli._printing import link_line, print_out
from evaluators.cli._progress import sending_progress


@click.command("track")
@click.argument("run", type=click.Path())
@click.option(
    "--to", "names", multiple=True, required=True, metavar="NAME", help="The tracker. Can be given several times."
)
@TRACE_ROWS
def command(run: str, names: tuple[str, ...], trace_rows: int | None) -> None:
    """Send a finished run to a tracker, or send it again.

    RUN is a run folder, or the run.json in it. A tracker that the run's suite names is asked with the suite's settings. Where
    the run went is printed, and kept in links.json in the run folder. To send a run twice changes nothing.
    """
    from evaluators.api.trackers import send_again
    from evaluators.model.issues import Problems

    sending = sending_progress()
    with sending or nullcontext():
        sent = send_again(run_place(run), names, trace_rows, sending)
    for link in sent.links:
        print_out(link_line(link) + "\n")
    if sent.issues:
        raise Problems(sent.issues)
