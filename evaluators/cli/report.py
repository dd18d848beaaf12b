"""Write a run that has ended as a page, a table or metrics."""

from __future__ import annotations

import shlex

import click

from evaluators.cli._named_runs import run_place
from evaluators.cli._options import EVERY_TABLE, EXPLAIN, RUN_FILES, report_option
from evaluators.cli._printing import print_out, print_run


@click.command("report")
@click.argument("run", type=click.Path(), required=False)
@report_option(f"Write the run to FILE. {RUN_FILES} Without it, the summary is printed.")
@EVERY_TABLE
@EXPLAIN
def command(run: str | None, files: tuple[str, ...], verbose: bool, explain: bool) -> None:
    """Write a run again, in any format.

    RUN is a run folder, or the run.json in it; without it, the newest run in `runs`; a folder in a store is named by its
    address. Everything comes from what the run recorded, and nothing is scored again. Cells of rows that the folder does not
    keep, as of a run of more than 1,000 rows, are read from the test set, where that is the one that was scored. A file that
    needs more is refused, with the command that would give it.
    """
    from msgspec.structs import replace

    from evaluators.api.finished_run import options_of, write_report
    from evaluators.runs.reader import Run

    place = run_place(run)
    if not files:
        record = Run(place)
        print_run(
            record.result, replace(options_of(record), run=shlex.quote(run or str(place)), explain=explain), verbose
        )
        return
    for file in write_report(place, files):
        print_out(f"{file}\n")
