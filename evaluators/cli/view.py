"""Open a run in the browser."""

from __future__ import annotations

from pathlib import Path

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
    place = run_place(run)
    print_out(f"{show_page(run or str(place), place, opened=not no_open)}\n")


def show_page(run: str, place: Path, *, opened: bool) -> Path:
    """Writes the page of the run at `place`, which the user named as `run`, and opens it in the browser where `opened`. Returns the place
    of the page."""
    from evaluators.api.finished_run import write_again
    from evaluators.api.remote_files import page_place

    (page,) = write_again(place, [page_place(run, place)])
    if opened:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
    return page
