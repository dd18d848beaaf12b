"""Write a run that has ended as a page, a table or figures."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from evaluators.cli._options import report_files


@click.command("report")
@click.argument("run", type=click.Path())
@report_files(
    "Write the run to FILE. Its ending says how: .html is a page for a browser; .json, .md, .txt and .xml (JUnit) "
    "hold the figures; .csv and .jsonl hold the rows. Without it, the summary is printed."
)
def command(run: str, files: tuple[str, ...]) -> None:
    """Write a run again, in any format.

    RUN is a run folder, or the run.json in it. Rows and documents come from the suite and the test set of the run, where
    both are what they were. Otherwise a page shows what the run recorded, and says so.

    The exit code is 0 whatever the run's own.
    """
    from evaluators.cli._printing import print_page, say
    from evaluators.running.again import again, check_files

    check_files(map(Path, files))
    found = again(Path(run))
    if not files:
        from evaluators.reports.summary import summary

        print_page(summary(found.result, found.options()))
        return
    for file in found.write(map(Path, files)):
        say(f"{file}\n")
    if found.gone:
        print(f"{found.gone}: what the run recorded is shown.", file=sys.stderr)
