"""Send a run that has ended to a tracker."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("track")
@click.argument("run", type=click.Path())
@click.option(
    "--to", "names", multiple=True, required=True, metavar="NAME", help="The tracker. Can be given several times."
)
def command(run: str, names: tuple[str, ...]) -> None:
    """Send a finished run to a tracker, or send it again.

    RUN is a run folder, or the run.json in it. A tracker that the run's suite names is asked with the suite's settings. Where
    the run went is printed, and kept in links.json in the run folder. To send a run twice changes nothing.

    The exit code is 0 when every tracker took the run, and 3 when one did not.
    """
    from evaluators.cli._printing import link_line, say
    from evaluators.issues import Problems
    from evaluators.running.tracking import send_again

    sent = send_again(Path(run), names)
    for link in sent.links:
        say(link_line(link) + "\n")
    if sent.issues:
        raise Problems(sent.issues)
