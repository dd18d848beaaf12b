"""Open a run in the browser."""

from __future__ import annotations

import click

from evaluators.cli._named_runs import run_place
from evaluators.cli._printing import print_out


@click.command("view")
@click.argument("run", type=click.Path(), required=False)
@click.option("--no-open", is_flag=True, help="Write the page and print where it is, and open nothing.")
def command(run: str | None, no_open: bool) -> None:
    """Show a run as a page in the browser.

    RUN is a run folder, or the run.json in it; without it, the newest run in `runs`. The page is written into the run folder
    as report.html: one file, which asks the network for nothing and can be sent to somebody else. For a run folder in a
    store, named by its address, or one that cannot be written, it is written into a temporary folder.
    """
    from evaluators.api.finished_run import write_again
    from evaluators.api.remote_results import page_place

    place = run_place(run)
    (page,) = write_again(place, [page_place(run or str(place), place)])
    if not no_open:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
    print_out(f"{page}\n")
